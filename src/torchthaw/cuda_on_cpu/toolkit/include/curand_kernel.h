/* curand_kernel.h: random numbers of device code by cuRAND's generators Philox4_32_10, XORWOW and MRG32k3a: uniform, normal,
 * log-normal and Poisson's. Words and uniform numbers are those of cuRAND. MTGP32, quasi-random numbers and
 * curand_discrete are not served. */
#ifndef CUDA_ON_CPU_CURAND_KERNEL_H
#define CUDA_ON_CPU_CURAND_KERNEL_H

#include <cuda_on_cpu/math.h>
#include <cuda_on_cpu/mrg32k3a.h>
#include <cuda_on_cpu/poisson.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

namespace cuda_on_cpu {

// What the second of two normal numbers is kept in.
struct SpareNormals {
    int has_float = 0, has_double = 0;
    float spare_float = 0;
    double spare_double = 0;
};

// Ten rounds of Philox with four words, as Salmon and others describe it (2011).
inline uint4 philox(uint4 c, uint2 key) {
    for (int i = 0; i < 10; i++) {
        const uint64_t a = uint64_t(0xD2511F53u) * c.x, b = uint64_t(0xCD9E8D57u) * c.z;
        c = {unsigned(b >> 32) ^ c.y ^ key.x, unsigned(b), unsigned(a >> 32) ^ c.w ^ key.y, unsigned(a)};
        key.x += 0x9E3779B9u;
        key.y += 0xBB67AE85u;
    }
    return c;
}

// The powers of XORWOW's step, a linear map of 160 bits: its square, the square of that, and so on.
struct XorwowStep {
    uint32_t row[160][5];  // what bit i of the state adds to the next state

    void apply(uint32_t (&v)[5]) const {
        uint32_t to[5] = {};
        for (int i = 0; i < 160; i++)
            if (v[i / 32] >> i % 32 & 1)
                for (int k = 0; k < 5; k++) to[k] ^= row[i][k];
        std::memcpy(v, to, sizeof to);
    }
    static void one(uint32_t (&v)[5]) {
        const uint32_t t = v[0] ^ (v[0] >> 2);
        v[0] = v[1], v[1] = v[2], v[2] = v[3], v[3] = v[4];
        v[4] = (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1));
    }
    // The map of 2^i steps.
    static const XorwowStep &power(int i) {
        static const std::vector<XorwowStep> all = [] {
            std::vector<XorwowStep> made(131);
            for (int bit = 0; bit < 160; bit++) {
                uint32_t v[5] = {};
                v[bit / 32] = 1u << bit % 32;
                one(v);
                std::memcpy(made[0].row[bit], v, sizeof v);
            }
            for (size_t n = 1; n < made.size(); n++)
                for (int bit = 0; bit < 160; bit++) {
                    uint32_t v[5];
                    std::memcpy(v, made[n - 1].row[bit], sizeof v);
                    made[n - 1].apply(v);
                    std::memcpy(made[n].row[bit], v, sizeof v);
                }
            return made;
        }();
        return all[size_t(i)];
    }
};

}  // namespace cuda_on_cpu

struct curandStatePhilox4_32_10 : cuda_on_cpu::SpareNormals {
    uint4 counter, output;
    uint2 key;
    unsigned used;  // of the four words of output
};
struct curandStateXORWOW : cuda_on_cpu::SpareNormals {
    uint32_t v[5], d;
};
struct curandStateMRG32k3a : cuda_on_cpu::SpareNormals, cuda_on_cpu::Mrg32k3a {};
typedef curandStateMRG32k3a curandStateMRG32k3a_t;
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;
typedef curandStateXORWOW curandStateXORWOW_t;
typedef curandStateXORWOW curandState_t;
typedef curandStateXORWOW curandState;

