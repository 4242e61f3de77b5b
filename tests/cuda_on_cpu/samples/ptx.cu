// tests/cuda_on_cpu/samples/ptx.cu: inline PTX, and the same in C++. Each kernel gives the line of what differs.
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>

typedef unsigned long long u64;
typedef long long s64;
#define EXPECT(condition)                                                                                              \
    do                                                                                                                 \
        if (!(condition)) atomicCAS(failed, 0, __LINE__);                                                              \
    while (0)

// A function NAME for each instruction: of one, two, three or four operands of a type.
#define ONE(name, op, T, c, R, r) __device__ R name(T a) { R d; asm(op " %0, %1;" : "=" r(d) : c(a)); return d; }
#define TWO(name, op, T, c) __device__ T name(T a, T b) { T d; asm(op " %0, %1, %2;" : "=" c(d) : c(a), c(b)); return d; }
#define THREE(name, op, T, c)                                                                                          \
    __device__ T name(T a, T b, T e) { T d; asm(op " %0, %1, %2, %3;" : "=" c(d) : c(a), c(b), c(e)); return d; }
#define SHIFT(name, op, T, c)                                                                                          \
    __device__ T name(T a, unsigned by) { T d; asm(op " %0, %1, %2;" : "=" c(d) : c(a), "r"(by)); return d; }

TWO(add_s32, "add.s32", int, "r") TWO(sub_u64, "sub.u64", u64, "l") TWO(add_sat, "add.sat.s32", int, "r") TWO(sub_sat, "sub.sat.s32", int, "r")
TWO(mul_lo, "mul.lo.s32", int, "r") TWO(mul_hi_s32, "mul.hi.s32", int, "r") TWO(mul_hi_u32, "mul.hi.u32", unsigned, "r")
TWO(mul_hi_u64, "mul.hi.u64", u64, "l") TWO(mul_hi_s64, "mul.hi.s64", s64, "l") TWO(mul_u16, "mul.lo.u16", unsigned short, "h")
THREE(mad_lo, "mad.lo.u32", unsigned, "r") THREE(mad_hi, "mad.hi.s32", int, "r") THREE(mad_lo_64, "mad.lo.u64", u64, "l")
TWO(div_u32, "div.u32", unsigned, "r") TWO(rem_s32, "rem.s32", int, "r") TWO(mul24, "mul24.lo.s32", int, "r") TWO(mul24_hi, "mul24.hi.u32", unsigned, "r")
TWO(min_s32, "min.s32", int, "r") TWO(max_u32, "max.u32", unsigned, "r") TWO(min_s64, "min.s64", s64, "l")
ONE(abs_s32, "abs.s32", int, "r", int, "r") ONE(neg_s32, "neg.s32", int, "r", int, "r") ONE(abs_s64, "abs.s64", s64, "l", s64, "l")
THREE(sad_s32, "sad.s32", int, "r")
TWO(and_b32, "and.b32", unsigned, "r") TWO(or_b64, "or.b64", u64, "l") TWO(xor_b16, "xor.b16", unsigned short, "h")
ONE(not_b32, "not.b32", unsigned, "r", unsigned, "r") ONE(cnot_b32, "cnot.b32", unsigned, "r", unsigned, "r")
SHIFT(shl_b32, "shl.b32", unsigned, "r") SHIFT(shr_u32, "shr.u32", unsigned, "r") SHIFT(shr_s32, "shr.s32", int, "r")
SHIFT(shl_b64, "shl.b64", u64, "l") SHIFT(shr_s64, "shr.s64", s64, "l") SHIFT(shr_s16, "shr.s16", short, "h")
THREE(shf_l_wrap, "shf.l.wrap.b32", unsigned, "r") THREE(shf_l_clamp, "shf.l.clamp.b32", unsigned, "r")
THREE(shf_r_wrap, "shf.r.wrap.b32", unsigned, "r") THREE(shf_r_clamp, "shf.r.clamp.b32", unsigned, "r")
THREE(prmt, "prmt.b32", unsigned, "r") THREE(bfe_u32, "bfe.u32", unsigned, "r") THREE(bfe_s32, "bfe.s32", int, "r")
ONE(popc, "popc.b32", unsigned, "r", unsigned, "r") ONE(popc_64, "popc.b64", u64, "l", unsigned, "r")
ONE(clz, "clz.b32", unsigned, "r", unsigned, "r") ONE(clz_64, "clz.b64", u64, "l", unsigned, "r")
ONE(brev, "brev.b32", unsigned, "r", unsigned, "r") ONE(brev_64, "brev.b64", u64, "l", u64, "l")
ONE(bfind_u32, "bfind.u32", unsigned, "r", unsigned, "r") ONE(bfind_s32, "bfind.s32", int, "r", unsigned, "r")
ONE(bfind_s64, "bfind.s64", s64, "l", unsigned, "r") ONE(bfind_shift, "bfind.shiftamt.u32", unsigned, "r", unsigned, "r")
THREE(dp4a, "dp4a.s32.s32", int, "r") THREE(dp4a_u, "dp4a.u32.u32", unsigned, "r") THREE(dp2a, "dp2a.lo.s32.s32", int, "r")
THREE(dp2a_hi, "dp2a.hi.u32.u32", unsigned, "r")
#define PERMUTE(mode) THREE(prmt_##mode, "prmt.b32." #mode, unsigned, "r")
PERMUTE(f4e) PERMUTE(b4e) PERMUTE(rc8) PERMUTE(ecl) PERMUTE(ecr) PERMUTE(rc16)

// What bfe gives, bit by bit.
template <typename T> __device__ T field(T a, int start, int length) {
    const int width = 8 * sizeof(T);
    T result = 0;
    const int top = start + length - 1 < width ? start + length - 1 : width - 1;
    const bool sign = T(-1) < T(0) && length > 0 && (a >> top & 1);
    for (int i = 0; i < width; i++) {
        const bool bit = i < length && start + i < width ? (a >> (start + i) & 1) : sign;
        result |= T(bit) << i;
    }
    return result;
}

