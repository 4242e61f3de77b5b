// tests/support/lltm_reference.h: the LLTM's reference implementation on vectors of long double, and what tests feed it.
#pragma once

#include "check.h"
#include "lltm/reference.h"

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
    my_lib::reference::lltm_forward<long double>(
        {input.data(), weights.data(), bias.data(), old_h.data(), old_cell.data(),
         {s.batch, s.input_size, s.state_size}, out.h.data(), out.cell.data(), out.gates.data(), nullptr, 0});
    return out;
}

struct LltmBackward {
    Wide input, weights, bias, old_h, old_cell;
};

inline LltmBackward reference_backward(LltmSizes s, const Wide &grad_h, const Wide &grad_cell, const Wide &cell,
                                       const Wide &gates, const Wide &input, const Wide &old_h, const Wide &weights) {
    LltmBackward d{Wide(s.inputs()), Wide(s.weights()), Wide(s.biases()), Wide(s.states()), Wide(s.states())};
    my_lib::reference::lltm_backward<long double>(
        {grad_h.data(), grad_cell.data(), cell.data(), gates.data(), input.data(), old_h.data(), weights.data(),
         {s.batch, s.input_size, s.state_size}, d.input.data(), d.weights.data(), d.bias.data(), d.old_h.data(),
         d.old_cell.data(), nullptr, 0});
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
