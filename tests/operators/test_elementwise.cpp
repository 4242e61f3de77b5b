// tests/operators/test_elementwise.cpp: add, scale_add, mul_constant and cube against long double, for both element
// types.
#include "../support/check.h"

// A size on each side of a vector, of several vectors, and of the part that one thread takes.
static const int64_t sizes[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 1000, 100003};

template <typename T> static const std::vector<T> special_values() {
    using limits = std::numeric_limits<T>;
    return {T(0), -T(0), limits::infinity(), -limits::infinity(), limits::quiet_NaN(), limits::max(), limits::lowest(),
            limits::min(), limits::denorm_min(), T(1), T(-1.5)};
}

// One result: every element lies within `ulps` of `expected(i)`, the sum of magnitudes `size_of(i)` being its scale.
template <typename T, typename Expected, typename Magnitude>
static bool matches(const guarded<T> &got, double ulps, Expected expected, Magnitude magnitude) {
    const std::vector<T> values = got.values();
    for (size_t i = 0; i < values.size(); ++i) {
        // An element type rounds to infinity what exceeds its largest number.
        const long double wanted = static_cast<long double>(static_cast<T>(expected(i)));
        const long double scale = std::fabs(static_cast<long double>(magnitude(i)));
        const long double tolerance = std::isfinite(scale) ? ulps * std::numeric_limits<T>::epsilon() * scale +
                                                                 std::numeric_limits<T>::denorm_min()
                                                           : 0;
        if (!is_near(values[i], wanted, tolerance)) return false;
    }
    return got.intact();
}

template <typename T> static void test_values(const std::vector<T> &a, const std::vector<T> &b) {
    const int64_t size = static_cast<int64_t>(a.size()), shape[] = {1, size};
    guarded<T> x(a), y(b), first(a.size()), second(a.size());
    const auto A = [&](size_t i) { return static_cast<long double>(a[i]); };
    const auto B = [&](size_t i) { return static_cast<long double>(b[i]); };
    const auto one = [](size_t) { return 1.0L; };
    const double rounding = 1;  // the reference is rounded twice, to long double and to T

    CHECK(FOR_TYPE(T, my_lib_add_forward)(x, shape, 2, y, shape, 2, first));
    CHECK(matches(first, rounding, [&](size_t i) { return A(i) + B(i); }, [&](size_t i) { return A(i) + B(i); }));

    CHECK(FOR_TYPE(T, my_lib_add_backward)(x, shape, 2, first, second));
    CHECK(same_bits(first.values(), a) && first.intact());
    CHECK(same_bits(second.values(), a) && second.intact());

    CHECK(FOR_TYPE(T, my_lib_scale_add_forward)(x, shape, 2, y, shape, 2, first));
    CHECK(matches(first, rounding, [&](size_t i) { return static_cast<T>(2 * A(i)) + B(i); },
                  [&](size_t i) { return 2 * A(i) + B(i); }));

    CHECK(FOR_TYPE(T, my_lib_scale_add_backward)(x, shape, 2, first, second));
    CHECK(matches(first, 0, [&](size_t i) { return 2 * A(i); }, one));
    CHECK(same_bits(second.values(), a) && second.intact());

    for (const double constant : {0.0, 2.5, -1e-3, static_cast<double>(std::numeric_limits<T>::infinity())}) {
        const long double c = static_cast<T>(constant);
        CHECK(FOR_TYPE(T, my_lib_mul_constant_forward)(x, shape, 2, constant, first));
        CHECK(matches(first, rounding, [&](size_t i) { return c * A(i); }, [&](size_t i) { return c * A(i); }));
        CHECK(FOR_TYPE(T, my_lib_mul_constant_backward)(y, shape, 2, constant, second));
        CHECK(matches(second, rounding, [&](size_t i) { return c * B(i); }, [&](size_t i) { return c * B(i); }));
    }

    const auto cube = [&](size_t i) { return static_cast<T>(A(i) * A(i)) * A(i); };
    const auto derivative = [&](size_t i) { return static_cast<T>(3 * A(i)) * A(i); };
    CHECK(FOR_TYPE(T, my_lib_cube_forward)(x, shape, 2, first, second));
    CHECK(matches(first, 1.5, cube, cube));
    CHECK(matches(second, 1.5, derivative, derivative));
    CHECK(FOR_TYPE(T, my_lib_cube_forward)(x, shape, 2, second, static_cast<T *>(nullptr)));
    CHECK(same_bits(first.values(), second.values()));

    guarded<T> gradient(random_values<T>(a.size(), 3)), slope_gradient(random_values<T>(a.size(), 4));
    const auto through_output = [&](size_t i) { return gradient[i] * derivative(i); };
    const auto through_both = [&](size_t i) {
        return through_output(i) + slope_gradient[i] * static_cast<long double>(static_cast<T>(6 * A(i)));
    };
    const auto magnitude = [&](size_t i) {
        return std::fabs(through_output(i)) + std::fabs(through_both(i) - through_output(i));
    };
    CHECK(FOR_TYPE(T, my_lib_cube_backward)(gradient, slope_gradient, x, shape, 2, first));
    CHECK(matches(first, 4, through_both, magnitude));
    CHECK(FOR_TYPE(T, my_lib_cube_backward)(gradient, static_cast<T *>(nullptr), x, shape, 2, first));
    CHECK(matches(first, 4, through_output, magnitude));
}