__global__ void integers(int *failed) {
    const int values[] = {0, 1, -1, 2, 7, 255, -256, 32767, -32768, 0x12345678, int(0x9abcdef0), INT_MAX, INT_MIN};
    for (int a : values) {
        const unsigned u = a;
        const s64 wide = s64(a) * (1 << 20) | 5;
        EXPECT(abs_s32(a) == int(a < 0 ? 0u - u : u) && neg_s32(a) == int(0u - u) && not_b32(u) == ~u && cnot_b32(u) == (u == 0));
        EXPECT(abs_s64(wide) == (wide < 0 ? -wide : wide));
        EXPECT(popc(u) == unsigned(__popc(u)) && popc_64(wide) == unsigned(__popcll(wide)) && clz(u) == unsigned(__clz(a)));
        EXPECT(clz_64(wide) == unsigned(__clzll(wide)) && brev(u) == __brev(u) && brev_64(wide) == __brevll(wide));
        EXPECT(bfind_u32(u) == (u ? 31u - __clz(a) : ~0u) && bfind_shift(u) == (u ? unsigned(__clz(a)) : ~0u));
        const int bits = a < 0 ? ~a : a;
        EXPECT(bfind_s32(a) == (bits ? 31u - __clz(bits) : ~0u));
        EXPECT(bfind_s64(wide) == 63u - unsigned(__clzll(wide < 0 ? ~wide : wide)));
        for (int b : values) {
            const unsigned v = b;
            const s64 other = s64(b) * (1LL << 31) - 3;
            EXPECT(add_s32(a, b) == int(u + v) && sub_u64(wide, other) == u64(wide) - u64(other));
            const s64 sum = s64(a) + b, difference = s64(a) - b;
            EXPECT(add_sat(a, b) == (sum > INT_MAX ? INT_MAX : sum < INT_MIN ? INT_MIN : int(sum)));
            EXPECT(sub_sat(a, b) == (difference > INT_MAX ? INT_MAX : difference < INT_MIN ? INT_MIN : int(difference)));
            EXPECT(mul_lo(a, b) == int(u * v) && mul_hi_s32(a, b) == __mulhi(a, b) && mul_hi_u32(u, v) == __umulhi(u, v));
            EXPECT(mul_hi_u64(wide, other) == __umul64hi(wide, other) && mul_hi_s64(wide, other) == __mul64hi(wide, other));
            EXPECT(mul_u16(u, v) == static_cast<unsigned short>((u & 0xffff) * (v & 0xffff)));
            EXPECT(mad_lo(u, v, 7) == u * v + 7 && mad_hi(a, b, INT_MAX) == int(unsigned(__mulhi(a, b)) + INT_MAX));
            EXPECT(mad_lo_64(wide, other, wide) == u64(wide) * u64(other) + u64(wide) && mul24(a, b) == __mul24(a, b));
            EXPECT(mul24_hi(u, v) == unsigned((u64(u & 0xffffff) * (v & 0xffffff)) >> 16));
            if (b) EXPECT(div_u32(u, v) == u / v);
            if (b && b != -1) EXPECT(rem_s32(a, b) == a % b);
            EXPECT(min_s32(a, b) == (a < b ? a : b) && max_u32(u, v) == (u > v ? u : v) && min_s64(wide, other) == (wide < other ? wide : other));
            EXPECT(sad_s32(a, b, 9) == int(9 + (a < b ? v - u : u - v)));
            EXPECT(and_b32(u, v) == (u & v) && or_b64(wide, other) == u64(wide | other) && xor_b16(u, v) == static_cast<unsigned short>(u ^ v));
            EXPECT(prmt(u, v, 0x7520) == __byte_perm(u, v, 0x7520) && prmt(u, v, 0xba98) == __byte_perm(u, v, 0xba98));
            int wide_lo;
            s64 product;
            asm("mul.wide.s32 %0, %1, %2;" : "=l"(product) : "r"(a), "r"(b));
            EXPECT(product == s64(a) * b);
            asm("mad.wide.s32 %0, %1, %2, %3;" : "=l"(product) : "r"(a), "r"(b), "l"(wide));
            EXPECT(product == s64(u64(s64(a) * b) + u64(wide)));
            asm("mul.wide.u16 %0, %1, %2;" : "=r"(wide_lo) : "h"(static_cast<unsigned short>(u)), "h"(static_cast<unsigned short>(v)));
            EXPECT(unsigned(wide_lo) == (u & 0xffff) * (v & 0xffff));
            unsigned joined;
            asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(joined) : "r"(u), "r"(v), "r"(0x0ff00ff0));
            EXPECT(joined == ((u & v) | (u & 0x0ff00ff0) | (v & 0x0ff00ff0)));
            asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(joined) : "r"(u), "r"(v), "r"(0x0ff00ff0), "n"((0xf0 & 0xcc) ^ 0xaa));
            EXPECT(joined == ((u & v) ^ 0x0ff00ff0));
            int sum4 = 5, sum2 = 5;
            unsigned sum_u = 5, sum_hi = 5;
            for (int i = 0; i < 4; i++) {
                sum4 += int8_t(u >> 8 * i) * int8_t(v >> 8 * i), sum_u += (u >> 8 * i & 255) * (v >> 8 * i & 255);
                if (i < 2) sum2 += int16_t(u >> 16 * i) * int8_t(v >> 8 * i), sum_hi += (u >> 16 * i & 0xffff) * (v >> (16 + 8 * i) & 255);
            }
            EXPECT(dp4a(a, b, 5) == sum4 && dp4a_u(u, v, 5) == sum_u && dp2a(a, b, 5) == sum2 && dp2a_hi(u, v, 5) == sum_hi);
        }
        for (unsigned by : {0u, 1u, 15u, 16u, 31u, 32u, 33u, 63u, 64u, 65u, 255u, 256u, 0x80000000u}) {
            EXPECT(shl_b32(u, by) == (by < 32 ? u << by : 0) && shr_u32(u, by) == (by < 32 ? u >> by : 0));
            EXPECT(shr_s32(a, by) == (by < 32 ? a >> by : a < 0 ? -1 : 0) && shl_b64(wide, by) == (by < 64 ? u64(wide) << by : 0));
            EXPECT(shr_s64(wide, by) == (by < 64 ? wide >> by : wide < 0 ? -1 : 0));
            EXPECT(shr_s16(short(a), by) == short(by < 16 ? short(a) >> by : short(a) < 0 ? -1 : 0));
            const u64 both = u64(0x13579bdfu) << 32 | u;
            const unsigned clamp = by < 32 ? by : 32;
            EXPECT(shf_l_wrap(u, 0x13579bdf, by) == unsigned(both << (by & 31) >> 32));
            EXPECT(shf_r_wrap(u, 0x13579bdf, by) == unsigned(both >> (by & 31)));
            EXPECT(shf_l_clamp(u, 0x13579bdf, by) == (clamp == 32 ? u : unsigned(both << clamp >> 32)));
            EXPECT(shf_r_clamp(u, 0x13579bdf, by) == unsigned(both >> clamp));
        }
        for (unsigned start : {0u, 3u, 8u, 31u, 32u, 63u, 64u, 255u})
            for (unsigned length : {0u, 1u, 8u, 31u, 32u, 33u, 63u, 64u, 255u}) {
                EXPECT(bfe_u32(u, start, length) == field(u, start, length) && bfe_s32(a, start, length) == field(a, start, length));
                s64 of_64;
                asm("bfe.s64 %0, %1, %2, %3;" : "=l"(of_64) : "l"(wide), "r"(start), "r"(length));
                EXPECT(of_64 == field(wide, start, length));
                unsigned inserted, expected = 0x5a5a5a5a;
                asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(inserted) : "r"(u), "r"(0x5a5a5a5a), "r"(start), "r"(length));
                for (unsigned i = 0; i < length && start + i < 32; i++)
                    expected = (expected & ~(1u << (start + i))) | (u >> i & 1) << (start + i);
                EXPECT(inserted == expected);
            }
    }
    const unsigned low = 0x33221100, high = 0x77665544;
    EXPECT(prmt_f4e(low, high, 0) == 0x33221100 && prmt_f4e(low, high, 3) == 0x66554433);
    EXPECT(prmt_b4e(low, high, 0) == 0x55667700 && prmt_b4e(low, high, 3) == 0x00112233);
    EXPECT(prmt_rc8(low, high, 2) == 0x22222222 && prmt_ecl(low, high, 1) == 0x33221111 && prmt_ecl(low, high, 2) == 0x33222222);
    EXPECT(prmt_ecr(low, high, 1) == 0x11111100 && prmt_rc16(low, high, 0) == 0x11001100 && prmt_rc16(low, high, 1) == 0x33223322);
}

