// tests/operators/test_batch_norm2d.cpp: batch normalisation and its gradient against long double.
#include "../support/check.h"
#include "batch_norm2d/reference.h"

#include <algorithm>
#include <numeric>

struct Sizes {
    int64_t batch, channels, height, width;

    size_t count() const { return static_cast<size_t>(batch * channels * height * width); }
    int64_t per_channel() const { return batch * height * width; }
};

template <typename T> static int forward(const T *input, Sizes s, double eps, T *output, T *mean, T *std) {
    return FOR_TYPE(T, my_lib_batch_norm2d_forward)(input, s.batch, s.channels, s.height, s.width, eps, output, mean,
                                                    std);
}

template <typename T>
static int backward(const T *grad_output, const T *input, const T *mean, const T *std, Sizes s, double eps,
                    T *grad_input) {
    return FOR_TYPE(T, my_lib_batch_norm2d_backward)(grad_output, input, mean, std, s.batch, s.channels, s.height,
                                                     s.width, eps, grad_input);
}

// Where the values of one channel lie, and the values.
static std::vector<size_t> offsets_of(Sizes s, int64_t channel) {
    const auto offsets = my_lib::reference::offsets_of_channel(s.batch, s.channels, s.height * s.width, channel);
    return std::vector<size_t>(offsets.begin(), offsets.end());
}

template <typename T>
static std::vector<long double> channel_of(const std::vector<T> &values, Sizes s, int64_t channel) {
    std::vector<long double> found;
    for (const size_t offset : offsets_of(s, channel)) found.push_back(values[offset]);
    return found;
}

template <typename T> static void test_values(Sizes s, double scale, double offset, double eps) {
    const size_t channels = static_cast<size_t>(s.channels);
    const std::vector<T> values = random_values<T>(s.count(), 1, scale, offset);
    const std::vector<T> gradients = random_values<T>(s.count(), 2);
    guarded<T> input(values), grad_output(gradients), output(s.count()), mean(channels), std(channels);
    guarded<T> grad_input(s.count());
    CHECK(forward<T>(input, s, eps, output, mean, std));
    CHECK(backward<T>(grad_output, input, mean, std, s, eps, grad_input));
    CHECK(output.intact() && mean.intact() && std.intact() && grad_input.intact());

    const std::vector<long double> x(values.begin(), values.end()), g(gradients.begin(), gradients.end());
    std::vector<long double> y(s.count()), d_x(s.count()), means(channels), stds(channels);
    my_lib::reference::batch_norm2d_forward<long double>(
        {x.data(), s.batch, s.channels, s.height, s.width, eps, y.data(), means.data(), stds.data()});
    my_lib::reference::batch_norm2d_backward<long double>({g.data(), x.data(), means.data(), stds.data(), s.batch,
                                                           s.channels, s.height, s.width, eps, d_x.data()});

    const long double epsilon = std::numeric_limits<T>::epsilon();
    for (size_t c = 0; c < channels; ++c) {
        // What double loses in the mean: values far from zero have fewer digits behind the point.
        const long double lost_mean = 2 * std::numeric_limits<double>::epsilon() * (std::fabs(means[c]) + stds[c]);
        CHECK(is_near(mean[c], means[c], epsilon * std::fabs(means[c]) + lost_mean));
        CHECK(is_near(std[c], stds[c], 2 * epsilon * stds[c]));
        const long double lost = 2 * lost_mean / (stds[c] + eps);
        for (const size_t i : offsets_of(s, static_cast<int64_t>(c))) {
            CHECK(is_near(output[i], y[i], 4 * epsilon * std::fabs(y[i]) + lost));
            CHECK(is_near(grad_input[i], d_x[i], (8 * epsilon + 8 * lost) / (stds[c] + eps)));
        }
    }

    // In place, for each array that allows it: the same bits.
    guarded<T> in_place(values), in_gradient(gradients), in_input(values);
    guarded<T> other_mean(channels), other_std(channels);
    CHECK(forward<T>(in_place, s, eps, in_place, other_mean, other_std));
    CHECK(same_bits(in_place.values(), output.values()) && same_bits(other_mean.values(), mean.values()));
    CHECK(backward<T>(in_gradient, input, mean, std, s, eps, in_gradient));
    CHECK(same_bits(in_gradient.values(), grad_input.values()));
    CHECK(backward<T>(grad_output, in_input, mean, std, s, eps, in_input));
    CHECK(same_bits(in_input.values(), grad_input.values()));
}

