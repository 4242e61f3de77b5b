// tests/cuda_on_cpu/samples/host_random.cu: cuRAND's arrays of random numbers, MRG32k3a, and Poisson's distribution.
#include <curand.h>
#include <curand_kernel.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define REQUIRE(condition)                                                                                             \
    do                                                                                                                 \
        if (!(condition)) std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition), std::exit(1);                    \
    while (0)
#define GOOD(call) good(call, #call)
static void good(curandStatus_t status, const char *call) {
    if (status) std::printf("%s: %d\n", call, status), std::exit(1);
}

static const curandRngType_t types[] = {CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_MRG32K3A, CURAND_RNG_PSEUDO_PHILOX4_32_10};
static curandGenerator_t host(curandRngType_t type, unsigned long long seed = 1234) {
    curandGenerator_t made;
    GOOD(curandCreateGeneratorHost(&made, type));
    GOOD(curandSetPseudoRandomGeneratorSeed(made, seed));
    return made;
}

// What cuRAND 10.3 gives for the seeds 1234 and 0: words 0 to 3, uniform doubles 0 to 2, normal numbers 0 to 3.
static void numbers_of_curand() {
    const unsigned words[3][4] = {{0x253d5e15, 0xd1f7605a, 0x8ce6f6f8, 0x4b79ff67},
                                  {0xc96891f0, 0x26f0d612, 0xef269080, 0xfc8fa50e},
                                  {0x2090b348, 0xda7cf0ab, 0x4401906f, 0xcbca470e}};
    const unsigned unseeded[3][2] = {{0xbd7f03b6, 0xebc63fb7}, {0x2083cd07, 0x14537e00}, {0x6627e8d5, 0xe169c58d}};
    const double doubles[3][3] = {{0.43489880438841294, 0.92641692020243771, 0.81184521113001917},
                                  {0.78675186271572939, 0.15211236914421553, 0.93418219691237425},
                                  {0.85346899543001431, 0.79605514883270523, 0.11227557330034327}};
    const double normals[3][4] = {{0.780973554, -1.80157816, -0.280848563, 0.563546598},
                                  {-0.360653788, -0.591281295, -1.7185365, -0.901611984},
                                  {-1.61649048, 1.22915542, -1.56054044, 0.464621365}};
    for (int t = 0; t < 3; t++) {
        unsigned found[10];
        const curandGenerator_t generator = host(types[t]), other = host(types[t], 0);
        GOOD(curandGenerate(generator, found, 3)), GOOD(curandGenerate(generator, found + 3, 1));  // the second goes on
        for (int i = 0; i < 4; i++) REQUIRE(found[i] == words[t][i]);
        GOOD(curandGenerate(other, found, 2));
        REQUIRE(found[0] == unseeded[t][0] && found[1] == unseeded[t][1]);
        GOOD(curandSetPseudoRandomGeneratorSeed(generator, 1234));
        double u[3];
        GOOD(curandGenerateUniformDouble(generator, u, 3));
        for (int i = 0; i < 3; i++) REQUIRE(u[i] == doubles[t][i]);
        GOOD(curandGenerate(generator, found, 1));
        REQUIRE(found[0] == words[t][3]);  // after three doubles
        GOOD(curandSetGeneratorOffset(generator, 2)), GOOD(curandGenerate(generator, found, 2));
        REQUIRE(found[0] == words[t][2] && found[1] == words[t][3]);
        GOOD(curandSetGeneratorOffset(generator, 0));
        float n[4];
        GOOD(curandGenerateNormal(generator, n, 4, 10, 2));
        for (int i = 0; i < 4; i++) REQUIRE(std::fabs(n[i] - (10 + 2 * normals[t][i])) < 1e-5);
        GOOD(curandSetGeneratorOffset(generator, 0)), GOOD(curandGenerateLogNormal(generator, n, 4, 1, 2));
        for (int i = 0; i < 4; i++) REQUIRE(std::fabs(n[i] / std::exp(1 + 2 * normals[t][i]) - 1) < 1e-5);
        GOOD(curandDestroyGenerator(generator)), GOOD(curandDestroyGenerator(other));
    }
}
// The place of a number among the subsequences, at the first and at the second turn.
template <typename State> static void places(curandRngType_t type, size_t lanes, size_t each) {
    std::vector<unsigned> all(lanes * each + each + 2);
    const curandGenerator_t generator = host(type);
    GOOD(curandGenerate(generator, all.data(), all.size())), GOOD(curandDestroyGenerator(generator));
    for (const size_t lane : {size_t(0), size_t(1), lanes / 3, lanes - 1}) {
        State state;
        curand_init(1234, lane, 0, &state);
        for (size_t i = 0; i < each; i++) REQUIRE(curand(&state) == all[lane * each + i]);
        for (size_t i = 0; i < each && lane < 2 && lanes * each + lane * each + i < all.size(); i++)
            REQUIRE(curand(&state) == all[lanes * each + lane * each + i]);
    }
}

