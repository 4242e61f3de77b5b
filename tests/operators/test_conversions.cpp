// tests/operators/test_conversions.cpp: 16-bit elements to and from float, exact for every element and at every tie, on
// each CPU path. Compiled once per path, as a kernel is: main() is in the portable pass.
#include "runtime/simd.h"

#include "../support/low_precision.h"

namespace my_lib {

// Arrays of one format to float and back, through the conversions of a path.
struct Conversions {
    void (*widen)(const uint16_t *from, int64_t size, float *to);
    void (*narrow)(const float *from, int64_t size, uint16_t *to);
};

MY_LIB_EVERY_ISA(Conversions conversions(bool half);)

namespace MY_LIB_ISA {

template <typename S> static void widen(const uint16_t *from, int64_t size, float *to) {
    convert(elements<S>(from), size, to);
}
template <typename S> static void narrow(const float *from, int64_t size, uint16_t *to) {
    convert(from, size, elements<S>(to));
}

Conversions conversions(bool half) {
    return half ? Conversions{widen<float16>, narrow<float16>} : Conversions{widen<bfloat16>, narrow<bfloat16>};
}

}  // namespace MY_LIB_ISA
}  // namespace my_lib

#if MY_LIB_ENTRY_POINTS

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

static uint32_t bits_of(float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits) {
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

static std::vector<float> widened(const my_lib::Conversions &path, const Bits &from) {
    guarded<uint16_t> input(from);
    guarded<float> output(from.size());
    path.widen(input, static_cast<int64_t>(from.size()), output);
    CHECK(output.intact());
    return output.values();
}

static Bits narrowed(const my_lib::Conversions &path, const std::vector<float> &from) {
    guarded<float> input(from);
    guarded<uint16_t> output(from.size());
    path.narrow(input, static_cast<int64_t>(from.size()), output);
    CHECK(output.intact());
    return output.values();
}

// What decides a rounding: every element, the middle between it and the next, a float before and behind both; and
// floats of every exponent.
static std::vector<float> floats_to_round(const Format &format) {
    std::vector<float> values;
    for (uint32_t sign : {0u, 0x8000u})
        for (uint32_t i = 0; i < format.infinity(); ++i) {
            const long double low = format.decode(static_cast<uint16_t>(sign | i));
            const long double middle = low + (sign ? -format.step(low) : format.step(low)) / 2;
            for (const long double at : {low, middle}) {
                const uint32_t bits = bits_of(static_cast<float>(at));
                for (const uint32_t each : {bits - 1, bits, bits + 1})
                    if ((each & 0x7fffffff) <= 0x7f800000 && (each ^ bits) >> 31 == 0) values.push_back(float_of(each));
            }
        }
    unsigned long long state = 1;
    for (int i = 0; i < 1 << 18; ++i) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        const uint32_t bits = static_cast<uint32_t>(state >> 32);
        if ((bits & 0x7fffffff) <= 0x7f800000) values.push_back(float_of(bits));
    }
    for (const uint32_t bits : {0u, 1u, 0x7f7fffffu, 0x7f800000u, 0x477fefffu, 0x477ff000u, 0x7f7f7fffu, 0x7f7f8000u})
        values.push_back(float_of(bits)), values.push_back(float_of(bits | 0x80000000u));
    return values;
}

static void test_path(const my_lib::Conversions &path, const Format &format) {
    Bits every(1 << 16);
    for (size_t i = 0; i < every.size(); ++i) every[i] = static_cast<uint16_t>(i);
    const std::vector<float> values = widened(path, every);
    for (size_t i = 0; i < every.size(); ++i) {
        const long double exact = format.decode(every[i]);
        CHECK(std::isnan(exact) ? std::isnan(values[i]) : values[i] == exact);
        CHECK(std::signbit(values[i]) == (every[i] >> 15 == 1));
    }
    // Each number comes back as it was, and a NaN as a quiet one with its sign.
    const Bits back = narrowed(path, values);
    const uint16_t quiet = format.nan() & ~format.infinity();
    for (size_t i = 0; i < every.size(); ++i)
        CHECK(back[i] == ((every[i] & 0x7fff) > format.infinity() ? every[i] | quiet : every[i]));

    const std::vector<float> floats = floats_to_round(format);
    Bits expected;
    for (const float value : floats) expected.push_back(format.encode(static_cast<long double>(value)));
    CHECK(narrowed(path, floats) == expected);
    // The payload of a NaN must not round to infinity, or to a negative zero.
    for (const uint32_t nan : {0x7f800001u, 0x7fffffffu, 0xff800001u, 0xffffffffu, 0x7fc00000u}) {
        const uint16_t got = narrowed(path, {float_of(nan)})[0];
        CHECK((got & 0x7fff) > format.infinity() && got >> 15 == nan >> 31);
    }
    // Sizes around the vector, whose other lanes must be neither read nor written.
    for (size_t size = 0; size < 40; ++size) {
        const Bits some(every.begin() + 16000, every.begin() + 16000 + static_cast<int64_t>(size));
        CHECK(narrowed(path, widened(path, some)) == some);
    }
#if defined(__x86_64__)
    // A caller may have told the CPU to take subnormal floats for zero.
    const unsigned control = _mm_getcsr();
    _mm_setcsr(control | 0x8040);
    const std::vector<float> again = widened(path, every);
    const Bits flushed = narrowed(path, again);
    _mm_setcsr(control);
    CHECK(same_bits(again, values));
    CHECK(flushed == back);
#endif
}

int main() {
    using base::Isa;
    for (const bool half : {false, true}) {
        const Format &format = half ? f16 : bf16;
        test_path(my_lib::portable::conversions(half), format);
#if defined(__x86_64__)
        if (base::isa() >= Isa::avx2) test_path(my_lib::avx2::conversions(half), format);
        if (base::isa() >= Isa::avx512) test_path(my_lib::avx512::conversions(half), format);
#endif
    }
    return failures() != 0;
}

#endif