// An output that is one of the inputs gives the same bits as one of its own.
template <typename T> static void test_in_place(int64_t size) {
    const size_t count = static_cast<size_t>(size);
    const std::vector<T> a = random_values<T>(count, 5, 3), b = random_values<T>(count, 6);
    const int64_t *shape = &size;
    T *const none = nullptr;
    guarded<T> x(a), y(b), expected(count), other(count), expected_other(count);

    const auto binary = [&](auto operation) {
        guarded<T> in_first(a), in_second(b);
        CHECK(operation(x, shape, 1, y, shape, 1, expected));
        CHECK(operation(in_first, shape, 1, y, shape, 1, in_first));
        CHECK(operation(x, shape, 1, in_second, shape, 1, in_second));
        CHECK(same_bits(in_first.values(), expected.values()));
        CHECK(same_bits(in_second.values(), expected.values()));
    };
    binary(FOR_TYPE(T, my_lib_add_forward));
    binary(FOR_TYPE(T, my_lib_scale_add_forward));

    const auto two_outputs = [&](auto operation) {
        guarded<T> in_first(a), in_second(a);
        CHECK(operation(x, shape, 1, expected, expected_other));
        CHECK(operation(in_first, shape, 1, in_first, other));
        CHECK(same_bits(in_first.values(), expected.values()));
        CHECK(same_bits(other.values(), expected_other.values()));
        CHECK(operation(in_second, shape, 1, other, in_second));
        CHECK(same_bits(other.values(), expected.values()));
        CHECK(same_bits(in_second.values(), expected_other.values()));
        // Each output alone is what it is beside the other.
        CHECK(operation(x, shape, 1, other, none) && same_bits(other.values(), expected.values()));
    };
    two_outputs(FOR_TYPE(T, my_lib_add_backward));
    two_outputs(FOR_TYPE(T, my_lib_scale_add_backward));
    two_outputs(FOR_TYPE(T, my_lib_cube_forward));
    CHECK(FOR_TYPE(T, my_lib_scale_add_backward)(x, shape, 1, none, other) && same_bits(other.values(), a));
    CHECK(FOR_TYPE(T, my_lib_add_backward)(y, shape, 1, none, other) && same_bits(other.values(), b));

    guarded<T> product(a), gradient(b), input(a);
    CHECK(FOR_TYPE(T, my_lib_mul_constant_forward)(x, shape, 1, 0.3, expected));
    CHECK(FOR_TYPE(T, my_lib_mul_constant_forward)(product, shape, 1, 0.3, product));
    CHECK(same_bits(product.values(), expected.values()));
    CHECK(FOR_TYPE(T, my_lib_cube_backward)(y, y, x, shape, 1, expected));
    CHECK(FOR_TYPE(T, my_lib_cube_backward)(gradient, gradient, x, shape, 1, gradient));
    CHECK(FOR_TYPE(T, my_lib_cube_backward)(y, y, input, shape, 1, input));
    CHECK(same_bits(gradient.values(), expected.values()));
    CHECK(same_bits(input.values(), expected.values()));
}