// Sums of 128 bits, and a product of 64 bits by parts; a carry that goes from one statement to the next.
__global__ void carries(int *failed) {
    const u64 values[] = {0, 1, 0xffffffff, 0x100000000, ~0ull, 0x8000000000000000, 0x123456789abcdef0};
    for (u64 a : values)
        for (u64 b : values) {
            u64 low, high;
            asm("add.cc.u64 %0, %2, %3;\n\taddc.u64 %1, %4, %5;" : "=&l"(low), "=l"(high) : "l"(a), "l"(b), "l"(b), "l"(7ull));
            EXPECT(low == a + b && high == b + 7 + (a + b < a));
            asm("sub.cc.u64 %0, %2, %3;  subc.u64 %1, %4, %5;" : "=&l"(low), "=l"(high) : "l"(a), "l"(b), "l"(b), "l"(7ull));
            EXPECT(low == a - b && high == b - 7 - (a < b));
            u64 middle;
            asm("add.cc.u64 %0, %3, %4; addc.cc.u64 %1, %5, %3; addc.u64 %2, 0, 0;"
                : "=&l"(low), "=&l"(middle), "=l"(high) : "l"(a), "l"(b), "l"(~a));
            EXPECT(middle == ~0ull + (a + b < a) && high == (a + b < a));
            asm("sub.cc.u64 %0, %3, %4; subc.cc.u64 %1, %3, %3; subc.u64 %2, 0, 0;"
                : "=&l"(low), "=&l"(middle), "=l"(high) : "l"(a), "l"(b));
            EXPECT(middle == 0ull - (a < b) && high == 0ull - (a < b));
            asm volatile("add.cc.u64 %0, %1, %2;" : "=l"(low) : "l"(a), "l"(b));
            asm volatile("addc.u64 %0, %1, 0;" : "=l"(high) : "l"(5ull));
            EXPECT(low == a + b && high == 5 + (a + b < a));
            const unsigned x = unsigned(a), y = unsigned(a >> 32), z = unsigned(b), w = unsigned(b >> 32);
            unsigned r0, r1, r2, r3;
            asm("{\n\t"
                "mul.lo.u32      %0, %4, %6;      // the lowest part\n\t"
                "mul.hi.u32      %1, %4, %6;\n\t"
                "mad.lo.cc.u32   %1, %4, %7, %1;\n\t"
                "madc.hi.u32     %2, %4, %7, 0;\n\t"
                "mad.lo.cc.u32   %1, %5, %6, %1;\n\t"
                "madc.hi.cc.u32  %2, %5, %6, %2;\n\t"
                "addc.u32        %3, 0, 0;        /* what is left */\n\t"
                "mad.lo.cc.u32   %2, %5, %7, %2;\n\t"
                "madc.hi.u32     %3, %5, %7, %3;\n\t"
                "}"
                : "=&r"(r0), "=&r"(r1), "=&r"(r2), "=&r"(r3)
                : "r"(x), "r"(y), "r"(z), "r"(w));
            EXPECT((u64(r1) << 32 | r0) == a * b && (u64(r3) << 32 | r2) == __umul64hi(a, b));
        }
}

TWO(add_f32, "add.rn.f32", float, "f") TWO(add_rz, "add.rz.f32", float, "f") TWO(add_rm, "add.rm.f32", float, "f") TWO(add_rp, "add.rp.f32", float, "f")
TWO(mul_f32, "mul.rn.f32", float, "f") TWO(mul_ftz, "mul.rn.ftz.f32", float, "f") TWO(mul_sat, "mul.rn.sat.f32", float, "f") TWO(mul_rp_f64, "mul.rp.f64", double, "d")
TWO(add_ftz, "add.ftz.f32", float, "f") TWO(min_f32, "min.f32", float, "f") TWO(max_f32, "max.f32", float, "f") TWO(max_nan, "max.NaN.f32", float, "f")
TWO(min_f64, "min.f64", double, "d") THREE(fma_f32, "fma.rn.f32", float, "f") THREE(fma_f64, "fma.rn.f64", double, "d") THREE(fma_rz, "fma.rz.f32", float, "f")
ONE(abs_f32, "abs.f32", float, "f", float, "f") ONE(neg_f64, "neg.f64", double, "d", double, "d") TWO(div_rn, "div.rn.f32", float, "f")
ONE(rcp_rn, "rcp.rn.f32", float, "f", float, "f") ONE(sqrt_rn, "sqrt.rn.f32", float, "f", float, "f") ONE(sqrt_f64, "sqrt.rn.f64", double, "d", double, "d")
ONE(ex2, "ex2.approx.ftz.f32", float, "f", float, "f") ONE(lg2, "lg2.approx.f32", float, "f", float, "f") ONE(rcp_approx, "rcp.approx.ftz.f32", float, "f", float, "f")
ONE(rsqrt_approx, "rsqrt.approx.f32", float, "f", float, "f") ONE(sqrt_approx, "sqrt.approx.f32", float, "f", float, "f")
ONE(sin_approx, "sin.approx.f32", float, "f", float, "f") ONE(cos_approx, "cos.approx.f32", float, "f", float, "f") ONE(tanh_approx, "tanh.approx.f32", float, "f", float, "f")
TWO(copysign_f32, "copysign.f32", float, "f")

