// c_api/my_lib/lltm/lltm.cu: one step of the LLTM cell, forward and backward.
//
// Forward joins state and input, so that all gates are one product, and finishes them in one kernel: bias, activation,
// new state. Backward is one kernel for the gates and a product for each part of each gradient.
#include "lltm/step.cuh"

#include "lltm/lltm.h"
#include "my_lib_cuda.h"
#include "gemm/products.cuh"
#include "gemm/sums.cuh"

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

    ForwardParts(Workspace &workspace, int64_t batch, int64_t input_size, int64_t state_size)
        : joined(workspace.take<T>(batch * (state_size + input_size))),
          before(workspace.take<T>(batch * 3 * state_size)), scratch(workspace) {}
};

template <typename T> struct BackwardParts {
    T *d_gates;
    RowSum<T> sum_rows;
    Scratch scratch;

    BackwardParts(Workspace &workspace, int64_t batch, int64_t, int64_t state_size)
        : d_gates(workspace.take<T>(batch * 3 * state_size)), sum_rows(workspace, batch, 3 * state_size),
          scratch(workspace) {}
};

template <typename T, template <typename> class Parts>
size_t workspace_size(int64_t batch, int64_t input_size, int64_t state_size) {
    if (!check_lltm_sizes<T>(batch, input_size, state_size) ||
        !check_array_size<T>("workspace", {batch, state_size + input_size}))
        return SIZE_MAX;
    Workspace workspace;
    Parts<T>(workspace, batch, input_size, state_size);
    return workspace.bytes();
}

template <typename T>
int forward(const T *input, const T *weights, const T *bias, const T *old_h, const T *old_cell, int64_t batch,
            int64_t input_size, int64_t state_size, T *new_h, T *new_cell, T *gates, void *memory, size_t memory_size,
            void *stream) {
    const size_t needed = workspace_size<T, ForwardParts>(batch, input_size, state_size);
    if (!check_lltm_forward(input, weights, bias, old_h, old_cell, batch, input_size, state_size, new_h, new_cell,
                            gates, memory, memory_size, needed))
        return 0;
    if (batch == 0 || state_size == 0) return 1;
    const int64_t gate_size = 3 * state_size, row_size = state_size + input_size;
    Workspace workspace(memory);
    const ForwardParts<T> parts(workspace, batch, input_size, state_size);
    T *before = gates ? gates : parts.before;
    Products products(parts.scratch, stream);
    return join(old_h, state_size, input, input_size, batch, parts.joined, stream) &&
           products.multiply(Product<T>{
               batch, gate_size, row_size, {parts.joined, row_size}, {weights, row_size, true}, before, gate_size}) &&
           finish_lltm<T>({before, bias, old_cell, new_h, new_cell, gates}, batch, state_size, stream);
}

template <typename T>
int backward(const T *grad_h, const T *grad_cell, const T *new_cell, const T *gates, const T *input, const T *old_h,
             const T *weights, int64_t batch, int64_t input_size, int64_t state_size, T *d_input, T *d_weights,
             T *d_bias, T *d_old_h, T *d_old_cell, void *memory, size_t memory_size, void *stream) {
    const size_t needed = workspace_size<T, BackwardParts>(batch, input_size, state_size);
    if (!check_lltm_backward(grad_h, grad_cell, new_cell, gates, input, old_h, weights, batch, input_size, state_size,
                             d_input, d_weights, d_bias, d_old_h, d_old_cell, memory, memory_size, needed))
        return 0;
    const int64_t gate_size = 3 * state_size, row_size = state_size + input_size;
    Workspace workspace(memory);
    const BackwardParts<T> parts(workspace, batch, input_size, state_size);
    const Factor<T> rows = {parts.d_gates, gate_size}, columns = {parts.d_gates, gate_size, true};
    Products products(parts.scratch, stream);
    auto multiply = [&](const Product<T> &product) { return !product.output || products.multiply(product); };
    return differentiate_lltm<T>({grad_h, nullptr, grad_cell, new_cell, gates, parts.d_gates, d_old_cell}, batch,
                                 state_size, stream) &&
           (!d_bias || parts.sum_rows(parts.d_gates, d_bias, stream)) &&
           multiply({batch, state_size, gate_size, rows, {weights, row_size}, d_old_h, state_size}) &&
           multiply({batch, input_size, gate_size, rows, {weights + state_size, row_size}, d_input, input_size}) &&
           multiply({gate_size, state_size, batch, columns, {old_h, state_size}, d_weights, row_size}) &&
           multiply({gate_size, input_size, batch, columns, {input, input_size},
                     d_weights ? d_weights + state_size : nullptr, row_size});
}

}  // namespace
}  // namespace my_lib

// Each entry point twice, for float and, with _f64 in its name, for double.
#define MY_LIB_LLTM(T, suffix)                                                                                         \
    int lltm_forward##suffix(const T *input, const T *weights, const T *bias, const T *old_h, const T *old_cell,       \
                             int64_t batch, int64_t input_size, int64_t state_size, T *new_h, T *new_cell, T *gates,   \
                             void *workspace, size_t workspace_size, void *stream) {                                   \
        return my_lib::forward(input, weights, bias, old_h, old_cell, batch, input_size, state_size, new_h, new_cell,  \
                               gates, workspace, workspace_size, stream);                                              \
    }                                                                                                                  \
    int lltm_backward##suffix(const T *grad_h, const T *grad_cell, const T *new_cell, const T *gates, const T *input,  \
                              const T *old_h, const T *weights, int64_t batch, int64_t input_size, int64_t state_size, \
                              T *d_input, T *d_weights, T *d_bias, T *d_old_h, T *d_old_cell, void *workspace,         \
                              size_t workspace_size, void *stream) {                                                   \
        return my_lib::backward(grad_h, grad_cell, new_cell, gates, input, old_h, weights, batch, input_size,          \
                                state_size, d_input, d_weights, d_bias, d_old_h, d_old_cell, workspace,                \
                                workspace_size, stream);                                                               \
    }                                                                                                                  \
    size_t lltm_forward_workspace_size##suffix(int64_t batch, int64_t input_size, int64_t state_size) {                \
        return my_lib::workspace_size<T, my_lib::ForwardParts>(batch, input_size, state_size);                         \
    }                                                                                                                  \
    size_t lltm_backward_workspace_size##suffix(int64_t batch, int64_t input_size, int64_t state_size) {               \
        return my_lib::workspace_size<T, my_lib::BackwardParts>(batch, input_size, state_size);                        \
    }

MY_LIB_LLTM(float, _cuda)
MY_LIB_LLTM(double, _f64_cuda)
