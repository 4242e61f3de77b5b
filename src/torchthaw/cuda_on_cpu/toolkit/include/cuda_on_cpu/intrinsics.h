// cuda_on_cpu/intrinsics.h: __expf, __popc, __ldg, __float2int_rn and their like. Fast ones are as exact as the others.
#pragma once

#include <cuda_on_cpu/dpx.h>
#include <cuda_on_cpu/math.h>
#include <cuda_on_cpu/packed.h>
#include <cuda_on_cpu/rounding.h>
#include <cuda_on_cpu/runtime.h>
#include <cuda_on_cpu/spaces.h>

#include <ctime>

// fast mathematics
inline float __expf(float x) { return std::exp(x); }
inline float __exp10f(float x) { return std::pow(10.f, x); }
inline float __logf(float x) { return std::log(x); }
inline float __log2f(float x) { return std::log2(x); }
inline float __log10f(float x) { return std::log10(x); }
inline float __powf(float x, float y) { return std::pow(x, y); }
inline float __sinf(float x) { return std::sin(x); }
inline float __cosf(float x) { return std::cos(x); }
inline float __tanf(float x) { return std::tan(x); }
inline void __sincosf(float x, float *s, float *c) { *s = std::sin(x), *c = std::cos(x); }
inline float __fdividef(float x, float y) { return x / y; }
inline float __saturatef(float x) { return saturate(x); }

// Arithmetic that is rounded to nearest. The other directions are the next number up or down where one was rounded.
#define CUDA_ON_CPU_ROUNDED(T, name, expression)                                                                       \
    inline T __##name##_rn(T x, T y) { return expression; }                                                            \
    inline T __##name##_rz(T x, T y) { return cuda_on_cpu::rounded<T>(FE_TOWARDZERO, [=] { return expression; }); }    \
    inline T __##name##_ru(T x, T y) { return cuda_on_cpu::rounded<T>(FE_UPWARD, [=] { return expression; }); }        \
    inline T __##name##_rd(T x, T y) { return cuda_on_cpu::rounded<T>(FE_DOWNWARD, [=] { return expression; }); }
CUDA_ON_CPU_ROUNDED(float, fadd, x + y)
CUDA_ON_CPU_ROUNDED(float, fsub, x - y)
CUDA_ON_CPU_ROUNDED(float, fmul, x * y)
CUDA_ON_CPU_ROUNDED(float, fdiv, x / y)
CUDA_ON_CPU_ROUNDED(double, dadd, x + y)
CUDA_ON_CPU_ROUNDED(double, dsub, x - y)
CUDA_ON_CPU_ROUNDED(double, dmul, x * y)
CUDA_ON_CPU_ROUNDED(double, ddiv, x / y)
#undef CUDA_ON_CPU_ROUNDED
#define CUDA_ON_CPU_DIRECTIONS(T, name, parameters, expression)                                                        \
    inline T __##name##_rn parameters { return expression; }                                                           \
    inline T __##name##_rz parameters { return cuda_on_cpu::rounded<T>(FE_TOWARDZERO, [=] { return expression; }); }   \
    inline T __##name##_ru parameters { return cuda_on_cpu::rounded<T>(FE_UPWARD, [=] { return expression; }); }       \
    inline T __##name##_rd parameters { return cuda_on_cpu::rounded<T>(FE_DOWNWARD, [=] { return expression; }); }
CUDA_ON_CPU_DIRECTIONS(float, fmaf, (float x, float y, float z), std::fma(x, y, z))
CUDA_ON_CPU_DIRECTIONS(float, fmaf_ieee, (float x, float y, float z), std::fma(x, y, z))
CUDA_ON_CPU_DIRECTIONS(double, fma, (double x, double y, double z), std::fma(x, y, z))
CUDA_ON_CPU_DIRECTIONS(float, fsqrt, (float x), std::sqrt(x))
CUDA_ON_CPU_DIRECTIONS(double, dsqrt, (double x), std::sqrt(x))
CUDA_ON_CPU_DIRECTIONS(float, frcp, (float x), 1 / x)
CUDA_ON_CPU_DIRECTIONS(double, drcp, (double x), 1 / x)
CUDA_ON_CPU_DIRECTIONS(float, int2float, (int x), float(x))
CUDA_ON_CPU_DIRECTIONS(float, uint2float, (unsigned x), float(x))
CUDA_ON_CPU_DIRECTIONS(float, ll2float, (long long x), float(x))
CUDA_ON_CPU_DIRECTIONS(float, ull2float, (unsigned long long x), float(x))
CUDA_ON_CPU_DIRECTIONS(double, ll2double, (long long x), double(x))
CUDA_ON_CPU_DIRECTIONS(double, ull2double, (unsigned long long x), double(x))
CUDA_ON_CPU_DIRECTIONS(float, double2float, (double x), float(x))
#undef CUDA_ON_CPU_DIRECTIONS
inline double __int2double_rn(int x) { return x; }
inline double __uint2double_rn(unsigned x) { return x; }
inline float __frsqrt_rn(float x) { return rsqrtf(x); }

