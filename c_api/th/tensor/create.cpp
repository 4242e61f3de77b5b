// c_api/th/tensor/create.cpp: tensors made from sizes, ranges, diagonals, or other tensors.
#include "th/math/pointwise.h"
#include "th/runtime/compat.h"
#include "th/runtime/export.h"
#include "th/runtime/loop.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <type_traits>

namespace th {

namespace {

Shape listed(const Storage<int64_t> *sizes) { return {int(sizes->size), sizes->elements()}; }

int64_t count(Shape shape) {
    int64_t n = shape.dims > 0 && shape.size[0] > 0;
    for (int d = 0; d < shape.dims && shape.size[d] > 0; d++) n *= shape.size[d];
    return n;
}

// value(i) for the i-th element.
template <typename T, typename Value> void generate(Tensor<T> *r, const Value &value) {
    int64_t i = 0;
    each([&](T &x) { x = value(i++); }, r);
}

}  // namespace

template <typename T> void zeros(Tensor<T> *r, Storage<int64_t> *size) {
    resize<T>(r, listed(size));
    fill(r, T(0));
}
template <typename T> void ones(Tensor<T> *r, Storage<int64_t> *size) {
    resize<T>(r, listed(size));
    fill(r, T(1));
}
template <typename T> void zerosLike(Tensor<T> *r, Tensor<T> *input) {
    resizeAs<T>(r, input);
    fill(r, T(0));
}
template <typename T> void onesLike(Tensor<T> *r, Tensor<T> *input) {
    resizeAs<T>(r, input);
    fill(r, T(1));
}

// Holds the difference of any two bounds.
template <typename T> using Wide = std::conditional_t<is_floating<T>, Accumulate<T>, __int128>;

// A result that has the right number of elements keeps its shape.
template <typename T> void range(Tensor<T> *r, Accumulate<T> first, Accumulate<T> last, Accumulate<T> step) {
    TH_ARGUMENT(step > 0 || step < 0, 3, "step must be a non-null number");
    TH_ARGUMENT(step > 0 ? last >= first : last <= first, 2, "upper bound and larger bound incoherent with step sign");
    const Wide<T> count = (Wide<T>(last) - first) / step + 1;
    TH_ARGUMENT(count < Wide<T>(int64_t(1) << 62), 2, "too many numbers between the bounds");
    const int64_t n = int64_t(count);
    if (elements_of(r) != n) resize<T>(r, {n});
    generate(r, [&](int64_t i) { return T(first + Accumulate<T>(i) * step); });
}

// Without the last number where the steps meet it exactly.
template <typename T> void arange(Tensor<T> *r, Accumulate<T> first, Accumulate<T> last, Accumulate<T> step) {
    TH_ARGUMENT(step > 0 || step < 0, 3, "step must be a non-null number");
    bool met;
    if constexpr (is_floating<T>)
        met = std::fmod(last - first, step) == 0;
    else
        met = (Wide<T>(last) - first) % step == 0;
    range(r, first, met ? last - step : last, step);
}

template <typename T> void linspace(Tensor<T> *r, T a, T b, int64_t n) {
    TH_ARGUMENT(n > 1 || (n == 1 && a == b), 3, "invalid number of points");
    if (elements_of(r) != n) resize<T>(r, {n});
    if (n == 1) {
        fill(r, a);
        return;
    }
    const T step = (b - a) / T(n - 1);
    generate(r, [&](int64_t i) { return T(a + T(i) * step); });
}
template <typename T> void logspace(Tensor<T> *r, T a, T b, int64_t n) {
    TH_ARGUMENT(n > 1 || (n == 1 && a == b), 3, "invalid number of points");
    if (elements_of(r) != n) resize<T>(r, {n});
    if (n == 1) {
        fill(r, T(std::pow(T(10), a)));
        return;
    }
    generate(r, [&](int64_t i) { return T(std::pow(T(10), T(a + T(i) * (b - a) / T(n - 1)))); });
}

template <typename T> void eye(Tensor<T> *r, int64_t n, int64_t m) {
    TH_ARGUMENT(n > 0, 1, "invalid argument");
    if (m <= 0) m = n;
    resize<T>(r, {n, m});
    fill(r, T(0));
    for (int64_t i = 0; i < std::min(n, m); i++) r->data()[i * (r->stride[0] + r->stride[1])] = 1;
}

template <typename T> void diag(Tensor<T> *r, Tensor<T> *t, int k) {
    TH_ARGUMENT(t->nDimension == 1 || t->nDimension == 2, 1, "matrix or a vector expected");
    const Owned<T> source = r == t ? clone(t) : retained(t);
    const int64_t row = k < 0 ? -int64_t(k) : 0, column = k > 0 ? int64_t(k) : 0;
    if (t->nDimension == 1) {
        const int64_t n = source->size[0], size = n + row + column;
        resize<T>(r, {size, size});
        fill(r, T(0));
        for (int64_t i = 0; i < n; i++)
            r->data()[(i + row) * r->stride[0] + (i + column) * r->stride[1]] = source->data()[i * source->stride[0]];
    } else {
        const int64_t n = std::min(source->size[0] - row, source->size[1] - column);
        resize<T>(r, {n});
        for (int64_t i = 0; i < n; i++)
            r->data()[i * r->stride[0]] =
                source->data()[(i + row) * source->stride[0] + (i + column) * source->stride[1]];
    }
}

// Row i keeps the columns from begin(i) to before end(i).
template <typename T, typename Begin, typename End>
void triangle(Tensor<T> *r, Tensor<T> *t, const Begin &begin, const End &end) {
    TH_ARGUMENT(t->nDimension == 2, 1, "expected a matrix");
    resizeAs<T>(r, t);
    const int64_t rows = t->size[0], columns = t->size[1];
    const int64_t to_stride = r->stride[1], from_stride = t->stride[1];
    for (int64_t i = 0; i < rows; i++) {
        const T *from = t->data() + i * t->stride[0];
        T *to = r->data() + i * r->stride[0];
        const int64_t first = std::clamp<int64_t>(begin(i), 0, columns);
        const int64_t last = std::clamp<int64_t>(end(i), first, columns);
        for (int64_t j = 0; j < first; j++) to[j * to_stride] = 0;
        if (to != from || to_stride != from_stride)
            for (int64_t j = first; j < last; j++) to[j * to_stride] = from[j * from_stride];
        for (int64_t j = last; j < columns; j++) to[j * to_stride] = 0;
    }
}
constexpr int64_t largest_diagonal = int64_t(1) << 62;
template <typename T> void tril(Tensor<T> *r, Tensor<T> *t, int64_t k) {
    k = std::clamp(k, -largest_diagonal, largest_diagonal);
    triangle(r, t, [](int64_t) { return int64_t(0); }, [k](int64_t i) { return i + k + 1; });
}
template <typename T> void triu(Tensor<T> *r, Tensor<T> *t, int64_t k) {
    k = std::clamp(k, -largest_diagonal, largest_diagonal);
    triangle(r, t, [k](int64_t i) { return i + k; }, [](int64_t) { return INT64_MAX; });
}

template <typename T> void reshape(Tensor<T> *r, Tensor<T> *t, Storage<int64_t> *size) {
    TH_CHECK(count(listed(size)) == elements_of(t),
             "inconsistent tensor size, expected tensor %s and src %s to have the same number of elements, but got "
             "%" PRId64 " and %" PRId64 " elements respectively",
             _THSizeDesc(size->elements(), size->size).str, describe(t).str, count(listed(size)), elements_of(t));
    if (r == t) {
        const Owned<T> source = contiguous(t);
        resize<T>(r, listed(size));
        copy<T, T>(r, source);
    } else {
        resize<T>(r, listed(size));
        copy<T, T>(r, t);
    }
}

template <typename T> void catArray(Tensor<T> *r, Tensor<T> **inputs, int n, int dimension) {
    // What is -1 as a caller counts means the last dimension of the input that has most.
    const int base = index_base();
    int dims = dimension + 1;
    for (int i = 0; i < n; i++) dims = std::max(dims, inputs[i]->nDimension);
    const int along = dimension + base == -1 ? std::max(dims - 1, 0) : dimension;
    TH_ARGUMENT(n > 0, 3, "invalid number of inputs %d", n);
    TH_ARGUMENT(along >= 0 && along < INT_MAX, 4, "invalid dimension %d", dimension + base);

    const Buffer<int64_t> size(dims);
    std::fill(size.get(), size.get() + dims, 0);
    bool empty = true, own = false;
    for (int i = 0; i < n; i++) {
        const Tensor<T> *t = inputs[i];
        own |= t == r;
        if (!t->nDimension) continue;
        empty = false;
        for (int d = 0; d < dims; d++) {
            const int64_t here = d < t->nDimension ? t->size[d] : 1;
            TH_CHECK(d == along || !size[d] || size[d] == here, "inconsistent tensor sizes");
            size[d] = d == along ? size[d] + here : here;
        }
    }
    if (empty) return;

    const Owned<T> result = own ? make<T>(Shape{dims, size.get()}) : retained(r);
    if (!own) resize<T>(r, Shape{dims, size.get()});
    int64_t offset = 0;
    for (int i = 0; i < n; i++) {
        Tensor<T> *t = inputs[i];
        if (!t->nDimension) continue;
        const int64_t here = along < t->nDimension ? t->size[along] : 1;
        const Owned<T> part = make<T>();
        narrow<T>(part, result, along, offset, here);
        copy<T, T>(part, t);
        offset += here;
    }
    if (own) {
        resize<T>(r, Shape{dims, size.get()});
        copy<T, T>(r, result);
    }
}
template <typename T> void cat(Tensor<T> *r, Tensor<T> *a, Tensor<T> *b, int dimension) {
    Tensor<T> *inputs[] = {a, b};
    catArray(r, inputs, 2, dimension);
}

}  // namespace th

extern "C" {
#define TH_GENERIC_FILE "th/tensor/create_exports.h"
#include <TH/THGenerateAllTypes.h>
}
