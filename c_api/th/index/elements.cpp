// c_api/th/index/elements.cpp: elements of a whole tensor, chosen by their position in row-major order.
//
// Positions are checked before anything is written. A result that shares memory with an input is computed as if the
// input had been copied first.
#include "th/index/positions.h"
#include "th/runtime/export.h"
#include "th/tensor/aliasing.h"

#include <cassert>

namespace th {

// A tensor's elements by their position in row-major order; negative ones count from the end.
template <typename T> class Elements {
public:
    explicit Elements(Tensor<T> *t)
        : tensor_(t), data_(t->data()), count_(elements_of(t)), contiguous_(is_contiguous(t)) {}

    T &operator[](int64_t position) const {
        if (position < 0) position += count_;
        assert(position >= 0 && position < count_);  // check() came before
        if (contiguous_) return data_[position];
        int64_t offset = 0;
        for (int d = tensor_->nDimension - 1; d >= 0; d--) {
            offset += position % tensor_->size[d] * tensor_->stride[d];
            position /= tensor_->size[d];
        }
        return data_[offset];
    }

    void check(Tensor<int64_t> *positions) const {
        check_indices(positions, -count_, count_, [&](int64_t position) {
            TH_ARGUMENT(false, 2, "out of range: %d out of %d", int(position), int(count_));
        });
    }

private:
    const AnyTensor *tensor_;
    T *data_;
    int64_t count_;
    bool contiguous_;
};

template <typename T> void take(Tensor<T> *r, Tensor<T> *src, Tensor<int64_t> *index) {
    Elements<T>(src).check(index);
    Owned<T> source = apart(src, r);
    Owned<int64_t> positions = apart(index, r);
    resize(r, shape_of(positions));
    const Elements<T> elements(source);
    const Operand operands[] = {operand(r), operand(positions.get())};
    for_each_row(
        2, operands,
        [](int64_t n, char *const *data, const int64_t *stride, const void *context) {
            const auto from = *static_cast<const Elements<T> *>(context);
            T *const to = reinterpret_cast<T *>(data[0]);
            const auto *at = reinterpret_cast<const int64_t *>(data[1]);
            for (int64_t i = 0; i < n; i++) to[i * stride[0]] = from[at[i * stride[1]]];
        },
        &elements);
}

template <typename T> void put(Tensor<T> *r, Tensor<int64_t> *index, Tensor<T> *src, int accumulate) {
    TH_ARGUMENT(elements_of(index) == elements_of(src), 3, "src should have the same number of elements as index");
    const Elements<T> elements(r);
    elements.check(index);
    Owned<T> source = apart(src, r);
    Owned<int64_t> positions = apart(index, r);
    if (accumulate)
        each([elements](int64_t at, T value) { elements[at] = T(elements[at] + value); }, positions.get(), source.get());
    else
        each([elements](int64_t at, T value) { elements[at] = value; }, positions.get(), source.get());
}

}  // namespace th

extern "C" {
#define TH_GENERIC_FILE "th/index/elements_exports.h"
#include <TH/THGenerateAllTypes.h>
}
