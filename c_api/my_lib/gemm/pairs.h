// c_api/my_lib/gemm/pairs.h: panels of bfloat16 for VDPBF16PS, which multiplies pairs of neighbours.
//
// In each lane the instruction adds the products of two pairs to a float: two steps of the depth at once. A panel has
// the layout of a panel of floats, with a pair (x[2p], x[2p + 1]) in place of each, and half as many rows. Products of
// two bfloat16 are exact in float; subnormal elements and sums count as zero, which is what the instruction does.
#pragma once

#include "gemm/pack.h"

namespace my_lib {
namespace MY_LIB_ISA {

#if defined(__AVX512BF16__)
template <typename S> constexpr bool in_pairs = std::is_same_v<S, bfloat16>;
#else
template <typename S> constexpr bool in_pairs = false;
#endif

// `rows` rows of [X1, X2], the two matrices side by side, from first_row on, to (depth + 1) / 2 rows of `width` pairs.
static inline void pack_pairs(const Matrix<bfloat16> (&parts)[2], int64_t first_row, int64_t rows, int64_t width,
                              float *to) {
    int64_t column = 0;
    for (const Matrix<bfloat16> &part : parts) {
        const Matrix<bfloat16> from = {part.data + first_row * part.stride, part.columns, part.stride};
        int64_t packed = 0;
        if (column % 2 == 0) {
            pack_rows<bfloat16, bfloat16_pair>(from, rows, width, to + column / 2 * width);
            packed = from.columns / 2 * 2;
        }
        // An odd last column, or a part that begins in the middle of a pair: one element at a time.
        for (; packed < from.columns; ++packed) {
            float *pairs = to + (column + packed) / 2 * width;
            const int64_t half = (column + packed) % 2;
            if (!half) __builtin_memset(pairs, 0, static_cast<size_t>(width) * sizeof *pairs);
            for (int64_t row = 0; row < rows; ++row)
                __builtin_memcpy(reinterpret_cast<bfloat16 *>(pairs + row) + half,
                                 from.data + row * from.stride + packed, sizeof(bfloat16));
        }
        column += from.columns;
    }
}

}  // namespace MY_LIB_ISA
}  // namespace my_lib
