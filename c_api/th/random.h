// c_api/th/random.h: the draws of THRandom.h for use inside the library, where errors are exceptions.
#pragma once

#include "errors.h"

#include <TH/THRandom.h>

namespace th {

uint64_t random32(THGenerator *);
uint64_t random64(THGenerator *);
double standard_uniform(THGenerator *);      // [0, 1): 53 bits; 32 under TH_COMPAT=7
float standard_uniform_float(THGenerator *); // [0, 1): 24 bits
double uniform(THGenerator *, double a, double b);
float uniform_float(THGenerator *, float a, float b);
double normal(THGenerator *, double mean, double stdv);
double exponential(THGenerator *, double lambda);
double standard_gamma(THGenerator *, double alpha);
double cauchy(THGenerator *, double median, double sigma);
double log_normal(THGenerator *, double mean, double stdv);
int geometric(THGenerator *, double p);
int bernoulli(THGenerator *, double p);
bool is_valid(const THGenerator *);

}  // namespace th
