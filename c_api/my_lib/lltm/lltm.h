// c_api/my_lib/lltm/lltm.h: the checks of the LLTM's arguments, one step and sequences, the same for every device.
#pragma once

#include "runtime/arguments.h"

namespace my_lib {

template <typename T> bool check_lltm_sizes(int64_t batch, int64_t input_size, int64_t state_size) {
    int64_t gate_size = 0, row_size = 0;
    if (!check_size("batch", batch) || !check_size("input_size", input_size) || !check_size("state_size", state_size))
        return false;
    if (__builtin_mul_overflow(state_size, int64_t{3}, &gate_size) ||
        __builtin_add_overflow(state_size, input_size, &row_size))
        return set_error(MY_LIB_ERROR_SIZE_OVERFLOW,
                         "weights: expected 3 * state_size rows and state_size + input_size columns to fit in int64_t, "
                         "got state_size %lld and input_size %lld",
                         static_cast<long long>(state_size), static_cast<long long>(input_size));
    return check_array_size<T>("weights", {gate_size, row_size}) &&
           check_array_size<T>("input", {batch, input_size}) && check_array_size<T>("gates", {batch, gate_size});
}

template <typename T>
bool check_lltm_sequence_sizes(int64_t seq_len, int64_t batch, int64_t input_size, int64_t state_size) {
    return check_size("seq_len", seq_len) && check_lltm_sizes<T>(batch, input_size, state_size) &&
           check_array_size<T>("input", {seq_len, batch, input_size}) &&
           check_array_size<T>("gates", {seq_len, batch, 3 * state_size});
}

// `needed` bytes of workspace, here and below: SIZE_MAX where the sizes are impossible, with the error set.
template <typename T>
bool check_lltm_forward(const T *input, const T *weights, const T *bias, const T *old_h, const T *old_cell,
                        int64_t batch, int64_t input_size, int64_t state_size, const T *new_h, const T *new_cell,
                        const T *gates, const void *workspace, size_t workspace_size, size_t needed) {
    if (needed == SIZE_MAX) return false;
    const int64_t states = batch * state_size;
    return check_array("input", input, batch * input_size) &&
           check_array("weights", weights, 3 * state_size * (state_size + input_size)) &&
           check_array("bias", bias, 3 * state_size) && check_array("old_h", old_h, states) &&
           check_array("old_cell", old_cell, states) && check_array("new_h", new_h, states) &&
           check_array("new_cell", new_cell, states) && check_optional("gates", gates) &&
           check_workspace(workspace, workspace_size, needed);
}

template <typename T>
bool check_lltm_backward(const T *grad_h, const T *grad_cell, const T *new_cell, const T *gates, const T *input,
                         const T *old_h, const T *weights, int64_t batch, int64_t input_size, int64_t state_size,
                         const T *d_input, const T *d_weights, const T *d_bias, const T *d_old_h, const T *d_old_cell,
                         const void *workspace, size_t workspace_size, size_t needed) {
    if (needed == SIZE_MAX) return false;
    const int64_t states = batch * state_size;
    return check_array("grad_h", grad_h, states) && check_array("grad_cell", grad_cell, states) &&
           check_array("new_cell", new_cell, states) && check_array("gates", gates, 3 * states) &&
           check_array("input", input, d_weights ? batch * input_size : 0) &&
           check_array("old_h", old_h, d_weights ? states : 0) &&
           check_array("weights", weights, d_input || d_old_h ? 3 * state_size * (state_size + input_size) : 0) &&
           check_optional("d_input", d_input) && check_optional("d_weights", d_weights) &&
           check_optional("d_bias", d_bias) && check_optional("d_old_h", d_old_h) &&
           check_optional("d_old_cell", d_old_cell) && check_workspace(workspace, workspace_size, needed);
}

template <typename T>
bool check_lltm_sequence_forward(const T *input, const T *weights, const T *bias, const T *old_h, const T *old_cell,
                                 int64_t seq_len, int64_t batch, int64_t input_size, int64_t state_size, const T *h,
                                 const T *cell, const T *gates, const void *workspace, size_t workspace_size,
                                 size_t needed) {
    if (needed == SIZE_MAX) return false;
    const int64_t states = batch * state_size;
    return check_array("input", input, seq_len * batch * input_size) &&
           check_array("weights", weights, 3 * state_size * (state_size + input_size)) &&
           check_array("bias", bias, 3 * state_size) && check_array("old_h", old_h, states) &&
           check_array("old_cell", old_cell, states) && check_array("h", h, seq_len * states) &&
           check_array("cell", cell, seq_len * states) && check_optional("gates", gates) &&
           check_workspace(workspace, workspace_size, needed);
}

template <typename T>
bool check_lltm_sequence_backward(const T *grad_h, const T *grad_last_h, const T *grad_last_cell, const T *cell,
                                  const T *gates, const T *input, const T *h, const T *old_h, const T *old_cell,
                                  const T *weights, int64_t seq_len, int64_t batch, int64_t input_size,
                                  int64_t state_size, const T *d_input, const T *d_weights, const T *d_bias,
                                  const T *d_old_h, const T *d_old_cell, const void *workspace, size_t workspace_size,
                                  size_t needed) {
    if (needed == SIZE_MAX) return false;
    const int64_t states = batch * state_size;
    return check_array("grad_h", grad_h, seq_len * states) && check_optional("grad_last_h", grad_last_h) &&
           check_optional("grad_last_cell", grad_last_cell) && check_array("cell", cell, seq_len * states) &&
           check_array("gates", gates, 3 * seq_len * states) &&
           check_array("input", input, d_weights ? seq_len * batch * input_size : 0) &&
           check_array("h", h, d_weights ? seq_len * states : 0) &&
           check_array("old_h", old_h, d_weights ? states : 0) && check_optional("old_cell", old_cell) &&
           check_array("weights", weights, 3 * state_size * (state_size + input_size)) &&
           check_optional("d_input", d_input) && check_optional("d_weights", d_weights) &&
           check_optional("d_bias", d_bias) && check_optional("d_old_h", d_old_h) &&
           check_optional("d_old_cell", d_old_cell) && check_workspace(workspace, workspace_size, needed);
}

}  // namespace my_lib
