// c_api/my_lib/gemm/gemm_transposed.h: X W^T, handed block by block to the code that finishes a result.
//
// X is the small operand. It is packed in chunks of rows that fit the second-level cache, as panels of a few vectors of
// rows; the last few rows stay as they are and take the way of a matrix-vector product, which needs none of the idle
// lanes.
#pragma once

#include "gemm/pack.h"

namespace my_lib {
namespace MY_LIB_ISA {

// Rows [row, row + rows) of a chunk: `vectors` vectors wide, or row-major when that is 0.
struct Panel {
    int64_t row, rows;
    int vectors;
};

// How a chunk's rows are cut. Whether a row is part of a vector depends on `rows` alone, so that its sums have the same
// order however wide the panels are; how many vectors share a panel depends on the threads.
template <typename T> class Panels {
public:
    Panels(int64_t rows, int widest) : rows_(rows), widest_(widest) {
        const int64_t rest = rows % lanes<T>;
        const int64_t vectors = rows / lanes<T> + (rest > few_rows);
        full_ = vectors / widest;
        left_ = vectors % widest;
        count_ = full_ + (left_ + 1) / 2 + (rest > 0 && rest <= few_rows);
    }

    int64_t count() const { return count_; }

    Panel operator[](int64_t i) const {
        if (i < full_) return panel(i * widest_ * lanes<T>, widest_);
        int64_t row = full_ * widest_ * lanes<T>;
        i -= full_;
        for (int vectors = 2; vectors > 0; --vectors)
            if (left_ & vectors) {
                if (i == 0) return panel(row, vectors);
                row += vectors * lanes<T>;
                --i;
            }
        return {row, rows_ - row, 0};
    }

private:
    static constexpr int few_rows = lanes<T> / 2;

    Panel panel(int64_t row, int vectors) const {
        const int64_t width = vectors * lanes<T>;
        return {row, rows_ - row < width ? rows_ - row : width, vectors};
    }

    int64_t rows_, full_, left_, count_;
    int widest_;
};

// One panel of [X1, X2]: the two matrices side by side.
template <typename T> void pack_panel(const Matrix<T> (&parts)[2], int64_t first_row, Panel panel, T *to) {
    for (const Matrix<T> &part : parts) {
        const Matrix<T> from = {part.data + (first_row + panel.row) * part.stride, part.columns, part.stride};
        if (!from.columns) continue;
        if (panel.vectors) {
            pack_rows(from, panel.rows, panel.vectors * lanes<T>, to);
            to += panel.vectors * lanes<T> * from.columns;
        } else {
            const int64_t depth = parts[0].columns + parts[1].columns;
            for (int64_t row = 0; row < panel.rows; ++row)
                __builtin_memcpy(to + row * depth, from.data + row * from.stride, from.columns * sizeof(T));
            to += from.columns;
        }
    }
}

// A block of results: lanes<T> columns of each group for the rows of one panel. block[group][row * lanes<T> + column].
template <typename T> using Block = T[groups][panel_width<T> * lanes<T>];

// `columns` of the lanes<T> columns exist; the others become zero.
template <typename T, int group_count, int vectors>
void multiply_panel(Scalars<T> weights, int64_t columns, const T *panel, int64_t depth, Block<T> &block) {
    constexpr int width = vectors * lanes<T>;
    T sums[group_count][lanes<T>][width];
    int64_t column = 0;
    auto multiply = [&](auto count) __attribute__((always_inline)) {
        constexpr int rows = decltype(count)::value;
        Scalars<T> a = weights;
        a.data += column * a.row_stride;
        Vec<T> sum[group_count * rows][vectors] = {};
        multiply_tile<T, group_count, rows, vectors>(a, panel, width, depth, sum);
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
    for (int g = 0; g < group_count; ++g)
        for (int v = 0; v < vectors; ++v) {
            Vec<T> square[lanes<T>];
#pragma GCC unroll 16
            for (int i = 0; i < lanes<T>; ++i) square[i] = load<T>(&sums[g][i][v * lanes<T>]);
            transpose<T>(square);
#pragma GCC unroll 16
            for (int i = 0; i < lanes<T>; ++i) store<T>(&block[g][(v * lanes<T> + i) * lanes<T>], square[i]);
        }
}

// The same for a few row-major rows: dot products of rows of X with rows of W, both contiguous.
template <typename T, int group_count>
void multiply_rows(Scalars<T> weights, int64_t columns, const T *x, int64_t rows, int64_t depth, Block<T> &block) {
    const int64_t last = depth / lanes<T> * lanes<T>;
    const Some<T> left = {depth - last};
    for (int g = 0; g < group_count; ++g) {
        const T *w = weights.data + g * weights.group_stride;
        for (int64_t row = 0; row < rows; ++row) {
            const T *from = x + row * depth;
            Vec<T> sum[lanes<T>] = {};
            if (columns == lanes<T>) {
                for (int64_t p = 0; p < last; p += lanes<T>) {
                    const Vec<T> right = load<T>(from + p);
#pragma GCC unroll 16
                    for (int i = 0; i < lanes<T>; ++i)
                        sum[i] = load<T>(w + i * weights.row_stride + p) * right + sum[i];
                }
            } else {
                for (int64_t i = 0; i < columns; ++i)
                    for (int64_t p = 0; p < last; p += lanes<T>)
                        sum[i] = load<T>(w + i * weights.row_stride + p) * load<T>(from + p) + sum[i];
            }
            if (left.count) {
                const Vec<T> right = left.load(from + last);
                for (int64_t i = 0; i < columns; ++i)
                    sum[i] = left.load(w + i * weights.row_stride + last) * right + sum[i];
            }
            store<T>(&block[g][row * lanes<T>], sum_lanes<T>(sum));
        }
    }
}

template <typename T, int group_count>
void multiply_block(Scalars<T> weights, int64_t columns, const T *packed, Panel panel, int64_t depth,
                    Block<T> &block) {
    if (panel.vectors == wide)
        multiply_panel<T, group_count, wide>(weights, columns, packed, depth, block);
    else if (panel.vectors == 2)
        multiply_panel<T, group_count, 2>(weights, columns, packed, depth, block);
    else if (panel.vectors == 1)
        multiply_panel<T, group_count, 1>(weights, columns, packed, depth, block);
    else
        multiply_rows<T, group_count>(weights, columns, packed, panel.rows, depth, block);
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
        const auto vectors = [](int64_t size) { return (size + lanes<T> - 1) / lanes<T>; };
        grouped = gated ? vectors(columns) : columns / (groups * lanes<T>);
        count = gated ? grouped : grouped + vectors(columns - grouped * groups * lanes<T>);
    }

    Columns operator[](int64_t i) const {
        const bool whole = i < grouped;
        const int64_t vectors = gated ? i : whole ? i * groups : grouped * (groups - 1) + i, first = vectors * lanes<T>;
        return {first, some<T>(columns, first).count, gated ? columns : lanes<T>, whole ? groups : 1};
    }
};

// [X1, X2] W^T for `rows` rows of X and `columns` rows of W. For each block of results it calls
// finish(block, first row, rows, Columns). `packed` has packed_bytes().
template <typename T, bool gated, typename Finish>
void multiply_transposed(const Matrix<T> (&x)[2], int64_t rows, const T *w, int64_t w_stride, int64_t columns,
                         T *packed, const Finish &finish) {
    const int64_t depth = x[0].columns + x[1].columns, chunk = chunk_rows<T>(depth);
    const Blocks<T, gated> blocks(columns);
    for (int64_t first_row = 0; first_row < rows; first_row += chunk) {
        const int64_t taken = rows - first_row < chunk ? rows - first_row : chunk;
        const int threads = taken > lanes<T> ? num_threads() : 1;
        const Panels<T> panels(taken, threads == 1 || taken >= threads * panel_width<T> ? wide : 2);
        parallel_for(panels.count(), 1 + pack_grain / (depth * panel_width<T> + 1), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) pack_panel(x, first_row, panels[i], packed + panels[i].row * depth);
        });
        const int64_t unit_work = depth * lanes<T> * groups * (taken < panel_width<T> ? taken : panel_width<T>);
        const int64_t grain = 1 + multiply_grain / (unit_work + 1);
        parallel_for(blocks.count * panels.count(), grain, [&](int64_t begin, int64_t end) {
            Block<T> block;
            for (int64_t unit = begin; unit < end; ++unit) {
                // Alone, a thread takes all panels while a block of W is in its cache. Of several, each multiplies the
                // panels that it packed: another core's cache is farther than memory.
                const bool alone = threads == 1;
                const Panel panel = panels[alone ? unit % panels.count() : unit / blocks.count];
                const Columns part = blocks[alone ? unit / panels.count() : unit % blocks.count];
                const Scalars<T> a = {w + part.first * w_stride, part.group_offset * w_stride, w_stride, 1};
                const T *from = packed + panel.row * depth;
                if (part.group_count == groups) multiply_block<T, groups>(a, part.columns, from, panel, depth, block);
                else multiply_block<T, 1>(a, part.columns, from, panel, depth, block);
                finish(block, first_row + panel.row, panel.rows, part);
            }
        });
    }
}

}  // namespace MY_LIB_ISA
}  // namespace my_lib
