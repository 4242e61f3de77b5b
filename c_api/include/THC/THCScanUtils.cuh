/* THC/THCScanUtils.cuh: running sums within a block of one dimension. */
#ifndef THC_SCAN_UTILS_INC
#define THC_SCAN_UTILS_INC

#include "THCAsmUtils.cuh"
#include "THCDeviceUtils.cuh"

template <typename T> struct AddOp {
  __host__ __device__ __forceinline__ T operator()(const T &a, const T &b) const { return a + b; }
};

/* smem[i] = smem[0] op … op smem[i], for Power2ScanSize values, a power of two, by half as many threads. `op` is
 * associative. Threads come in after they wrote their values, without a barrier, and go when all results are there.
 *
 * In runs of double length each time: a run's right half takes in the last result of its left one. */
template <typename T, class BinaryOp, int Power2ScanSize>
__device__ void inclusivePrefixScan(T *smem, BinaryOp binop) {
  for (int run = 1; run < Power2ScanSize; run *= 2) {
    __syncthreads();
    const int left = (int)threadIdx.x / run * 2 * run + run - 1;
    if ((int)threadIdx.x < Power2ScanSize / 2) {
      T &value = smem[left + 1 + (int)threadIdx.x % run];
      value = binop(smem[left], value);
    }
  }
  __syncthreads();
}

/* How many threads up to this one gave `in`, by a block whose size is a multiple of 32. smem has a T for each warp, and
 * holds the numbers up to each warp afterwards; binop adds. It may be used again at once with KillWARDependency. */
template <typename T, bool KillWARDependency, class BinaryFunction>
__device__ void inclusiveBinaryPrefixScan(T *smem, bool in, T *out, BinaryFunction binop) {
  const unsigned votes = WARP_BALLOT(in);
  const int warp = (int)threadIdx.x / 32;
  if (getLaneId() == 0) smem[warp] = (T)__popc(votes);
  __syncthreads();
  if (threadIdx.x == 0)
    for (int i = 1; i < (int)blockDim.x / 32; ++i) smem[i] = binop(smem[i - 1], smem[i]);
  __syncthreads();
  const T within = (T)__popc(votes & getLaneMaskLe());
  *out = warp ? binop(smem[warp - 1], within) : within;
  if (KillWARDependency) __syncthreads();
}

/* The same without this thread; `carry` is the number of all. */
template <typename T, bool KillWARDependency, class BinaryFunction>
__device__ void exclusiveBinaryPrefixScan(T *smem, bool in, T *out, T *carry, BinaryFunction binop) {
  inclusiveBinaryPrefixScan<T, false, BinaryFunction>(smem, in, out, binop);
  *out -= (T)in;
  *carry = smem[THCCeilDiv((int)blockDim.x, 32) - 1];
  if (KillWARDependency) __syncthreads();
}

#endif
