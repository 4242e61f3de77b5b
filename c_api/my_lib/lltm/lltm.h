// c_api/my_lib/lltm/lltm.h: the LLTM cell: the arguments of one step, their checks, and the arithmetic of CPU and GPU.
#pragma once

#include "lltm/activations.h"
#include "runtime/arguments.h"

namespace my_lib {

// Products of sizes hold after check_sizes().
struct LltmSizes {
    int64_t batch, input_size, state_size;

    [[gnu::always_inline]] int64_t states() const { return batch * state_size; }
    [[gnu::always_inline]] int64_t gate_size() const { return 3 * state_size; }         // rows of `weights`
    [[gnu::always_inline]] int64_t row_size() const { return state_size + input_size; }  // columns of `weights`
};

// The arguments of lltm_forward, in the order of my_lib.h.
template <typename T> struct LltmForward {
    const T *input, *weights, *bias, *old_h, *old_cell;
    LltmSizes sizes;
    T *new_h, *new_cell, *gates;
    void *workspace;
    size_t workspace_size;
};

// Those of lltm_backward.
template <typename T> struct LltmBackward {
    const T *grad_h, *grad_cell, *new_cell, *gates, *input, *old_h, *weights;
    LltmSizes sizes;
    T *d_input, *d_weights, *d_bias, *d_old_h, *d_old_cell;
    void *workspace;
    size_t workspace_size;
};

template <typename T> bool check_sizes(const LltmSizes &s) {
    int64_t gate_size = 0, row_size = 0;
    if (!check_size("batch", s.batch) || !check_size("input_size", s.input_size) ||
        !check_size("state_size", s.state_size))
        return false;
    if (__builtin_mul_overflow(s.state_size, int64_t{3}, &gate_size) ||
        __builtin_add_overflow(s.state_size, s.input_size, &row_size))
        return set_error(MY_LIB_ERROR_SIZE_OVERFLOW,
                         "weights: expected 3 * state_size rows and state_size + input_size columns to fit in int64_t, "
                         "got state_size %lld and input_size %lld",
                         static_cast<long long>(s.state_size), static_cast<long long>(s.input_size));
    return check_array_size<T>("weights", {gate_size, row_size}) &&
           check_array_size<T>("input", {s.batch, s.input_size}) && check_array_size<T>("gates", {s.batch, gate_size});
}

// `needed` bytes of workspace, here and below: SIZE_MAX where the sizes are impossible, with the error set.
template <typename T> bool check_arguments(const LltmForward<T> &a, size_t needed) {
    if (needed == SIZE_MAX) return false;
    const LltmSizes &s = a.sizes;
    return check_array("input", a.input, s.batch * s.input_size) &&
           check_array("weights", a.weights, s.gate_size() * s.row_size()) &&
           check_array("bias", a.bias, s.gate_size()) && check_array("old_h", a.old_h, s.states()) &&
           check_array("old_cell", a.old_cell, s.states()) && check_array("new_h", a.new_h, s.states()) &&
           check_array("new_cell", a.new_cell, s.states()) && check_optional("gates", a.gates) &&
           check_workspace(a.workspace, a.workspace_size, needed);
}

template <typename T> bool check_arguments(const LltmBackward<T> &a, size_t needed) {
    if (needed == SIZE_MAX) return false;
    const LltmSizes &s = a.sizes;
    return check_array("grad_h", a.grad_h, s.states()) && check_array("grad_cell", a.grad_cell, s.states()) &&
           check_array("new_cell", a.new_cell, s.states()) && check_array("gates", a.gates, 3 * s.states()) &&
           check_array("input", a.input, a.d_weights ? s.batch * s.input_size : 0) &&
           check_array("old_h", a.old_h, a.d_weights ? s.states() : 0) &&
           check_array("weights", a.weights, a.d_input || a.d_old_h ? s.gate_size() * s.row_size() : 0) &&
           check_optional("d_input", a.d_input) && check_optional("d_weights", a.d_weights) &&
           check_optional("d_bias", a.d_bias) && check_optional("d_old_h", a.d_old_h) &&
           check_optional("d_old_cell", a.d_old_cell) && check_workspace(a.workspace, a.workspace_size, needed);
}

// The arithmetic of one cell, for a scalar or a vector V.
namespace math {

template <typename V> struct lltm_gates { V input, output, candidate; };
template <typename V> struct lltm_state { V h, cell; };
template <typename V> struct lltm_gradients { V input, output, candidate, old_cell; };

template <typename V> MY_LIB_MATH lltm_gates<V> lltm_activate(lltm_gates<V> before) {
    return {sigmoid(before.input), sigmoid(before.output), elu(before.candidate)};
}

// new_cell = old_cell + candidate * input gate, new_h = tanh(new_cell) * output gate
template <typename V> MY_LIB_MATH lltm_state<V> lltm_update(lltm_gates<V> gates, V old_cell) {
    const V cell = gates.candidate * gates.input + old_cell;
    return {tanh(cell) * gates.output, cell};
}

// The gradients of the gates before activation and of old_cell, from the gates after activation. The derivative of
// ELU is 1 above 0 and e^x, which is candidate + 1, elsewhere.
template <typename V>
MY_LIB_MATH lltm_gradients<V> lltm_differentiate(lltm_gates<V> gates, V new_cell, V grad_h, V grad_cell) {
    using T = typename lanes_of<V>::element;
    const V t = tanh(new_cell), one = V{} + T(1);
    const V d_cell = grad_h * gates.output * (one - t * t) + grad_cell;
    const V elu_slope = gates.candidate > V{} ? one : gates.candidate + one;
    return {d_cell * gates.candidate * gates.input * (one - gates.input),
            grad_h * t * gates.output * (one - gates.output), d_cell * gates.input * elu_slope, d_cell};
}

}  // namespace math
}  // namespace my_lib
