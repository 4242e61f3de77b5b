// c_api/my_lib/linear/linear.cpp: output = input weight^T + bias, and its three gradients.
#include "runtime/isa.h"

#include "gemm/affine.h"
#include "gemm/gemm.h"
#include "linear/linear.h"

namespace my_lib {

MY_LIB_EVERY_ISA(
    template <typename T> void linear_forward(const LinearForward<T> &a);
    template <typename T> void linear_backward(const LinearBackward<T> &a);)

namespace MY_LIB_ISA {

template <typename T> void linear_forward(const LinearForward<T> &a) {
    const LinearSizes &s = a.sizes;
    affine(a.input, a.weight, s.in_features, a.bias, s.batch, s.in_features, s.out_features, a.output,
           align<T>(a.workspace));
}

template <typename T> void linear_backward(const LinearBackward<T> &a) {
    const auto [batch, in_features, out_features] = a.sizes;
    if (a.grad_input)
        multiply<T>({batch, in_features, out_features, a.grad_output, out_features, 1, {a.weight, in_features},
                     a.grad_input, in_features});
    if (a.grad_weight)
        multiply<T>({out_features, in_features, batch, a.grad_output, 1, out_features, {a.input, in_features},
                     a.grad_weight, in_features});
    if (a.grad_bias) sum_rows(a.grad_output, batch, out_features, a.grad_bias);
}

template void linear_forward(const LinearForward<float> &);
template void linear_forward(const LinearForward<double> &);
template void linear_backward(const LinearBackward<float> &);
template void linear_backward(const LinearBackward<double> &);

}  // namespace MY_LIB_ISA
}  // namespace my_lib

#if MY_LIB_ENTRY_POINTS

#include "gemm/workspace.h"

namespace my_lib {
namespace {

template <typename T> bool check_packed_sizes(const LinearSizes &s) {
    return check_sizes<T>(s) &&
           check_array_size<T>("workspace", {packed_rows<T>(s.batch, s.in_features), s.in_features});
}

template <typename T> size_t forward_workspace_size(const LinearSizes &s) {
    if (!check_packed_sizes<T>(s)) return SIZE_MAX;
    return packed_bytes<T>(s.batch, s.in_features) + workspace_alignment;
}

template <typename T> size_t backward_workspace_size(const LinearSizes &s) {
    return check_packed_sizes<T>(s) ? 0 : SIZE_MAX;
}

template <typename T> int forward(const LinearForward<T> &a) {
    if (!check_arguments(a, forward_workspace_size<T>(a.sizes))) return 0;
    MY_LIB_CHOOSE(linear_forward<T>)(a);
    return 1;
}

template <typename T> int backward(const LinearBackward<T> &a) {
    if (!check_arguments(a, backward_workspace_size<T>(a.sizes))) return 0;
    MY_LIB_CHOOSE(linear_backward<T>)(a);
    return 1;
}

}  // namespace
}  // namespace my_lib

// Each entry point twice, for float and, with the suffix _f64, for double.
#define MY_LIB_LINEAR(T, suffix)                                                                                       \
    int my_lib_linear_forward##suffix(const T *input, const T *weight, const T *bias, int64_t batch,                   \
                                      int64_t in_features, int64_t out_features, T *output, void *workspace,           \
                                      size_t workspace_size) {                                                         \
        return my_lib::forward<T>({input, weight, bias, {batch, in_features, out_features}, output, workspace,         \
                                   workspace_size});                                                                   \
    }                                                                                                                  \
    int my_lib_linear_backward##suffix(const T *grad_output, const T *input, const T *weight, int64_t batch,           \
                                       int64_t in_features, int64_t out_features, T *grad_input, T *grad_weight,       \
                                       T *grad_bias, void *workspace, size_t workspace_size) {                         \
        return my_lib::backward<T>({grad_output, input, weight, {batch, in_features, out_features}, grad_input,        \
                                    grad_weight, grad_bias, workspace, workspace_size});                               \
    }                                                                                                                  \
    size_t my_lib_linear_forward_workspace_size##suffix(int64_t batch, int64_t in_features, int64_t out_features) {    \
        return my_lib::forward_workspace_size<T>({batch, in_features, out_features});                                  \
    }                                                                                                                  \
    size_t my_lib_linear_backward_workspace_size##suffix(int64_t batch, int64_t in_features, int64_t out_features) {   \
        return my_lib::backward_workspace_size<T>({batch, in_features, out_features});                                 \
    }

MY_LIB_LINEAR(float, )
MY_LIB_LINEAR(double, _f64)

#endif