__device__ bool same(float a, float b) { return __float_as_uint(a) == __float_as_uint(b) || (a != a && b != b); }
__device__ bool same(double a, double b) { return __double_as_longlong(a) == __double_as_longlong(b) || (a != a && b != b); }
__device__ bool near(float a, float b) { return same(a, b) || fabsf(a - b) <= 1e-3f * fabsf(b) + 1e-6f; }
__device__ float flush(float x) { return fabsf(x) < 1.17549435e-38f ? copysignf(0, x) : x; }

__global__ void floats(int *failed, float infinity, float nan) {
    const float values[] = {0.f, -0.f, 1.f, -1.f, 0.5f, 1.5f, -2.5f, 3.4e38f, -3.4e38f, 1e-39f, -1e-45f, 1.17549435e-38f, infinity, -infinity, nan, 0.1f};
    for (float a : values) {
        EXPECT(same(abs_f32(a), fabsf(a)) && same(neg_f64(a), -double(a)) && same(rcp_rn(a), 1 / a) && same(sqrt_rn(a), sqrtf(a)));
        EXPECT(same(sqrt_f64(a), sqrt(double(a))));
        if (fabsf(a) < 100) EXPECT(near(ex2(a), exp2f(flush(a))) && near(sin_approx(a), sinf(a)) && near(cos_approx(a), cosf(a)) && near(tanh_approx(a), tanhf(a)));
        EXPECT(near(lg2(a), log2f(a)) && near(rsqrt_approx(a), 1 / sqrtf(a)) && near(sqrt_approx(a), sqrtf(a)));
        EXPECT(near(rcp_approx(a), flush(1 / flush(a))));
        for (float b : values) {
            EXPECT(same(add_f32(a, b), a + b) && same(mul_f32(a, b), a * b) && same(div_rn(a, b), a / b) && same(copysign_f32(a, b), copysignf(b, a)));
            EXPECT(same(add_rz(a, b), __fadd_rz(a, b)) && same(add_rm(a, b), __fadd_rd(a, b)) && same(add_rp(a, b), __fadd_ru(a, b)));
            EXPECT(same(mul_rp_f64(a, b), __dmul_ru(a, b)) && same(mul_ftz(a, b), flush(flush(a) * flush(b))) && same(add_ftz(a, b), flush(flush(a) + flush(b))));
            const float product = a * b;
            EXPECT(same(mul_sat(a, b), product > 0 ? product < 1 ? product : 1.f : 0.f));
            const float least = a != a ? b : b != b ? a : a == b ? (signbit(a) ? a : b) : a < b ? a : b;
            const float most = a != a ? b : b != b ? a : a == b ? (signbit(a) ? b : a) : a < b ? b : a;
            EXPECT(same(min_f32(a, b), least) && same(min_f64(a, b), double(least)) && same(max_f32(a, b), most));
            EXPECT(same(max_nan(a, b), a != a || b != b ? nan : most));
            EXPECT(same(fma_f32(a, b, 0.1f), fmaf(a, b, 0.1f)) && same(fma_f64(a, b, 0.1), fma(double(a), double(b), 0.1)));
            // comparisons
            int results[8];
            asm("{ .reg .pred p<8>;\n"
                "setp.eq.f32 p0, %8, %9; setp.ne.f32 p1, %8, %9; setp.lt.f32 p2, %8, %9; setp.geu.f32 p3, %8, %9;\n"
                "setp.neu.f32 p4, %8, %9; setp.nan.f32 p5, %8, %9; setp.num.f32 p6, %8, %9; setp.gt.or.f32 p7, %8, %9, p5;\n"
                "selp.s32 %0, 1, 0, p0; selp.s32 %1, 1, 0, p1; selp.s32 %2, 1, 0, p2; selp.s32 %3, 1, 0, p3;\n"
                "selp.s32 %4, 1, 0, p4; selp.s32 %5, 1, 0, p5; selp.s32 %6, 1, 0, p6; selp.s32 %7, 1, 0, p7; }"
                : "=r"(results[0]), "=r"(results[1]), "=r"(results[2]), "=r"(results[3]), "=r"(results[4]), "=r"(results[5]),
                  "=r"(results[6]), "=r"(results[7])
                : "f"(a), "f"(b));
            const bool none = a != a || b != b;
            const bool expected[] = {a == b, !none && a != b, a < b, none || a >= b, a != b, none, !none, none || a > b};
            for (int i = 0; i < 8; i++) EXPECT(results[i] == expected[i]);
        }
        int finite, subnormal;
        asm("{ .reg .pred p, q; testp.finite.f32 p, %2; testp.subnormal.f32 q, %2; selp.s32 %0, 1, 0, p; selp.s32 %1, 1, 0, q; }"
            : "=r"(finite), "=r"(subnormal) : "f"(a));
        EXPECT(finite == (fabsf(a) < infinity) && subnormal == (a != 0 && fabsf(a) < 1.17549435e-38f));
    }
    const float little = 1 + 0x1p-12f;
    EXPECT(fma_rz(little, little, 0x1p-30f) == 1 + 0x1p-11f && fma_f32(little, little, 0x1p-30f) == 1 + 0x1p-11f + 0x1p-23f);
    float one, two;
    double three;
    asm("mov.f32 %0, 0f3F800000; mov.b32 %1, 0x40000000; mov.f64 %2, 0d4008000000000000;" : "=f"(one), "=f"(two), "=d"(three));
    EXPECT(one == 1 && two == 2 && three == 3);
}

#define CONVERT(name, op, T, c, R, r) ONE(name, "cvt." op, T, c, R, r)
CONVERT(rni, "rni.s32.f32", float, "f", int, "r") CONVERT(rzi, "rzi.s32.f32", float, "f", int, "r") CONVERT(rmi, "rmi.s32.f32", float, "f", int, "r")
CONVERT(rpi, "rpi.u32.f32", float, "f", unsigned, "r") CONVERT(rni_64, "rni.s64.f64", double, "d", s64, "l") CONVERT(rzi_f64, "rzi.s32.f64", double, "d", int, "r")
CONVERT(to_s8, "rzi.s8.f32", float, "f", int, "r") CONVERT(integral, "rni.f32.f32", float, "f", float, "f") CONVERT(floor_f64, "rmi.f64.f64", double, "d", double, "d")
CONVERT(of_int, "rn.f32.s32", int, "r", float, "f") CONVERT(of_int_rz, "rz.f32.s32", int, "r", float, "f") CONVERT(of_int_rp, "rp.f32.u64", u64, "l", float, "f")
CONVERT(narrow, "rn.f32.f64", double, "d", float, "f") CONVERT(narrow_rm, "rm.f32.f64", double, "d", float, "f") CONVERT(widen, "f64.f32", float, "f", double, "d")
CONVERT(sat, "sat.f32.f32", float, "f", float, "f") CONVERT(sat_u8, "sat.u8.s32", int, "r", unsigned, "r") CONVERT(sat_s16, "sat.s16.u32", unsigned, "r", int, "r")
CONVERT(sign, "s32.s8", int, "r", int, "r") CONVERT(low, "u32.u64", u64, "l", unsigned, "r") CONVERT(extend, "s64.s32", int, "r", s64, "l")
CONVERT(zero_extend, "u64.u16", unsigned short, "h", u64, "l") CONVERT(to_half, "rn.f16.f32", float, "f", unsigned short, "h")
CONVERT(to_half_rz, "rz.f16.f32", float, "f", unsigned short, "h") CONVERT(of_half, "f32.f16", unsigned short, "h", float, "f")
CONVERT(to_bfloat, "rn.bf16.f32", float, "f", unsigned short, "h")
TWO(add_halves, "add.f16x2", unsigned, "r") THREE(fma_halves, "fma.rn.f16x2", unsigned, "r") TWO(mul_half, "mul.f16", unsigned short, "h") THREE(fma_bfloats, "fma.rn.bf16x2", unsigned, "r")

