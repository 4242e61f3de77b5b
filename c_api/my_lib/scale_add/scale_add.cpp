// c_api/my_lib/scale_add/scale_add.cpp: output = 2 * input1 + input2, and its gradients.
#include "runtime/isa.h"

#include "scale_add/scale_add.h"
#include "runtime/threads.h"

namespace my_lib {

MY_LIB_EVERY_ISA(
    template <typename T> void scale_add_forward(const T *input1, const T *input2, int64_t size, T *output);
    template <typename T> void scale_add_backward(const T *grad_output, int64_t size, T *grad_input1,
                                                  T *grad_input2);)

namespace MY_LIB_ISA {

template <typename T> void scale_add_forward(const T *input1, const T *input2, int64_t size, T *output) {
    parallel_for(size, elementwise_grain, [=](int64_t begin, int64_t end) {
#pragma GCC ivdep
        for (int64_t i = begin; i < end; ++i) output[i] = math::scale_add(input1[i], input2[i]);
    });
}

template <typename T> void scale_add_backward(const T *grad_output, int64_t size, T *grad_input1, T *grad_input2) {
    parallel_for(size, elementwise_grain, [=](int64_t begin, int64_t end) {
#pragma GCC ivdep
        for (int64_t i = begin; i < end; ++i) {
            const T gradient = grad_output[i];
            if (grad_input1) grad_input1[i] = T(2) * gradient;
            if (grad_input2) grad_input2[i] = gradient;
        }
    });
}

template void scale_add_forward(const float *, const float *, int64_t, float *);
template void scale_add_forward(const double *, const double *, int64_t, double *);
template void scale_add_backward(const float *, int64_t, float *, float *);
template void scale_add_backward(const double *, int64_t, double *, double *);

}  // namespace MY_LIB_ISA
}  // namespace my_lib

#if MY_LIB_ENTRY_POINTS

namespace my_lib {
namespace {

template <typename T> int forward(const BinaryForward<T> &a) {
    int64_t size;
    if (!check_arguments(a, &size) || !check_cpu()) return 0;
    MY_LIB_CHOOSE(scale_add_forward<T>)(a.input1, a.input2, size, a.output);
    return 1;
}

template <typename T> int backward(const BinaryBackward<T> &a) {
    int64_t size;
    if (!check_arguments(a, &size) || !check_cpu()) return 0;
    if (a.grad_input1 || a.grad_input2)
        MY_LIB_CHOOSE(scale_add_backward<T>)(a.grad_output, size, a.grad_input1, a.grad_input2);
    return 1;
}

}  // namespace
}  // namespace my_lib

// Each entry point twice, for float and, with the suffix _f64, for double.
#define MY_LIB_SCALE_ADD(T, suffix)                                                                                    \
    int my_lib_scale_add_forward##suffix(const T *input1, const int64_t *shape1, int64_t ndim1, const T *input2,       \
                                         const int64_t *shape2, int64_t ndim2, T *output) {                            \
        return my_lib::forward<T>({input1, shape1, ndim1, input2, shape2, ndim2, output});                             \
    }                                                                                                                  \
    int my_lib_scale_add_backward##suffix(const T *grad_output, const int64_t *shape, int64_t ndim, T *grad_input1,    \
                                          T *grad_input2) {                                                            \
        return my_lib::backward<T>({grad_output, shape, ndim, grad_input1, grad_input2});                              \
    }

MY_LIB_SCALE_ADD(float, )
MY_LIB_SCALE_ADD(double, _f64)

#endif
