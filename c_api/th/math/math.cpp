// c_api/th/math/math.cpp: functions of floating numbers, element by element, and of plain arrays.
#include "th/math/math_kernels.h"
#include "th/math/pointwise_kernels.h"
#include "th/math/special.h"
#include "th/runtime/export.h"
#include "th/tensor/copy_kernels.h"

namespace th {
namespace {

template <typename Name, typename T> void function(Tensor<T> *r, Tensor<T> *t) {
    resizeAs<T>(r, t);
    const Operand operands[] = {operand(r), operand(t)};
    for_each_row(2, operands, TH_CHOOSE(math_row<Name, T>)());
}

}  // namespace

template <typename T> void pow(Tensor<T> *r, Tensor<T> *t, T value) {
    // The exponents that occur have functions of their own, faster and more exact.
    if (value == T(1)) {
        resizeAs<T>(r, t);
        copy<T, T>(r, t);
    } else if (value == T(2)) {
        function<op::Square>(r, t);
    } else if (value == T(3)) {
        function<op::Cube>(r, t);
    } else if (value == T(0.5)) {
        function<op::Sqrt>(r, t);
    } else if (value == T(-0.5)) {
        function<op::Rsqrt>(r, t);
    } else if (value == T(-1)) {
        function<op::Cinv>(r, t);
    } else if (value == T(-2)) {
        function<op::InverseSquare>(r, t);
    } else {
        resizeAs<T>(r, t);
        const Operand operands[] = {operand(r), operand(t)};
        for_each_row(2, operands, TH_CHOOSE(math_row<op::PowScalar, T>)(), &value);
    }
}

template <typename T> void atan2(Tensor<T> *r, Tensor<T> *y, Tensor<T> *x) {
    check_same_elements({{"r_", y}, {"tx", y}, {"ty", x}});
    resizeAs<T>(r, y);
    const Operand operands[] = {operand(r), operand(y), operand(x)};
    for_each_row(3, operands, TH_CHOOSE(math_row<op::Atan2, T>)());
}

template <typename T> void lerp(Tensor<T> *r, Tensor<T> *a, Tensor<T> *b, T weight) {
    TH_ARGUMENT(elements_of(a) == elements_of(b), 2, "sizes do not match");
    resizeAs<T>(r, a);
    const Operand operands[] = {operand(r), operand(a), operand(b)};
    for_each_row(3, operands, TH_CHOOSE(math_row<op::Lerp, T>)(), &weight);
}

template <typename T> void polygamma(Tensor<T> *r, int64_t n, Tensor<T> *t) {
    if (n == 0)
        function<op::Digamma>(r, t);
    else if (n == 1)
        function<op::Trigamma>(r, t);
    else
        TH_ERROR("polygamma(n,x) is not implemented for n>=2");
}

// ---- Plain arrays ---------------------------------------------------------------------------------------------------

namespace vector {
namespace {

const int64_t ones[most_operands] = {1, 1, 1, 1};

template <typename T> char *bytes(const T *values) { return reinterpret_cast<char *>(const_cast<T *>(values)); }

template <typename Name, typename T> void scalar(T *y, const T *x, const T c, const ptrdiff_t n) {
    bool failed = false;
    const Scalars<T> scalars{c, 0, &failed};
    char *const data[] = {bytes(y), bytes(x)};
    TH_CHOOSE(pointwise_row<Name, T, T>)()(n, data, ones, &scalars);
    TH_CHECK(!failed, "integer division by zero");
}

template <typename Name, typename T> void pair(T *z, const T *x, const T *y, const T c, const ptrdiff_t n) {
    bool failed = false;
    const Scalars<T> scalars{c, 0, &failed};
    char *const data[] = {bytes(z), bytes(x), bytes(y)};
    TH_CHOOSE(pointwise_row<Name, T, T>)()(n, data, ones, &scalars);
    TH_CHECK(!failed, "integer division by zero");
}

template <typename Name, typename T> void function(T *y, const T *x, const ptrdiff_t n) {
    char *const data[] = {bytes(y), bytes(x)};
    TH_CHOOSE(math_row<Name, T>)()(n, data, ones, nullptr);
}

template <typename T> void fill(T *x, const T c, const ptrdiff_t n) {
    char *const data[] = {bytes(x)};
    TH_CHOOSE(fill_row<T>)()(n, data, ones, &c);
}
template <typename T> void copy(T *y, const T *x, const ptrdiff_t n) {
    if (n <= 0) return;
    char *const data[] = {bytes(y), bytes(x)};
    TH_CHOOSE(copy_row<T, T>)()(n, data, ones, nullptr);
}
template <typename T> void cadd(T *z, const T *x, const T *y, const T c, const ptrdiff_t n) {
    pair<op::AddScaled>(z, x, y, c, n);
}
template <typename T> void cmul(T *z, const T *x, const T *y, const ptrdiff_t n) { pair<op::Mul>(z, x, y, T(0), n); }
template <typename T> void cdiv(T *z, const T *x, const T *y, const ptrdiff_t n) { pair<op::Div>(z, x, y, T(0), n); }
template <typename T> void adds(T *y, const T *x, const T c, const ptrdiff_t n) { scalar<op::AddScalar>(y, x, c, n); }
template <typename T> void muls(T *y, const T *x, const T c, const ptrdiff_t n) { scalar<op::MulScalar>(y, x, c, n); }
template <typename T> void divs(T *y, const T *x, const T c, const ptrdiff_t n) { scalar<op::DivScalar>(y, x, c, n); }
template <typename T> void negate(T *y, const T *x, const ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; i++) y[i] = T(-x[i]);
}
template <typename T> void absolute(T *y, const T *x, const ptrdiff_t n) { scalar<op::Abs>(y, x, T(0), n); }
template <typename T> void pow(T *y, const T *x, const T c, const ptrdiff_t n) {
    char *const data[] = {bytes(y), bytes(x)};
    TH_CHOOSE(math_row<op::PowScalar, T>)()(n, data, ones, &c);
}
void choose_instruction_set() { base::isa(); }

}  // namespace
}  // namespace vector
}  // namespace th

extern "C" {
#define TH_GENERIC_FILE "th/math/math_exports.h"
#include <TH/THGenerateFloatTypes.h>
#define TH_VECTOR(name, function, ...) TH_EXPORT(void, THVector_(name), ::th::vector::function, __VA_ARGS__)
#define TH_GENERIC_FILE "th/math/vector_exports.h"
#include <TH/THGenerateAllTypes.h>
}
