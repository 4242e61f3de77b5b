// tests/cuda/test_elementwise.cpp: the elementwise operators on the device give the bits that they give on the CPU.
#include "device.h"

// A NaN has other bits on a GPU than on a CPU.
template <typename T> static bool same_values(std::vector<T> got, std::vector<T> want) {
    for (auto *values : {&got, &want})
        for (T &value : *values)
            if (std::isnan(value)) value = std::numeric_limits<T>::quiet_NaN();
    return same_bits(got, want);
}

template <typename T> struct Inputs {
    int64_t shape[1];
    std::vector<T> a, b, c;

    explicit Inputs(size_t size)
        : shape{static_cast<int64_t>(size)}, a(random_values<T>(size, 1, 100)), b(random_values<T>(size, 2, 3)),
          c(random_values<T>(size, 3)) {
        const T special[] = {std::numeric_limits<T>::infinity(), -std::numeric_limits<T>::infinity(),
                             std::numeric_limits<T>::denorm_min(), std::numeric_limits<T>::max(), T(-0.0)};
        for (size_t i = 0; i < size && i < 5; ++i) a[size - 1 - i] = special[i];
    }
};

template <typename T> static void test_size(size_t size, bool shifted) {
    const Inputs<T> in(size);
    const int64_t *shape = in.shape;
    void *stream = test_stream();
    device_array<T> a(in.a, shifted), b(in.b, shifted), c(in.c, shifted), x(size, shifted), y(size, shifted);
    std::vector<T> expected(size), second(size);
    auto check = [&](device_array<T> &got, const std::vector<T> &want) {
        CHECK(same_values(got.values(), want));
        CHECK(got.intact());
    };

    CHECK(FOR_TYPE(T, my_lib_add_forward)(in.a.data(), shape, 1, in.b.data(), shape, 1, expected.data()));
    CHECK(FOR_CUDA_TYPE(T, my_lib_add_forward)(a, shape, 1, b, shape, 1, x, stream));
    check(x, expected);
    CHECK(FOR_TYPE(T, my_lib_scale_add_forward)(in.a.data(), shape, 1, in.b.data(), shape, 1, expected.data()));
    CHECK(FOR_CUDA_TYPE(T, my_lib_scale_add_forward)(a, shape, 1, b, shape, 1, x, stream));
    check(x, expected);
    CHECK(FOR_TYPE(T, my_lib_mul_constant_forward)(in.a.data(), shape, 1, 0.1, expected.data()));
    CHECK(FOR_CUDA_TYPE(T, my_lib_mul_constant_forward)(a, shape, 1, 0.1, x, stream));
    check(x, expected);
    CHECK(FOR_CUDA_TYPE(T, my_lib_mul_constant_backward)(a, shape, 1, 0.1, y, stream));
    check(y, expected);

    CHECK(FOR_CUDA_TYPE(T, my_lib_add_backward)(a, shape, 1, x, y, stream));
    check(x, in.a);
    check(y, in.a);
    CHECK(FOR_TYPE(T, my_lib_scale_add_backward)(in.a.data(), shape, 1, expected.data(), second.data()));
    CHECK(FOR_CUDA_TYPE(T, my_lib_scale_add_backward)(a, shape, 1, x, y, stream));
    check(x, expected);
    check(y, second);
    CHECK(FOR_TYPE(T, my_lib_cube_forward)(in.a.data(), shape, 1, expected.data(), second.data()));
    CHECK(FOR_CUDA_TYPE(T, my_lib_cube_forward)(a, shape, 1, x, y, stream));
    check(x, expected);
    check(y, second);
    CHECK(FOR_TYPE(T, my_lib_cube_backward)(in.b.data(), in.c.data(), in.a.data(), shape, 1, expected.data()));
    CHECK(FOR_CUDA_TYPE(T, my_lib_cube_backward)(b, c, a, shape, 1, x, stream));
    check(x, expected);
    CHECK(FOR_TYPE(T, my_lib_cube_backward)(in.b.data(), nullptr, in.a.data(), shape, 1, expected.data()));
    CHECK(FOR_CUDA_TYPE(T, my_lib_cube_backward)(b, nullptr, a, shape, 1, x, stream));
    check(x, expected);
    check(a, in.a);
}

