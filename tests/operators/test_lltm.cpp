// tests/operators/test_lltm.cpp: one LLTM step and its gradients against long double.
#include "../support/lltm_reference.h"

template <typename T> struct Step {
    LltmSizes s;
    std::vector<T> input, weights, bias, old_h, old_cell, grad_h, grad_cell;

    explicit Step(LltmSizes sizes)
        : s(sizes), input(random_values<T>(s.inputs(), 1)), weights(random_values<T>(s.weights(), 2, 0.3)),
          bias(random_values<T>(s.biases(), 3)), old_h(random_values<T>(s.states(), 4)),
          old_cell(random_values<T>(s.states(), 5, 2)), grad_h(random_values<T>(s.states(), 6)),
          grad_cell(random_values<T>(s.states(), 7)) {}

    int forward(T *h, T *cell, T *gates, void *workspace, size_t size) const {
        return FOR_TYPE(T, lltm_forward)(input.data(), weights.data(), bias.data(), old_h.data(), old_cell.data(),
                                         s.batch, s.input_size, s.state_size, h, cell, gates, workspace, size);
    }
    size_t forward_size() const {
        return FOR_TYPE(T, lltm_forward_workspace_size)(s.batch, s.input_size, s.state_size);
    }
    int backward(const T *cell, const T *gates, T *d_input, T *d_weights, T *d_bias, T *d_old_h, T *d_old_cell,
                 void *workspace, size_t size) const {
        return FOR_TYPE(T, lltm_backward)(grad_h.data(), grad_cell.data(), cell, gates, input.data(), old_h.data(),
                                          weights.data(), s.batch, s.input_size, s.state_size, d_input, d_weights,
                                          d_bias, d_old_h, d_old_cell, workspace, size);
    }
    size_t backward_size() const {
        return FOR_TYPE(T, lltm_backward_workspace_size)(s.batch, s.input_size, s.state_size);
    }
};

template <typename T> static void test_values(LltmSizes s) {
    const Step<T> step(s);
    guarded<T> h(s.states()), cell(s.states()), gates(s.gates());
    guarded<char> workspace(step.forward_size()), backward_workspace(step.backward_size());
    CHECK(step.forward(h, cell, gates, workspace, workspace.size()));
    CHECK(h.intact() && cell.intact() && gates.intact() && workspace.intact());
    const LltmForward expected = reference_forward(s, widen(step.input), widen(step.weights), widen(step.bias),
                                                   widen(step.old_h), widen(step.old_cell));
    CHECK(all_near(h.values(), expected.h));
    CHECK(all_near(cell.values(), expected.cell));
    CHECK(all_near(gates.values(), expected.gates));

    guarded<T> h_alone(s.states()), cell_alone(s.states());
    CHECK(step.forward(h_alone, cell_alone, nullptr, workspace, workspace.size()));
    CHECK(same_bits(h_alone.values(), h.values()) && same_bits(cell_alone.values(), cell.values()));

    guarded<T> d_input(s.inputs()), d_weights(s.weights()), d_bias(s.biases()), d_old_h(s.states());
    guarded<T> d_old_cell(s.states());
    CHECK(step.backward(cell, gates, d_input, d_weights, d_bias, d_old_h, d_old_cell, backward_workspace,
                        backward_workspace.size()));
    CHECK(d_input.intact() && d_weights.intact() && d_bias.intact() && d_old_h.intact() && d_old_cell.intact());
    const LltmBackward d = reference_backward(s, widen(step.grad_h), widen(step.grad_cell), widen(cell.values()),
                                              widen(gates.values()), widen(step.input), widen(step.old_h),
                                              widen(step.weights));
    CHECK(all_near(d_input.values(), d.input));
    CHECK(all_near(d_weights.values(), d.weights));
    CHECK(all_near(d_bias.values(), d.bias));
    CHECK(all_near(d_old_h.values(), d.old_h));
    CHECK(all_near(d_old_cell.values(), d.old_cell));
}

// Each gradient alone: the same bits as together with the others, and no need for what only the others read.
template <typename T> static void test_single_gradients() {
    const LltmSizes s = {19, 6, 21};
    const Step<T> step(s);
    std::vector<T> h(s.states()), cell(s.states()), gates(s.gates());
    std::vector<char> workspace(step.forward_size() + step.backward_size());
    CHECK(step.forward(h.data(), cell.data(), gates.data(), workspace.data(), workspace.size()));
    const size_t sizes[] = {s.inputs(), s.weights(), s.biases(), s.states(), s.states()};
    std::vector<T> all[5], alone[5];
    for (int i = 0; i < 5; ++i) all[i].resize(sizes[i]), alone[i].resize(sizes[i]);
    CHECK(step.backward(cell.data(), gates.data(), all[0].data(), all[1].data(), all[2].data(), all[3].data(),
                        all[4].data(), workspace.data(), workspace.size()));
    for (int i = 0; i < 5; ++i) {
        T *out[5] = {};
        out[i] = alone[i].data();
        const bool needs_input = i == 1, needs_weights = i == 0 || i == 3;
        CHECK(FOR_TYPE(T, lltm_backward)(step.grad_h.data(), step.grad_cell.data(), cell.data(), gates.data(),
                                         needs_input ? step.input.data() : nullptr,
                                         needs_input ? step.old_h.data() : nullptr,
                                         needs_weights ? step.weights.data() : nullptr, s.batch, s.input_size,
                                         s.state_size, out[0], out[1], out[2], out[3], out[4], workspace.data(),
                                         workspace.size()));
        CHECK(same_bits(alone[i], all[i]));
    }
}

