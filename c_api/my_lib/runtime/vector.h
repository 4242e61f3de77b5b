// c_api/my_lib/runtime/vector.h: the widest vector of this pass, through the compiler's vector extensions.
#pragma once

#include "runtime/elements.h"
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

// The bits of a Vec<float>, and as many 16-bit elements.
typedef uint32_t Bits32 __attribute__((vector_size(vector_bytes)));
typedef uint16_t Bits16 __attribute__((vector_size(vector_bytes / 2)));

template <typename T> [[gnu::always_inline]] inline Vec<T> broadcast(T value) { return value - Vec<T>{}; }

}  // namespace MY_LIB_ISA
}  // namespace my_lib
