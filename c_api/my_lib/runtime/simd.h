// c_api/my_lib/runtime/simd.h: the widest vector of this pass, through the compiler's vector extensions.
#pragma once

#include "runtime/isa.h"

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

// The first `count` lanes of a vector in memory; the others read as zero and are not written.
template <typename T> struct Some {
    int64_t count;

    [[gnu::always_inline]] Vec<T> load(const T *from) const {
        if (count == lanes<T>) return MY_LIB_ISA::load<T>(from);
        Vec<T> value = {};
        __builtin_memcpy(&value, from, static_cast<size_t>(count) * sizeof(T));
        return value;
    }

    [[gnu::always_inline]] void store(T *to, Vec<T> value) const {
        if (count == lanes<T>) return MY_LIB_ISA::store<T>(to, value);
        __builtin_memcpy(to, &value, static_cast<size_t>(count) * sizeof(T));
    }
};

// What is left of `size` elements at `position`, as the count of the vector there.
template <typename T> [[gnu::always_inline]] inline Some<T> some(int64_t size, int64_t position) {
    return {size - position < lanes<T> ? size - position : lanes<T>};
}

template <typename T> [[gnu::always_inline]] inline Vec<T> broadcast(T value) { return value - Vec<T>{}; }

}  // namespace MY_LIB_ISA
}  // namespace my_lib
