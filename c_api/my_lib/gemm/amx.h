// c_api/my_lib/gemm/amx.h: a panel of bfloat16 pairs times rows of W, in the tile registers of AMX.
//
// A tile register has 16 rows of 64 bytes. TDPBF16PS adds to a tile of 16 x 16 floats the product of 16 rows of W, 32
// columns of each, and 16 rows of pairs, which is how gemm/pairs.h packs a panel. Like VDPBF16PS it takes subnormal
// numbers for zero.
#pragma once

#include "gemm/pairs.h"

#include <cassert>

namespace my_lib {
namespace MY_LIB_ISA {

// sums[group][column of the block][row of X]; `columns` of the 16 columns exist.
template <int group_count, int vectors>
void multiply_in_tile_registers(Scalars<bfloat16> weights, int64_t columns, const float *panel, int64_t depth,
                                float (&sums)[group_count][16][vectors * 16]);

#if defined(__AMX_BF16__)
template <typename S> constexpr bool in_tile_registers = std::is_same_v<S, bfloat16>;

// What LDTILECFG reads: here every register is a whole one.
struct alignas(64) TileShapes {
    uint8_t palette = 1, start_row = 0, reserved[14] = {};
    uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

// A tile's worth of an operand that has fewer rows or columns: the rest is zeros.
struct alignas(64) PartialTile {
    unsigned char rows[16][64];

    void fill(const void *from, int64_t row_count, int64_t stride, int64_t row_bytes) {
        assert(row_count <= 16 && row_bytes <= 64);
        __builtin_memset(rows, 0, sizeof rows);
        for (int64_t row = 0; row < row_count; ++row)
            __builtin_memcpy(rows[row], static_cast<const char *>(from) + row * stride,
                             static_cast<size_t>(row_bytes));
    }
};

// The compiler does not see what the instructions read and write.
#define MY_LIB_TILE_MEMORY asm volatile("" ::: "memory")

template <int group_count, int vectors>
void multiply_in_tile_registers(Scalars<bfloat16> weights, int64_t columns, const float *panel, int64_t depth,
                                float (&sums)[group_count][16][vectors * 16]) {
    static_assert(group_count == 1 || group_count == 3, "registers 0 to 2 hold sums, 3 to 5 rows of W, 6 pairs");
    constexpr int64_t width = vectors * 16, step = 32, element = sizeof(bfloat16), pair = sizeof(float);
    assert(columns > 0 && columns <= 16);
    const TileShapes shapes;
    PartialTile partial[4];
    MY_LIB_TILE_MEMORY;
    _tile_loadconfig(&shapes);
    for (int v = 0; v < vectors; ++v) {
        _tile_zero(0);
        _tile_zero(1);
        _tile_zero(2);
        for (int64_t p = 0; p < depth; p += step) {
            const int64_t left = depth - p < step ? depth - p : step;
            const float *pairs = panel + p / 2 * width + v * 16;
            const bfloat16 *w = weights.data + p;
            const void *from[4] = {w, w + weights.group_stride, w + 2 * weights.group_stride, pairs};
            int64_t stride[4] = {weights.row_stride * element, weights.row_stride * element,
                                 weights.row_stride * element, width * pair};
            if (left < step || columns < 16)
                for (int g = 0; g < group_count; ++g) {
                    partial[g].fill(from[g], columns, stride[g], left * element);
                    from[g] = &partial[g], stride[g] = 64;
                }
            if (left < step) {
                partial[3].fill(from[3], (left + 1) / 2, stride[3], 16 * pair);
                from[3] = &partial[3], stride[3] = 64;
            }
            MY_LIB_TILE_MEMORY;
            _tile_loadd(6, from[3], stride[3]);
            _tile_loadd(3, from[0], stride[0]);
            _tile_dpbf16ps(0, 3, 6);
            if constexpr (group_count == 3) {
                _tile_loadd(4, from[1], stride[1]);
                _tile_dpbf16ps(1, 4, 6);
                _tile_loadd(5, from[2], stride[2]);
                _tile_dpbf16ps(2, 5, 6);
            }
            MY_LIB_TILE_MEMORY;
        }
        _tile_stored(0, &sums[0][0][v * 16], width * pair);
        if constexpr (group_count == 3) {
            _tile_stored(1, &sums[1][0][v * 16], width * pair);
            _tile_stored(2, &sums[2][0][v * 16], width * pair);
        }
    }
    _tile_release();
    asm volatile("" : : "r"(&sums[0][0][0]) : "memory");
}

#undef MY_LIB_TILE_MEMORY
#else
template <typename S> constexpr bool in_tile_registers = false;
#endif

}  // namespace MY_LIB_ISA
}  // namespace my_lib
