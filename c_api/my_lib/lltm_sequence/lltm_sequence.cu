// c_api/my_lib/lltm_sequence/lltm_sequence.cu: an LLTM over a sequence of steps, forward and backward through time.
//
// The input's share of all gates is one product before the steps; the gradients of weights and input are products
// after them. In between runs the recurrence: for states that recurrence.h can hold one kernel for all steps, for
// larger ones a product and a pointwise kernel for each.
#include "lltm/lltm.h"
#include "lltm/step.cuh"
#include "my_lib_cuda.h"
#include "gemm/products.cuh"
#include "lltm_sequence/recurrence.cuh"
#include "gemm/sums.cuh"

namespace my_lib {
namespace {

template <typename T> struct ForwardParts {
    T *before;
    Scratch scratch;

    ForwardParts(Workspace &workspace, int64_t seq_len, int64_t batch, int64_t, int64_t state_size)
        : before(workspace.take<T>(seq_len * batch * 3 * state_size)), scratch(workspace) {}
};

template <typename T> struct BackwardParts {
    T *d_gates, *d_h, *d_cell;
    RowSum<T> sum_rows;
    Scratch scratch;

    BackwardParts(Workspace &workspace, int64_t seq_len, int64_t batch, int64_t, int64_t state_size)
        : d_gates(workspace.take<T>(seq_len * batch * 3 * state_size)), d_h(workspace.take<T>(batch * state_size)),
          d_cell(workspace.take<T>(batch * state_size)), sum_rows(workspace, seq_len * batch, 3 * state_size),
          scratch(workspace) {}
};

template <typename T, template <typename> class Parts>
size_t workspace_size(int64_t seq_len, int64_t batch, int64_t input_size, int64_t state_size) {
    if (!check_lltm_sequence_sizes<T>(seq_len, batch, input_size, state_size)) return SIZE_MAX;
    Workspace workspace;
    Parts<T>(workspace, seq_len, batch, input_size, state_size);
    return workspace.bytes();
}

// One product and one kernel for each step.
template <typename T>
bool step_forward(const Recurrence<T> &r, const T *old_h, const T *old_cell, T *h, T *cell, Products &products,
                  void *stream) {
    const int64_t states = r.batch * r.state_size, gate_size = 3 * r.state_size;
    for (int64_t t = 0; t < r.seq_len; ++t) {
        T *before = r.before + t * r.batch * gate_size;
        if (!products.multiply(Product<T>{r.batch, gate_size, r.state_size,
                                          {t ? h + (t - 1) * states : old_h, r.state_size},
                                          {r.weights, r.row_size, true}, before, gate_size, true}) ||
            !finish_lltm<T>({before, r.bias, t ? cell + (t - 1) * states : old_cell, h + t * states, cell + t * states,
                             r.keeps_gates ? before : nullptr},
                            r.batch, r.state_size, stream))
            return false;
    }
    return true;
}

// to = from, or zeros where from is null.
template <typename T> bool copy_or_zero(const T *from, int64_t count, T *to, void *stream) {
    const auto on = static_cast<cudaStream_t>(stream);
    const size_t bytes = static_cast<size_t>(count) * sizeof(T);
    if (!to || !bytes) return true;
    return succeeded(from ? cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, on)
                          : cudaMemsetAsync(to, 0, bytes, on),
                     "copy the state's gradient");
}

template <typename T>
bool step_backward(const BackRecurrence<T> &r, const BackwardParts<T> &parts, Products &products, void *stream) {
    const int64_t states = r.batch * r.state_size, gate_size = 3 * r.state_size;
    const T *d_h = r.grad_last_h, *d_cell = r.grad_last_cell;
    for (int64_t t = r.seq_len - 1; t >= 0; --t) {
        T *d_gates = r.d_gates + t * r.batch * gate_size;
        if (!differentiate_lltm<T>({r.grad_h + t * states, d_h, d_cell, r.cell + t * states,
                                    r.gates + t * r.batch * gate_size, d_gates, parts.d_cell},
                                   r.batch, r.state_size, stream))
            return false;
        d_cell = parts.d_cell;
        if (!t && !r.d_old_h) break;
        if (!products.multiply(Product<T>{r.batch, r.state_size, gate_size, {d_gates, gate_size},
                                          {r.weights, r.row_size}, parts.d_h, r.state_size}))
            return false;
        d_h = parts.d_h;
    }
    return copy_or_zero(d_h, states, r.d_old_h, stream) && copy_or_zero(d_cell, states, r.d_old_cell, stream);
}

template <typename T>
int forward(const T *input, const T *weights, const T *bias, const T *old_h, const T *old_cell, int64_t seq_len,
            int64_t batch, int64_t input_size, int64_t state_size, T *h, T *cell, T *gates, void *memory,
            size_t memory_size, void *stream) {
    const size_t needed = workspace_size<T, ForwardParts>(seq_len, batch, input_size, state_size);
    if (!check_lltm_sequence_forward(input, weights, bias, old_h, old_cell, seq_len, batch, input_size, state_size, h,
                                     cell, gates, memory, memory_size, needed))
        return 0;
    if (seq_len == 0 || batch == 0 || state_size == 0) return 1;
    const int64_t gate_size = 3 * state_size, row_size = state_size + input_size;
    Workspace workspace(memory);
    const ForwardParts<T> parts(workspace, seq_len, batch, input_size, state_size);
    T *before = gates ? gates : parts.before;
    const Recurrence<T> r = {weights, bias, old_h, old_cell, before, h,       cell,
                             seq_len, batch, state_size, row_size, gates != nullptr};
    Products products(parts.scratch, stream);
    if (!products.multiply(Product<T>{seq_len * batch, gate_size, input_size, {input, input_size},
                                      {weights + state_size, row_size, true}, before, gate_size}))
        return 0;
    return holds_weights<T>(state_size) ? recur(r, stream)
                                        : step_forward(r, old_h, old_cell, h, cell, products, stream);
}

template <typename T>
int backward(const T *grad_h, const T *grad_last_h, const T *grad_last_cell, const T *cell, const T *gates,
             const T *input, const T *h, const T *old_h, const T *old_cell, const T *weights, int64_t seq_len,
             int64_t batch, int64_t input_size, int64_t state_size, T *d_input, T *d_weights, T *d_bias, T *d_old_h,
             T *d_old_cell, void *memory, size_t memory_size, void *stream) {
    const size_t needed = workspace_size<T, BackwardParts>(seq_len, batch, input_size, state_size);
    if (!check_lltm_sequence_backward(grad_h, grad_last_h, grad_last_cell, cell, gates, input, h, old_h, old_cell,
                                      weights, seq_len, batch, input_size, state_size, d_input, d_weights, d_bias,
                                      d_old_h, d_old_cell, memory, memory_size, needed))
        return 0;
    const int64_t gate_size = 3 * state_size, row_size = state_size + input_size, states = batch * state_size;
    Workspace workspace(memory);
    const BackwardParts<T> parts(workspace, seq_len, batch, input_size, state_size);
    const BackRecurrence<T> r = {weights, grad_h, grad_last_h, grad_last_cell, cell,       gates,   parts.d_gates,
                                 d_old_h, d_old_cell, seq_len, batch,          state_size, row_size};
    Products products(parts.scratch, stream);
    const bool recurred = states == 0 || (holds_weights<T>(state_size) ? recur(r, stream)
                                                                       : step_backward(r, parts, products, stream));
    const int64_t rows = seq_len * batch, first_rows = seq_len ? batch : 0;
    const Factor<T> columns = {parts.d_gates, gate_size, true};
    auto multiply = [&](const Product<T> &product) { return !product.output || products.multiply(product); };
    // The hidden state before each step: old_h before the first one, then h one step earlier.
    return recurred && (!d_bias || parts.sum_rows(parts.d_gates, d_bias, stream)) &&
           multiply({rows, input_size, gate_size, {parts.d_gates, gate_size}, {weights + state_size, row_size},
                     d_input, input_size}) &&
           multiply({gate_size, state_size, first_rows, columns, {old_h, state_size}, d_weights, row_size}) &&
           multiply({gate_size, state_size, rows - first_rows,
                     {parts.d_gates + first_rows * gate_size, gate_size, true}, {h, state_size}, d_weights, row_size,
                     true}) &&
           multiply({gate_size, input_size, rows, columns, {input, input_size},
                     d_weights ? d_weights + state_size : nullptr, row_size});
}

}  // namespace
}  // namespace my_lib