template <typename T> static void test_results_do_not_depend_on_the_thread_count() {
    const int64_t size = 100003, *shape = &size;
    guarded<T> x(random_values<T>(100003, 7)), y(random_values<T>(100003, 8)), first(100003), second(100003);
    std::vector<std::vector<T>> results[2];
    for (const int threads : {1, 2, 3, 7}) {
        my_lib_set_num_threads(threads);
        std::vector<std::vector<T>> &now = results[threads != 1];
        now.clear();
        CHECK(FOR_TYPE(T, my_lib_add_forward)(x, shape, 1, y, shape, 1, first));
        now.push_back(first.values());
        CHECK(FOR_TYPE(T, my_lib_scale_add_forward)(x, shape, 1, y, shape, 1, first));
        now.push_back(first.values());
        CHECK(FOR_TYPE(T, my_lib_cube_forward)(x, shape, 1, first, second));
        now.push_back(first.values());
        now.push_back(second.values());
        CHECK(FOR_TYPE(T, my_lib_cube_backward)(y, x, x, shape, 1, first));
        now.push_back(first.values());
        CHECK(FOR_TYPE(T, my_lib_mul_constant_forward)(x, shape, 1, 0.7, first));
        now.push_back(first.values());
        for (size_t k = 0; k < now.size(); ++k) CHECK(same_bits(now[k], results[0][k]));
    }
    my_lib_set_num_threads(0);
}

template <typename T> static void test_shapes() {
    T *const none = nullptr;
    guarded<T> x(std::vector<T>{3}), y(std::vector<T>{4}), output(1);
    // ndim 0 is one element and needs no shape; a shape without elements needs no arrays.
    CHECK(FOR_TYPE(T, my_lib_add_forward)(x, nullptr, 0, y, nullptr, 0, output) && output[0] == 7);
    CHECK(FOR_TYPE(T, my_lib_cube_forward)(x, nullptr, 0, output, none) && output[0] == 27);
    const int64_t empty[] = {INT64_MAX, 0, INT64_MAX};
    CHECK(FOR_TYPE(T, my_lib_add_forward)(none, empty, 3, none, empty, 3, none));
    CHECK(FOR_TYPE(T, my_lib_add_backward)(none, empty, 3, none, none));
    CHECK(FOR_TYPE(T, my_lib_scale_add_forward)(none, empty, 3, none, empty, 3, none));
    CHECK(FOR_TYPE(T, my_lib_scale_add_backward)(none, empty, 3, none, none));
    CHECK(FOR_TYPE(T, my_lib_mul_constant_forward)(none, empty, 3, 1, none));
    CHECK(FOR_TYPE(T, my_lib_mul_constant_backward)(none, empty, 3, 1, none));
    CHECK(FOR_TYPE(T, my_lib_cube_forward)(none, empty, 3, none, none));
    CHECK(FOR_TYPE(T, my_lib_cube_backward)(none, none, none, empty, 3, none));
}

