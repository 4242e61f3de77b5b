// portable/dispatch_v2.h: AT_DISPATCH_V2: AT_DISPATCH_* with a list of types.
#pragma once
#include <torch/headeronly/core/Dispatch_v2.h>

#include "dispatch.h"

#ifndef AT_DISPATCH_V2
#define AT_DISPATCH_V2(TYPE, NAME, BODY, ...)                                                                          \
    THO_DISPATCH_V2_TMPL(AT_DISPATCH_SWITCH, AT_DISPATCH_CASE, TYPE, NAME, AT_WRAP(BODY), __VA_ARGS__)
#endif
