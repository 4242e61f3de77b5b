// c_api/my_lib/lltm_sequence/lltm_sequence.cpp: an LLTM over a sequence of steps, forward and backward through time.
//
// The steps go in chunks of a few hundred rows (steps times batch). In each chunk the input's share of all gates is
// one product before the steps, and the gradients of weights and input are products after them: only the recurrent
// product runs step by step. A chunk's rows are still in cache when they are used again, and the workspace does not
// grow with the length of the sequence. Weights are transposed once for all chunks; those of the state too, where that
// is worth it for so many steps: then a few rows fill whole vectors with columns of their gates.
//
// With 16-bit elements a step reads the state as the step before stored it. What never leaves the call stays in float:
// the input's share of the gates, the gradients that flow from step to step, and the sums over steps.
#include "runtime/isa.h"

#include "gemm/gemm.h"
#include "gemm/affine.h"
#include "lltm/step.h"
#include "lltm_sequence/lltm_sequence.h"

#include <cassert>

namespace my_lib {

MY_LIB_EVERY_ISA(
    template <typename T> void lltm_sequence_forward(const LltmSequenceForward<T> &a);
    template <typename T> void lltm_sequence_backward(const LltmSequenceBackward<T> &a);)

// Steps per chunk. The entry points and the kernels must agree on it.
static inline int64_t steps_per_chunk(int64_t seq_len, int64_t batch) {
    constexpr int64_t rows = 512;
    const int64_t steps = batch && rows > batch ? rows / batch : 1;
    return steps < seq_len ? steps : seq_len;
}

// Whether the weights of the state are transposed as well: for enough steps, and as long as a second-level cache holds
// them beside the rest. The entry points and the kernels must agree on it, too.
template <typename S> static inline bool transposes_recurrence(const LltmSequenceSizes &s) {
    constexpr int64_t most_bytes = 1024 * 1024;
    const bool enough = s.seq_len >= 16 || (s.step.batch < 16 && s.seq_len * s.step.batch >= 32);
    return is_arithmetic<S> && enough &&
           s.step.gate_size() * s.step.state_size <= most_bytes / static_cast<int64_t>(sizeof(S));
}

// Whether the weights of the input are: they serve every row of it. For long rows it is better to transpose the rows, and
// 16-bit rows must be converted anyway.
template <typename S> static inline bool transposes_input(const LltmSequenceSizes &s) {
    const int64_t rows = steps_per_chunk(s.seq_len, s.step.batch) * s.step.batch;  // of all steps, or more than 256
    return is_arithmetic<S> && s.step.input_size <= 256 && rows >= s.step.input_size;
}

namespace MY_LIB_ISA {

template <typename S> void lltm_sequence_forward(const LltmSequenceForward<S> &a) {
    using T = Arithmetic<S>;
    const LltmSizes &s = a.sizes.step;
    const int64_t seq_len = a.sizes.seq_len, batch = s.batch, input_size = s.input_size, state_size = s.state_size;
    const int64_t gate_size = s.gate_size(), row_size = s.row_size(), states = s.states();
    if (!states) return;  // of any number of steps
    const int64_t chunk_steps = steps_per_chunk(seq_len, batch);
    T *chunk_gates = align<T>(a.workspace);  // used when the caller wants none, or wants them rounded
    T *packed = align<T>(chunk_gates + chunk_steps * batch * gate_size);
    const bool by_rows = transposes_recurrence<S>(a.sizes);
    T *panels = align<T>(packed + (by_rows ? ceil_div(gate_size, panel_width<T>) * panel_width<T>
                                           : packed_rows<T>(batch, state_size)) *
                                      state_size);
    const bool transposed = transposes_input<S>(a.sizes);
    assert(has_room(panels, transposed ? ceil_div(gate_size, panel_width<T>) * panel_width<T> * input_size
                                       : packed_rows<T>(chunk_steps * batch, input_size) * input_size,
                    a.workspace, a.workspace_size));
    const S *input_weights = a.weights + state_size;
    RightMatrix<T> right = {}, recurrent = {};
    if constexpr (is_arithmetic<S>) {
        if (transposed) right = pack_transposed(input_weights, row_size, input_size, gate_size, panels);
        if (by_rows) recurrent = pack_transposed(a.weights, row_size, state_size, gate_size, packed);
    }
    for (int64_t first = 0; first < seq_len; first += chunk_steps) {
        const int64_t steps = seq_len - first < chunk_steps ? seq_len - first : chunk_steps, rows = steps * batch;
        const S *x = a.input + first * batch * input_size;
        T *before = chunk_gates;
        if constexpr (is_arithmetic<S>) {
            if (a.gates) before = a.gates + first * batch * gate_size;
            if (transposed) multiply<T>({rows, gate_size, input_size, x, input_size, 1, right, before, gate_size});
        }
        if (!transposed)
            affine<S>(x, input_weights, row_size, nullptr, rows, input_size, gate_size, before, panels);
        for (int64_t t = first; t < first + steps; ++t, before += batch * gate_size) {
            const S *h = t ? a.h + (t - 1) * states : a.old_h;
            const LltmStep<S> step = {state_size,
                                      a.bias,
                                      before,
                                      t ? a.cell + (t - 1) * states : a.old_cell,
                                      a.h + t * states,
                                      a.cell + t * states,
                                      a.gates ? a.gates + t * batch * gate_size : nullptr};
            if constexpr (is_arithmetic<S>)
                if (by_rows) {
                    multiply<T>({batch, gate_size, state_size, h, state_size, 1, recurrent, before, gate_size, true, 48});
                    finish_lltm_rows(step, batch);
                    continue;
                }
            const Matrix<S> x[2] = {{h, state_size, state_size}, {nullptr, 0, 0}};
            multiply_transposed<S, true>(x, batch, a.weights, row_size, gate_size, packed,
                                         [=](const Block<T> &block, int64_t first_row, int64_t rows, Columns part) {
                                             finish_lltm(step, block, first_row, rows, part);
                                         });
        }
    }
}

// to = from, or zeros where from is null.
template <typename From, typename To> void copy_or_zero(const From *from, int64_t size, To *to) {
    if (from) convert(from, size, to);
    else if (size) __builtin_memset(to, 0, static_cast<size_t>(size) * sizeof(To));
}

template <typename S> void lltm_sequence_backward(const LltmSequenceBackward<S> &a) {
    using T = Arithmetic<S>;
    const LltmSizes &s = a.sizes.step;
    const int64_t batch = s.batch, input_size = s.input_size, state_size = s.state_size;
    const int64_t gate_size = s.gate_size(), row_size = s.row_size(), states = s.states();
    // Any number of steps with nothing in them is none.
    const int64_t seq_len = states || (a.d_input && batch && input_size) ? a.sizes.seq_len : 0;
    const int64_t chunk_steps = steps_per_chunk(seq_len, batch);
    T *d_gates = align<T>(a.workspace);
    T *d_h = align<T>(d_gates + chunk_steps * batch * gate_size);  // what flows back to the step before
    T *d_cell = align<T>(d_h + states);
    T *recurrent = align<T>(d_cell + states);
    // Sums over chunks: in place where the caller's arrays are of type T.
    T *d_weights, *d_bias;
    if constexpr (is_arithmetic<S>) {
        d_weights = a.d_weights;
        d_bias = a.d_bias;
    } else {
        d_weights = recurrent + column_panels_bytes<T>(gate_size, state_size) / sizeof(T);
        d_bias = align<T>(d_weights + gate_size * row_size);
    }
    assert(has_room(recurrent, ceil_div(state_size, panel_width<T>) * panel_width<T> * gate_size, a.workspace,
                    a.workspace_size));
    assert(is_arithmetic<S> || (has_room(d_weights, gate_size * row_size, a.workspace, a.workspace_size) &&
                                has_room(d_bias, gate_size, a.workspace, a.workspace_size)));
    copy_or_zero(a.grad_last_h, states, d_h);
    copy_or_zero(a.grad_last_cell, states, d_cell);
    const RightMatrix<S> recurrent_weights = pack_columns(a.weights, row_size, gate_size, state_size, recurrent);

    bool accumulate = false;
    // d_weights += d_gates^T [hidden, input], the columns of one of the two.
    auto add_weight_gradient = [&](const T *d_rows, int64_t rows, const S *x, int64_t columns, int64_t column,
                                   bool add) {
        multiply<S, T>({gate_size, columns, rows, d_rows, 1, gate_size, {x, columns}, d_weights + column, row_size,
                        add});
    };
    for (int64_t end = seq_len; end > 0 || !accumulate;) {
        const int64_t first = end > chunk_steps ? end - chunk_steps : 0;
        assert(end - first <= chunk_steps);  // as many as d_gates holds
        for (int64_t t = end - 1; t >= first; --t) {
            T *d_step = d_gates + (t - first) * batch * gate_size;
            differentiate_lltm(a.grad_h + t * states, d_h, d_cell, a.cell + t * states, a.gates + t * batch * gate_size,
                               batch, state_size, d_step, d_cell);
            if (t || a.d_old_h)
                multiply<S, T>({batch, state_size, gate_size, d_step, gate_size, 1, recurrent_weights, d_h,
                                state_size});
        }
        const int64_t rows = (end - first) * batch;
        if (a.d_input)
            multiply<S>({rows, input_size, gate_size, d_gates, gate_size, 1, {a.weights + state_size, row_size},
                         a.d_input + first * batch * input_size, input_size});
        if (a.d_weights) {
            // The hidden rows of the chunk: those of h one step earlier, with old_h before the first step.
            const int64_t own = first == 0 && end > 0 ? batch : 0;
            if (own || rows == 0) add_weight_gradient(d_gates, own, a.old_h, state_size, 0, accumulate);
            if (rows > own)
                add_weight_gradient(d_gates + own * gate_size, rows - own,
                                    a.h + (first * batch + own - batch) * state_size, state_size, 0,
                                    accumulate || own);
            add_weight_gradient(d_gates, rows, a.input + first * batch * input_size, input_size, state_size,
                                accumulate);
        }
        if (a.d_bias) sum_rows(d_gates, rows, gate_size, d_bias, accumulate);
        accumulate = true;
        end = first;
    }
    if (a.d_old_h) copy_or_zero(d_h, states, a.d_old_h);
    if (a.d_old_cell) copy_or_zero(d_cell, states, a.d_old_cell);
    if constexpr (!is_arithmetic<S>) {
        if (a.d_weights) convert_all(d_weights, gate_size * row_size, a.d_weights);
        if (a.d_bias) convert(d_bias, gate_size, a.d_bias);
    }
}

template void lltm_sequence_forward(const LltmSequenceForward<bfloat16> &);
#if !defined(__AVX512BF16__)
template void lltm_sequence_forward(const LltmSequenceForward<float> &);
template void lltm_sequence_forward(const LltmSequenceForward<double> &);
template void lltm_sequence_forward(const LltmSequenceForward<float16> &);
template void lltm_sequence_backward(const LltmSequenceBackward<float> &);
template void lltm_sequence_backward(const LltmSequenceBackward<double> &);
template void lltm_sequence_backward(const LltmSequenceBackward<bfloat16> &);
template void lltm_sequence_backward(const LltmSequenceBackward<float16> &);
#endif

}  // namespace MY_LIB_ISA
}  // namespace my_lib

