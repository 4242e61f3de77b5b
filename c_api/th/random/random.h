// c_api/th/random/random.h: the draws of THRandom.h for use inside the library, where errors are exceptions.
#pragma once

#include "th/runtime/compat.h"
#include "th/runtime/errors.h"

#include <TH/THRandom.h>

#include <cassert>

namespace th {

void refill(THGenerator *);  // new words in place of those drawn

inline uint64_t random32(THGenerator *generator) {
    if (--generator->left == 0) refill(generator);
    assert(generator->next < _MERSENNE_STATE_N);
    uint64_t y = generator->state[generator->next++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9D2C5680;
    y ^= y << 15 & 0xEFC60000;
    return y ^ y >> 18;
}

inline uint64_t random64(THGenerator *generator) {
    const uint64_t high = random32(generator);
    return high << 32 | random32(generator);
}

// [0, 1): 53 bits; 32 under TH_COMPAT=7.
inline double standard_uniform(THGenerator *generator) {
    if (torch7()) return double(random32(generator)) * 0x1p-32;
    return double(int64_t(random64(generator) & ((uint64_t(1) << 53) - 1))) * 0x1p-53;
}

inline double uniform(THGenerator *generator, double a, double b) { return standard_uniform(generator) * (b - a) + a; }

// 24 bits; 32 under TH_COMPAT=7.
inline float uniform_float(THGenerator *generator, float a, float b) {
    if (torch7()) return float(uniform(generator, a, b));
    return float(int32_t(random32(generator) & 0xFFFFFF)) * 0x1p-24f * (b - a) + a;
}

double normal(THGenerator *, double mean, double stdv);
double exponential(THGenerator *, double lambda);
double standard_gamma(THGenerator *, double alpha);
double cauchy(THGenerator *, double median, double sigma);
double log_normal(THGenerator *, double mean, double stdv);
int geometric(THGenerator *, double p);
void check_probability(double p);
int bernoulli(THGenerator *, double p);
bool is_valid(const THGenerator *);

}  // namespace th
