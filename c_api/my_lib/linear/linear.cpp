// c_api/my_lib/linear/linear.cpp: output = input weight^T + bias, and its three gradients.
#include "runtime/isa.h"

#include "gemm/gemm.h"
#include "gemm/affine.h"

namespace my_lib {

MY_LIB_EVERY_ISA(
    template <typename T>
    void linear_forward(const T *input, const T *weight, const T *bias, int64_t batch, int64_t in_features,
                        int64_t out_features, T *output, void *workspace);
    template <typename T>
    void linear_backward(const T *grad_output, const T *input, const T *weight, int64_t batch, int64_t in_features,
                         int64_t out_features, T *grad_input, T *grad_weight, T *grad_bias);)

namespace MY_LIB_ISA {

template <typename T>
void linear_forward(const T *input, const T *weight, const T *bias, int64_t batch, int64_t in_features,
                    int64_t out_features, T *output, void *workspace) {
    affine(input, weight, in_features, bias, batch, in_features, out_features, output, align<T>(workspace));
}

template <typename T>
void linear_backward(const T *grad_output, const T *input, const T *weight, int64_t batch, int64_t in_features,
                     int64_t out_features, T *grad_input, T *grad_weight, T *grad_bias) {
    if (grad_input)
        multiply<T>({batch, in_features, out_features, grad_output, out_features, 1, {weight, in_features}, grad_input,
                     in_features});
    if (grad_weight)
        multiply<T>({out_features, in_features, batch, grad_output, 1, out_features, {input, in_features}, grad_weight,
                     in_features});
    if (grad_bias) sum_rows(grad_output, batch, out_features, grad_bias);
}

template void linear_forward(const float *, const float *, const float *, int64_t, int64_t, int64_t, float *, void *);
template void linear_forward(const double *, const double *, const double *, int64_t, int64_t, int64_t, double *,
                             void *);
template void linear_backward(const float *, const float *, const float *, int64_t, int64_t, int64_t, float *, float *,
                              float *);
template void linear_backward(const double *, const double *, const double *, int64_t, int64_t, int64_t, double *,
                              double *, double *);

}  // namespace MY_LIB_ISA
}  // namespace my_lib

#if MY_LIB_ENTRY_POINTS

#include "linear/linear.h"
#include "gemm/workspace.h"

namespace my_lib {
namespace {

template <typename T> bool check_sizes(int64_t batch, int64_t in_features, int64_t out_features) {
    return check_linear_sizes<T>(batch, in_features, out_features) &&
           check_array_size<T>("workspace", {packed_rows<T>(batch, in_features), in_features});
}

template <typename T> size_t forward_workspace_size(int64_t batch, int64_t in_features, int64_t out_features) {
    if (!check_sizes<T>(batch, in_features, out_features)) return SIZE_MAX;
    return packed_bytes<T>(batch, in_features) + workspace_alignment;
}

template <typename T> size_t backward_workspace_size(int64_t batch, int64_t in_features, int64_t out_features) {
    return check_sizes<T>(batch, in_features, out_features) ? 0 : SIZE_MAX;
}

template <typename T>
int forward(const T *input, const T *weight, const T *bias, int64_t batch, int64_t in_features, int64_t out_features,
            T *output, void *workspace, size_t workspace_size) {
    const size_t needed = forward_workspace_size<T>(batch, in_features, out_features);
    if (!check_linear_forward(input, weight, bias, batch, in_features, out_features, output, workspace, workspace_size,
                              needed))
        return 0;
    MY_LIB_CHOOSE(linear_forward<T>)(input, weight, bias, batch, in_features, out_features, output, workspace);
    return 1;
}

template <typename T>
int backward(const T *grad_output, const T *input, const T *weight, int64_t batch, int64_t in_features,
             int64_t out_features, T *grad_input, T *grad_weight, T *grad_bias, void *workspace,
             size_t workspace_size) {
    const size_t needed = backward_workspace_size<T>(batch, in_features, out_features);
    if (!check_linear_backward(grad_output, input, weight, batch, in_features, out_features, grad_input, grad_weight,
                               grad_bias, workspace, workspace_size, needed))
        return 0;
    MY_LIB_CHOOSE(linear_backward<T>)(grad_output, input, weight, batch, in_features, out_features, grad_input,
                                      grad_weight, grad_bias);
    return 1;
}

}  // namespace
}  // namespace my_lib

// Each entry point twice, for float and, with the suffix _f64, for double.
#define MY_LIB_LINEAR(T, suffix)                                                                                       \
    int my_lib_linear_forward##suffix(const T *input, const T *weight, const T *bias, int64_t batch,                   \
                                      int64_t in_features, int64_t out_features, T *output, void *workspace,           \
                                      size_t workspace_size) {                                                         \
        return my_lib::forward(input, weight, bias, batch, in_features, out_features, output, workspace,               \
                               workspace_size);                                                                        \
    }                                                                                                                  \
    int my_lib_linear_backward##suffix(const T *grad_output, const T *input, const T *weight, int64_t batch,           \
                                       int64_t in_features, int64_t out_features, T *grad_input, T *grad_weight,       \
                                       T *grad_bias, void *workspace, size_t workspace_size) {                         \
        return my_lib::backward(grad_output, input, weight, batch, in_features, out_features, grad_input, grad_weight, \
                                grad_bias, workspace, workspace_size);                                                 \
    }                                                                                                                  \
    size_t my_lib_linear_forward_workspace_size##suffix(int64_t batch, int64_t in_features, int64_t out_features) {    \
        return my_lib::forward_workspace_size<T>(batch, in_features, out_features);                                    \
    }                                                                                                                  \
    size_t my_lib_linear_backward_workspace_size##suffix(int64_t batch, int64_t in_features, int64_t out_features) {   \
        return my_lib::backward_workspace_size<T>(batch, in_features, out_features);                                   \
    }

MY_LIB_LINEAR(float, )
MY_LIB_LINEAR(double, _f64)

#endif
