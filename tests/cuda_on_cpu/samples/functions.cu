// tests/cuda_on_cpu/samples/functions.cu: directions of rounding, 16-bit numbers, dot products and choices of packed numbers.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define REQUIRE(condition)                                                                                             \
    do                                                                                                                 \
        if (!(condition)) std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition), std::exit(1);                    \
    while (0)

static void directions() {
    REQUIRE(__fmaf_ru(1, 1, 0x1p-30f) == 1 + 0x1p-23f && __fmaf_rz(1, 1, 0x1p-30f) == 1 && __fmaf_rd(1, 1, -0x1p-30f) < 1);
    REQUIRE(__fma_rd(-1, 1, -0x1p-60) < -1 && __fma_rz(-1, 1, -0x1p-60) == -1 && __fmaf_ieee_ru(1, 1, 0x1p-30f) > 1);
    REQUIRE(__fsqrt_rd(2) < __fsqrt_ru(2) && __fsqrt_rz(2) == __fsqrt_rd(2) && __dsqrt_rd(2) < __dsqrt_ru(2));
    REQUIRE(__frcp_rd(3) < __frcp_ru(3) && __frcp_rz(-3) == __frcp_ru(-3) && __drcp_rz(3) == __drcp_rd(3));
    REQUIRE(__int2float_rd(16777217) == 16777216 && __int2float_ru(16777217) == 16777218 && __int2float_rz(-16777217) == -16777216);
    REQUIRE(__uint2float_ru(UINT_MAX) == 0x1p32f && __uint2float_rd(UINT_MAX) == 0x1p32f - 256);
    REQUIRE(__ll2float_rd(LLONG_MAX) < 0x1p63f && __ll2float_ru(LLONG_MAX) == 0x1p63f && __ull2float_rz(ULLONG_MAX) < 0x1p64f);
    REQUIRE(__ll2double_rz((1LL << 53) + 1) == 0x1p53 && __ll2double_ru((1LL << 53) + 1) == 0x1p53 + 2);
    REQUIRE(__ull2double_rd(ULLONG_MAX) < 0x1p64 && __ull2double_ru(ULLONG_MAX) == 0x1p64);
    REQUIRE(__double2float_rd(1 + 0x1p-40) == 1 && __double2float_ru(1 + 0x1p-40) == 1 + 0x1p-23f);
    REQUIRE(__double2float_rz(-1 - 0x1p-40) == -1 && __double2float_rn(1 + 0x1p-40) == 1);
}

