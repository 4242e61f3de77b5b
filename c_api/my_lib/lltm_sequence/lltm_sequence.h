// c_api/my_lib/lltm_sequence/lltm_sequence.h: the arguments of an LLTM over a sequence, and their checks.
#pragma once

#include "lltm/lltm.h"

namespace my_lib {

// Products of sizes hold after check_sizes().
struct LltmSequenceSizes {
    int64_t seq_len;
    LltmSizes step;

    // Rows of all steps; 0 where they have no columns, since their number may then be beyond int64_t.
    [[gnu::always_inline]] int64_t rows() const { return step.row_size() ? seq_len * step.batch : 0; }
};

// The arguments of lltm_sequence_forward, in the order of my_lib.h.
template <typename T> struct LltmSequenceForward {
    const T *input, *weights, *bias, *old_h, *old_cell;
    LltmSequenceSizes sizes;
    T *h, *cell, *gates;
    void *workspace;
    size_t workspace_size;
};

// Those of lltm_sequence_backward.
template <typename T> struct LltmSequenceBackward {
    const T *grad_h, *grad_last_h, *grad_last_cell, *cell, *gates, *input, *h, *old_h, *old_cell, *weights;
    LltmSequenceSizes sizes;
    T *d_input, *d_weights, *d_bias, *d_old_h, *d_old_cell;
    void *workspace;
    size_t workspace_size;
};

template <typename T> bool check_sizes(const LltmSequenceSizes &s) {
    return check_size("seq_len", s.seq_len) && check_sizes<T>(s.step) &&
           check_array_size<T>("input", {s.seq_len, s.step.batch, s.step.input_size}) &&
           check_array_size<T>("gates", {s.seq_len, s.step.batch, s.step.gate_size()});
}

// `needed` bytes of workspace, here and below: SIZE_MAX where the sizes are impossible, with the error set.
template <typename T> bool check_arguments(const LltmSequenceForward<T> &a, size_t needed) {
    if (needed == SIZE_MAX) return false;
    const LltmSizes &s = a.sizes.step;
    const int64_t seq_len = a.sizes.seq_len;
    return check_array("input", a.input, a.sizes.rows() * s.input_size) &&
           check_array("weights", a.weights, s.gate_size() * s.row_size()) &&
           check_array("bias", a.bias, s.gate_size()) && check_array("old_h", a.old_h, s.states()) &&
           check_array("old_cell", a.old_cell, s.states()) && check_array("h", a.h, seq_len * s.states()) &&
           check_array("cell", a.cell, seq_len * s.states()) && check_optional("gates", a.gates) &&
           check_workspace(a.workspace, a.workspace_size, needed);
}

template <typename T> bool check_arguments(const LltmSequenceBackward<T> &a, size_t needed) {
    if (needed == SIZE_MAX) return false;
    const LltmSizes &s = a.sizes.step;
    const int64_t seq_len = a.sizes.seq_len;
    return check_array("grad_h", a.grad_h, seq_len * s.states()) && check_optional("grad_last_h", a.grad_last_h) &&
           check_optional("grad_last_cell", a.grad_last_cell) && check_array("cell", a.cell, seq_len * s.states()) &&
           check_array("gates", a.gates, s.states() * 3 * seq_len) &&
           check_array("input", a.input, a.d_weights ? a.sizes.rows() * s.input_size : 0) &&
           check_array("h", a.h, a.d_weights ? seq_len * s.states() : 0) &&
           check_array("old_h", a.old_h, a.d_weights ? s.states() : 0) && check_optional("old_cell", a.old_cell) &&
           check_array("weights", a.weights, s.gate_size() * s.row_size()) && check_optional("d_input", a.d_input) &&
           check_optional("d_weights", a.d_weights) && check_optional("d_bias", a.d_bias) &&
           check_optional("d_old_h", a.d_old_h) && check_optional("d_old_cell", a.d_old_cell) &&
           check_workspace(a.workspace, a.workspace_size, needed);
}

}  // namespace my_lib
