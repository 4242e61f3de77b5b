// c_api/my_lib/add/add.cu: output = input1 + input2, and the gradient that passes through.
#include "elementwise/elementwise.h"
#include "elementwise/arithmetic.h"
#include "my_lib_cuda.h"
#include "elementwise/pointwise.cuh"

namespace my_lib {
namespace {

struct Add {
    template <typename T> __device__ void operator()(const T (&x)[2], T (&y)[1]) const { y[0] = math::add(x[0], x[1]); }
};

struct PassOn {
    template <typename T> __device__ void operator()(const T (&x)[1], T (&y)[2]) const { y[0] = y[1] = x[0]; }
};

template <typename T>
int forward(const T *input1, const int64_t *shape1, int64_t ndim1, const T *input2, const int64_t *shape2,
            int64_t ndim2, T *output, void *stream) {
    int64_t size;
    return check_binary(input1, shape1, ndim1, input2, shape2, ndim2, output, &size) &&
           pointwise<T, 2, 1>({{input1, input2}, {output}}, size, Add(), stream);
}

template <typename T>
int backward(const T *grad_output, const int64_t *shape, int64_t ndim, T *grad_input1, T *grad_input2, void *stream) {
    int64_t size;
    if (!check_binary_backward(grad_output, shape, ndim, grad_input1, grad_input2, &size)) return 0;
    T *const first = grad_input1 == grad_output ? nullptr : grad_input1;
    T *const second = grad_input2 == grad_output ? nullptr : grad_input2;
    return (!first && !second) || pointwise<T, 1, 2>({{grad_output}, {first, second}}, size, PassOn(), stream);
}

}  // namespace
}  // namespace my_lib

// Each entry point twice, for float and, with _f64 in its name, for double.
#define MY_LIB_ADD(T, suffix)                                                                                          \
    int my_lib_add_forward##suffix(const T *input1, const int64_t *shape1, int64_t ndim1, const T *input2,             \
                                   const int64_t *shape2, int64_t ndim2, T *output, void *stream) {                    \
        return my_lib::forward(input1, shape1, ndim1, input2, shape2, ndim2, output, stream);                          \
    }                                                                                                                  \
    int my_lib_add_backward##suffix(const T *grad_output, const int64_t *shape, int64_t ndim, T *grad_input1,          \
                                    T *grad_input2, void *stream) {                                                    \
        return my_lib::backward(grad_output, shape, ndim, grad_input1, grad_input2, stream);                           \
    }

MY_LIB_ADD(float, _cuda)
MY_LIB_ADD(double, _f64_cuda)