// All finite numbers of a 16-bit type in ascending order, by their bits.
template <typename H, typename Raw> static std::vector<H> all_numbers() {
    std::vector<H> list;
    for (int bits = 0xffff; bits >= 0x8000; bits--) list.push_back(H(Raw{static_cast<unsigned short>(bits)}));
    for (int bits = 0; bits < 0x8000; bits++) list.push_back(H(Raw{static_cast<unsigned short>(bits)}));
    std::vector<H> finite;
    for (const H each : list)
        if (std::isfinite(float(each))) finite.push_back(each);
    return finite;
}
// Rounding down is the last number that is not larger, and so on; to nearest is that whose last bit is 0, of two.
template <typename H, typename T, typename Down, typename Up, typename Zero, typename Near>
static void rounds(const std::vector<H> &all, T x, Down down, Up up, Zero zero, Near near) {
    size_t low = 0, high = all.size();
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (static_cast<long double>(float(all[middle])) <= static_cast<long double>(x)) low = middle + 1;
        else high = middle;
    }
    const long double below = low ? float(all[low - 1]) : -HUGE_VALF;
    const bool exact = below == static_cast<long double>(x);
    const long double above = exact ? below : low < all.size() ? float(all[low]) : HUGE_VALF;
    REQUIRE(float(down(x)) == below && float(up(x)) == above && float(zero(x)) == (x < 0 ? above : below));
    const long double to_below = x - below, to_above = above - x;
    const float found = float(near(x));
    if (std::isinf(below) || std::isinf(above)) return;
    if (exact || to_below != to_above) REQUIRE(found == (to_below < to_above ? below : above));
    else REQUIRE(near(x).__x % 2 == 0);
}
static void rounded_to_sixteen_bits() {
    const auto halves = all_numbers<__half, __half_raw>();
    const auto bfloats = all_numbers<__nv_bfloat16, __nv_bfloat16_raw>();
    REQUIRE(halves.size() == 2 * 31 * 1024 && bfloats.size() == 2 * 255 * 128);
    for (int i = 0; i < 40000; i++) {
        const float size = std::ldexp(1.f, (i * 37) % 60 - 32), f = (float(i * 7919 % 65537) / 32768 - 1) * size;
        rounds(halves, f, __float2half_rd, __float2half_ru, __float2half_rz, __float2half_rn);
        rounds(bfloats, f, __float2bfloat16_rd, __float2bfloat16_ru, __float2bfloat16_rz, __float2bfloat16_rn);
        const long long n = (i * 7919LL - 150000000LL) * ((i % 7) * (i % 7) * 100000LL + 1);
        rounds(bfloats, n, __ll2bfloat16_rd, __ll2bfloat16_ru, __ll2bfloat16_rz, __ll2bfloat16_rn);
        rounds(halves, int(n), __int2half_rd, __int2half_ru, __int2half_rz, __int2half_rn);
        rounds(halves, static_cast<unsigned short>(n), __ushort2half_rd, __ushort2half_ru, __ushort2half_rz, __ushort2half_rn);
        rounds(bfloats, static_cast<unsigned long long>(n), __ull2bfloat16_rd, __ull2bfloat16_ru, __ull2bfloat16_rz,
               __ull2bfloat16_rn);
    }
    // Rounded once: by way of a float these would be 1 and 2^55.
    REQUIRE(float(__double2half(1 + 0x1p-11 + 0x1p-40)) == 1 + 0x1p-10f);
    REQUIRE(float(__ll2bfloat16_rn((1LL << 55) + (1LL << 47) + 1)) == 0x1p55f + 0x1p48f);
    REQUIRE(float(__nv_bfloat16(1 + 0x1p-8 + 0x1p-40)) == 1 + 0x1p-7f && std::isinf(float(__half(1e300))));
    REQUIRE(float(__float2half_rz(1e9f)) == 65504 && float(__float2half_rd(-1e9f)) == -HUGE_VALF);
    REQUIRE(float(__float2half_ru(1e-30f)) == 0x1p-24f && float(__float2half_rd(-1e-30f)) == -0x1p-24f);
    REQUIRE(std::isnan(float(__float2half_rd(NAN))));
}

static void integers_of_sixteen_bits() {
    REQUIRE(__half2int_rn(__half(2.5f)) == 2 && __half2int_ru(__half(2.5f)) == 3 && __half2int_rd(__half(-2.5f)) == -3);
    REQUIRE(__half2short_rz(__half(60000.f)) == 32767 && __half2ushort_rn(__half(-1.f)) == 0 && __half2uint_rn(__half(7.f)) == 7);
    REQUIRE(__half2char_rz(__half(-200.f)) == -128 && __half2uchar_rz(__half(3.9f)) == 3 && __half2ll_rd(__half(-1.5f)) == -2);
    REQUIRE(__half2int_rz(__half(NAN)) == 0 && __half2int_rn(__half(HUGE_VALF)) == INT_MAX);
    REQUIRE(__half2ll_rn(__half(NAN)) == LLONG_MIN && __bfloat162ull_rz(__nv_bfloat16(NAN)) == 1ull << 63);
    REQUIRE(__bfloat162int_rz(__nv_bfloat16(-3.5f)) == -3 && __bfloat162ull_ru(__nv_bfloat16(2.5f)) == 3);
}

// A class of another library that becomes a number of either kind, such as c10::Half: it is compared and added as a float.
struct Other {
    float x;
    operator __half() const { return __half(x); }
    operator __nv_bfloat16() const { return __nv_bfloat16(x); }
    operator float() const { return x; }
};
static void classes_of_others() {
    const Other a{2}, b{3};
    REQUIRE(a < b && !(a > b) && a != b && a == 2.f && 3 >= b && double(a + b) == 5 && double(a * b - 1) == 5);
    const __half half(1.5f);
    REQUIRE(half < 2 && 2 - half == .5f && float(half * half + 1) == 3.25f && double(half * 2.0) == 3 && half == half);
    REQUIRE(float(__nv_bfloat16(2.5f) / 2) == 1.25f && 1.f + half == 2.5f && half / __half(.5f) == __half(3.f));
}

