// c_api/th/export.h: turns one line of a family's list into an exported C function.
//
// A list (lists/<family>.h) is included once per type, like any generic TH file, and says what the family exports:
//
//     TH_TENSOR(void, fill, THTensor *, real)
//
// defines THFloatTensor_fill(THFloatTensor *, float) and so on, which call th::fill<float>(Tensor<float> *, float).
// The prototypes stand in c_api/include/TH: the compiler refuses a line that contradicts its prototype or has none.
#pragma once

#include "errors.h"
#include "types.h"

namespace th {

// Runs body; when that throws, releases what it held, then calls the error handler, and returns 0 if that returns.
template <typename Body> auto guarded(Body &&body) -> decltype(body()) {
    Error error;
    try {
        return body();
    } catch (...) {
        capture(error);
    }
    report(error);
    return decltype(body())();
}

}  // namespace th

#define TH_COUNT(...) TH_COUNT_(__VA_ARGS__, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define TH_COUNT_(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, _15, _16, n, ...) n
#define TH_PARAMETERS_1(t1) t1 p1
#define TH_PARAMETERS_2(t1, t2) t1 p1, t2 p2
#define TH_PARAMETERS_3(t1, t2, t3) t1 p1, t2 p2, t3 p3
#define TH_PARAMETERS_4(t1, t2, t3, t4) t1 p1, t2 p2, t3 p3, t4 p4
#define TH_PARAMETERS_5(t1, t2, t3, t4, t5) t1 p1, t2 p2, t3 p3, t4 p4, t5 p5
#define TH_PARAMETERS_6(t1, t2, t3, t4, t5, t6) t1 p1, t2 p2, t3 p3, t4 p4, t5 p5, t6 p6
#define TH_PARAMETERS_7(t1, t2, t3, t4, t5, t6, t7) t1 p1, t2 p2, t3 p3, t4 p4, t5 p5, t6 p6, t7 p7
#define TH_PARAMETERS_8(t1, t2, t3, t4, t5, t6, t7, t8) t1 p1, t2 p2, t3 p3, t4 p4, t5 p5, t6 p6, t7 p7, t8 p8
#define TH_PARAMETERS_9(t1, t2, t3, t4, t5, t6, t7, t8, t9) t1 p1, t2 p2, t3 p3, t4 p4, t5 p5, t6 p6, t7 p7, t8 p8, t9 p9
#define TH_PARAMETERS_10(t1, t2, t3, t4, t5, t6, t7, t8, t9, t10) t1 p1, t2 p2, t3 p3, t4 p4, t5 p5, t6 p6, t7 p7, t8 p8, t9 p9, t10 p10
#define TH_PARAMETERS_11(t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11) t1 p1, t2 p2, t3 p3, t4 p4, t5 p5, t6 p6, t7 p7, t8 p8, t9 p9, t10 p10, t11 p11
#define TH_PARAMETERS_12(t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11, t12) t1 p1, t2 p2, t3 p3, t4 p4, t5 p5, t6 p6, t7 p7, t8 p8, t9 p9, t10 p10, t11 p11, t12 p12
#define TH_PARAMETERS_13(t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11, t12, t13) t1 p1, t2 p2, t3 p3, t4 p4, t5 p5, t6 p6, t7 p7, t8 p8, t9 p9, t10 p10, t11 p11, t12 p12, t13 p13
#define TH_PARAMETERS_14(t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11, t12, t13, t14) t1 p1, t2 p2, t3 p3, t4 p4, t5 p5, t6 p6, t7 p7, t8 p8, t9 p9, t10 p10, t11 p11, t12 p12, t13 p13, t14 p14
#define TH_PARAMETERS_15(t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11, t12, t13, t14, t15) t1 p1, t2 p2, t3 p3, t4 p4, t5 p5, t6 p6, t7 p7, t8 p8, t9 p9, t10 p10, t11 p11, t12 p12, t13 p13, t14 p14, t15 p15
#define TH_PARAMETERS_16(t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11, t12, t13, t14, t15, t16) t1 p1, t2 p2, t3 p3, t4 p4, t5 p5, t6 p6, t7 p7, t8 p8, t9 p9, t10 p10, t11 p11, t12 p12, t13 p13, t14 p14, t15 p15, t16 p16

