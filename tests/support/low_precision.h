// tests/support/low_precision.h: the 16-bit formats in plain scalar arithmetic, and the error that a result may have.
#pragma once

#include "check.h"

#include <cstdint>

using Wide = std::vector<long double>;
using Bits = std::vector<uint16_t>;

// A binary format: digits of the significand with the hidden one, the exponent of the smallest normal number.
struct Format {
    const char *name;
    int digits, lowest, highest;

    int fraction_bits() const { return digits - 1; }
    uint16_t infinity() const { return static_cast<uint16_t>(((1u << (16 - digits)) - 1) << fraction_bits()); }
    uint16_t nan() const { return infinity() | static_cast<uint16_t>(1u << (digits - 2)); }

    // The distance between neighbours at `value`.
    long double step(long double value) const {
        const int exponent = value == 0 ? lowest : std::ilogb(value);
        return std::ldexp(1.0L, (exponent < lowest ? lowest : exponent) - fraction_bits());
    }

    long double decode(uint16_t bits) const {
        const int exponent = (bits & 0x7fff) >> fraction_bits(), fraction = bits & ((1 << fraction_bits()) - 1);
        const long double sign = bits & 0x8000 ? -1 : 1;
        if ((bits & 0x7fff) > infinity()) return std::numeric_limits<long double>::quiet_NaN();
        if ((bits & 0x7fff) == infinity()) return sign * std::numeric_limits<long double>::infinity();
        if (exponent == 0) return sign * std::ldexp(static_cast<long double>(fraction), lowest - fraction_bits());
        return sign * std::ldexp(static_cast<long double>(fraction + (1 << fraction_bits())),
                                 exponent - 1 + lowest - fraction_bits());
    }

    // To nearest, ties to even.
    uint16_t encode(long double value) const {
        const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
        if (std::isnan(value)) return sign | nan();
        const long double magnitude = std::fabs(value);
        if (std::isinf(value)) return sign | infinity();
        const long double rounded = std::nearbyint(magnitude / step(magnitude)) * step(magnitude);
        if (rounded >= std::ldexp(1.0L, highest + 1)) return sign | infinity();
        if (rounded == 0) return sign;
        const int exponent = std::ilogb(rounded) < lowest ? lowest - 1 : std::ilogb(rounded);
        const long double units = rounded / step(rounded);
        const unsigned fraction = static_cast<unsigned>(units) & ((1u << fraction_bits()) - 1);
        return static_cast<uint16_t>(sign | static_cast<unsigned>(exponent - lowest + 1) << fraction_bits() | fraction);
    }

    Bits encode(const std::vector<double> &values) const {
        Bits bits;
        for (const double value : values) bits.push_back(encode(static_cast<long double>(value)));
        return bits;
    }

    Wide decode(const Bits &bits) const {
        Wide values;
        for (const uint16_t each : bits) values.push_back(decode(each));
        return values;
    }
};

constexpr Format bf16 = {"bf16", 8, -126, 127}, f16 = {"f16", 11, -14, 15};

// Every element is `expected`, computed in float from sums of `terms` products, and rounded once: half a step of the
// format, and as many roundings of a float as there are operations.
inline bool rounded_once(const Format &format, const Bits &got, const Wide &expected, size_t terms) {
    long double largest = 1;
    for (const long double value : expected)
        if (std::isfinite(value) && std::fabs(value) > largest) largest = std::fabs(value);
    const long double in_float = static_cast<long double>(terms + 64) * std::ldexp(1.0L, -24) * largest;
    if (got.size() != expected.size()) return false;
    for (size_t i = 0; i < got.size(); ++i) {
        const long double reach = std::fabs(expected[i]) + in_float;
        const long double tolerance = std::isfinite(reach) ? in_float + format.step(reach) / 2 : 0;
        if (!is_near(format.decode(got[i]), expected[i], tolerance)) return false;
    }
    return true;
}
