// tests/cuda/test_lltm.cpp: one step of the LLTM on the device against the CPU.
#include "device.h"
#include "../support/lltm_reference.h"

template <typename T> struct Step {
    LltmSizes s;
    std::vector<T> input, weights, bias, old_h, old_cell, grad_h, grad_cell;

    explicit Step(LltmSizes sizes)
        : s(sizes), input(random_values<T>(s.inputs(), 1)), weights(random_values<T>(s.weights(), 2, 0.3)),
          bias(random_values<T>(s.biases(), 3, 0.5)), old_h(random_values<T>(s.states(), 4)),
          old_cell(random_values<T>(s.states(), 5)), grad_h(random_values<T>(s.states(), 6)),
          grad_cell(random_values<T>(s.states(), 7)) {}
};

template <typename T> static void test_sizes(LltmSizes s, bool shifted) {
    const Step<T> step(s);
    const double tolerance = 64;
    void *stream = test_stream();
    std::vector<T> h(s.states()), cell(s.states()), gates(s.gates());
    std::vector<T> d_input(s.inputs()), d_weights(s.weights()), d_bias(s.biases()), d_h(s.states()), d_cell(s.states());
    std::vector<char> space(FOR_TYPE(T, lltm_forward_workspace_size)(s.batch, s.input_size, s.state_size));
    CHECK(FOR_TYPE(T, lltm_forward)(step.input.data(), step.weights.data(), step.bias.data(), step.old_h.data(),
                                    step.old_cell.data(), s.batch, s.input_size, s.state_size, h.data(), cell.data(),
                                    gates.data(), space.data(), space.size()));
    space.resize(FOR_TYPE(T, lltm_backward_workspace_size)(s.batch, s.input_size, s.state_size));
    CHECK(FOR_TYPE(T, lltm_backward)(step.grad_h.data(), step.grad_cell.data(), cell.data(), gates.data(),
                                     step.input.data(), step.old_h.data(), step.weights.data(), s.batch, s.input_size,
                                     s.state_size, d_input.data(), d_weights.data(), d_bias.data(), d_h.data(),
                                     d_cell.data(), space.data(), space.size()));

    device_array<T> x(step.input, shifted), w(step.weights, shifted), b(step.bias, shifted), old_h(step.old_h, shifted);
    device_array<T> old_cell(step.old_cell, shifted), gh(step.grad_h, shifted), gc(step.grad_cell, shifted);
    device_array<T> y(s.states(), shifted), c(s.states(), shifted), g(s.gates(), shifted);
    device_array<char> work(FOR_CUDA_TYPE(T, lltm_forward_workspace_size)(s.batch, s.input_size, s.state_size), true);
    auto forward = [&](T *gates_or_null) {
        return FOR_CUDA_TYPE(T, lltm_forward)(x, w, b, old_h, old_cell, s.batch, s.input_size, s.state_size, y, c,
                                              gates_or_null, work, work.size(), stream);
    };
    CHECK(forward(g));
    CHECK(all_close(y.values(), h, tolerance) && all_close(c.values(), cell, tolerance));
    CHECK(all_close(g.values(), gates, tolerance));
    const std::vector<T> with_gates = y.values();
    CHECK(forward(nullptr) && same_bits(y.values(), with_gates));
    CHECK(y.intact() && c.intact() && g.intact() && work.intact());

    device_array<T> dx(s.inputs(), shifted), dw(s.weights(), shifted), db(s.biases(), shifted);
    device_array<T> dh(s.states(), shifted), dc(s.states(), shifted);
    device_array<char> back(FOR_CUDA_TYPE(T, lltm_backward_workspace_size)(s.batch, s.input_size, s.state_size), true);
    auto backward = [&](T *d_x, T *d_w, T *d_b, T *d_old_h, T *d_old_cell) {
        return FOR_CUDA_TYPE(T, lltm_backward)(gh, gc, c, g, d_w ? x.data() : nullptr, d_w ? old_h.data() : nullptr,
                                               d_x || d_old_h ? w.data() : nullptr, s.batch, s.input_size,
                                               s.state_size, d_x, d_w, d_b, d_old_h, d_old_cell, back, back.size(),
                                               stream);
    };
    CHECK(backward(dx, dw, db, dh, dc));
    CHECK(all_close(dx.values(), d_input, tolerance) && all_close(dw.values(), d_weights, tolerance));
    CHECK(all_close(db.values(), d_bias, tolerance) && all_close(dh.values(), d_h, tolerance));
    CHECK(all_close(dc.values(), d_cell, tolerance));
    CHECK(dx.intact() && dw.intact() && db.intact() && dh.intact() && dc.intact() && back.intact());

    // One gradient at a time, the others not wanted.
    device_array<T> again_w(s.weights()), again_h(s.states());
    CHECK(backward(nullptr, nullptr, nullptr, nullptr, nullptr));
    CHECK(backward(nullptr, again_w, nullptr, nullptr, nullptr) && same_bits(again_w.values(), dw.values()));
    CHECK(backward(nullptr, nullptr, nullptr, again_h, nullptr) && same_bits(again_h.values(), dh.values()));
}

static void test_errors() {
    device_array<float> a(64);
    CHECK_ERROR(lltm_forward_cuda(a, a, a, a, a, 1, 2, 3, a, a, nullptr, nullptr, 0, test_stream()),
                MY_LIB_ERROR_WORKSPACE_TOO_SMALL,
                ("workspace_size: expected at least " +
                 std::to_string(lltm_forward_workspace_size_cuda(1, 2, 3)) + " bytes, got 0")
                    .c_str());
    CHECK(lltm_forward_workspace_size_cuda(1, -2, 3) == SIZE_MAX);
    CHECK(lltm_backward_workspace_size_cuda(1, 2, INT64_MAX / 2) == SIZE_MAX);
}

int main() {
    for (const LltmSizes s : {LltmSizes{1, 1, 1}, LltmSizes{3, 5, 7}, LltmSizes{2, 8, 4}, LltmSizes{9, 4, 64},
                              LltmSizes{5, 0, 3}, LltmSizes{0, 3, 4}, LltmSizes{3, 4, 0}, LltmSizes{2, 3, 130},
                              LltmSizes{520, 2, 3}})
        for (bool shifted : {false, true}) {
            test_sizes<float>(s, shifted);
            test_sizes<double>(s, shifted);
        }
    test_errors();
    CHECK(kept_to_its_stream());
    return failures() != 0;
}
