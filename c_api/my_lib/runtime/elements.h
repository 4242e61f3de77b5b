// c_api/my_lib/runtime/elements.h: the 16-bit element types, and the type in which each element type is computed.
//
// thaw_bfloat16 and thaw_float16 are the same C type; inside the library each has a type of its own. An array of either
// is computed in float: its elements become float as they are loaded, and are rounded once, to nearest even, as they
// are stored.
#pragma once

#include <cstdint>
#include <type_traits>

namespace my_lib {

struct bfloat16 { uint16_t bits; };  // the upper half of a float
struct float16 { uint16_t bits; };   // IEEE 754 binary16

// Two neighbouring elements, which take the place of one float; see gemm/pairs.h.
struct bfloat16_pair { bfloat16 elements[2]; };

template <typename S> struct arithmetic_of { using type = S; };
template <> struct arithmetic_of<bfloat16> { using type = float; };
template <> struct arithmetic_of<float16> { using type = float; };
template <> struct arithmetic_of<bfloat16_pair> { using type = float; };

// The type in which arrays of S are computed: float for the 16-bit types, otherwise S itself.
template <typename S> using Arithmetic = typename arithmetic_of<S>::type;

// S is stored as it is computed.
template <typename S> constexpr bool is_arithmetic = std::is_same_v<S, Arithmetic<S>>;

// An array of the public header as one of S.
template <typename S, typename C> inline auto elements(C *array) {
    static_assert(sizeof(S) == sizeof(C) && alignof(S) == alignof(C), "the same memory");
    return reinterpret_cast<std::conditional_t<std::is_const_v<C>, const S, S> *>(array);
}

}  // namespace my_lib
