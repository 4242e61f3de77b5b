// c_api/th/math/pointwise.cpp: filling, elementwise arithmetic and comparison.
#include "th/math/pointwise.h"

#include "th/math/pointwise_kernels.h"
#include "th/runtime/export.h"
#include "th/tensor/copy_kernels.h"

#include <cmath>

namespace th {
namespace {

// What an operand is called in error messages.
template <typename T> struct Input {
    const char *name;
    Tensor<T> *tensor;
};

// r = operation(inputs...), r resized like the first input.
template <typename Name, typename T, typename R, typename... A>
void pointwise(const char *name, Tensor<R> *r, Scalars<T> scalars, Input<A>... inputs) {
    const AnyTensor *shape = std::get<0>(std::tuple<Input<A>...>(inputs...)).tensor;
    check_same_elements({{name, shape}, {inputs.name, inputs.tensor}...});
    resizeAs<R>(r, shape);
    bool failed = false;
    scalars.failed = &failed;
    const Operand operands[] = {operand(r), operand(inputs.tensor)...};
    for_each_row(1 + sizeof...(A), operands, TH_CHOOSE(pointwise_row<Name, T, R>)(), &scalars);
    TH_CHECK(!failed, "integer division by zero");
}

template <typename Name, typename T, typename R = T> void unary(Tensor<R> *r, Tensor<T> *t, T a = 0, T b = 0) {
    pointwise<Name, T, R>("r_", r, {a, b, nullptr}, Input<T>{"t", t});
}

template <typename Name, typename T> void binary(Tensor<T> *r, Tensor<T> *t, Tensor<T> *source) {
    pointwise<Name, T, T>("r_", r, {0, 0, nullptr}, Input<T>{"t", t}, Input<T>{"src", source});
}

}  // namespace

// The original took every tensor for a permutation of a contiguous one whose number of elements is its largest stride
// times that dimension's size, and filled as many elements from the first on. A dimension of size 1 can deceive it;
// what lies between the elements is then filled too. Programs may depend on it; never beyond the storage.
static bool taken_for_permuted(const AnyTensor *t) {
    if (is_contiguous(t)) return false;
    int64_t largest = 1, size = 1;
    for (int d = 0; d < t->nDimension; d++) {
        if (t->stride[d] == 0 && t->size[d] != 1) return false;
        if (t->stride[d] > largest) largest = t->stride[d], size = t->size[d];
    }
    const int64_t n = elements_of(t);
    return n == largest * size && n <= t->storage->size - t->storageOffset;
}

template <typename T> void fill(Tensor<T> *r, T value) {
    if (taken_for_permuted(r)) {
        const int64_t one = 1;
        char *data = reinterpret_cast<char *>(r->data());
        TH_CHOOSE(fill_row<T>)()(elements_of(r), &data, &one, &value);
        return;
    }
    const Operand operands[] = {operand(r)};
    for_each_row(1, operands, TH_CHOOSE(fill_row<T>)(), &value);
}
template <typename T> void zero(Tensor<T> *r) { fill(r, T(0)); }

// ---- With a number --------------------------------------------------------------------------------------------------

template <typename T> void add(Tensor<T> *r, Tensor<T> *t, T value) { unary<op::AddScalar>(r, t, value); }
template <typename T> void sub(Tensor<T> *r, Tensor<T> *t, T value) { add(r, t, T(-value)); }
template <typename T> void add_scaled(Tensor<T> *r, Tensor<T> *t, T value, T alpha) { add(r, t, T(value * alpha)); }
template <typename T> void sub_scaled(Tensor<T> *r, Tensor<T> *t, T value, T alpha) { add(r, t, T(-value * alpha)); }
template <typename T> void mul(Tensor<T> *r, Tensor<T> *t, T value) { unary<op::MulScalar>(r, t, value); }
template <typename T> void div(Tensor<T> *r, Tensor<T> *t, T value) { unary<op::DivScalar>(r, t, value); }
template <typename T> void lshift(Tensor<T> *r, Tensor<T> *t, T value) {
    if constexpr (is_floating<T>)
        mul(r, t, T(std::pow(T(2), value)));
    else
        unary<op::LeftShiftScalar>(r, t, value);
}
template <typename T> void rshift(Tensor<T> *r, Tensor<T> *t, T value) {
    if constexpr (is_floating<T>)
        div(r, t, T(std::pow(T(2), value)));
    else
        unary<op::RightShiftScalar>(r, t, value);
}
template <typename T> void fmod(Tensor<T> *r, Tensor<T> *t, T value) { unary<op::FmodScalar>(r, t, value); }
template <typename T> void remainder(Tensor<T> *r, Tensor<T> *t, T value) { unary<op::RemainderScalar>(r, t, value); }
template <typename T> void clamp(Tensor<T> *r, Tensor<T> *t, T low, T high) { unary<op::Clamp>(r, t, low, high); }
template <typename T> void cmaxValue(Tensor<T> *r, Tensor<T> *t, T value) { unary<op::MaxScalar>(r, t, value); }
template <typename T> void cminValue(Tensor<T> *r, Tensor<T> *t, T value) { unary<op::MinScalar>(r, t, value); }
template <typename T> void tpow(Tensor<T> *r, T value, Tensor<T> *t) { unary<op::ScalarPow>(r, t, value); }

// Bit operations exist for integers; for floats their functions exist and raise.
#define TH_BIT_OPERATION(text, scalar, tensor, Name)                                                                   \
    template <typename T> void scalar(Tensor<T> *r, Tensor<T> *t, T value) {                                           \
        if constexpr (is_floating<T>)                                                                                  \
            TH_ERROR(text " is only supported for integer type tensors");                                           \
        else                                                                                                           \
            unary<op::Name##Scalar>(r, t, value);                                                                      \
    }                                                                                                                  \
    template <typename T> void tensor(Tensor<T> *r, Tensor<T> *t, Tensor<T> *source) {                                 \
        if constexpr (is_floating<T>)                                                                                  \
            TH_ERROR(#tensor " is only supported for integer type tensors");                                           \
        else                                                                                                           \
            binary<op::Name>(r, t, source);                                                                            \
    }
TH_BIT_OPERATION("bitand", bitand_, cbitand, And)
TH_BIT_OPERATION("bitor", bitor_, cbitor, Or)
TH_BIT_OPERATION("bitxor", bitxor, cbitxor, Xor)

// ---- Of tensors -----------------------------------------------------------------------------------------------------

template <typename T> void cadd(Tensor<T> *r, Tensor<T> *t, T value, Tensor<T> *source) {
    pointwise<op::AddScaled, T, T>("r_", r, {value, 0, nullptr}, Input<T>{"t", t}, Input<T>{"src", source});
}
template <typename T> void csub(Tensor<T> *r, Tensor<T> *t, T value, Tensor<T> *source) {
    cadd(r, t, T(-value), source);
}
template <typename T> void cmul(Tensor<T> *r, Tensor<T> *t, Tensor<T> *source) { binary<op::Mul>(r, t, source); }
template <typename T> void cdiv(Tensor<T> *r, Tensor<T> *t, Tensor<T> *source) { binary<op::Div>(r, t, source); }
template <typename T> void cpow(Tensor<T> *r, Tensor<T> *t, Tensor<T> *source) { binary<op::Pow>(r, t, source); }
template <typename T> void clshift(Tensor<T> *r, Tensor<T> *t, Tensor<T> *source) {
    binary<op::LeftShift>(r, t, source);
}
template <typename T> void crshift(Tensor<T> *r, Tensor<T> *t, Tensor<T> *source) {
    binary<op::RightShift>(r, t, source);
}
template <typename T> void cfmod(Tensor<T> *r, Tensor<T> *t, Tensor<T> *source) { binary<op::Fmod>(r, t, source); }
template <typename T> void cremainder(Tensor<T> *r, Tensor<T> *t, Tensor<T> *source) {
    binary<op::Remainder>(r, t, source);
}
template <typename T> void cmax(Tensor<T> *r, Tensor<T> *t, Tensor<T> *source) {
    pointwise<op::Max, T, T>("r", r, {0, 0, nullptr}, Input<T>{"t", t}, Input<T>{"src", source});
}
template <typename T> void cmin(Tensor<T> *r, Tensor<T> *t, Tensor<T> *source) {
    pointwise<op::Min, T, T>("r", r, {0, 0, nullptr}, Input<T>{"t", t}, Input<T>{"src", source});
}

template <typename Name, typename T>
void add_product(Tensor<T> *r, Tensor<T> *t, T value, Tensor<T> *source1, Tensor<T> *source2) {
    check_same_elements({{"r_", t}, {"src1", source1}, {"src2", source2}});
    pointwise<Name, T, T>("r_", r, {value, 0, nullptr}, Input<T>{"t", t}, Input<T>{"src1", source1},
                          Input<T>{"src2", source2});
}
template <typename T> void addcmul(Tensor<T> *r, Tensor<T> *t, T value, Tensor<T> *source1, Tensor<T> *source2) {
    add_product<op::AddMulScaled>(r, t, value, source1, source2);
}
template <typename T> void addcdiv(Tensor<T> *r, Tensor<T> *t, T value, Tensor<T> *source1, Tensor<T> *source2) {
    add_product<op::AddDivScaled>(r, t, value, source1, source2);
}

template <typename T> void neg(Tensor<T> *r, Tensor<T> *t) { unary<op::Neg>(r, t); }
template <typename T> void abs(Tensor<T> *r, Tensor<T> *t) { unary<op::Abs>(r, t); }
template <typename T> void sign(Tensor<T> *r, Tensor<T> *t) { unary<op::Sign>(r, t); }

// ---- Comparison -----------------------------------------------------------------------------------------------------

template <typename Name, typename T, typename R> void compare_value(Tensor<R> *r, Tensor<T> *t, T value) {
    unary<Name, T, R>(r, t, value);
}
template <typename Name, typename T, typename R> void compare_tensors(Tensor<R> *r, Tensor<T> *a, Tensor<T> *b) {
    pointwise<Name, T, R>("r_", r, {0, 0, nullptr}, Input<T>{"ta", a}, Input<T>{"tb", b});
}

#define TH_INSTANTIATE(Real, real, accreal)                                                                            \
    template void fill(Tensor<real> *, real);                                                                          \
    template void mul(Tensor<real> *, Tensor<real> *, real);                                                           \
    template void cadd(Tensor<real> *, Tensor<real> *, real, Tensor<real> *);
TH_EVERY_REAL(TH_INSTANTIATE)
#undef TH_INSTANTIATE

}  // namespace th

extern "C" {
#define TH_GENERIC_FILE "th/math/pointwise_exports.h"
#include <TH/THGenerateAllTypes.h>
}
