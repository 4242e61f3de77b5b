// c_api/my_lib/elementwise/elementwise.h: the checks of the elementwise operators' arguments, the same for every device.
#pragma once

#include "runtime/arguments.h"

namespace my_lib {

// output = f(input1, input2); *count is the number of elements, here and below.
template <typename T>
bool check_binary(const T *input1, const int64_t *shape1, int64_t ndim1, const T *input2, const int64_t *shape2,
                  int64_t ndim2, const T *output, int64_t *count) {
    return check_shape("input1", shape1, ndim1, sizeof(T), count) &&
           check_shape("input2", shape2, ndim2, sizeof(T), count) &&
           check_same_shape("input2", shape2, ndim2, shape1, ndim1) && check_array("input1", input1, *count) &&
           check_array("input2", input2, *count) && check_array("output", output, *count);
}

template <typename T>
bool check_binary_backward(const T *grad_output, const int64_t *shape, int64_t ndim, const T *grad_input1,
                           const T *grad_input2, int64_t *count) {
    return check_shape("grad_output", shape, ndim, sizeof(T), count) &&
           check_array("grad_output", grad_output, *count) && check_optional("grad_input1", grad_input1) &&
           check_optional("grad_input2", grad_input2);
}

// output = f(input)
template <typename T>
bool check_unary(const T *input, const int64_t *shape, int64_t ndim, const T *output, int64_t *count) {
    return check_shape("input", shape, ndim, sizeof(T), count) && check_array("input", input, *count) &&
           check_array("output", output, *count);
}

template <typename T>
bool check_unary_backward(const T *grad_output, const int64_t *shape, int64_t ndim, const T *grad_input,
                          int64_t *count) {
    return check_shape("grad_output", shape, ndim, sizeof(T), count) &&
           check_array("grad_output", grad_output, *count) && check_optional("grad_input", grad_input);
}

template <typename T>
bool check_cube_backward(const T *grad_output, const T *grad_derivative, const T *input, const int64_t *shape,
                         int64_t ndim, const T *grad_input, int64_t *count) {
    return check_shape("input", shape, ndim, sizeof(T), count) && check_array("grad_output", grad_output, *count) &&
           check_optional("grad_derivative", grad_derivative) && check_array("input", input, *count) &&
           check_optional("grad_input", grad_input);
}

}  // namespace my_lib
