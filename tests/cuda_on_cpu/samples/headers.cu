// tests/cuda_on_cpu/samples/headers.cu: smaller headers of a toolkit, and functions of packed and of 16-bit numbers.
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <device_types.h>
#include <math_constants.h>
#include <nvtx3/nvToolsExt.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

#define REQUIRE(condition)                                                                                             \
    do                                                                                                                 \
        if (!(condition)) std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition), std::exit(1);                    \
    while (0)

static bool near(double a, double b) { return std::fabs(a - b) <= 1e-6 * std::fmax(1, std::fabs(b)); }

static void constants() {
    REQUIRE(CUDART_PI == M_PI && CUDART_PI_F == float(M_PI) && CUDART_INF > 1e300 && std::isnan(CUDART_NAN_F));
    REQUIRE(near(CUDART_L2E, M_LOG2E) && near(CUDART_LN2_F, M_LN2) && near(CUDART_LGE, M_LOG10E) && near(CUDART_LNT, M_LN10));
    REQUIRE(near(CUDART_SQRT_HALF_F, M_SQRT1_2) && near(CUDART_2_OVER_PI, M_2_PI) && near(CUDART_LNPI, std::log(M_PI)));
    REQUIRE(CUDART_MIN_DENORM_F > 0 && CUDART_MIN_DENORM_F / 2 == 0 && std::signbit(CUDART_NEG_ZERO));
    REQUIRE(cudaRoundNearest == 0 && cudaRoundMinInf == 3);
}

static void complex_numbers() {
    const cuDoubleComplex a = make_cuDoubleComplex(3, -4), b = make_cuDoubleComplex(1, 2);
    REQUIRE(cuCabs(a) == 5 && cuCreal(cuCmul(a, b)) == 11 && cuCimag(cuCmul(a, b)) == 2);
    const cuDoubleComplex c = cuCmul(cuCdiv(a, b), b), large = make_cuDoubleComplex(1e200, 1e200);
    REQUIRE(near(c.x, 3) && near(c.y, -4) && near(cuCdiv(large, large).x, 1) && near(cuCdiv(large, large).y, 0));
    const cuComplex f = cuCaddf(make_cuComplex(1, 2), cuConjf(make_cuFloatComplex(3, 4)));
    REQUIRE(f.x == 4 && f.y == -2 && cuComplexFloatToDouble(f).y == -2 && cuCfmaf(f, f, f).x == 16);
}

static void packed() {
    REQUIRE(__vadd4(0xff010203u, 0x01ff0101u) == 0x00000304u && __vsub2(0x00010002u, 0x00020001u) == 0xffff0001u);
    REQUIRE(__vaddss4(0x7f80ff01u, 0x0180ff01u) == 0x7f80fe02u && __vaddus4(0xff010203u, 0x01ff0101u) == 0xffff0304u);
    REQUIRE(__vsubus2(0x00010002u, 0x00020001u) == 0x00000001u && __vsubss4(0x80000000u, 0x01000000u) == 0x80000000u);
    REQUIRE(__vmaxs4(0x80017f00u, 0x00000000u) == 0x00017f00u && __vmaxu4(0x80017f00u, 0) == 0x80017f00u);
    REQUIRE(__vminu2(0xffff0001u, 0x00010002u) == 0x00010001u && __vmins2(0xffff0001u, 0x00010002u) == 0xffff0001u);
    REQUIRE(__vavgu4(0x01020304u, 0x02020202u) == 0x02020303u && __vhaddu4(0x01020304u, 0x02020202u) == 0x01020203u);
    REQUIRE(__vabsdiffu4(0x05000000u, 0x07000000u) == 0x02000000u && __vsadu4(0x01020304u, 0x04030201u) == 8);
    REQUIRE(__vabs4(0xff80017fu) == 0x0180017fu && __vabsss4(0xff80017fu) == 0x017f017fu && __vneg2(0x00010000u) == 0xffff0000u);
    REQUIRE(__vcmpeq4(0x01020304u, 0x01ff03ffu) == 0xff00ff00u && __vseteq4(0x01020304u, 0x01ff03ffu) == 0x01000100u);
    REQUIRE(__vcmpgts2(0xffff0001u, 0x00000000u) == 0x0000ffffu && __vcmpgtu2(0xffff0001u, 0) == 0xffffffffu);
    REQUIRE(__fns(0x14u, 0, 1) == 2 && __fns(0x14u, 0, 2) == 4 && __fns(0x14u, 0, 3) == ~0u && __fns(0x14u, 31, -1) == 4);
    REQUIRE(__fns(0x14u, 2, 0) == 2 && __fns(0x14u, 3, 0) == ~0u && __fns(0x14u, 2, 1) == 2 && __fns(0x14u, 3, -1) == 2);
}

static void sixteen_bits() {
    const __nv_bfloat162 x = make_bfloat162(-1.5f, 2), y = __float22bfloat162_rn({-2.f, 2.f});
    REQUIRE(__low2float(x) == -1.5f && __high2float(x) == 2 && float(__low2bfloat16(__habs2(x))) == 1.5f);
    REQUIRE(__hbge2(x, y) && !__hbgt2(x, y) && float(__hgt2(x, y).x) == 1 && float(__hgt2(x, y).y) == 0 && __hbne2(x, x) == false);
    REQUIRE(float(__hfma_relu(__half(2.f), __half(-3.f), __half(1.f))) == 0 && float(__hfma_relu(__half(2.f), __half(3.f), __half(1.f))) == 7);
    REQUIRE(__bfloat162int_rn(__int2bfloat16_rn(3)) == 3 && __hbeq2(__half2(1.f, 2.f), __half2(1.f, 2.f)));
    REQUIRE(near(norm4d(1, 2, 2, 4), 5) && near(rnorm4df(1, 2, 2, 4), .2) && near(cyl_bessel_i0f(1), 1.2660658777520084));
    REQUIRE(near(cyl_bessel_i1(-1), -0.5651591039924851));
    const double p[] = {2, 3, 6};
    REQUIRE(near(norm(3, p), 7));
}

__global__ void copies(const float4 *in, float4 *out) {
    __shared__ float4 part[4];
    __pipeline_memcpy_async(&part[threadIdx.x], &in[threadIdx.x], sizeof(float4), threadIdx.x == 3 ? 8 : 0);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    atomicAdd(out, part[3 - threadIdx.x]);
}
static void copies_into_shared_memory() {
    float4 given[4] = {{1, 2, 3, 4}, {10, 20, 30, 40}, {100, 200, 300, 400}, {1000, 2000, 3000, 4000}}, found, *in, *out;
    cudaMalloc(&in, sizeof given);
    cudaMalloc(&out, sizeof found);
    cudaMemcpy(in, given, sizeof given, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sizeof found);
    nvtxRangePush("copies");
    copies<<<1, 4>>>(in, out);
    nvtxRangePop();
    cudaMemcpy(&found, out, sizeof found, cudaMemcpyDeviceToHost);
    REQUIRE(found.x == 1111 && found.y == 2222 && found.z == 333 && found.w == 444);
}

int main() {
    constants(), complex_numbers(), packed(), sixteen_bits(), copies_into_shared_memory();
    std::puts("right");
}
