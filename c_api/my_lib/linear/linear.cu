// c_api/my_lib/linear/linear.cu: output = input weight^T + bias, and its three gradients.
#include "linear/linear.h"

#include "gemm/products.cuh"
#include "gemm/sums.cuh"
#include "my_lib_cuda.h"
#include "runtime/grid.cuh"

namespace my_lib {
namespace {

template <typename T>
__global__ void __launch_bounds__(grid_threads)
    repeat_row_kernel(const T *row_values, T *output, int64_t rows, int64_t columns) {
    for_each_pack<1>(rows, columns,
                     [&](int64_t row, int64_t column) { output[row * columns + column] = row_values[column]; });
}

template <typename T> struct ForwardParts {
    Scratch scratch;

    ForwardParts(Workspace &workspace, const LinearSizes &) : scratch(workspace) {}
};

template <typename T> struct BackwardParts {
    RowSum<T> sum_rows;
    Scratch scratch;

    BackwardParts(Workspace &workspace, const LinearSizes &s)
        : sum_rows(workspace, s.batch, s.out_features), scratch(workspace) {}
};

template <typename T, template <typename> class Parts> size_t workspace_size(const LinearSizes &s) {
    if (!check_sizes<T>(s)) return SIZE_MAX;
    Workspace workspace;
    Parts<T>(workspace, s);
    return workspace.bytes();
}

template <typename T> int forward(const LinearForward<T> &a, void *stream) {
    if (!check_arguments(a, workspace_size<T, ForwardParts>(a.sizes))) return 0;
    const auto [batch, in_features, out_features] = a.sizes;
    Workspace workspace(a.workspace);
    const ForwardParts<T> parts(workspace, a.sizes);
    Products products(parts.scratch, stream);
    return (!a.bias || launch_rows(repeat_row_kernel<T>, 1, batch, out_features, stream, a.bias, a.output)) &&
           products.multiply(Product<T>{batch, out_features, in_features, {a.input, in_features},
                                        {a.weight, in_features, true}, a.output, out_features, a.bias != nullptr});
}

template <typename T> int backward(const LinearBackward<T> &a, void *stream) {
    if (!check_arguments(a, workspace_size<T, BackwardParts>(a.sizes))) return 0;
    const auto [batch, in_features, out_features] = a.sizes;
    Workspace workspace(a.workspace);
    const BackwardParts<T> parts(workspace, a.sizes);
    Products products(parts.scratch, stream);
    auto multiply = [&](const Product<T> &product) { return !product.output || products.multiply(product); };
    return multiply({batch, in_features, out_features, {a.grad_output, out_features}, {a.weight, in_features},
                     a.grad_input, in_features}) &&
           multiply({out_features, in_features, batch, {a.grad_output, out_features, true}, {a.input, in_features},
                     a.grad_weight, in_features}) &&
           (!a.grad_bias || parts.sum_rows(a.grad_output, a.grad_bias, stream));
}

}  // namespace
}  // namespace my_lib

// Each entry point twice, for float and, with _f64 in its name, for double.
#define MY_LIB_LINEAR(T, suffix)                                                                                       \
    int my_lib_linear_forward##suffix(const T *input, const T *weight, const T *bias, int64_t batch,                   \
                                      int64_t in_features, int64_t out_features, T *output, void *workspace,           \
                                      size_t workspace_size, void *stream) {                                           \
        return my_lib::forward<T>({input, weight, bias, {batch, in_features, out_features}, output, workspace,         \
                                   workspace_size}, stream);                                                           \
    }                                                                                                                  \
    int my_lib_linear_backward##suffix(const T *grad_output, const T *input, const T *weight, int64_t batch,           \
                                       int64_t in_features, int64_t out_features, T *grad_input, T *grad_weight,       \
                                       T *grad_bias, void *workspace, size_t workspace_size, void *stream) {           \
        return my_lib::backward<T>({grad_output, input, weight, {batch, in_features, out_features}, grad_input,        \
                                    grad_weight, grad_bias, workspace, workspace_size}, stream);                       \
    }                                                                                                                  \
    size_t my_lib_linear_forward_workspace_size##suffix(int64_t batch, int64_t in_features, int64_t out_features) {    \
        return my_lib::workspace_size<T, my_lib::ForwardParts>({batch, in_features, out_features});                    \
    }                                                                                                                  \
    size_t my_lib_linear_backward_workspace_size##suffix(int64_t batch, int64_t in_features, int64_t out_features) {   \
        return my_lib::workspace_size<T, my_lib::BackwardParts>({batch, in_features, out_features});                   \
    }

MY_LIB_LINEAR(float, _cuda)
MY_LIB_LINEAR(double, _f64_cuda)
