// cuda_on_cpu/ptx/integers.h: PTX's instructions on integers and bits.
#pragma once

#include <cuda_on_cpu/ptx/registers.h>

namespace cuda_on_cpu {
namespace ptx {

template <typename T> constexpr unsigned width = 8 * sizeof(T);
template <typename T> using Unsigned = std::make_unsigned_t<T>;
template <typename T> using Wide = std::conditional_t<std::is_signed_v<T>, std::conditional_t<sizeof(T) == 2, s32, s64>,
                                                      std::conditional_t<sizeof(T) == 2, u32, u64>>;

// Of floating-point numbers as they are; integers wrap.
template <typename T> T add(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) return a + b;
    else return T(u64(a) + u64(b));
}
template <typename T> T sub(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) return a - b;
    else return T(u64(a) - u64(b));
}
template <typename T> T mul(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) return a * b;
    else return T(u64(a) * u64(b));
}
template <typename T> T div(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) return a / b;
    else if (b == 0) return T(~T(0));
    else if constexpr (std::is_signed_v<T>) return b == T(-1) ? sub(T(0), a) : T(a / b);
    else return T(a / b);
}
template <typename T> T rem(T a, T b) {
    if (b == 0) return a;
    if constexpr (std::is_signed_v<T>) {
        if (b == T(-1)) return 0;
    }
    return T(a % b);
}
template <typename T> T mul_hi(T a, T b) {
    if constexpr (sizeof(T) < 8) return T(Wide<T>(Wide<T>(a) * Wide<T>(b)) >> width<T>);
    else if constexpr (std::is_signed_v<T>) return __mul64hi(a, b);
    else return __umul64hi(a, b);
}
template <typename T> T mul_lo(T a, T b) { return mul(a, b); }
template <typename T> Wide<T> mul_wide(T a, T b) { return Wide<T>(Wide<T>(a) * Wide<T>(b)); }
// The middle 32 bits of a product of 24 bits each.
template <typename T> T mul24_hi(T a, T b) {
    const int shift = 8;
    return T(s64(T(u32(a) << shift) >> shift) * s64(T(u32(b) << shift) >> shift) >> 16);
}
template <typename T> T abs(T a) {
    if constexpr (std::is_floating_point_v<T>) return std::fabs(a);
    else return a < 0 ? sub(T(0), a) : a;
}
template <typename T> T clamp(s64 value) {
    using Limits = std::numeric_limits<T>;
    return value < s64(Limits::min()) ? Limits::min() : value > s64(Limits::max()) ? Limits::max() : T(value);
}
template <typename T> u32 sad(T a, T b, u32 c) { return c + (a < b ? u32(b) - u32(a) : u32(a) - u32(b)); }

// Sums with the carry, or the borrow, of another one. Between statements the processor's flag keeps it.
inline thread_local bool carry_flag = false;
template <typename T> T add_carry(T a, T b, bool in, bool &out) {
    const T some = T(a + b), sum = T(some + T(in));
    out = some < a || sum < some;
    return sum;
}
template <typename T> T sub_carry(T a, T b, bool in, bool &out) {
    const T some = T(a - b), difference = T(some - T(in));
    out = a < b || some < T(in);
    return difference;
}

// A shift by the width or more leaves zeros, or signs.
template <typename T> T shl(T a, u32 by) { return by >= width<T> ? T(0) : T(Unsigned<T>(a) << by); }
template <typename T> T shr(T a, u32 by) {
    if (by >= width<T>) return a < 0 ? T(~T(0)) : T(0);
    return T(a >> by);
}
inline u32 shf(bool left, bool wrap, u32 low, u32 high, u32 by) {
    by = wrap ? by & 31 : by < 32 ? by : 32;
    const u64 both = u64(high) << 32 | low;
    return left ? u32(both << by >> 32) : u32(both >> by);
}
template <typename T> int lead(T a) {  // leading zeros
    return sizeof(T) == 8 ? (a ? __builtin_clzll(u64(a)) : 64) : (a ? __builtin_clz(unsigned(a)) : 32);
}
// The highest bit that differs from the sign; ~0 if there is none.
template <typename T> u32 bfind(T a, bool shift) {
    const auto bits = Unsigned<T>(a < 0 ? T(~a) : a);
    if (!bits) return ~0u;
    return shift ? u32(lead(bits)) : width<T> - 1 - u32(lead(bits));
}
// The field of `length` bits from `start` on; of signed numbers with its sign, which is the highest bit's at the end.
template <typename T> T bfe(T a, u32 start, u32 length) {
    start &= 255, length &= 255;
    if (!length) return 0;
    const u32 top = start + length - 1 < width<T> ? start + length - 1 : width<T> - 1;
    const bool sign = std::is_signed_v<T> && (Unsigned<T>(a) >> top & 1);
    T result = shr<T>(T(Unsigned<T>(a)), start);
    if (start >= width<T>) result = 0;
    const u32 kept = start >= width<T> ? 0 : length < width<T> - start ? length : width<T> - start;
    Unsigned<T> bits = Unsigned<T>(result);
    if (kept < width<T>) bits &= Unsigned<T>((Unsigned<T>(1) << kept) - 1);
    if (sign && kept < width<T>) bits |= Unsigned<T>(~Unsigned<T>(0) << kept);
    return T(bits);
}
template <typename T> T bfi(T from, T into, u32 start, u32 length) {
    start &= 255, length &= 255;
    const T ones = length >= width<T> ? T(~T(0)) : T((T(1) << length) - 1), mask = shl<T>(ones, start);
    return T((into & T(~mask)) | (shl<T>(from, start) & mask));
}
// Each bit of the table has the result for one triple of bits.
inline u32 lop3(u32 a, u32 b, u32 c, u32 table) {
    u32 result = 0;
    for (u32 i = 0; i < 8; i++)
        if (table >> i & 1) result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    return result;
}
// The selectors of prmt's modes, for the lowest two bits of its control.
enum class Permute { f4e, b4e, rc8, ecl, ecr, rc16 };
inline u32 prmt(Permute mode, u32 a, u32 b, u32 control) {
    const u32 i = control & 3;
    u32 selector = 0;
    for (u32 at = 0; at < 4; at++) {
        const u32 pick = mode == Permute::f4e   ? i + at
                         : mode == Permute::b4e ? (i - at) & 7
                         : mode == Permute::rc8 ? i
                         : mode == Permute::ecl ? (at > i ? at : i)
                         : mode == Permute::ecr ? (at < i ? at : i)
                                                : (i & 1) * 2 + (at & 1);
        selector |= pick << 4 * at;
    }
    return __byte_perm(a, b, selector);
}
template <typename A, typename B> u32 dp4a(u32 a, u32 b, u32 c) {
    for (int i = 0; i < 32; i += 8) c += u32(s32(A(a >> i)) * s32(B(b >> i)));
    return c;
}
template <typename A, typename B> u32 dp2a(bool high, u32 a, u32 b, u32 c) {
    using Half = std::conditional_t<std::is_signed_v<A>, s16, u16>;
    for (int i = 0; i < 2; i++) c += u32(s32(Half(a >> 16 * i)) * s32(B(b >> (8 * i + (high ? 16 : 0)))));
    return c;
}

}  // namespace ptx
}  // namespace cuda_on_cpu
