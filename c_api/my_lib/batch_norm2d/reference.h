// c_api/my_lib/batch_norm2d/reference.h: batch_norm2d and its gradient, written as my_lib.h describes the first.
//
// What batch_norm2d.cpp and batch_norm2d.cu compute, without vectors or threads. The gradient comes from the quotient
// rule instead of the formula that the kernels simplify it to. The tests run it in long double.
#pragma once

#include "batch_norm2d/batch_norm2d.h"

#include <cmath>
#include <vector>

namespace my_lib {
namespace reference {

// Where the values of a channel lie.
inline std::vector<int64_t> offsets_of_channel(int64_t batch, int64_t channels, int64_t plane, int64_t channel) {
    std::vector<int64_t> offsets;
    for (int64_t b = 0; b < batch; ++b)
        for (int64_t i = 0; i < plane; ++i) offsets.push_back((b * channels + channel) * plane + i);
    return offsets;
}

template <typename T> void batch_norm2d_forward(const BatchNorm2dForward<T> &a) {
    for (int64_t channel = 0; channel < a.channels; ++channel) {
        const auto offsets = offsets_of_channel(a.batch, a.channels, a.height * a.width, channel);
        const T n = static_cast<T>(offsets.size());
        T sum = 0, squares = 0;
        for (const int64_t k : offsets) sum += a.input[k];
        const T mean = sum / n;
        for (const int64_t k : offsets) squares += (a.input[k] - mean) * (a.input[k] - mean);
        const T std = std::sqrt(squares / (n - 1));
        for (const int64_t k : offsets) a.output[k] = (a.input[k] - mean) / (std + static_cast<T>(a.eps));
        a.mean[channel] = mean;
        a.std[channel] = std;
    }
}

// dL/dx_k = sum_j g_j dy_j/dx_k for y_j = (x_j - mean) / (std + eps): quadratic in the size of the channel.
template <typename T> void batch_norm2d_backward(const BatchNorm2dBackward<T> &a) {
    for (int64_t channel = 0; channel < a.channels; ++channel) {
        const auto offsets = offsets_of_channel(a.batch, a.channels, a.height * a.width, channel);
        const T n = static_cast<T>(offsets.size()), mean = a.mean[channel], std = a.std[channel];
        const T s = std + static_cast<T>(a.eps);
        for (const int64_t k : offsets) {
            const T d_std = std == 0 ? T(0) : (a.input[k] - mean) / ((n - 1) * std);
            T sum = 0;
            for (const int64_t j : offsets)
                sum += a.grad_output[j] * (((j == k) - 1 / n) * s - (a.input[j] - mean) * d_std) / (s * s);
            a.grad_input[k] = sum;
        }
    }
}

}  // namespace reference
}  // namespace my_lib
