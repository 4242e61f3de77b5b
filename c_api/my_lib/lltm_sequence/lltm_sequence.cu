// c_api/my_lib/lltm_sequence/lltm_sequence.cu: an LLTM over a sequence of steps, forward and backward through time.
//
// The input's share of all gates is one product before the steps; the gradients of weights and input are products
// after them. In between runs the recurrence: one kernel for all steps where recurrence.cuh or, in float,
// grid_recurrence.cuh can hold the weights, else a product and a pointwise kernel for each step.
#include "lltm_sequence/lltm_sequence.h"

#include "gemm/products.cuh"
#include "gemm/sums.cuh"
#include "lltm/step.cuh"
#include "lltm_sequence/grid_recurrence.cuh"
#include "lltm_sequence/recurrence.cuh"
#include "my_lib_cuda.h"

namespace my_lib {
namespace {

// Whether the blocks of a grid may share the state; then the number of finished steps of each.
template <typename T> constexpr bool may_share(int64_t state_size) {
    return sizeof(T) == sizeof(float) && !holds_weights<T>(state_size);
}
template <typename T> unsigned *take_finished(Workspace &workspace, int64_t state_size) {
    return workspace.take<unsigned>(may_share<T>(state_size) ? most_team_blocks : 0);
}

template <typename T> struct ForwardParts {
    T *before;
    unsigned *finished;
    Scratch scratch;

    ForwardParts(Workspace &workspace, const LltmSequenceSizes &s)
        : before(workspace.take<T>(s.rows() * s.step.gate_size())),
          finished(take_finished<T>(workspace, s.step.state_size)), scratch(workspace) {}
};

template <typename T> struct BackwardParts {
    T *d_gates, *d_h, *d_cell;
    RowSum<T> sum_rows;
    unsigned *finished;
    Scratch scratch;

    BackwardParts(Workspace &workspace, const LltmSequenceSizes &s)
        : d_gates(workspace.take<T>(s.rows() * s.step.gate_size())), d_h(workspace.take<T>(s.step.states())),
          d_cell(workspace.take<T>(s.step.states())), sum_rows(workspace, s.rows(), s.step.gate_size()),
          finished(take_finished<T>(workspace, s.step.state_size)), scratch(workspace) {}
};

template <typename T, template <typename> class Parts> size_t workspace_size(const LltmSequenceSizes &s) {
    if (!check_sizes<T>(s)) return SIZE_MAX;
    Workspace workspace;
    Parts<T>(workspace, s);
    return workspace.bytes();
}

// One product and one kernel for each step.
template <typename T>
bool step_forward(const Recurrence<T> &r, Products &products, void *stream) {
    const int64_t states = r.batch * r.state_size, gate_size = 3 * r.state_size;
    for (int64_t t = 0; t < r.seq_len; ++t) {
        T *before = r.before + t * r.batch * gate_size;
        if (!products.multiply(Product<T>{r.batch, gate_size, r.state_size,
                                          {t ? r.h + (t - 1) * states : r.old_h, r.state_size},
                                          {r.weights, r.row_size, true}, before, gate_size, true}) ||
            !finish_lltm<T>({before, r.bias, t ? r.cell + (t - 1) * states : r.old_cell, r.h + t * states,
                             r.cell + t * states, r.keeps_gates ? before : nullptr},
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

template <typename T> int forward(const LltmSequenceForward<T> &a, void *stream) {
    const LltmSizes &s = a.sizes.step;
    if (!check_arguments(a, workspace_size<T, ForwardParts>(a.sizes))) return 0;
    if (a.sizes.seq_len == 0 || s.states() == 0) return 1;
    Workspace workspace(a.workspace);
    const ForwardParts<T> parts(workspace, a.sizes);
    T *before = a.gates ? a.gates : parts.before;
    const Recurrence<T> r = {a.weights,       a.bias,  a.old_h,      a.old_cell,   before, a.h, a.cell,
                             a.sizes.seq_len, s.batch, s.state_size, s.row_size(), a.gates != nullptr};
    Products products(parts.scratch, stream);
    if (!products.multiply(Product<T>{a.sizes.rows(), s.gate_size(), s.input_size, {a.input, s.input_size},
                                      {a.weights + s.state_size, s.row_size(), true}, before, s.gate_size()}))
        return 0;
    if (holds_weights<T>(s.state_size)) return recur(r, stream);
    if constexpr (may_share<T>(INT64_MAX)) {
        bool started = false;
        if (!recur_on_grid_as_allowed(r, parts.finished, stream, &started)) return 0;
        if (started) return 1;
    }
    return step_forward(r, products, stream);
}

template <typename T>
bool recur_back(const BackRecurrence<T> &r, const BackwardParts<T> &parts, Products &products, void *stream) {
    if (r.batch * r.state_size == 0) return true;
    if (holds_weights<T>(r.state_size)) return recur(r, stream);
    if constexpr (may_share<T>(INT64_MAX)) {
        bool started = false;
        if (!recur_on_grid_as_allowed(r, parts.d_h, parts.d_cell, parts.finished, stream, &started)) return false;
        if (started) return true;
    }
    return step_backward(r, parts, products, stream);
}

template <typename T> int backward(const LltmSequenceBackward<T> &a, void *stream) {
    if (!check_arguments(a, workspace_size<T, BackwardParts>(a.sizes))) return 0;
    const int64_t seq_len = a.sizes.seq_len, batch = a.sizes.step.batch;
    const int64_t input_size = a.sizes.step.input_size, state_size = a.sizes.step.state_size;
    const int64_t gate_size = a.sizes.step.gate_size(), row_size = a.sizes.step.row_size();
    Workspace workspace(a.workspace);
    const BackwardParts<T> parts(workspace, a.sizes);
    const BackRecurrence<T> r = {a.weights,     a.grad_h,  a.grad_last_h,  a.grad_last_cell, a.cell,     a.gates,
                                 parts.d_gates, a.d_old_h, a.d_old_cell,   seq_len,          batch,      state_size,
                                 row_size};
    Products products(parts.scratch, stream);
    const bool recurred = recur_back(r, parts, products, stream);
    const int64_t rows = a.sizes.rows(), first_rows = seq_len ? batch : 0;
    const Factor<T> columns = {parts.d_gates, gate_size, true};
    auto multiply = [&](const Product<T> &product) { return !product.output || products.multiply(product); };
    // The hidden state before each step: old_h before the first one, then h one step earlier.
    return recurred && (!a.d_bias || parts.sum_rows(parts.d_gates, a.d_bias, stream)) &&
           multiply({rows, input_size, gate_size, {parts.d_gates, gate_size}, {a.weights + state_size, row_size},
                     a.d_input, input_size}) &&
           multiply({gate_size, state_size, first_rows, columns, {a.old_h, state_size}, a.d_weights, row_size}) &&
           multiply({gate_size, state_size, rows - first_rows,
                     {parts.d_gates + first_rows * gate_size, gate_size, true}, {a.h, state_size}, a.d_weights,
                     row_size, true}) &&
           multiply({gate_size, input_size, rows, columns, {a.input, input_size},
                     a.d_weights ? a.d_weights + state_size : nullptr, row_size});
}

}  // namespace
}  // namespace my_lib

// Each entry point twice, for float and, with _f64 in its name, for double.
#define MY_LIB_LLTM_SEQUENCE(T, suffix)                                                                                \
    int lltm_sequence_forward##suffix(const T *input, const T *weights, const T *bias, const T *old_h,                 \
                                      const T *old_cell, int64_t seq_len, int64_t batch, int64_t input_size,           \
                                      int64_t state_size, T *h, T *cell, T *gates, void *workspace,                    \
                                      size_t workspace_size, void *stream) {                                           \
        return my_lib::forward<T>({input, weights, bias, old_h, old_cell, {seq_len, {batch, input_size, state_size}},  \
                                   h, cell, gates, workspace, workspace_size}, stream);                                \
    }                                                                                                                  \
    int lltm_sequence_backward##suffix(                                                                                \
        const T *grad_h, const T *grad_last_h, const T *grad_last_cell, const T *cell, const T *gates, const T *input, \
        const T *h, const T *old_h, const T *old_cell, const T *weights, int64_t seq_len, int64_t batch,               \
        int64_t input_size, int64_t state_size, T *d_input, T *d_weights, T *d_bias, T *d_old_h, T *d_old_cell,        \
        void *workspace, size_t workspace_size, void *stream) {                                                        \
        return my_lib::backward<T>({grad_h, grad_last_h, grad_last_cell, cell, gates, input, h, old_h, old_cell,       \
                                    weights, {seq_len, {batch, input_size, state_size}}, d_input, d_weights, d_bias,   \
                                    d_old_h, d_old_cell, workspace, workspace_size}, stream);                          \
    }                                                                                                                  \
    size_t lltm_sequence_forward_workspace_size##suffix(int64_t seq_len, int64_t batch, int64_t input_size,            \
                                                        int64_t state_size) {                                          \
        return my_lib::workspace_size<T, my_lib::ForwardParts>({seq_len, {batch, input_size, state_size}});            \
    }                                                                                                                  \
    size_t lltm_sequence_backward_workspace_size##suffix(int64_t seq_len, int64_t batch, int64_t input_size,           \
                                                         int64_t state_size) {                                         \
        return my_lib::workspace_size<T, my_lib::BackwardParts>({seq_len, {batch, input_size, state_size}});           \
    }

MY_LIB_LLTM_SEQUENCE(float, _cuda)
MY_LIB_LLTM_SEQUENCE(double, _f64_cuda)
