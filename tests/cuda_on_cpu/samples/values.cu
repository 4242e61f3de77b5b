// tests/cuda_on_cpu/samples/values.cu: what functions of device code give, as CUDA's documents have it.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <curand_kernel.h>

#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#define REQUIRE(condition)                                                                                             \
    do                                                                                                                 \
        if (!(condition)) std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition), std::exit(1);                    \
    while (0)

static bool near(double a, double b) { return std::fabs(a - b) <= 1e-6 * std::fmax(1, std::fabs(b)); }

static void integers() {
    REQUIRE(__mul24(3, -5) == -15 && __mul24(0x01000003, 0x7f000005) == 15 && __mul24(0x800000, 1) == -0x800000);
    REQUIRE(__mul24(1, 0x800000) == -0x800000 && __mul24(1, 0x400000) == 0x400000);
    REQUIRE(__umul24(0x01000003, 0xff000005) == 15 && __umul24(0xffffff, 2) == 0x1fffffe);
    REQUIRE(__umul24(2, 0xffffff) == 0x1fffffe);
    REQUIRE(__mulhi(1 << 30, 12) == 3 && __mulhi(-1, 1) == -1 && __umulhi(0x80000000u, 6) == 3);
    REQUIRE(__mul64hi(1LL << 62, -8) == -2 && __umul64hi(1ULL << 63, 6) == 3);
    REQUIRE(__hadd(INT_MAX, INT_MAX - 2) == INT_MAX - 1 && __hadd(-3, 0) == -2 && __rhadd(2, 3) == 3 && __rhadd(4, 4) == 4);
    REQUIRE(__uhadd(UINT_MAX, UINT_MAX - 1) == UINT_MAX - 1);
    REQUIRE(__sad(-3, 4, 10) == 17 && __sad(4, -3, 10) == 17 && __sad(INT_MIN, INT_MAX, 0) == UINT_MAX);
    REQUIRE(__usad(3, 5, 10) == 12 && __usad(5, 3, 10) == 12);
    REQUIRE(__dp4a(0x01020304, 0x05060708, 100) == 100 + 5 + 12 + 21 + 32 && __dp4a(0xff, 0x02, 0) == -2);
    REQUIRE(__dp4a(int(0x80ff0180), 0x7f03fe01, 1) == 1 - 128 * 127 - 3 - 2 - 128);
    REQUIRE(__popc(0xf0f0u) == 8 && __popcll(0xf00000000000000full) == 8);
    REQUIRE(__clz(0) == 32 && __clz(1) == 31 && __clz(-1) == 0 && __clzll(0) == 64 && __clzll(1) == 63);
    REQUIRE(__ffs(0) == 0 && __ffs(8) == 4 && __ffsll(0) == 0 && __ffsll(1LL << 40) == 41);
    REQUIRE(__brev(1) == 0x80000000u && __brev(0x12345678u) == 0x1e6a2c48u && __brevll(2) == 1ULL << 62);
    REQUIRE(__brevll(0x123456789abcdef0ull) == 0x0f7b3d591e6a2c48ull);
    REQUIRE(__byte_perm(0x33221100u, 0x77665544u, 0x7520) == 0x77552200u);
    REQUIRE(__byte_perm(0x33228100u, 0x77665544u, 0x0a91) == 0x0000ff81u && __byte_perm(0x80u, 0, 0x888f) == 0xffffff00u);
    REQUIRE(__funnelshift_l(0x80000000u, 1, 1) == 3 && __funnelshift_l(7, 5, 32) == 5);
    REQUIRE(__funnelshift_r(2, 1, 1) == 0x80000001u && __funnelshift_r(7, 5, 32) == 7);
    REQUIRE(min(-1, 1u) == 1u && max(-1, 1u) == UINT_MAX && min(2L, -3L) == -3 && llmax(2, 3) == 3 && umin(2, 3) == 2);
    REQUIRE(umax(2, 3) == 3 && llmin(2, 3) == 2 && min(NAN, 1.f) == 1 && max(2.0, 1.f) == 2);
}

