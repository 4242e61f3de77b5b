// portable/aten.h: all of at:: and c10::, without Python.
#pragma once
#include "autograd.h"
#include "checks.h"
#include "dispatch.h"
#include "core/logging.h"
#include "parallel.h"
#include "tensors.h"
