/* THC/THCReduceAll.cuh: all elements of a tensor of any layout to one number. */
#ifndef THC_REDUCE_ALL_INC
#define THC_REDUCE_ALL_INC

#include "THCReduceApplyUtils.cuh"
#include "THCTensorTypeUtils.cuh"

#define THC_REDUCE_ALL_BLOCK_SIZE 256
#define THC_REDUCE_ALL_MAX_BLOCKS 1024

/* A value for each block. AccT may have a constructor, which shared memory must not. */
template <typename T, typename IndexType, int Dims, typename ModifyOp, typename ReduceOp, typename ReduceAccOp,
          typename AccT>
__global__ void __launch_bounds__(THC_REDUCE_ALL_BLOCK_SIZE)
    kernelReduceAll(const TensorInfo<T, IndexType> in, IndexType n, const ModifyOp modifyOp, const ReduceOp reduceOp,
                    const ReduceAccOp reduceAccOp, AccT init, AccT *out) {
  alignas(AccT) __shared__ unsigned char shared[THC_REDUCE_ALL_BLOCK_SIZE * sizeof(AccT)];
  AccT value = init;
  const IndexType step = (IndexType)gridDim.x * blockDim.x;
  for (IndexType i = (IndexType)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
    value = reduceOp(value, modifyOp(in.data[IndexToOffset<T, IndexType, Dims>::get(i, in)]));
  value = reduceBlock((AccT *)shared, (int)blockDim.x, value, reduceAccOp, init);
  if (threadIdx.x == 0) out[blockIdx.x] = value;
}

/* Of the blocks' values, in one block. */
template <typename ReduceAccOp, typename AccT>
__global__ void __launch_bounds__(THC_REDUCE_ALL_BLOCK_SIZE)
    kernelReduceAllOfBlocks(const AccT *values, int n, const ReduceAccOp reduceAccOp, AccT init, AccT *out) {
  alignas(AccT) __shared__ unsigned char shared[THC_REDUCE_ALL_BLOCK_SIZE * sizeof(AccT)];
  AccT value = init;
  for (int i = (int)threadIdx.x; i < n; i += (int)blockDim.x) value = reduceAccOp(value, values[i]);
  value = reduceBlock((AccT *)shared, (int)blockDim.x, value, reduceAccOp, init);
  if (threadIdx.x == 0) *out = value;
}

template <typename IndexType, typename TensorType, typename ModifyOp, typename ReduceOp, typename ReduceAccOp,
          typename AccT>
void THCReduceAllTo(THCState *state, TensorType *in, ptrdiff_t n, unsigned blocks, const ModifyOp &modifyOp,
                    const ReduceOp &reduceOp, const ReduceAccOp &reduceAccOp, AccT init, AccT *out) {
  typedef typename TensorUtils<TensorType>::DataType T;
  TensorInfo<T, IndexType> info = getTensorInfo<TensorType, IndexType>(state, in);
  info.collapseDims();
  if (info.isContiguous())
    THCLaunch(state, kernelReduceAll<T, IndexType, -2, ModifyOp, ReduceOp, ReduceAccOp, AccT>, blocks,
              THC_REDUCE_ALL_BLOCK_SIZE, info, (IndexType)n, modifyOp, reduceOp, reduceAccOp, init, out);
  else
    THCLaunch(state, kernelReduceAll<T, IndexType, -1, ModifyOp, ReduceOp, ReduceAccOp, AccT>, blocks,
              THC_REDUCE_ALL_BLOCK_SIZE, info, (IndexType)n, modifyOp, reduceOp, reduceAccOp, init, out);
}

/* *out = init reduced with each modifyOp(element) by reduceOp(AccT, modified), in no order; parts of it are joined by
 * reduceAccOp(AccT, AccT), so that init must be neutral: init op x = x. `out` is on the GPU if outOnDevice, else on the
 * host, and is waited for. Of an empty tensor it is init. False, with nothing done: more than MAX_CUTORCH_DIMS
 * dimensions. Error: out of memory. */
template <typename TensorType, typename ModifyOp, typename ReduceOp, typename ReduceAccOp, typename AccT>
bool THC_reduceAll(THCState *state, TensorType *in, const ModifyOp &modifyOp, const ReduceOp &reduceOp,
                   const ReduceAccOp &reduceAccOp, AccT init, AccT *out, int outOnDevice) {
  if (in->nDimension > MAX_CUTORCH_DIMS) return false;
  const cudaStream_t stream = THCState_getCurrentStream(state);
  const ptrdiff_t n = TensorUtils<TensorType>::getNumElements(state, in);
  if (in->nDimension == 0) {
    if (!outOnDevice) *out = init;
    else THCudaCheck(cudaMemcpyAsync(out, &init, sizeof init, cudaMemcpyHostToDevice, stream));
    return true;
  }
  ptrdiff_t blocks = THCCeilDiv(n, (ptrdiff_t)THC_REDUCE_ALL_BLOCK_SIZE);
  if (blocks > THC_REDUCE_ALL_MAX_BLOCKS) blocks = THC_REDUCE_ALL_MAX_BLOCKS;
  const THCBuffer memory(state, (size_t)(blocks + 1) * sizeof(AccT)); /* the result, and those of the blocks */
  AccT *result = outOnDevice ? out : (AccT *)memory.get();
  AccT *of_blocks = blocks == 1 ? result : (AccT *)memory.get() + 1;
  if (TensorUtils<TensorType>::canUse32BitIndexMath(state, in))
    THCReduceAllTo<unsigned>(state, in, n, (unsigned)blocks, modifyOp, reduceOp, reduceAccOp, init, of_blocks);
  else
    THCReduceAllTo<uint64_t>(state, in, n, (unsigned)blocks, modifyOp, reduceOp, reduceAccOp, init, of_blocks);
  if (blocks > 1)
    THCLaunch(state, kernelReduceAllOfBlocks<ReduceAccOp, AccT>, 1, THC_REDUCE_ALL_BLOCK_SIZE, of_blocks, (int)blocks,
              reduceAccOp, init, result);
  if (!outOnDevice) {
    THCudaCheck(cudaMemcpyAsync(out, result, sizeof *out, cudaMemcpyDeviceToHost, stream));
    THCudaCheck(cudaStreamSynchronize(stream));
  }
  return true;
}

#endif
