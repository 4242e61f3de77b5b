// c_api/my_lib/gemm/pack.h: operands rearranged into panels, which the register tile reads front to back.
#pragma once

#include "runtime/threads.h"
#include "gemm/tile.h"
#include "gemm/workspace.h"

#include <cassert>

namespace my_lib {
namespace MY_LIB_ISA {

static_assert(widest_panel_bytes % (panel_width<float> * sizeof(float)) == 0 &&
                  widest_panel_bytes % (panel_width<double> * sizeof(double)) == 0,
              "workspaces are as large as whole panels need");

// Elements to pack, and multiplications to do, before another thread is worth waking.
constexpr int64_t pack_grain = 32 * 1024, multiply_grain = 256 * 1024;

// Row-major data with `columns` columns, `stride` elements from row to row.
template <typename S> struct Matrix {
    const S *data;
    int64_t columns, stride;
};

// Row-major (rows, depth) to depth rows of `width` elements; missing rows become zeros. With Lane = bfloat16_pair each
// of the elements is a pair, and an odd last column is left out.
template <typename S, typename Lane = S>
void pack_rows(Matrix<S> from, int64_t rows, int64_t width, Arithmetic<S> *to) {
    using T = Arithmetic<S>;
    constexpr int64_t step = sizeof(Lane) / sizeof(S);
    assert(width % lanes<T> == 0 && rows > 0 && rows <= width);
    const int64_t columns = from.columns / step;
    for (int64_t row = 0; row < width; row += lanes<T>) {
        const int64_t present = rows - row < lanes<T> ? rows - row : lanes<T>;
        const auto source = [=](int64_t i, int64_t p) __attribute__((always_inline)) {
            return reinterpret_cast<const Lane *>(from.data + (row + i) * from.stride + p * step);
        };
        Vec<T> square[lanes<T>];
        int64_t p = 0;
        if (present == lanes<T>) {
            for (; p + lanes<T> <= columns; p += lanes<T>) {
#pragma GCC unroll 16
                for (int i = 0; i < lanes<T>; ++i) square[i] = load(source(i, p));
                transpose<T>(square);
#pragma GCC unroll 16
                for (int i = 0; i < lanes<T>; ++i) store(to + (p + i) * width + row, square[i]);
            }
        }
        for (; p < columns; p += lanes<T>) {
            const Some<T> part = some<T>(columns, p);
            for (int i = 0; i < lanes<T>; ++i) square[i] = i < present ? part.load(source(i, p)) : Vec<T>{};
            transpose<T>(square);
            for (int i = 0; i < part.count; ++i) store(to + (p + i) * width + row, square[i]);
        }
    }
}

// Copies a panel of `columns` columns and `depth` rows, padded with zeros to panel_width.
template <typename S>
void pack_column_panel(const S *from, int64_t from_stride, int64_t depth, int64_t columns, Arithmetic<S> *to) {
    using T = Arithmetic<S>;
    constexpr int64_t width = panel_width<T>;
    assert(columns > 0 && columns <= width);
    for (int64_t p = 0; p < depth; ++p, from += from_stride, to += width) {
        Vec<T> line[wide];
        if (columns == width) {
#pragma GCC unroll 4
            for (int v = 0; v < wide; ++v) line[v] = load(from + v * lanes<T>);
        } else {
            S some[width] = {};
            __builtin_memcpy(some, from, static_cast<size_t>(columns) * sizeof(S));
#pragma GCC unroll 4
            for (int v = 0; v < wide; ++v) line[v] = load(some + v * lanes<T>);
        }
        __builtin_memcpy(to, line, sizeof line);
    }
}

}  // namespace MY_LIB_ISA
}  // namespace my_lib
