// c_api/my_lib/linear/linear.h: the checks of linear's arguments, the same for every device.
#pragma once

#include "runtime/arguments.h"

namespace my_lib {

template <typename T> bool check_linear_sizes(int64_t batch, int64_t in_features, int64_t out_features) {
    return check_size("batch", batch) && check_size("in_features", in_features) &&
           check_size("out_features", out_features) && check_array_size<T>("input", {batch, in_features}) &&
           check_array_size<T>("weight", {out_features, in_features}) &&
           check_array_size<T>("output", {batch, out_features});
}

// `needed` bytes of workspace, here and below: SIZE_MAX where the sizes are impossible, with the error set.
template <typename T>
bool check_linear_forward(const T *input, const T *weight, const T *bias, int64_t batch, int64_t in_features,
                          int64_t out_features, const T *output, const void *workspace, size_t workspace_size,
                          size_t needed) {
    return needed != SIZE_MAX && check_array("input", input, batch * in_features) &&
           check_array("weight", weight, out_features * in_features) && check_optional("bias", bias) &&
           check_array("output", output, batch * out_features) && check_workspace(workspace, workspace_size, needed);
}

template <typename T>
bool check_linear_backward(const T *grad_output, const T *input, const T *weight, int64_t batch, int64_t in_features,
                           int64_t out_features, const T *grad_input, const T *grad_weight, const T *grad_bias,
                           const void *workspace, size_t workspace_size, size_t needed) {
    return needed != SIZE_MAX && check_array("grad_output", grad_output, batch * out_features) &&
           check_array("input", input, grad_weight ? batch * in_features : 0) &&
           check_array("weight", weight, grad_input ? out_features * in_features : 0) &&
           check_optional("grad_input", grad_input) && check_optional("grad_weight", grad_weight) &&
           check_optional("grad_bias", grad_bias) && check_workspace(workspace, workspace_size, needed);
}

}  // namespace my_lib
