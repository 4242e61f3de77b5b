// examples/cuda/softmax.h: kernels for float and double. Arrays are row-major, of rows * columns numbers, on the device.
#pragma once

#include <cuda_runtime.h>

// y = softmax(x)
template <typename T> void softmax_forward(const T *x, T *y, int rows, int columns, cudaStream_t stream);

// grad_x = (grad_y - sum(grad_y * y)) * y
template <typename T>
void softmax_backward(const T *grad_y, const T *y, T *grad_x, int rows, int columns, cudaStream_t stream);