template <typename T> static void test_a_constant_channel() {
    const Sizes s = {3, 2, 3, 7};
    const double eps = 1e-3;
    for (const T value : {T(0), T(0.1), T(-123456.7), T(3e30)}) {
        std::vector<T> values(s.count(), value);
        for (int64_t i = 0; i < 21; ++i) values[21 + static_cast<size_t>(i)] = static_cast<T>(i);  // not channel 0
        guarded<T> input(values), grad_output(random_values<T>(s.count(), 3)), output(s.count()), mean(2), std(2);
        CHECK(forward<T>(input, s, eps, output, mean, std));
        CHECK(mean[0] == value && std[0] == 0 && std[1] > 0);
        for (const long double y : channel_of(output.values(), s, 0)) CHECK(y == 0);

        guarded<T> grad_input(s.count());
        CHECK(backward<T>(grad_output, input, mean, std, s, eps, grad_input));
        const std::vector<long double> g = channel_of(grad_output.values(), s, 0);
        const std::vector<long double> got = channel_of(grad_input.values(), s, 0);
        const long double mean_gradient = std::accumulate(g.begin(), g.end(), 0.0L) / g.size();
        for (size_t i = 0; i < g.size(); ++i)
            CHECK(is_near(got[i], (g[i] - mean_gradient) / eps, 4 * std::numeric_limits<T>::epsilon() / eps));
    }
}

// The gradient of a channel whose values approach one another goes to the documented one of a constant channel.
static void test_the_constant_channel_is_the_limit() {
    const Sizes s = {2, 1, 2, 5};
    const std::vector<double> direction = random_values<double>(s.count(), 4);
    guarded<double> grad_output(random_values<double>(s.count(), 5)), output(s.count()), mean(1), std(1);
    guarded<double> limit(s.count()), grad_input(s.count());
    const std::vector<double> constant(s.count(), 2.0);
    guarded<double> input(constant);
    CHECK(forward<double>(input, s, 0.1, output, mean, std));
    CHECK(backward<double>(grad_output, input, mean, std, s, 0.1, limit));
    for (const double distance : {1e-3, 1e-6, 1e-9, 1e-12, 4e-16}) {
        for (size_t i = 0; i < s.count(); ++i) input[i] = 2.0 + distance * direction[i];
        CHECK(forward<double>(input, s, 0.1, output, mean, std));
        CHECK(std[0] > 0);
        CHECK(backward<double>(grad_output, input, mean, std, s, 0.1, grad_input));
        for (size_t i = 0; i < s.count(); ++i) CHECK(is_near(grad_input[i], limit[i], 1000 * distance + 1e-13));
    }
}

template <typename T> static void test_not_finite_values_stay_in_their_channel() {
    const T infinity = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
    const Sizes s = {2, 4, 3, 3};
    for (const size_t position : {0, 4, 44}) {  // in channel 0: the first value, another one, another image
        std::vector<T> values = random_values<T>(s.count(), 6);
        guarded<T> clean(values), input(values), output(s.count()), clean_output(s.count()), mean(4), std(4);
        CHECK(forward<T>(clean, s, 1e-3, clean_output, mean, std));
        for (const T special : {infinity, -infinity, nan}) {
            input[position] = special;
            CHECK(forward<T>(input, s, 1e-3, output, mean, std));
            CHECK(is_near(mean[0], special, 0) && std::isnan(std[0]));
            for (const long double y : channel_of(output.values(), s, 0)) CHECK(std::isnan(y));
            for (int64_t channel = 1; channel < 4; ++channel)
                CHECK(channel_of(output.values(), s, channel) == channel_of(clean_output.values(), s, channel));
            guarded<T> grad_input(s.count());
            CHECK(backward<T>(clean, input, mean, std, s, 1e-3, grad_input));
            for (const long double y : channel_of(grad_input.values(), s, 0)) CHECK(std::isnan(y));
            for (const long double y : channel_of(grad_input.values(), s, 3)) CHECK(std::isfinite(y));
        }
    }
    // Without eps a constant channel is 0 / 0.
    const std::vector<T> ones(s.count(), T(1));
    guarded<T> input(ones), output(s.count()), mean(4), std(4);
    CHECK(forward<T>(input, s, 0, output, mean, std) && std::isnan(output[0]) && std[0] == 0);
}

template <typename T> static void test_results_do_not_depend_on_the_thread_count() {
    const Sizes s = {5, 13, 37, 41};
    guarded<T> input(random_values<T>(s.count(), 7)), grad_output(random_values<T>(s.count(), 8));
    guarded<T> output(s.count()), mean(13), std(13), grad_input(s.count());
    std::vector<T> expected[4];
    for (const int threads : {1, 2, 3, 7}) {
        my_lib_set_num_threads(threads);
        CHECK(forward<T>(input, s, 1e-3, output, mean, std));
        CHECK(backward<T>(grad_output, input, mean, std, s, 1e-3, grad_input));
        const std::vector<T> got[4] = {output.values(), mean.values(), std.values(), grad_input.values()};
        if (threads == 1) std::copy(got, got + 4, expected);
        for (int k = 0; k < 4; ++k) CHECK(same_bits(got[k], expected[k]));
    }
    my_lib_set_num_threads(0);
}

