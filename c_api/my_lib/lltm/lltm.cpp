// c_api/my_lib/lltm/lltm.cpp: one step of the LLTM cell, forward and backward.
#include "runtime/isa.h"

#include "gemm/gemm.h"
#include "lltm/step.h"

namespace my_lib {

MY_LIB_EVERY_ISA(
    template <typename T>
    void lltm_forward(const T *input, const T *weights, const T *bias, const T *old_h, const T *old_cell, int64_t batch,
                      int64_t input_size, int64_t state_size, T *new_h, T *new_cell, T *gates, void *workspace);
    template <typename T>
    void lltm_backward(const T *grad_h, const T *grad_cell, const T *new_cell, const T *gates, const T *input,
                       const T *old_h, const T *weights, int64_t batch, int64_t input_size, int64_t state_size,
                       T *d_input, T *d_weights, T *d_bias, T *d_old_h, T *d_old_cell, void *workspace);)

namespace MY_LIB_ISA {

template <typename T>
void lltm_forward(const T *input, const T *weights, const T *bias, const T *old_h, const T *old_cell, int64_t batch,
                  int64_t input_size, int64_t state_size, T *new_h, T *new_cell, T *gates, void *workspace) {
    const Matrix<T> x[2] = {{old_h, state_size, state_size}, {input, input_size, input_size}};
    const LltmStep<T> step = {state_size, bias, nullptr, old_cell, new_h, new_cell, gates};
    multiply_transposed<T, true>(x, batch, weights, state_size + input_size, 3 * state_size, align<T>(workspace),
                                 [=](const Block<T> &block, int64_t first_row, int64_t rows, Columns part) {
                                     finish_lltm(step, block, first_row, rows, part);
                                 });
}

template void lltm_forward(const float *, const float *, const float *, const float *, const float *, int64_t, int64_t,
                           int64_t, float *, float *, float *, void *);
template void lltm_forward(const double *, const double *, const double *, const double *, const double *, int64_t,
                           int64_t, int64_t, double *, double *, double *, void *);

template <typename T>
void lltm_backward(const T *grad_h, const T *grad_cell, const T *new_cell, const T *gates, const T *input,
                   const T *old_h, const T *weights, int64_t batch, int64_t input_size, int64_t state_size, T *d_input,
                   T *d_weights, T *d_bias, T *d_old_h, T *d_old_cell, void *workspace) {
    const int64_t gate_size = 3 * state_size, row_size = state_size + input_size;
    T *d_gates = align<T>(workspace);
    differentiate_lltm<T>(grad_h, nullptr, grad_cell, new_cell, gates, batch, state_size, d_gates, d_old_cell);
    if (d_bias) sum_rows(d_gates, batch, gate_size, d_bias);
    if (d_old_h)
        multiply<T>({batch, state_size, gate_size, d_gates, gate_size, 1, {weights, row_size}, d_old_h, state_size});
    if (d_input)
        multiply<T>({batch, input_size, gate_size, d_gates, gate_size, 1, {weights + state_size, row_size}, d_input,
                     input_size});
    if (d_weights) {
        multiply<T>({gate_size, state_size, batch, d_gates, 1, gate_size, {old_h, state_size}, d_weights, row_size});
        multiply<T>({gate_size, input_size, batch, d_gates, 1, gate_size, {input, input_size}, d_weights + state_size,
                     row_size});
    }
}

template void lltm_backward(const float *, const float *, const float *, const float *, const float *, const float *,
                            const float *, int64_t, int64_t, int64_t, float *, float *, float *, float *, float *,
                            void *);
template void lltm_backward(const double *, const double *, const double *, const double *, const double *,
                            const double *, const double *, int64_t, int64_t, int64_t, double *, double *, double *,
                            double *, double *, void *);

}  // namespace MY_LIB_ISA
}  // namespace my_lib

#if MY_LIB_ENTRY_POINTS

#include "lltm/workspace.h"