// Conversions to integers, which saturate; a NaN is 0.
#define CUDA_ON_CPU_TO_INTEGER(F, from, I, to)                                                                         \
    inline I __##from##2##to##_rn(F x) { return cuda_on_cpu::saturated<I>(std::nearbyint(x)); }                        \
    inline I __##from##2##to##_rz(F x) { return cuda_on_cpu::saturated<I>(std::trunc(x)); }                            \
    inline I __##from##2##to##_ru(F x) { return cuda_on_cpu::saturated<I>(std::ceil(x)); }                             \
    inline I __##from##2##to##_rd(F x) { return cuda_on_cpu::saturated<I>(std::floor(x)); }
#define CUDA_ON_CPU_TO_INTEGERS(F, from)                                                                               \
    CUDA_ON_CPU_TO_INTEGER(F, from, int, int)                                                                          \
    CUDA_ON_CPU_TO_INTEGER(F, from, unsigned, uint)                                                                    \
    CUDA_ON_CPU_TO_INTEGER(F, from, long long, ll)                                                                     \
    CUDA_ON_CPU_TO_INTEGER(F, from, unsigned long long, ull)
CUDA_ON_CPU_TO_INTEGERS(float, float)
CUDA_ON_CPU_TO_INTEGERS(double, double)
#undef CUDA_ON_CPU_TO_INTEGERS
#undef CUDA_ON_CPU_TO_INTEGER

// The same bits as another type.
namespace cuda_on_cpu {
template <typename To, typename From> To same_bits(From from) {
    static_assert(sizeof(To) == sizeof(From), "of one size");
    To to;
    std::memcpy(&to, &from, sizeof to);
    return to;
}
}  // namespace cuda_on_cpu
inline int __float_as_int(float x) { return cuda_on_cpu::same_bits<int>(x); }
inline unsigned __float_as_uint(float x) { return cuda_on_cpu::same_bits<unsigned>(x); }
inline float __int_as_float(int x) { return cuda_on_cpu::same_bits<float>(x); }
inline float __uint_as_float(unsigned x) { return cuda_on_cpu::same_bits<float>(x); }
inline long long __double_as_longlong(double x) { return cuda_on_cpu::same_bits<long long>(x); }
inline double __longlong_as_double(long long x) { return cuda_on_cpu::same_bits<double>(x); }
inline int __double2hiint(double x) { return int(__double_as_longlong(x) >> 32); }
inline int __double2loint(double x) { return int(__double_as_longlong(x)); }
inline double __hiloint2double(int high, int low) {
    return __longlong_as_double((static_cast<long long>(high) << 32) | unsigned(low));
}

// bits of integers
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x ? __builtin_clz(unsigned(x)) : 32; }
inline int __clzll(long long x) { return x ? __builtin_clzll(x) : 64; }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
// The place of the set bit number `offset`, 1 or more from `base` on upwards, -1 or less downwards; 0: that of base. ~0 if none.
inline unsigned __fns(unsigned mask, unsigned base, int offset) {
    const int step = offset < 0 ? -1 : 1;
    for (int at = int(base), left = offset ? offset * step : 1; at >= 0 && at < 32; at += step) {
        if (mask >> at & 1 && --left == 0) return unsigned(at);
        if (!offset) break;
    }
    return ~0u;
}
inline unsigned __brev(unsigned x) {
    x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
    x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
    x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(x);
}
inline unsigned long long __brevll(unsigned long long x) {
    return static_cast<unsigned long long>(__brev(unsigned(x))) << 32 | __brev(unsigned(x >> 32));
}
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
    const unsigned long long both = static_cast<unsigned long long>(y) << 32 | x;
    unsigned result = 0;
    for (int i = 0; i < 4; i++) {
        const unsigned pick = selector >> 4 * i & 15, byte = unsigned(both >> 8 * (pick & 7)) & 255;
        result |= (pick & 8 ? (byte & 128 ? 255u : 0u) : byte) << 8 * i;
    }
    return result;
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned by) {
    return unsigned((static_cast<unsigned long long>(high) << 32 | low) << (by & 31) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by) {
    return unsigned((static_cast<unsigned long long>(high) << 32 | low) >> (by & 31));
}
// As those, but by 32 at most.
inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned by) {
    return by >= 32 ? low : __funnelshift_l(low, high, by);
}
inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned by) {
    return by >= 32 ? high : __funnelshift_r(low, high, by);
}
inline unsigned short __nv_bswap16(unsigned short x) { return __builtin_bswap16(x); }
inline unsigned __nv_bswap32(unsigned x) { return __builtin_bswap32(x); }
inline unsigned long long __nv_bswap64(unsigned long long x) { return __builtin_bswap64(x); }
inline int __mul24(int x, int y) { return int((int(unsigned(x) << 8) >> 8) * 1LL * (int(unsigned(y) << 8) >> 8)); }
inline unsigned __umul24(unsigned x, unsigned y) { return (x & 0xffffff) * (y & 0xffffff); }
inline int __mulhi(int x, int y) { return int(static_cast<long long>(x) * y >> 32); }
inline unsigned __umulhi(unsigned x, unsigned y) { return unsigned(static_cast<unsigned long long>(x) * y >> 32); }
inline long long __mul64hi(long long x, long long y) { return (long long)(static_cast<__int128>(x) * y >> 64); }
inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
    return (unsigned long long)(static_cast<unsigned __int128>(x) * y >> 64);
}
inline int __hadd(int x, int y) { return int((static_cast<long long>(x) + y) >> 1); }
inline int __rhadd(int x, int y) { return int((static_cast<long long>(x) + y + 1) >> 1); }
inline unsigned __uhadd(unsigned x, unsigned y) { return unsigned((static_cast<unsigned long long>(x) + y) >> 1); }
inline unsigned __urhadd(unsigned x, unsigned y) { return unsigned((static_cast<unsigned long long>(x) + y + 1) >> 1); }
inline unsigned __sad(int x, int y, unsigned z) { return z + unsigned(x < y ? unsigned(y) - x : unsigned(x) - y); }
inline unsigned __usad(unsigned x, unsigned y, unsigned z) { return z + (x < y ? y - x : x - y); }

