/* THC/THCSortUtils.cuh: sorting keys with their values within a block. */
#ifndef THC_SORT_UTILS_INC
#define THC_SORT_UTILS_INC

#include "THCNumerics.cuh"
#include "THCReduceApplyUtils.cuh"
#include "THCTensorInfo.cuh"

template <typename T> struct LTComp {
  __host__ __device__ bool operator()(const T &a, const T &b) const { return THCNumerics<T>::lt(a, b); }
};
template <typename T> struct GTComp {
  __host__ __device__ bool operator()(const T &a, const T &b) const { return THCNumerics<T>::gt(a, b); }
};

/* The least power of two that is n or more; 1 for 0. */
static inline uint64_t nextHighestPowerOf2(uint64_t n) {
  uint64_t power = 1;
  while (power < n && power << 1) power <<= 1;
  return power;
}

template <typename T> __host__ __device__ void swapVars(T &a, T &b) {
  const T other = a;
  a = b;
  b = other;
}

/* Swaps A and B unless they are in order: A first by comp, for `dir` false; B first, for true. What is not valid comes
 * behind what is. */
template <typename Comparator, typename K, typename V>
__host__ __device__ void bitonicSwap(K &kA, V &vA, bool &validA, K &kB, V &vB, bool &validB, bool dir,
                                     const Comparator &comp) {
  const bool inOrder = !validB || (validA && comp(kA, kB));
  if (inOrder != dir) return;
  swapVars(kA, kB);
  swapVars(vA, vB);
  swapVars(validA, validB);
}

/* Sorts Power2SortSize keys, a power of two, by half as many threads; equal ones in no order. Threads come in after
 * they wrote theirs, without a barrier, and go when all are sorted.
 *
 * Runs of double length each time, neighbours in opposite directions, are merged by comparing halves, quarters, … */
template <typename Comparator, typename K, typename V, typename IndexType, int Power2SortSize>
__device__ void bitonicSort(K *keys, V *values, bool *valid, const Comparator &comp) {
  const int thread = (int)threadIdx.x;
  for (int run = 2; run <= Power2SortSize; run *= 2)
    for (int gap = run / 2; gap > 0; gap /= 2) {
      __syncthreads();
      const int a = thread / gap * 2 * gap + thread % gap, b = a + gap;
      if (thread < Power2SortSize / 2)
        bitonicSwap(keys[a], values[a], valid[a], keys[b], values[b], valid[b], (a & run) != 0, comp);
    }
  __syncthreads();
}

/* Sorts slices of at most Power2SortSize elements in place, a block of Power2SortSize / 2 threads each: keySlices of
 * them, whose first elements are those of `keys` and `values` with the dimension reduced to 1 (KeyDims and ValueDims as
 * in IndexToOffset). The grid may have up to three dimensions. */
template <typename K, typename V, int KeyDims, int ValueDims, typename Comparator, typename IndexType,
          int Power2SortSize>
__global__ void bitonicSortKVInPlace(TensorInfo<K, IndexType> keys, IndexType keySlices, IndexType keySliceSize,
                                     IndexType keySliceStride, TensorInfo<V, IndexType> values,
                                     IndexType valueSliceStride, Comparator comp) {
  __shared__ K sharedKeys[Power2SortSize];
  __shared__ V sharedValues[Power2SortSize];
  __shared__ bool sharedValid[Power2SortSize];
  const IndexType slice = getLinearBlockId<IndexType>();
  if (slice >= keySlices) return;
  K *const key = keys.data + IndexToOffset<K, IndexType, KeyDims>::get(slice, keys);
  V *const value = values.data + IndexToOffset<V, IndexType, ValueDims>::get(slice, values);
  for (int i = (int)threadIdx.x; i < Power2SortSize; i += Power2SortSize / 2) {
    sharedValid[i] = (IndexType)i < keySliceSize;
    if (!sharedValid[i]) continue;
    sharedKeys[i] = key[(IndexType)i * keySliceStride];
    sharedValues[i] = value[(IndexType)i * valueSliceStride];
  }
  bitonicSort<Comparator, K, V, IndexType, Power2SortSize>(sharedKeys, sharedValues, sharedValid, comp);
  for (int i = (int)threadIdx.x; i < Power2SortSize && (IndexType)i < keySliceSize; i += Power2SortSize / 2) {
    key[(IndexType)i * keySliceStride] = sharedKeys[i];
    value[(IndexType)i * valueSliceStride] = sharedValues[i];
  }
}

#endif