#if MY_LIB_ENTRY_POINTS

#include "lltm/workspace.h"

namespace my_lib {
namespace {

template <typename T> bool check_packed_sizes(const LltmSequenceSizes &s) {
    if (!check_sizes<T>(s)) return false;
    const int64_t input_size = s.step.input_size, gate_size = s.step.gate_size();
    const int64_t rows = steps_per_chunk(s.seq_len, s.step.batch) * s.step.batch;
    return check_packed_sizes<T>(s.step) &&
           check_array_size<T>("workspace", {packed_rows<T>(rows, input_size), input_size}) &&
           check_array_size<T>("workspace", {gate_size, s.step.state_size + widest_panel_bytes}) &&
           check_array_size<T>("workspace", {gate_size + widest_panel_bytes, input_size});
}

// The parts of a workspace, each of which fits in memory, and the bytes to align them.
template <int count> size_t workspace_bytes(const size_t (&parts)[count]) {
    size_t total = workspace_alignment;
    for (size_t part : parts)
        if (__builtin_add_overflow(total, part, &total)) {
            set_error(MY_LIB_ERROR_SIZE_OVERFLOW, "workspace: expected at most %zu bytes, got more", SIZE_MAX);
            return SIZE_MAX;
        }
    return total;
}

template <typename S> size_t forward_workspace_size(const LltmSequenceSizes &s) {
    using T = Arithmetic<S>;
    if (!check_packed_sizes<T>(s)) return SIZE_MAX;
    const LltmSizes &step = s.step;
    const int64_t rows = steps_per_chunk(s.seq_len, step.batch) * step.batch;
    return workspace_bytes({aligned_bytes<T>(rows * step.gate_size()),
                            transposes_recurrence<S>(s)
                                ? column_panels_bytes<T>(step.state_size, step.gate_size())
                                : packed_bytes<T>(step.batch, step.state_size),
                            transposes_input<S>(s) ? column_panels_bytes<T>(step.input_size, step.gate_size())
                                                   : packed_bytes<T>(rows, step.input_size)});
}

template <typename S> size_t backward_workspace_size(const LltmSequenceSizes &s) {
    using T = Arithmetic<S>;
    if (!check_packed_sizes<T>(s)) return SIZE_MAX;
    const LltmSizes &step = s.step;
    const int64_t rows = steps_per_chunk(s.seq_len, step.batch) * step.batch;
    const size_t states = aligned_bytes<T>(step.states());
    const size_t d_weights = is_arithmetic<S> ? 0 : aligned_bytes<T>(step.gate_size() * step.row_size());
    const size_t d_bias = is_arithmetic<S> ? 0 : aligned_bytes<T>(step.gate_size());
    return workspace_bytes({aligned_bytes<T>(rows * step.gate_size()), states, states,
                            column_panels_bytes<T>(step.gate_size(), step.state_size), d_weights, d_bias});
}

template <typename S> int forward(const LltmSequenceForward<S> &a) {
    if (!check_arguments(a, forward_workspace_size<S>(a.sizes)) || !check_cpu()) return 0;
    MY_LIB_CHOOSE_FOR(S, lltm_sequence_forward<S>)(a);
    return 1;
}

template <typename S> int backward(const LltmSequenceBackward<S> &a) {
    if (!check_arguments(a, backward_workspace_size<S>(a.sizes)) || !check_cpu()) return 0;
    MY_LIB_CHOOSE(lltm_sequence_backward<S>)(a);
    return 1;
}

}  // namespace
}  // namespace my_lib

