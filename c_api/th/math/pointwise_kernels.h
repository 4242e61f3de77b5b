// c_api/th/math/pointwise_kernels.h: rows of elementwise arithmetic and comparison.
#pragma once

#include "th/runtime/isa.h"
#include "th/runtime/loop.h"

namespace th {

// The context of every such row. An integer division by zero gives 0 and sets *failed.
template <typename T> struct Scalars {
    T a, b;
    bool *failed;
};

// The names of the operations. x, y, z are the elements read, a and b the scalars.
#define TH_ARITHMETIC(X)                                                                                               \
    X(AddScalar) X(MulScalar) X(DivScalar) X(LeftShiftScalar) X(RightShiftScalar) X(FmodScalar) X(RemainderScalar)     \
    X(Clamp) X(MaxScalar) X(MinScalar) X(ScalarPow) X(Sign) X(AddScaled) X(Mul) X(Div) X(Pow) X(LeftShift)             \
    X(RightShift) X(Fmod) X(Remainder) X(Max) X(Min) X(AddMulScaled) X(AddDivScaled)
#define TH_SIGNED_ARITHMETIC(X) X(Neg) X(Abs)
#define TH_BITWISE(X) X(AndScalar) X(OrScalar) X(XorScalar) X(And) X(Or) X(Xor)
#define TH_COMPARISONS(X)                                                                                              \
    X(LtValue) X(LeValue) X(GtValue) X(GeValue) X(NeValue) X(EqValue) X(LtTensor) X(LeTensor) X(GtTensor)              \
    X(GeTensor) X(NeTensor) X(EqTensor)

namespace op {
#define TH_DECLARE(name) struct name;
TH_ARITHMETIC(TH_DECLARE) TH_SIGNED_ARITHMETIC(TH_DECLARE) TH_BITWISE(TH_DECLARE) TH_COMPARISONS(TH_DECLARE)
#undef TH_DECLARE
}  // namespace op

// Comparisons give 1 or 0 as an R.
BASE_EVERY_ISA(template <typename Name, typename T, typename R> Row pointwise_row();)

}  // namespace th
