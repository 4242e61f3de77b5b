// c_api/my_lib/gemm/affine.h: output = input weight^T + bias.
#pragma once

#include "gemm/gemm_transposed.h"

namespace my_lib {
namespace MY_LIB_ISA {

// output = input weight^T + bias. The rows of weight are weight_stride elements apart; bias may be null. `packed` has
// packed_bytes<T>(batch, in_features).
template <typename T>
void affine(const T *input, const T *weight, int64_t weight_stride, const T *bias, int64_t batch, int64_t in_features,
            int64_t out_features, T *output, T *packed) {
    const Matrix<T> x[2] = {{input, in_features, in_features}, {nullptr, 0, 0}};
    multiply_transposed<T, false>(
        x, batch, weight, weight_stride, out_features, packed,
        [=](const Block<T> &block, int64_t first_row, int64_t rows, Columns part) {
            for (int group = 0; group < part.group_count; ++group) {
                const int64_t column = part.first + group * part.group_offset;
                const Some<T> present = {part.columns};
                const Vec<T> shift = bias ? present.load(bias + column) : Vec<T>{};
                for (int64_t row = 0; row < rows; ++row)
                    present.store(output + (first_row + row) * out_features + column,
                               load<T>(&block[group][row * lanes<T>]) + shift);
            }
        });
}

}  // namespace MY_LIB_ISA
}  // namespace my_lib
