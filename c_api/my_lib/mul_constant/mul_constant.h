// c_api/my_lib/mul_constant/mul_constant.h: the arguments of mul_constant, and their checks.
#pragma once

#include "runtime/arguments.h"

namespace my_lib {

// The arguments of my_lib_mul_constant_forward, in the order of my_lib.h.
template <typename T> struct MulConstantForward {
    const T *input;
    const int64_t *shape;
    int64_t ndim;
    double constant;
    T *output;
};

// Those of my_lib_mul_constant_backward.
template <typename T> struct MulConstantBackward {
    const T *grad_output;
    const int64_t *shape;
    int64_t ndim;
    double constant;
    T *grad_input;
};

// *count is the number of elements, here and below.
template <typename T> bool check_arguments(const MulConstantForward<T> &a, int64_t *count) {
    return check_shape("input", a.shape, a.ndim, sizeof(T), count) && check_array("input", a.input, *count) &&
           check_array("output", a.output, *count);
}

template <typename T> bool check_arguments(const MulConstantBackward<T> &a, int64_t *count) {
    return check_shape("grad_output", a.shape, a.ndim, sizeof(T), count) &&
           check_array("grad_output", a.grad_output, *count) && check_optional("grad_input", a.grad_input);
}

}  // namespace my_lib
