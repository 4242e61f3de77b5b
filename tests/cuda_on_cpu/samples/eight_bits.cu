// tests/cuda_on_cpu/samples/eight_bits.cu: conversions of cuda_fp8.h, against all numbers of both formats.
#include <cuda_fp8.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

#define REQUIRE(condition)                                                                                             \
    do                                                                                                                 \
        if (!(condition)) std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition), std::exit(1);                    \
    while (0)

// The value of bits as the specification writes it: (-1)^s 2^(e - bias) (1 + f), or 2^(1 - bias) f.
static double value(unsigned bits, int fraction, int bias) {
    const int exponent = int(bits >> fraction & ((1u << (7 - fraction)) - 1));
    const double part = double(bits & ((1u << fraction) - 1)) / (1 << fraction);
    const double size = exponent ? std::ldexp(1 + part, exponent - bias) : std::ldexp(part, 1 - bias);
    return bits & 0x80 ? -size : size;
}

template <typename T> static void format(int fraction, int bias, unsigned largest, __nv_fp8_interpretation_t kind) {
    for (unsigned bits = 0; bits < 256; bits++) {
        T x;
        x.__x = static_cast<unsigned char>(bits);
        if ((bits & 0x7f) > largest) {
            REQUIRE(!std::isfinite(float(x)));
            continue;
        }
        const double exact = value(bits, fraction, bias);
        REQUIRE(double(float(x)) == exact && double(float(__half(x))) == exact && double(x) == exact && bool(x) == (exact != 0));
        REQUIRE(T(float(exact)).__x == bits && T(__half(float(exact))).__x == bits && T(exact).__x == bits);
        REQUIRE(T(__nv_bfloat16(float(exact))).__x == bits);
    }
    // Of any number in the range the nearest, and of two that whose last bit is 0.
    const double most = value(largest, fraction, bias);
    for (int i = -20000; i <= 20000; i++) {
        const double x = std::ldexp(double(i), i % 17 - 20);
        if (std::fabs(x) > most) continue;
        const unsigned found = T(x).__x;
        const double error = std::fabs(value(found, fraction, bias) - x);
        REQUIRE(T(float(x)).__x == found);
        for (unsigned other = 0; other < 256; other++) {
            if ((other & 0x7f) > largest || ((other ^ found) & 0x7f) == 0) continue;
            const double its = std::fabs(value(other, fraction, bias) - x);
            REQUIRE(error < its || (error == its && found % 2 == 0));
        }
    }
    const auto whole = __NV_SATFINITE, open = __NV_NOSAT;
    REQUIRE(__nv_cvt_float_to_fp8(1e9f, whole, kind) == largest && __nv_cvt_float_to_fp8(-HUGE_VALF, whole, kind) == (0x80 | largest));
    REQUIRE(__nv_cvt_float_to_fp8(1e9f, open, kind) == largest + 1 && __nv_cvt_float_to_fp8(-1e9f, open, kind) == (0x80 | (largest + 1)));
    REQUIRE(__nv_cvt_float_to_fp8(NAN, whole, kind) == 0x7f && __nv_cvt_float_to_fp8(-0.f, whole, kind) == 0x80);
}