__global__ void conversions(int *failed, float infinity, float nan) {
    const float values[] = {0.f, -0.f, 0.5f, 1.5f, 2.5f, -0.5f, -1.5f, 0.1f, 2147483520.f, 2147483648.f, -2147483648.f, 1e20f, -1e20f, infinity, -infinity, nan, 127.9f, -129.f, 300.f, 1e-40f};
    for (float a : values) {
        EXPECT(rni(a) == __float2int_rn(a) && rzi(a) == __float2int_rz(a) && rmi(a) == __float2int_rd(a) && rpi(a) == __float2uint_ru(a));
        EXPECT(a != a || (rni_64(a) == __double2ll_rn(a) && rzi_f64(a) == __double2int_rz(a)));
        EXPECT(same(integral(a), rintf(a)) && same(floor_f64(a), floor(double(a))) && same(widen(a), double(a)));
        const int byte = a != a ? 0 : a >= 127 ? 127 : a <= -128 ? -128 : int(a);
        EXPECT(to_s8(a) == byte && same(sat(a), a > 0 ? a < 1 ? a : 1.f : 0.f));
    }
    EXPECT(rni_64(nan) == LLONG_MIN && rzi_f64(nan) == INT_MIN);
    for (int a : {0, 1, -1, 127, 128, 255, 256, -129, 32767, 32768, 16777217, INT_MAX, INT_MIN}) {
        const unsigned u = a;
        EXPECT(of_int(a) == float(a) && of_int_rz(a) == (a == 16777217 ? 16777216.f : a == INT_MAX ? 2147483520.f : float(a)));
        EXPECT(of_int_rp(u64(u) << 20 | 1) >= float(u64(u) << 20 | 1) && same(narrow(a), float(a)) && narrow_rm(a) <= double(a));
        EXPECT(sat_u8(a) == unsigned(a < 0 ? 0 : a > 255 ? 255 : a) && sat_s16(u) == int(u > 32767 ? 32767 : u));
        EXPECT(sign(a) == int8_t(a) && low(u64(u) << 32 | 5) == 5 && extend(a) == s64(a) && zero_extend(u) == (u & 0xffff));
    }
    EXPECT(to_half(1) == 0x3c00 && to_half(-2) == 0xc000 && to_half(65504) == 0x7bff && to_half(65520) == 0x7c00 && to_half(65519) == 0x7bff);
    EXPECT(to_half(0x1p-24f) == 1 && to_half(0x1p-25f) == 0 && to_half(0x1.8p-24f) == 2 && to_half(0x1p-14f) == 0x400 && to_half(infinity) == 0x7c00);
    EXPECT(to_half(nan) == 0x7fff && to_half(1 + 0x1p-11f) == 0x3c00 && to_half(1 + 0x3p-11f) == 0x3c02 && to_half_rz(1 + 0x3p-11f) == 0x3c01);
    EXPECT(to_half_rz(70000) == 0x7bff && of_half(0x3c00) == 1 && of_half(0xfbff) == -65504 && of_half(1) == 0x1p-24f && of_half(0x7c00) == infinity && of_half(0x7e00) != of_half(0x7e00));
    EXPECT(to_bfloat(1) == 0x3f80 && to_bfloat(1 + 0x1p-8f) == 0x3f80 && to_bfloat(1 + 0x3p-8f) == 0x3f82 && to_bfloat(-infinity) == 0xff80);
    EXPECT(add_halves(0x3c003c00, 0x3c00c000) == 0x4000bc00 && fma_halves(0x40003c00, 0x40003c00, 0x3c003c00) == 0x45004000 && mul_half(0x4200, 0x3800) == 0x3e00);
    EXPECT(fma_bfloats(0x40003f80, 0x40003f80, 0x3f803f80) == 0x40a04000);
    unsigned two;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(two) : "f"(1.f), "f"(2.f));
    EXPECT(two == 0x3c004000);
}

ONE(rsqrt_f64, "rsqrt.approx.f64", double, "d", double, "d") ONE(rcp_f64, "rcp.rn.f64", double, "d", double, "d") TWO(sub_f64, "sub.rm.f64", double, "d")
ONE(neg_halves, "neg.f16x2", unsigned, "r", unsigned, "r") ONE(abs_bfloat, "abs.bf16", unsigned short, "h", unsigned short, "h")
ONE(ex2_half, "ex2.approx.f16", unsigned short, "h", unsigned short, "h") ONE(tanh_halves, "tanh.approx.f16x2", unsigned, "r", unsigned, "r")
TWO(min_halves, "min.f16x2", unsigned, "r") TWO(max_bfloat, "max.bf16", unsigned short, "h") TWO(sub_halves, "sub.f16x2", unsigned, "r")
THREE(fns, "fns.b32", unsigned, "r") TWO(div_s64, "div.s64", s64, "l") TWO(mul24_u, "mul24.lo.u32", unsigned, "r")

