// c_api/th/index/masks.cpp: elements chosen by a mask, and the positions of those that are not zero.
//
// A result that shares memory with an input is computed as if the input had been copied first.
#include "th/runtime/export.h"
#include "th/runtime/loop.h"
#include "th/tensor/aliasing.h"

#include <algorithm>
#include <atomic>
#include <cassert>

namespace th {
namespace {

constexpr const char *no_mask = "Mask tensor can take 0 and 1 values only";

// The number of ones; an Error where there is anything else but zeros, or, before that, one more than `most`.
int64_t count_ones(Tensor<uint8_t> *mask, int64_t most = INT64_MAX) {
    struct Count {
        std::atomic<int64_t> ones;
        std::atomic<bool> others;
    } count{{0}, {false}};
    const Operand operands[] = {operand(mask)};
    for_each_row(
        1, operands,
        [](int64_t n, char *const *data, const int64_t *stride, const void *context) {
            Count &total = *static_cast<Count *>(const_cast<void *>(context));
            const auto *values = reinterpret_cast<const uint8_t *>(data[0]);
            int64_t ones = 0;
            uint8_t bits = 0;
            if (stride[0] == 1)
                for (int64_t i = 0; i < n; i++) ones += values[i], bits |= values[i];
            else
                for (int64_t i = 0; i < n; i++) ones += values[i * stride[0]], bits |= values[i * stride[0]];
            total.ones += ones;
            if (bits > 1) total.others = true;
        },
        &count);
    if (!count.others && count.ones <= most) return count.ones;
    each(
        [&](uint8_t chosen) {
            TH_CHECK(chosen <= 1, "%s", no_mask);
            TH_CHECK(!chosen || most-- > 0, "Number of elements of src < number of ones in mask");
        },
        mask);
    TH_ERROR("%s", no_mask);  // the mask has changed meanwhile
}

}  // namespace

template <typename T> void maskedFill(Tensor<T> *r, Tensor<uint8_t> *mask, T value) {
    check_same_elements({{"tensor", r}, {"mask", mask}});
    count_ones(mask);
    const Owned<uint8_t> chosen = apart(mask, r);
    const Operand operands[] = {operand(r), operand(chosen.get())};
    for_each_row(
        2, operands,
        [](int64_t n, char *const *data, const int64_t *stride, const void *context) {
            const T filling = *static_cast<const T *>(context);
            T *const to = reinterpret_cast<T *>(data[0]);
            const auto *where = reinterpret_cast<const uint8_t *>(data[1]);
            if (stride[0] == 1 && stride[1] == 1)
                for (int64_t i = 0; i < n; i++) to[i] = where[i] ? filling : to[i];
            else
                for (int64_t i = 0; i < n; i++)
                    if (where[i * stride[1]]) to[i * stride[0]] = filling;
        },
        &value);
}

template <typename T> void maskedCopy(Tensor<T> *r, Tensor<uint8_t> *mask, Tensor<T> *src) {
    TH_CHECK(elements_of(r) == elements_of(mask),
             "Number of elements of destination tensor != Number of elements in mask");
    count_ones(mask, elements_of(src));
    Owned<T> source = contiguous<T>(Owned<T>(apart(src, r)).get());
    Owned<uint8_t> where = apart(mask, r);
    const T *from = source->data();
    each(
        [&](T &to, uint8_t chosen) {
            assert(!chosen || from < source->data() + elements_of(source.get()));
            if (chosen) to = *from++;
        },
        r, where.get());
}

template <typename T> void maskedSelect(Tensor<T> *r, Tensor<T> *src, Tensor<uint8_t> *mask) {
    check_same_elements({{"src", src}, {"mask", mask}});
    const int64_t ones = count_ones(mask);
    Owned<T> source = apart(src, r);
    Owned<uint8_t> where = apart(mask, r);
    resize<T>(r, {ones});
    if (!ones) return;
    T *const to = r->data();
    const int64_t stride = r->stride[0];
    int64_t i = 0;
    each(
        [&](T value, uint8_t chosen) {
            if (i < ones) to[i * stride] = value, i += chosen;  // written first and kept if chosen: no branch to guess
        },
        source.get(), where.get());
}

template <typename T> void nonzero(Tensor<int64_t> *subscript, Tensor<T> *tensor) {
    int64_t n = 0;
    each([&](T value) { n += value != 0; }, tensor);
    Owned<T> source = apart(tensor, subscript);
    const int dims = source->nDimension;
    resize<int64_t>(subscript, {n, dims});
    if (!n) return;
    int64_t *row = subscript->data();
    const int64_t *const stride = subscript->stride;
    Buffer<int64_t> position(dims);
    std::fill(position.get(), position.get() + dims, 0);
    const int last = dims - 1;
    const T *line = source->data();
    for (int d = 0; d >= 0;) {
        for (int64_t j = 0; j < source->size[last]; j++) {
            if (line[j * source->stride[last]] == 0) continue;
            position[last] = j;
            for (d = 0; d < dims; d++) row[d * stride[1]] = position[d];
            row += stride[0];
        }
        for (d = last - 1; d >= 0; d--) {
            line += source->stride[d];
            if (++position[d] < source->size[d]) break;
            line -= position[d] * source->stride[d];
            position[d] = 0;
        }
    }
}

}  // namespace th

extern "C" {
#define TH_GENERIC_FILE "th/index/masks_exports.h"
#include <TH/THGenerateAllTypes.h>
}
