/* tests/legacy/headers/random_numbers.c: the random numbers of 0.3 and, under TH_COMPAT=7, of 0.1.12. */
#include "cases.h"

static THGenerator *seeded(uint64_t seed) {
  THGenerator *g = THGenerator_new();
  THRandom_manualSeed(g, seed);
  return g;
}

#define NEAR(a, b) CHECK(fabs((a) - (b)) < 2e-8)

/* MT19937: seeding. */
CASE(generator) {
  THGenerator *g = seeded(5489);
  CHECK(THRandom_random(g) == 3499211612u);
  THRandom_normal(g, 0, 1);
  THRandom_manualSeed(g, (uint64_t)1 << 40 | 7);
  CHECK(THRandom_initialSeed(g) == ((uint64_t)1 << 40 | 7) && !g->normal_is_valid);
  CHECK(THRandom_random(g) == THRandom_random(seeded(7))); /* the low 32 bits make the state */
  CHECK(THRandom_seed(g) == THRandom_initialSeed(g) && THGenerator_isValid(g));
}

/* random: 32 bits. */
CASE(random32) {
  THGenerator *g = seeded(0);
  CHECK(THRandom_random(g) == 2357136044u && THRandom_random(g) == 2546248239u && THRandom_random(g) == 3071714933u);
}

/* random64: high half first. */
CASE(both_halves) {
  THGenerator *g = seeded(0);
  CHECK(THRandom_random64(g) == ((uint64_t)2357136044u << 32 | 2546248239u));
}

/* uniform (double): 53 bits. */
CASE(uniform) {
  THGenerator *g = seeded(0);
  NEAR(THRandom_uniform(g, 0, 1), 0.97005300);
  NEAR(THRandom_uniform(g, 0, 1), 0.70781986);
  NEAR(THRandom_uniform(g, 0, 1), 0.45938294);
}

/* uniformFloat: 24 bits. */
CASE(uniform_float) {
  THGenerator *g = seeded(0);
  THFloatTensor *t = THFloatTensor_newWithSize1d(3);
  NEAR(THRandom_uniformFloat(g, 0, 1), 0.49625659);
  THRandom_manualSeed(g, 0);
  THFloatTensor_uniform(t, g, 0, 1);
  NEAR(THFloatTensor_get1d(t, 0), 0.49625659);
  CHECK(fabs(THFloatTensor_get1d(t, 1) - 0.76822180) < 3e-8 && fabs(THFloatTensor_get1d(t, 2) - 0.08847743) < 3e-8);
}

/* normal: Box-Muller. */
CASE(normal) {
  THGenerator *g = seeded(0);
  NEAR(THRandom_normal(g, 0, 1), 1.54099611);
  NEAR(THRandom_normal(g, 0, 1), -0.29342891);
  NEAR(THRandom_normal(g, 0, 1), -2.17878938);
  NEAR(THRandom_normal(g, 10, 2), 10 + 2 * 0.56843128);
}

/* bernoulli: u <= p. */
CASE(bernoulli) {
  THGenerator *g = seeded(0);
  const int expected[] = {0, 0, 1, 0, 0};
  int i;
  for (i = 0; i < 5; i++) CHECK(THRandom_bernoulli(g, 0.5) == expected[i]);
  RAISES(1, "must be >= 0 and <= 1", THRandom_bernoulli(g, 1.5));
}

/* geometric, exponential, cauchy: from one uniform. */
CASE(from_uniform) {
  const double u = 0.97005300, p = 0.3;
  CHECK(THRandom_geometric(seeded(0), p) == (int)(log(1 - u) / log(p)) + 1);
  CHECK(fabs(THRandom_exponential(seeded(0), 2) + log(1 - u) / 2) < 1e-6);
  CHECK(fabs(THRandom_cauchy(seeded(0), 1, 2) - (1 + 2 * tan(M_PI * (u - 0.5)))) < 1e-4);
  CHECK(THRandom_geometric(seeded(0), p) > 0);
}

/* Random tensors of each type. */
CASE(tensor_random) {
  THGenerator *g = seeded(0);
  THByteTensor *b = THByteTensor_newWithSize1d(1);
  THFloatTensor *f = THFloatTensor_newWithSize1d(1);
  THLongTensor *l = THLongTensor_newWithSize1d(1);
  THByteTensor_random(b, g);
  CHECK(THByteTensor_get1d(b, 0) == 2357136044u % 256);
  THRandom_manualSeed(g, 0);
  THFloatTensor_random(f, g);
  CHECK(THFloatTensor_get1d(f, 0) == 2357136044u % ((1u << 24) + 1));
  THRandom_manualSeed(g, 0);
  THLongTensor_random(l, g);
  CHECK(THLongTensor_get1d(l, 0) == (int64_t)(((uint64_t)2357136044u << 32 | 2546248239u) % ((uint64_t)1 << 63)));
}

/* clampedRandom: modulo. */
CASE(clamped_random) {
  THGenerator *g = seeded(0);
  THLongTensor *l = THLongTensor_newWithSize1d(1);
  THLongTensor_clampedRandom(l, g, -5, 15);
  CHECK(THLongTensor_get1d(l, 0) == -5 + (int64_t)(2357136044u % 20));
  RAISES(2, "max must be greater than min, but got: min = 5, max = 5", THLongTensor_clampedRandom(l, g, 5, 5));
}

/* randperm: Fisher-Yates. */
CASE(randperm) {
  THGenerator *g = seeded(0);
  THFloatTensor *t = THFloatTensor_new();
  THFloatTensor_randperm(t, g, 5);
  HOLDS(t, 4, 0, 1, 3, 2);
}

/* getRNGState/setRNGState: bytes. */
CASE(state_as_bytes) {
  THGenerator *g = seeded(3), *other = seeded(4);
  THByteTensor *t = THByteTensor_new();
  double expected;
  THRandom_normal(g, 0, 1);
  THByteTensor_getRNGState(g, t);
  IS(t, size, 5048);
  THByteTensor_setRNGState(other, t);
  expected = THRandom_normal(g, 0, 1);
  CHECK(THRandom_normal(other, 0, 1) == expected && THRandom_random(other) == THRandom_random(g));
  THByteTensor_resize1d(t, 5047);
  RAISES(1, "RNG state is wrong size", THByteTensor_setRNGState(other, t));
  THByteTensor_resize1d(t, 5048);
  THByteTensor_zero(t);
  RAISES(1, "Invalid RNG state", THByteTensor_setRNGState(other, t));
}

/* The numbers of 0.1.12 and 0.2. */
CASE(numbers_of_0_1_and_0_2) {
  THGenerator *g;
  setenv("TH_COMPAT", "7", 1); /* read once, with the first number drawn */
  g = seeded(0);
  NEAR(THRandom_uniform(g, 0, 1), 0.54881350);
  NEAR(THRandom_uniform(g, 0, 1), 0.59284462);
  NEAR(THRandom_uniform(g, 0, 1), 0.71518937);
  NEAR(THRandom_uniformFloat(seeded(0), 0, 1), (float)0.54881350);
}
