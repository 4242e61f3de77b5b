// tests/support/lltm_reference.h: the LLTM cell and its gradient, step by step in long double, as the header describes
// them.
#pragma once

#include "check.h"

using Wide = std::vector<long double>;

template <typename T> Wide widen(const std::vector<T> &values) { return Wide(values.begin(), values.end()); }

struct LltmSizes {
    int64_t batch, input_size, state_size;

    size_t inputs() const { return static_cast<size_t>(batch * input_size); }
    size_t states() const { return static_cast<size_t>(batch * state_size); }
    size_t gates() const { return 3 * states(); }
    size_t biases() const { return static_cast<size_t>(3 * state_size); }
    size_t weights() const { return biases() * static_cast<size_t>(state_size + input_size); }
};

// What a sequence starts from, and the gradients that come back to it.
template <typename T> struct LltmSequence {
    int64_t seq_len;
    LltmSizes s;
    std::vector<T> input, weights, bias, old_h, old_cell, grad_h, grad_last_h, grad_last_cell;

    LltmSequence(int64_t length, LltmSizes sizes)
        : seq_len(length), s(sizes), input(random_values<T>(all(s.inputs()), 1)),
          // Small weights: the state then forgets, and roundings do not grow from step to step.
          weights(random_values<T>(s.weights(), 2, 1.0 / (4 + static_cast<double>(s.state_size + s.input_size)))),
          bias(random_values<T>(s.biases(), 3, 0.5)), old_h(random_values<T>(s.states(), 4)),
          old_cell(random_values<T>(s.states(), 5)), grad_h(random_values<T>(all(s.states()), 6)),
          grad_last_h(random_values<T>(s.states(), 7)), grad_last_cell(random_values<T>(s.states(), 8)) {}

    size_t all(size_t step) const { return static_cast<size_t>(seq_len) * step; }
};

struct LltmForward {
    Wide h, cell, gates;
};

inline LltmForward reference_forward(LltmSizes s, const Wide &input, const Wide &weights, const Wide &bias,
                                     const Wide &old_h, const Wide &old_cell) {
    LltmForward out{Wide(s.states()), Wide(s.states()), Wide(s.gates())};
    const int64_t n = s.state_size, columns = s.state_size + s.input_size;
    for (int64_t b = 0; b < s.batch; ++b)
        for (int64_t j = 0; j < n; ++j) {
            long double a[3];
            for (int64_t gate = 0; gate < 3; ++gate) {
                const int64_t row = gate * n + j;
                a[gate] = bias[row];
                for (int64_t k = 0; k < n; ++k) a[gate] += weights[row * columns + k] * old_h[b * n + k];
                for (int64_t k = 0; k < s.input_size; ++k)
                    a[gate] += weights[row * columns + n + k] * input[b * s.input_size + k];
            }
            const long double i = 1 / (1 + std::exp(-a[0])), o = 1 / (1 + std::exp(-a[1]));
            const long double c = a[2] > 0 ? a[2] : std::expm1(a[2]);
            const long double cell = old_cell[b * n + j] + c * i;
            out.cell[b * n + j] = cell;
            out.h[b * n + j] = std::tanh(cell) * o;
            out.gates[(b * 3 + 0) * n + j] = i;
            out.gates[(b * 3 + 1) * n + j] = o;
            out.gates[(b * 3 + 2) * n + j] = c;
        }
    return out;
}

struct LltmBackward {
    Wide input, weights, bias, old_h, old_cell;
};

inline LltmBackward reference_backward(LltmSizes s, const Wide &grad_h, const Wide &grad_cell, const Wide &cell,
                                       const Wide &gates, const Wide &input, const Wide &old_h, const Wide &weights) {
    LltmBackward d{Wide(s.inputs()), Wide(s.weights()), Wide(s.biases()), Wide(s.states()), Wide(s.states())};
    const int64_t n = s.state_size, columns = s.state_size + s.input_size;
    for (int64_t b = 0; b < s.batch; ++b)
        for (int64_t j = 0; j < n; ++j) {
            const long double i = gates[(b * 3 + 0) * n + j], o = gates[(b * 3 + 1) * n + j];
            const long double c = gates[(b * 3 + 2) * n + j], t = std::tanh(cell[b * n + j]);
            const long double d_cell = grad_cell[b * n + j] + grad_h[b * n + j] * o * (1 - t * t);
            const long double d_a[3] = {d_cell * c * i * (1 - i), grad_h[b * n + j] * t * o * (1 - o),
                                        d_cell * i * (c > 0 ? 1 : c + 1)};
            d.old_cell[b * n + j] = d_cell;
            for (int64_t gate = 0; gate < 3; ++gate) {
                const int64_t row = gate * n + j;
                d.bias[row] += d_a[gate];
                for (int64_t k = 0; k < n; ++k) {
                    d.weights[row * columns + k] += d_a[gate] * old_h[b * n + k];
                    d.old_h[b * n + k] += d_a[gate] * weights[row * columns + k];
                }
                for (int64_t k = 0; k < s.input_size; ++k) {
                    d.weights[row * columns + n + k] += d_a[gate] * input[b * s.input_size + k];
                    d.input[b * s.input_size + k] += d_a[gate] * weights[row * columns + n + k];
                }
            }
        }
    return d;
}

// Every element within `tolerance` roundings of the largest one.
template <typename T> bool all_near(const std::vector<T> &got, const Wide &expected, double tolerance = 64) {
    long double largest = 1;
    for (const long double value : expected)
        if (std::isfinite(value) && std::fabs(value) > largest) largest = std::fabs(value);
    if (got.size() != expected.size()) return false;
    for (size_t i = 0; i < got.size(); ++i)
        if (!is_near(got[i], expected[i], largest * tolerance * std::numeric_limits<T>::epsilon())) return false;
    return true;
}