template <typename T> static void test_empty() {
    T *const none = nullptr;
    for (const Sizes s : {Sizes{0, 3, 4, 5}, Sizes{2, 3, 0, 5}, Sizes{2, 3, INT64_MAX, 0}, Sizes{INT64_MAX, 3, 0, 2}}) {
        guarded<T> mean(3), std(3);
        CHECK(forward<T>(none, s, 1e-3, none, mean, std));
        for (size_t c = 0; c < 3; ++c) CHECK(std::isnan(mean[c]) && std::isnan(std[c]));
        CHECK(backward<T>(none, none, mean, std, s, 1e-3, none));
    }
    const Sizes no_channels = {INT64_MAX, 0, INT64_MAX, 2};
    CHECK(forward<T>(none, no_channels, 1e-3, none, none, none));
    CHECK(backward<T>(none, none, none, none, no_channels, 1e-3, none));
}

// After a failure nothing was touched: every array that is not the wrong one lies in a page without access.
template <typename T> static void test_errors() {
    T *const none = nullptr, *const page = untouchable<T>();
    const Sizes good = {2, 3, 4, 5};
    CHECK_ERROR(forward<T>(page, {1, 3, 1, 1}, 1e-3, page, page, page), MY_LIB_ERROR_INVALID_SIZE,
                "input", "1", "channel", "(1, 3, 1, 1)");
    CHECK_ERROR(backward<T>(page, page, page, page, {1, 3, 1, 1}, 1e-3, page), MY_LIB_ERROR_INVALID_SIZE,
                "input", "1", "channel", "(1, 3, 1, 1)");
    CHECK_ERROR(forward<T>(page, {2, -3, 4, 5}, 1e-3, page, page, page), MY_LIB_ERROR_INVALID_SIZE,
                "input", "0", "(2, -3, 4, 5)");
    CHECK(forward<T>(page, {INT64_MAX, 3, 4, 5}, 1e-3, page, page, page) == 0);
    CHECK(my_lib_last_error_code() == MY_LIB_ERROR_SIZE_OVERFLOW);
    // Images without elements, of so many channels that no memory holds `mean`.
    for (int call = 0; call < 2; call++) {
        const Sizes many = {1000, INT64_MAX, 1, 0};
        CHECK((call ? forward<T>(page, many, 1e-3, page, page, page)
                    : backward<T>(page, page, page, page, many, 1e-3, page)) == 0);
        CHECK(my_lib_last_error_code() == MY_LIB_ERROR_SIZE_OVERFLOW);
    }
    CHECK_ERROR(forward<T>(page, good, -1, page, page, page), MY_LIB_ERROR_INVALID_VALUE, "eps", "0", "-1");
    CHECK(forward<T>(page, good, std::nan(""), page, page, page) == 0);
    CHECK(my_lib_last_error_code() == MY_LIB_ERROR_INVALID_VALUE);
    CHECK(backward<T>(page, page, page, page, good, -1, page) == 0);
    CHECK(my_lib_last_error_code() == MY_LIB_ERROR_INVALID_VALUE);

    const char *const forward_names[] = {"input", "output", "mean", "std"};
    for (int which = 0; which < 4; ++which) {
        T *arrays[4] = {page, page, page, page};
        arrays[which] = none;
        CHECK_ERROR(forward<T>(arrays[0], good, 1e-3, arrays[1], arrays[2], arrays[3]), MY_LIB_ERROR_NULL_POINTER,
                    forward_names[which], "NULL");
    }
    const char *const backward_names[] = {"grad_output", "input", "mean", "std"};
    for (int which = 0; which < 4; ++which) {
        T *arrays[4] = {page, page, page, page};
        arrays[which] = none;
        CHECK_ERROR(backward<T>(arrays[0], arrays[1], arrays[2], arrays[3], good, 1e-3, page),
                    MY_LIB_ERROR_NULL_POINTER, backward_names[which], "NULL");
    }
    CHECK(backward<T>(page, page, page, page, good, 1e-3, none));  // nothing wanted, nothing read
    T *const unaligned = reinterpret_cast<T *>(reinterpret_cast<char *>(page) + 1);
    CHECK(backward<T>(page, page, page, page, good, 1e-3, unaligned) == 0);
    CHECK(my_lib_last_error_code() == MY_LIB_ERROR_UNALIGNED_POINTER);
}

template <typename T> static void test_type() {
    for (const Sizes s : {Sizes{2, 1, 1, 1}, Sizes{1, 1, 1, 2}, Sizes{3, 5, 1, 1}, Sizes{2, 3, 2, 2},
                          Sizes{1, 2, 7, 9}, Sizes{4, 3, 5, 13}, Sizes{2, 2, 8, 8}, Sizes{1, 1, 19, 17}})
        for (const double eps : {0.0, 1e-3, 2.0}) {
            test_values<T>(s, 1, 0, eps);
            test_values<T>(s, 10, 1e4, eps);
        }
    test_values<T>({2, 2, 6, 6}, 1e-3, 1e3, 1e-5);
    test_a_constant_channel<T>();
    test_not_finite_values_stay_in_their_channel<T>();
    test_results_do_not_depend_on_the_thread_count<T>();
    test_empty<T>();
    test_errors<T>();
}

int main() {
    test_type<float>();
    test_type<double>();
    test_the_constant_channel_is_the_limit();
    return failures() != 0;
}
