// examples/cuda/softmax.cu: softmax of the rows of a matrix, and its gradient. One block of threads works on one row.
#include "softmax.h"

constexpr int THREADS = 128;

struct Sum {
    template <typename T> __device__ T operator()(T a, T b) const { return a + b; }
};
struct Maximum {
    template <typename T> __device__ T operator()(T a, T b) const { return a < b ? b : a; }
};

// The sum or the maximum of the values of all threads, for all of them. parts: THREADS numbers of shared memory.
template <typename Operation, typename T> __device__ T reduce(T value, T *parts) {
    parts[threadIdx.x] = value;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) parts[threadIdx.x] = Operation()(parts[threadIdx.x], parts[threadIdx.x + half]);
        __syncthreads();
    }
    const T result = parts[0];
    __syncthreads();  // before somebody writes to parts again
    return result;
}

template <typename T> __global__ void forward_kernel(const T *x, T *y, int columns) {
    __shared__ T parts[THREADS];
    x += blockIdx.x * columns;
    y += blockIdx.x * columns;
    T largest = x[0], sum = 0;
    for (int i = threadIdx.x; i < columns; i += THREADS) largest = Maximum()(largest, x[i]);
    largest = reduce<Maximum>(largest, parts);
    for (int i = threadIdx.x; i < columns; i += THREADS) sum += exp(x[i] - largest);
    sum = reduce<Sum>(sum, parts);
    for (int i = threadIdx.x; i < columns; i += THREADS) y[i] = exp(x[i] - largest) / sum;
}

template <typename T> __global__ void backward_kernel(const T *grad_y, const T *y, T *grad_x, int columns) {
    __shared__ T parts[THREADS];
    grad_y += blockIdx.x * columns;
    y += blockIdx.x * columns;
    grad_x += blockIdx.x * columns;
    T sum = 0;
    for (int i = threadIdx.x; i < columns; i += THREADS) sum += grad_y[i] * y[i];
    sum = reduce<Sum>(sum, parts);
    for (int i = threadIdx.x; i < columns; i += THREADS) grad_x[i] = (grad_y[i] - sum) * y[i];
}

template <typename T> void softmax_forward(const T *x, T *y, int rows, int columns, cudaStream_t stream) {
    forward_kernel<<<rows, THREADS, 0, stream>>>(x, y, columns);
}
template <typename T>
void softmax_backward(const T *grad_y, const T *y, T *grad_x, int rows, int columns, cudaStream_t stream) {
    backward_kernel<<<rows, THREADS, 0, stream>>>(grad_y, y, grad_x, columns);
}

template void softmax_forward(const float *, float *, int, int, cudaStream_t);
template void softmax_forward(const double *, double *, int, int, cudaStream_t);
template void softmax_backward(const float *, const float *, float *, int, int, cudaStream_t);
template void softmax_backward(const double *, const double *, double *, int, int, cudaStream_t);
