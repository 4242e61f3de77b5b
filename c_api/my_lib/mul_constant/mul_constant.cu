// c_api/my_lib/mul_constant/mul_constant.cu: output = input * constant, and its gradient, which is the same product.
#include "mul_constant/mul_constant.h"

#include "elementwise/pointwise.cuh"
#include "my_lib_cuda.h"

namespace my_lib {
namespace {

template <typename T> struct Multiply {
    T constant;
    __device__ void operator()(const T (&x)[1], T (&y)[1]) const { y[0] = x[0] * constant; }
};

template <typename T> int multiply(const T *input, int64_t size, double constant, T *output, void *stream) {
    return pointwise<T, 1, 1>({{input}, {output}}, size, Multiply<T>{static_cast<T>(constant)}, stream);
}

template <typename T> int forward(const MulConstantForward<T> &a, void *stream) {
    int64_t size;
    return check_arguments(a, &size) && multiply(a.input, size, a.constant, a.output, stream);
}

template <typename T> int backward(const MulConstantBackward<T> &a, void *stream) {
    int64_t size;
    return check_arguments(a, &size) &&
           (!a.grad_input || multiply(a.grad_output, size, a.constant, a.grad_input, stream));
}

}  // namespace
}  // namespace my_lib

// Each entry point twice, for float and, with _f64 in its name, for double.
#define MY_LIB_MUL_CONSTANT(T, suffix)                                                                                 \
    int my_lib_mul_constant_forward##suffix(const T *input, const int64_t *shape, int64_t ndim, double constant,       \
                                            T *output, void *stream) {                                                 \
        return my_lib::forward<T>({input, shape, ndim, constant, output}, stream);                                     \
    }                                                                                                                  \
    int my_lib_mul_constant_backward##suffix(const T *grad_output, const int64_t *shape, int64_t ndim,                 \
                                             double constant, T *grad_input, void *stream) {                           \
        return my_lib::backward<T>({grad_output, shape, ndim, constant, grad_input}, stream);                          \
    }

MY_LIB_MUL_CONSTANT(float, _cuda)
MY_LIB_MUL_CONSTANT(double, _f64_cuda)
