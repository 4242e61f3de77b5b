// c_api/my_lib/runtime/grid.cuh: loops over the rows and columns of a matrix, a pack of columns per thread.
#pragma once

#include "runtime/device.cuh"
#include "runtime/pack.cuh"

namespace my_lib {

constexpr int grid_columns = 32, grid_rows = 8, grid_threads = grid_columns * grid_rows;

// body(row, column) for every row and every width-th column.
template <int width, typename Body> __device__ void for_each_pack(int64_t rows, int64_t columns, Body body) {
    const int64_t row_step = int64_t{gridDim.y} * grid_rows, column_step = int64_t{gridDim.x} * grid_columns * width;
    for (int64_t row = int64_t{blockIdx.y} * grid_rows + threadIdx.y; row < rows; row += row_step)
        for (int64_t column = (int64_t{blockIdx.x} * grid_columns + threadIdx.x) * width; column < columns;
             column += column_step)
            body(row, column);
}

// The kernel with its last arguments (rows, columns) on the grid that such a loop runs on. No launch without work.
template <typename Kernel, typename... Arguments>
bool launch_rows(Kernel kernel, int width, int64_t rows, int64_t columns, void *stream, Arguments... arguments) {
    if (rows == 0 || columns == 0) return true;
    constexpr int64_t most = 65535;
    const int64_t packs = columns / width, x = (packs + grid_columns - 1) / grid_columns;
    const int64_t y = (rows + grid_rows - 1) / grid_rows;
    return launch(kernel, dim3(static_cast<unsigned>(x < most ? x : most), static_cast<unsigned>(y < most ? y : most)),
                  dim3(grid_columns, grid_rows), stream, arguments..., rows, columns);
}

}  // namespace my_lib