namespace my_lib {
namespace {

template <typename T> size_t forward_workspace_size(int64_t batch, int64_t input_size, int64_t state_size) {
    if (!check_packed_lltm_sizes<T>(batch, input_size, state_size)) return SIZE_MAX;
    return packed_bytes<T>(batch, state_size + input_size) + workspace_alignment;
}

template <typename T> size_t backward_workspace_size(int64_t batch, int64_t input_size, int64_t state_size) {
    if (!check_packed_lltm_sizes<T>(batch, input_size, state_size)) return SIZE_MAX;
    return aligned_bytes<T>(batch * 3 * state_size) + workspace_alignment;
}

template <typename T>
int forward(const T *input, const T *weights, const T *bias, const T *old_h, const T *old_cell, int64_t batch,
            int64_t input_size, int64_t state_size, T *new_h, T *new_cell, T *gates, void *workspace,
            size_t workspace_size) {
    const size_t needed = forward_workspace_size<T>(batch, input_size, state_size);
    if (!check_lltm_forward(input, weights, bias, old_h, old_cell, batch, input_size, state_size, new_h, new_cell,
                            gates, workspace, workspace_size, needed))
        return 0;
    MY_LIB_CHOOSE(lltm_forward<T>)(input, weights, bias, old_h, old_cell, batch, input_size, state_size, new_h,
                                   new_cell, gates, workspace);
    return 1;
}

template <typename T>
int backward(const T *grad_h, const T *grad_cell, const T *new_cell, const T *gates, const T *input, const T *old_h,
             const T *weights, int64_t batch, int64_t input_size, int64_t state_size, T *d_input, T *d_weights,
             T *d_bias, T *d_old_h, T *d_old_cell, void *workspace, size_t workspace_size) {
    const size_t needed = backward_workspace_size<T>(batch, input_size, state_size);
    if (!check_lltm_backward(grad_h, grad_cell, new_cell, gates, input, old_h, weights, batch, input_size, state_size,
                             d_input, d_weights, d_bias, d_old_h, d_old_cell, workspace, workspace_size, needed))
        return 0;
    MY_LIB_CHOOSE(lltm_backward<T>)(grad_h, grad_cell, new_cell, gates, input, old_h, weights, batch, input_size,
                                    state_size, d_input, d_weights, d_bias, d_old_h, d_old_cell, workspace);
    return 1;
}

}  // namespace
}  // namespace my_lib

// Each entry point twice, for float and, with the suffix _f64, for double.
#define MY_LIB_LLTM(T, suffix)                                                                                         \
    int lltm_forward##suffix(const T *input, const T *weights, const T *bias, const T *old_h, const T *old_cell,       \
                             int64_t batch, int64_t input_size, int64_t state_size, T *new_h, T *new_cell, T *gates,   \
                             void *workspace, size_t workspace_size) {                                                 \
        return my_lib::forward(input, weights, bias, old_h, old_cell, batch, input_size, state_size, new_h, new_cell,  \
                               gates, workspace, workspace_size);                                                      \
    }                                                                                                                  \
    int lltm_backward##suffix(const T *grad_h, const T *grad_cell, const T *new_cell, const T *gates, const T *input,  \
                              const T *old_h, const T *weights, int64_t batch, int64_t input_size, int64_t state_size, \
                              T *d_input, T *d_weights, T *d_bias, T *d_old_h, T *d_old_cell, void *workspace,         \
                              size_t workspace_size) {                                                                 \
        return my_lib::backward(grad_h, grad_cell, new_cell, gates, input, old_h, weights, batch, input_size,          \
                                state_size, d_input, d_weights, d_bias, d_old_h, d_old_cell, workspace,                \
                                workspace_size);                                                                       \
    }                                                                                                                  \
    size_t lltm_forward_workspace_size##suffix(int64_t batch, int64_t input_size, int64_t state_size) {                \
        return my_lib::forward_workspace_size<T>(batch, input_size, state_size);                                       \
    }                                                                                                                  \
    size_t lltm_backward_workspace_size##suffix(int64_t batch, int64_t input_size, int64_t state_size) {               \
        return my_lib::backward_workspace_size<T>(batch, input_size, state_size);                                      \
    }

MY_LIB_LLTM(float, )
MY_LIB_LLTM(double, _f64)

#endif
