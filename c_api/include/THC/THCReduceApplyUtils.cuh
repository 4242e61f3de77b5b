/* THC/THCReduceApplyUtils.cuh: what THCApply.cuh and its neighbours share: grids, launches, sums within a block. */
#ifndef THC_REDUCE_APPLY_UTILS_INC
#define THC_REDUCE_APPLY_UTILS_INC

#include "THCDeviceUtils.cuh"
#include "THCGeneral.h"

#include <stddef.h>
#include <stdint.h>

/* The number of a block in a grid of up to three dimensions. */
template <typename IndexType> static __device__ __forceinline__ IndexType getLinearBlockId() {
  return ((IndexType)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
}

/* A grid of at least gridTiles blocks; false where there can be none so large. Dimensions stay below 65536. */
static inline bool THC_getGridFromTiles(ptrdiff_t gridTiles, dim3 &grid) {
  const ptrdiff_t most = 65535;
  if (gridTiles > most * most * most) return false;
  ptrdiff_t sizes[3] = {1, 1, 1}, left = gridTiles < 1 ? 1 : gridTiles;
  for (int i = 0; i < 3; ++i) {
    sizes[i] = left > most ? most : left;
    left = THCCeilDiv(left, sizes[i]);
  }
  grid = dim3((unsigned)sizes[0], (unsigned)sizes[1], (unsigned)sizes[2]);
  return true;
}

/* op over the values of threads 0 to numVals - 1 of a block of one dimension, whose number is at least 1. Thread 0 gets
 * the result, the others `init`. smem has numVals elements, which may be used again after a barrier. `op` is
 * associative and commutative. */
template <typename T, typename ReduceOp>
__device__ T reduceBlock(T *smem, int numVals, T threadVal, ReduceOp reduceOp, T init) {
  const int thread = (int)threadIdx.x;
  if (thread < numVals) smem[thread] = threadVal;
  for (int count = numVals; count > 1;) {
    const int kept = (count + 1) / 2;
    __syncthreads();
    if (thread < count - kept) smem[thread] = reduceOp(smem[thread], smem[thread + kept]);
    count = kept;
  }
  return thread == 0 ? smem[0] : init;
}

/* Memory on the current device that is freed on every way out. Error: out of memory. */
class THCBuffer {
public:
  THCBuffer(THCState *state, size_t bytes) : state_(state), memory_(NULL) {
    THCudaCheck(THCudaMalloc(state, &memory_, bytes));
  }
  THCBuffer(const THCBuffer &) = delete;
  ~THCBuffer() { THCudaFree(state_, memory_); }
  void *get() const { return memory_; }

private:
  THCState *state_;
  void *memory_;
};

/* On the current stream. Error: what the launch reports. */
template <typename... Parameters, typename... Arguments>
void THCLaunch(THCState *state, void (*kernel)(Parameters...), dim3 grid, dim3 block, const Arguments &...arguments) {
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  config.stream = THCState_getCurrentStream(state);
  THCudaCheck(cudaLaunchKernelEx(&config, kernel, arguments...));
}

#endif
