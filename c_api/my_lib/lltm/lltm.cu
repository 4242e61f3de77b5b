// c_api/my_lib/lltm/lltm.cu: one step of the LLTM cell, forward and backward.
//
// Forward joins state and input, so that all gates are one product, and finishes them in one kernel: bias, activation,
// new state. Backward is one kernel for the gates and a product for each part of each gradient.
#include "lltm/step.cuh"

#include "gemm/products.cuh"
#include "gemm/sums.cuh"
#include "my_lib_cuda.h"

namespace my_lib {
namespace {

// output (rows, left_columns + right_columns) = [left, right]
template <int width, typename T>
__global__ void __launch_bounds__(grid_threads)
    join_kernel(const T *left, int64_t left_columns, const T *right, T *output, int64_t rows, int64_t columns) {
    for_each_pack<width>(rows, columns, [&](int64_t row, int64_t column) {
        const T *from = column < left_columns ? left + row * left_columns + column
                                              : right + row * (columns - left_columns) + column - left_columns;
        store_pack(output + row * columns + column, load_pack<width>(from));
    });
}

template <typename T>
bool join(const T *left, int64_t left_columns, const T *right, int64_t right_columns, int64_t rows, T *output,
          void *stream) {
    const bool packs = left_columns % widest_pack<T> == 0 && right_columns % widest_pack<T> == 0 &&
                       take_packs(left, right, output);
    return launch_rows(packs ? join_kernel<widest_pack<T>, T> : join_kernel<1, T>, packs ? widest_pack<T> : 1, rows,
                       left_columns + right_columns, stream, left, left_columns, right, output);
}

template <typename T> struct ForwardParts {
    T *joined, *before;
    Scratch scratch;

    ForwardParts(Workspace &workspace, const LltmSizes &s)
        : joined(workspace.take<T>(s.batch * s.row_size())), before(workspace.take<T>(3 * s.states())),
          scratch(workspace) {}
};

template <typename T> struct BackwardParts {
    T *d_gates;
    RowSum<T> sum_rows;
    Scratch scratch;

    BackwardParts(Workspace &workspace, const LltmSizes &s)
        : d_gates(workspace.take<T>(3 * s.states())), sum_rows(workspace, s.batch, s.gate_size()),
          scratch(workspace) {}
};

template <typename T, template <typename> class Parts> size_t workspace_size(const LltmSizes &s) {
    if (!check_sizes<T>(s) || !check_array_size<T>("workspace", {s.batch, s.row_size()})) return SIZE_MAX;
    Workspace workspace;
    Parts<T>(workspace, s);
    return workspace.bytes();
}

template <typename T> int forward(const LltmForward<T> &a, void *stream) {
    const LltmSizes &s = a.sizes;
    if (!check_arguments(a, workspace_size<T, ForwardParts>(s))) return 0;
    if (s.states() == 0) return 1;
    Workspace workspace(a.workspace);
    const ForwardParts<T> parts(workspace, s);
    T *before = a.gates ? a.gates : parts.before;
    Products products(parts.scratch, stream);
    return join(a.old_h, s.state_size, a.input, s.input_size, s.batch, parts.joined, stream) &&
           products.multiply(Product<T>{s.batch, s.gate_size(), s.row_size(), {parts.joined, s.row_size()},
                                        {a.weights, s.row_size(), true}, before, s.gate_size()}) &&
           finish_lltm<T>({before, a.bias, a.old_cell, a.new_h, a.new_cell, a.gates}, s.batch, s.state_size, stream);
}

template <typename T> int backward(const LltmBackward<T> &a, void *stream) {
    if (!check_arguments(a, workspace_size<T, BackwardParts>(a.sizes))) return 0;
    const int64_t batch = a.sizes.batch, input_size = a.sizes.input_size, state_size = a.sizes.state_size;
    const int64_t gate_size = a.sizes.gate_size(), row_size = a.sizes.row_size();
    Workspace workspace(a.workspace);
    const BackwardParts<T> parts(workspace, a.sizes);
    const Factor<T> rows = {parts.d_gates, gate_size}, columns = {parts.d_gates, gate_size, true};
    Products products(parts.scratch, stream);
    auto multiply = [&](const Product<T> &product) { return !product.output || products.multiply(product); };
    return differentiate_lltm<T>({a.grad_h, nullptr, a.grad_cell, a.new_cell, a.gates, parts.d_gates, a.d_old_cell},
                                 batch, state_size, stream) &&
           (!a.d_bias || parts.sum_rows(parts.d_gates, a.d_bias, stream)) &&
           multiply({batch, state_size, gate_size, rows, {a.weights, row_size}, a.d_old_h, state_size}) &&
           multiply({batch, input_size, gate_size, rows, {a.weights + state_size, row_size}, a.d_input,
                     input_size}) &&
           multiply({gate_size, state_size, batch, columns, {a.old_h, state_size}, a.d_weights, row_size}) &&
           multiply({gate_size, input_size, batch, columns, {a.input, input_size},
                     a.d_weights ? a.d_weights + state_size : nullptr, row_size});
}

}  // namespace
}  // namespace my_lib

// Each entry point twice, for float and, with _f64 in its name, for double.
#define MY_LIB_LLTM(T, suffix)                                                                                         \
    int lltm_forward##suffix(const T *input, const T *weights, const T *bias, const T *old_h, const T *old_cell,       \
                             int64_t batch, int64_t input_size, int64_t state_size, T *new_h, T *new_cell, T *gates,   \
                             void *workspace, size_t workspace_size, void *stream) {                                   \
        return my_lib::forward<T>({input, weights, bias, old_h, old_cell, {batch, input_size, state_size}, new_h,      \
                                   new_cell, gates, workspace, workspace_size}, stream);                               \
    }                                                                                                                  \
    int lltm_backward##suffix(const T *grad_h, const T *grad_cell, const T *new_cell, const T *gates, const T *input,  \
                              const T *old_h, const T *weights, int64_t batch, int64_t input_size, int64_t state_size, \
                              T *d_input, T *d_weights, T *d_bias, T *d_old_h, T *d_old_cell, void *workspace,         \
                              size_t workspace_size, void *stream) {                                                   \
        return my_lib::backward<T>({grad_h, grad_cell, new_cell, gates, input, old_h, weights,                         \
                                    {batch, input_size, state_size}, d_input, d_weights, d_bias, d_old_h, d_old_cell,  \
                                    workspace, workspace_size}, stream);                                               \
    }                                                                                                                  \
    size_t lltm_forward_workspace_size##suffix(int64_t batch, int64_t input_size, int64_t state_size) {                \
        return my_lib::workspace_size<T, my_lib::ForwardParts>({batch, input_size, state_size});                       \
    }                                                                                                                  \
    size_t lltm_backward_workspace_size##suffix(int64_t batch, int64_t input_size, int64_t state_size) {               \
        return my_lib::workspace_size<T, my_lib::BackwardParts>({batch, input_size, state_size});                      \
    }

MY_LIB_LLTM(float, _cuda)
MY_LIB_LLTM(double, _f64_cuda)
