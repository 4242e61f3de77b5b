// cuda_on_cpu/float_bits.h: the bits of a float, and those of IEEE's binary16, which rounds to nearest even.
#pragma once

#include <cstring>

namespace cuda_on_cpu {

inline float from_bits(unsigned bits) {
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}
inline unsigned to_bits(float value) {
    unsigned bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

inline float half_to_float(unsigned short bits) {
    const unsigned sign = (bits & 0x8000u) << 16, exponent = bits >> 10 & 31, fraction = bits & 0x3ffu;
    if (exponent == 31) return from_bits(sign | 0x7f800000u | fraction << 13);
    if (exponent) return from_bits(sign | (exponent + 112) << 23 | fraction << 13);
    const float value = float(fraction) * 0x1p-24f;
    return sign ? -value : value;
}
inline unsigned short float_to_half(float value) {
    const unsigned bits = to_bits(value), sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return static_cast<unsigned short>(0x7fff);
    if (magnitude >= 0x477ff000u) return static_cast<unsigned short>(sign | 0x7c00u);  // rounds to more than 65504
    if (magnitude < 0x38800000u) {  // a multiple of 2^-24: the sum rounds it into the lowest bits
        const float aligned = from_bits(magnitude) + 0.5f;
        return static_cast<unsigned short>(sign | (to_bits(aligned) - 0x3f000000u));
    }
    const unsigned rounded = magnitude + 0xfffu + (magnitude >> 13 & 1);
    return static_cast<unsigned short>(sign | ((rounded - 0x38000000u) >> 13));
}

}  // namespace cuda_on_cpu
