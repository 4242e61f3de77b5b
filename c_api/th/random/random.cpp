// c_api/th/random/random.cpp: MT19937 (Matsumoto and Nishimura, 2002 initialisation) and scalar distributions.
#include "th/random/random.h"

#include "th/runtime/export.h"
#include "th/runtime/memory.h"

#include <cmath>
#include <sys/random.h>

namespace th {
namespace {

constexpr int N = _MERSENNE_STATE_N, M = _MERSENNE_STATE_M;

void seed(THGenerator *generator, uint64_t value) {
    *generator = THGenerator{};
    generator->the_initial_seed = value;
    uint64_t *state = generator->state;
    state[0] = value & 0xFFFFFFFF;
    for (uint64_t i = 1; i < N; i++) state[i] = (1812433253 * (state[i - 1] ^ state[i - 1] >> 30) + i) & 0xFFFFFFFF;
    generator->left = 1;
    generator->seeded = 1;
}

uint64_t twist(uint64_t upper, uint64_t lower) {
    return ((upper & 0x80000000) | (lower & 0x7FFFFFFF)) >> 1 ^ (-(lower & 1) & 0x9908B0DF);
}

uint64_t seed_from_system() {
    uint64_t value;
    TH_CHECK(getrandom(&value, sizeof value, 0) == sizeof value, "cannot read a seed from the operating system");
    return value;
}

}  // namespace

// The words that are left lie within the state. (Seeding leaves none: the first draw refills.)
bool is_valid(const THGenerator *g) {
    return g->seeded == 1 && g->left > 0 && g->left <= N && g->next <= uint64_t(N + 1 - g->left);
}

// Word i comes from words i, i + 1 and i + M, counted around: three loops without a branch or a remainder, which become
// vector code.
void refill(THGenerator *generator) {
    uint64_t *const state = generator->state;
    for (int i = 0; i < N - M; i++) state[i] = state[i + M] ^ twist(state[i], state[i + 1]);
    for (int i = N - M; i < N - 1; i++) state[i] = state[i + M - N] ^ twist(state[i], state[i + 1]);
    state[N - 1] = state[M - 1] ^ twist(state[N - 1], state[0]);
    generator->left = N;
    generator->next = 0;
}

double normal(THGenerator *generator, double mean, double stdv) {
    TH_ARGUMENT(stdv > 0, 2, "standard deviation must be strictly positive");
    double direction;
    if (!generator->normal_is_valid) {
        generator->normal_x = standard_uniform(generator);
        generator->normal_y = standard_uniform(generator);
        generator->normal_rho = std::sqrt(-2 * std::log(1 - generator->normal_y));
        generator->normal_is_valid = 1;
        direction = std::cos(2 * M_PI * generator->normal_x);
    } else {
        generator->normal_is_valid = 0;
        direction = std::sin(2 * M_PI * generator->normal_x);
    }
    return generator->normal_rho * direction * stdv + mean;
}

double exponential(THGenerator *generator, double lambda) {
    return -1 / lambda * std::log(1 - standard_uniform(generator));
}

double standard_gamma(THGenerator *generator, double alpha) {
    if (!(alpha > 0)) return NAN;
    double scale = 1;
    if (alpha < 1) {  // the method needs alpha >= 1; alpha + 1 and a power of a uniform give the same
        scale = std::pow(1 - standard_uniform(generator), 1 / alpha);
        alpha += 1;
    }
    const double d = alpha - 1.0 / 3, c = 1 / std::sqrt(9 * d);
    for (;;) {
        double x, root;
        do {
            x = normal(generator, 0, 1);
            root = 1 + c * x;
        } while (root <= 0);
        const double v = root * root * root, u = 1 - standard_uniform(generator), square = x * x;
        if (u < 1 - 0.0331 * square * square || std::log(u) < 0.5 * square + d * (1 - v + std::log(v)))
            return scale * d * v;
    }
}

double cauchy(THGenerator *generator, double median, double sigma) {
    return median + sigma * std::tan(M_PI * (standard_uniform(generator) - 0.5));
}

double log_normal(THGenerator *generator, double mean, double stdv) {
    TH_ARGUMENT(stdv > 0, 2, "standard deviation must be strictly positive");
    return std::exp(normal(generator, mean, stdv));
}

int geometric(THGenerator *generator, double p) {
    TH_ARGUMENT(p > 0 && p < 1, 1, "must be > 0 and < 1");
    return int(std::log(1 - standard_uniform(generator)) / std::log(p)) + 1;
}

void check_probability(double p) { TH_ARGUMENT(p >= 0 && p <= 1, 1, "must be >= 0 and <= 1"); }
int bernoulli(THGenerator *generator, double p) {
    check_probability(p);
    return standard_uniform(generator) <= p;
}

}  // namespace th

extern "C" {

THGenerator *THGenerator_new(void) {
    return th::guarded([] {
        th::Buffer<THGenerator> generator(1);
        th::seed(generator.get(), th::seed_from_system());
        return generator.release();
    });
}

THGenerator *THGenerator_copy(THGenerator *self, THGenerator *from) {
    *self = *from;
    return self;
}

void THGenerator_free(THGenerator *gen) { THFree(gen); }
int THGenerator_isValid(THGenerator *_generator) { return th::is_valid(_generator); }
int THGeneratorState_isValid(THGeneratorState *_gen_state) { return th::is_valid(_gen_state); }
THGeneratorState *THGeneratorState_copy(THGeneratorState *self, THGeneratorState *from) {
    return THGenerator_copy(self, from);
}

uint64_t THRandom_seed(THGenerator *_generator) {
    return th::guarded([&] {
        const uint64_t value = th::seed_from_system();
        th::seed(_generator, value);
        return value;
    });
}

void THRandom_manualSeed(THGenerator *_generator, uint64_t the_seed_) { th::seed(_generator, the_seed_); }
uint64_t THRandom_initialSeed(THGenerator *_generator) { return _generator->the_initial_seed; }

// These raise no errors.
uint64_t THRandom_random(THGenerator *_generator) { return th::random32(_generator); }
uint64_t THRandom_random64(THGenerator *_generator) { return th::random64(_generator); }

TH_EXPORT(double, THRandom_standard_uniform, ::th::standard_uniform, THGenerator *)
TH_EXPORT(double, THRandom_uniform, ::th::uniform, THGenerator *, double, double)
TH_EXPORT(float, THRandom_uniformFloat, ::th::uniform_float, THGenerator *, float, float)
TH_EXPORT(double, THRandom_normal, ::th::normal, THGenerator *, double, double)
TH_EXPORT(double, THRandom_exponential, ::th::exponential, THGenerator *, double)
TH_EXPORT(double, THRandom_standard_gamma, ::th::standard_gamma, THGenerator *, double)
TH_EXPORT(double, THRandom_cauchy, ::th::cauchy, THGenerator *, double, double)
TH_EXPORT(double, THRandom_logNormal, ::th::log_normal, THGenerator *, double, double)
TH_EXPORT(int, THRandom_geometric, ::th::geometric, THGenerator *, double)
TH_EXPORT(int, THRandom_bernoulli, ::th::bernoulli, THGenerator *, double)
}
