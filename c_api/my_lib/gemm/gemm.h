// c_api/my_lib/gemm/gemm.h: C = A B, with A read by rows or by columns and B, C row-major.
#pragma once

#include "gemm/pack.h"

#include <cassert>

namespace my_lib {
namespace MY_LIB_ISA {

// Rows of B multiplied per pass, so that a packed panel of B (96 KiB at most, on the stack) stays near the first-level
// cache; rows of C per unit of work, whose share of A stays in the second-level cache.
constexpr int64_t depth_block = 384, row_block = 192;
constexpr int64_t sum_block_rows = 1024;

// B: row-major, or packed once by pack_columns() for several products.
template <typename S> struct RightMatrix {
    const S *data;
    int64_t row_stride;
    const Arithmetic<S> *panels = nullptr;  // all as wide as the first: the missing columns of the last one are zeros
    int64_t panel_stride = 0;               // from one panel of columns to the next
};

// A is in T, the type of the sums; B and C are stored as S and Output.
template <typename S, typename Output = S> struct Product {
    int64_t rows, columns, depth;
    const Arithmetic<S> *a;
    int64_t a_row_stride, a_column_stride;
    RightMatrix<S> b;
    Output *c;
    int64_t c_stride;
    bool accumulate = false;  // C += A B, where Output is T
    int64_t unit_rows = row_block;  // of C, for one thread; at most row_block, fewer where B is small and packed
};

// Where a tile or a panel of C begins; `add`: to what is there.
template <typename T> struct Target {
    T *data;
    int64_t stride;
    bool add;
};

// What a tile multiplies, and where its part of C goes; `columns` of its columns exist. From one panel of B to the next
// it is `b_panel` elements.
template <typename T> struct RowTileArguments {
    Scalars<T> a;
    const T *b;
    int64_t b_stride, b_panel, depth;
    Target<T> c;
    int64_t columns;
    Ahead ahead;
    T *copy;  // of B, for the tiles after this one, or null
};
template <typename T> using RowTile = void (*)(const RowTileArguments<T> &tile);

template <typename T, int group_count, int group_rows, int vectors>
void multiply_row_tile(const RowTileArguments<T> &tile) {
    constexpr int rows = group_count * group_rows, width = vectors * lanes<T>;
    const Target<T> c = tile.c;
    const int64_t columns = tile.columns;
    assert(columns > 0 && columns <= width);
    // C is read only once the sums are complete; by then its lines are here. For writing alone that would not pay: the
    // fetches hold up the loads of A and B, and the stores can wait.
    if (c.add)
        for (int r = 0; r < rows; ++r)
            for (int offset = 0; offset < columns; offset += 64 / sizeof(T))
                __builtin_prefetch(c.data + r * c.stride + offset, 1);
    const Scalars<T> a = {tile.a.data, group_rows * tile.a.row_stride, tile.a.row_stride, tile.a.column_stride};
    Vec<T> sum[rows][vectors] = {};
    multiply_tile<T, group_count, group_rows, vectors>(a, tile.b, tile.b_stride, tile.depth, sum, tile.ahead, tile.copy,
                                                       tile.b_panel);
    if (columns == width) {
#pragma GCC unroll 6
        for (int r = 0; r < rows; ++r)
#pragma GCC unroll 8
            for (int v = 0; v < vectors; ++v) {
                T *to = c.data + r * c.stride + v * lanes<T>;
                store<T>(to, c.add ? load<T>(to) + sum[r][v] : sum[r][v]);
            }
    } else {
        T sums[rows][width];
        __builtin_memcpy(sums, sum, sizeof sums);
        for (int r = 0; r < rows; ++r)
            for (int64_t i = 0; i < columns; ++i) {
                T *to = c.data + r * c.stride + i;
                *to = c.add ? *to + sums[r][i] : sums[r][i];
            }
    }
}

// How many rows the next tile takes when `left` remain: the largest tile, but never so that a sliver is left over.
static inline int next_tile(int64_t left) {
    assert(left > 0);
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
    default: assert(rows == 6); return multiply_row_tile<T, 3, 2, vectors>;
    }
}

// No wider than the columns need.
template <typename T> static inline int vectors_for(int64_t columns) {
    return columns <= lanes<T> ? 1 : columns <= 2 * lanes<T> ? 2 : wide;
}

// Sums that a core adds to at a time, two in each of the four cycles that an addition takes. One or two rows of a
// panel have fewer, so that a tile of theirs takes several packed panels.
constexpr int least_sums = 8;
static inline int panels_for(int64_t rows) {
    return rows > 2 || rows * wide >= least_sums ? 1 : least_sums / (static_cast<int>(rows) * wide);
}

template <typename T> static inline RowTile<T> row_tile(int rows, int vectors) {
    if (vectors > wide) {
        assert(rows <= 2 && rows * vectors == least_sums);
        return rows == 1 ? multiply_row_tile<T, 1, 1, least_sums> : multiply_row_tile<T, 1, 2, least_sums / 2>;
    }
    assert(vectors == 1 || vectors == 2 || vectors == wide);
    return vectors == 1 ? row_tile_of<T, 1>(rows) : vectors == 2 ? row_tile_of<T, 2>(rows) : row_tile_of<T, wide>(rows);
}

// A whole B, into column_panels_bytes<T>(depth, columns).
template <typename S>
RightMatrix<S> pack_columns(const S *from, int64_t from_stride, int64_t depth, int64_t columns, Arithmetic<S> *to) {
    constexpr int64_t width = panel_width<Arithmetic<S>>;
    for (int64_t column = 0; column < columns; column += width)
        pack_column_panel(from + column, from_stride, depth, columns - column < width ? columns - column : width,
                          to + column * depth);
    return {nullptr, 0, to, width * depth};
}

// The transpose of a row-major (columns, depth) matrix, into column_panels_bytes<T>(depth, columns).
template <typename S>
RightMatrix<S> pack_transposed(const S *from, int64_t from_stride, int64_t depth, int64_t columns, Arithmetic<S> *to) {
    constexpr int64_t width = panel_width<Arithmetic<S>>;
    for (int64_t column = 0; column < columns; column += width)
        pack_rows<S>({from + column * from_stride, depth, from_stride},
                     columns - column < width ? columns - column : width, width, to + column * depth);
    return {nullptr, 0, to, width * depth};
}

// One panel of columns of rows [row, end_row), or as many as panels_for() says, for one block of the depth; c is where
// they begin.
template <typename S, typename Output, typename T = Arithmetic<S>>
void multiply_column_panel(const Product<S, Output> &product, int64_t row, int64_t end_row, int64_t panel,
                           int64_t first_p, int64_t depth, Target<T> c, int panels = 1) {
    constexpr int64_t width = panel_width<T>, line = 64 / sizeof(S);
    assert(depth > 0 && depth <= depth_block && first_p + depth <= product.depth);
    assert(row < end_row && end_row <= product.rows && end_row - row <= row_block);
    alignas(64) T packed[depth_block * width];
    const int64_t column = panel * width;
    const int64_t left = product.columns - column, columns = left < panels * width ? left : panels * width;
    const int vectors = panels > 1 ? panels * wide : vectors_for<T>(columns);
    const T *b = packed;
    int64_t b_stride = width;
    const S *next = nullptr;
    T *copy = nullptr;
    assert(columns > 0 && (panels == 1 || product.b.panels));
    if (product.b.panels) {
        assert(product.b.panel_stride == product.depth * width);
        b = product.b.panels + panel * product.b.panel_stride + first_p * width;
    } else {
        const S *from = product.b.data + first_p * product.b.row_stride + column;
        // Copying pays when several tiles use the copy; a panel that ends within a tile must be copied.
        const bool copied = !is_arithmetic<S> || columns < vectors * lanes<T> || end_row - row > 24;
        assert(product.b.row_stride >= product.columns);
        if (copied && column + width < product.columns) next = from + width;
        // The first tile can copy a whole panel while it reads it where it is.
        bool in_place = false;
        if constexpr (is_arithmetic<S>) {
            in_place = !copied || columns == width;
            if (in_place) b = from, b_stride = product.b.row_stride;
        }
        if (!in_place) pack_column_panel(from, product.b.row_stride, depth, columns, packed);
        else if (copied) copy = packed;
    }
    const T *a = product.a + row * product.a_row_stride + first_p * product.a_column_stride;
    const Scalars<T> left_rows = {a, 0, product.a_row_stride, product.a_column_stride};
    RowTileArguments<T> tile = {left_rows, b, b_stride, product.b.panel_stride, depth, c, columns, {}, copy};
    tile.ahead.stride = product.b.row_stride * static_cast<int64_t>(sizeof(S));
    // Each tile fetches one line of every row of the next panel, until it is there.
    for (int64_t fetched = 0; row < end_row; fetched += line) {
        const int rows = next_tile(end_row - row);
        const S *ahead = next && fetched < width + line ? next + (fetched < width ? fetched : width - 1) : nullptr;
        tile.ahead.data = reinterpret_cast<const char *>(ahead);
        row_tile<T>(rows, vectors)(tile);
        row += rows;
        tile.a.data += rows * product.a_row_stride;
        tile.c.data += rows * c.stride;
        if (copy) tile.b = packed, tile.b_stride = width, tile.copy = nullptr;
    }
}

// body(first_p, depth) for each block of the depth.
template <typename Body> static inline void for_depth_blocks(int64_t depth, Body &&body) {
    for (int64_t first_p = 0; first_p < depth; first_p += depth_block)
        body(first_p, depth - first_p < depth_block ? depth - first_p : depth_block);
}

// How a product is cut among threads: each unit is one panel of columns of one block of rows.
template <typename T> struct Units {
    int64_t panels, count, work;  // `work`: the multiplications of a unit, at most

    template <typename S, typename Output>
    explicit Units(const Product<S, Output> &product)
        : panels(ceil_div(product.columns, panel_width<T>)),
          count(ceil_div(product.rows, product.unit_rows) * panels),
          work(count ? 1 + product.depth * panel_width<T> *
                           (product.rows < product.unit_rows ? product.rows : product.unit_rows)
                     : 0) {}
};

template <typename S, typename Output>
void multiply_units(const Product<S, Output> &product, int64_t panels, int64_t begin, int64_t end) {
    using T = Arithmetic<S>;
    constexpr int64_t width = panel_width<T>;
    assert(begin < end && end <= Units<T>(product).count);
    assert(product.c_stride >= product.columns && (std::is_same_v<Output, T> || !product.accumulate));
    const int64_t unit_rows = product.unit_rows;
    const auto begin_row = [=](int64_t unit) { return unit / panels * unit_rows; };
    const auto end_row = [&](int64_t unit) {
        return begin_row(unit) + unit_rows < product.rows ? begin_row(unit) + unit_rows : product.rows;
    };
    const auto columns_of = [&](int64_t unit) {
        const int64_t column = unit % panels * width;
        return product.columns - column < width ? product.columns - column : width;
    };
    const auto c_of = [&](int64_t unit) {
        return product.c + begin_row(unit) * product.c_stride + unit % panels * width;
    };
    if (!product.depth) {  // A and B have no elements and may be NULL, with which no address can be computed
        for (int64_t unit = begin; unit < end && !product.accumulate; ++unit)
            for (int64_t row = 0; row < end_row(unit) - begin_row(unit); ++row)
                for (int64_t column = 0; column < columns_of(unit); ++column)
                    c_of(unit)[row * product.c_stride + column] = Output();
        return;
    }
    if constexpr (std::is_same_v<Output, T>) {
        // The depth goes outermost: its block of A then stays in the second-level cache for all the panels.
        for_depth_blocks(product.depth, [&](int64_t first_p, int64_t depth) {
            for (int64_t unit = begin; unit < end;) {
                const int64_t row = begin_row(unit), panel = unit % panels;
                int together = product.b.panels ? panels_for(end_row(unit) - row) : 1;
                if (together > end - unit || together > panels - panel) together = 1;
                multiply_column_panel<S, Output>(product, row, end_row(unit), panel, first_p, depth,
                                                 {c_of(unit), product.c_stride, first_p || product.accumulate},
                                                 together);
                unit += together;
            }
        });
    } else {
        // Sums stay in T until they are complete, then they are rounded.
        alignas(64) T sums[row_block * width];
        for (int64_t unit = begin; unit < end; ++unit) {
            for_depth_blocks(product.depth, [&](int64_t first_p, int64_t depth) {
                multiply_column_panel<S, Output>(product, begin_row(unit), end_row(unit), unit % panels, first_p, depth,
                                                 {sums, width, first_p > 0});
            });
            for (int64_t row = 0; row < end_row(unit) - begin_row(unit); ++row)
                convert(sums + row * width, columns_of(unit), c_of(unit) + row * product.c_stride);
        }
    }
}

// Products none of which needs the result of another, in one parallel region: threads start and wait for each other
// once, and one of them may be at another product than its neighbour.
template <typename S, typename Output> void multiply_all(const Product<S, Output> *products, int count) {
    using T = Arithmetic<S>;
    int64_t work = 0, grain = multiply_grain;
    for (int i = 0; i < count; ++i) {
        assert(products[i].rows >= 0 && products[i].columns >= 0 && products[i].depth >= 0);
        const Units<T> units(products[i]);
        work += units.count * units.work;
        if (units.work > grain) grain = units.work;
    }
    parallel_for(work, grain, [=](int64_t begin, int64_t end) {
        for (int i = 0; i < count; ++i) {
            const Units<T> units(products[i]);
            if (!units.count) continue;  // `depth` may then be any number
            // Units that end before a place in the work that is left.
            const auto before = [&](int64_t place) {
                return place < 0 ? 0 : place / units.work < units.count ? place / units.work : units.count;
            };
            const int64_t first = before(begin), last = before(end);
            if (first < last) multiply_units<S, Output>(products[i], units.panels, first, last);
            begin -= units.count * units.work;
            end -= units.count * units.work;
        }
    });
}

template <typename S, typename Output = S> void multiply(const Product<S, Output> &product) {
    multiply_all(&product, 1);
}

// The sum of rows [row, end_row) of lanes<T> columns, in four sums that do not wait for each other.
template <typename T, typename S>
Vec<T> sum_block(const Some<T> &part, const S *from, int64_t row, int64_t end_row, int64_t columns) {
    Vec<T> sums[4] = {};
    for (; row + 4 <= end_row; row += 4)
        for (int i = 0; i < 4; ++i) sums[i] = sums[i] + part.load(from + (row + i) * columns);
    for (; row < end_row; ++row) sums[0] = sums[0] + part.load(from + row * columns);
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// to[column] = sum over rows of from[row, column]; adds to what is there if `accumulate`, and Output is then T. The rows
// of a block are summed first, or the error would grow with the number of rows.
template <typename S, typename Output>
void sum_rows(const S *from, int64_t rows, int64_t columns, Output *to, bool accumulate = false) {
    using T = Arithmetic<S>;
    // Without columns there may be any number of rows.
    const int64_t more = rows < pack_grain ? pack_grain / (lanes<T> * (rows + 1)) : 0;
    parallel_for(ceil_div(columns, lanes<T>), 1 + more, [=](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
            const int64_t column = i * lanes<T>;
            const Some<T> part = some<T>(columns, column);
            Vec<T> sum = accumulate ? part.load(to + column) : Vec<T>{};
            for (int64_t row = 0; row < rows; row += sum_block_rows) {
                const int64_t end_row = row + sum_block_rows < rows ? row + sum_block_rows : rows;
                sum = sum + sum_block(part, from + column, row, end_row, columns);
            }
            part.store(to + column, sum);
        }
    });
}

// convert() on all threads.
template <typename From, typename To> void convert_all(const From *from, int64_t size, To *to) {
    parallel_for(size, pack_grain, [=](int64_t begin, int64_t end) { convert(from + begin, end - begin, to + begin); });
}

}  // namespace MY_LIB_ISA
}  // namespace my_lib
