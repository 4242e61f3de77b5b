// cuda_on_cpu/ptx/registers.h: PTX's types, and what is in a register.
#pragma once

#include <cuda_on_cpu/intrinsics.h>

#include <cstring>
#include <type_traits>

namespace cuda_on_cpu {
namespace ptx {

using s8 = int8_t;
using s16 = int16_t;
using s32 = int32_t;
using s64 = long long;
using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = unsigned long long;
using f32 = float;
using f64 = double;
using pred = bool;

// The lower bits of a register, or all of it, as a T.
template <typename T, typename Register> T as(Register from) {
    if constexpr (sizeof(T) < sizeof(Register)) return T(from);
    else return same_bits<T>(from);
}
// A number becomes the register's value; a narrower integer is extended.
template <typename Register, typename T> void set(Register &to, T value) {
    if constexpr (sizeof(T) < sizeof(Register)) to = Register(value);
    else to = same_bits<Register>(value);
}
// Two or four registers as the parts of one number, lowest first.
template <typename T, typename Part> T joined(std::initializer_list<Part> parts) {
    u64 bits = 0;
    int at = 0;
    for (Part part : parts) bits |= u64(part) << at, at += 8 * int(sizeof(Part));
    return T(bits);
}
template <typename Part> Part part_of(u64 bits, int index) { return Part(bits >> (8 * int(sizeof(Part)) * index)); }

}  // namespace ptx
}  // namespace cuda_on_cpu
