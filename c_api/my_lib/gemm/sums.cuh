// c_api/my_lib/gemm/sums.cuh: the sums of a matrix's columns, in an order that the sizes alone decide.
#pragma once

#include "runtime/device.cuh"
#include "runtime/workspace.cuh"

namespace my_lib {

constexpr int sum_columns_wide = 32, sum_rows_deep = 8;

// output[part, column] = the sum of the part's rows; a part per blockIdx.y.
template <typename T>
__global__ void __launch_bounds__(sum_columns_wide * sum_rows_deep)
    sum_rows_kernel(const T *input, int64_t rows, int64_t columns, int64_t rows_per_part, T *output) {
    __shared__ T sums[sum_rows_deep][sum_columns_wide];
    const int64_t column = int64_t{blockIdx.x} * sum_columns_wide + threadIdx.x;
    const int64_t first = blockIdx.y * rows_per_part;
    const int64_t end = first + rows_per_part < rows ? first + rows_per_part : rows;
    T sum = 0;
    if (column < columns)
        for (int64_t row = first + threadIdx.y; row < end; row += sum_rows_deep) sum += input[row * columns + column];
    sums[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y != 0 || column >= columns) return;
    for (int i = 1; i < sum_rows_deep; ++i) sum += sums[i][threadIdx.x];
    output[blockIdx.y * columns + column] = sum;
}

// output (columns) = the sum over the rows of input (rows, columns). Long columns are summed in parts first.
template <typename T> class RowSum {
public:
    RowSum(Workspace &workspace, int64_t rows, int64_t columns)
        : rows_(rows), columns_(columns), part_(rows <= long_column ? rows : (rows + most_parts - 1) / most_parts),
          parts_(rows <= long_column ? 1 : (rows + part_ - 1) / part_),
          partial_(workspace.take<T>(parts_ > 1 ? parts_ * columns : 0)) {}

    bool operator()(const T *input, T *output, void *stream) const {
        if (columns_ == 0) return true;
        if (parts_ == 1) return sum(input, rows_, part_, 1, output, stream);
        return sum(input, rows_, part_, parts_, partial_, stream) && sum(partial_, parts_, parts_, 1, output, stream);
    }

private:
    bool sum(const T *input, int64_t rows, int64_t rows_per_part, int64_t parts, T *output, void *stream) const {
        const dim3 grid(static_cast<unsigned>((columns_ + sum_columns_wide - 1) / sum_columns_wide),
                        static_cast<unsigned>(parts));
        return launch(sum_rows_kernel<T>, grid, dim3(sum_columns_wide, sum_rows_deep), stream, input, rows, columns_,
                      rows_per_part, output);
    }

    static constexpr int64_t long_column = 512, most_parts = 256;
    int64_t rows_, columns_, part_, parts_;
    T *partial_;
};

}  // namespace my_lib