// The rarer ones, with values by hand.
__global__ void others(int *failed, float nan) {
    EXPECT(rsqrt_f64(4) == 0.5 && rcp_f64(3) == 1.0 / 3 && sub_f64(1, 0x1p-60) == 1 - 0x1p-53);
    EXPECT(neg_halves(0x3c00bc00) == 0xbc003c00 && abs_bfloat(0xbf80) == 0x3f80 && ex2_half(0x4000) == 0x4400 && tanh_halves(0) == 0);
    EXPECT(min_halves(0x3c00c000, 0x40003c00) == 0x3c00c000 && max_bfloat(0x3f80, 0xc000) == 0x3f80 && sub_halves(0x40003c00, 0x3c003c00) == 0x3c000000);
    EXPECT(fns(0xf0, 0, 2) == 5 && div_s64(-7, 2) == -3 && mul24_u(0x01000003, 5) == 15);
    int a, b, c, d;
    float x;
    asm("set.lt.s32.s32 %0, %2, %3; set.gt.u32.f32 %1, %4, 0f3F800000;" : "=r"(a), "=r"(b) : "r"(-1), "r"(1), "f"(nan));
    EXPECT(a == -1 && b == 0);
    asm("set.geu.f32.f32 %0, %1, %1;" : "=f"(x) : "f"(nan));
    EXPECT(x == 1);
    asm("slct.s32.s32 %0, 1, 2, %2; slct.b32.f32 %1, 3, 4, %3;" : "=r"(a), "=r"(b) : "r"(-5), "f"(0.5f));
    EXPECT(a == 2 && b == 3);
    for (int i = 0; i < 4; i++) {
        asm("{ .reg .pred p, q, r, s; setp.ne.s32 p, %4, 0; setp.lt.and.s32 q|r, %5, 5, p; selp.s32 %0, 1, 0, q; selp.s32 %1, 1, 0, r;\n"
            " xor.pred s, p, q; selp.s32 %2, 1, 0, s; not.pred s, q; and.pred r, p, p; not.pred r, r; or.pred s, s, r; selp.s32 %3, 1, 0, s; }"
            : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(i & 1), "r"(i & 2 ? 9 : 3));
        const bool p = i & 1, q = !(i & 2) && p, r = (i & 2) && p;
        EXPECT(a == q && b == r && c == (p != q) && d == (!q || !p));
    }
    int parts[2];
    asm("mad.hi.cc.s32 %0, %2, %3, %4; madc.lo.s32 %1, %2, %3, 0;" : "=&r"(parts[0]), "=r"(parts[1]) : "r"(INT_MIN), "r"(-4), "r"(-2));
    EXPECT(parts[0] == 0 && parts[1] == 1);
}

struct Item {
    unsigned char bytes[8];
    short shorts[2];
    int words[4];
    float floats[4];
    double doubles[2];
    u64 longs[2];
};
__constant__ int fixed[2] = {21, 42};

__global__ void memory(Item *item, int *failed) {
    __shared__ float tile[64];
    extern __shared__ int dynamic[];
    int a, b, c, d;
    asm("ld.global.u8 %0, [%2]; ld.global.s8 %1, [%2+1];" : "=r"(a), "=r"(b) : "l"(item->bytes));
    EXPECT(a == 200 && b == int8_t(201));
    short s;
    asm volatile("ld.global.nc.s16 %0, [%1+2];" : "=h"(s) : "l"(item->shorts));
    EXPECT(s == -6);
    asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(item->words) : "memory");
    EXPECT(a == 1 && b == -2 && c == 3 && d == -4);
    float x, y;
    double e;
    u64 l;
    asm("ld.global.nc.L1::no_allocate.L2::128B.v2.f32 {%0, %1}, [%2 + 8];" : "=f"(x), "=f"(y) : "l"(item->floats));
    asm("ld.f64 %0, [%1];" : "=d"(e) : "l"(&item->doubles[1]));
    asm("ld.volatile.global.u64 %0, [%1];" : "=l"(l) : "l"(&item->longs[1]));
    EXPECT(x == 2.5f && y == -3.5f && e == 1.25 && l == 1ull << 40);
    asm("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(a) : "l"(&item->words[1]) : "memory");
    asm("ld.relaxed.sys.global.s32 %0, [%1];" : "=r"(b) : "l"(&item->words[2]) : "memory");
    EXPECT(a == -2 && b == 3);
    asm("ld.const.s32 %0, [%1+4];" : "=r"(a) : "l"(__cvta_generic_to_constant(fixed)));
    EXPECT(a == 42);

    asm volatile("st.global.cs.v2.s32 [%0], {%1, %2};" :: "l"(item->words), "r"(70), "r"(-71) : "memory");
    asm volatile("st.global.u8 [%0+3], %1;" :: "l"(item->bytes), "r"(0x1fe) : "memory");
    asm volatile("st.release.gpu.global.b64 [%0], %1;" :: "l"(item->longs), "l"(99ull) : "memory");
    asm volatile("st.volatile.global.f32 [%0], %1;" :: "l"(item->floats), "f"(8.f) : "memory");
    asm volatile("membar.gl; fence.acq_rel.gpu;" ::: "memory");
    EXPECT(item->words[0] == 70 && item->words[1] == -71 && item->bytes[3] == 0xfe && item->longs[0] == 99 && item->floats[0] == 8);
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %2, 0; @p st.global.s32 [%0], 5; @!p st.global.s32 [%1], 6; }"
                 :: "l"(&item->words[2]), "l"(&item->words[3]), "r"(0) : "memory");
    EXPECT(item->words[2] == 3 && item->words[3] == 6);

    // shared memory, by addresses of 32 bits
    const unsigned at = unsigned(__cvta_generic_to_shared(tile)), other = unsigned(__cvta_generic_to_shared(dynamic));
    asm volatile("st.shared.f32 [%0], %1; st.shared.v2.f32 [%0 + 8], {%1, %2};" :: "r"(at), "f"(1.5f), "f"(2.5f) : "memory");
    asm volatile("st.shared::cta.s32 [%0+4], %1;" :: "r"(other), "r"(77) : "memory");
    EXPECT(tile[0] == 1.5f && tile[2] == 1.5f && tile[3] == 2.5f && dynamic[1] == 77);
    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(x) : "r"(at + 12) : "memory");
    EXPECT(x == 2.5f && __cvta_shared_to_generic(at) == tile && __isShared(tile) && !__isShared(item) && __isGlobal(item));
    unsigned converted;
    u64 back;
    asm("{ .reg .u64 wide; cvta.to.shared.u64 wide, %1; cvt.u32.u64 %0, wide; }" : "=r"(converted) : "l"(tile + 1));
    asm("{ .reg .u64 wide; cvt.u64.u32 wide, %1; cvta.shared.u64 %0, wide; }" : "=l"(back) : "r"(converted));
    EXPECT(converted == at + 4 && back == u64(tile + 1));
    int is_shared, is_global;
    asm("{ .reg .pred p, q; isspacep.shared p, %2; isspacep.global q, %2; selp.s32 %0, 1, 0, p; selp.s32 %1, 1, 0, q; }"
        : "=r"(is_shared), "=r"(is_global) : "l"(tile));
    EXPECT(is_shared == 1 && is_global == 0);

    // copies
    for (int i = 4; i < 9; i++) tile[i] = 9;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;\n" :: "r"(at), "l"(item->floats));
    asm volatile("cp.async.cg.shared.global [%0], [%1], %2, %3;\n" :: "r"(at + 16), "l"(item->floats), "n"(16), "r"(8));
    asm volatile("cp.async.ca.shared.global.L2::128B [%0], [%1], 4;" :: "r"(at + 32), "l"(item->floats + 3));
    asm volatile("cp.async.commit_group;\n" ::);
    asm volatile("cp.async.wait_group %0;\n" :: "n"(0));
    asm volatile("cp.async.wait_all;");
    EXPECT(tile[0] == 8 && tile[3] == -3.5f && tile[4] == 8 && tile[5] == item->floats[1] && tile[6] == 0 && tile[7] == 0 && tile[8] == -3.5f);
    asm volatile("prefetch.global.L2 [%0];" :: "l"(item));

    // pieces of registers
    asm("mov.b64 {%0, %1}, %2;" : "=r"(a), "=r"(b) : "l"(0x1234567890abcdefull));
    asm("mov.b64 %0, {%1, %2};" : "=l"(l) : "r"(b), "r"(a));
    EXPECT(unsigned(a) == 0x90abcdefu && b == 0x12345678 && l == 0x90abcdef12345678ull);
    unsigned short low, high;
    asm("mov.b32 {%0, %1}, %2;" : "=h"(low), "=h"(high) : "f"(1.f));
    EXPECT(low == 0 && high == 0x3f80);
    asm("mov.b64 {_, %0}, %1;" : "=r"(a) : "d"(1.0));
    EXPECT(a == 0x3ff00000);
}