// Outputs that are not wanted, and outputs that are an input.
template <typename T> static void test_null_and_in_place() {
    constexpr size_t size = 1037;
    const Inputs<T> in(size);
    const int64_t *shape = in.shape;
    void *stream = test_stream();
    device_array<T> a(in.a), b(in.b), y(size);
    std::vector<T> twice(size);
    CHECK(FOR_TYPE(T, my_lib_scale_add_backward)(in.a.data(), shape, 1, twice.data(), nullptr));

    CHECK(FOR_CUDA_TYPE(T, my_lib_add_backward)(a, shape, 1, nullptr, y, stream) && same_bits(y.values(), in.a));
    CHECK(FOR_CUDA_TYPE(T, my_lib_add_backward)(a, shape, 1, a, nullptr, stream) && same_bits(a.values(), in.a));
    CHECK(FOR_CUDA_TYPE(T, my_lib_add_backward)(a, shape, 1, nullptr, nullptr, stream));
    CHECK(FOR_CUDA_TYPE(T, my_lib_scale_add_backward)(b, shape, 1, nullptr, y, stream));
    CHECK(same_bits(y.values(), in.b));
    CHECK(FOR_CUDA_TYPE(T, my_lib_scale_add_backward)(a, shape, 1, y, a, stream));
    CHECK(same_bits(y.values(), twice) && same_bits(a.values(), in.a));
    CHECK(FOR_CUDA_TYPE(T, my_lib_scale_add_backward)(a, shape, 1, a, y, stream));
    CHECK(same_bits(a.values(), twice) && same_bits(y.values(), in.a));
    CHECK(FOR_CUDA_TYPE(T, my_lib_cube_forward)(b, shape, 1, y, nullptr, stream));
    CHECK(FOR_CUDA_TYPE(T, my_lib_cube_forward)(b, shape, 1, b, nullptr, stream));
    CHECK(same_bits(b.values(), y.values()));
    CHECK(FOR_CUDA_TYPE(T, my_lib_cube_backward)(a, nullptr, b, shape, 1, nullptr, stream));
    CHECK(FOR_CUDA_TYPE(T, my_lib_mul_constant_backward)(a, shape, 1, 2, nullptr, stream));
}

static void test_errors() {
    const int64_t five[] = {5}, four[] = {4}, negative[] = {-1};
    device_array<float> a(5), b(5), output(std::vector<float>(5, 7));
    void *stream = test_stream();
    CHECK_ERROR(my_lib_add_forward_cuda(a, five, 1, b, four, 1, output, stream), MY_LIB_ERROR_SHAPE_MISMATCH,
                "input2: expected shape (5,), got (4,)");
    CHECK_ERROR(my_lib_add_forward_cuda(nullptr, five, 1, b, five, 1, output, stream), MY_LIB_ERROR_NULL_POINTER,
                "input1: expected an array, got NULL");
    CHECK_ERROR(my_lib_cube_forward_cuda(a, negative, 1, output, nullptr, stream), MY_LIB_ERROR_INVALID_SIZE,
                "input: expected sizes >= 0, got shape (-1,)");
    auto *odd = reinterpret_cast<float *>(reinterpret_cast<uintptr_t>(a.data()) + 2);
    CHECK(my_lib_mul_constant_forward_cuda(odd, five, 1, 2, output, stream) == 0);
    CHECK(my_lib_last_error_code() == MY_LIB_ERROR_UNALIGNED_POINTER);
    CHECK(output.values() == std::vector<float>(5, 7));
}

int main() {
    for (size_t size : {0, 1, 2, 3, 4, 5, 7, 8, 16, 255, 256, 257, 1023, 1024, 2047, 2049, 4099, 9001})
        for (bool shifted : {false, true}) {
            test_size<float>(size, shifted);
            test_size<double>(size, shifted);
        }
    test_null_and_in_place<float>();
    test_null_and_in_place<double>();
    test_errors();
    CHECK(kept_to_its_stream());
    return failures() != 0;
}
