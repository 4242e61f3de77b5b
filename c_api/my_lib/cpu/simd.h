// c_api/my_lib/cpu/simd.h: the widest vector of this pass, through the compiler's vector extensions.
#pragma once

#include "isa.h"

namespace my_lib {
namespace MY_LIB_ISA {

#if defined(__AVX512F__)
constexpr int vector_bytes = 64;
#elif defined(__AVX2__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif

template <typename T> struct vector_of;
template <> struct vector_of<float> { typedef float type __attribute__((vector_size(vector_bytes))); };
template <> struct vector_of<double> { typedef double type __attribute__((vector_size(vector_bytes))); };

// Vec<T>: lanes<T> elements of T; arithmetic, comparison and ?: work lane by lane.
template <typename T> using Vec = typename vector_of<T>::type;
template <typename T> constexpr int lanes = vector_bytes / static_cast<int>(sizeof(T));

// Memory is only ever aligned to its element, hence memcpy, which compiles to one unaligned move.
template <typename T> [[gnu::always_inline]] inline Vec<T> load(const T *from) {
    Vec<T> value;
    __builtin_memcpy(&value, from, sizeof value);
    return value;
}

template <typename T> [[gnu::always_inline]] inline void store(T *to, Vec<T> value) {
    __builtin_memcpy(to, &value, sizeof value);
}

// The first `count` lanes, the others zero.
template <typename T> [[gnu::always_inline]] inline Vec<T> load_some(const T *from, int64_t count) {
    Vec<T> value = {};
    __builtin_memcpy(&value, from, static_cast<size_t>(count) * sizeof(T));
    return value;
}

template <typename T> [[gnu::always_inline]] inline void store_some(T *to, Vec<T> value, int64_t count) {
    __builtin_memcpy(to, &value, static_cast<size_t>(count) * sizeof(T));
}

template <typename T> [[gnu::always_inline]] inline Vec<T> broadcast(T value) { return value - Vec<T>{}; }

}  // namespace MY_LIB_ISA
}  // namespace my_lib
