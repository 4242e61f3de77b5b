/* curand.h: arrays of random numbers by cuRAND's generators XORWOW, MRG32k3a and Philox4_32_10; for C and C++.
 *
 * A call fills `count` numbers, and the next one goes on where it ended. Of one seed and offset, words and uniform numbers are
 * those of cuRAND 10.3 in its default order; normal numbers are so but for rounding, and Poisson's have the right distribution
 * by other words. A generator of curandCreateGenerator fills memory of the device, one of curandCreateGeneratorHost the host's.
 * Other generators are CURAND_STATUS_TYPE_ERROR, with a line on stderr. */
#ifndef CUDA_ON_CPU_CURAND_H
#define CUDA_ON_CPU_CURAND_H

#include <cuda_runtime_api.h>

#define CURAND_VER_MAJOR 10
#define CURAND_VER_MINOR 4
#define CURAND_VER_PATCH 0
#define CURAND_VERSION (CURAND_VER_MAJOR * 1000 + CURAND_VER_MINOR * 100 + CURAND_VER_PATCH)
#define CURANDAPI

typedef enum curandStatus {
  CURAND_STATUS_SUCCESS = 0,
  CURAND_STATUS_VERSION_MISMATCH = 100,
  CURAND_STATUS_NOT_INITIALIZED = 101,
  CURAND_STATUS_ALLOCATION_FAILED = 102,
  CURAND_STATUS_TYPE_ERROR = 103,
  CURAND_STATUS_OUT_OF_RANGE = 104,
  CURAND_STATUS_LENGTH_NOT_MULTIPLE = 105,
  CURAND_STATUS_DOUBLE_PRECISION_REQUIRED = 106,
  CURAND_STATUS_LAUNCH_FAILURE = 201,
  CURAND_STATUS_PREEXISTING_FAILURE = 202,
  CURAND_STATUS_INITIALIZATION_FAILED = 203,
  CURAND_STATUS_ARCH_MISMATCH = 204,
  CURAND_STATUS_INTERNAL_ERROR = 999
} curandStatus_t;
typedef enum curandRngType {
  CURAND_RNG_TEST = 0,
  CURAND_RNG_PSEUDO_DEFAULT = 100,
  CURAND_RNG_PSEUDO_XORWOW = 101,
  CURAND_RNG_PSEUDO_MRG32K3A = 121,
  CURAND_RNG_PSEUDO_MTGP32 = 141,
  CURAND_RNG_PSEUDO_MT19937 = 142,
  CURAND_RNG_PSEUDO_PHILOX4_32_10 = 161,
  CURAND_RNG_QUASI_DEFAULT = 200,
  CURAND_RNG_QUASI_SOBOL32 = 201,
  CURAND_RNG_QUASI_SCRAMBLED_SOBOL32 = 202,
  CURAND_RNG_QUASI_SOBOL64 = 203,
  CURAND_RNG_QUASI_SCRAMBLED_SOBOL64 = 204
} curandRngType_t;
typedef enum curandOrdering {
  CURAND_ORDERING_PSEUDO_BEST = 100,
  CURAND_ORDERING_PSEUDO_DEFAULT = 101,
  CURAND_ORDERING_PSEUDO_SEEDED = 102,
  CURAND_ORDERING_PSEUDO_LEGACY = 103,
  CURAND_ORDERING_PSEUDO_DYNAMIC = 104,
  CURAND_ORDERING_QUASI_DEFAULT = 201
} curandOrdering_t;
typedef struct curandGenerator_st *curandGenerator_t;

#ifdef __cplusplus
extern "C" {
#endif

curandStatus_t curandCreateGenerator(curandGenerator_t *, curandRngType_t);
curandStatus_t curandCreateGeneratorHost(curandGenerator_t *, curandRngType_t);
curandStatus_t curandDestroyGenerator(curandGenerator_t);
curandStatus_t curandGetVersion(int *version);
curandStatus_t curandSetStream(curandGenerator_t, cudaStream_t);
/* Both start the generator anew. An offset counts words. */
curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t, unsigned long long seed);
curandStatus_t curandSetGeneratorOffset(curandGenerator_t, unsigned long long offset);
/* CURAND_ORDERING_PSEUDO_BEST and DEFAULT, which are one. */
curandStatus_t curandSetGeneratorOrdering(curandGenerator_t, curandOrdering_t);
curandStatus_t curandGenerateSeeds(curandGenerator_t);

/* Words of 32 bits. Of 64 bits they are only those of quasi-random generators: CURAND_STATUS_TYPE_ERROR. */
curandStatus_t curandGenerate(curandGenerator_t, unsigned int *to, size_t count);
curandStatus_t curandGenerateLongLong(curandGenerator_t, unsigned long long *to, size_t count);
/* In (0, 1]. */
curandStatus_t curandGenerateUniform(curandGenerator_t, float *to, size_t count);
curandStatus_t curandGenerateUniformDouble(curandGenerator_t, double *to, size_t count);
/* An odd count is CURAND_STATUS_LENGTH_NOT_MULTIPLE, but of Philox. */
curandStatus_t curandGenerateNormal(curandGenerator_t, float *to, size_t count, float mean, float deviation);
curandStatus_t curandGenerateNormalDouble(curandGenerator_t, double *to, size_t count, double mean, double deviation);
curandStatus_t curandGenerateLogNormal(curandGenerator_t, float *to, size_t count, float mean, float deviation);
curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t, double *to, size_t count, double mean,
                                             double deviation);
/* A mean that is not above 0 is CURAND_STATUS_OUT_OF_RANGE. */
curandStatus_t curandGeneratePoisson(curandGenerator_t, unsigned int *to, size_t count, double mean);

#ifdef __cplusplus
}
#endif

#endif
