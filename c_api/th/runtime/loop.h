// c_api/th/runtime/loop.h: walks the elements of one to four tensors in lock-step, row by row.
#pragma once

#include "th/tensor/tensor.h"

#include <cassert>
#include <initializer_list>
#include <tuple>
#include <utility>

namespace th {

constexpr int most_operands = 4;

// A tensor to walk; each kind of element by its size in bytes.
struct Operand {
    const AnyTensor *tensor;
    size_t element;
};
template <typename T> Operand operand(const Tensor<T> *t) { return {t, sizeof(T)}; }

// Treats n elements: the i-th of operand k is at data[k] + i * stride[k] (in elements of its type). Rows whose operands
// overlap without being the same run from the first element to the last.
using Row = void (*)(int64_t n, char *const *data, const int64_t *stride, const void *context);

// Runs `row` over all elements. Operand 0 is the one written. All have the same number of elements, each is walked in
// its own row-major order; where the shapes agree and nothing written is read elsewhere or written twice, rows come in
// whatever order and on whatever threads is fastest.
void for_each_row(int operands, const Operand *, Row row, const void *context = nullptr);

// The same from the first element to the last, on the calling thread.
void for_each_row_in_order(int operands, const Operand *, Row row, const void *context = nullptr);

template <typename Body, size_t... k, typename... T>
void each_of_row(const Body &body, int64_t n, char *const *data, const int64_t *stride, std::index_sequence<k...>,
                 T *...) {
    for (int64_t i = 0; i < n; i++) body(reinterpret_cast<T *>(data[k])[i * stride[k]]...);
}

// Rows in any order and on several threads, as the caller knows to be right; an element is worth `work` of an
// elementwise loop, and 0 keeps to the calling thread.
void for_each_row_any_order(int operands, const Operand *, Row row, const void *context, int64_t work);

// Rows of one tensor, from the begin-th to before the end-th element in the order of memory.
void for_each_row_in_memory(const Operand &, int64_t begin, int64_t end, Row row, const void *context);

// body(T &, ...) for the elements of one to four tensors in row-major order, on the calling thread; it may throw.
template <typename Body, typename... T> void each(const Body &body, Tensor<T> *...tensors) {
    const Operand operands[] = {operand(tensors)...};
    for_each_row_in_order(
        sizeof...(T), operands,
        [](int64_t n, char *const *data, const int64_t *stride, const void *context) {
            const Body body = *static_cast<const Body *>(context);  // no element that is written may be part of it
            each_of_row(body, n, data, stride, std::index_sequence_for<T...>(), static_cast<T *>(nullptr)...);
        },
        &body);
}

// A 1-D slice.
template <typename T> struct Line {
    T *data;
    int64_t size, stride;
    T &operator[](int64_t i) const {
        assert(i >= 0 && i < size);
        return data[i * stride];
    }
};

// line(data) for each 1-D slice along a dimension of tensors that have the same sizes apart from it; data[k] is the
// first element of the slice in operand k. On several threads where `work` elements per slice make it worth it; 0 keeps
// to the calling thread, lowest dimension fastest.
using LineFunction = void (*)(char *const *data, const void *context);
void for_each_line(int dimension, int operands, const Operand *, int64_t work, LineFunction, const void *context);

template <typename Context, size_t... k, typename... T>
void call_with_lines(const Context &c, char *const *data, std::index_sequence<k...>, T *...) {
    c.body(Line<T>{reinterpret_cast<T *>(data[k]), c.size[k], c.stride[k]}...);
}

// body(Line<T> ...) for each slice. It may throw only where work is 0.
template <typename Body, typename... T>
void each_line(int dimension, int64_t work, const Body &body, Tensor<T> *...tensors) {
    struct Context {
        Body body;
        int64_t size[sizeof...(T)], stride[sizeof...(T)];
    };
    const Operand operands[] = {operand(tensors)...};
    const Context context{body, {tensors->size[dimension]...}, {tensors->stride[dimension]...}};
    for_each_line(
        dimension, sizeof...(T), operands, work,
        [](char *const *data, const void *opaque) {
            const Context c = *static_cast<const Context *>(opaque);  // no element that is written may be part of it
            call_with_lines(c, data, std::index_sequence_for<T...>(), static_cast<T *>(nullptr)...);
        },
        &context);
}

// An Error "inconsistent tensor size, expected a [2 x 3] and b [4] to have the same number of elements, ..." where they
// have not.
struct Named {
    const char *name;
    const AnyTensor *tensor;
};
void check_same_elements(std::initializer_list<Named>);

// Whether two tensors' elements lie in ranges of memory that intersect.
bool may_overlap(const Operand &, const Operand &);

}  // namespace th