// Each entry point for arrays of the C type T, which are of type S in here; the suffix is that of its name.
#define MY_LIB_LLTM_SEQUENCE(T, S, suffix)                                                                             \
    int lltm_sequence_forward##suffix(const T *input, const T *weights, const T *bias, const T *old_h,                 \
                                      const T *old_cell, int64_t seq_len, int64_t batch, int64_t input_size,           \
                                      int64_t state_size, T *h, T *cell, T *gates, void *workspace,                    \
                                      size_t workspace_size) {                                                         \
        using my_lib::elements;                                                                                        \
        return my_lib::forward<S>({elements<S>(input), elements<S>(weights), elements<S>(bias), elements<S>(old_h),    \
                                   elements<S>(old_cell), {seq_len, {batch, input_size, state_size}}, elements<S>(h),  \
                                   elements<S>(cell), elements<S>(gates), workspace, workspace_size});                 \
    }                                                                                                                  \
    int lltm_sequence_backward##suffix(                                                                                \
        const T *grad_h, const T *grad_last_h, const T *grad_last_cell, const T *cell, const T *gates, const T *input, \
        const T *h, const T *old_h, const T *old_cell, const T *weights, int64_t seq_len, int64_t batch,               \
        int64_t input_size, int64_t state_size, T *d_input, T *d_weights, T *d_bias, T *d_old_h, T *d_old_cell,        \
        void *workspace, size_t workspace_size) {                                                                      \
        using my_lib::elements;                                                                                        \
        return my_lib::backward<S>({elements<S>(grad_h), elements<S>(grad_last_h), elements<S>(grad_last_cell),        \
                                    elements<S>(cell), elements<S>(gates), elements<S>(input), elements<S>(h),         \
                                    elements<S>(old_h), elements<S>(old_cell), elements<S>(weights),                   \
                                    {seq_len, {batch, input_size, state_size}}, elements<S>(d_input),                  \
                                    elements<S>(d_weights), elements<S>(d_bias), elements<S>(d_old_h),                 \
                                    elements<S>(d_old_cell), workspace, workspace_size});                              \
    }                                                                                                                  \
    size_t lltm_sequence_forward_workspace_size##suffix(int64_t seq_len, int64_t batch, int64_t input_size,            \
                                                        int64_t state_size) {                                          \
        return my_lib::forward_workspace_size<S>({seq_len, {batch, input_size, state_size}});                          \
    }                                                                                                                  \
    size_t lltm_sequence_backward_workspace_size##suffix(int64_t seq_len, int64_t batch, int64_t input_size,           \
                                                         int64_t state_size) {                                         \
        return my_lib::backward_workspace_size<S>({seq_len, {batch, input_size, state_size}});                         \
    }

MY_LIB_LLTM_SEQUENCE(float, float, )
MY_LIB_LLTM_SEQUENCE(double, double, _f64)
MY_LIB_LLTM_SEQUENCE(thaw_bfloat16, my_lib::bfloat16, _bf16)
MY_LIB_LLTM_SEQUENCE(thaw_float16, my_lib::float16, _f16)

#endif
