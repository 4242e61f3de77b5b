// c_api/th/index/sort.cpp: order along a dimension: sort, topk, kthvalue, median, mode.
//
// A line becomes an array of unsigned numbers, each an element's rank above its position. They are all different, so
// any way of sorting them is stable, and takes O(n log n) in the worst case: radix sort for long lines, introsort for
// short ones. NaN ranks above every number, and 0.0 with -0.0.
#include "th/math/reduced.h"
#include "th/runtime/compat.h"
#include "th/runtime/export.h"
#include "th/runtime/threads.h"
#include "th/tensor/aliasing.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstring>
#include <new>
#include <type_traits>

namespace th {
namespace {

template <size_t bytes>
using Unsigned = std::conditional_t<
    bytes == 1, uint8_t, std::conditional_t<bytes == 2, uint16_t, std::conditional_t<bytes == 4, uint32_t, uint64_t>>>;

template <typename T> bool is_nan(T x) {
    if constexpr (is_floating<T>)
        return x != x;
    else
        return false;
}

template <typename T> Unsigned<sizeof(T)> rank_of(T x) {
    using Rank = Unsigned<sizeof(T)>;
    constexpr Rank sign = Rank(Rank(1) << (8 * sizeof(T) - 1));
    if constexpr (is_floating<T>) {
        if (x != x) return Rank(~Rank(0));
        x += T(0);  // -0.0 becomes 0.0
        Rank bits;
        std::memcpy(&bits, &x, sizeof bits);
        return bits & sign ? Rank(~bits) : Rank(bits | sign);
    } else {
        return std::is_signed<T>::value ? Rank(Rank(x) ^ sign) : Rank(x);
    }
}

// Entry: a rank above the bits of a position. Short is enough where both take no more than 32 bits.
using Short = uint64_t;
using Long = unsigned __int128;
template <typename Entry> constexpr int position_bits = sizeof(Entry) * 4;

template <typename Entry> int64_t position(Entry e) { return int64_t(e & ((Entry(1) << position_bits<Entry>)-1)); }
template <typename Entry> Entry rank_bits(Entry e) { return e >> position_bits<Entry>; }

template <typename Entry, typename T> void rank_line(Line<T> line, bool descending, Entry *entries) {
    using Rank = Unsigned<sizeof(T)>;
    assert(line.size > 0 && position(Entry(line.size - 1)) == line.size - 1);  // it fits beside the rank
    const Rank flip = descending ? Rank(~Rank(0)) : Rank(0);
    for (int64_t i = 0; i < line.size; i++)
        entries[i] = Entry(Rank(rank_of(line[i]) ^ flip)) << position_bits<Entry> | Entry(i);
}

// Sorts by `bits` bits of rank, least significant digit first; returns where the result is: entries or spare. Entries
// come with ascending positions, and the passes keep the order of equal digits.
template <typename Entry> Entry *radix_sort(Entry *entries, Entry *spare, int64_t n, int bits) {
    constexpr int most_digits = 6, most_values = 1 << 11;
    const int digit_bits = bits > 16 ? 11 : 8, digits = (bits + digit_bits - 1) / digit_bits;
    const int values = 1 << digit_bits;
    assert(n > 0 && entries != spare && digits <= most_digits && values <= most_values);
    int64_t count[most_digits][most_values];
    for (int d = 0; d < digits; d++) std::fill(count[d], count[d] + values, 0);
    for (int64_t i = 0; i < n; i++) {
        uint64_t rank = uint64_t(rank_bits(entries[i]));
        for (int d = 0; d < digits; d++, rank >>= digit_bits) count[d][rank & (values - 1)]++;
    }
    for (int d = 0; d < digits; d++) {
        const int shift = position_bits<Entry> + d * digit_bits;
        const auto digit = [=](Entry e) { return int(uint64_t(e >> shift) & (values - 1)); };
        if (count[d][digit(entries[0])] == n) continue;  // all alike
        int64_t begin = 0;
        for (int v = 0; v < values; v++) begin += std::exchange(count[d][v], begin);
        for (int64_t i = 0; i < n; i++) spare[count[d][digit(entries[i])]++] = entries[i];
        std::swap(entries, spare);
    }
    return entries;
}

constexpr int64_t radix_size = 2048;  // from here on radix sort is the quicker one

template <typename Entry> Entry *sort_entries(Entry *entries, Entry *spare, int64_t n, int bits) {
    if (n >= radix_size) return radix_sort(entries, spare, n, bits);
    std::sort(entries, entries + n);
    return entries;
}

// Memory for the entries of a line, for each thread that may be at work.
template <typename Entry> class Scratch {
public:
    Scratch(int64_t lines, int64_t entries)
        : slots_(std::min<int64_t>(lines, num_threads())), entries_(entries), memory_(slots_ * entries), busy_(slots_) {
        for (int64_t s = 0; s < slots_; s++) new (&busy_[s]) std::atomic<bool>(false);
    }
    template <typename Body> void lend(const Body &body) const {
        assert(slots_ > 0);
        int64_t slot = 0;
        while (busy_[slot].exchange(true, std::memory_order_acquire)) slot = (slot + 1) % slots_;
        body(memory_.get() + slot * entries_);
        busy_[slot].store(false, std::memory_order_release);
    }

private:
    int64_t slots_, entries_;
    Buffer<Entry> memory_;
    Buffer<std::atomic<bool>> busy_;
};

// body(entries, lines...) for each line along a dimension: `per_element` entries of scratch for each element of t's.
template <typename Entry, typename Body, typename T, typename V>
void each_ranked_line(int dimension, int64_t per_element, const Body &body, Tensor<T> *t, Tensor<V> *values,
                      Tensor<int64_t> *indices) {
    const int64_t size = t->size[dimension];
    const Scratch<Entry> scratch(elements_of(t) / size, size * per_element);
    const int64_t work = line_work(values, 8 * size) ? line_work(indices, 8 * size) : 0;
    each_line(
        dimension, work,
        [&](Line<T> line, Line<V> value, Line<int64_t> index) {
            scratch.lend([&](Entry *entries) { body(entries, line, value, index); });
        },
        t, values, indices);
}

// The same with the kind of entry that is wide enough.
template <typename Body, typename T>
void each_ranked_line(int dimension, int64_t per_element, const Body &body, Tensor<T> *t, Tensor<T> *values,
                      Tensor<int64_t> *indices) {
    if (sizeof(T) <= 4 && t->size[dimension] <= INT64_C(1) << 32)
        each_ranked_line<Short>(dimension, per_element, body, t, values, indices);
    else
        each_ranked_line<Long>(dimension, per_element, body, t, values, indices);
}

template <typename T> Owned<T> apart_from_both(Tensor<T> *t, Tensor<T> *values, Tensor<int64_t> *indices) {
    return apart(Owned<T>(apart(t, values)).get(), indices);
}

// One element of each line: choose(entries, line) is its position.
template <typename T, typename Choose>
void choose_along(Tensor<T> *values, Tensor<int64_t> *indices, Tensor<T> *t, int dimension, int keepdim,
                  int64_t per_element, const Choose &choose) {
    Owned<T> source = apart_from_both(t, values, indices);
    Reduced<T> chosen(values, source, dimension, keepdim);
    Reduced<int64_t> position(indices, source, dimension, keepdim);
    each_ranked_line(
        dimension, per_element,
        [&](auto *entries, Line<T> line, Line<T> value, Line<int64_t> index) {
            index[0] = choose(entries, line);
            value[0] = line[index[0]];
        },
        source.get(), static_cast<Tensor<T> *>(chosen), static_cast<Tensor<int64_t> *>(position));
    chosen.finish();
    position.finish();
}

// The position of the k-th smallest, k from 0.
template <typename Entry, typename T> int64_t kth(Entry *entries, Line<T> line, int64_t k) {
    assert(k >= 0 && k < line.size);
    rank_line(line, false, entries);
    std::nth_element(entries, entries + k, entries + line.size);
    return position(entries[k]);
}

template <typename T> void check_dimension(Tensor<T> *t, int dimension) {
    TH_ARGUMENT(dimension >= 0 && dimension < t->nDimension, 3, "dimension out of range");
}

}  // namespace

template <typename T>
void sort_along(Tensor<T> *values, Tensor<int64_t> *indices, Tensor<T> *t, int dimension, int descending) {
    TH_ARGUMENT(dimension >= 0 && dimension < t->nDimension, 2, "invalid dimension %d", dimension + index_base());
    Owned<T> source = apart_from_both(t, values, indices);
    resize(values, shape_of(source));
    resize(indices, shape_of(source));
    each_ranked_line(
        dimension, source->size[dimension] < radix_size ? 1 : 2,
        [=](auto *entries, Line<T> line, Line<T> value, Line<int64_t> index) {
            rank_line(line, descending, entries);
            entries = sort_entries(entries, entries + line.size, line.size, 8 * int(sizeof(T)));
            for (int64_t i = 0; i < line.size; i++) {
                index[i] = position(entries[i]);
                value[i] = line[index[i]];
            }
        },
        source.get(), values, indices);
}

template <typename T>
void topk(Tensor<T> *values, Tensor<int64_t> *indices, Tensor<T> *t, int64_t k, int dimension, int largest,
          int sorted) {
    TH_ARGUMENT(dimension >= 0 && dimension < t->nDimension, 3, "dim not in range");
    TH_ARGUMENT(k > 0 && k <= t->size[dimension], 2, "k not in range for dimension");
    Owned<T> source = apart_from_both(t, values, indices);
    Buffer<int64_t> size(source->nDimension);
    std::copy(source->size, source->size + source->nDimension, size.get());
    size[dimension] = k;
    resize(values, Shape{source->nDimension, size.get()});
    resize(indices, Shape{source->nDimension, size.get()});
    each_ranked_line(
        dimension, 1,
        [=](auto *entries, Line<T> line, Line<T> value, Line<int64_t> index) {
            rank_line(line, largest, entries);
            auto *const end = entries + line.size;
            if (k <= line.size / 64) {  // a heap of the best so far, which few elements enter
                std::partial_sort(entries, entries + k, end);
            } else {
                if (k < line.size) std::nth_element(entries, entries + k - 1, end);
                if (sorted) std::sort(entries, entries + k);
            }
            for (int64_t i = 0; i < k; i++) {
                index[i] = position(entries[i]);
                value[i] = line[index[i]];
            }
        },
        source.get(), values, indices);
}

template <typename T>
void kthvalue(Tensor<T> *values, Tensor<int64_t> *indices, Tensor<T> *t, int64_t k, int dimension, int keepdim) {
    check_dimension(t, dimension);
    TH_ARGUMENT(k > 0 && k <= t->size[dimension], 2, "selected index out of range");
    choose_along(values, indices, t, dimension, keepdim, 1,
                 [=](auto *entries, Line<T> line) { return kth(entries, line, k - 1); });
}

template <typename T>
void median(Tensor<T> *values, Tensor<int64_t> *indices, Tensor<T> *t, int dimension, int keepdim) {
    check_dimension(t, dimension);
    choose_along(values, indices, t, dimension, keepdim, 1, [](auto *entries, Line<T> line) {
        for (int64_t i = 0; i < line.size; i++)
            if (is_nan(line[i])) return i;
        return kth(entries, line, (line.size - 1) / 2);
    });
}

template <typename T> T medianall(Tensor<T> *t) {
    TH_ARGUMENT(t->nDimension > 0, 1, "tensor must have one dimension");
    const int64_t n = elements_of(t);
    Buffer<T> values(n);
    int64_t i = 0;
    T nan = 0;
    each(
        [&](T x) {
            values[i++] = x;
            if (is_nan(x)) nan = x;
        },
        t);
    if (is_nan(nan)) return nan;
    T *const middle = values.get() + (n - 1) / 2;
    std::nth_element(values.get(), middle, values.get() + n);
    return *middle;
}

template <typename T>
void mode(Tensor<T> *values, Tensor<int64_t> *indices, Tensor<T> *t, int dimension, int keepdim) {
    check_dimension(t, dimension);
    choose_along(values, indices, t, dimension, keepdim, t->size[dimension] < radix_size ? 1 : 2,
                 [](auto *entries, Line<T> line) {
                     rank_line(line, false, entries);
                     entries = sort_entries(entries, entries + line.size, line.size, 8 * int(sizeof(T)));
                     int64_t most = 0, begin = 0, found = 0;
                     for (int64_t i = 1; i <= line.size; i++) {
                         if (i < line.size && rank_bits(entries[i]) == rank_bits(entries[begin])) continue;
                         if (i - begin > most) most = i - begin, found = position(entries[i - 1]);
                         begin = i;
                     }
                     return found;
                 });
}

}  // namespace th

extern "C" {
#define TH_GENERIC_FILE "th/index/sort_exports.h"
#include <TH/THGenerateAllTypes.h>
}
