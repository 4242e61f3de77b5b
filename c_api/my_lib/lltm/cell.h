// c_api/my_lib/lltm/cell.h: the arithmetic of one LLTM cell, forward and backward, for a scalar or a vector V.
#pragma once

#include "lltm/activations.h"

namespace my_lib {
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