static void conversions() {
    REQUIRE(__float2int_rn(2.5f) == 2 && __float2int_rn(3.5f) == 4 && __float2int_rz(-2.9f) == -2);
    REQUIRE(__float2int_ru(2.1f) == 3 && __float2int_rd(-2.1f) == -3 && __float2int_rn(NAN) == 0);
    REQUIRE(__float2int_rn(3e9f) == INT_MAX && __float2int_rn(-3e9f) == INT_MIN && __float2uint_rn(-1) == 0);
    REQUIRE(__float2uint_rn(5e9f) == UINT_MAX && __double2uint_rn(UINT_MAX) == UINT_MAX && __double2int_rn(INT_MIN) == INT_MIN);
    REQUIRE(__double2ll_rn(1e19) == LLONG_MAX && __double2ull_rn(1e19) == 10000000000000000000ull);
    REQUIRE(__float_as_int(1.f) == 0x3f800000 && __int_as_float(0x40000000) == 2 && __float_as_uint(-0.f) == 0x80000000u);
    REQUIRE(__uint_as_float(0x3f800000u) == 1 && __double_as_longlong(1.0) == 0x3ff0000000000000ll);
    REQUIRE(__longlong_as_double(0x4000000000000000ll) == 2 && __hiloint2double(0x3ff80000, 0) == 1.5);
    REQUIRE(__double2hiint(1.5) == 0x3ff80000 && __double2loint(__hiloint2double(3, -7)) == -7);
    const double bits = __hiloint2double(0x12345678, int(0x9abcdef0));
    REQUIRE(__double2hiint(bits) == 0x12345678 && __double2loint(bits) == int(0x9abcdef0));
    REQUIRE(__fadd_rn(1, 0x1p-25f) == 1 && __fadd_ru(1, 0x1p-25f) == 1 + 0x1p-23f && __fsub_rd(1, 0x1p-26f) == 1 - 0x1p-24f);
    REQUIRE(__fadd_rz(-1, -0x1p-25f) == -1 && __fdiv_ru(1, 3) > __fdiv_rd(1, 3) && __dmul_rn(3, 4) == 12);
    REQUIRE(__dadd_ru(1, 0x1p-60) == 1 + 0x1p-52 && __dsub_rz(1, 0x1p-60) == 1 - 0x1p-53 && __ddiv_rn(1, 4) == 0.25);
    REQUIRE(__fmaf_rn(2, 3, 4) == 10 && __fma_rn(2, 3, 4) == 10 && __frcp_rn(4) == 0.25f && __drcp_rn(8) == 0.125);
    REQUIRE(__fsqrt_rn(9) == 3 && __dsqrt_rn(16) == 4 && __frsqrt_rn(4) == 0.5f && __saturatef(2) == 1 && __saturatef(-1) == 0);
    REQUIRE(__saturatef(0.25f) == 0.25f && __saturatef(NAN) == 0);
}

static void mathematics() {
    REQUIRE(near(__expf(1), M_E) && near(__exp10f(2), 100) && near(__powf(2, 10), 1024) && near(__log10f(100), 2));
    REQUIRE(near(rsqrt(4.0), 0.5) && near(rsqrtf(16), 0.25) && near(rcbrt(8.0), 0.5) && near(rhypot(3.0, 4.0), 0.2));
    REQUIRE(near(rhypotf(3, 4), 0.2) && near(norm3d(2, 3, 6), 7) && near(rnorm3d(2, 3, 6), 1 / 7.) && near(norm3df(2, 3, 6), 7));
    REQUIRE(near(rnorm3df(2, 3, 6), 1 / 7.) && near(sinpi(0.5), 1) && sinpi(1e6) == 0 && near(cospi(3.0), -1) && near(sinpi(1.5), -1));
    double s, c;
    sincospi(0.25, &s, &c);
    REQUIRE(near(s, std::sqrt(0.5)) && near(c, std::sqrt(0.5)));
    for (double x : {-3.5, -1.0, -0.3, 0.0, 1e-9, 0.2, 0.45, 0.6, 1.0, 2.0, 3.5}) {
        REQUIRE(std::fabs(erfinv(std::erf(x)) - x) <= 1e-9 * std::fmax(1, std::fabs(x)) || std::fabs(x) > 3);
        REQUIRE(std::fabs(erfcinv(std::erfc(x)) - x) <= 1e-9 * std::fmax(1, std::fabs(x)) || x < -3);
        REQUIRE(std::fabs(normcdfinv(normcdf(x)) - x) <= 1e-9 * std::fmax(1, std::fabs(x)) || x > 3);
    }
    REQUIRE(near(normcdf(0.0), 0.5) && near(normcdf(1.0), 0.8413447460685429) && near(erfcx(1.0), 0.427583576155807));
    REQUIRE(std::fabs(erfcinv(1e-30) / 8.14861622316986 - 1) < 1e-10);
    REQUIRE(erfinv(1.0) == HUGE_VAL && erfinv(-1.0) == -HUGE_VAL && erfcinv(0.0) == HUGE_VAL && erfcinv(2.0) == -HUGE_VAL);
    REQUIRE(std::isnan(erfinv(1.5)) && std::isnan(erfcinv(-0.5)) && std::isnan(erfcinv(2.5)) && std::isnan(normcdfinv(-1.0)));
}

