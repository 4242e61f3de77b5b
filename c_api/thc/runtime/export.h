// c_api/thc/runtime/export.h: turns a line of a list (<family>/<file>_exports.h) into an exported C function, as
// th/runtime/export.h does.
#pragma once

#include "th/runtime/export.h"
#include "thc/runtime/errors.h"
#include "thc/runtime/types.h"

// THC_EXPORT(returns, symbol, function, parameter types...): those behind the state; the 0 forms have no others, and
// _READER is for functions without a result that write nothing.
#define THC_EXPORT(returns, symbol, function, ...)                                                                     \
    returns symbol(THCState *, TH_PARAMETERS(__VA_ARGS__)) {                                                           \
        ::th::note_writes<returns>(TH_ARGUMENTS(__VA_ARGS__));                                                         \
        return ::th::guarded([&]() -> returns { return (returns)function(TH_ARGUMENTS(__VA_ARGS__)); });               \
    }
#define THC_EXPORT_READER(symbol, function, ...)                                                                       \
    void symbol(THCState *, TH_PARAMETERS(__VA_ARGS__)) {                                                              \
        ::th::guarded([&] { function(TH_ARGUMENTS(__VA_ARGS__)); });                                                   \
    }
#define THC_EXPORT0(returns, symbol, function)                                                                         \
    returns symbol(THCState *) {                                                                                       \
        return ::th::guarded([&]() -> returns { return (returns)function(); });                                        \
    }
