// c_api/my_lib/gemm/pack.h: operands rearranged into panels, which the register tile reads front to back.
#pragma once

#include "runtime/threads.h"
#include "gemm/tile.h"
#include "gemm/workspace.h"

namespace my_lib {
namespace MY_LIB_ISA {

// Elements to pack, and multiplications to do, before another thread is worth waking.
constexpr int64_t pack_grain = 32 * 1024, multiply_grain = 256 * 1024;

// Row-major data with `columns` columns, `stride` elements from row to row.
template <typename T> struct Matrix {
    const T *data;
    int64_t columns, stride;
};

// Row-major (rows, depth) to depth rows of `width` elements, `to_stride` elements apart; missing rows become zeros.
template <typename T> void pack_rows(Matrix<T> from, int64_t rows, int64_t width, T *to) {
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

// Copies a panel of `columns` columns and `depth` rows, padded with zeros to panel_width<T>.
template <typename T>
void pack_column_panel(const T *from, int64_t from_stride, int64_t depth, int64_t columns, T *to) {
    constexpr int64_t width = panel_width<T>;
    for (int64_t p = 0; p < depth; ++p, from += from_stride, to += width) {
        Vec<T> line[wide] = {};
        if (columns == width) __builtin_memcpy(line, from, sizeof line);
        else __builtin_memcpy(line, from, static_cast<size_t>(columns) * sizeof(T));
        __builtin_memcpy(to, line, sizeof line);
    }
}

}  // namespace MY_LIB_ISA
}  // namespace my_lib
