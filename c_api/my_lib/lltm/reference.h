// c_api/my_lib/lltm/reference.h: one step of the LLTM and its gradient, written as my_lib.h describes them.
//
// What lltm.cpp and lltm.cu compute, without vectors, threads or workspace. The tests run it in long double. No array
// may be NULL here.
#pragma once

#include "lltm/lltm.h"

#include <algorithm>
#include <cmath>

namespace my_lib {
namespace reference {

template <typename T> void lltm_forward(const LltmForward<T> &a) {
    const int64_t batch = a.sizes.batch, inputs = a.sizes.input_size, states = a.sizes.state_size;
    for (int64_t b = 0; b < batch; ++b)
        for (int64_t j = 0; j < states; ++j) {
            T before[3];  // input gate, output gate, candidate
            for (int64_t gate = 0; gate < 3; ++gate) {
                const int64_t row = gate * states + j;
                const T *weights = a.weights + row * (states + inputs);
                before[gate] = a.bias[row];
                for (int64_t k = 0; k < states; ++k) before[gate] += weights[k] * a.old_h[b * states + k];
                for (int64_t k = 0; k < inputs; ++k) before[gate] += weights[states + k] * a.input[b * inputs + k];
            }
            const T i = 1 / (1 + std::exp(-before[0])), o = 1 / (1 + std::exp(-before[1]));
            const T c = before[2] > 0 ? before[2] : std::expm1(before[2]);
            const T cell = a.old_cell[b * states + j] + c * i;
            a.new_cell[b * states + j] = cell;
            a.new_h[b * states + j] = std::tanh(cell) * o;
            T *gates = a.gates + b * 3 * states + j;
            gates[0] = i;
            gates[states] = o;
            gates[2 * states] = c;
        }
}

template <typename T> void lltm_backward(const LltmBackward<T> &a) {
    const int64_t batch = a.sizes.batch, inputs = a.sizes.input_size, states = a.sizes.state_size;
    const int64_t columns = states + inputs;
    std::fill_n(a.d_input, batch * inputs, T(0));
    std::fill_n(a.d_weights, 3 * states * columns, T(0));
    std::fill_n(a.d_bias, 3 * states, T(0));
    std::fill_n(a.d_old_h, batch * states, T(0));
    for (int64_t b = 0; b < batch; ++b)
        for (int64_t j = 0; j < states; ++j) {
            const T *gates = a.gates + b * 3 * states + j;
            const T i = gates[0], o = gates[states], c = gates[2 * states], t = std::tanh(a.new_cell[b * states + j]);
            const T grad_h = a.grad_h[b * states + j];
            const T d_cell = a.grad_cell[b * states + j] + grad_h * o * (1 - t * t);
            const T d_before[3] = {d_cell * c * i * (1 - i), grad_h * t * o * (1 - o),
                                   d_cell * i * (c > 0 ? 1 : c + 1)};
            a.d_old_cell[b * states + j] = d_cell;
            for (int64_t gate = 0; gate < 3; ++gate) {
                const int64_t row = gate * states + j;
                const T *weights = a.weights + row * columns;
                T *d_weights = a.d_weights + row * columns;
                a.d_bias[row] += d_before[gate];
                for (int64_t k = 0; k < states; ++k) {
                    d_weights[k] += d_before[gate] * a.old_h[b * states + k];
                    a.d_old_h[b * states + k] += d_before[gate] * weights[k];
                }
                for (int64_t k = 0; k < inputs; ++k) {
                    d_weights[states + k] += d_before[gate] * a.input[b * inputs + k];
                    a.d_input[b * inputs + k] += d_before[gate] * weights[states + k];
                }
            }
        }
}

}  // namespace reference
}  // namespace my_lib