static void comparisons() {
    const __half nan(NAN), one(1.f), two(2.f);
    REQUIRE(!__hne(nan, one) && __hneu(nan, one) && nan != one && !__heq(nan, nan) && __hequ(nan, nan) && __hltu(nan, one));
    REQUIRE(__hne(one, two) && !__hne(one, one) && __hgeu(two, one) && !__hgtu(one, two) && __hleu(one, nan));
    const __half2 a(1.f, NAN), b(1.f, 2.f), c(0.f, 3.f);
    REQUIRE(__heq2_mask(a, b) == 0xffffu && __hequ2_mask(a, b) == 0xffffffffu && __hgt2_mask(b, c) == 0xffffu);
    REQUIRE(__hlt2_mask(b, c) == 0xffff0000u && !__hbeq2(a, b) && __hbequ2(a, b) && !__hbne2(a, c) && __hbneu2(a, c));
    REQUIRE(b == b && !(b == c) && b >= b && float(__hisnan2(a).x) == 0 && float(__hisnan2(a).y) == 1);
    REQUIRE(float(__hgtu2(a, c).x) == 1 && float(__hgtu2(a, c).y) == 1 && float(__hgt2(a, c).y) == 0);
    const __nv_bfloat162 d(1.f, NAN);
    REQUIRE(__hneu2_mask(d, d) == 0xffff0000u && __hne2_mask(d, d) == 0);
}

static void arithmetic() {
    const __half one(1.f), two(2.f), nan(NAN);
    REQUIRE(float(__hadd_sat(one, two)) == 1 && float(__hsub_sat(one, two)) == 0 && float(__hmul_sat(one, nan)) == 0);
    REQUIRE(float(__hfma_sat(two, two, __half(-3.5f))) == 0.5f && std::isnan(float(__hmax_nan(one, nan))) && float(__hmin_nan(one, two)) == 1);
    const __half2 a(1.f, 2.f), b(3.f, -4.f), c(10.f, 20.f);
    const __half2 product = __hcmadd(a, b, c);  // (1 + 2i)(3 - 4i) + 10 + 20i
    REQUIRE(float(product.x) == 21 && float(product.y) == 22);
    REQUIRE(float(__lowhigh2highlow(a).x) == 2 && float(__low2half2(a).y) == 1 && float(__high2half2(a).x) == 2);
    REQUIRE(float(__lows2half2(a, b).y) == 3 && float(__highs2half2(a, b).y) == -4 && float((-a).y) == -2);
    REQUIRE(float(__h2div(b, a).y) == -2 && float(__hadd2_sat(a, b).x) == 1 && float(__hmul2_rn(a, b).y) == -8);
    REQUIRE(float(__hfma2_sat(a, b, c).x) == 1 && float(hexp10(two)) == 100 && float(h2exp10(a).x) == 10);
    REQUIRE(float(__highs2bfloat162(__nv_bfloat162(1.f, 2.f), __nv_bfloat162(3.f, 4.f)).y) == 4);
}

static void integers() {
    REQUIRE(__dp2a_lo(0x00020003, 0x01020304, 10) == 10 + 3 * 4 + 2 * 3 && __dp2a_hi(0x00020003, 0x01020304, 10) == 10 + 3 * 2 + 2 * 1);
    REQUIRE(__dp2a_lo(make_short2(-3, 2), make_char4(4, -3, 9, 9), 1) == 1 - 12 - 6);
    REQUIRE(__dp2a_hi(make_ushort2(65535, 2), make_uchar4(9, 9, 255, 3), 1u) == 1 + 65535u * 255 + 6);
    REQUIRE(__dp4a(0xffu, 0x02u, 1u) == 511 && __dp4a(make_uchar4(255, 1, 1, 1), make_uchar4(2, 1, 1, 1), 0u) == 513);
    REQUIRE(__dp4a(make_char4(-1, 1, 1, 1), make_char4(2, 1, 1, 1), 0) == 1);
    REQUIRE(__funnelshift_lc(0x80000000u, 1, 1) == 3 && __funnelshift_lc(7, 5, 32) == 7 && __funnelshift_lc(7, 5, 99) == 7);
    REQUIRE(__funnelshift_rc(2, 1, 1) == 0x80000001u && __funnelshift_rc(7, 5, 40) == 5);
    REQUIRE(__nv_bswap16(0x1234) == 0x3412 && __nv_bswap32(0x12345678u) == 0x78563412u && __nv_bswap64(1) == 1ull << 56);
    REQUIRE(__urhadd(UINT_MAX, UINT_MAX - 1) == UINT_MAX && ullmax(1, ULLONG_MAX) == ULLONG_MAX && ullmin(1, 2) == 1);
    const float p[] = {2, 3, 6};
    REQUIRE(std::fabs(rnormf(3, p) - 1 / 7.f) < 1e-7f);
}

