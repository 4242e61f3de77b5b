// c_api/th/math/vector_math.h: functions without branches, so that a loop over them becomes vector code.
//
// Within 4 units in the last place of the exact value over the whole range; infinities, NaN and signed zeros as the C
// library's. Constants: Taylor and minimax polynomials, Cody and Waite's split of pi/2 and log(2).
#pragma once

#include "th/runtime/isa.h"

#include <cmath>
#include <cstdint>

namespace th {
namespace TH_ISA {
namespace vector_math {

template <typename T> struct Format;
template <> struct Format<float> {
    using Bits = int32_t;
    static constexpr int fraction = 23, bias = 127;
    static constexpr float rounder = 0x1.8p23f;  // adding it leaves an integer in the low bits
    static constexpr float ln2_high = 0x1.62e4p-1f, ln2_low = 1.42860677e-6f;
    static constexpr float exp_low = -110, exp_high = 100;
    static constexpr float tiny = 0x1p-126f, huge = 88;
    static constexpr Bits sqrt_half = 0x3f3504f3;
    static constexpr int exp_terms = 8, log_terms = 5, sin_terms = 5, cos_terms = 5, asin_terms = 5, atan_terms = 5;
    static constexpr float asin[] = {0.16666672415f, 0.074988550726f, 0.04500138007f, 0.026554542206f, 0.038085023561f};
    static constexpr float atan[] = {-0.33333331743f, 0.19999536271f, -0.14263809829f, 0.10742157916f,
                                     -0.064467194621f};
    static constexpr int erf_terms = 8, erfc_terms = 9;
    static constexpr float erfc_limit = 4.1f;
    static constexpr float erf[] = {0.12837916706f, -0.37612638468f,  0.11283782495f,    -0.026865430728f,
                                    0.0052210318079f, -0.00084840804055f, 0.00011265959026f, -9.6670445715e-6f};
    static constexpr float log_erfc[] = {0.00029793746218f, -1.1301414604f,   -0.6319870659f,
                                         -0.10992448102f,   0.026330274603f,  -0.0047267249769f,
                                         0.00058959892853f, -4.5181017044e-5f, 1.591706218e-6f};
    static constexpr int pi_parts = 5;
    static constexpr float half_pi[] = {1.5703125f, 0.0004837512969970703125f, 7.549533620476722717285156e-8f,
                                        2.563282919254561420530081e-12f, 6.12323399573676588615786e-17f};
};
template <> struct Format<double> {
    using Bits = int64_t;
    static constexpr int fraction = 52, bias = 1023;
    static constexpr double rounder = 0x1.8p52;
    static constexpr double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;
    static constexpr double exp_low = -760, exp_high = 720;
    static constexpr double tiny = 0x1p-1022, huge = 709;
    static constexpr Bits sqrt_half = 0x3fe6a09e667f3bcd;
    static constexpr int exp_terms = 14, log_terms = 11, sin_terms = 9, cos_terms = 9, asin_terms = 12, atan_terms = 11;
    static constexpr double asin[] = {0.16666666666666648628,  0.075000000000207643609, 0.044642857103423643363,
                                      0.030381947367098481126, 0.022372047631744510379, 0.017355259955786321748,
                                      0.013929652902326633248, 0.0118754943826369232,   0.0078029494773533171436,
                                      0.016035514349148823079, -0.010749050339697807562, 0.028169218060881412899};
    static constexpr double atan[] = {-0.33333333333333330078, 0.19999999999995416787,  -0.14285714284644895688,
                                      0.1111111101351738264,   -0.09090904507553840871, 0.076921815534322914662,
                                      -0.06664488411798738333, 0.058579490516514061461, -0.050844051701967322977,
                                      0.039201518733558918057, -0.019140021905694566193};
    static constexpr int erf_terms = 14, erfc_terms = 24;
    static constexpr double erfc_limit = 6;
    static constexpr double erf[] = {0.12837916709551257389,   -0.37612638903183752379,  0.11283791670955120236,
                                     -0.026866170645129840806, 0.0052239776254232983087, -0.00085483270219348295955,
                                     0.0001205533290288873541, -0.000014925647567519332125, 1.6462045441468418937e-6,
                                     -1.6364642158167615302e-7, 1.4792401209404813002e-8, -1.2164560057283450081e-9,
                                     8.7090451290531066896e-11, -4.2309458242953378173e-12};
    static constexpr double log_erfc[] = {
        -5.4420519639835731479e-8,   -1.1283787825197156201,     -0.63662069656578288814,   -0.10277298786463396026,
        0.01913699312687303887,      0.00018134612945957766287,  -0.0016410725055028397807, 0.00051157462023776129189,
        0.00005998816320250677436,   -0.00013878978515156761563, 0.00008134663117117000254, -0.000032234006328634682427,
        9.8850423158078301331e-6,    -2.4528461185382079467e-6,  5.0087178979202340437e-7,  -8.4540710200482979769e-8,
        1.1757498115750717004e-8,    -1.3348440700984946554e-9,  1.2176913893331286475e-10, -8.710329646313464537e-12,
        4.7047545715287625974e-13,   -1.8036814202772949336e-14, 4.3727306574646265972e-16, -5.0381750908202161481e-18};
    static constexpr int pi_parts = 3;
    static constexpr double half_pi[] = {1.57079632673412561416625976563, 6.07710050630396597659554913662e-11,
                                         2.0222662487959510076993365245e-21};
};

template <typename T> static inline typename Format<T>::Bits bits_of(T x) {
    return __builtin_bit_cast(typename Format<T>::Bits, x);
}
template <typename T> static inline T from_bits(typename Format<T>::Bits bits) { return __builtin_bit_cast(T, bits); }

// AVX2 has neither the arithmetic shift of 64 bits nor their conversion to double, and one of them would keep a whole
// loop from being a loop of vectors: the logical shift and the bits of a sum do the same for these numbers.
template <typename Bits> static inline Bits shift_right(Bits n, int by) {  // n >= -2^62
    if constexpr (sizeof n == 4) return n >> by;
    constexpr uint64_t offset = uint64_t(1) << 62;
    return Bits((uint64_t(n) + offset) >> by) - Bits(offset >> by);
}
template <typename T> static inline T number(typename Format<T>::Bits n) {  // |n| < 2^51
    if constexpr (sizeof n == 4) return T(n);
    return from_bits<T>(bits_of(Format<T>::rounder) + n) - Format<T>::rounder;
}

template <typename T> static inline T magnitude(T x) { return std::fabs(x); }
template <typename T> static inline T with_sign(T x, T sign) { return std::copysign(x, sign); }

// c[0] + c[1] x + ... The loop has a constant length and is unrolled.
template <int n, typename T> static inline T polynomial(const T *c, T x) {
    T sum = c[n - 1];
#pragma GCC unroll 32
    for (int i = n - 2; i >= 0; i--) sum = sum * x + c[i];
    return sum;
}

// Coefficients of Taylor series: 1 / first!, 1 / (first + step)! ..., and 2/3, 2/5, 2/7 ...
template <typename T, int n> struct Coefficients {
    T c[n];
};
template <typename T, int n> constexpr Coefficients<T, n> inverse_factorials(int first, int step, bool alternate) {
    Coefficients<T, n> result{};
    double factorial = 1;
    int k = 1;
    for (int i = 0; i < n; i++) {
        for (; k <= first + i * step; k++) factorial *= k;
        result.c[i] = T((alternate && i % 2 ? -1 : 1) / factorial);
    }
    return result;
}
template <typename T, int n> constexpr Coefficients<T, n> log_series() {
    Coefficients<T, n> result{};
    for (int i = 0; i < n; i++) result.c[i] = T(2.0 / (2 * i + 3));
    return result;
}

// x = k log(2) + r; k is also given as an integer.
template <typename T> static inline T reduce_exp(T x, T &k, typename Format<T>::Bits &integer) {
    using F = Format<T>;
    const T shifted = x * T(1.44269504088896340736) + F::rounder;
    integer = bits_of(shifted) - bits_of(F::rounder);
    k = shifted - F::rounder;
    return (x - k * F::ln2_high) - k * F::ln2_low;
}

template <typename T> static inline T exp(T x) {
    using F = Format<T>;
    constexpr auto series = inverse_factorials<T, F::exp_terms>(0, 1, false);
    x = x < F::exp_low ? F::exp_low : x > F::exp_high ? F::exp_high : x;
    T k;
    typename F::Bits n;
    const T r = reduce_exp(x, k, n), y = polynomial<F::exp_terms>(series.c, r);
    // In two factors, each of them a normal number.
    const auto half = shift_right(n, 1);
    return y * from_bits<T>((half + F::bias) << F::fraction) * from_bits<T>((n - half + F::bias) << F::fraction);
}

// 2^k (e^r - 1) + 2^k - 1, halved on the way so that 2^k itself need not fit.
template <typename T> static inline T expm1(T x) {
    using F = Format<T>;
    constexpr auto series = inverse_factorials<T, F::exp_terms>(1, 1, false);
    const T limited = x < -40 ? T(-40) : x > F::exp_high ? F::exp_high : x;
    T k;
    typename F::Bits n;
    const T r = reduce_exp(limited, k, n), p = r * polynomial<F::exp_terms>(series.c, r);
    const T half = from_bits<T>((n - 1 + F::bias) << F::fraction);
    const T result = 2 * (half * p + (half - T(0.5)));
    return with_sign(x > F::huge + 1 ? T(INFINITY) : result, x);
}

// log(x) = k log(2) + log(1 + f), for x > 0.
template <typename T> struct LogParts {
    T k, f, correction;  // log(1 + f) = f - correction
};
template <typename T> static inline LogParts<T> log_parts(T x) {
    using F = Format<T>;
    constexpr auto series = log_series<T, F::log_terms>();
    const bool denormal = x < F::tiny;
    const T scaled = denormal ? x * from_bits<T>(typename F::Bits(F::bias + F::fraction + 2) << F::fraction) : x;
    const auto k = shift_right(bits_of(scaled) - F::sqrt_half, F::fraction);
    const T f = from_bits<T>(bits_of(scaled) - (k << F::fraction)) - 1;
    const T s = f / (2 + f), z = s * s, half_square = f * f * T(0.5);
    const T r = z * polynomial<F::log_terms>(series.c, z);
    return {number<T>(k) - (denormal ? T(F::fraction + 2) : T(0)), f, half_square - s * (half_square + r)};
}

// The values that the parts do not give: log(0), log of negative numbers, infinity, NaN.
template <typename T> static inline T log_limits(T x, T result) {
    result = x == T(INFINITY) || x != x ? x : result;
    result = x == 0 ? T(-INFINITY) : result;
    return x < 0 ? T(NAN) : result;
}

template <typename T> static inline T log(T x) {
    const LogParts<T> p = log_parts(x);
    return log_limits(x, p.k * Format<T>::ln2_high - ((p.correction - p.k * Format<T>::ln2_low) - p.f));
}

template <typename T> static inline T log2(T x) {
    const LogParts<T> p = log_parts(x);
    return log_limits(x, p.k + (p.f - p.correction) * T(1.44269504088896340736));
}

// What 1 + x loses to rounding is put back.
template <typename T> static inline T log1p(T x) {
    const T u = 1 + x;
    const T result = log(u) + (x - (u - 1)) / u;
    return x == T(INFINITY) ? x : x == -1 ? T(-INFINITY) : x == 0 ? x : result;
}

template <typename T> static inline T tanh(T x) {
    const T a = magnitude(x), limited = a > T(22) ? T(22) : a, e = expm1(2 * limited);
    return x != x ? x : with_sign(e / (e + 2), x);
}

template <typename T> static inline T sinh(T x) {
    const T a = magnitude(x), e = expm1(a), half = exp(a * T(0.5));
    return with_sign(a > 20 ? T(0.5) * half * half : T(0.5) * (e + e / (e + 1)), x);
}

template <typename T> static inline T cosh(T x) {
    const T a = magnitude(x), e = exp(a), half = exp(a * T(0.5));
    return a > 20 ? T(0.5) * half * half : T(0.5) * e + T(0.5) / e;
}

// Beyond it the split of pi/2 is not long enough.
template <typename T> constexpr T trigonometric_limit = sizeof(T) == 4 ? T(8192) : T(500000);

// x = n pi/2 + r with |r| <= pi/4; sin(r), cos(r), and the low bits of n.
template <typename T> static inline typename Format<T>::Bits sin_cos(T x, T &sin, T &cos) {
    using F = Format<T>;
    constexpr auto sin_series = inverse_factorials<T, F::sin_terms>(3, 2, true);
    constexpr auto cos_series = inverse_factorials<T, F::cos_terms>(2, 2, true);
    const T shifted = x * T(0.63661977236758134308) + F::rounder, n = shifted - F::rounder;
    T r = x;
#pragma GCC unroll 8
    for (int i = 0; i < F::pi_parts; i++) r -= n * F::half_pi[i];
    const T z = r * r;
    sin = r - r * z * polynomial<F::sin_terms>(sin_series.c, z);
    cos = 1 - z * polynomial<F::cos_terms>(cos_series.c, z);
    return bits_of(shifted) - bits_of(F::rounder);
}

template <typename T> static inline T sin(T x) {
    T s, c;
    const auto n = sin_cos(x, s, c);
    const T y = n & 1 ? c : s;
    return n & 2 ? -y : y;
}

template <typename T> static inline T cos(T x) {
    T s, c;
    const auto n = sin_cos(x, s, c);
    const T y = n & 1 ? s : c;
    return (n + 1) & 2 ? -y : y;
}

template <typename T> static inline T tan(T x) {
    T s, c;
    const auto n = sin_cos(x, s, c);
    return n & 1 ? -c / s : s / c;
}

// asin(x) for |x| <= 1/2 by polynomial; elsewhere pi/2 - 2 asin(sqrt((1 - |x|) / 2)).
template <typename T> static inline T asin_core(T a, bool &upper) {
    upper = a > T(0.5);
    const T z = upper ? (1 - a) * T(0.5) : a * a, s = upper ? std::sqrt(z) : a;
    return s + s * z * polynomial<Format<T>::asin_terms>(Format<T>::asin, z);
}

template <typename T> static inline T asin(T x) {
    bool upper;
    const T core = asin_core(magnitude(x), upper);
    return with_sign(upper ? T(1.57079632679489661923) - 2 * core : core, x);
}

template <typename T> static inline T acos(T x) {
    bool upper;
    const T core = asin_core(magnitude(x), upper);
    const T direct = T(1.57079632679489661923) - with_sign(core, x);
    return upper ? (x < 0 ? T(3.14159265358979323846) - 2 * core : 2 * core) : direct;
}

// atan(b) for 0 <= b <= 1: to [0, tan(pi/8)] by a turn of pi/4.
template <typename T> static inline T atan_core(T b) {
    const bool turned = b > T(0.41421356237309504880);
    const T t = turned ? (b - 1) / (b + 1) : b, z = t * t;
    const T core = t + t * z * polynomial<Format<T>::atan_terms>(Format<T>::atan, z);
    return turned ? T(0.78539816339744830962) + core : core;
}

template <typename T> static inline T atan(T x) {
    const T a = magnitude(x);
    const bool inverted = a > 1;
    const T angle = atan_core(inverted ? 1 / a : a);
    return with_sign(inverted ? T(1.57079632679489661923) - angle : angle, x);
}

template <typename T> static inline T atan2(T y, T x) {
    const T a = magnitude(y), b = magnitude(x), small = a < b ? a : b, large = a < b ? b : a;
    T ratio = small / large;
    ratio = large == 0 ? T(0) : ratio;
    ratio = small == T(INFINITY) ? T(1) : ratio;
    const T core = atan_core(ratio), angle = a > b ? T(1.57079632679489661923) - core : core;
    const T full = std::signbit(x) ? T(3.14159265358979323846) - angle : angle;
    return x != x || y != y ? T(NAN) : with_sign(full, y);
}

// By x below 1; above it 1 - exp(log(erfc(x))), the logarithm by polynomial.
template <typename T> static inline T erf(T x) {
    using F = Format<T>;
    const T a = magnitude(x), z = x * x, limited = a > F::erfc_limit ? F::erfc_limit : a;
    const T small = x + x * polynomial<F::erf_terms>(F::erf, z);
    const T large = 1 - exp(polynomial<F::erfc_terms>(F::log_erfc, limited));
    return a < 1 ? small : with_sign(x != x ? x : large, x);
}

// x^y for finite x > 0 by way of double, whose digits outweigh what the exponential magnifies.
static inline float positive_pow(float x, float y) { return float(exp(double(y) * log(double(x)))); }

// Halves away from zero.
template <typename T> static inline T round(T x) {
    const T whole = std::trunc(x);
    return with_sign(magnitude(x - whole) >= T(0.5) ? magnitude(whole) + 1 : magnitude(whole), x);
}

static inline float lgamma(float x) {
    int sign;
    return lgammaf_r(x, &sign);
}
static inline double lgamma(double x) {
    int sign;
    return lgamma_r(x, &sign);
}

}  // namespace vector_math
}  // namespace TH_ISA
}  // namespace th