static void mrg32k3a() {
    // L'Ecuyer's own first numbers for the state 12345: z[1] and z[2] of his program.
    cuda_on_cpu::Mrg32k3a plain;
    plain.begin(0);
    REQUIRE(std::fabs(plain.next() / 4294967088. - 0.127011122046577) < 1e-12);
    REQUIRE(std::fabs(plain.next() / 4294967088. - 0.318527565396796) < 1e-12);
    curandStateMRG32k3a_t one, other;
    curand_init(7, 0, 0, &one), curand_init(7, 0, 0, &other);
    for (int i = 0; i < 1000; i++) curand(&one);
    skipahead(1000, &other);
    REQUIRE(curand(&one) == curand(&other));
    curand_init(7, 3, 5, &one), curand_init(7, 0, 0, &other);
    skipahead_subsequence(3, &other), skipahead(5, &other);
    REQUIRE(curand(&one) == curand(&other));
    // 2^51 subsequences are a sequence.
    curand_init(7, 1ull << 51, 0, &one), curand_init(7, 0, 0, &other);
    skipahead_sequence(1, &other);
    REQUIRE(curand(&one) == curand(&other));
}

template <typename State> __global__ void poisson_kernel(unsigned *to, int each, double mean) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    State state;
    curand_init(99, i, 0, &state);
    for (int k = 0; k < each; k++) to[i * unsigned(each) + unsigned(k)] = curand_poisson(&state, mean);
}
__global__ void poisson4_kernel(uint4 *to, int each, double mean) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    curandStatePhilox4_32_10_t state;
    curand_init(98, i, 0, &state);
    for (int k = 0; k < each; k++) to[i * unsigned(each) + unsigned(k)] = curand_poisson4(&state, mean);
}
// Mean and variance, and chi-square over bins of at least 100 expected numbers.
static void is_poisson(const std::vector<unsigned> &found, double mean) {
    const double n = double(found.size());
    double sum = 0, squares = 0;
    for (const unsigned k : found) sum += k, squares += (k - mean) * (k - mean);
    REQUIRE(std::fabs(sum / n - mean) < 5 * std::sqrt(mean / n));
    REQUIRE(std::fabs(squares / n / mean - 1) < 5 * std::sqrt((2 + 1 / mean) / n));
    const auto probability = [mean](double k) { return std::exp(k * std::log(mean) - mean - std::lgamma(k + 1)); };
    std::vector<double> bins, expected;  // ends of bins, and what is expected in each
    double in_bin = 0, before = 0;
    for (unsigned k = 0; k < mean + 20 * std::sqrt(mean) + 20; k++) {
        in_bin += n * probability(k);
        if (in_bin < 100 || n - before - in_bin < 100) continue;
        bins.push_back(k), expected.push_back(in_bin), before += in_bin, in_bin = 0;
    }
    expected.push_back(n - before);
    std::vector<double> counts(expected.size());
    for (const unsigned k : found) {
        size_t bin = 0, end = bins.size();
        while (bin < end) (bins[(bin + end) / 2] < k) ? bin = (bin + end) / 2 + 1 : end = (bin + end) / 2;
        counts[bin]++;
    }
    double chi = 0;
    for (size_t i = 0; i < counts.size(); i++) chi += (counts[i] - expected[i]) * (counts[i] - expected[i]) / expected[i];
    const double freedom = double(counts.size()) - 1;
    REQUIRE(freedom >= 2 && std::fabs(chi - freedom) < 5 * std::sqrt(2 * freedom));
}
static void poisson() {
    const int threads = 512, each = 128;
    const size_t n = size_t(threads) * each;
    unsigned *memory;
    cudaMallocManaged(&memory, n * sizeof(unsigned));
    for (const double mean : {0.5, 5., 9.99, 10., 50., 5000.}) {
        const auto numbers = [=] { return std::vector<unsigned>(memory, memory + n); };
        poisson_kernel<curandState><<<threads / 64, 64>>>(memory, each, mean), is_poisson(numbers(), mean);
        poisson_kernel<curandStateMRG32k3a><<<threads / 64, 64>>>(memory, each, mean), is_poisson(numbers(), mean);
        poisson4_kernel<<<threads / 64, 64>>>(reinterpret_cast<uint4 *>(memory), each / 4, mean), is_poisson(numbers(), mean);
        for (const curandRngType_t type : types) {
            std::vector<unsigned> list(n);
            const curandGenerator_t generator = host(type);
            GOOD(curandGeneratePoisson(generator, list.data(), n, mean)), GOOD(curandDestroyGenerator(generator));
            is_poisson(list, mean);
        }
    }
    cudaFree(memory);
}