// After a failure nothing was touched: every array that is not the wrong one lies in a page without access.
template <typename T> static void test_errors() {
    const int64_t shape[] = {5, 5}, other[] = {5, 4}, negative[] = {5, -1}, huge[] = {INT64_MAX / 2, 2};
    T *const none = nullptr, *const page = untouchable<T>();
    T *const unaligned = reinterpret_cast<T *>(reinterpret_cast<char *>(page) + 1);

    for (auto forward : {FOR_TYPE(T, my_lib_add_forward), FOR_TYPE(T, my_lib_scale_add_forward)}) {
        CHECK_ERROR(forward(page, shape, 2, page, other, 2, page), MY_LIB_ERROR_SHAPE_MISMATCH,
                    "input2", "(5, 5)", "(5, 4)");
        CHECK_ERROR(forward(page, shape, 2, page, shape, 1, page), MY_LIB_ERROR_SHAPE_MISMATCH,
                    "input2", "(5, 5)", "(5,)");
        CHECK_ERROR(forward(page, negative, 2, page, shape, 2, page), MY_LIB_ERROR_INVALID_SIZE,
                    "input1", "0", "(5, -1)");
        CHECK_ERROR(forward(page, shape, 2, page, shape, -1, page), MY_LIB_ERROR_INVALID_SIZE,
                    "input2", "ndim", "0", "-1");
        CHECK_ERROR(forward(page, shape, 2, page, nullptr, 2, page), MY_LIB_ERROR_NULL_POINTER, "input2", "2", "NULL");
        CHECK(forward(page, huge, 2, page, huge, 2, page) == 0);
        CHECK(my_lib_last_error_code() == MY_LIB_ERROR_SIZE_OVERFLOW);
        CHECK_ERROR(forward(none, shape, 2, page, shape, 2, page), MY_LIB_ERROR_NULL_POINTER, "input1", "NULL");
        CHECK_ERROR(forward(page, shape, 2, none, shape, 2, page), MY_LIB_ERROR_NULL_POINTER, "input2", "NULL");
        CHECK_ERROR(forward(page, shape, 2, page, shape, 2, none), MY_LIB_ERROR_NULL_POINTER, "output", "NULL");
        CHECK(forward(page, shape, 2, page, shape, 2, unaligned) == 0);
        CHECK(my_lib_last_error_code() == MY_LIB_ERROR_UNALIGNED_POINTER);
    }
    for (auto backward : {FOR_TYPE(T, my_lib_add_backward), FOR_TYPE(T, my_lib_scale_add_backward)}) {
        CHECK_ERROR(backward(page, negative, 2, page, page), MY_LIB_ERROR_INVALID_SIZE, "grad_output", "0", "(5, -1)");
        CHECK_ERROR(backward(none, shape, 2, page, page), MY_LIB_ERROR_NULL_POINTER, "grad_output", "NULL");
        for (int which = 0; which < 2; ++which) {
            CHECK(backward(page, shape, 2, which ? page : unaligned, which ? unaligned : page) == 0);
            CHECK(std::string(my_lib_last_error_message()).find(which ? "grad_input2: " : "grad_input1: ") == 0);
        }
    }

    const auto forward = FOR_TYPE(T, my_lib_mul_constant_forward);
    CHECK_ERROR(forward(page, nullptr, 1, 2, page), MY_LIB_ERROR_NULL_POINTER, "input", "1", "NULL");
    CHECK_ERROR(forward(none, shape, 2, 2, page), MY_LIB_ERROR_NULL_POINTER, "input", "NULL");
    CHECK_ERROR(forward(page, shape, 2, 2, none), MY_LIB_ERROR_NULL_POINTER, "output", "NULL");
    const auto backward = FOR_TYPE(T, my_lib_mul_constant_backward);
    CHECK_ERROR(backward(none, shape, 2, 2, page), MY_LIB_ERROR_NULL_POINTER, "grad_output", "NULL");
    CHECK(backward(page, shape, 2, 2, none));  // nothing wanted, nothing read
    CHECK(backward(page, shape, 2, 2, unaligned) == 0);

    const auto cube = FOR_TYPE(T, my_lib_cube_forward);
    CHECK_ERROR(cube(none, shape, 2, page, page), MY_LIB_ERROR_NULL_POINTER, "input", "NULL");
    CHECK_ERROR(cube(page, shape, 2, none, page), MY_LIB_ERROR_NULL_POINTER, "output", "NULL");
    CHECK(cube(page, shape, 2, page, unaligned) == 0);
    CHECK(std::string(my_lib_last_error_message()).find("derivative: ") == 0);
    const auto cube_backward = FOR_TYPE(T, my_lib_cube_backward);
    CHECK_ERROR(cube_backward(none, page, page, shape, 2, page), MY_LIB_ERROR_NULL_POINTER, "grad_output", "NULL");
    CHECK_ERROR(cube_backward(page, page, none, shape, 2, page), MY_LIB_ERROR_NULL_POINTER, "input", "NULL");
    CHECK(cube_backward(page, unaligned, page, shape, 2, page) == 0);
    CHECK(std::string(my_lib_last_error_message()).find("grad_derivative: ") == 0);
    CHECK(cube_backward(page, page, page, shape, 2, none));
}

template <typename T> static void test_type() {
    for (const int64_t size : sizes)
        test_values(random_values<T>(static_cast<size_t>(size), 1, 10),
                    random_values<T>(static_cast<size_t>(size), 2));
    std::vector<T> a, b;
    for (const T first : special_values<T>())
        for (const T second : special_values<T>()) {
            a.push_back(first);
            b.push_back(second);
        }
    test_values(a, b);
    for (const int64_t size : {5, 64, 100003}) test_in_place<T>(size);
    test_results_do_not_depend_on_the_thread_count<T>();
    test_shapes<T>();
    test_errors<T>();
}

int main() {
    test_type<float>();
    test_type<double>();
    return failures() != 0;
}
