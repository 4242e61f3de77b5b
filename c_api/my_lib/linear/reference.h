// c_api/my_lib/linear/reference.h: linear and its gradients, written as my_lib.h describes them.
//
// What linear.cpp and linear.cu compute, without vectors, threads or workspace. No array but
// `bias` may be NULL here.
#pragma once

#include "linear/linear.h"

namespace my_lib {
namespace reference {

template <typename T> void linear_forward(const LinearForward<T> &a) {
    const auto [batch, in_features, out_features] = a.sizes;
    for (int64_t b = 0; b < batch; ++b)
        for (int64_t o = 0; o < out_features; ++o) {
            T sum = a.bias ? a.bias[o] : T(0);
            for (int64_t i = 0; i < in_features; ++i)
                sum += a.input[b * in_features + i] * a.weight[o * in_features + i];
            a.output[b * out_features + o] = sum;
        }
}

template <typename T> void linear_backward(const LinearBackward<T> &a) {
    const auto [batch, in_features, out_features] = a.sizes;
    for (int64_t b = 0; b < batch; ++b)
        for (int64_t i = 0; i < in_features; ++i) {
            T sum = 0;
            for (int64_t o = 0; o < out_features; ++o)
                sum += a.grad_output[b * out_features + o] * a.weight[o * in_features + i];
            a.grad_input[b * in_features + i] = sum;
        }
    for (int64_t o = 0; o < out_features; ++o) {
        for (int64_t i = 0; i < in_features; ++i) {
            T sum = 0;
            for (int64_t b = 0; b < batch; ++b)
                sum += a.grad_output[b * out_features + o] * a.input[b * in_features + i];
            a.grad_weight[o * in_features + i] = sum;
        }
        T sum = 0;
        for (int64_t b = 0; b < batch; ++b) sum += a.grad_output[b * out_features + o];
        a.grad_bias[o] = sum;
    }
}

}  // namespace reference
}  // namespace my_lib