static void wrong_uses() {
    curandGenerator_t generator, device;
    for (const curandRngType_t type : {CURAND_RNG_PSEUDO_MTGP32, CURAND_RNG_PSEUDO_MT19937, CURAND_RNG_QUASI_SOBOL32})
        REQUIRE(curandCreateGenerator(&generator, type) == CURAND_STATUS_TYPE_ERROR);
    generator = host(CURAND_RNG_PSEUDO_DEFAULT);
    GOOD(curandCreateGenerator(&device, CURAND_RNG_PSEUDO_DEFAULT));
    float list[4], *memory;
    unsigned words[4];
    cudaMalloc(&memory, 4 * sizeof(float));
    REQUIRE(curandGenerateNormal(generator, list, 3, 0, 1) == CURAND_STATUS_LENGTH_NOT_MULTIPLE);
    REQUIRE(curandGenerateUniform(device, list, 4) == CURAND_STATUS_LAUNCH_FAILURE);
    REQUIRE(curandGenerateUniform(device, memory, 5) == CURAND_STATUS_LAUNCH_FAILURE);
    REQUIRE(curandGenerateUniform(generator, memory, 4) == CURAND_STATUS_LAUNCH_FAILURE);
    GOOD(curandGenerateUniform(device, memory, 4));
    GOOD(curandGenerate(generator, nullptr, 0));
    REQUIRE(curandGeneratePoisson(generator, words, 4, 0) == CURAND_STATUS_OUT_OF_RANGE);
    REQUIRE(curandGenerate(nullptr, words, 4) == CURAND_STATUS_NOT_INITIALIZED && curandDestroyGenerator(nullptr) == CURAND_STATUS_NOT_INITIALIZED);
    unsigned long long longs[1];
    REQUIRE(curandGenerateLongLong(generator, longs, 1) == CURAND_STATUS_TYPE_ERROR);
    REQUIRE(curandSetGeneratorOrdering(generator, CURAND_ORDERING_PSEUDO_LEGACY) == CURAND_STATUS_OUT_OF_RANGE);
    int version;
    GOOD(curandGetVersion(&version));
    REQUIRE(version == CURAND_VERSION);
    GOOD(curandDestroyGenerator(generator)), GOOD(curandDestroyGenerator(device));
    cudaFree(memory);
}

// Normal numbers of double: their mean and variance, and that the logarithms of the other distribution are the same.
static void doubles_of_normals() {
    for (auto type : {CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_PHILOX4_32_10, CURAND_RNG_PSEUDO_MRG32K3A}) {
        constexpr size_t n = 100000;
        static double normals[n], logarithms[n];
        curandGenerator_t generator;
        GOOD(curandCreateGeneratorHost(&generator, type)), GOOD(curandSetStream(generator, nullptr)), GOOD(curandGenerateSeeds(generator));
        GOOD(curandGenerateNormalDouble(generator, normals, n, 3, 2));
        GOOD(curandSetGeneratorOffset(generator, 0)), GOOD(curandGenerateLogNormalDouble(generator, logarithms, n, 3, 2));
        double sum = 0, squares = 0;
        for (size_t i = 0; i < n; i++) {
            sum += normals[i];
            squares += (normals[i] - 3) * (normals[i] - 3);
            REQUIRE(std::fabs(std::log(logarithms[i]) - normals[i]) < 1e-9);
        }
        REQUIRE(std::fabs(sum / n - 3) < 5 * 2 / std::sqrt(double(n)));
        REQUIRE(std::fabs(squares / n / 4 - 1) < 5 * std::sqrt(2. / n));
        GOOD(curandDestroyGenerator(generator));
    }
    REQUIRE(curandSetStream(nullptr, nullptr) == CURAND_STATUS_NOT_INITIALIZED && curandGenerateSeeds(nullptr) == CURAND_STATUS_NOT_INITIALIZED);
}

int main() {
    doubles_of_normals();
    numbers_of_curand(), mrg32k3a();
    places<curandStateXORWOW>(CURAND_RNG_PSEUDO_XORWOW, 4096, 1), places<curandStateMRG32k3a>(CURAND_RNG_PSEUDO_MRG32K3A, 81920, 1);
    places<curandStatePhilox4_32_10_t>(CURAND_RNG_PSEUDO_PHILOX4_32_10, 65536, 4);
    poisson(), wrong_uses();
    std::puts("right");
}
