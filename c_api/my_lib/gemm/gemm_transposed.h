// c_api/my_lib/gemm/gemm_transposed.h: X W^T, handed block by block to the code that finishes a result.
//
// X is the small operand. It is packed in chunks of rows that fit the second-level cache, as panels of a few vectors of
// rows; the last few rows stay as they are and take the way of a matrix-vector product, which needs none of the idle
// lanes.
#pragma once

#include "gemm/amx.h"
#include "gemm/panels.h"
#include "gemm/strip.h"

#include <cassert>

namespace my_lib {
namespace MY_LIB_ISA {

// One panel of [X1, X2]: the two matrices side by side.
template <typename S>
void pack_panel(const Matrix<S> (&parts)[2], int64_t first_row, Panel panel, Arithmetic<S> *to) {
    constexpr int64_t width = lanes<Arithmetic<S>>;
    assert(panel.rows > 0 && (!panel.vectors || panel.rows <= panel.vectors * width));
    if constexpr (in_pairs<S>) {
        if (panel.vectors) return pack_pairs(parts, first_row + panel.row, panel.rows, panel.vectors * width, to);
    }
    for (const Matrix<S> &part : parts) {
        const Matrix<S> from = {part.data + (first_row + panel.row) * part.stride, part.columns, part.stride};
        if (!from.columns) continue;
        if (panel.vectors) {
            pack_rows(from, panel.rows, panel.vectors * width, to);
            to += panel.vectors * width * from.columns;
        } else {
            const int64_t depth = parts[0].columns + parts[1].columns;
            for (int64_t row = 0; row < panel.rows; ++row)
                convert(from.data + row * from.stride, from.columns, to + row * depth);
            to += from.columns;
        }
    }
}

// A block of results: lanes<T> columns of each group for the rows of one panel. block[group][row * lanes<T> + column].
template <typename T> using Block = T[groups][panel_width<T> * lanes<T>];

// group_count Sums, the first of them at `sums`, become a block.
template <typename T, int group_count, int width> void transpose_sums(const T *sums, Block<T> &block) {
    for (int g = 0; g < group_count; ++g)
        for (int v = 0; v < width / lanes<T>; ++v) {
            Vec<T> square[lanes<T>];
#pragma GCC unroll 16
            for (int i = 0; i < lanes<T>; ++i) square[i] = load(sums + (g * lanes<T> + i) * width + v * lanes<T>);
            transpose<T>(square);
#pragma GCC unroll 16
            for (int i = 0; i < lanes<T>; ++i) store<T>(&block[g][(v * lanes<T> + i) * lanes<T>], square[i]);
        }
}

// `columns` of the lanes<T> columns exist; the others become zero.
template <typename S, int group_count, int vectors, typename T = Arithmetic<S>>
void multiply_panel(Scalars<S> weights, int64_t columns, const T *panel, int64_t depth, Block<T> &block) {
    constexpr int width = vectors * lanes<T>;
    assert(columns > 0 && columns <= lanes<T>);
    Sums<T, width> sums[group_count];
    if constexpr (in_tile_registers<S>) {
        multiply_in_tile_registers<group_count, vectors>(weights, columns, panel, depth, sums);
    } else {
        int64_t column = 0;
        auto multiply = [&](auto count) __attribute__((always_inline)) {
            constexpr int rows = decltype(count)::value;
            Scalars<S> a = weights;
            a.data += column * a.row_stride;
            Vec<T> sum[group_count * rows][vectors] = {};
            if constexpr (is_arithmetic<S>) multiply_tile<S, group_count, rows, vectors>(a, panel, width, depth, sum);
            else multiply_stored_tile<S, group_count, rows, vectors>(a, panel, width, depth, sum);
#pragma GCC unroll 16
            for (int i = 0; i < group_count * rows; ++i)
#pragma GCC unroll 4
                for (int v = 0; v < vectors; ++v)
                    store<T>(&sums[i / rows][column + i % rows][v * lanes<T>], sum[i][v]);
            column += rows;
        };
        constexpr int rows = tile_rows(vectors);
        while (column + rows <= columns) multiply(std::integral_constant<int, rows>{});
        while (column < columns) multiply(std::integral_constant<int, 1>{});
        for (; column < lanes<T>; ++column)
            for (int g = 0; g < group_count; ++g) __builtin_memset(sums[g][column], 0, sizeof sums[g][column]);
    }
    transpose_sums<T, group_count, width>(sums[0][0], block);
}

// The same for a few row-major rows: dot products of rows of X with rows of W, both contiguous.
template <typename S, int group_count, typename T = Arithmetic<S>>
void multiply_rows(Scalars<S> weights, int64_t columns, const T *x, int64_t rows, int64_t depth, Block<T> &block) {
    assert(columns > 0 && columns <= lanes<T> && rows > 0 && rows <= panel_width<T>);
    const int64_t last = depth / lanes<T> * lanes<T>;
    const Some<T> left = {depth - last};
    for (int g = 0; g < group_count; ++g) {
        const S *w = weights.data + g * weights.group_stride;
        for (int64_t row = 0; row < rows; ++row) {
            const T *from = x + row * depth;
            Vec<T> sum[lanes<T>] = {};
            if (columns == lanes<T>) {
                for (int64_t p = 0; p < last; p += lanes<T>) {
                    const Vec<T> right = load(from + p);
#pragma GCC unroll 16
                    for (int i = 0; i < lanes<T>; ++i)
                        sum[i] = load(w + i * weights.row_stride + p) * right + sum[i];
                }
            } else {
                for (int64_t i = 0; i < columns; ++i)
                    for (int64_t p = 0; p < last; p += lanes<T>)
                        sum[i] = load(w + i * weights.row_stride + p) * load(from + p) + sum[i];
            }
            if (left.count) {
                const Vec<T> right = left.load(from + last);
                for (int64_t i = 0; i < columns; ++i)
                    sum[i] = left.load(w + i * weights.row_stride + last) * right + sum[i];
            }
            store(&block[g][row * lanes<T>], sum_lanes<T>(sum));
        }
    }
}

template <typename S, int group_count, typename T = Arithmetic<S>>
void multiply_block(Scalars<S> weights, int64_t columns, const T *packed, Panel panel, int64_t depth,
                    Block<T> &block) {
    if (panel.vectors == wide)
        multiply_panel<S, group_count, wide>(weights, columns, packed, depth, block);
    else if (panel.vectors == 2)
        multiply_panel<S, group_count, 2>(weights, columns, packed, depth, block);
    else if (panel.vectors == 1)
        multiply_panel<S, group_count, 1>(weights, columns, packed, depth, block);
    else {
        assert(!panel.vectors);
        multiply_rows<S, group_count>(weights, columns, packed, panel.rows, depth, block);
    }
}

// Which columns a block holds: group g has `columns` of them from first + g * group_offset on.
struct Columns {
    int64_t first, columns, group_offset;
    int group_count;
};

// How the columns of a product are cut into blocks. A gated product takes its three groups from the three thirds of W,
// so that one block holds everything that a cell needs; otherwise the groups are neighbours, and what is left over
// becomes blocks of a single group.
template <typename T, bool gated> struct Blocks {
    int64_t columns, grouped, count;

    explicit Blocks(int64_t all) : columns(gated ? all / groups : all) {
        assert(!gated || all % groups == 0);
        const auto vectors = [](int64_t size) { return ceil_div(size, lanes<T>); };
        grouped = gated ? vectors(columns) : columns / (groups * lanes<T>);
        count = gated ? grouped : grouped + vectors(columns - grouped * groups * lanes<T>);
    }

    Columns operator[](int64_t i) const {
        assert(i >= 0 && i < count);
        const bool whole = i < grouped;
        const int64_t vectors = gated ? i : whole ? i * groups : grouped * (groups - 1) + i, first = vectors * lanes<T>;
        return {first, some<T>(columns, first).count, gated ? columns : lanes<T>, whole ? groups : 1};
    }
};

// [X1, X2] W^T for `rows` rows of X and `columns` rows of W. For each block of results it calls
// finish(block, first row, rows, Columns). `packed` has packed_bytes().
template <typename S, bool gated, typename Finish, typename T = Arithmetic<S>>
void multiply_transposed(const Matrix<S> (&x)[2], int64_t rows, const S *w, int64_t w_stride, int64_t columns,
                         T *packed, const Finish &finish) {
    if (!columns) return;  // of any number of rows
    const int64_t depth = x[0].columns + x[1].columns, chunk = chunk_rows<T>(depth);
    const Blocks<T, gated> blocks(columns);
    for (int64_t first_row = 0; first_row < rows; first_row += chunk) {
        const int64_t taken = rows - first_row < chunk ? rows - first_row : chunk;
        const int threads = taken > lanes<T> ? num_threads() : 1;
        const Panels<T> panels(taken, threads == 1 || taken >= threads * panel_width<T> ? wide : 2);
        parallel_for(panels.count(), 1 + pack_grain / (depth * panel_width<T> + 1), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
                const Panel panel = panels[i];
                assert(panel.row + (panel.vectors ? panel.vectors * lanes<T> : panel.rows) <=
                       packed_rows<T>(rows, depth));
                pack_panel(x, first_row, panel, packed + panel.row * depth);
            }
        });
        const Bundles<S> bundles(panels);
        const int64_t unit_work = depth * lanes<T> * groups * (taken < panel_width<T> ? taken : panel_width<T>);
        const int64_t grain = 1 + multiply_grain / (unit_work + 1);
        parallel_for(blocks.count * bundles.count(), grain, [&](int64_t begin, int64_t end) {
            Block<T> block;
            for (int64_t unit = begin; unit < end; ++unit) {
                // Alone, a thread takes all panels while a block of W is in its cache. Of several, each multiplies the
                // panels that it packed: another core's cache is farther than memory.
                const bool alone = threads == 1;
                const Bundle bundle = bundles[alone ? unit % bundles.count() : unit / blocks.count];
                const Columns part = blocks[alone ? unit / bundles.count() : unit % blocks.count];
                const Scalars<S> a = {w + part.first * w_stride, part.group_offset * w_stride, w_stride, 1};
                const bool grouped = part.group_count == groups;
                Panel panel = panels[bundle.first];
                const T *from = packed + panel.row * depth;
                if constexpr (bundled_panels<S> > 1) {
                    if (panel.vectors == wide) {
                        BundleSums<S> sums;
                        if (grouped) multiply_bundle<S, groups>(a, part.columns, from, bundle.count, depth, sums);
                        else multiply_bundle<S, 1>(a, part.columns, from, bundle.count, depth, sums);
                        for (int64_t i = 0; i < bundle.count; ++i) {
                            panel = panels[bundle.first + i];
                            if (grouped) transpose_sums<T, groups, panel_width<T>>(sums.of[i][0][0], block);
                            else transpose_sums<T, 1, panel_width<T>>(sums.of[i][0][0], block);
                            finish(block, first_row + panel.row, panel.rows, part);
                        }
                        continue;
                    }
                }
                if (grouped) multiply_block<S, groups>(a, part.columns, from, panel, depth, block);
                else multiply_block<S, 1>(a, part.columns, from, panel, depth, block);
                finish(block, first_row + panel.row, panel.rows, part);
            }
        });
    }
}

}  // namespace MY_LIB_ISA
}  // namespace my_lib
