// c_api/my_lib/cube/cube.cu: output = input^3 with its derivative, and the gradient through both.
#include "cube/cube.h"

#include "elementwise/pointwise.cuh"
#include "my_lib_cuda.h"

namespace my_lib {
namespace {

struct Cube {
    template <typename T> __device__ void operator()(const T (&x)[1], T (&y)[2]) const {
        y[0] = math::cube(x[0]);
        y[1] = math::cube_derivative(x[0]);
    }
};

// x: input, grad_output, grad_derivative
struct CubeGradient {
    bool through_derivative;

    template <typename T> __device__ void operator()(const T (&x)[3], T (&y)[1]) const {
        y[0] = x[1] * math::cube_derivative(x[0]);
        if (through_derivative) y[0] += x[2] * math::cube_second_derivative(x[0]);
    }
};

template <typename T> int forward(const CubeForward<T> &a, void *stream) {
    int64_t size;
    return check_arguments(a, &size) &&
           pointwise<T, 1, 2>({{a.input}, {a.output, a.derivative}}, size, Cube(), stream);
}

template <typename T> int backward(const CubeBackward<T> &a, void *stream) {
    int64_t size;
    return check_arguments(a, &size) &&
           (!a.grad_input || pointwise<T, 3, 1>({{a.input, a.grad_output, a.grad_derivative}, {a.grad_input}}, size,
                                                CubeGradient{a.grad_derivative != nullptr}, stream));
}

}  // namespace
}  // namespace my_lib

// Each entry point twice, for float and, with _f64 in its name, for double.
#define MY_LIB_CUBE(T, suffix)                                                                                         \
    int my_lib_cube_forward##suffix(const T *input, const int64_t *shape, int64_t ndim, T *output, T *derivative,      \
                                    void *stream) {                                                                    \
        return my_lib::forward<T>({input, shape, ndim, output, derivative}, stream);                                   \
    }                                                                                                                  \
    int my_lib_cube_backward##suffix(const T *grad_output, const T *grad_derivative, const T *input,                   \
                                     const int64_t *shape, int64_t ndim, T *grad_input, void *stream) {                \
        return my_lib::backward<T>({grad_output, grad_derivative, input, shape, ndim, grad_input}, stream);            \
    }

MY_LIB_CUBE(float, _cuda)
MY_LIB_CUBE(double, _f64_cuda)
