// tests/operators/test_activations.cpp: sigmoid, tanh and ELU to 3 ulp, as scalars and through the vectors of each CPU
// path.
#include "../support/check.h"

#include "lltm/activations.h"

#include <algorithm>

namespace math = my_lib::math;

typedef float Vector __attribute__((vector_size(16)));

// The error of `got` in units of the last place of `exact`; where that is below the smallest normal number, only an
// error above that number counts.
template <typename T> static long double ulps(T got, long double exact) {
    if (std::isnan(got) || std::isnan(exact)) return std::isnan(got) && std::isnan(exact) ? 0 : 1e9L;
    if (std::isinf(got)) return static_cast<long double>(got) == exact ? 0 : 1e9L;
    using limits = std::numeric_limits<T>;
    const long double error = std::fabs(static_cast<long double>(got) - exact);
    if (std::fabs(exact) < limits::min()) return error / limits::min();
    return error / std::ldexp(1.0L, std::ilogb(exact) + 1 - limits::digits);
}

static long double exact_sigmoid(long double x) { return 1 / (1 + std::exp(-x)); }
static long double exact_tanh(long double x) { return std::tanh(x); }
static long double exact_elu(long double x) { return x > 0 ? x : std::expm1(x); }

// From tiny to huge, both signs, denser where the curves bend, and the special values.
template <typename T> static std::vector<T> samples() {
    std::vector<T> x = {T(0), -T(0)};
    using limits = std::numeric_limits<T>;
    for (const T special :
         {limits::infinity(), limits::quiet_NaN(), limits::max(), limits::min(), limits::denorm_min()})
        x.push_back(special), x.push_back(-special);
    for (int exponent = -60; exponent <= 12; ++exponent)
        for (int i = 0; i < 96; ++i) {
            const T value = static_cast<T>(std::ldexp(1 + i / 96.0 + i * 1e-5, exponent));
            x.push_back(value), x.push_back(-value);
        }
    for (int i = -24000; i <= 24000; ++i) x.push_back(static_cast<T>(i * 0.0041));
    return x;
}

template <typename T> static void test_scalar() {
    struct Case {
        const char *name;
        T (*function)(T);
        long double (*exact)(long double);
    };
    const Case cases[] = {{"sigmoid", [](T x) { return math::sigmoid(x); }, exact_sigmoid},
                          {"tanh", [](T x) { return math::tanh(x); }, exact_tanh},
                          {"elu", [](T x) { return math::elu(x); }, exact_elu}};
    for (const Case &c : cases) {
        long double worst = 0;
        for (const T x : samples<T>()) worst = std::max(worst, ulps(c.function(x), c.exact(x)));
        std::printf("%s<%s>: %.2Lf ulp\n", c.name, sizeof(T) == 4 ? "float" : "double", worst);
        CHECK(worst <= 3);
    }
    CHECK(math::sigmoid(std::numeric_limits<T>::infinity()) == 1);
    CHECK(math::sigmoid(-std::numeric_limits<T>::infinity()) == 0);
    CHECK(math::tanh(-std::numeric_limits<T>::infinity()) == -1);
    CHECK(math::elu(-std::numeric_limits<T>::infinity()) == -1);
    CHECK(std::signbit(math::tanh(-T(0))));
}

static void test_vector_equals_scalar() {
    const std::vector<float> x = samples<float>();
    for (size_t i = 0; i + 4 <= x.size(); i += 4) {
        Vector v;
        std::memcpy(&v, &x[i], sizeof v);
        const Vector results[] = {math::sigmoid(v), math::tanh(v), math::elu(v)};
        for (int lane = 0; lane < 4; ++lane) {
            const float scalars[] = {math::sigmoid(x[i + lane]), math::tanh(x[i + lane]), math::elu(x[i + lane])};
            for (int f = 0; f < 3; ++f) {
                const float got = results[f][lane];
                CHECK(std::isnan(got) ? std::isnan(scalars[f]) : std::memcmp(&got, &scalars[f], sizeof got) == 0);
            }
        }
    }
}

// A cell without weights: gates are the activations of bias; with a candidate of 0 and an open output gate new_h is
// tanh(old_cell).
template <typename T> static void test_cpu_path() {
    const std::vector<T> all = samples<T>();
    const int64_t n = 96;
    const std::vector<T> weights(3 * n * n), zeros(n);
    std::vector<T> h(n), cell(n), gates(3 * n);
    std::vector<char> workspace(FOR_TYPE(T, lltm_forward_workspace_size)(1, 0, n));
    long double worst[3] = {};
    for (size_t first = 0; first + n <= all.size(); first += n) {
        const T *x = &all[first];
        std::vector<T> bias(3 * n, T(0));
        std::copy(x, x + n, bias.begin());
        std::fill(bias.begin() + n, bias.begin() + 2 * n, T(1000));
        CHECK(FOR_TYPE(T, lltm_forward)(nullptr, weights.data(), bias.data(), zeros.data(), x, 1, 0, n, h.data(),
                                        cell.data(), gates.data(), workspace.data(), workspace.size()));
        for (int64_t i = 0; i < n; ++i) {
            worst[0] = std::max(worst[0], ulps(gates[i], exact_sigmoid(x[i])));
            worst[1] = std::max(worst[1], ulps(h[i], exact_tanh(x[i])));
        }
        std::copy(x, x + n, bias.begin() + 2 * n);
        CHECK(FOR_TYPE(T, lltm_forward)(nullptr, weights.data(), bias.data(), zeros.data(), zeros.data(), 1, 0, n,
                                        h.data(), cell.data(), gates.data(), workspace.data(), workspace.size()));
        for (int64_t i = 0; i < n; ++i) worst[2] = std::max(worst[2], ulps(gates[2 * n + i], exact_elu(x[i])));
    }
    std::printf("%s: sigmoid %.2Lf, tanh %.2Lf, elu %.2Lf ulp\n", my_lib_build_info(), worst[0], worst[1], worst[2]);
    for (const long double error : worst) CHECK(error <= 3);
}

int main() {
    test_scalar<float>();
    test_scalar<double>();
    test_vector_equals_scalar();
    test_cpu_path<float>();
    test_cpu_path<double>();
    return failures() != 0;
}
