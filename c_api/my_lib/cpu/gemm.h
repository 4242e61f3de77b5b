// c_api/my_lib/cpu/gemm.h: the matrix products, all made of one register tile.
//
// The tile multiplies scalars of A, broadcast from wherever they lie, with vectors of B, whose rows are contiguous:
//
//     C[i, j] += sum over p of A[i * row_stride + p * column_stride] * B[p * b_stride + j]
//
// Every product of this library has that form, so no large operand is ever transposed or packed as a whole:
//
//     forward          C = (X W^T)^T   A = W (rows of W)       B = X^T, the small operand, transposed by pack()
//     input gradient   C = G W         A = G                   B = W
//     weight gradient  C = G^T X       A = G read by columns   B = X
//
// Work is split over rows and columns of C, never over p, and each element's sum has one fixed order: results are
// the same for any number of threads, bit for bit.
#pragma once

#include "simd.h"
#include "threads.h"
#include "workspace.h"

#include <utility>

namespace my_lib {
namespace MY_LIB_ISA {

// The tile: up to 3 groups of rows of A times up to `wide` vectors of B, as many as fill the registers: 24 of 32
// accumulate with AVX-512, 12 of 16 elsewhere. Six rows, not more: rows of A at a stride of 4096 bytes compete for the
// same eight lines of the first-level cache. Panels of B and of packed X are as wide as the tile.
constexpr int groups = 3;
#if defined(__AVX512F__)
constexpr int wide = 4;
#else
constexpr int wide = 2;
#endif
constexpr int tile_rows(int vectors) {
#if defined(__AVX512F__)
    return vectors == 4 ? 2 : 4;
#else
    return vectors > 0 ? 2 : 0;
#endif
}

template <typename T> constexpr int64_t panel_width = wide *lanes<T>;

// A as the tile reads it: element (group, row, p) is at data[group * group_stride + row * row_stride + p * column_stride].
template <typename T> struct Scalars {
    const T *data;
    int64_t group_stride, row_stride, column_stride;
};

// `ahead`, if any, is memory that later tiles will read: one line per step of the depth, ahead_stride elements apart,
// is fetched while this tile multiplies.
template <typename T, int group_count, int rows, int vectors>
[[gnu::always_inline]] inline void multiply_tile(Scalars<T> a, const T *b, int64_t b_stride, int64_t depth,
                                                 Vec<T> (&sum)[group_count * rows][vectors], const T *ahead = nullptr,
                                                 int64_t ahead_stride = 0) {
    const T *a_group[group_count];
#pragma GCC unroll 4
    for (int g = 0; g < group_count; ++g) a_group[g] = a.data + g * a.group_stride;
    for (int64_t p = 0; p < depth; ++p) {
        Vec<T> right[vectors];
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v) right[v] = load<T>(b + v * lanes<T>);
        b += b_stride;
        if (ahead) {
            __builtin_prefetch(ahead, 0, 2);
            ahead += ahead_stride;
        }
#pragma GCC unroll 4
        for (int g = 0; g < group_count; ++g) {
#pragma GCC unroll 4
            for (int r = 0; r < rows; ++r) {
                const Vec<T> left = broadcast(a_group[g][r * a.row_stride]);
#pragma GCC unroll 4
                for (int v = 0; v < vectors; ++v) sum[g * rows + r][v] = left * right[v] + sum[g * rows + r][v];
            }
            a_group[g] += a.column_stride;
        }
    }
}

// Transposes a square of lanes<T> vectors in place: log2(lanes) rounds, each swaps blocks of `half` lanes.
template <typename T, int half, int... lane>
[[gnu::always_inline]] inline void exchange(Vec<T> &a, Vec<T> &b, std::integer_sequence<int, lane...>) {
    constexpr int n = sizeof...(lane);
    const Vec<T> first = __builtin_shufflevector(a, b, (lane & half ? n + lane - half : lane)...);
    b = __builtin_shufflevector(a, b, (lane & half ? n + lane : lane + half)...);
    a = first;
}

template <typename T, int half = 1> [[gnu::always_inline]] inline void transpose(Vec<T> (&square)[lanes<T>]) {
    if constexpr (half < lanes<T>) {
#pragma GCC unroll 16
        for (int i = 0; i < lanes<T>; ++i)
            if (!(i & half))
                exchange<T, half>(square[i], square[i + half], std::make_integer_sequence<int, lanes<T>>{});
        transpose<T, half * 2>(square);
    }
}

// Sums the lanes of each vector of a square: lane i of the result is the sum of square[i].
template <typename T, int half = 1> [[gnu::always_inline]] inline Vec<T> sum_lanes(Vec<T> (&square)[lanes<T>]) {
    if constexpr (half < lanes<T>) {
#pragma GCC unroll 16
        for (int i = 0; i < lanes<T>; i += 2 * half) {
            exchange<T, half>(square[i], square[i + half], std::make_integer_sequence<int, lanes<T>>{});
            square[i] = square[i] + square[i + half];
        }
        return sum_lanes<T, half * 2>(square);
    } else {
        return square[0];
    }
}

// ---------------------------------------------------------------------------------------------------------------
// Products with a transposed matrix: sums over p of X[row, p] * W[column, p], handed block by block to `finish`.
//
// X is the small operand. It is packed in chunks of rows that fit the second-level cache, as panels of one or two
// vectors of rows; the last few rows stay as they are and take the way of a matrix-vector product, which needs none
// of the idle lanes.
// ---------------------------------------------------------------------------------------------------------------

// Row-major data with `columns` columns, `stride` elements from row to row.
template <typename T> struct Matrix {
    const T *data;
    int64_t columns, stride;
};

// Elements to pack, and multiplications to do, before another thread is worth waking.
constexpr int64_t pack_grain = 32 * 1024, multiply_grain = 256 * 1024;

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

// Row-major (rows, depth) to depth rows of `width` elements, `to_stride` elements apart; missing rows become zeros.
template <typename T>
void pack_rows(Matrix<T> from, int64_t rows, int64_t width, T *to) {
    for (int64_t row = 0; row < width; row += lanes<T>) {
        const int64_t present = rows - row < lanes<T> ? rows - row : lanes<T>;
        const T *source = from.data + row * from.stride;
        Vec<T> square[lanes<T>];
        int64_t p = 0;
        if (present == lanes<T>) {
            for (; p + lanes<T> <= from.columns; p += lanes<T>) {
#pragma GCC unroll 16
                for (int i = 0; i < lanes<T>; ++i) square[i] = load<T>(source + i * from.stride + p);
                transpose<T>(square);
#pragma GCC unroll 16
                for (int i = 0; i < lanes<T>; ++i) store<T>(to + (p + i) * width + row, square[i]);
            }
        }
        for (; p < from.columns; p += lanes<T>) {
            const Some<T> part = some<T>(from.columns, p);
            for (int i = 0; i < lanes<T>; ++i)
                square[i] = i < present ? part.load(source + i * from.stride + p) : Vec<T>{};
            transpose<T>(square);
            for (int i = 0; i < part.count; ++i) store<T>(to + (p + i) * width + row, square[i]);
        }
    }
}

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

// [X1, X2] W^T for `rows` rows of X and `columns` rows of W. For each block of results it calls
// finish(block, first row, rows, Columns). A gated product takes its three groups from the three thirds of W, so
// that one block holds everything that a cell needs; otherwise the groups are neighbours.
template <typename T, bool gated, typename Finish>
void multiply_transposed(const Matrix<T> (&x)[2], int64_t rows, const T *w, int64_t w_stride, int64_t columns,
                         T *packed, const Finish &finish) {
    const int64_t depth = x[0].columns + x[1].columns;
    const int64_t gate_columns = columns / groups;
    const int64_t grouped = gated ? (gate_columns + lanes<T> - 1) / lanes<T> : columns / (groups * lanes<T>);
    const int64_t single = gated ? 0 : (columns - grouped * groups * lanes<T> + lanes<T> - 1) / lanes<T>;

    const int64_t chunk = chunk_rows<T>(depth);
    for (int64_t first_row = 0; first_row < rows; first_row += chunk) {
        const int64_t taken = rows - first_row < chunk ? rows - first_row : chunk;
        const int threads = taken > lanes<T> ? num_threads() : 1;
        const Panels<T> panels(taken, threads == 1 || taken >= threads * panel_width<T> ? wide : 2);
        parallel_for(panels.count(), 1 + pack_grain / (depth * panel_width<T> + 1), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) pack_panel(x, first_row, panels[i], packed + panels[i].row * depth);
        });
        const int64_t blocks = grouped + single;
        const int64_t unit_work = depth * lanes<T> * groups * (taken < panel_width<T> ? taken : panel_width<T>);
        parallel_for(blocks * panels.count(), 1 + multiply_grain / (unit_work + 1),
                     [&](int64_t begin, int64_t end) {
                         Block<T> block;
                         for (int64_t unit = begin; unit < end; ++unit) {
                             // Alone, a thread takes all panels while a block of W is in its cache. Of several, each
                             // multiplies the panels that it packed: another core's cache is farther than memory.
                             const int64_t i = threads > 1 ? unit % blocks : unit / panels.count();
                             const Panel panel = panels[threads > 1 ? unit / blocks : unit % panels.count()];
                             const T *from = packed + panel.row * depth;
                             Columns part;
                             if (i < grouped) {
                                 part.first = i * lanes<T> * (gated ? 1 : groups);
                                 part.columns = gated && gate_columns - part.first < lanes<T>
                                                    ? gate_columns - part.first : lanes<T>;
                                 part.group_offset = gated ? gate_columns : lanes<T>;
                                 part.group_count = groups;
                             } else {
                                 part.first = (grouped * groups + i - grouped) * lanes<T>;
                                 part.columns = columns - part.first < lanes<T> ? columns - part.first : lanes<T>;
                                 part.group_offset = 0;
                                 part.group_count = 1;
                             }
                             const Scalars<T> a = {w + part.first * w_stride, part.group_offset * w_stride, w_stride, 1};
                             if (part.group_count == groups)
                                 multiply_block<T, groups>(a, part.columns, from, panel, depth, block);
                             else
                                 multiply_block<T, 1>(a, part.columns, from, panel, depth, block);
                             finish(block, first_row + panel.row, panel.rows, part);
                         }
                     });
    }
}

// ---------------------------------------------------------------------------------------------------------------
// Plain products C = A B, with A read by rows or by columns and B, C row-major.
// ---------------------------------------------------------------------------------------------------------------

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
                                               int64_t depth, const T *b, int64_t b_stride, int64_t columns, const T *ahead,
                         int64_t ahead_stride);

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
            for (int64_t i = 0; i < columns; ++i) c[r * c_stride + i] = add ? c[r * c_stride + i] + sums[r][i] : sums[r][i];
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

// Copies a panel of `columns` columns and `depth` rows, padded with zeros to panel_width<T>.
template <typename T> void pack_column_panel(const T *from, int64_t from_stride, int64_t depth, int64_t columns, T *to) {
    constexpr int64_t width = panel_width<T>;
    for (int64_t p = 0; p < depth; ++p, from += from_stride, to += width) {
        Vec<T> line[wide] = {};
        if (columns == width) __builtin_memcpy(line, from, sizeof line);
        else __builtin_memcpy(line, from, static_cast<size_t>(columns) * sizeof(T));
        __builtin_memcpy(to, line, sizeof line);
    }
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
