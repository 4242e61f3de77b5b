// c_api/my_lib/mul_constant/mul_constant.cpp: output = input * constant, and its gradient, which is the same product.
#include "runtime/isa.h"

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

#include "elementwise/elementwise.h"

namespace my_lib {
namespace {

template <typename T>
int forward(const T *input, const int64_t *shape, int64_t ndim, double constant, T *output) {
    int64_t size;
    if (!check_unary(input, shape, ndim, output, &size)) return 0;
    MY_LIB_CHOOSE(mul_constant<T>)(input, size, static_cast<T>(constant), output);
    return 1;
}

template <typename T>
int backward(const T *grad_output, const int64_t *shape, int64_t ndim, double constant, T *grad_input) {
    int64_t size;
    if (!check_unary_backward(grad_output, shape, ndim, grad_input, &size)) return 0;
    if (grad_input) MY_LIB_CHOOSE(mul_constant<T>)(grad_output, size, static_cast<T>(constant), grad_input);
    return 1;
}

}  // namespace
}  // namespace my_lib

int my_lib_mul_constant_forward(const float *input, const int64_t *shape, int64_t ndim, double constant,
                                float *output) {
    return my_lib::forward(input, shape, ndim, constant, output);
}

int my_lib_mul_constant_forward_f64(const double *input, const int64_t *shape, int64_t ndim, double constant,
                                    double *output) {
    return my_lib::forward(input, shape, ndim, constant, output);
}

int my_lib_mul_constant_backward(const float *grad_output, const int64_t *shape, int64_t ndim, double constant,
                                 float *grad_input) {
    return my_lib::backward(grad_output, shape, ndim, constant, grad_input);
}

int my_lib_mul_constant_backward_f64(const double *grad_output, const int64_t *shape, int64_t ndim, double constant,
                                     double *grad_input) {
    return my_lib::backward(grad_output, shape, ndim, constant, grad_input);
}

#endif