// Every number of 16 bits comes back, and every float between two neighbours goes to the nearer one, or to the even one.
template <typename H, typename FromBits, typename ToBits> static void sixteen(FromBits from, ToBits to, unsigned infinity) {
    for (unsigned sign : {0u, 0x8000u})
        for (unsigned bits = 0; bits < infinity; bits++) {
            const float x = float(from(static_cast<unsigned short>(sign | bits)));
            REQUIRE(to(H(x)) == (sign | bits));
            if (bits + 1 == infinity) continue;
            const float next = float(from(static_cast<unsigned short>(sign | (bits + 1)))), half = x + (next - x) / 2;
            REQUIRE(to(H(half)) == (sign | (bits + (bits & 1))));
            REQUIRE(to(H(std::nextafterf(half, x))) == (sign | bits));
            REQUIRE(to(H(std::nextafterf(half, next))) == (sign | (bits + 1)));
        }
    REQUIRE(to(H(INFINITY)) == infinity && to(H(-INFINITY)) == (0x8000u | infinity) && to(H(3e38f * 1e3f)) == infinity);
    REQUIRE(to(H(NAN)) == 0x7fff && std::isnan(float(from(0x7fff))) && std::isinf(float(from(static_cast<unsigned short>(infinity)))));
    const H a(1.5f), b(-2.f);
    REQUIRE(float(a + b) == -0.5f && float(a - b) == 3.5f && float(a * b) == -3 && float(a / b) == -0.75f && float(-a) == -1.5f);
    REQUIRE(__hlt(b, a) && !__hlt(a, a) && __hle(a, a) && __hgt(a, b) && __hge(a, a) && __heq(a, a) && __hne(a, b));
    REQUIRE(float(__hmax(a, b)) == 1.5f && float(__hmin(a, b)) == -2 && float(__hfma(a, b, a)) == -1.5f && float(__habs(b)) == 2);
    REQUIRE(float(hsqrt(H(4.f))) == 2 && float(hrcp(H(4.f))) == 0.25f && float(hrint(H(2.5f))) == 2 && __hisnan(H(NAN)));
    H c(1.f);
    c += a, c -= b, c *= H(2.f), c /= H(3.f);
    REQUIRE(float(c) == 3 && a > 1 && 2 > a && a * 2.f == 3.f && a + 1 == H(2.5f));
}

