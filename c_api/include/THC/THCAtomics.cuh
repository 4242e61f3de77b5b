/* THC/THCAtomics.cuh: atomicAdd for the types that CUDA has none for. */
#ifndef THC_ATOMICS_INC
#define THC_ATOMICS_INC

#include <cuda_fp16.h>
#include <stddef.h>
#include <stdint.h>

/* An element of 1 or 2 bytes, added within the aligned word of 4 that holds it: its neighbours keep their values, no
 * carry leaves it. */
template <typename T> static inline __device__ void THCAtomicAddInWord(T *address, T value) {
  unsigned *const word = (unsigned *)((size_t)address & ~(size_t)3);
  const unsigned shift = 8 * (unsigned)((size_t)address & 3);
  const unsigned mask = (sizeof(T) == 1 ? 0xFFu : 0xFFFFu) << shift;
  unsigned seen = *word, before;
  do {
    before = seen;
    const unsigned sum = (unsigned)(T)((T)(before >> shift) + value) << shift;
    seen = atomicCAS(word, before, (before & ~mask) | (sum & mask));
  } while (seen != before);
}

static inline __device__ void atomicAdd(uint8_t *address, uint8_t value) { THCAtomicAddInWord(address, value); }
static inline __device__ void atomicAdd(int8_t *address, int8_t value) { THCAtomicAddInWord(address, value); }
static inline __device__ void atomicAdd(int16_t *address, int16_t value) { THCAtomicAddInWord(address, value); }

/* Two's complement: the sum of the bits is the sum. */
static inline __device__ void atomicAdd(int64_t *address, int64_t value) {
  atomicAdd((unsigned long long *)address, (unsigned long long)value);
}

#endif
