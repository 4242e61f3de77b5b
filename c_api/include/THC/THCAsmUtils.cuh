/* THC/THCAsmUtils.cuh: fields of bits, and a thread's place in its warp. */
#ifndef THC_ASM_UTILS_INC
#define THC_ASM_UTILS_INC

#include <cuda_runtime.h>
#include <stdint.h>

/* Bits [pos, pos + len) of a number; 0 <= pos, 0 <= len, and pos + len at most its width. T is unsigned. */
template <typename T> struct Bitfield {
  static __host__ __device__ __forceinline__ T mask(int len) {
    return len <= 0 ? (T)0 : (T)(~(T)0) >> ((int)sizeof(T) * 8 - len);
  }
  static __host__ __device__ __forceinline__ T getBitfield(T val, int pos, int len) {
    return len <= 0 ? (T)0 : (val >> pos) & mask(len);
  }
  /* `val` with these bits from the lowest ones of toInsert. */
  static __host__ __device__ __forceinline__ T setBitfield(T val, T toInsert, int pos, int len) {
    return len <= 0 ? val : (val & ~(mask(len) << pos)) | (toInsert & mask(len)) << pos;
  }
};

/* By the number of the thread in its block, which is how CUDA makes warps. */
static __device__ __forceinline__ int getLaneId() {
  return (int)((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32);
}

/* One bit for each lane that is less than, at most, more than, at least this one. */
static __device__ __forceinline__ unsigned getLaneMaskLt() { return (1u << getLaneId()) - 1; }
static __device__ __forceinline__ unsigned getLaneMaskLe() { return (2u << getLaneId()) - 1; }
static __device__ __forceinline__ unsigned getLaneMaskGt() { return ~getLaneMaskLe(); }
static __device__ __forceinline__ unsigned getLaneMaskGe() { return ~getLaneMaskLt(); }

#endif