// A subsequence of Philox is 2^66 words, one of XORWOW 2^67, one of MRG32k3a 2^76 and its sequence 2^127.
inline void skipahead(unsigned long long n, curandStatePhilox4_32_10 *state) {
    const unsigned long long words = state->used + n % 4, blocks = n / 4 + words / 4;
    const unsigned long long low = (static_cast<unsigned long long>(state->counter.y) << 32 | state->counter.x) + blocks;
    if (low < blocks && ++state->counter.z == 0) ++state->counter.w;
    state->counter.x = unsigned(low);
    state->counter.y = unsigned(low >> 32);
    state->used = unsigned(words % 4);
    state->output = cuda_on_cpu::philox(state->counter, state->key);
}
inline void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10 *state) {
    const unsigned long long high = (static_cast<unsigned long long>(state->counter.w) << 32 | state->counter.z) + n;
    state->counter.z = unsigned(high);
    state->counter.w = unsigned(high >> 32);
    state->output = cuda_on_cpu::philox(state->counter, state->key);
}
inline void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                        curandStatePhilox4_32_10 *state) {
    *state = {};
    state->key = {unsigned(seed), unsigned(seed >> 32)};
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
}
inline unsigned curand(curandStatePhilox4_32_10 *state) {
    const unsigned words[] = {state->output.x, state->output.y, state->output.z, state->output.w};
    const unsigned word = words[state->used];
    if (++state->used == 4) {
        state->used = 0;
        skipahead(4, state);
    }
    return word;
}
inline uint4 curand4(curandStatePhilox4_32_10 *state) {
    const unsigned x = curand(state), y = curand(state), z = curand(state), w = curand(state);
    return {x, y, z, w};
}

inline void skipahead(unsigned long long n, curandStateXORWOW *state) {
    for (int i = 0; i < 64; i++)
        if (n >> i & 1) cuda_on_cpu::XorwowStep::power(i).apply(state->v);
    state->d += 362437u * unsigned(n);
}
inline void skipahead_sequence(unsigned long long n, curandStateXORWOW *state) {
    for (int i = 0; i < 64; i++)
        if (n >> i & 1) cuda_on_cpu::XorwowStep::power(67 + i).apply(state->v);
}
inline void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                        curandStateXORWOW *state) {
    const unsigned a = 1099087573u * (unsigned(seed) ^ 0xaad26b49u);
    const unsigned b = 2591861531u * (unsigned(seed >> 32) ^ 0xf7dcefddu);
    *state = {};
    state->d = 6615241u + a + b;
    const uint32_t v[5] = {123456789u + a, 362436069u ^ a, 521288629u + b, 88675123u ^ b, 5783321u + a};
    std::memcpy(state->v, v, sizeof v);
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
}
inline unsigned curand(curandStateXORWOW *state) {
    cuda_on_cpu::XorwowStep::one(state->v);
    state->d += 362437u;
    return state->v[4] + state->d;
}

inline void skipahead(unsigned long long n, curandStateMRG32k3a *state) { state->skip(n, 0); }
inline void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a *state) { state->skip(n, 76); }
inline void skipahead_sequence(unsigned long long n, curandStateMRG32k3a *state) { state->skip(n, 127); }
inline void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                        curandStateMRG32k3a *state) {
    *state = {};
    state->begin(seed);
    skipahead_subsequence(subsequence, state);
    skipahead(offset, state);
}
// All words of 32 bits, of m1 numbers.
inline unsigned curand(curandStateMRG32k3a *state) {
    const double word = state->next() * 1.000000048662;
    return word < 4294967295. ? unsigned(word) : 4294967295u;
}
// In (0, 1].
inline double curand_uniform_double(curandStateMRG32k3a *state) { return state->next() * (1. / cuda_on_cpu::Mrg32k3a::m1); }
inline float curand_uniform(curandStateMRG32k3a *state) { return float(curand_uniform_double(state)); }