__global__ void atomics(int *numbers, float *sums, u64 *longs, unsigned *halves, int *failed) {
    int before;
    asm volatile("atom.global.add.s32 %0, [%1], %2;" : "=r"(before) : "l"(numbers), "r"(1) : "memory");
    EXPECT(before >= 100 && before < 164);
    asm volatile("red.global.add.s32 [%0], %1;" :: "l"(numbers + 1), "r"(2) : "memory");
    asm volatile("red.relaxed.gpu.global.max.s32 [%0+4], %1;" :: "l"(numbers + 1), "r"(int(threadIdx.x) - 5) : "memory");
    asm volatile("atom.min.u32 %0, [%1], %2;" : "=r"(before) : "l"(numbers + 3), "r"(1000 + threadIdx.x) : "memory");
    asm volatile("atom.acq_rel.gpu.global.or.b32 %0, [%1], %2;" : "=r"(before) : "l"(numbers + 4), "r"(1 << threadIdx.x % 8) : "memory");
    asm volatile("red.and.b32 [%0], %1;" :: "l"(numbers + 5), "r"(~(1 << threadIdx.x % 4)) : "memory");
    asm volatile("red.xor.b32 [%0], %1;" :: "l"(numbers + 6), "r"(threadIdx.x) : "memory");
    asm volatile("atom.global.inc.u32 %0, [%1], %2;" : "=r"(before) : "l"(numbers + 7), "r"(9) : "memory");
    asm volatile("atom.global.dec.u32 %0, [%1], %2;" : "=r"(before) : "l"(numbers + 8), "r"(9) : "memory");
    asm volatile("red.global.add.f32 [%0], %1;" :: "l"(sums), "f"(0.5f) : "memory");
    asm volatile("red.global.add.u64 [%0], %1;" :: "l"(longs), "l"(1ull << 33) : "memory");
    asm volatile("red.global.add.noftz.f16x2 [%0], %1;" :: "l"(halves), "r"(0x40003c00) : "memory");
    if (threadIdx.x == 0) {
        asm volatile("atom.global.cas.b32 %0, [%1], %2, %3;" : "=r"(before) : "l"(numbers + 9), "r"(5), "r"(6) : "memory");
        EXPECT(before == 5);
        asm volatile("atom.global.cas.b32 %0, [%1], %2, %3;" : "=r"(before) : "l"(numbers + 9), "r"(5), "r"(7) : "memory");
        EXPECT(before == 6);
        asm volatile("atom.exch.b32 %0, [%1], %2;" : "=r"(before) : "l"(numbers + 9), "r"(8) : "memory");
        EXPECT(before == 6 && numbers[9] == 8);
        u64 old;
        asm volatile("atom.global.cas.b64 %0, [%1], %2, %3;" : "=l"(old) : "l"(longs + 1), "l"(7ull), "l"(1ull << 50) : "memory");
        EXPECT(old == 7 && longs[1] == 1ull << 50);
    }
}

