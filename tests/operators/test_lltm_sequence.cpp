// tests/operators/test_lltm_sequence.cpp: an LLTM over a sequence against single steps in long double.
#include "../support/lltm_reference.h"
#include "lltm_sequence/reference.h"

template <typename T> static std::vector<T> part(const std::vector<T> &all, int64_t index, size_t size) {
    const auto begin = all.begin() + index * static_cast<int64_t>(size);
    return std::vector<T>(begin, begin + static_cast<int64_t>(size));
}

template <typename T> struct Sequence : LltmSequence<T> {
    using Base = LltmSequence<T>;
    using Base::Base, Base::seq_len, Base::s, Base::input, Base::weights, Base::bias, Base::old_h, Base::old_cell;
    using Base::grad_h, Base::grad_last_h, Base::grad_last_cell;

    int forward(T *h, T *cell, T *gates, void *workspace, size_t size) const {
        return FOR_TYPE(T, lltm_sequence_forward)(input.data(), weights.data(), bias.data(), old_h.data(),
                                                  old_cell.data(), seq_len, s.batch, s.input_size, s.state_size, h,
                                                  cell, gates, workspace, size);
    }
    size_t forward_size() const {
        return FOR_TYPE(T, lltm_sequence_forward_workspace_size)(seq_len, s.batch, s.input_size, s.state_size);
    }
    int backward(bool last, const T *h, const T *cell, const T *gates, T *d_input, T *d_weights, T *d_bias, T *d_old_h,
                 T *d_old_cell, void *workspace, size_t size) const {
        return FOR_TYPE(T, lltm_sequence_backward)(
            grad_h.data(), last ? grad_last_h.data() : nullptr, last ? grad_last_cell.data() : nullptr, cell, gates,
            input.data(), h, old_h.data(), old_cell.data(), weights.data(), seq_len, s.batch, s.input_size,
            s.state_size, d_input, d_weights, d_bias, d_old_h, d_old_cell, workspace, size);
    }
    size_t backward_size() const {
        return FOR_TYPE(T, lltm_sequence_backward_workspace_size)(seq_len, s.batch, s.input_size, s.state_size);
    }
};

template <typename T> static void test_values(int64_t seq_len, LltmSizes s, bool last) {
    const Sequence<T> q(seq_len, s);
    guarded<T> h(q.all(s.states())), cell(q.all(s.states())), gates(q.all(s.gates()));
    guarded<char> workspace(q.forward_size()), backward_workspace(q.backward_size());
    CHECK(q.forward(h, cell, gates, workspace, workspace.size()));
    CHECK(h.intact() && cell.intact() && gates.intact() && workspace.intact());

    guarded<T> h_alone(h.size()), cell_alone(cell.size());
    CHECK(q.forward(h_alone, cell_alone, nullptr, workspace, workspace.size()));
    CHECK(same_bits(h_alone.values(), h.values()) && same_bits(cell_alone.values(), cell.values()));

    guarded<T> d_input(q.all(s.inputs())), d_weights(s.weights()), d_bias(s.biases()), d_old_h(s.states());
    guarded<T> d_old_cell(s.states());
    CHECK(q.backward(last, h, cell, gates, d_input, d_weights, d_bias, d_old_h, d_old_cell, backward_workspace,
                     backward_workspace.size()));
    CHECK(d_input.intact() && d_weights.intact() && d_bias.intact() && d_old_h.intact() && d_old_cell.intact());
    CHECK(backward_workspace.intact());

    const my_lib::LltmSequenceSizes sizes = {seq_len, {s.batch, s.input_size, s.state_size}};
    const Wide x = widen(q.input), weights = widen(q.weights), bias = widen(q.bias);
    const Wide old_h = widen(q.old_h), old_cell = widen(q.old_cell);
    Wide all_h(h.size()), all_cell(cell.size()), all_gates(gates.size());
    my_lib::reference::lltm_sequence_forward<long double>(
        {x.data(), weights.data(), bias.data(), old_h.data(), old_cell.data(), sizes, all_h.data(), all_cell.data(),
         all_gates.data(), nullptr, 0});
    for (int64_t t = 0; t < seq_len; ++t) {
        CHECK(all_near(part(h.values(), t, s.states()), part(all_h, t, s.states()), 512));
        CHECK(all_near(part(cell.values(), t, s.states()), part(all_cell, t, s.states()), 512));
        CHECK(all_near(part(gates.values(), t, s.gates()), part(all_gates, t, s.gates()), 512));
    }
    const Wide grad_h = widen(q.grad_h), grad_last_h = widen(q.grad_last_h), grad_last_cell = widen(q.grad_last_cell);
    LltmBackward sum{Wide(d_input.size()), Wide(s.weights()), Wide(s.biases()), Wide(s.states()), Wide(s.states())};
    my_lib::reference::lltm_sequence_backward<long double>(
        {grad_h.data(), last ? grad_last_h.data() : nullptr, last ? grad_last_cell.data() : nullptr, all_cell.data(),
         all_gates.data(), x.data(), all_h.data(), old_h.data(), old_cell.data(), weights.data(), sizes,
         sum.input.data(), sum.weights.data(), sum.bias.data(), sum.old_h.data(), sum.old_cell.data(), nullptr, 0});
    for (int64_t t = 0; t < seq_len; ++t)
        CHECK(all_near(part(d_input.values(), t, s.inputs()), part(sum.input, t, s.inputs()), 512));
    CHECK(all_near(d_weights.values(), sum.weights, 512));
    CHECK(all_near(d_bias.values(), sum.bias, 512));
    CHECK(all_near(d_old_h.values(), sum.old_h, 512));
    CHECK(all_near(d_old_cell.values(), sum.old_cell, 512));
}

