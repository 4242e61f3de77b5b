// c_api/my_lib/add/add.cu: output = input1 + input2, and the gradient that passes through.
#include "add/add.h"

#include "elementwise/pointwise.cuh"
#include "my_lib_cuda.h"

namespace my_lib {
namespace {

struct Add {
    template <typename T> __device__ void operator()(const T (&x)[2], T (&y)[1]) const { y[0] = math::add(x[0], x[1]); }
};

struct PassOn {
    template <typename T> __device__ void operator()(const T (&x)[1], T (&y)[2]) const { y[0] = y[1] = x[0]; }
};

template <typename T> int forward(const BinaryForward<T> &a, void *stream) {
    int64_t size;
    return check_arguments(a, &size) &&
           pointwise<T, 2, 1>({{a.input1, a.input2}, {a.output}}, size, Add(), stream);
}

template <typename T> int backward(const BinaryBackward<T> &a, void *stream) {
    int64_t size;
    if (!check_arguments(a, &size)) return 0;
    T *const first = a.grad_input1 == a.grad_output ? nullptr : a.grad_input1;
    T *const second = a.grad_input2 == a.grad_output ? nullptr : a.grad_input2;
    return (!first && !second) || pointwise<T, 1, 2>({{a.grad_output}, {first, second}}, size, PassOn(), stream);
}

}  // namespace
}  // namespace my_lib

// Each entry point twice, for float and, with _f64 in its name, for double.
#define MY_LIB_ADD(T, suffix)                                                                                          \
    int my_lib_add_forward##suffix(const T *input1, const int64_t *shape1, int64_t ndim1, const T *input2,             \
                                   const int64_t *shape2, int64_t ndim2, T *output, void *stream) {                    \
        return my_lib::forward<T>({input1, shape1, ndim1, input2, shape2, ndim2, output}, stream);                     \
    }                                                                                                                  \
    int my_lib_add_backward##suffix(const T *grad_output, const int64_t *shape, int64_t ndim, T *grad_input1,          \
                                    T *grad_input2, void *stream) {                                                    \
        return my_lib::backward<T>({grad_output, shape, ndim, grad_input1, grad_input2}, stream);                      \
    }

MY_LIB_ADD(float, _cuda)
MY_LIB_ADD(double, _f64_cuda)