namespace cuda_on_cpu {
// In (0, 1]. The double takes 53 of 64 bits.
inline float uniform(unsigned x) { return float(x) * 0x1p-32f + 0x1p-33f; }
inline double uniform(unsigned x, unsigned y) {
    return double(x ^ static_cast<unsigned long long>(y) << 21) * 0x1p-53 + 0x1p-54;
}
// Two normal numbers of two uniform ones, by Box and Muller.
inline float2 normals(float u, float v) {
    const float size = std::sqrt(-2 * std::log(u)), angle = 6.2831853f * v;
    return {size * std::sin(angle), size * std::cos(angle)};
}
inline double2 normals(double u, double v) {
    const double size = std::sqrt(-2 * std::log(u)), angle = 2 * pi * v;
    return {size * std::sin(angle), size * std::cos(angle)};
}
}  // namespace cuda_on_cpu

template <typename S> float curand_uniform(S *state) { return cuda_on_cpu::uniform(curand(state)); }
template <typename S> double curand_uniform_double(S *state) {
    const unsigned x = curand(state), y = curand(state);
    return cuda_on_cpu::uniform(x, y);
}
template <typename S> float2 curand_normal2(S *state) {
    const float u = curand_uniform(state), v = curand_uniform(state);
    return cuda_on_cpu::normals(u, v);
}
template <typename S> double2 curand_normal2_double(S *state) {
    const double u = curand_uniform_double(state), v = curand_uniform_double(state);
    return cuda_on_cpu::normals(u, v);
}
template <typename S> float curand_normal(S *state) {
    if ((state->has_float = !state->has_float) == 0) return state->spare_float;
    const float2 both = curand_normal2(state);
    state->spare_float = both.y;
    return both.x;
}
template <typename S> double curand_normal_double(S *state) {
    if ((state->has_double = !state->has_double) == 0) return state->spare_double;
    const double2 both = curand_normal2_double(state);
    state->spare_double = both.y;
    return both.x;
}
template <typename S> float curand_log_normal(S *state, float mean, float deviation) {
    return std::exp(mean + deviation * curand_normal(state));
}
template <typename S> double curand_log_normal_double(S *state, double mean, double deviation) {
    return std::exp(mean + deviation * curand_normal_double(state));
}
inline float4 curand_uniform4(curandStatePhilox4_32_10 *state) {
    const uint4 x = curand4(state);
    return {cuda_on_cpu::uniform(x.x), cuda_on_cpu::uniform(x.y), cuda_on_cpu::uniform(x.z), cuda_on_cpu::uniform(x.w)};
}
inline float4 curand_normal4(curandStatePhilox4_32_10 *state) {
    const float4 u = curand_uniform4(state);
    const float2 a = cuda_on_cpu::normals(u.x, u.y), b = cuda_on_cpu::normals(u.z, u.w);
    return {a.x, a.y, b.x, b.y};
}
inline double2 curand_uniform2_double(curandStatePhilox4_32_10 *state) {
    const uint4 x = curand4(state);
    return {cuda_on_cpu::uniform(x.x, x.y), cuda_on_cpu::uniform(x.z, x.w)};
}

template <typename S> float2 curand_log_normal2(S *state, float mean, float deviation) {
    const float2 x = curand_normal2(state);
    return {std::exp(mean + deviation * x.x), std::exp(mean + deviation * x.y)};
}
template <typename S> double2 curand_log_normal2_double(S *state, double mean, double deviation) {
    const double2 x = curand_normal2_double(state);
    return {std::exp(mean + deviation * x.x), std::exp(mean + deviation * x.y)};
}
inline float4 curand_log_normal4(curandStatePhilox4_32_10 *state, float mean, float deviation) {
    const float4 x = curand_normal4(state);
    return {std::exp(mean + deviation * x.x), std::exp(mean + deviation * x.y), std::exp(mean + deviation * x.z),
            std::exp(mean + deviation * x.w)};
}
// The right distribution, by other words than cuRAND takes. 0 for a mean that is not above 0.
template <typename S> unsigned curand_poisson(S *state, double mean) {
    return cuda_on_cpu::poisson(mean, [state] { return curand_uniform_double(state); });
}
inline uint4 curand_poisson4(curandStatePhilox4_32_10 *state, double mean) {
    const unsigned x = curand_poisson(state, mean), y = curand_poisson(state, mean), z = curand_poisson(state, mean);
    return {x, y, z, curand_poisson(state, mean)};
}

#endif
