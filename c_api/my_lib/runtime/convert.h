// c_api/my_lib/runtime/convert.h: vectors of 16-bit elements to and from vectors of float.
//
// Widening is exact. Narrowing rounds to nearest even, overflows to infinity, and keeps subnormal numbers; a NaN stays
// one, and becomes quiet. Integer arithmetic gives the same bits as the instructions of F16C and AVX-512, also where
// the caller has made the CPU flush subnormal floats. VCVTNEPS2BF16, which flushes always, is not used.
#pragma once

#include "runtime/vector.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace my_lib {
namespace MY_LIB_ISA {

template <typename To, typename From> [[gnu::always_inline]] inline To same_bits(From from) {
    static_assert(sizeof(To) == sizeof(From), "a bit pattern keeps its size");
    To to;
    __builtin_memcpy(&to, &from, sizeof to);
    return to;
}

// The bits of each element in a lane of its own, and back; compilers take several instructions if they are not told.
[[gnu::always_inline]] inline Bits32 zero_extend(Bits16 value) {
#if defined(__AVX512F__)
    return same_bits<Bits32>(_mm512_maskz_cvtepu16_epi32(0xffff, same_bits<__m256i>(value)));
#elif defined(__AVX2__)
    return same_bits<Bits32>(_mm256_cvtepu16_epi32(same_bits<__m128i>(value)));
#else
    return __builtin_convertvector(value, Bits32);
#endif
}

[[gnu::always_inline]] inline Bits16 truncate(Bits32 value) {
#if defined(__AVX512F__)
    return same_bits<Bits16>(_mm512_maskz_cvtepi32_epi16(0xffff, same_bits<__m512i>(value)));
#else
    return __builtin_convertvector(value, Bits16);
#endif
}

// Stored: lanes<Arithmetic<S>> elements as they lie in memory.
template <typename S> struct Conversion {
    using Stored = Vec<S>;
    [[gnu::always_inline]] static Vec<S> widen(Stored value) { return value; }
    [[gnu::always_inline]] static Stored narrow(Vec<S> value) { return value; }
};

// A pair keeps its bits: each lane holds two elements, not a number.
template <> struct Conversion<bfloat16_pair> {
    using Stored = Vec<float>;
    [[gnu::always_inline]] static Vec<float> widen(Stored value) { return value; }
};

template <> struct Conversion<bfloat16> {
    using Stored = Bits16;

    [[gnu::always_inline]] static Vec<float> widen(Bits16 value) {
#if !defined(__AVX2__) && defined(__SSE2__)
        const Bits16 zero = {};
        return same_bits<Vec<float>>(__builtin_shufflevector(zero, value, 0, 4, 1, 5, 2, 6, 3, 7));
#else
        return same_bits<Vec<float>>(zero_extend(value) << 16);
#endif
    }

    [[gnu::always_inline]] static Bits16 narrow(Vec<float> value) {
        const Bits32 bits = same_bits<Bits32>(value);
        const Bits32 rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16, quiet = bits >> 16 | 0x40u;
        return truncate((bits & 0x7fffffffu) > 0x7f800000u ? quiet : rounded);
    }
};

template <> struct Conversion<float16> {
    using Stored = Bits16;

#if defined(__AVX512F__)
    // With a mask of all lanes, because GCC 12 warns of its own uninitialized variable in the forms without.
    [[gnu::always_inline]] static Vec<float> widen(Bits16 value) {
        return same_bits<Vec<float>>(_mm512_maskz_cvtph_ps(0xffff, same_bits<__m256i>(value)));
    }
    [[gnu::always_inline]] static Bits16 narrow(Vec<float> value) {
        return same_bits<Bits16>(
            _mm512_maskz_cvtps_ph(0xffff, same_bits<__m512>(value), _MM_FROUND_TO_NEAREST_INT));
    }
#elif defined(__F16C__)
    [[gnu::always_inline]] static Vec<float> widen(Bits16 value) {
        return same_bits<Vec<float>>(_mm256_cvtph_ps(same_bits<__m128i>(value)));
    }
    [[gnu::always_inline]] static Bits16 narrow(Vec<float> value) {
        return same_bits<Bits16>(_mm256_cvtps_ph(same_bits<__m256>(value), _MM_FROUND_TO_NEAREST_INT));
    }
#else
    // Exponents differ by 112, and mantissas by 13 bits.
    static constexpr uint32_t exponents = 112u << 23;

    [[gnu::always_inline]] static Vec<float> widen(Bits16 value) {
        typedef int32_t Int32 __attribute__((vector_size(vector_bytes)));
        const Bits32 half = zero_extend(value), magnitude = half & 0x7fffu;
        const Bits32 normal = (magnitude << 13) + exponents;
        // Infinity and NaN; the latter becomes quiet.
        const Bits32 special = (normal + exponents) | (magnitude > 0x7c00u ? Bits32{} + 0x400000u : Bits32{});
        const Vec<float> units = __builtin_convertvector(same_bits<Int32>(magnitude), Vec<float>);
        const Bits32 subnormal = same_bits<Bits32>(units * 0x1p-24f);
        const Bits32 finite = magnitude < 0x400u ? subnormal : normal;
        return same_bits<Vec<float>>((magnitude < 0x7c00u ? finite : special) | (half & 0x8000u) << 16);
    }

    [[gnu::always_inline]] static Bits16 narrow(Vec<float> value) {
        const Bits32 bits = same_bits<Bits32>(value), magnitude = bits & 0x7fffffffu;
        const Bits32 normal = (magnitude - exponents + 0xfffu + (magnitude >> 13 & 1u)) >> 13;
        // The last bit of a number in [0.5, 1) is worth as much as that of a subnormal half: the addition rounds.
        const Vec<float> shifted = same_bits<Vec<float>>(magnitude) + 0.5f;
        const Bits32 subnormal = same_bits<Bits32>(shifted) - 0x3f000000u;
        const Bits32 nan = 0x7e00u | (magnitude >> 13 & 0x3ffu);
        const Bits32 finite = magnitude < 0x38800000u ? subnormal : normal;
        const Bits32 infinite = magnitude > 0x7f800000u ? nan : Bits32{} + 0x7c00u;
        const Bits32 half = (magnitude < 0x47800000u ? finite : infinite) | (bits >> 16 & 0x8000u);
        return truncate(half);
    }
#endif
};

}  // namespace MY_LIB_ISA
}  // namespace my_lib
