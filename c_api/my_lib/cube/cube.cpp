// c_api/my_lib/cube/cube.cpp: output = input^3 with its derivative, and the gradient through both.
#include "runtime/isa.h"

#include "cube/cube.h"
#include "runtime/threads.h"

namespace my_lib {

MY_LIB_EVERY_ISA(
    template <typename T> void cube_forward(const T *input, int64_t size, T *output, T *derivative);
    template <typename T> void cube_backward(const T *grad_output, const T *grad_derivative, const T *input,
                                             int64_t size, T *grad_input);)

namespace MY_LIB_ISA {

template <typename T> void cube_forward(const T *input, int64_t size, T *output, T *derivative) {
    parallel_for(size, elementwise_grain, [=](int64_t begin, int64_t end) {
#pragma GCC ivdep
        for (int64_t i = begin; i < end; ++i) {
            const T x = input[i];
            output[i] = math::cube(x);
            if (derivative) derivative[i] = math::cube_derivative(x);
        }
    });
}

template <typename T>
void cube_backward(const T *grad_output, const T *grad_derivative, const T *input, int64_t size, T *grad_input) {
    parallel_for(size, elementwise_grain, [=](int64_t begin, int64_t end) {
#pragma GCC ivdep
        for (int64_t i = begin; i < end; ++i) {
            const T x = input[i];
            T gradient = grad_output[i] * math::cube_derivative(x);
            if (grad_derivative) gradient += grad_derivative[i] * math::cube_second_derivative(x);
            grad_input[i] = gradient;
        }
    });
}

template void cube_forward(const float *, int64_t, float *, float *);
template void cube_forward(const double *, int64_t, double *, double *);
template void cube_backward(const float *, const float *, const float *, int64_t, float *);
template void cube_backward(const double *, const double *, const double *, int64_t, double *);

}  // namespace MY_LIB_ISA
}  // namespace my_lib

#if MY_LIB_ENTRY_POINTS

namespace my_lib {
namespace {

template <typename T> int forward(const CubeForward<T> &a) {
    int64_t size;
    if (!check_arguments(a, &size) || !check_cpu()) return 0;
    MY_LIB_CHOOSE(cube_forward<T>)(a.input, size, a.output, a.derivative);
    return 1;
}

template <typename T> int backward(const CubeBackward<T> &a) {
    int64_t size;
    if (!check_arguments(a, &size) || !check_cpu()) return 0;
    if (a.grad_input)
        MY_LIB_CHOOSE(cube_backward<T>)(a.grad_output, a.grad_derivative, a.input, size, a.grad_input);
    return 1;
}

}  // namespace
}  // namespace my_lib

// Each entry point twice, for float and, with the suffix _f64, for double.
#define MY_LIB_CUBE(T, suffix)                                                                                         \
    int my_lib_cube_forward##suffix(const T *input, const int64_t *shape, int64_t ndim, T *output, T *derivative) {    \
        return my_lib::forward<T>({input, shape, ndim, output, derivative});                                           \
    }                                                                                                                  \
    int my_lib_cube_backward##suffix(const T *grad_output, const T *grad_derivative, const T *input,                   \
                                     const int64_t *shape, int64_t ndim, T *grad_input) {                              \
        return my_lib::backward<T>({grad_output, grad_derivative, input, shape, ndim, grad_input});                    \
    }

MY_LIB_CUBE(float, )
MY_LIB_CUBE(double, _f64)

#endif
