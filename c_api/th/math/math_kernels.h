// c_api/th/math/math_kernels.h: rows of functions of floating numbers.
#pragma once

#include "th/runtime/isa.h"
#include "th/runtime/loop.h"

namespace th {

// One variable.
#define TH_FUNCTIONS(X)                                                                                                \
    X(Sigmoid) X(Log) X(Log1p) X(Log10) X(Log2) X(Exp) X(Expm1) X(Sqrt) X(Rsqrt) X(Cos) X(Acos) X(Cosh) X(Sin) X(Asin) \
    X(Sinh) X(Tan) X(Atan) X(Tanh) X(Ceil) X(Floor) X(Round) X(Trunc) X(Frac) X(Cinv) X(Lgamma) X(Digamma) X(Trigamma) \
    X(Erf) X(Erfinv) X(Square) X(Cube) X(InverseSquare)

// Two variables, or one and a scalar (the context is a T).
#define TH_FUNCTIONS_OF_TWO(X) X(PowScalar) X(Atan2) X(Lerp)

namespace op {
#define TH_DECLARE(name) struct name;
TH_FUNCTIONS(TH_DECLARE) TH_FUNCTIONS_OF_TWO(TH_DECLARE)
#undef TH_DECLARE
}  // namespace op

BASE_EVERY_ISA(template <typename Name, typename T> Row math_row();)

}  // namespace th