#define TH_ARGUMENTS_1 ::th::native(p1)
#define TH_ARGUMENTS_2 ::th::native(p1), ::th::native(p2)
#define TH_ARGUMENTS_3 ::th::native(p1), ::th::native(p2), ::th::native(p3)
#define TH_ARGUMENTS_4 ::th::native(p1), ::th::native(p2), ::th::native(p3), ::th::native(p4)
#define TH_ARGUMENTS_5 ::th::native(p1), ::th::native(p2), ::th::native(p3), ::th::native(p4), ::th::native(p5)
#define TH_ARGUMENTS_6 ::th::native(p1), ::th::native(p2), ::th::native(p3), ::th::native(p4), ::th::native(p5), ::th::native(p6)
#define TH_ARGUMENTS_7 ::th::native(p1), ::th::native(p2), ::th::native(p3), ::th::native(p4), ::th::native(p5), ::th::native(p6), ::th::native(p7)
#define TH_ARGUMENTS_8 ::th::native(p1), ::th::native(p2), ::th::native(p3), ::th::native(p4), ::th::native(p5), ::th::native(p6), ::th::native(p7), ::th::native(p8)
#define TH_ARGUMENTS_9 ::th::native(p1), ::th::native(p2), ::th::native(p3), ::th::native(p4), ::th::native(p5), ::th::native(p6), ::th::native(p7), ::th::native(p8), ::th::native(p9)
#define TH_ARGUMENTS_10 ::th::native(p1), ::th::native(p2), ::th::native(p3), ::th::native(p4), ::th::native(p5), ::th::native(p6), ::th::native(p7), ::th::native(p8), ::th::native(p9), ::th::native(p10)
#define TH_ARGUMENTS_11 ::th::native(p1), ::th::native(p2), ::th::native(p3), ::th::native(p4), ::th::native(p5), ::th::native(p6), ::th::native(p7), ::th::native(p8), ::th::native(p9), ::th::native(p10), ::th::native(p11)
#define TH_ARGUMENTS_12 ::th::native(p1), ::th::native(p2), ::th::native(p3), ::th::native(p4), ::th::native(p5), ::th::native(p6), ::th::native(p7), ::th::native(p8), ::th::native(p9), ::th::native(p10), ::th::native(p11), ::th::native(p12)
#define TH_ARGUMENTS_13 ::th::native(p1), ::th::native(p2), ::th::native(p3), ::th::native(p4), ::th::native(p5), ::th::native(p6), ::th::native(p7), ::th::native(p8), ::th::native(p9), ::th::native(p10), ::th::native(p11), ::th::native(p12), ::th::native(p13)
#define TH_ARGUMENTS_14 ::th::native(p1), ::th::native(p2), ::th::native(p3), ::th::native(p4), ::th::native(p5), ::th::native(p6), ::th::native(p7), ::th::native(p8), ::th::native(p9), ::th::native(p10), ::th::native(p11), ::th::native(p12), ::th::native(p13), ::th::native(p14)
#define TH_ARGUMENTS_15 ::th::native(p1), ::th::native(p2), ::th::native(p3), ::th::native(p4), ::th::native(p5), ::th::native(p6), ::th::native(p7), ::th::native(p8), ::th::native(p9), ::th::native(p10), ::th::native(p11), ::th::native(p12), ::th::native(p13), ::th::native(p14), ::th::native(p15)
#define TH_ARGUMENTS_16 ::th::native(p1), ::th::native(p2), ::th::native(p3), ::th::native(p4), ::th::native(p5), ::th::native(p6), ::th::native(p7), ::th::native(p8), ::th::native(p9), ::th::native(p10), ::th::native(p11), ::th::native(p12), ::th::native(p13), ::th::native(p14), ::th::native(p15), ::th::native(p16)

#define TH_PARAMETERS(...) TH_CONCAT_2(TH_PARAMETERS_, TH_COUNT(__VA_ARGS__))(__VA_ARGS__)
#define TH_ARGUMENTS(...) TH_CONCAT_2(TH_ARGUMENTS_, TH_COUNT(__VA_ARGS__))

// TH_EXPORT(returns, symbol, function, parameter types...); the 0 forms take no parameters.
#define TH_EXPORT(returns, symbol, function, ...)                                                                      \
    returns symbol(TH_PARAMETERS(__VA_ARGS__)) {                                                                       \
        return ::th::guarded([&]() -> returns { return (returns)function(TH_ARGUMENTS(__VA_ARGS__)); });               \
    }
#define TH_EXPORT0(returns, symbol, function)                                                                          \
    returns symbol(void) {                                                                                             \
        return ::th::guarded([&]() -> returns { return (returns)function(); });                                        \
    }

// TH_TENSOR(returns, name, parameter types...): TH<Real>Tensor_<name> calls th::<name><real>; the same for others.
#define TH_TENSOR(returns, name, ...) TH_EXPORT(returns, THTensor_(name), ::th::name<real>, __VA_ARGS__)
#define TH_TENSOR0(returns, name) TH_EXPORT0(returns, THTensor_(name), ::th::name<real>)