// Sums of products: of four bytes each; of two 16-bit numbers with the lower or the upper two bytes.
namespace cuda_on_cpu {
template <typename X, typename Y> unsigned products(unsigned x, unsigned y, unsigned sum, int first) {
    constexpr int bits = 8 * sizeof(X);
    for (int i = 0; i < 32 / bits; i++) sum += unsigned(int(X(x >> bits * i)) * int(Y(y >> 8 * (first + i))));
    return sum;
}
template <typename To, typename From> To all_bits(const From &from) {
    To to;
    std::memcpy(&to, &from, sizeof to);
    return to;
}
}  // namespace cuda_on_cpu
#define CUDA_ON_CPU_PRODUCTS(name, X2, Y4, X, Y, R, first)                                                             \
    inline R __##name(R x, R y, R z) { return R(cuda_on_cpu::products<X, Y>(unsigned(x), unsigned(y), unsigned(z), first)); } \
    inline R __##name(X2 x, Y4 y, R z) { return __##name(cuda_on_cpu::all_bits<R>(x), cuda_on_cpu::all_bits<R>(y), z); }
CUDA_ON_CPU_PRODUCTS(dp4a, char4, char4, int8_t, int8_t, int, 0)
CUDA_ON_CPU_PRODUCTS(dp4a, uchar4, uchar4, uint8_t, uint8_t, unsigned, 0)
CUDA_ON_CPU_PRODUCTS(dp2a_lo, short2, char4, int16_t, int8_t, int, 0)
CUDA_ON_CPU_PRODUCTS(dp2a_lo, ushort2, uchar4, uint16_t, uint8_t, unsigned, 0)
CUDA_ON_CPU_PRODUCTS(dp2a_hi, short2, char4, int16_t, int8_t, int, 2)
CUDA_ON_CPU_PRODUCTS(dp2a_hi, ushort2, uchar4, uint16_t, uint8_t, unsigned, 2)
#undef CUDA_ON_CPU_PRODUCTS

// Loads and stores that only hint at caches, and the clock.
#define CUDA_ON_CPU_LOAD(name) template <typename T> T name(const T *address) { return *address; }
CUDA_ON_CPU_LOAD(__ldg)
CUDA_ON_CPU_LOAD(__ldcg)
CUDA_ON_CPU_LOAD(__ldca)
CUDA_ON_CPU_LOAD(__ldcs)
CUDA_ON_CPU_LOAD(__ldlu)
#undef CUDA_ON_CPU_LOAD
template <typename T> T __ldcv(const T *address) {
    cuda_on_cpu::may_wait();
    return *address;
}
#define CUDA_ON_CPU_STORE(name) template <typename T> void name(T *address, T value) { *address = value; }
CUDA_ON_CPU_STORE(__stcg)
CUDA_ON_CPU_STORE(__stcs)
CUDA_ON_CPU_STORE(__stwb)
CUDA_ON_CPU_STORE(__stwt)
#undef CUDA_ON_CPU_STORE
inline long long clock64() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}
inline unsigned long long __globaltimer() { return static_cast<unsigned long long>(clock64()); }

// What kind of memory an address is of. __constant__ variables are global here, so there is no __isConstant.
#define CUDA_ON_CPU_SPACE(name, space)                                                                                 \
    inline unsigned name(const void *address) { return cuda_on_cpu::is_in(cuda_on_cpu::Space::space, address); }
CUDA_ON_CPU_SPACE(__isGlobal, global)
CUDA_ON_CPU_SPACE(__isShared, shared)
CUDA_ON_CPU_SPACE(__isLocal, local)
#undef CUDA_ON_CPU_SPACE