// NaN and infinities in the state stay in their own element, and give what the formulas give.
template <typename T> static void test_special_values() {
    const LltmSizes s = {2, 3, 18};
    Step<T> step(s);
    const T infinity = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
    step.old_cell[0] = nan, step.old_cell[1] = infinity, step.old_cell[20] = -infinity;
    step.bias[5] = infinity, step.bias[18 + 6] = -infinity, step.bias[36 + 7] = -infinity, step.bias[36 + 8] = nan;
    std::vector<T> h(s.states()), cell(s.states()), gates(s.gates());
    std::vector<char> workspace(step.forward_size());
    CHECK(step.forward(h.data(), cell.data(), gates.data(), workspace.data(), workspace.size()));
    const LltmForward expected = reference_forward(s, widen(step.input), widen(step.weights), widen(step.bias),
                                                   widen(step.old_h), widen(step.old_cell));
    CHECK(std::isnan(h[0]) && cell[1] == infinity && cell[20] == -infinity && std::isnan(cell[8]));
    CHECK(gates[5] == 1 && gates[18 + 6] == 0 && gates[36 + 7] == -1);
    CHECK(all_near(h, expected.h) && all_near(cell, expected.cell) && all_near(gates, expected.gates));
}

template <typename T> static void test_workspace() {
    const Step<T> step({70, 33, 17});
    std::vector<T> h(step.s.states()), cell(step.s.states()), shifted(step.s.states());
    const size_t size = step.forward_size();
    guarded<char> exact(size);
    CHECK(step.forward(h.data(), cell.data(), nullptr, exact, size));
    for (const size_t shift : {1, 17, 63}) {
        guarded<char> tight(size + shift);
        CHECK(step.forward(shifted.data(), cell.data(), nullptr, tight.data() + shift, size));
        CHECK(same_bits(h, shifted));
    }
}

static void test_errors() {
    const Step<float> step({2, 3, 4});
    std::vector<float> h(8, 7), cell(8, 7);
    std::vector<char> workspace(step.forward_size());
    auto call = [&](const float *bias, float *new_h, int64_t state_size, size_t size) {
        return lltm_forward(step.input.data(), step.weights.data(), bias, step.old_h.data(), step.old_cell.data(), 2, 3,
                            state_size, new_h, cell.data(), nullptr, workspace.data(), size);
    };
    const size_t size = workspace.size();
    CHECK_ERROR(call(nullptr, h.data(), 4, size), MY_LIB_ERROR_NULL_POINTER, "bias", "NULL");
    CHECK_ERROR(call(step.bias.data(), nullptr, 4, size), MY_LIB_ERROR_NULL_POINTER, "new_h", "NULL");
    CHECK_ERROR(call(step.bias.data(), h.data(), -4, size), MY_LIB_ERROR_INVALID_SIZE, "state_size", "0", "-4");
    CHECK(!call(step.bias.data(), h.data(), 4, size - 1) &&
          my_lib_last_error_code() == MY_LIB_ERROR_WORKSPACE_TOO_SMALL);
    CHECK(h == std::vector<float>(8, 7) && cell == h);

    for (const int64_t huge : {INT64_MAX, INT64_MAX / 3, INT64_MAX / 8, int64_t{1} << 31}) {
        CHECK(lltm_forward_workspace_size(huge, huge, huge) == SIZE_MAX);
        CHECK(lltm_backward_workspace_size_f64(1, huge, huge) == SIZE_MAX);
    }
    CHECK(lltm_forward_workspace_size(1, int64_t{1} << 60, 0) == SIZE_MAX);
    CHECK(lltm_backward_workspace_size(1, -1, 1) == SIZE_MAX);
    CHECK(my_lib_last_error_code() == MY_LIB_ERROR_INVALID_SIZE);
}

template <typename T> static void test_all() {
    // Around the tile's rows and vectors, the few-rows path and the blocks; 0, 1 and primes.
    const LltmSizes sizes[] = {{0, 5, 7},   {3, 0, 7},   {3, 5, 0},    {1, 1, 1},    {1, 32, 128}, {2, 3, 5},
                               {8, 16, 16}, {9, 31, 15}, {15, 17, 33}, {16, 32, 32}, {17, 7, 48},  {25, 19, 20},
                               {33, 2, 3},  {47, 5, 11}, {48, 8, 65},  {49, 13, 9},  {63, 4, 17},  {64, 64, 16},
                               {65, 3, 31}, {97, 11, 6}, {131, 29, 37}};
    for (const LltmSizes s : sizes) test_values<T>(s);
    test_single_gradients<T>();
    test_special_values<T>();
    test_workspace<T>();
}

int main() {
    test_all<float>();
    test_all<double>();
    test_errors();
    return failures() != 0;
}
