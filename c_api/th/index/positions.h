// c_api/th/index/positions.h: checks of positions, and lines that lie side by side, for the functions of this folder.
#pragma once

#include "th/runtime/loop.h"
#include "th/runtime/threads.h"

#include <algorithm>
#include <atomic>

namespace th {

// Calls failed(index) for the first index outside [low, high), if there is one.
template <typename Failed>
static void check_indices(Tensor<int64_t> *index, int64_t low, int64_t high, const Failed &failed) {
    struct Range {
        uint64_t low, last;
        std::atomic<bool> violated;
        // Negative for an index outside: one of both differences is, also where the other one overflows.
        uint64_t outside(int64_t i) const { return (uint64_t(i) - low) | (last - uint64_t(i)); }
    } range{uint64_t(low), uint64_t(high) - 1, {false}};
    const Operand operands[] = {operand(index)};
    for_each_row(
        1, operands,
        [](int64_t n, char *const *data, const int64_t *stride, const void *context) {
            Range &r = *static_cast<Range *>(const_cast<void *>(context));
            const auto *values = reinterpret_cast<const int64_t *>(data[0]);
            const int64_t step = stride[0];
            uint64_t outside = 0;
            if (step == 1)
                for (int64_t i = 0; i < n; i++) outside |= r.outside(values[i]);
            else
                for (int64_t i = 0; i < n; i++) outside |= r.outside(values[i * step]);
            if (int64_t(outside) < 0) r.violated = true;
        },
        &range);
    if (!range.violated) return;
    each([&](int64_t i) { if (i < low || i >= high) failed(i); }, index);
}

// The dimension along which elements lie closest; `dim` where no other is closer.
static inline int dimension_across(const AnyTensor *t, int dim) {
    int across = dim;
    for (int d = 0; d < t->nDimension; d++)
        if (t->size[d] > 1 && t->stride[d] < t->stride[across]) across = d;
    return across;
}

// body(begin, end) for blocks of lines side by side: few enough that the memory they touch stays in the cache. Threads
// share them where that is asked for; n: elements of each.
template <typename Body> static void each_block(int64_t lines, int64_t n, bool share, const Body &body) {
    constexpr int64_t most = 16;
    auto blocks = [&](int64_t begin, int64_t end) {
        for (; begin < end; begin += most) body(begin, std::min(begin + most, end));
    };
    if (share)
        parallel_for(lines, std::max<int64_t>(1, grain / n), blocks);
    else
        blocks(0, lines);
}

static inline bool same_size_apart_from(int dim, const AnyTensor *a, const AnyTensor *b) {
    if (a->nDimension != b->nDimension) return false;
    for (int d = 0; d < a->nDimension; d++)
        if (d != dim && a->size[d] != b->size[d]) return false;
    return true;
}

}  // namespace th
