// tests/cuda/test_linear.cpp: the linear operator on the device against the CPU.
#include "device.h"

struct Sizes {
    int64_t batch, in, out;
    size_t inputs() const { return static_cast<size_t>(batch * in); }
    size_t outputs() const { return static_cast<size_t>(batch * out); }
    size_t weights() const { return static_cast<size_t>(in * out); }
};

// The sums over the batch, in double: those of the CPU in float have an error of their own for many rows.
template <typename T> static std::vector<T> sums_of_rows(const std::vector<T> &matrix, const Sizes &s) {
    std::vector<double> sums(static_cast<size_t>(s.out));
    for (size_t i = 0; i < matrix.size(); ++i) sums[i % sums.size()] += static_cast<double>(matrix[i]);
    return std::vector<T>(sums.begin(), sums.end());
}

template <typename T> static void test_sizes(Sizes s, bool biased) {
    const auto input = random_values<T>(s.inputs(), 1), weight = random_values<T>(s.weights(), 2);
    const auto bias = random_values<T>(static_cast<size_t>(s.out), 3), gradient = random_values<T>(s.outputs(), 4);
    std::vector<T> output(s.outputs()), d_input(s.inputs()), d_weight(s.weights()), d_bias(bias.size());
    std::vector<char> space(FOR_TYPE(T, my_lib_linear_forward_workspace_size)(s.batch, s.in, s.out));
    CHECK(FOR_TYPE(T, my_lib_linear_forward)(input.data(), weight.data(), biased ? bias.data() : nullptr, s.batch, s.in,
                                             s.out, output.data(), space.data(), space.size()));
    CHECK(FOR_TYPE(T, my_lib_linear_backward)(gradient.data(), input.data(), weight.data(), s.batch, s.in, s.out,
                                              d_input.data(), d_weight.data(), d_bias.data(), nullptr, 0));

    device_array<T> x(input), w(weight), b(bias), g(gradient), y(s.outputs()), dx(s.inputs()), dw(s.weights());
    device_array<T> db(bias.size());
    void *stream = test_stream();
    const double tolerance = 64;
    device_array<char> forward_space(FOR_CUDA_TYPE(T, my_lib_linear_forward_workspace_size)(s.batch, s.in, s.out),
                                     true);
    CHECK(FOR_CUDA_TYPE(T, my_lib_linear_forward)(x, w, biased ? b.data() : nullptr, s.batch, s.in, s.out, y,
                                                  forward_space, forward_space.size(), stream));
    CHECK(all_close(y.values(), output, tolerance) && y.intact() && forward_space.intact());
    device_array<char> space_back(FOR_CUDA_TYPE(T, my_lib_linear_backward_workspace_size)(s.batch, s.in, s.out), true);
    auto backward = [&](T *dx_or_null, T *dw_or_null, T *db_or_null) {
        return FOR_CUDA_TYPE(T, my_lib_linear_backward)(g, dw_or_null ? x.data() : nullptr,
                                                        dx_or_null ? w.data() : nullptr, s.batch, s.in, s.out,
                                                        dx_or_null, dw_or_null, db_or_null, space_back,
                                                        space_back.size(), stream);
    };
    CHECK(backward(dx, dw, db));
    CHECK(all_close(dx.values(), d_input, tolerance) && all_close(dw.values(), d_weight, tolerance));
    CHECK(all_close(db.values(), sums_of_rows(gradient, s), tolerance));
    CHECK(dx.intact() && dw.intact() && db.intact() && space_back.intact());
    CHECK(backward(dx, nullptr, nullptr) && backward(nullptr, dw, nullptr) && backward(nullptr, nullptr, db));
    CHECK(all_close(dx.values(), d_input, tolerance) && all_close(dw.values(), d_weight, tolerance));
}

static void test_errors() {
    device_array<float> a(64);
    const size_t needed = my_lib_linear_forward_workspace_size_cuda(2, 3, 4);
    char message[100];
    std::snprintf(message, sizeof message, "workspace_size: expected at least %zu bytes, got %zu", needed, needed - 1);
    CHECK_ERROR(my_lib_linear_forward_cuda(a, a, a, 2, 3, 4, a, a, needed - 1, test_stream()),
                MY_LIB_ERROR_WORKSPACE_TOO_SMALL, message);
    CHECK(my_lib_linear_forward_workspace_size_cuda(-1, 3, 4) == SIZE_MAX);
    CHECK(std::strcmp(my_lib_last_error_message(), "batch: expected at least 0, got -1") == 0);
    CHECK(my_lib_linear_backward_workspace_size_cuda(INT64_MAX / 16, 1, 1) == SIZE_MAX || sizeof(size_t) > 4);
}

int main() {
    for (const Sizes s : {Sizes{1, 1, 1}, Sizes{5, 7, 3}, Sizes{0, 3, 4}, Sizes{3, 0, 4}, Sizes{3, 4, 0},
                          Sizes{33, 17, 65}, Sizes{1102, 2, 5}, Sizes{513, 1, 33}})
        for (bool biased : {false, true}) {
            test_sizes<float>(s, biased);
            test_sizes<double>(s, biased);
        }
#if !defined(CUDA_RECORDER)  // more rows, and more columns, than a grid has: a CPU would take half a minute
    for (const Sizes s : {Sizes{65535 * 8 + 3, 0, 2}, Sizes{2, 0, 65535 * 32 + 5}}) test_sizes<float>(s, true);
#endif
    test_errors();
    CHECK(kept_to_its_stream());
    return failures() != 0;
}
