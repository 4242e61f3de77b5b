/* THC/THCReduce.cuh: a dimension of a tensor of any layout to size 1. */
#ifndef THC_REDUCE_INC
#define THC_REDUCE_INC

#include "THCReduceApplyUtils.cuh"
#include "THCTensorTypeUtils.cuh"

#define THC_REDUCE_BLOCK_SIZE 128

/* For finalizeOp: the value as it is. */
template <typename T> struct THCAsItIs {
  __host__ __device__ T operator()(const T v) const { return v; }
};

/* What reduces `size` elements of `in`, `stride` apart. */
template <typename T, typename IndexType, typename ModifyOp, typename ReduceOp, typename FinalizeOp, typename AccT>
struct THCDimReduction {
  TensorInfo<T, IndexType> out, in; /* in: the first element of each */
  IndexType n, size, stride;        /* n: of out */
  ModifyOp modifyOp;
  ReduceOp reduceOp;
  FinalizeOp finalizeOp;
  AccT init;

  /* Elements first, first + step, … of those for out's element i. */
  __device__ AccT part(IndexType i, IndexType first, IndexType step) const {
    const T *from = in.data + IndexToOffset<T, IndexType, -1>::get(i, in);
    AccT value = init;
    for (IndexType k = first; k < size; k += step) value = reduceOp(value, modifyOp(from[k * stride]));
    return value;
  }
  __device__ void finish(IndexType i, AccT value) const {
    out.data[IndexToOffset<T, IndexType, -1>::get(i, out)] = ScalarConvert<AccT, T>::to(finalizeOp(value));
  }
};

/* A thread for each result: neighbours read what lies side by side, where the last dimension is not the reduced one. */
template <typename Reduction>
__global__ void __launch_bounds__(THC_REDUCE_BLOCK_SIZE) kernelReduceByThreads(const Reduction r) {
  typedef decltype(r.n + 0) IndexType;
  const IndexType i = getLinearBlockId<IndexType>() * blockDim.x + threadIdx.x;
  if (i < r.n) r.finish(i, r.part(i, 0, 1));
}

/* A block for each result. */
template <typename Reduction, typename AccT>
__global__ void __launch_bounds__(THC_REDUCE_BLOCK_SIZE) kernelReduceByBlocks(const Reduction r) {
  alignas(AccT) __shared__ unsigned char shared[THC_REDUCE_BLOCK_SIZE * sizeof(AccT)];
  typedef decltype(r.n + 0) IndexType;
  const IndexType i = getLinearBlockId<IndexType>();
  if (i >= r.n) return;
  const AccT value = r.part(i, threadIdx.x, blockDim.x);
  const AccT all = reduceBlock((AccT *)shared, (int)blockDim.x, value, r.reduceOp, r.init);
  if (threadIdx.x == 0) r.finish(i, all);
}

template <typename IndexType, typename TensorType, typename ModifyOp, typename ReduceOp, typename FinalizeOp,
          typename AccT>
bool THCReduceDimTo(THCState *state, TensorType *out, TensorType *in, const ModifyOp &modifyOp,
                    const ReduceOp &reduceOp, const FinalizeOp &finalizeOp, AccT init, int dim) {
  typedef typename TensorUtils<TensorType>::DataType T;
  typedef THCDimReduction<T, IndexType, ModifyOp, ReduceOp, FinalizeOp, AccT> Reduction;
  Reduction r = {getTensorInfo<TensorType, IndexType>(state, out),
                 getTensorInfo<TensorType, IndexType>(state, in),
                 (IndexType)TensorUtils<TensorType>::getNumElements(state, out),
                 (IndexType)in->size[dim],
                 (IndexType)in->stride[dim],
                 modifyOp,
                 reduceOp,
                 finalizeOp,
                 init};
  r.in.reduceDim(dim);
  r.in.collapseDims();
  r.out.collapseDims();
  /* Blocks where their threads have enough to do, and either read side by side or are too few by themselves. */
  const bool by_blocks = r.size >= THC_REDUCE_BLOCK_SIZE && (r.stride == 1 || r.n < 64 * THC_REDUCE_BLOCK_SIZE);
  dim3 grid;
  const ptrdiff_t tiles = by_blocks ? (ptrdiff_t)r.n : THCCeilDiv((ptrdiff_t)r.n, (ptrdiff_t)THC_REDUCE_BLOCK_SIZE);
  if (!THC_getGridFromTiles(tiles, grid)) return false;
  if (by_blocks) THCLaunch(state, kernelReduceByBlocks<Reduction, AccT>, grid, THC_REDUCE_BLOCK_SIZE, r);
  else THCLaunch(state, kernelReduceByThreads<Reduction>, grid, THC_REDUCE_BLOCK_SIZE, r);
  return true;
}

/* out = finalizeOp(init reduced with each modifyOp(element) by reduceOp(AccT, AccT)) along a dimension of `in`, on the
 * current stream; reduceOp is associative and commutative, and init neutral. `out`, another tensor than `in`, is
 * resized, and loses the dimension unless keepdim. Nothing happens for an empty tensor. False, with nothing done: more
 * than MAX_CUTORCH_DIMS dimensions. Error: no such dimension. */
template <typename TensorType, typename ModifyOp, typename ReduceOp, typename FinalizeOp, typename AccT>
bool THC_reduceDim(THCState *state, TensorType *out, TensorType *in, const ModifyOp &modifyOp,
                   const ReduceOp &reduceOp, const FinalizeOp &finalizeOp, AccT init, int dim, int keepdim) {
  typedef TensorUtils<TensorType> Utils;
  if (in->nDimension > MAX_CUTORCH_DIMS) return false;
  if (in->nDimension == 0) return true;
  if (dim < 0 || dim >= in->nDimension)
    THError("THC_reduceDim: expected a dimension from 0 to %d, got %d", in->nDimension - 1, dim);
  THLongStorage *sizes = Utils::newSizeOf(state, in);
  sizes->data[dim] = 1;
  Utils::resize(state, out, sizes, NULL);
  THLongStorage_free(sizes);
  const bool small = Utils::canUse32BitIndexMath(state, in) && Utils::canUse32BitIndexMath(state, out);
  const bool done =
      small ? THCReduceDimTo<unsigned>(state, out, in, modifyOp, reduceOp, finalizeOp, init, dim)
            : THCReduceDimTo<uint64_t>(state, out, in, modifyOp, reduceOp, finalizeOp, init, dim);
  if (!keepdim && out->nDimension > 1) Utils::squeeze1d(state, out, out, dim);
  return done;
}

template <typename TensorType, typename ModifyOp, typename ReduceOp, typename AccT>
bool THC_reduceDim(THCState *state, TensorType *out, TensorType *in, const ModifyOp &modifyOp,
                   const ReduceOp &reduceOp, AccT init, int dim, int keepdim) {
  return THC_reduceDim(state, out, in, modifyOp, reduceOp, THCAsItIs<AccT>(), init, dim, keepdim);
}

#endif
