// c_api/my_lib/cube/cube.h: the arguments of cube, their checks, and its arithmetic. No operation may be fused with
// another.
#pragma once

#include "runtime/arguments.h"
#include "runtime/device_function.h"

namespace my_lib {

// The arguments of my_lib_cube_forward, in the order of my_lib.h.
template <typename T> struct CubeForward {
    const T *input;
    const int64_t *shape;
    int64_t ndim;
    T *output, *derivative;
};

// Those of my_lib_cube_backward.
template <typename T> struct CubeBackward {
    const T *grad_output, *grad_derivative, *input;
    const int64_t *shape;
    int64_t ndim;
    T *grad_input;
};

// *count is the number of elements, here and below.
template <typename T> bool check_arguments(const CubeForward<T> &a, int64_t *count) {
    return check_shape("input", a.shape, a.ndim, sizeof(T), count) && check_array("input", a.input, *count) &&
           check_array("output", a.output, *count) && check_optional("derivative", a.derivative);
}

template <typename T> bool check_arguments(const CubeBackward<T> &a, int64_t *count) {
    return check_shape("input", a.shape, a.ndim, sizeof(T), count) &&
           check_array("grad_output", a.grad_output, *count) &&
           check_optional("grad_derivative", a.grad_derivative) && check_array("input", a.input, *count) &&
           check_optional("grad_input", a.grad_input);
}

namespace math {

template <typename T> MY_LIB_MATH T cube(T x) { return x * x * x; }
template <typename T> MY_LIB_MATH T cube_derivative(T x) { return T(3) * x * x; }
template <typename T> MY_LIB_MATH T cube_second_derivative(T x) { return T(6) * x; }

}  // namespace math
}  // namespace my_lib