// Each gradient alone has the same bits as together with the others.
template <typename T> static void test_single_gradients() {
    const Sequence<T> q(4, {19, 6, 21});
    std::vector<T> h(q.all(q.s.states())), cell(h.size()), gates(q.all(q.s.gates()));
    std::vector<char> workspace(q.forward_size() + q.backward_size());
    CHECK(q.forward(h.data(), cell.data(), gates.data(), workspace.data(), workspace.size()));
    const size_t sizes[] = {q.all(q.s.inputs()), q.s.weights(), q.s.biases(), q.s.states(), q.s.states()};
    std::vector<T> together[5];
    T *out[5];
    for (int i = 0; i < 5; ++i) together[i].resize(sizes[i]), out[i] = together[i].data();
    CHECK(q.backward(true, h.data(), cell.data(), gates.data(), out[0], out[1], out[2], out[3], out[4],
                     workspace.data(), workspace.size()));
    for (int i = 0; i < 5; ++i) {
        std::vector<T> alone(sizes[i]);
        T *only[5] = {};
        only[i] = alone.data();
        CHECK(q.backward(true, h.data(), cell.data(), gates.data(), only[0], only[1], only[2], only[3], only[4],
                         workspace.data(), workspace.size()));
        CHECK(same_bits(alone, together[i]));
    }
}

static void test_errors() {
    const Sequence<float> q(2, {2, 3, 4});
    std::vector<float> h(16, 7), cell(16, 7);
    std::vector<char> workspace(q.forward_size());
    CHECK_ERROR(q.forward(nullptr, cell.data(), nullptr, workspace.data(), workspace.size()), MY_LIB_ERROR_NULL_POINTER,
                "h", "NULL");
    CHECK(!q.forward(h.data(), cell.data(), nullptr, workspace.data(), workspace.size() - 1));
    CHECK(my_lib_last_error_code() == MY_LIB_ERROR_WORKSPACE_TOO_SMALL);
    CHECK(h == std::vector<float>(16, 7) && cell == h);
    CHECK(lltm_sequence_forward_workspace_size(-1, 1, 1, 1) == SIZE_MAX);
    CHECK(has_words(my_lib_last_error_message(), {"seq_len", "0", "-1"}));
    for (const int64_t huge : {INT64_MAX, INT64_MAX / 3, int64_t{1} << 40}) {
        CHECK(lltm_sequence_forward_workspace_size(huge, huge, 1, 1) == SIZE_MAX);
        CHECK(lltm_sequence_backward_workspace_size_f64(1, huge, huge, huge) == SIZE_MAX);
        CHECK(lltm_sequence_backward_workspace_size(huge, 1, huge, 1) == SIZE_MAX);
    }
}

template <typename T> static void test_all() {
    struct {
        int64_t seq_len;
        LltmSizes s;
    } const cases[] = {{0, {3, 4, 5}},  {1, {1, 1, 1}},   {3, {0, 4, 4}},   {3, {2, 0, 4}},   {3, {2, 4, 0}},
                       {5, {2, 3, 5}},  {4, {16, 32, 32}}, {3, {33, 17, 31}}, {2, {65, 7, 17}}, {60, {16, 4, 9}},
                       {30, {64, 3, 5}}, {2, {800, 3, 4}},  {900, {1, 2, 3}},  {7, {9, 40, 50}},
                       {20, {2, 300, 5}}, {17, {3, 5, 300}}, {40, {1, 3, 100}}, {20, {2, 5, 45}},
                       {30, {2, 3, 1}}};
    for (const auto &c : cases)
        for (const bool last : {false, true}) test_values<T>(c.seq_len, c.s, last);
    test_single_gradients<T>();
}

int main() {
    test_all<float>();
    test_all<double>();
    test_errors();
    return failures() != 0;
}
