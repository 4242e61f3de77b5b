// c_api/my_lib/lltm_sequence/reference.h: an LLTM over a sequence, as the single steps of lltm/reference.h.
//
// No array may be NULL here, but for grad_last_h and grad_last_cell.
#pragma once

#include "lltm/reference.h"
#include "lltm_sequence/lltm_sequence.h"

#include <vector>

namespace my_lib {
namespace reference {

template <typename T> void lltm_sequence_forward(const LltmSequenceForward<T> &a) {
    const LltmSizes &s = a.sizes.step;
    const int64_t states = s.states();
    for (int64_t t = 0; t < a.sizes.seq_len; ++t)
        lltm_forward<T>({a.input + t * s.batch * s.input_size, a.weights, a.bias, t ? a.h + (t - 1) * states : a.old_h,
                         t ? a.cell + (t - 1) * states : a.old_cell, s, a.h + t * states, a.cell + t * states,
                         a.gates + t * 3 * states, nullptr, 0});
}

template <typename T> void lltm_sequence_backward(const LltmSequenceBackward<T> &a) {
    const LltmSizes &s = a.sizes.step;
    const int64_t states = s.states(), inputs = s.batch * s.input_size;
    std::fill_n(a.d_weights, s.gate_size() * s.row_size(), T(0));
    std::fill_n(a.d_bias, s.gate_size(), T(0));
    // What flows back from the step behind, and what a step adds to the gradients that all of them share.
    std::fill_n(a.d_old_h, states, T(0));
    std::fill_n(a.d_old_cell, states, T(0));
    if (a.grad_last_h) std::copy_n(a.grad_last_h, states, a.d_old_h);
    if (a.grad_last_cell) std::copy_n(a.grad_last_cell, states, a.d_old_cell);
    std::vector<T> weights(static_cast<size_t>(s.gate_size() * s.row_size())), bias(static_cast<size_t>(s.gate_size()));
    for (int64_t t = a.sizes.seq_len - 1; t >= 0; --t) {
        std::vector<T> grad_h(a.d_old_h, a.d_old_h + states), grad_cell(a.d_old_cell, a.d_old_cell + states);
        for (int64_t i = 0; i < states; ++i) grad_h[i] += a.grad_h[t * states + i];
        lltm_backward<T>({grad_h.data(), grad_cell.data(), a.cell + t * states, a.gates + t * 3 * states,
                          a.input + t * inputs, t ? a.h + (t - 1) * states : a.old_h, a.weights, s,
                          a.d_input + t * inputs, weights.data(), bias.data(), a.d_old_h, a.d_old_cell, nullptr, 0});
        for (size_t i = 0; i < weights.size(); ++i) a.d_weights[i] += weights[i];
        for (size_t i = 0; i < bias.size(); ++i) a.d_bias[i] += bias[i];
    }
}

}  // namespace reference
}  // namespace my_lib
