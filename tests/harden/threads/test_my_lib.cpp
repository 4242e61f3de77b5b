// tests/harden/threads/test_my_lib.cpp: operators from 8 threads with inputs that they share, each call on several
// threads of OpenMP; errors, other numbers of threads and forked children meanwhile.
#include "../../support/at_once.h"
#include "../../support/check.h"
#include "../../support/forked.h"

namespace {

// Sizes of which every operator makes several slices.
constexpr int64_t count = 70001, batch = 200, in = 64, state = 96, gates = 3 * state, row = state + in, steps = 2;
constexpr int64_t images[] = {4, 24, 31, 33}, pixels = 4 * 24 * 31 * 33;

template <typename T> struct Inputs {
    std::vector<T> a = random_values<T>(pixels, 1), b = random_values<T>(pixels, 2);
    std::vector<T> x = random_values<T>(steps * batch * in, 3), weights = random_values<T>(gates * row, 4, 0.1);
    std::vector<T> bias = random_values<T>(gates, 5), h0 = random_values<T>(batch * state, 6);
    std::vector<T> grad = random_values<T>(steps * batch * gates, 7);
};

// Outputs of calls one after the other, in one array.
template <typename T> class Outputs {
public:
    T *next(int64_t size) {
        parts_.emplace_back(size);
        return parts_.back().data();
    }
    bool add(int success) { return right_ &= success != 0; }
    bool same_as(const Outputs &other) const {
        bool same = right_ && other.right_ && parts_.size() == other.parts_.size();
        for (size_t i = 0; same && i < parts_.size(); ++i) same = same_bits(parts_[i], other.parts_[i]);
        return same;
    }

private:
    std::vector<std::vector<T>> parts_;
    bool right_ = true;
};

template <typename T> Outputs<T> elementwise(const Inputs<T> &inputs) {
    Outputs<T> r;
    const int64_t shape[] = {count};
    const T *a = inputs.a.data(), *b = inputs.b.data();
    r.add(FOR_TYPE(T, my_lib_add_forward)(a, shape, 1, b, shape, 1, r.next(count)));
    T *first = r.next(count), *second = r.next(count);
    r.add(FOR_TYPE(T, my_lib_add_backward)(a, shape, 1, first, second));
    r.add(FOR_TYPE(T, my_lib_scale_add_forward)(a, shape, 1, b, shape, 1, r.next(count)));
    first = r.next(count), second = r.next(count);
    r.add(FOR_TYPE(T, my_lib_scale_add_backward)(a, shape, 1, first, second));
    r.add(FOR_TYPE(T, my_lib_mul_constant_forward)(a, shape, 1, 1.5, r.next(count)));
    r.add(FOR_TYPE(T, my_lib_mul_constant_backward)(a, shape, 1, 1.5, r.next(count)));
    first = r.next(count), second = r.next(count);
    r.add(FOR_TYPE(T, my_lib_cube_forward)(a, shape, 1, first, second));
    r.add(FOR_TYPE(T, my_lib_cube_backward)(a, b, first, shape, 1, r.next(count)));
    const auto [n, channels, height, width] = images;
    T *normed = r.next(pixels), *mean = r.next(channels), *std = r.next(channels);
    r.add(FOR_TYPE(T, my_lib_batch_norm2d_forward)(a, n, channels, height, width, 1e-5, normed, mean, std));
    r.add(FOR_TYPE(T, my_lib_batch_norm2d_backward)(b, a, mean, std, n, channels, height, width, 1e-5, r.next(pixels)));
    return r;
}

template <typename T> Outputs<T> products(const Inputs<T> &inputs) {
    Outputs<T> r;
    const T *x = inputs.x.data(), *w = inputs.weights.data(), *bias = inputs.bias.data(), *h0 = inputs.h0.data();
    const T *grad = inputs.grad.data();
    std::vector<char> workspace(FOR_TYPE(T, my_lib_linear_forward_workspace_size)(batch, in, gates) +
                                FOR_TYPE(T, my_lib_linear_backward_workspace_size)(batch, in, gates) +
                                FOR_TYPE(T, lltm_forward_workspace_size)(batch, in, state) +
                                FOR_TYPE(T, lltm_backward_workspace_size)(batch, in, state) +
                                FOR_TYPE(T, lltm_sequence_forward_workspace_size)(steps, batch, in, state) +
                                FOR_TYPE(T, lltm_sequence_backward_workspace_size)(steps, batch, in, state));
    char *space = workspace.data();
    const size_t size = workspace.size();
    r.add(FOR_TYPE(T, my_lib_linear_forward)(x, w, bias, batch, in, gates, r.next(batch * gates), space, size));
    T *d_x = r.next(batch * in), *d_w = r.next(gates * in), *d_bias = r.next(gates);
    r.add(FOR_TYPE(T, my_lib_linear_backward)(grad, x, w, batch, in, gates, d_x, d_w, d_bias, space, size));
    for (int64_t length : {int64_t{0}, steps}) {  // 0: the single step
        const int64_t all = (length ? length : 1) * batch;
        T *h = r.next(all * state), *cell = r.next(all * state), *kept = r.next(all * gates);
        T *d_x = r.next(all * in), *d_w = r.next(gates * row), *d_bias = r.next(gates);
        T *d_h = r.next(batch * state), *d_cell = r.next(batch * state);
        if (length) {
            r.add(FOR_TYPE(T, lltm_sequence_forward)(x, w, bias, h0, h0, steps, batch, in, state, h, cell, kept, space,
                                                     size));
            r.add(FOR_TYPE(T, lltm_sequence_backward)(grad, nullptr, h0, cell, kept, x, h, h0, h0, w, steps, batch, in,
                                                      state, d_x, d_w, d_bias, d_h, d_cell, space, size));
        } else {
            r.add(FOR_TYPE(T, lltm_forward)(x, w, bias, h0, h0, batch, in, state, h, cell, kept, space, size));
            r.add(FOR_TYPE(T, lltm_backward)(grad, h0, cell, kept, x, h0, w, batch, in, state, d_x, d_w, d_bias, d_h,
                                             d_cell, space, size));
        }
    }
    return r;
}

// bfloat16, whose tiles need the kernel's permission on some CPUs.
std::vector<thaw_bfloat16> low_precision(const std::vector<thaw_bfloat16> &x, const std::vector<thaw_bfloat16> &w) {
    std::vector<thaw_bfloat16> output(batch * gates);
    std::vector<char> workspace(my_lib_linear_forward_workspace_size_bf16(batch, in, gates));
    if (!my_lib_linear_forward_bf16(x.data(), w.data(), nullptr, batch, in, gates, output.data(), workspace.data(),
                                    workspace.size()))
        output.clear();
    return output;
}

// The message is that of this thread's own failure, also after successes of others.
bool own_errors(int number) {
    const float x = 1;
    float r = 0;
    const int64_t one[] = {1};
    for (int64_t i = 0; i < 200; ++i) {
        const int64_t other[] = {1000 * (number + 1) + i};
        if (my_lib_add_forward(&x, one, 1, &x, other, 1, &r)) return false;
        if (!my_lib_add_forward(&x, one, 1, &x, one, 1, &r) || r != 2) return false;
        const std::string expected = "input2: expected shape (1,), got (" + std::to_string(other[0]) + ",)";
        if (my_lib_last_error_code() != MY_LIB_ERROR_SHAPE_MISMATCH || my_lib_last_error_message() != expected)
            return false;
    }
    return true;
}

void first_calls() {  // before any other: what is looked up once is looked up by all at once
    CHECK(wrong_at_once([](int) {
              return my_lib_get_num_threads() > 0 && std::strstr(my_lib_build_info(), "openmp=") != nullptr;
          }) == 0);
    CHECK(wrong_at_once(own_errors) == 0);
}

template <typename T> void calls() {
    const Inputs<T> inputs;
    my_lib_set_num_threads(3);
    const Outputs<T> sums = elementwise(inputs), matrices = products(inputs);
    CHECK(sums.same_as(sums) && matrices.same_as(matrices));
    CHECK(wrong_at_once([&](int number) {
              return number % 2 ? elementwise(inputs).same_as(sums) && products(inputs).same_as(matrices)
                                : products(inputs).same_as(matrices) && elementwise(inputs).same_as(sums);
          }) == 0);
    int threads = 0;
    const Meanwhile other_counts([&threads] {
        CHECK(my_lib_set_num_threads(threads = (threads + 1) % 5) && my_lib_get_num_threads() > 0);
    });
    CHECK(wrong_at_once([&](int number) {
              return elementwise(inputs).same_as(sums) && own_errors(number) && products(inputs).same_as(matrices);
          }) == 0);
}

void low_precision_calls() {
    std::vector<thaw_bfloat16> x(batch * in), w(gates * in);
    for (size_t i = 0; i < x.size(); ++i) x[i] = thaw_bfloat16(0x3f80 + i % 37);
    for (size_t i = 0; i < w.size(); ++i) w[i] = thaw_bfloat16((i % 2 ? 0x3f00 : 0xbf00) + i % 41);
    std::vector<std::vector<thaw_bfloat16>> results(threads_at_once);
    CHECK(wrong_at_once([&](int number) { return !(results[number] = low_precision(x, w)).empty(); }) == 0);
    my_lib_set_num_threads(1);
    for (const auto &result : results) CHECK(same_bits(result, low_precision(x, w)));
    my_lib_set_num_threads(0);
}

// Children that are forked while other threads compute and fail.
[[maybe_unused]] void forks() {
    const Inputs<float> inputs;
    my_lib_set_num_threads(2);
    const Outputs<float> expected = elementwise(inputs);
    CHECK(wrong_at_once([&](int number) {
              if (number > 1) return elementwise(inputs).same_as(expected) && own_errors(number);
              bool right = true;
              for (int i = 0; i < 5; ++i)
                  right &= holds_in_child([&] {
                      return my_lib_get_num_threads() == 1 && elementwise(inputs).same_as(expected) && own_errors(number);
                  });
              return right;
          }) == 0);
    my_lib_set_num_threads(0);
}

}  // namespace

int main() {
    first_calls();
    calls<float>();
    calls<double>();
    low_precision_calls();
#ifndef __SANITIZE_ADDRESS__  // whose allocator may be locked in a child that was forked while others allocated
    forks();
#endif
    return failures() != 0;
}
