// tests/cuda/test_batch_norm2d.cpp: batch normalisation on the device against the CPU.
#include "device.h"

struct Shape {
    int64_t batch, channels, height, width;
    size_t size() const { return static_cast<size_t>(batch * channels * height * width); }
};

template <typename T> static void test_shape(Shape s, double offset) {
    const std::vector<T> input = random_values<T>(s.size(), 1, 2, offset), gradient = random_values<T>(s.size(), 2);
    const auto channels = static_cast<size_t>(s.channels);
    std::vector<T> output(s.size()), mean(channels), std(channels), grad_input(s.size());
    CHECK(FOR_TYPE(T, my_lib_batch_norm2d_forward)(input.data(), s.batch, s.channels, s.height, s.width, 1e-3,
                                                   output.data(), mean.data(), std.data()));
    CHECK(FOR_TYPE(T, my_lib_batch_norm2d_backward)(gradient.data(), input.data(), mean.data(), std.data(), s.batch,
                                                    s.channels, s.height, s.width, 1e-3, grad_input.data()));

    device_array<T> x(input), g(gradient), y(s.size()), m(channels), d(channels), gx(s.size());
    void *stream = test_stream();
    CHECK(FOR_CUDA_TYPE(T, my_lib_batch_norm2d_forward)(x, s.batch, s.channels, s.height, s.width, 1e-3, y, m, d,
                                                        stream));
    CHECK(all_close(y.values(), output, 16) && all_close(m.values(), mean, 4) && all_close(d.values(), std, 4));
    CHECK(FOR_CUDA_TYPE(T, my_lib_batch_norm2d_backward)(g, x, m, d, s.batch, s.channels, s.height, s.width, 1e-3, gx,
                                                         stream));
    CHECK(all_close(gx.values(), grad_input, 64));
    CHECK(y.intact() && m.intact() && d.intact() && gx.intact());

    // Each output in place of an input.
    CHECK(FOR_CUDA_TYPE(T, my_lib_batch_norm2d_backward)(g, x, m, d, s.batch, s.channels, s.height, s.width, 1e-3, g,
                                                         stream));
    CHECK(same_bits(g.values(), gx.values()));
    CHECK(FOR_CUDA_TYPE(T, my_lib_batch_norm2d_forward)(x, s.batch, s.channels, s.height, s.width, 1e-3, x, m, d,
                                                        stream));
    CHECK(same_bits(x.values(), y.values()));
    CHECK(FOR_CUDA_TYPE(T, my_lib_batch_norm2d_backward)(g, x, m, d, s.batch, s.channels, s.height, s.width, 1e-3,
                                                         nullptr, stream));
}

template <typename T> static void test_constant_channel() {
    device_array<T> x(std::vector<T>(700, T(0.1))), y(700), m(1), d(1), g(std::vector<T>(700, T(3))), gx(700);
    CHECK(FOR_CUDA_TYPE(T, my_lib_batch_norm2d_forward)(x, 7, 1, 10, 10, 1e-3, y, m, d, test_stream()));
    CHECK(d.values()[0] == 0 && y.values() == std::vector<T>(700, T(0)));
    CHECK(FOR_CUDA_TYPE(T, my_lib_batch_norm2d_backward)(g, x, m, d, 7, 1, 10, 10, 1e-3, gx, test_stream()));
    CHECK(all_close(gx.values(), std::vector<T>(700, T(0)), 1));
}

static void test_errors() {
    device_array<float> a(4);
    CHECK_ERROR(my_lib_batch_norm2d_forward_cuda(a, 1, 4, 1, 1, 1e-3, a, a, a, test_stream()),
                MY_LIB_ERROR_INVALID_SIZE, "input: expected more than 1 value per channel, got shape (1, 4, 1, 1)");
    CHECK_ERROR(my_lib_batch_norm2d_forward_cuda(a, 2, 2, 1, 1, -1, a, a, a, test_stream()),
                MY_LIB_ERROR_INVALID_VALUE, "eps: expected at least 0, got -1");
}

int main() {
    for (const Shape s : {Shape{2, 3, 4, 5}, Shape{1, 1, 1, 2}, Shape{3, 2, 1, 1}, Shape{700, 1, 1, 1},
                          Shape{5, 3, 13, 41}, Shape{2, 1, 32, 33}, Shape{0, 3, 2, 2}, Shape{2, 0, 2, 2}})
        for (double offset : {0.0, 1000.0}) {
            test_shape<float>(s, offset);
            test_shape<double>(s, offset);
        }
    test_constant_channel<float>();
    test_constant_channel<double>();
    test_errors();
    CHECK(kept_to_its_stream());
    return failures() != 0;
}
