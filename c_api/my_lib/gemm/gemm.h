// c_api/my_lib/gemm/gemm.h: C = A B, with A read by rows or by columns and B, C row-major.
#pragma once

#include "gemm/pack.h"

namespace my_lib {
namespace MY_LIB_ISA {

// Rows of B multiplied per pass, so that a packed panel of B (96 KiB at most, on the stack) stays near the first-level
// cache; rows of C per unit of work, whose share of A stays in the second-level cache.
constexpr int64_t depth_block = 384, row_block = 192;


// B: row-major, or packed once by pack_columns() for several products.
template <typename T> struct RightMatrix {
    const T *data;
    int64_t row_stride;
    int64_t panel_stride = panel_width<T>; // from one panel of columns to the next
    bool packed = false;                    // the last panel is as wide as the others, its missing columns are zeros
};

template <typename T> struct Product {
    int64_t rows, columns, depth;
    const T *a;
    int64_t a_row_stride, a_column_stride;
    RightMatrix<T> b;
    T *c;
    int64_t c_stride;
    bool accumulate = false; // C += A B
};

// `columns` of the vectors * lanes<T> columns exist.
template <typename T> using RowTile = void (*)(const Product<T> &product, int64_t row, int64_t column, int64_t first_p,
                                               int64_t depth, const T *b, int64_t b_stride, int64_t columns,
                                               const T *ahead, int64_t ahead_stride);

template <typename T, int group_count, int group_rows, int vectors>
void multiply_row_tile(const Product<T> &product, int64_t row, int64_t column, int64_t first_p, int64_t depth,
                       const T *b, int64_t b_stride, int64_t columns, const T *ahead, int64_t ahead_stride) {
    constexpr int rows = group_count * group_rows, width = vectors * lanes<T>;
    T *c = product.c + row * product.c_stride + column;
    const int64_t c_stride = product.c_stride;
    const bool add = first_p || product.accumulate;
    // C is read only once the sums are complete; by then its lines are here. For writing alone that would not pay: the
    // fetches hold up the loads of A and B, and the stores can wait.
    if (add)
        for (int r = 0; r < rows; ++r)
            for (int offset = 0; offset < columns; offset += 64 / sizeof(T))
                __builtin_prefetch(c + r * c_stride + offset, 1);
    const Scalars<T> a = {product.a + row * product.a_row_stride + first_p * product.a_column_stride,
                          group_rows * product.a_row_stride, product.a_row_stride, product.a_column_stride};
    Vec<T> sum[rows][vectors] = {};
    multiply_tile<T, group_count, group_rows, vectors>(a, b, b_stride, depth, sum, ahead, ahead_stride);
    if (columns == width) {
#pragma GCC unroll 6
        for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
            for (int v = 0; v < vectors; ++v) {
                T *to = c + r * c_stride + v * lanes<T>;
                store<T>(to, add ? load<T>(to) + sum[r][v] : sum[r][v]);
            }
    } else {
        T sums[rows][width];
        __builtin_memcpy(sums, sum, sizeof sums);
        for (int r = 0; r < rows; ++r)
            for (int64_t i = 0; i < columns; ++i) {
                T *to = c + r * c_stride + i;
                *to = add ? *to + sums[r][i] : sums[r][i];
            }
    }
}

// How many rows the next tile takes when `left` remain: the largest tile, but never so that a sliver is left over.
static inline int next_tile(int64_t left) {
    constexpr int largest = 6;
    constexpr signed char first[2 * largest] = {0, 1, 2, 3, 4, 3, 6, 4, 4, 6, 6, 4};
    return left < 2 * largest ? first[left] : largest;
}

template <typename T, int vectors> static inline RowTile<T> row_tile_of(int rows) {
    switch (rows) {
    case 1: return multiply_row_tile<T, 1, 1, vectors>;
    case 2: return multiply_row_tile<T, 1, 2, vectors>;
    case 3: return multiply_row_tile<T, 1, 3, vectors>;
    case 4: return multiply_row_tile<T, 1, 4, vectors>;
    default: return multiply_row_tile<T, 3, 2, vectors>;
    }
}

// No wider than the columns need.
template <typename T> static inline int vectors_for(int64_t columns) {
    return columns <= lanes<T> ? 1 : columns <= 2 * lanes<T> ? 2 : wide;
}

template <typename T> static inline RowTile<T> row_tile(int rows, int vectors) {
    return vectors == 1 ? row_tile_of<T, 1>(rows) : vectors == 2 ? row_tile_of<T, 2>(rows) : row_tile_of<T, wide>(rows);
}

// A whole B, into column_panels_bytes<T>(depth, columns).
template <typename T>
RightMatrix<T> pack_columns(const T *from, int64_t from_stride, int64_t depth, int64_t columns, T *to) {
    constexpr int64_t width = panel_width<T>;
    for (int64_t column = 0; column < columns; column += width)
        pack_column_panel(from + column, from_stride, depth, columns - column < width ? columns - column : width,
                          to + column * depth);
    return {to, width, width * depth, true};
}

// The transpose of a row-major (columns, depth) matrix, into column_panels_bytes<T>(depth, columns).
template <typename T>
RightMatrix<T> pack_transposed(const T *from, int64_t from_stride, int64_t depth, int64_t columns, T *to) {
    constexpr int64_t width = panel_width<T>;
    for (int64_t column = 0; column < columns; column += width)
        pack_rows<T>({from + column * from_stride, depth, from_stride},
                     columns - column < width ? columns - column : width, width, to + column * depth);
    return {to, width, width * depth, true};
}

// One panel of columns of rows [row, end_row), for one block of the depth.
template <typename T>
void multiply_column_panel(const Product<T> &product, int64_t row, int64_t end_row, int64_t panel, int64_t first_p,
                           int64_t depth) {
    constexpr int64_t width = panel_width<T>, line = 64 / sizeof(T);
    alignas(64) T packed[depth_block * width];
    const int64_t column = panel * width;
    const int64_t columns = product.columns - column < width ? product.columns - column : width;
    const T *b = product.b.data + panel * product.b.panel_stride + first_p * product.b.row_stride;
    int64_t b_stride = product.b.row_stride;
    const T *next = nullptr;
    const int vectors = vectors_for<T>(columns);
    // Copying pays when several tiles use the copy; a panel that ends within a tile must be copied.
    if (!product.b.packed && (columns < vectors * lanes<T> || end_row - row > 24)) {
        pack_column_panel(b, b_stride, depth, columns, packed);
        if (column + width < product.columns) next = b + width;
        b = packed, b_stride = width;
    }
    // Each tile fetches one line of every row of the next panel, until it is there.
    for (int64_t fetched = 0; row < end_row; fetched += line) {
        const int rows = next_tile(end_row - row);
        const T *ahead = next && fetched < width + line ? next + (fetched < width ? fetched : width - 1) : nullptr;
        row_tile<T>(rows, vectors)(product, row, column, first_p, depth, b, b_stride, columns, ahead,
                                   ahead ? product.b.row_stride : 0);
        row += rows;
    }
}

template <typename T> void multiply(const Product<T> &product) {
    constexpr int64_t width = panel_width<T>;
    const int64_t panels = (product.columns + width - 1) / width;
    const int64_t row_blocks = (product.rows + row_block - 1) / row_block;
    const int64_t work = product.depth * width * (product.rows < row_block ? product.rows : row_block);
    parallel_for(panels * row_blocks, 1 + multiply_grain / (work + 1), [&](int64_t begin, int64_t end) {
        // The depth goes outermost: its block of A then stays in the second-level cache for all the panels.
        int64_t first_p = 0;
        do {
            const int64_t depth = product.depth - first_p < depth_block ? product.depth - first_p : depth_block;
            for (int64_t unit = begin; unit < end; ++unit) {
                const int64_t row = unit / panels * row_block;
                const int64_t end_row = row + row_block < product.rows ? row + row_block : product.rows;
                multiply_column_panel(product, row, end_row, unit % panels, first_p, depth);
            }
            first_p += depth_block;
        } while (first_p < product.depth);
    });
}

// to[column] = sum over rows of from[row, column]; adds to what is there if `accumulate`.
template <typename T> void sum_rows(const T *from, int64_t rows, int64_t columns, T *to, bool accumulate = false) {
    parallel_for((columns + lanes<T> - 1) / lanes<T>, 1 + pack_grain / (lanes<T> * (rows + 1)),
                 [=](int64_t begin, int64_t end) {
                     for (int64_t i = begin; i < end; ++i) {
                         const int64_t column = i * lanes<T>;
                         const Some<T> part = some<T>(columns, column);
                         Vec<T> sum = accumulate ? part.load(to + column) : Vec<T>{};
                         for (int64_t row = 0; row < rows; ++row) sum = sum + part.load(from + row * columns + column);
                         part.store(to + column, sum);
                     }
                 });
}

}  // namespace MY_LIB_ISA
}  // namespace my_lib