static void numbers_that_are_known() {
    REQUIRE(__nv_fp8_e4m3(1.f).__x == 0x38 && __nv_fp8_e5m2(1.f).__x == 0x3c && __nv_fp8_e4m3(448.f).__x == 0x7e);
    REQUIRE(__nv_fp8_e5m2(57344.f).__x == 0x7b && __nv_fp8_e4m3(0x1p-9f).__x == 1 && __nv_fp8_e5m2(0x1p-16f).__x == 1);
    REQUIRE(__nv_fp8_e4m3(0x1p-10f).__x == 0 && __nv_fp8_e4m3(0x1.8p-9f).__x == 2);
    // The middle of 448 and what would be next is rounded down; that of 57344 up, to what is no number.
    REQUIRE(__nv_cvt_float_to_fp8(464, __NV_NOSAT, __NV_E4M3) == 0x7e && __nv_cvt_float_to_fp8(465, __NV_NOSAT, __NV_E4M3) == 0x7f);
    REQUIRE(__nv_cvt_float_to_fp8(61439, __NV_NOSAT, __NV_E5M2) == 0x7b && __nv_cvt_float_to_fp8(61440, __NV_NOSAT, __NV_E5M2) == 0x7c);
    // Rounded once: by way of a float this would be a middle, and 1.
    REQUIRE(__nv_cvt_double_to_fp8(1.0625 + 0x1p-40, __NV_SATFINITE, __NV_E4M3) == 0x39);
    REQUIRE(int(__nv_fp8_e4m3(-3.5f)) == -3 && static_cast<unsigned char>(__nv_fp8_e4m3(300.f)) == 255 && __nv_fp8_e4m3(7).__x == 0x4e);
    __nv_fp8_e8m0 scale;
    scale.__x = 130;
    REQUIRE(float(scale) == 8 && (scale.__x = 0, float(scale) == 0x1p-127f) && (scale.__x = 255, std::isnan(double(scale))));
    REQUIRE(__nv_cvt_float_to_e8m0(1.5f, __NV_NOSAT, cudaRoundPosInf) == 0x80 && __nv_fp8_e8m0(-4.f).__x == 0x81);
    REQUIRE(__nv_cvt_float_to_e8m0(1.5f, __NV_NOSAT, cudaRoundZero) == 0x7f && __nv_cvt_double_to_e8m0(0, __NV_NOSAT, cudaRoundZero) == 0);
    REQUIRE(__nv_cvt_float_to_e8m0(0x1.8p127f, __NV_NOSAT, cudaRoundPosInf) == 0xff && __nv_fp8_e8m0(0x1.8p127f).__x == 0xfe);
    REQUIRE(__nv_cvt_float_to_e8m0(0x1.8p127f, __NV_NOSAT, cudaRoundZero) == 0xfe && __nv_fp8_e8m0(1e300).__x == 0xfe);
    REQUIRE(__nv_cvt_fp8_to_halfraw(0x7c, __NV_E5M2).x == 0x7c00 && (__nv_cvt_fp8_to_halfraw(0x7f, __NV_E4M3).x & 0x7fff) > 0x7c00);
}

static void vectors() {
    const __nv_fp8x2_e4m3 two(make_float2(1, -2));
    REQUIRE(two.__x == 0xc038 && float2(two).x == 1 && float2(two).y == -2 && float(__half2(two).y) == -2);
    const __nv_fp8x4_e5m2 four(make_float4(1, 2, -4, 1e9f));
    REQUIRE(four.__x == 0x7bc4403cu && float4(four).z == -4 && float4(four).w == 57344);
    REQUIRE(__nv_fp8x4_e5m2(__half2(1.f, 2.f), __half2(-4.f, 0.f)).__x == 0x00c4403cu && sizeof(four) == 4 && sizeof(two) == 2);
    REQUIRE(__nv_cvt_float2_to_fp8x2(make_float2(1, -2), __NV_SATFINITE, __NV_E4M3) == 0xc038);
    const __half2_raw both = __nv_cvt_fp8x2_to_halfraw2(0xc038, __NV_E4M3);
    REQUIRE(both.x == 0x3c00 && both.y == 0xc000 && __nv_cvt_halfraw2_to_fp8x2(both, __NV_SATFINITE, __NV_E4M3) == 0xc038);
}

__global__ void quantizes(const float *in, __nv_fp8_e4m3 *to) { to[threadIdx.x] = __nv_fp8_e4m3(in[threadIdx.x]); }
static void in_a_kernel() {
    float *in;
    __nv_fp8_e4m3 *out;
    cudaMallocManaged(&in, 32 * sizeof(float));
    cudaMallocManaged(&out, 32);
    for (int i = 0; i < 32; i++) in[i] = float(i);
    quantizes<<<1, 32>>>(in, out);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess && float(out[16]) == 16 && float(out[17]) == 16 && float(out[19]) == 20);
}

int main() {
    format<__nv_fp8_e4m3>(3, 7, 0x7e, __NV_E4M3), format<__nv_fp8_e5m2>(2, 15, 0x7b, __NV_E5M2);
    numbers_that_are_known(), vectors(), in_a_kernel();
    std::puts("right");
}
