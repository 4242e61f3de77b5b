// c_api/my_lib/lltm/activations.h: sigmoid, tanh and ELU from one polynomial expm1, at most 3 ulp from the exact value.
//
// V is float, double or a GCC/Clang vector of them; a CUDA compiler takes the scalar forms. NaN gives NaN, infinities
// give the limits. Results below the smallest normal number may be off by more than 3 ulp. The accuracy holds only
// without -ffast-math, which would reorder the reduction and the "+ (scale - 1)" of expm1. Products are written
// a * b + c: a compiler fuses them where the CPU can, and a call to fma() where it cannot would cost more than it buys.
#pragma once

#include "runtime/device_function.h"

#include <cstdint>

namespace my_lib {
namespace math {

// What expm1 needs to know about an element type.
template <typename T> struct constants;

template <> struct constants<float> {
    using bits = uint32_t;
    static constexpr int mantissa_bits = 23;
    // Adding and subtracting 1.5 * 2^mantissa_bits rounds to an integer, which the low bits of the sum then hold.
    static constexpr float rounder = 12582912.0f;
    // ln 2 in two parts; the first has so few bits that its product with an exponent is exact.
    static constexpr float ln2_high = 0.693359375f, ln2_low = -2.12194440e-4f;
    // Beyond these expm1 is -1, and exp overflows.
    static constexpr float lowest = -80.0f, highest = 89.0f;
    // expm1(r) = r + r^2 q(r) for |r| <= ln(2) / 2, relative error 2^-26 (minimax).
    static constexpr int degree = 4;
    MY_LIB_MATH constexpr float coefficient(int i) {
        constexpr float q[] = {0.49999998149577566f, 0.16666543424445384f, 0.041667200730433015f,
                               0.0083665471194146427f, 0.0013882515212956580f};
        return q[i];
    }
};

template <> struct constants<double> {
    using bits = uint64_t;
    static constexpr int mantissa_bits = 52;
    static constexpr double rounder = 6755399441055744.0;
    static constexpr double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;
    static constexpr double lowest = -700.0, highest = 710.0;
    // Relative error 2^-60 (interpolated at Chebyshev's nodes).
    static constexpr int degree = 10;
    MY_LIB_MATH constexpr double coefficient(int i) {
        constexpr double q[] = {0.5,
                                0.1666666666666667101,
                                0.04166666666666666977,
                                0.008333333333326112053,
                                0.001388888888888373183,
                                0.0001984126987490125923,
                                0.00002480158732560532278,
                                2.755725529796964439e-6,
                                2.755727357010213967e-7,
                                2.510525953844849342e-8,
                                2.091471734171637595e-9};
        return q[i];
    }
};

// The element type of V, and the unsigned integer of V's shape.
template <typename V> struct lanes_of {
    template <typename U> struct plain { using type = U; };
    template <typename U> struct plain<U &> { using type = U; };
    template <typename U> struct plain<U &&> { using type = U; };  // clang
    using element = typename plain<decltype(V{}[0])>::type;
    typedef typename constants<element>::bits bits __attribute__((vector_size(sizeof(V))));
};
template <> struct lanes_of<float> { using element = float; using bits = uint32_t; };
template <> struct lanes_of<double> { using element = double; using bits = uint64_t; };

template <typename To, typename From> MY_LIB_MATH To bit_cast(From from) {
    static_assert(sizeof(To) == sizeof(From), "a bit pattern keeps its size");
    To to;
    __builtin_memcpy(&to, &from, sizeof to);
    return to;
}

// e^x = scale * (1 + fraction), with half = scale / 2 because scale itself may be 2^128 where e^x is still finite.
template <typename V> struct reduced_exp { V fraction, half; };

// x must not exceed constants::highest, nor fall below constants::lowest; NaN may come.
template <typename V> MY_LIB_MATH reduced_exp<V> reduce_exp(V x) {
    using T = typename lanes_of<V>::element;
    using B = typename lanes_of<V>::bits;
    using C = constants<T>;
    const V shifted = x * T(1.44269504088896340736) + C::rounder;
    const V exponent = shifted - C::rounder;
    const V r = x - exponent * C::ln2_high - exponent * C::ln2_low;
    V q = r * C::coefficient(C::degree) + C::coefficient(C::degree - 1);
#if defined(__CUDA_ARCH__)
#pragma unroll
#elif !defined(__CUDACC__)
#pragma GCC unroll 16
#endif
    for (int i = C::degree - 2; i >= 0; --i) q = q * r + C::coefficient(i);
    // The exponent field of 0.5 plus the integer in the low bits of `shifted`.
    const B half = (bit_cast<B>(shifted) << C::mantissa_bits) + bit_cast<B>(V{} + T(0.5));
    return {r * r * q + r, bit_cast<V>(half)};
}

// e^x - 1 for x <= 0, without cancellation near 0.
template <typename V> MY_LIB_MATH V expm1_nonpositive(V x) {
    using T = typename lanes_of<V>::element;
    const V lowest = V{} + constants<T>::lowest;
    const reduced_exp<V> e = reduce_exp<V>(x < lowest ? lowest : x);
    const V scale = e.half + e.half;
    return scale * e.fraction + (scale - T(1));
}

// 1 / (1 + e^-x)
template <typename V> MY_LIB_MATH V sigmoid(V x) {
    using T = typename lanes_of<V>::element;
    const V lowest = V{} + constants<T>::lowest, highest = V{} + constants<T>::highest;
    V y = -x;
    y = y < lowest ? lowest : y;
    y = y > highest ? highest : y;
    const reduced_exp<V> e = reduce_exp<V>(y);
    return T(1) / ((e.fraction * T(2) + T(2)) * e.half + T(1));
}

// With e = e^(-2|x|) - 1: tanh |x| = -e / (2 + e).
template <typename V> MY_LIB_MATH V tanh(V x) {
    using T = typename lanes_of<V>::element;
    using B = typename lanes_of<V>::bits;
    const B sign = bit_cast<B>(x) & bit_cast<B>(-V{});
    const V magnitude = bit_cast<V>(bit_cast<B>(x) ^ sign);
    const V e = expm1_nonpositive<V>(magnitude * T(-2));
    return bit_cast<V>(bit_cast<B>((V{} - e) / (e + T(2))) ^ sign);
}

// x > 0 ? x : e^x - 1
template <typename V> MY_LIB_MATH V elu(V x) {
    return x > V{} ? x : expm1_nonpositive<V>(x);
}

}  // namespace math
}  // namespace my_lib
