// c_api/my_lib/elementwise/pointwise.cuh: one kernel for every elementwise operator: 16 bytes at a time, any size.
#pragma once

#include "runtime/device.cuh"
#include "runtime/pack.cuh"

namespace my_lib {

constexpr int pointwise_threads = 256;

// A null input is not read, and f must not use it; a null output is not written.
template <typename T, int inputs, int outputs> struct Arrays {
    const T *input[inputs];
    T *output[outputs];

    bool take_packs() const {
        bool all = true;
        for (const T *pointer : input) all = all && my_lib::take_packs(pointer);
        for (const T *pointer : output) all = all && my_lib::take_packs(pointer);
        return all;
    }
};

// f(input, output) computes one element of each array from one of each.
template <int width, typename T, int inputs, int outputs, typename F>
__device__ void compute_pack(const Arrays<T, inputs, outputs> &arrays, int64_t at, F f) {
    Pack<T, width> in[inputs] = {}, out[outputs];
    for (int k = 0; k < inputs; ++k)
        if (arrays.input[k]) in[k] = load_pack<width>(arrays.input[k] + at);
    for (int i = 0; i < width; ++i) {
        T x[inputs], y[outputs];
        for (int k = 0; k < inputs; ++k) x[k] = in[k].values[i];
        f(x, y);
        for (int k = 0; k < outputs; ++k) out[k].values[i] = y[k];
    }
    for (int k = 0; k < outputs; ++k)
        if (arrays.output[k]) store_pack(arrays.output[k] + at, out[k]);
}

template <int width, typename T, int inputs, int outputs, typename F>
__global__ void __launch_bounds__(pointwise_threads)
    pointwise_kernel(Arrays<T, inputs, outputs> arrays, int64_t size, F f) {
    const int64_t first = int64_t{blockIdx.x} * blockDim.x + threadIdx.x, step = int64_t{gridDim.x} * blockDim.x;
    const int64_t whole = size / width * width;
    for (int64_t i = first * width; i < whole; i += step * width) compute_pack<width>(arrays, i, f);
    for (int64_t i = whole + first; i < size; i += step) compute_pack<1>(arrays, i, f);
}

template <int width, typename T, int inputs, int outputs, typename F>
bool pointwise_with(const Arrays<T, inputs, outputs> &arrays, int64_t size, F f, void *stream) {
    constexpr auto kernel = pointwise_kernel<width, T, inputs, outputs, F>;
    constexpr int64_t each = int64_t{pointwise_threads} * width;
    const int64_t needed = (size + each - 1) / each;
    Device device;
    int64_t resident;
    if (!current_device(&device) || !resident_blocks<kernel>(device, pointwise_threads, &resident)) return false;
    return launch(kernel, static_cast<unsigned>(needed < resident ? needed : resident), pointwise_threads, stream,
                  arrays, size, f);
}

template <typename T, int inputs, int outputs, typename F>
int pointwise(const Arrays<T, inputs, outputs> &arrays, int64_t size, F f, void *stream) {
    if (size == 0) return 1;
    return arrays.take_packs() ? pointwise_with<widest_pack<T>>(arrays, size, f, stream)
                               : pointwise_with<1>(arrays, size, f, stream);
}

}  // namespace my_lib
