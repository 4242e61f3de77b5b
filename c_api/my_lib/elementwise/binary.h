// c_api/my_lib/elementwise/binary.h: the arguments of operators with two inputs, add and scale_add, and their checks.
#pragma once

#include "runtime/arguments.h"

namespace my_lib {

// The arguments of my_lib_add_forward, in the order of my_lib.h.
template <typename T> struct BinaryForward {
    const T *input1;
    const int64_t *shape1;
    int64_t ndim1;
    const T *input2;
    const int64_t *shape2;
    int64_t ndim2;
    T *output;
};

// Those of my_lib_add_backward.
template <typename T> struct BinaryBackward {
    const T *grad_output;
    const int64_t *shape;
    int64_t ndim;
    T *grad_input1, *grad_input2;
};

// *count is the number of elements, here and below.
template <typename T> bool check_arguments(const BinaryForward<T> &a, int64_t *count) {
    return check_shape("input1", a.shape1, a.ndim1, sizeof(T), count) &&
           check_shape("input2", a.shape2, a.ndim2, sizeof(T), count) &&
           check_same_shape("input2", a.shape2, a.ndim2, a.shape1, a.ndim1) &&
           check_array("input1", a.input1, *count) && check_array("input2", a.input2, *count) &&
           check_array("output", a.output, *count);
}

template <typename T> bool check_arguments(const BinaryBackward<T> &a, int64_t *count) {
    return check_shape("grad_output", a.shape, a.ndim, sizeof(T), count) &&
           check_array("grad_output", a.grad_output, *count) && check_optional("grad_input1", a.grad_input1) &&
           check_optional("grad_input2", a.grad_input2);
}

}  // namespace my_lib
