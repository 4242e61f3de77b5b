// c_api/my_lib/linear/linear.cpp: output = input weight^T + bias, and its three gradients.
#include "runtime/isa.h"

#include "gemm/affine.h"
#include "gemm/gemm.h"
#include "linear/linear.h"

#include <cassert>

namespace my_lib {

MY_LIB_EVERY_ISA(
    template <typename T> void linear_forward(const LinearForward<T> &a);
    template <typename T> void linear_backward(const LinearBackward<T> &a);)

namespace MY_LIB_ISA {

template <typename S> void linear_forward(const LinearForward<S> &a) {
    const LinearSizes &s = a.sizes;
    using T = Arithmetic<S>;
    T *packed = align<T>(a.workspace);
    assert(has_room(packed, packed_rows<T>(s.batch, s.in_features) * s.in_features, a.workspace, a.workspace_size));
    affine(a.input, a.weight, s.in_features, a.bias, s.batch, s.in_features, s.out_features, a.output, packed);
}

template <typename S> void linear_backward(const LinearBackward<S> &a) {
    using T = Arithmetic<S>;
    const auto [batch, in_features, out_features] = a.sizes;
    if (a.grad_bias) sum_rows(a.grad_output, batch, out_features, a.grad_bias);
    const T *grad_output;
    if constexpr (is_arithmetic<S>) {
        grad_output = a.grad_output;
    } else {
        if (!a.grad_input && !a.grad_weight) return;
        T *widened = align<T>(a.workspace);
        assert(has_room(widened, batch * out_features, a.workspace, a.workspace_size));
        convert_all(a.grad_output, batch * out_features, widened);
        grad_output = widened;
    }
    if (a.grad_input)
        multiply<S>({batch, in_features, out_features, grad_output, out_features, 1, {a.weight, in_features},
                     a.grad_input, in_features});
    if (a.grad_weight)
        multiply<S>({out_features, in_features, batch, grad_output, 1, out_features, {a.input, in_features},
                     a.grad_weight, in_features});
}

template void linear_forward(const LinearForward<bfloat16> &);
#if !defined(__AVX512BF16__)
template void linear_forward(const LinearForward<float> &);
template void linear_forward(const LinearForward<double> &);
template void linear_forward(const LinearForward<float16> &);
template void linear_backward(const LinearBackward<float> &);
template void linear_backward(const LinearBackward<double> &);
template void linear_backward(const LinearBackward<bfloat16> &);
template void linear_backward(const LinearBackward<float16> &);
#endif

}  // namespace MY_LIB_ISA
}  // namespace my_lib

#if MY_LIB_ENTRY_POINTS

#include "gemm/workspace.h"

namespace my_lib {
namespace {

// Everything fits in memory, as S and as the type in which it is computed.
template <typename T> bool check_packed_sizes(const LinearSizes &s) {
    return check_sizes<T>(s) &&
           check_array_size<T>("workspace", {packed_rows<T>(s.batch, s.in_features), s.in_features});
}

template <typename S> size_t forward_workspace_size(const LinearSizes &s) {
    using T = Arithmetic<S>;
    if (!check_packed_sizes<T>(s)) return SIZE_MAX;
    return packed_bytes<T>(s.batch, s.in_features) + workspace_alignment;
}

template <typename S> size_t backward_workspace_size(const LinearSizes &s) {
    using T = Arithmetic<S>;
    if (!check_packed_sizes<T>(s)) return SIZE_MAX;
    return is_arithmetic<S> ? 0 : aligned_bytes<T>(s.batch * s.out_features) + workspace_alignment;
}

template <typename S> int forward(const LinearForward<S> &a) {
    if (!check_arguments(a, forward_workspace_size<S>(a.sizes)) || !check_cpu()) return 0;
    MY_LIB_CHOOSE_FOR(S, linear_forward<S>)(a);
    return 1;
}

template <typename S> int backward(const LinearBackward<S> &a) {
    if (!check_arguments(a, backward_workspace_size<S>(a.sizes)) || !check_cpu()) return 0;
    MY_LIB_CHOOSE(linear_backward<S>)(a);
    return 1;
}

}  // namespace
}  // namespace my_lib

// Each entry point for arrays of the C type T, which are of type S in here; the suffix is that of its name.
#define MY_LIB_LINEAR(T, S, suffix)                                                                                    \
    int my_lib_linear_forward##suffix(const T *input, const T *weight, const T *bias, int64_t batch,                   \
                                      int64_t in_features, int64_t out_features, T *output, void *workspace,           \
                                      size_t workspace_size) {                                                         \
        using my_lib::elements;                                                                                        \
        return my_lib::forward<S>({elements<S>(input), elements<S>(weight), elements<S>(bias),                         \
                                   {batch, in_features, out_features}, elements<S>(output), workspace,                 \
                                   workspace_size});                                                                   \
    }                                                                                                                  \
    int my_lib_linear_backward##suffix(const T *grad_output, const T *input, const T *weight, int64_t batch,           \
                                       int64_t in_features, int64_t out_features, T *grad_input, T *grad_weight,       \
                                       T *grad_bias, void *workspace, size_t workspace_size) {                         \
        using my_lib::elements;                                                                                        \
        return my_lib::backward<S>({elements<S>(grad_output), elements<S>(input), elements<S>(weight),                 \
                                    {batch, in_features, out_features}, elements<S>(grad_input),                       \
                                    elements<S>(grad_weight), elements<S>(grad_bias), workspace, workspace_size});     \
    }                                                                                                                  \
    size_t my_lib_linear_forward_workspace_size##suffix(int64_t batch, int64_t in_features, int64_t out_features) {    \
        return my_lib::forward_workspace_size<S>({batch, in_features, out_features});                                  \
    }                                                                                                                  \
    size_t my_lib_linear_backward_workspace_size##suffix(int64_t batch, int64_t in_features, int64_t out_features) {   \
        return my_lib::backward_workspace_size<S>({batch, in_features, out_features});                                 \
    }

MY_LIB_LINEAR(float, float, )
MY_LIB_LINEAR(double, double, _f64)
MY_LIB_LINEAR(thaw_bfloat16, my_lib::bfloat16, _bf16)
MY_LIB_LINEAR(thaw_float16, my_lib::float16, _f16)

#endif
