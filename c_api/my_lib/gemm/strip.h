// c_api/my_lib/gemm/strip.h: the register tile for an operand A that is stored in 16 bits.
//
// A tile's rows of A become float strip by strip: a strip stays in the first-level cache, and is read by scalars.
#pragma once

#include "gemm/panels.h"

#include <cassert>

namespace my_lib {
namespace MY_LIB_ISA {

constexpr int64_t strip_columns = 256;

// multiply_tile() for A in 16 bits: pairs of bfloat16 need B packed in pairs (gemm/pairs.h), `depth` rows of single
// elements; others are converted to float in strips of A's rows.
template <typename S, int group_count, int rows, int vectors, typename T = Arithmetic<S>>
[[gnu::always_inline]] inline void multiply_stored_tile(Scalars<S> a, const T *b, int64_t b_stride, int64_t depth,
                                                        Vec<T> (&sum)[group_count * rows][vectors]) {
    const auto row_of = [&](int i) __attribute__((always_inline)) {
        return a.data + i / rows * a.group_stride + i % rows * a.row_stride;
    };
    if constexpr (in_pairs<S>) {
        const int64_t pairs = depth / 2;
        multiply_tile<bfloat16_pair, group_count, rows, vectors>(
            Scalars<S>{a.data, a.group_stride, a.row_stride, 2}, b, b_stride, pairs, sum);
        if (depth % 2) {
            S last[group_count * rows][2] = {};  // beside a zero: what follows in memory may be a NaN
            for (int i = 0; i < group_count * rows; ++i) last[i][0] = row_of(i)[depth - 1];
            multiply_tile<bfloat16_pair, group_count, rows, vectors>(
                Scalars<S>{last[0], 2 * rows, 2, 2}, b + pairs * b_stride, b_stride, 1, sum);
        }
    } else {
        alignas(64) T strip[group_count * rows][strip_columns];
        for (int64_t first = 0; first < depth; first += strip_columns) {
            const int64_t size = depth - first < strip_columns ? depth - first : strip_columns;
            for (int i = 0; i < group_count * rows; ++i) convert(row_of(i) + first, size, strip[i]);
            multiply_tile<T, group_count, rows, vectors>(Scalars<T>{strip[0], rows * strip_columns, strip_columns, 1},
                                                         b + first * b_stride, b_stride, size, sum);
        }
    }
}

// Sums as the tiles leave them: a row for each column of a group, an element for each row of the panel.
template <typename T, int width> using Sums = T[lanes<T>][width];

template <typename S, typename T = Arithmetic<S>> struct BundleSums {
    Sums<T, panel_width<T>> of[bundled_panels<S>][groups];
};

// Several panels of full width, one behind the other, for which W is converted once, strip by strip.
template <typename S, int group_count, typename T = Arithmetic<S>>
void multiply_bundle(Scalars<S> weights, int64_t columns, const T *panels, int64_t count, int64_t depth,
                     BundleSums<S> &sums) {
    constexpr int64_t width = panel_width<T>;
    assert(columns > 0 && columns <= lanes<T> && count > 0 && count <= bundled_panels<S>);
    if (columns < lanes<T>) __builtin_memset(&sums, 0, sizeof sums);
    for (int64_t column = 0; column < columns;) {
        auto multiply = [&](auto tile) __attribute__((always_inline)) {
            constexpr int rows = decltype(tile)::value;
            alignas(64) T strip[group_count * rows][strip_columns];
            int64_t first = 0;
            do {
                const int64_t size = depth - first < strip_columns ? depth - first : strip_columns;
                for (int i = 0; i < group_count * rows; ++i)
                    convert(weights.data + i / rows * weights.group_stride + (column + i % rows) * weights.row_stride +
                                first, size, strip[i]);
                for (int64_t panel = 0; panel < count; ++panel) {
                    const auto at = [&](int i, int v) __attribute__((always_inline)) {
                        return &sums.of[panel][i / rows][column + i % rows][v * lanes<T>];
                    };
                    Vec<T> sum[group_count * rows][wide] = {};
#pragma GCC unroll 16
                    for (int i = 0; first && i < group_count * rows; ++i)
#pragma GCC unroll 4
                        for (int v = 0; v < wide; ++v) sum[i][v] = load(at(i, v));
                    multiply_tile<T, group_count, rows, wide>(
                        Scalars<T>{strip[0], rows * strip_columns, strip_columns, 1},
                        panels + (panel * depth + first) * width, width, size, sum);
#pragma GCC unroll 16
                    for (int i = 0; i < group_count * rows; ++i)
#pragma GCC unroll 4
                        for (int v = 0; v < wide; ++v) store(at(i, v), sum[i][v]);
                }
                first += strip_columns;
            } while (first < depth);
            column += rows;
        };
        if (column + tile_rows(wide) <= columns) multiply(std::integral_constant<int, tile_rows(wide)>{});
        else multiply(std::integral_constant<int, 1>{});
    }
}

}  // namespace MY_LIB_ISA
}  // namespace my_lib
