// c_api/thc/export.h: turns a line of a family's list (lists/<family>.h) into an exported C function: see th/export.h.
#pragma once

#include "th/export.h"
#include "thc/errors.h"
#include "thc/types.h"

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