__global__ void threads(int *failed) {
    __shared__ int seen[64];
    const unsigned rank = threadIdx.y * blockDim.x + threadIdx.x, lane = rank % 32;
    unsigned a, b, c, d, e, f;
    asm("mov.u32 %0, %%laneid; mov.u32 %1, %%tid.x; mov.u32 %2, %%ntid.y; mov.u32 %3, %%ctaid.x; mov.u32 %4, %%nctaid.x; mov.u32 %5, WARP_SZ;"
        : "=r"(a), "=r"(b), "=r"(c), "=r"(d), "=r"(e), "=r"(f));
    EXPECT(a == lane && b == threadIdx.x && c == blockDim.y && d == blockIdx.x && e == gridDim.x && f == 32);
    asm("mov.u32 %0, %%lanemask_lt; mov.u32 %1, %%lanemask_le; mov.u32 %2, %%lanemask_eq; mov.u32 %3, %%lanemask_ge; mov.u32 %4, %%lanemask_gt;"
        : "=r"(a), "=r"(b), "=r"(c), "=r"(d), "=r"(e));
    EXPECT(a == (1u << lane) - 1 && c == 1u << lane && b == (a | c) && d == ~a && e == ~b);
    unsigned sm, sms;
    u64 clock, later;
    asm volatile("mov.u32 %0, %%smid; mov.u32 %1, %%nsmid; mov.u64 %2, %%clock64; mov.u64 %3, %%globaltimer;" : "=r"(sm), "=r"(sms), "=l"(clock), "=l"(later));
    EXPECT(sm < sms && clock > 0 && later > 0);
    asm volatile("nanosleep.u32 20;");

    // __shfl_sync and its like, as CUDA's headers have them
    const unsigned all = 0xffffffff;
    int is_inside;
    for (unsigned by : {0u, 1u, 3u, 16u, 31u})
        for (int width : {32, 16, 8, 1}) {
            const unsigned parts = (32 - width) << 8;
            asm volatile("shfl.sync.up.b32 %0, %1, %2, %3, %4;" : "=r"(a) : "r"(rank), "r"(by), "r"(parts), "r"(all));
            EXPECT(a == __shfl_up_sync(all, rank, by, width));
            asm volatile("{ .reg .pred p; shfl.sync.down.b32 %0|p, %2, %3, %4, %5; selp.s32 %1, 1, 0, p; }"
                         : "=r"(a), "=r"(is_inside) : "r"(rank), "r"(by), "r"(parts | 31), "r"(all));
            EXPECT(a == __shfl_down_sync(all, rank, by, width) && is_inside == (lane % width + by < unsigned(width)));
            asm volatile("shfl.sync.bfly.b32 %0, %1, %2, %3, %4;" : "=r"(a) : "r"(rank), "r"(by), "r"(parts | 31), "r"(all));
            EXPECT(a == __shfl_xor_sync(all, rank, by, width));
            asm volatile("shfl.sync.idx.b32 %0, %1, %2, %3, %4;" : "=r"(a) : "r"(rank), "r"(by), "r"(parts | 31), "r"(all));
            EXPECT(a == __shfl_sync(all, rank, by, width));
        }
    asm volatile("{ .reg .pred p, q, r; setp.lt.u32 p, %3, 7; vote.sync.ballot.b32 %0, p, %4; vote.sync.any.pred q, p, %4;\n"
                 " vote.sync.all.pred r, p, %4; selp.u32 %1, 1, 0, q; selp.u32 %2, 1, 0, r; }"
                 : "=r"(a), "=r"(b), "=r"(c) : "r"(lane), "r"(all));
    EXPECT(a == 0x7f && b == 1 && c == 0);
    asm volatile("{ .reg .pred p, q; setp.lt.u32 p, %2, 32; vote.sync.uni.pred q, p, %3; selp.u32 %0, 1, 0, q;\n"
                 " setp.lt.u32 p, %2, 5; vote.sync.uni.pred q, p, %3; selp.u32 %1, 1, 0, q; }" : "=r"(a), "=r"(b) : "r"(lane), "r"(all));
    EXPECT(a == 1 && b == 0);
    asm volatile("activemask.b32 %0; match.any.sync.b32 %1, %2, %3;" : "=r"(a), "=r"(b) : "r"(lane / 8), "r"(all));
    EXPECT(a == all && b == 0xffu << lane / 8 * 8);
    asm volatile("{ .reg .pred p; match.all.sync.b32 %0|p, %2, %3; selp.u32 %1, 1, 0, p; }" : "=r"(a), "=r"(b) : "r"(rank / 32), "r"(all));
    EXPECT(a == all && b == 1);
    asm volatile("redux.sync.add.u32 %0, %2, %3; redux.sync.min.s32 %1, %4, %3;" : "=r"(a), "=r"(b) : "r"(lane), "r"(all), "r"(-int(lane)));
    EXPECT(a == 496 && int(b) == -31);
    asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");

    seen[rank] = int(rank);
    asm volatile("bar.sync 0;" ::: "memory");
    EXPECT(seen[63 - rank] == int(63 - rank));
    asm volatile("barrier.sync.aligned 1, %0;" :: "r"(64) : "memory");
    seen[rank] = int(2 * rank);
    asm volatile("bar.sync 0, 64;" ::: "memory");
    EXPECT(seen[63 - rank] == int(2 * (63 - rank)));
    asm volatile("{ .reg .pred p, q; setp.lt.u32 p, %2, 10; bar.red.popc.u32 %0, 0, p; bar.red.or.pred q, 0, p; selp.u32 %1, 1, 0, q; }"
                 : "=r"(a), "=r"(b) : "r"(rank));
    EXPECT(a == 10 && b == 1);

    // a loop
    asm volatile("{\n\t.reg .pred p;\n\t.reg .u32 i;\n\tmov.u32 i, 0;\n\tmov.u32 %0, 0;\n"
                 "AGAIN:\n\tadd.u32 %0, %0, i;\n\tadd.u32 i, i, 1;\n\tsetp.le.u32 p, i, %1;\n\t@p bra AGAIN;\n\t}" : "=r"(a) : "r"(lane));
    EXPECT(a == lane * (lane + 1) / 2);
    // without an else, and in one
    if (lane == 40) asm volatile("trap;");
    else if (lane == 3) asm("add.u32 %0, %0, 1;" : "+r"(a));
    EXPECT(a == lane * (lane + 1) / 2 + (lane == 3));
    enum Kind { none = 3 } kind = none;
    asm("mov.b32 %0, %1;" : "=r"(a) : "r"(kind));
    EXPECT(a == 3);
}

static int finish(const char *name, int *failed) {
    const cudaError_t error = cudaDeviceSynchronize();
    if (error == cudaSuccess && *failed == 0) return 0;
    std::printf("%s: %s, line %d\n", name, cudaGetErrorName(error), *failed);
    return 1;
}

int main() {
    int *failed, *numbers;
    Item *item;
    float *sums;
    u64 *longs;
    unsigned *halves;
    cudaMallocManaged(&failed, sizeof *failed), cudaMallocManaged(&item, sizeof *item), cudaMallocManaged(&numbers, 10 * sizeof(int));
    cudaMallocManaged(&sums, sizeof(float)), cudaMallocManaged(&longs, 2 * sizeof(u64)), cudaMallocManaged(&halves, sizeof(unsigned));
    *failed = 0;
    *item = {{200, 201}, {5, -6}, {1, -2, 3, -4}, {0.5f, 1.5f, 2.5f, -3.5f}, {0, 1.25}, {0, 1ull << 40}};
    const int start[] = {100, 0, -100, 2000, 0, -1, 0, 0, 0, 5};
    std::memcpy(numbers, start, sizeof start);
    *sums = 0, longs[0] = 0, longs[1] = 7, *halves = 0;
    integers<<<1, 1>>>(failed);
    if (finish("integers", failed)) return 1;
    carries<<<1, 1>>>(failed);
    if (finish("carries", failed)) return 1;
    floats<<<1, 1>>>(failed, INFINITY, NAN);
    if (finish("floats", failed)) return 1;
    conversions<<<1, 1>>>(failed, INFINITY, NAN);
    if (finish("conversions", failed)) return 1;
    others<<<1, 1>>>(failed, NAN);
    if (finish("others", failed)) return 1;
    memory<<<1, 1, 64>>>(item, failed);
    if (finish("memory", failed)) return 1;
    atomics<<<1, 64>>>(numbers, sums, longs, halves, failed);
    if (finish("atomics", failed)) return 1;
    const int after[] = {164, 128, 58, 1000, 255, -16, 0, 4, 6, 8};
    for (int i = 0; i < 10; i++)
        if (numbers[i] != after[i]) return std::printf("atomics: %d: %d instead of %d\n", i, numbers[i], after[i]), 1;
    if (*sums != 32 || longs[0] != 1ull << 39 || *halves != 0x58005400) return std::printf("atomics: %g %llx %x\n", *sums, longs[0], *halves), 1;
    threads<<<3, dim3(16, 4)>>>(failed);
    if (finish("threads", failed)) return 1;
    std::printf("right\n");
}
