/* TH/THRandom.h: the MT19937 generator and draws from common distributions.
 *
 * A generator is not protected against use by several threads. Under TH_COMPAT=7 `uniform`, and all that is drawn from
 * it, takes 32 bits where it otherwise takes 53 (see docs/reference/th.md).
 */
#ifndef TH_RANDOM_INC
#define TH_RANDOM_INC

#include "THGeneral.h"

#define _MERSENNE_STATE_N 624
#define _MERSENNE_STATE_M 397

typedef struct THGenerator {
  uint64_t the_initial_seed;
  int left;   /* words of the state not yet drawn */
  int seeded; /* 1 once seeded */
  uint64_t next;
  uint64_t state[_MERSENNE_STATE_N]; /* 32-bit words */
  double normal_x; /* the two uniforms behind the last pair of normals */
  double normal_y;
  double normal_rho;
  int normal_is_valid; /* 1 while the second of the pair is still to be returned */
} THGenerator;

#define torch_Generator "torch.Generator" /* its name in Lua */

/* The 0.4 name of the same state. */
typedef struct THGenerator THGeneratorState;

TH_API THGenerator *THGenerator_new(void); /* seeded from the operating system */
TH_API THGenerator *THGenerator_copy(THGenerator *self, THGenerator *from);
TH_API void THGenerator_free(THGenerator *gen);
TH_API int THGenerator_isValid(THGenerator *_generator);
TH_API int THGeneratorState_isValid(THGeneratorState *_gen_state);
TH_API THGeneratorState *THGeneratorState_copy(THGeneratorState *self, THGeneratorState *from);

/* Seeds from the operating system and returns the seed. */
TH_API uint64_t THRandom_seed(THGenerator *_generator);

/* Starts the sequence of this seed; its low 32 bits determine the state. */
TH_API void THRandom_manualSeed(THGenerator *_generator, uint64_t the_seed_);
TH_API uint64_t THRandom_initialSeed(THGenerator *_generator);

TH_API uint64_t THRandom_random(THGenerator *_generator);   /* 32 bits */
TH_API uint64_t THRandom_random64(THGenerator *_generator); /* two draws, the first one is the high half */

TH_API double THRandom_standard_uniform(THGenerator *_generator); /* [0, 1) */
TH_API double THRandom_uniform(THGenerator *_generator, double a, double b); /* [a, b), 53 bits */
TH_API float THRandom_uniformFloat(THGenerator *_generator, float a, float b); /* [a, b), 24 bits */

/* Box-Muller, in pairs. Error: argument 2, stdv <= 0. */
TH_API double THRandom_normal(THGenerator *_generator, double mean, double stdv);

/* lambda exp(-lambda x). */
TH_API double THRandom_exponential(THGenerator *_generator, double lambda);

/* Marsaglia and Tsang, "A simple method for generating gamma variables", 2000. Scale 1, alpha > 0. */
TH_API double THRandom_standard_gamma(THGenerator *_generator, double alpha);

/* sigma / (pi (sigma^2 + (x - median)^2)). */
TH_API double THRandom_cauchy(THGenerator *_generator, double median, double sigma);

/* exp of a normal draw. Error: argument 2, stdv <= 0. */
TH_API double THRandom_logNormal(THGenerator *_generator, double mean, double stdv);

/* (int)(log(1 - u) / log(p)) + 1. Error: argument 1, p not in (0, 1). */
TH_API int THRandom_geometric(THGenerator *_generator, double p);

/* 1 with probability p. Error: argument 1, p not in [0, 1]. */
TH_API int THRandom_bernoulli(THGenerator *_generator, double p);

#endif