// Each entry point twice, for float and, with _f64 in its name, for double.
#define MY_LIB_LLTM_SEQUENCE(T, suffix)                                                                                \
    int lltm_sequence_forward##suffix(const T *input, const T *weights, const T *bias, const T *old_h,                 \
                                      const T *old_cell, int64_t seq_len, int64_t batch, int64_t input_size,           \
                                      int64_t state_size, T *h, T *cell, T *gates, void *workspace,                    \
                                      size_t workspace_size, void *stream) {                                           \
        return my_lib::forward(input, weights, bias, old_h, old_cell, seq_len, batch, input_size, state_size, h, cell, \
                               gates, workspace, workspace_size, stream);                                              \
    }                                                                                                                  \
    int lltm_sequence_backward##suffix(                                                                                \
        const T *grad_h, const T *grad_last_h, const T *grad_last_cell, const T *cell, const T *gates, const T *input, \
        const T *h, const T *old_h, const T *old_cell, const T *weights, int64_t seq_len, int64_t batch,               \
        int64_t input_size, int64_t state_size, T *d_input, T *d_weights, T *d_bias, T *d_old_h, T *d_old_cell,        \
        void *workspace, size_t workspace_size, void *stream) {                                                        \
        return my_lib::backward(grad_h, grad_last_h, grad_last_cell, cell, gates, input, h, old_h, old_cell, weights,  \
                                seq_len, batch, input_size, state_size, d_input, d_weights, d_bias, d_old_h,           \
                                d_old_cell, workspace, workspace_size, stream);                                        \
    }                                                                                                                  \
    size_t lltm_sequence_forward_workspace_size##suffix(int64_t seq_len, int64_t batch, int64_t input_size,            \
                                                        int64_t state_size) {                                          \
        return my_lib::workspace_size<T, my_lib::ForwardParts>(seq_len, batch, input_size, state_size);                \
    }                                                                                                                  \
    size_t lltm_sequence_backward_workspace_size##suffix(int64_t seq_len, int64_t batch, int64_t input_size,           \
                                                         int64_t state_size) {                                         \
        return my_lib::workspace_size<T, my_lib::BackwardParts>(seq_len, batch, input_size, state_size);               \
    }

MY_LIB_LLTM_SEQUENCE(float, _cuda)
MY_LIB_LLTM_SEQUENCE(double, _f64_cuda)
