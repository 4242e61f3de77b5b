// c_api/my_lib/lltm/lltm.cpp: one step of the LLTM cell, forward and backward: kernels, then the C entry points.
#include "runtime/isa.h"

#include "gemm/gemm.h"
#include "lltm/step.h"

#include <cassert>

namespace my_lib {

MY_LIB_EVERY_ISA(
    template <typename T> void lltm_forward(const LltmForward<T> &a);
    template <typename T> void lltm_backward(const LltmBackward<T> &a);)

namespace MY_LIB_ISA {

template <typename S> void lltm_forward(const LltmForward<S> &a) {
    using T = Arithmetic<S>;
    const LltmSizes &s = a.sizes;
    const Matrix<S> x[2] = {{a.old_h, s.state_size, s.state_size}, {a.input, s.input_size, s.input_size}};
    const LltmStep<S> step = {s.state_size, a.bias, nullptr, a.old_cell, a.new_h, a.new_cell, a.gates};
    T *packed = align<T>(a.workspace);
    assert(has_room(packed, packed_rows<T>(s.batch, s.row_size()) * s.row_size(), a.workspace, a.workspace_size));
    multiply_transposed<S, true>(x, s.batch, a.weights, s.row_size(), s.gate_size(), packed,
                                 [=](const Block<T> &block, int64_t first_row, int64_t rows, Columns part) {
                                     finish_lltm(step, block, first_row, rows, part);
                                 });
}

template <typename S> void lltm_backward(const LltmBackward<S> &a) {
    using T = Arithmetic<S>;
    const int64_t batch = a.sizes.batch, input_size = a.sizes.input_size, state_size = a.sizes.state_size;
    const int64_t gate_size = a.sizes.gate_size(), row_size = a.sizes.row_size();
    T *d_gates = align<T>(a.workspace);
    assert(has_room(d_gates, batch * gate_size, a.workspace, a.workspace_size));
    const T *no_more = nullptr;
    differentiate_lltm(a.grad_h, no_more, a.grad_cell, a.new_cell, a.gates, batch, state_size, d_gates, a.d_old_cell);
    if (a.d_bias) sum_rows(d_gates, batch, gate_size, a.d_bias);
    Product<S> products[4];
    int count = 0;
    if (a.d_old_h)
        products[count++] = {batch, state_size, gate_size, d_gates, gate_size, 1, {a.weights, row_size}, a.d_old_h,
                             state_size};
    if (a.d_input)
        products[count++] = {batch, input_size, gate_size, d_gates, gate_size, 1, {a.weights + state_size, row_size},
                             a.d_input, input_size};
    if (a.d_weights) {
        products[count++] = {gate_size, state_size, batch, d_gates, 1, gate_size, {a.old_h, state_size}, a.d_weights,
                             row_size};
        products[count++] = {gate_size, input_size, batch, d_gates, 1, gate_size, {a.input, input_size},
                             a.d_weights + state_size, row_size};
    }
    multiply_all(products, count);
}

template void lltm_forward(const LltmForward<bfloat16> &);
#if !defined(__AVX512BF16__)
template void lltm_forward(const LltmForward<float> &);
template void lltm_forward(const LltmForward<double> &);
template void lltm_forward(const LltmForward<float16> &);
template void lltm_backward(const LltmBackward<float> &);
template void lltm_backward(const LltmBackward<double> &);
template void lltm_backward(const LltmBackward<bfloat16> &);
template void lltm_backward(const LltmBackward<float16> &);
#endif

}  // namespace MY_LIB_ISA
}  // namespace my_lib

#if MY_LIB_ENTRY_POINTS

#include "lltm/workspace.h"

namespace my_lib {
namespace {

template <typename S> size_t forward_workspace_size(const LltmSizes &s) {
    using T = Arithmetic<S>;
    if (!check_packed_sizes<T>(s)) return SIZE_MAX;
    return packed_bytes<T>(s.batch, s.row_size()) + workspace_alignment;
}

template <typename S> size_t backward_workspace_size(const LltmSizes &s) {
    using T = Arithmetic<S>;
    if (!check_packed_sizes<T>(s)) return SIZE_MAX;
    return aligned_bytes<T>(3 * s.states()) + workspace_alignment;
}

template <typename S> int forward(const LltmForward<S> &a) {
    if (!check_arguments(a, forward_workspace_size<S>(a.sizes)) || !check_cpu()) return 0;
    MY_LIB_CHOOSE_FOR(S, lltm_forward<S>)(a);
    return 1;
}

template <typename S> int backward(const LltmBackward<S> &a) {
    if (!check_arguments(a, backward_workspace_size<S>(a.sizes)) || !check_cpu()) return 0;
    MY_LIB_CHOOSE(lltm_backward<S>)(a);
    return 1;
}

}  // namespace
}  // namespace my_lib

// Each entry point for arrays of the C type T, which are of type S in here; the suffix is that of its name.
#define MY_LIB_LLTM(T, S, suffix)                                                                                      \
    int lltm_forward##suffix(const T *input, const T *weights, const T *bias, const T *old_h, const T *old_cell,       \
                             int64_t batch, int64_t input_size, int64_t state_size, T *new_h, T *new_cell, T *gates,   \
                             void *workspace, size_t workspace_size) {                                                 \
        using my_lib::elements;                                                                                        \
        return my_lib::forward<S>({elements<S>(input), elements<S>(weights), elements<S>(bias), elements<S>(old_h),    \
                                   elements<S>(old_cell), {batch, input_size, state_size}, elements<S>(new_h),         \
                                   elements<S>(new_cell), elements<S>(gates), workspace, workspace_size});             \
    }                                                                                                                  \
    int lltm_backward##suffix(const T *grad_h, const T *grad_cell, const T *new_cell, const T *gates, const T *input,  \
                              const T *old_h, const T *weights, int64_t batch, int64_t input_size, int64_t state_size, \
                              T *d_input, T *d_weights, T *d_bias, T *d_old_h, T *d_old_cell, void *workspace,         \
                              size_t workspace_size) {                                                                 \
        using my_lib::elements;                                                                                        \
        return my_lib::backward<S>({elements<S>(grad_h), elements<S>(grad_cell), elements<S>(new_cell),                \
                                    elements<S>(gates), elements<S>(input), elements<S>(old_h), elements<S>(weights),  \
                                    {batch, input_size, state_size}, elements<S>(d_input), elements<S>(d_weights),     \
                                    elements<S>(d_bias), elements<S>(d_old_h), elements<S>(d_old_cell), workspace,     \
                                    workspace_size});                                                                  \
    }                                                                                                                  \
    size_t lltm_forward_workspace_size##suffix(int64_t batch, int64_t input_size, int64_t state_size) {                \
        return my_lib::forward_workspace_size<S>({batch, input_size, state_size});                                     \
    }                                                                                                                  \
    size_t lltm_backward_workspace_size##suffix(int64_t batch, int64_t input_size, int64_t state_size) {               \
        return my_lib::backward_workspace_size<S>({batch, input_size, state_size});                                    \
    }

MY_LIB_LLTM(float, float, )
MY_LIB_LLTM(double, double, _f64)
MY_LIB_LLTM(thaw_bfloat16, my_lib::bfloat16, _bf16)
MY_LIB_LLTM(thaw_float16, my_lib::float16, _f16)

#endif
