// c_api/my_lib/linear/linear.h: the arguments of linear, and their checks.
#pragma once

#include "runtime/arguments.h"

namespace my_lib {

// Products of sizes hold after check_sizes().
struct LinearSizes {
    int64_t batch, in_features, out_features;
};

// The arguments of my_lib_linear_forward, in the order of my_lib.h.
template <typename T> struct LinearForward {
    const T *input, *weight, *bias;
    LinearSizes sizes;
    T *output;
    void *workspace;
    size_t workspace_size;
};

// Those of my_lib_linear_backward.
template <typename T> struct LinearBackward {
    const T *grad_output, *input, *weight;
    LinearSizes sizes;
    T *grad_input, *grad_weight, *grad_bias;
    void *workspace;
    size_t workspace_size;
};

template <typename T> bool check_sizes(const LinearSizes &s) {
    return check_size("batch", s.batch) && check_size("in_features", s.in_features) &&
           check_size("out_features", s.out_features) && check_array_size<T>("input", {s.batch, s.in_features}) &&
           check_array_size<T>("weight", {s.out_features, s.in_features}) &&
           check_array_size<T>("output", {s.batch, s.out_features}) &&
           check_array_size<T>("bias", {s.out_features});  // the others may have no element
}

// `needed` bytes of workspace, here and below: SIZE_MAX where the sizes are impossible, with the error set.
template <typename T> bool check_arguments(const LinearForward<T> &a, size_t needed) {
    const LinearSizes &s = a.sizes;
    return needed != SIZE_MAX && check_array("input", a.input, s.batch * s.in_features) &&
           check_array("weight", a.weight, s.out_features * s.in_features) && check_optional("bias", a.bias) &&
           check_array("output", a.output, s.batch * s.out_features) &&
           check_workspace(a.workspace, a.workspace_size, needed);
}

template <typename T> bool check_arguments(const LinearBackward<T> &a, size_t needed) {
    const LinearSizes &s = a.sizes;
    return needed != SIZE_MAX && check_array("grad_output", a.grad_output, s.batch * s.out_features) &&
           check_array("input", a.input, a.grad_weight ? s.batch * s.in_features : 0) &&
           check_array("weight", a.weight, a.grad_input ? s.out_features * s.in_features : 0) &&
           check_optional("grad_input", a.grad_input) && check_optional("grad_weight", a.grad_weight) &&
           check_optional("grad_bias", a.grad_bias) && check_workspace(a.workspace, a.workspace_size, needed);
}

}  // namespace my_lib
