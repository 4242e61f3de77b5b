// c_api/th/tensor/half.h: 16-bit numbers to and from float.
#pragma once

#include <TH/THHalf.h>

namespace th {

static inline float to_float(THHalf half) {
    const uint32_t sign = uint32_t(half.x & 0x8000) << 16, exponent = half.x >> 10 & 31, fraction = half.x & 1023;
    uint32_t bits;
    if (exponent == 31)
        bits = fraction ? 0x7FFFFFFF : sign | 0x7F800000;
    else if (exponent)
        bits = sign | (exponent + 112) << 23 | fraction << 13;
    else {
        const float denormal = float(fraction) * 0x1p-24f;
        __builtin_memcpy(&bits, &denormal, 4);
        bits |= sign;
    }
    float value;
    __builtin_memcpy(&value, &bits, 4);
    return value;
}

static inline THHalf to_half(float value) {
    uint32_t bits;
    __builtin_memcpy(&bits, &value, 4);
    const uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7FFFFFFF;
    if (magnitude > 0x7F800000) return THHalf{0x7FFF};
    if (magnitude >= 0x477FF000) return THHalf{static_cast<unsigned short>(sign | TH_HALF_INF)};
    if (magnitude >= 0x38800000) {  // a normal half: round the 13 bits that go, ties to even
        const uint32_t rounded = magnitude + 0xFFF + (magnitude >> 13 & 1) - (112u << 23);
        return THHalf{static_cast<unsigned short>(sign | rounded >> 13)};
    }
    float scaled;  // a denormal one, in units of 2^-24: adding 2^23 makes the hardware round
    __builtin_memcpy(&scaled, &magnitude, 4);
    scaled = scaled * 0x1p24f + 0x1p23f;
    uint32_t units;
    __builtin_memcpy(&units, &scaled, 4);
    return THHalf{static_cast<unsigned short>(sign | (units & 0x7FFFFF))};
}

}  // namespace th
