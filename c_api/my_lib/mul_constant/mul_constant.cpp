// c_api/my_lib/mul_constant/mul_constant.cpp: output = input * constant, and its gradient, which is the same product.
#include "runtime/isa.h"

#include "mul_constant/mul_constant.h"
#include "runtime/threads.h"

namespace my_lib {

MY_LIB_EVERY_ISA(template <typename T> void mul_constant(const T *input, int64_t size, T constant, T *output);)

namespace MY_LIB_ISA {

template <typename T> void mul_constant(const T *input, int64_t size, T constant, T *output) {
    parallel_for(size, elementwise_grain, [=](int64_t begin, int64_t end) {
#pragma GCC ivdep
        for (int64_t i = begin; i < end; ++i) output[i] = input[i] * constant;
    });
}

template void mul_constant(const float *, int64_t, float, float *);
template void mul_constant(const double *, int64_t, double, double *);

}  // namespace MY_LIB_ISA
}  // namespace my_lib

#if MY_LIB_ENTRY_POINTS

namespace my_lib {
namespace {

template <typename T> int forward(const MulConstantForward<T> &a) {
    int64_t size;
    if (!check_arguments(a, &size) || !check_cpu()) return 0;
    MY_LIB_CHOOSE(mul_constant<T>)(a.input, size, static_cast<T>(a.constant), a.output);
    return 1;
}

template <typename T> int backward(const MulConstantBackward<T> &a) {
    int64_t size;
    if (!check_arguments(a, &size) || !check_cpu()) return 0;
    if (a.grad_input) MY_LIB_CHOOSE(mul_constant<T>)(a.grad_output, size, static_cast<T>(a.constant), a.grad_input);
    return 1;
}

}  // namespace
}  // namespace my_lib

// Each entry point twice, for float and, with the suffix _f64, for double.
#define MY_LIB_MUL_CONSTANT(T, suffix)                                                                                 \
    int my_lib_mul_constant_forward##suffix(const T *input, const int64_t *shape, int64_t ndim, double constant,       \
                                            T *output) {                                                               \
        return my_lib::forward<T>({input, shape, ndim, constant, output});                                             \
    }                                                                                                                  \
    int my_lib_mul_constant_backward##suffix(const T *grad_output, const int64_t *shape, int64_t ndim,                 \
                                             double constant, T *grad_input) {                                         \
        return my_lib::backward<T>({grad_output, shape, ndim, constant, grad_input});                                  \
    }

MY_LIB_MUL_CONSTANT(float, )
MY_LIB_MUL_CONSTANT(double, _f64)

#endif
