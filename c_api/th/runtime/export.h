// c_api/th/runtime/export.h: turns one line of a family's list into an exported C function.
//
// A list (<family>/<file>_exports.h) is included once per type, like any generic TH file, and says what <file>.cpp
// exports:
//
//     TH_TENSOR(void, fill, THTensor *, real)
//
// defines THFloatTensor_fill(THFloatTensor *, float) and so on, which call th::fill<float>(Tensor<float> *, float).
// The prototypes stand in c_api/include/TH: the compiler refuses a line that contradicts its prototype or has none.
#pragma once

#include "th/runtime/errors.h"
#include "th/tensor/types.h"

#include <cxxabi.h>

namespace th {

// Runs body; when that throws, releases what it held, then calls the error handler, and returns 0 if that returns.
template <typename Body> auto guarded(Body &&body) -> decltype(body()) {
    Error error;
    try {
        return body();
    } catch (abi::__forced_unwind &) {
        throw;  // the thread ends: glibc aborts where that ends in a handler
    } catch (...) {
        capture(error);
    }
    report(error);
    return decltype(body())();
}

// A function without a result writes to the tensor or storage that it takes first.
template <typename Returns, typename First, typename... Rest> void note_writes(First first, const Rest &...) {
    if constexpr (std::is_void_v<Returns> &&
                  (std::is_convertible_v<First, AnyTensor *> || std::is_convertible_v<First, AnyStorage *>))
        note_write(first);
}

}  // namespace th

#define TH_COUNT(...) TH_COUNT_(__VA_ARGS__, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define TH_COUNT_(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, _15, _16, n, ...) n
// Parameters are named from the last one: p3, p2, p1.
#define TH_PARAMETERS_1(t) t p1
#define TH_PARAMETERS_2(t, ...) t p2, TH_PARAMETERS_1(__VA_ARGS__)
#define TH_PARAMETERS_3(t, ...) t p3, TH_PARAMETERS_2(__VA_ARGS__)
#define TH_PARAMETERS_4(t, ...) t p4, TH_PARAMETERS_3(__VA_ARGS__)
#define TH_PARAMETERS_5(t, ...) t p5, TH_PARAMETERS_4(__VA_ARGS__)
#define TH_PARAMETERS_6(t, ...) t p6, TH_PARAMETERS_5(__VA_ARGS__)
#define TH_PARAMETERS_7(t, ...) t p7, TH_PARAMETERS_6(__VA_ARGS__)
#define TH_PARAMETERS_8(t, ...) t p8, TH_PARAMETERS_7(__VA_ARGS__)
#define TH_PARAMETERS_9(t, ...) t p9, TH_PARAMETERS_8(__VA_ARGS__)
#define TH_PARAMETERS_10(t, ...) t p10, TH_PARAMETERS_9(__VA_ARGS__)
#define TH_PARAMETERS_11(t, ...) t p11, TH_PARAMETERS_10(__VA_ARGS__)
#define TH_PARAMETERS_12(t, ...) t p12, TH_PARAMETERS_11(__VA_ARGS__)
#define TH_PARAMETERS_13(t, ...) t p13, TH_PARAMETERS_12(__VA_ARGS__)
#define TH_PARAMETERS_14(t, ...) t p14, TH_PARAMETERS_13(__VA_ARGS__)
#define TH_PARAMETERS_15(t, ...) t p15, TH_PARAMETERS_14(__VA_ARGS__)
#define TH_PARAMETERS_16(t, ...) t p16, TH_PARAMETERS_15(__VA_ARGS__)

#define TH_ARGUMENTS_1 ::th::native(p1)
#define TH_ARGUMENTS_2 ::th::native(p2), TH_ARGUMENTS_1
#define TH_ARGUMENTS_3 ::th::native(p3), TH_ARGUMENTS_2
#define TH_ARGUMENTS_4 ::th::native(p4), TH_ARGUMENTS_3
#define TH_ARGUMENTS_5 ::th::native(p5), TH_ARGUMENTS_4
#define TH_ARGUMENTS_6 ::th::native(p6), TH_ARGUMENTS_5
#define TH_ARGUMENTS_7 ::th::native(p7), TH_ARGUMENTS_6
#define TH_ARGUMENTS_8 ::th::native(p8), TH_ARGUMENTS_7
#define TH_ARGUMENTS_9 ::th::native(p9), TH_ARGUMENTS_8
#define TH_ARGUMENTS_10 ::th::native(p10), TH_ARGUMENTS_9
#define TH_ARGUMENTS_11 ::th::native(p11), TH_ARGUMENTS_10
#define TH_ARGUMENTS_12 ::th::native(p12), TH_ARGUMENTS_11
#define TH_ARGUMENTS_13 ::th::native(p13), TH_ARGUMENTS_12
#define TH_ARGUMENTS_14 ::th::native(p14), TH_ARGUMENTS_13
#define TH_ARGUMENTS_15 ::th::native(p15), TH_ARGUMENTS_14
#define TH_ARGUMENTS_16 ::th::native(p16), TH_ARGUMENTS_15

#define TH_PARAMETERS(...) TH_CONCAT_2(TH_PARAMETERS_, TH_COUNT(__VA_ARGS__))(__VA_ARGS__)
#define TH_ARGUMENTS(...) TH_CONCAT_2(TH_ARGUMENTS_, TH_COUNT(__VA_ARGS__))

// TH_EXPORT(returns, symbol, function, parameter types...); the 0 forms take no parameters, and _READER is for functions
// without a result that write nothing.
#define TH_EXPORT(returns, symbol, function, ...)                                                                      \
    returns symbol(TH_PARAMETERS(__VA_ARGS__)) {                                                                       \
        ::th::note_writes<returns>(TH_ARGUMENTS(__VA_ARGS__));                                                         \
        return ::th::guarded([&]() -> returns { return (returns)function(TH_ARGUMENTS(__VA_ARGS__)); });               \
    }
#define TH_EXPORT_READER(symbol, function, ...)                                                                        \
    void symbol(TH_PARAMETERS(__VA_ARGS__)) {                                                                          \
        ::th::guarded([&] { function(TH_ARGUMENTS(__VA_ARGS__)); });                                                   \
    }
#define TH_EXPORT0(returns, symbol, function)                                                                          \
    returns symbol(void) {                                                                                             \
        return ::th::guarded([&]() -> returns { return (returns)function(); });                                        \
    }

// TH_TENSOR(returns, name, parameter types...): TH<Real>Tensor_<name> calls th::<name><real>; the same for others.
#define TH_TENSOR(returns, name, ...) TH_EXPORT(returns, THTensor_(name), ::th::name<real>, __VA_ARGS__)
#define TH_TENSOR0(returns, name) TH_EXPORT0(returns, THTensor_(name), ::th::name<real>)
