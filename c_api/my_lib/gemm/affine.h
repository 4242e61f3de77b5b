// c_api/my_lib/gemm/affine.h: output = input weight^T + bias.
#pragma once

#include "gemm/gemm_transposed.h"

namespace my_lib {
namespace MY_LIB_ISA {

// output = input weight^T + bias. The rows of weight are weight_stride elements apart; bias may be null. The output's
// type is the input's, or the one in which it is computed. `packed` has packed_bytes<T>(batch, in_features).
template <typename S, typename Output, typename T = Arithmetic<S>>
void affine(const S *input, const S *weight, int64_t weight_stride, const S *bias, int64_t batch, int64_t in_features,
            int64_t out_features, Output *output, T *packed) {
    const Matrix<S> x[2] = {{input, in_features, in_features}, {nullptr, 0, 0}};
    multiply_transposed<S, false>(
        x, batch, weight, weight_stride, out_features, packed,
        [=](const Block<T> &block, int64_t first_row, int64_t rows, Columns part) {
            for (int group = 0; group < part.group_count; ++group) {
                const int64_t column = part.first + group * part.group_offset;
                const Some<T> present = {part.columns};
                const Vec<T> shift = bias ? present.load(bias + column) : Vec<T>{};
                for (int64_t row = 0; row < rows; ++row)
                    present.store(output + (first_row + row) * out_features + column,
                                  load(&block[group][row * lanes<T>]) + shift);
            }
        });
}

}  // namespace MY_LIB_ISA
}  // namespace my_lib