static void random_numbers() {
    // Marsaglia's xorwow, with his numbers, as he wrote it (2003).
    curandState state = {};
    unsigned x = 123456789, y = 362436069, z = 521288629, w = 88675123, v = 5783321, d = 6615241;
    const unsigned start[5] = {x, y, z, w, v};
    std::memcpy(state.v, start, sizeof start);
    state.d = d;
    for (int i = 0; i < 100; i++) {
        const unsigned t = x ^ (x >> 2);
        x = y, y = z, z = w, w = v, v = (v ^ (v << 4)) ^ (t ^ (t << 1));
        REQUIRE(curand(&state) == (d += 362437) + v);
    }
    REQUIRE(cuda_on_cpu::uniform(0u) > 0 && cuda_on_cpu::uniform(~0u) == 1 && cuda_on_cpu::uniform(1u << 31) == 0.5f);
    REQUIRE(cuda_on_cpu::uniform(0u, 0u) > 0 && near(cuda_on_cpu::uniform(0u, 1u << 31), 0.5) && cuda_on_cpu::uniform(~0u, ~0u) <= 1);
    const float2 f = cuda_on_cpu::normals(std::exp(-0.5f), 0.25f), g = cuda_on_cpu::normals(std::exp(-2.f), 0.5f);
    REQUIRE(near(f.x, 1) && near(f.y, 0) && near(g.x, 0) && near(g.y, -2));
    const double2 h = cuda_on_cpu::normals(std::exp(-0.5), 0.25), k = cuda_on_cpu::normals(std::exp(-2.0), 0.5);
    REQUIRE(near(h.x, 1) && near(h.y, 0) && near(k.x, 0) && near(k.y, -2));

    // The same words, four at a time and one by one, and the numbers that are made of them.
    curandStatePhilox4_32_10_t one, four;
    const auto begin = [&](unsigned long long offset) { curand_init(5, 6, 0, &one), curand_init(5, 6, offset, &four); };
    begin(0);
    const uint4 words = curand4(&four);
    REQUIRE(words.x == curand(&one) && words.y == curand(&one) && words.z == curand(&one) && words.w == curand(&one));
    begin(0);
    const float4 u = curand_uniform4(&four);
    REQUIRE(u.x == curand_uniform(&one) && u.y == curand_uniform(&one) && u.z == curand_uniform(&one) && u.w == curand_uniform(&one));
    begin(0);
    const float4 n = curand_normal4(&four);
    REQUIRE(n.x == curand_normal(&one) && n.y == curand_normal(&one) && n.z == curand_normal(&one) && n.w == curand_normal(&one));
    begin(0);
    const double2 twice = curand_uniform2_double(&four);
    REQUIRE(twice.x == curand_uniform_double(&one) && twice.y == curand_uniform_double(&one));
    begin(2);
    curand_normal(&one);
    REQUIRE(curand_normal2(&four).x == curand_normal2(&one).x);
    begin(0);
    REQUIRE(near(std::log(curand_log_normal(&four, 2, 3)), 2 + 3 * curand_normal(&one)));
    begin(0);
    REQUIRE(near(std::log(curand_log_normal_double(&four, 2, 3)), 2 + 3 * curand_normal_double(&one)));
    begin((1ull << 34) + 1);  // the second word of the counter grows
    skipahead(1ull << 34, &one);
    curand(&one);
    REQUIRE(curand(&one) == curand(&four) && four.counter.y == 1);
    begin(0);
    skipahead(~0ull, &one), skipahead(~0ull, &one), skipahead(2, &one);  // 2^65 words are half a subsequence
    REQUIRE(one.counter.x == 0 && one.counter.y == 1u << 31 && one.used == 0);
    skipahead(~0ull, &one), skipahead(~0ull, &one), skipahead(2, &one);
    curand_init(5, 7, 0, &four);
    REQUIRE(curand(&one) == curand(&four));
}

struct Changed {
    int add, sub, lower, upper, exchange, and_, or_, xor_, cas, kept;
    unsigned inc, dec;
    float sum;
    double sum_of_doubles;
    unsigned long long many;
    half h;
    unsigned short small;
};
__global__ void atomics(Changed *x, int *before) {
    before[0] = atomicAdd(&x->add, 3), before[1] = atomicSub(&x->sub, 3), before[2] = atomicMin(&x->lower, -3);
    before[3] = atomicMax(&x->upper, 9), before[4] = atomicExch(&x->exchange, 8), before[5] = atomicAnd(&x->and_, 6);
    before[6] = atomicOr(&x->or_, 8), before[7] = atomicXor(&x->xor_, 1), before[8] = atomicCAS(&x->cas, 5, 7);
    before[9] = atomicCAS(&x->kept, 4, 7);
    for (int i = 0; i < 4; i++) before[10 + i] = int(atomicInc(&x->inc, 6)), before[14 + i] = int(atomicDec(&x->dec, 6));
    atomicAdd(&x->sum, 0.5f), atomicAdd(&x->sum_of_doubles, 0.25), atomicAdd(&x->h, half(0.5f));
    atomicMax(&x->many, 1ull << 40), atomicMin(&x->lower, 100), atomicMax(&x->upper, -100), atomicAdd_system(&x->add, 1);
    atomicCAS(&x->small, static_cast<unsigned short>(5), static_cast<unsigned short>(6)), atomicSub_block(&x->sub, 1);
}

__global__ void lanes(unsigned *out) {
    const unsigned lane = threadIdx.x;
    unsigned *mine = out + 16 * lane;
    int all;
    mine[0] = unsigned(__shfl_up_sync(~0u, int(lane), 2, 8)), mine[1] = unsigned(__shfl_down_sync(~0u, int(lane), 2, 8));
    mine[2] = unsigned(__shfl_xor_sync(~0u, int(lane), 9, 8)), mine[3] = unsigned(__shfl_sync(~0u, int(lane), 11, 8));
    mine[4] = __reduce_add_sync(~0u, lane), mine[5] = unsigned(__reduce_min_sync(~0u, -int(lane)));
    mine[6] = __reduce_max_sync(~0u, lane), mine[7] = __reduce_and_sync(~0u, lane | 4), mine[8] = __reduce_or_sync(~0u, lane);
    mine[9] = __reduce_xor_sync(~0u, lane + 1), mine[10] = __ballot_sync(~0u, lane & 2), mine[11] = __match_all_sync(~0u, 7, &all);
    mine[12] = unsigned(all), mine[13] = __match_all_sync(~0u, lane / 31, &all), mine[14] = unsigned(all);
    mine[15] = unsigned(__any_sync(~0u, 0) + 2 * __all_sync(~0u, 1) + 4 * __all_sync(~0u, lane) + 8 * __any_sync(~0u, lane & 4));
}

