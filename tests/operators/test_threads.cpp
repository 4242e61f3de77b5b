// tests/operators/test_threads.cpp: the same bits for any number of threads, calls from many threads, and a forked
// child.
#include "../support/check.h"
#include "../support/forked.h"

#include <string>
#include <thread>

// Everything that large operators compute, so that two runs can be compared.
template <typename T> static std::vector<T> compute() {
    const int64_t batch = 150, in = 170, state = 90, steps = 3, gates = 3 * state, row = state + in;
    const std::vector<T> x = random_values<T>(steps * batch * in, 1), h0 = random_values<T>(batch * state, 2);
    const std::vector<T> weights = random_values<T>(gates * row, 3, 0.1), bias = random_values<T>(gates, 4);
    const std::vector<T> grad_h = random_values<T>(steps * batch * state, 5);
    std::vector<T> h(steps * batch * state), cell(h.size()), kept(3 * h.size());
    std::vector<T> d_input(x.size()), d_weights(weights.size()), d_bias(gates), d_h(h0.size()), d_cell(h0.size());
    std::vector<T> output(batch * gates), added(x.size());
    std::vector<T> step_input(batch * in), step_weights(weights.size()), step_bias(gates), step_h(h0.size()),
        step_cell(h0.size()), without_input(weights.size());
    std::vector<char> workspace(FOR_TYPE(T, lltm_sequence_forward_workspace_size)(steps, batch, in, state) +
                                FOR_TYPE(T, lltm_sequence_backward_workspace_size)(steps, batch, in, state) +
                                FOR_TYPE(T, lltm_backward_workspace_size)(batch, in, state) +
                                FOR_TYPE(T, my_lib_linear_forward_workspace_size)(batch, in, gates));
    CHECK(FOR_TYPE(T, lltm_sequence_forward)(x.data(), weights.data(), bias.data(), h0.data(), h0.data(), steps, batch,
                                             in, state, h.data(), cell.data(), kept.data(), workspace.data(),
                                             workspace.size()));
    CHECK(FOR_TYPE(T, lltm_sequence_backward)(grad_h.data(), nullptr, nullptr, cell.data(), kept.data(), x.data(),
                                              h.data(), h0.data(), h0.data(), weights.data(), steps, batch, in, state,
                                              d_input.data(), d_weights.data(), d_bias.data(), d_h.data(),
                                              d_cell.data(), workspace.data(), workspace.size()));
    // The backward of the first step, once more without the gradient of its input.
    CHECK(FOR_TYPE(T, lltm_backward)(grad_h.data(), grad_h.data(), cell.data(), kept.data(), x.data(), h0.data(),
                                     weights.data(), batch, in, state, step_input.data(), step_weights.data(),
                                     step_bias.data(), step_h.data(), step_cell.data(), workspace.data(),
                                     workspace.size()));
    CHECK(FOR_TYPE(T, lltm_backward)(grad_h.data(), grad_h.data(), cell.data(), kept.data(), x.data(), h0.data(),
                                     weights.data(), batch, in, state, nullptr, without_input.data(), nullptr, nullptr,
                                     nullptr, workspace.data(), workspace.size()));
    CHECK(same_bits(without_input, step_weights));
    CHECK(FOR_TYPE(T, my_lib_linear_forward)(x.data(), weights.data(), bias.data(), batch, in, gates, output.data(),
                                             workspace.data(), workspace.size()));
    const int64_t shape[] = {static_cast<int64_t>(x.size())};
    CHECK(FOR_TYPE(T, my_lib_add_forward)(x.data(), shape, 1, x.data(), shape, 1, added.data()));
    std::vector<T> all;
    for (const std::vector<T> *part : {&h, &cell, &kept, &d_input, &d_weights, &d_bias, &d_h, &d_cell, &output, &added,
                                       &step_input, &step_weights, &step_bias, &step_h, &step_cell})
        all.insert(all.end(), part->begin(), part->end());
    return all;
}

template <typename T> static void test_thread_counts() {
    my_lib_set_num_threads(1);
    const std::vector<T> expected = compute<T>();
    for (const int threads : {2, 3, 4, 7, 16}) {
        my_lib_set_num_threads(threads);
        CHECK(my_lib_get_num_threads() == threads);
        CHECK(same_bits(compute<T>(), expected));
    }
    my_lib_set_num_threads(0);
    CHECK(same_bits(compute<T>(), expected));
}

static void test_calls_from_many_threads(const std::vector<float> &expected) {
    bool same[4] = {};
    std::thread callers[4];
    for (int i = 0; i < 4; ++i)
        callers[i] = std::thread([&expected, &same, i] { same[i] = same_bits(compute<float>(), expected); });
    for (int i = 0; i < 4; ++i) {
        callers[i].join();
        CHECK(same[i]);
    }
}

// The parent has used its team, which the child has not inherited: without care the child would wait for it.
static void test_fork(const std::vector<float> &expected) {
    my_lib_set_num_threads(4);
    compute<float>();
    CHECK(holds_in_child([&] { return my_lib_get_num_threads() == 1 && same_bits(compute<float>(), expected); }));
    CHECK(my_lib_get_num_threads() == 4);
    my_lib_set_num_threads(0);
}

static void test_counts() {
    CHECK(std::string(my_lib_build_info()).find("openmp=") != std::string::npos);
    CHECK(!my_lib_set_num_threads(-1) && my_lib_last_error_code() == MY_LIB_ERROR_INVALID_VALUE);
    CHECK(my_lib_set_num_threads(0) && my_lib_get_num_threads() >= 1);
}

// A limit is the calling thread's own, below what all threads have, and changes no result.
static void test_limit(const std::vector<float> &expected) {
    my_lib_set_num_threads(4);
    CHECK(my_lib_limit_threads(2) == 0 && my_lib_get_num_threads() == 2);
    CHECK(same_bits(compute<float>(), expected));
    int other = 0;
    std::thread([&other] { other = my_lib_get_num_threads(); }).join();
    CHECK(other == 4);
    CHECK(my_lib_limit_threads(9) == 2 && my_lib_get_num_threads() == 4);
    CHECK(my_lib_limit_threads(-1) == 9 && my_lib_limit_threads(0) == 0 && my_lib_get_num_threads() == 4);
    my_lib_set_num_threads(0);
}

int main() {
    test_thread_counts<float>();
    test_thread_counts<double>();
    const std::vector<float> expected = compute<float>();
    test_calls_from_many_threads(expected);
    test_fork(expected);
    test_counts();
    test_limit(expected);
    return failures() != 0;
}