static void choices() {
    REQUIRE(__vimax3_s32(-1, -5, -3) == -1 && __vimax3_s32_relu(-1, -5, -3) == 0 && __vimin3_u32(3, 2, UINT_MAX) == 2);
    REQUIRE(__vimax_s32_relu(-1, 4) == 4 && __vimin_s32_relu(-1, 4) == 0 && __vimin3_s32_relu(1, 2, 3) == 1);
    REQUIRE(__viaddmax_s32(INT_MAX, 1, 0) == 0 && __viaddmax_u32(UINT_MAX, 2, 0) == 1 && __viaddmin_s32_relu(2, 3, 4) == 4);
    REQUIRE(__vimax3_s16x2(0x0001ffffu, 0x7fff0000u, 0x80000002u) == 0x7fff0002u);
    REQUIRE(__vimax3_u16x2(0x0001ffffu, 0x7fff0000u, 0x80000002u) == 0x8000ffffu);
    REQUIRE(__vimin_s16x2_relu(0xffff0003u, 0x00010002u) == 0x00000002u);
    REQUIRE(__viaddmax_s16x2(0x7fff0001u, 0x00010001u, 0x00000000u) == 0x00000002u);
    REQUIRE(__viaddmin_u16x2(0xffff0001u, 0x00020001u, 0x00050001u) == 0x00010001u);
    bool first, high, low;
    REQUIRE(__vibmax_s32(3, 3, &first) == 3 && first && __vibmin_s32(4, -3, &first) == -3 && !first);
    REQUIRE(__vibmax_u32(UINT_MAX, 0, &first) == UINT_MAX && first);
    REQUIRE(__vibmax_s16x2(0xffff0005u, 0x00010004u, &high, &low) == 0x00010005u && !high && low);
    REQUIRE(__vibmin_u16x2(0xffff0005u, 0x00010005u, &high, &low) == 0x00010005u && !high && low);
}

__device__ int variable[4];
__global__ void spaces(int *memory, unsigned *counter, int *to) {
    __shared__ int part[32];
    int local[4] = {1, 2, 3, 4};
    part[threadIdx.x] = local[threadIdx.x % 4];
    const void *each[] = {memory, part + threadIdx.x, local + threadIdx.x % 4};
    int bits = 0;
    for (int i = 0; i < 3; i++)
        bits |= (__isGlobal(each[i]) | __isShared(each[i]) << 1 | __isLocal(each[i]) << 2) << (4 * i);
    if (!__isGlobal(variable)) bits = -1;
    __syncthreads();
    to[threadIdx.x] = part[threadIdx.x] ? bits : -1;
    atomicInc_block(counter, 9);
    atomicDec_system(counter + 1, 9);
}
static void kinds_of_memory() {
    int *memory;
    unsigned *counter;
    cudaMallocManaged(&memory, 33 * sizeof(int));
    cudaMallocManaged(&counter, 2 * sizeof(unsigned));
    counter[0] = counter[1] = 0;
    spaces<<<1, 32>>>(memory + 32, counter, memory);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    for (int i = 0; i < 32; i++) REQUIRE(memory[i] == 0x421);
    REQUIRE(counter[0] == 2 && counter[1] == 8);
}

int main() {
    directions(), rounded_to_sixteen_bits(), integers_of_sixteen_bits(), comparisons(), classes_of_others(), arithmetic(), integers(), choices();
    kinds_of_memory();
    std::puts("right");
}
