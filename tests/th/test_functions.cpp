// tests/th/test_functions.cpp: functions of one number against long double, over their ranges and at the edges.
#include "expect.h"

#include <limits>

namespace {

template <typename T> struct Of;
#define TYPE(Real, real)                                                                                               \
    template <> struct Of<real> {                                                                                      \
        using Tensor = TH##Real##Tensor;                                                                               \
        static Tensor *make(int64_t n) { return TH##Real##Tensor_newWithSize1d(n); }                                   \
        static real *data(Tensor *t) { return TH##Real##Tensor_data(t); }                                              \
        static void release(Tensor *t) { TH##Real##Tensor_free(t); }                                                   \
    };
TYPE(Float, float)
TYPE(Double, double)

// Units in the last place between got and want.
template <typename T> double ulps(T got, long double want) {
    const T rounded = T(want);
    if (got == rounded || (std::isnan(got) && std::isnan(rounded))) return 0;
    if (!std::isfinite(got) || !std::isfinite(rounded)) return INFINITY;
    const T size = std::fabs(rounded);
    const T unit = std::fmax(std::nextafter(size, T(INFINITY)) - size, std::numeric_limits<T>::denorm_min());
    return double(std::fabs((long double)got - want) / unit);
}

template <typename T, typename Function, typename Reference>
void check(const char *name, Function function, Reference reference, double low, double high, double most) {
    constexpr int n = 20000;
    auto *x = Of<T>::make(n), *r = Of<T>::make(1);
    T *values = Of<T>::data(x);
    const T edges[] = {T(0), T(-0.0), T(1), T(-1), T(INFINITY), T(-INFINITY), T(NAN), std::numeric_limits<T>::min(),
                       std::numeric_limits<T>::denorm_min(), std::numeric_limits<T>::max(), T(0.5), T(2), T(-3)};
    for (int i = 0; i < n; i++) values[i] = T(low + (high - low) * i / n);
    for (int i = 0; i < 4000; i++) values[i] *= T(std::pow(10.0, -0.005 * i));
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) values[n - 1 - int(i)] = edges[i];
    function(r, x);
    double worst = 0;
    for (int i = 0; i < n; i++) {
        const double off = ulps(Of<T>::data(r)[i], reference((long double)values[i]));
        if (off > worst) worst = off;
        if (off > most) {
            fprintf(stderr, "%s<%zu>(%g) = %g, off by %g ulps\n", name, sizeof(T), double(values[i]),
                    double(Of<T>::data(r)[i]), off);
            failures++;
            break;
        }
    }
    // Strided, and in place.
    auto *first = Of<T>::make(n);
    memcpy(Of<T>::data(first), Of<T>::data(r), n * sizeof(T));
    function(x, x);
    EXPECT(!memcmp(Of<T>::data(x), Of<T>::data(first), n * sizeof(T)));
    printf("%-10s %zu bits: %.2f ulps\n", name, 8 * sizeof(T), worst);
    Of<T>::release(first);
    Of<T>::release(x);
    Of<T>::release(r);
}

// By differences of log-gamma's series: the recurrence up to 40, then Stirling.
long double digamma(long double x) {
    if (std::isnan(x) || x == -INFINITY) return NAN;
    if (x == INFINITY) return x;
    if (x == 0) return std::signbit(x) ? INFINITY : -INFINITY;
    if (x < 0 && x == floorl(x)) return NAN;
    if (x < 0) return digamma(1 - x) - M_PIl / tanl(M_PIl * (x - floorl(x)));
    long double r = 0;
    for (; x < 40; x++) r -= 1 / x;
    const long double z = 1 / (x * x);
    return r + logl(x) - 0.5L / x - z * (1.0L / 12 - z * (1.0L / 120 - z * (1.0L / 252 - z / 240)));
}

long double trigamma(long double x) {
    if (std::isnan(x)) return x;
    if (x == INFINITY) return 0;
    if (x <= 0 && x == floorl(x)) return INFINITY;
    if (x < 0) {
        const long double s = sinl(M_PIl * (x - floorl(x)));
        return M_PIl * M_PIl / (s * s) - trigamma(1 - x);
    }
    long double r = 0;
    for (; x < 40; x++) r += 1 / (x * x);
    const long double z = 1 / (x * x);
    return r + (1 + 0.5L / x + z * (1.0L / 6 - z * (1.0L / 30 - z * (1.0L / 42 - z / 30)))) / x;
}

#define FUNCTION(name, reference, low, high, most)                                                                     \
    check<float>(#name, THFloatTensor_##name, reference, low, high, most);                                             \
    check<double>(#name, THDoubleTensor_##name, reference, low, high, most);
#define LONG(name) [](long double x) { return name##l(x); }

template <typename T> void powers() {
    const double exponents[] = {0, 0.3, -1.7, 1, 2, 3, 0.5, -0.5, -1, -2, 7, 100};
    for (double e : exponents)
        check<T>(
            "pow", [e](auto *r, auto *x) {
                if constexpr (sizeof(T) == 4)
                    THFloatTensor_pow(r, x, T(e));
                else
                    THDoubleTensor_pow(r, x, e);
            },
            [e](long double x) {  // square roots as sqrt has them, not as pow
                return e == 0.5 ? sqrtl(x) : e == -0.5 ? 1 / sqrtl(x) : powl(x, (long double)T(e));
            },
            0, 40, 4);
}

void polygammas() {
    THDoubleTensor *x = tensor({3}, {0.5, 2, 9}), *a = THDoubleTensor_new(), *b = THDoubleTensor_new();
    THDoubleTensor_polygamma(a, 0, x);
    THDoubleTensor_digamma(b, x);
    EXPECT(THDoubleTensor_equal(a, b));
    THDoubleTensor_polygamma(a, 1, x);
    THDoubleTensor_trigamma(b, x);
    EXPECT(THDoubleTensor_equal(a, b));
    EXPECT(raised([&] { THDoubleTensor_polygamma(a, 2, x); }) == "0: polygamma(n,x) is not implemented for n>=2");
    THDoubleTensor_free(x), THDoubleTensor_free(a), THDoubleTensor_free(b);
}

void atan2_everywhere() {
    const double values[] = {0, -0.0, 1, -1, 3, -0.2, INFINITY, -INFINITY, NAN, 1e-310, 1e300};
    for (double y : values)
        for (double x : values) {
            THDoubleTensor *a = tensor({1}, {y}), *b = tensor({1}, {x}), *r = THDoubleTensor_new();
            THDoubleTensor_atan2(r, a, b);
            EXPECT(ulps(THDoubleTensor_get1d(r, 0), atan2l(y, x)) <= 4);
            EXPECT(std::isnan(x) || std::isnan(y) || std::signbit(THDoubleTensor_get1d(r, 0)) == std::signbit(y));
            THDoubleTensor_free(a), THDoubleTensor_free(b), THDoubleTensor_free(r);
        }
}

}  // namespace

int main() {
    catch_errors();
    FUNCTION(exp, LONG(exp), -110, 100, 2)
    FUNCTION(expm1, LONG(expm1), -50, 50, 4)
    FUNCTION(log, LONG(log), 0, 5, 2)
    FUNCTION(log1p, LONG(log1p), -1, 5, 3)
    FUNCTION(log2, LONG(log2), 0, 5, 3)
    FUNCTION(log10, LONG(log10), 0, 5, 3)
    FUNCTION(sqrt, LONG(sqrt), 0, 9, 1)
    FUNCTION(rsqrt, [](long double x) { return 1 / sqrtl(x); }, 0, 9, 2)
    FUNCTION(sigmoid, [](long double x) { return 1 / (1 + expl(-x)); }, -80, 80, 4)
    FUNCTION(tanh, LONG(tanh), -12, 12, 4)
    FUNCTION(sinh, LONG(sinh), -80, 80, 4)
    FUNCTION(cosh, LONG(cosh), -80, 80, 4)
    FUNCTION(sin, LONG(sin), -30, 30, 3)
    FUNCTION(cos, LONG(cos), -30, 30, 3)
    FUNCTION(tan, LONG(tan), -30, 30, 4)
    FUNCTION(asin, LONG(asin), -1.1, 1.1, 4)
    FUNCTION(acos, LONG(acos), -1.1, 1.1, 4)
    FUNCTION(atan, LONG(atan), -9, 9, 4)
    FUNCTION(erf, LONG(erf), -7, 7, 3)
    FUNCTION(round, LONG(round), -9, 9, 0)
    FUNCTION(trunc, LONG(trunc), -9, 9, 0)
    FUNCTION(digamma, digamma, 0.01, 40, 100)  // near its zero at 1.46 only the absolute error is small
    FUNCTION(trigamma, trigamma, 0.01, 40, 8)
    powers<float>();
    powers<double>();
    polygammas();
    atan2_everywhere();
    return failures != 0;
}