static void kernels() {
    Changed *x;
    int *before;
    cudaMallocManaged(&x, sizeof *x), cudaMallocManaged(&before, 18 * sizeof(int));
    *x = {1, 1, 1, 1, 1, 5, 5, 5, 5, 5, 5, 1, 1.5f, 1, 1, half(1.f), 5};
    atomics<<<1, 1>>>(x, before);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    REQUIRE(x->add == 5 && x->sub == -3 && x->lower == -3 && x->upper == 9 && x->exchange == 8 && x->and_ == 4 && x->or_ == 13);
    REQUIRE(x->xor_ == 4 && x->cas == 7 && x->kept == 5 && x->sum == 2 && x->sum_of_doubles == 1.25 && x->many == 1ull << 40);
    REQUIRE(float(x->h) == 1.5f && x->small == 6);
    for (int i = 0; i < 10; i++) REQUIRE(before[i] == (i < 5 ? 1 : 5));
    const int after[] = {5, 6, 0, 1, 1, 0, 6, 5};  // atomicInc goes from the limit to 0, atomicDec from 0 to the limit
    for (int i = 0; i < 8; i++) REQUIRE(before[10 + i] == after[i]);
    x->inc = x->dec = 8;  // above the limit
    atomics<<<1, 1>>>(x, before);
    cudaDeviceSynchronize();
    REQUIRE(before[10] == 8 && before[11] == 0 && before[14] == 8 && before[15] == 6);

    unsigned *out;
    cudaMallocManaged(&out, 32 * 16 * sizeof(unsigned));
    lanes<<<1, 32>>>(out);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    for (unsigned lane = 0; lane < 32; lane++) {
        const unsigned *mine = out + 16 * lane, part = lane / 8 * 8;
        REQUIRE(mine[0] == (lane % 8 < 2 ? lane : lane - 2) && mine[1] == (lane % 8 > 5 ? lane : lane + 2));
        REQUIRE(mine[2] == ((lane ^ 9) < part + 8 ? lane ^ 9 : lane) && mine[3] == part + 3);
        REQUIRE(mine[4] == 496 && int(mine[5]) == -31 && mine[6] == 31 && mine[7] == 4 && mine[8] == 31 && mine[9] == 32);
        REQUIRE(mine[10] == 0xccccccccu && mine[11] == ~0u && mine[12] == 1 && mine[13] == 0 && mine[14] == 0 && mine[15] == 10);
    }
    cudaFuncAttributes attributes;
    cudaDeviceProp device;
    REQUIRE(cudaFuncGetAttributes(&attributes, lanes) == cudaSuccess && cudaGetDeviceProperties(&device, 0) == cudaSuccess);
    REQUIRE(attributes.binaryVersion == 10 * device.major + device.minor && attributes.ptxVersion == attributes.binaryVersion);
    REQUIRE(attributes.maxThreadsPerBlock == 1024 && attributes.maxDynamicSharedSizeBytes == 48 << 10 && attributes.numRegs > 0);
    int blocks, threads;
    REQUIRE(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, lanes, 256, 0) == cudaSuccess && blocks == 4);
    REQUIRE(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, lanes, 1024, 0) == cudaSuccess && blocks == 1);
    REQUIRE(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, lanes, 1025, 0) == cudaSuccess && blocks == 0);
    REQUIRE(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, lanes, 0, 0) == cudaErrorInvalidValue && blocks == 0);
    REQUIRE(cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, lanes) == cudaSuccess && threads == 256);
    REQUIRE(blocks == device.multiProcessorCount);
    REQUIRE(cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, lanes, 0, 64) == cudaSuccess && threads == 64);
}

int main() {
    integers();
    conversions();
    mathematics();
    sixteen<half>([](unsigned short x) { return __ushort_as_half(x); }, [](half x) { return __half_as_ushort(x); }, 0x7c00);
    sixteen<__nv_bfloat16>([](unsigned short x) { return __ushort_as_bfloat16(x); },
                           [](__nv_bfloat16 x) { return __bfloat16_as_ushort(x); }, 0x7f80);
    random_numbers();
    kernels();
    std::printf("right\n");
}
