/* THC/THCApply.cuh: an operation on each element of one, two or three tensors of any layout.
 *
 *     struct Scale {
 *       float by;
 *       __device__ void operator()(float *out, float *in) const { *out = *in * by; }
 *     };
 *     THC_pointwiseApply2(state, out, in, Scale{3});
 */
#ifndef THC_APPLY_INC
#define THC_APPLY_INC

#include "THCReduceApplyUtils.cuh"
#include "THCTensorTypeUtils.cuh"

#include <initializer_list>

#define THC_APPLY_THREADS_PER_BLOCK 512
#define THC_APPLY_BLOCKS_PER_SM 4

/* Whether the operation writes to a tensor. */
enum TensorArgType { ReadWrite, ReadOnly };

static inline dim3 getApplyBlock() { return dim3(THC_APPLY_THREADS_PER_BLOCK); }

/* As many blocks as the current device runs at once, or the elements need; each thread takes several elements. */
static inline bool getApplyGrid(THCState *state, uint64_t totalElements, dim3 &grid, int curDevice) {
  if (curDevice < 0) return false;
  const uint64_t needed = THCCeilDiv(totalElements, (uint64_t)THC_APPLY_THREADS_PER_BLOCK);
  const uint64_t at_once =
      (uint64_t)THCState_getCurrentDeviceProperties(state)->multiProcessorCount * THC_APPLY_BLOCKS_PER_SM;
  grid = dim3((unsigned)(needed < at_once ? needed : at_once));
  return true;
}

/* Calls op(&a[i], &b[i], …) for all i. With Dims as in IndexToOffset. */
template <int Dims, typename IndexType, typename Op, typename... T>
__global__ void __launch_bounds__(THC_APPLY_THREADS_PER_BLOCK)
    kernelPointwiseApply(IndexType n, const Op op, TensorInfo<T, IndexType>... infos) {
  for (IndexType i = (IndexType)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (IndexType)gridDim.x * blockDim.x)
    op(infos.data + IndexToOffset<T, IndexType, Dims>::get(i, infos)...);
}

/* Tensors of at most MAX_CUTORCH_DIMS dimensions. */
template <typename IndexType, typename Op, typename... Tensors>
void THCApplyTo(THCState *state, ptrdiff_t n, dim3 grid, const Op &op, Tensors *...tensors) {
  const auto launch = [&](auto... infos) {
    bool contiguous = true;
    const bool each[] = {(infos.collapseDims(), infos.isContiguous())...};
    for (const bool one : each) contiguous = contiguous && one;
    if (contiguous)
      THCLaunch(state, kernelPointwiseApply<-2, IndexType, Op, typename TensorUtils<Tensors>::DataType...>, grid,
                getApplyBlock(), (IndexType)n, op, infos...);
    else
      THCLaunch(state, kernelPointwiseApply<-1, IndexType, Op, typename TensorUtils<Tensors>::DataType...>, grid,
                getApplyBlock(), (IndexType)n, op, infos...);
  };
  launch(getTensorInfo<Tensors, IndexType>(state, tensors)...);
}

/* A tensor that is written to and may have several indices for one element: a dense one, copied back at the end. */
template <typename TensorType> class THCWithoutOverlap {
public:
  THCWithoutOverlap(THCState *state, TensorType *t, TensorArgType type)
      : state_(state), given_(t), used_(t), replaced_(type == ReadWrite && THCMaybeOverlapping(t)) {
    if (replaced_) used_ = TensorUtils<TensorType>::newContiguous(state, t);
  }
  THCWithoutOverlap(const THCWithoutOverlap &) = delete;
  ~THCWithoutOverlap() {
    if (replaced_) TensorUtils<TensorType>::free(state_, used_);
  }
  TensorType *get() const { return used_; }
  void end() const {
    if (replaced_) TensorUtils<TensorType>::copyIgnoringOverlaps(state_, given_, used_);
  }

private:
  THCState *state_;
  TensorType *given_, *used_;
  bool replaced_;
};

template <typename Op, typename First, typename... Rest>
bool THCPointwiseApply(THCState *state, const Op &op, const THCWithoutOverlap<First> &first,
                       const THCWithoutOverlap<Rest> &...rest) {
  const ptrdiff_t n = TensorUtils<First>::getNumElements(state, first.get());
  bool fits = first.get()->nDimension <= MAX_CUTORCH_DIMS;
  bool small = TensorUtils<First>::canUse32BitIndexMath(state, first.get());
  (void)std::initializer_list<int>{
      0, (fits = fits && rest.get()->nDimension <= MAX_CUTORCH_DIMS &&
                 TensorUtils<Rest>::getNumElements(state, rest.get()) == n,
          small = small && TensorUtils<Rest>::canUse32BitIndexMath(state, rest.get()), 0)...};
  if (!fits) return false;
  if (first.get()->nDimension == 0) return true;
  dim3 grid;
  int device;
  THCudaCheck(cudaGetDevice(&device));
  if (!getApplyGrid(state, (uint64_t)n, grid, device)) return false;
  if (small) THCApplyTo<unsigned>(state, n, grid, op, first.get(), rest.get()...);
  else THCApplyTo<uint64_t>(state, n, grid, op, first.get(), rest.get()...);
  first.end();
  (void)std::initializer_list<int>{0, (rest.end(), 0)...};
  return true;
}

/* op(T *), op(A *, B *), op(A *, B *, C *) on the current stream, in no order. Tensors have equal numbers of elements,
 * and element i of each is the one with number i in row-major order. False, with nothing done: the numbers differ, or a
 * tensor has more than MAX_CUTORCH_DIMS dimensions. */
template <typename TensorTypeA, typename Op>
bool THC_pointwiseApply1(THCState *state, TensorTypeA *a, const Op &op, TensorArgType aType = ReadWrite) {
  return THCPointwiseApply(state, op, THCWithoutOverlap<TensorTypeA>(state, a, aType));
}
template <typename TensorTypeA, typename TensorTypeB, typename Op>
bool THC_pointwiseApply2(THCState *state, TensorTypeA *a, TensorTypeB *b, const Op &op,
                         TensorArgType aType = ReadWrite, TensorArgType bType = ReadOnly) {
  return THCPointwiseApply(state, op, THCWithoutOverlap<TensorTypeA>(state, a, aType),
                           THCWithoutOverlap<TensorTypeB>(state, b, bType));
}
template <typename TensorTypeA, typename TensorTypeB, typename TensorTypeC, typename Op>
bool THC_pointwiseApply3(THCState *state, TensorTypeA *a, TensorTypeB *b, TensorTypeC *c, const Op &op,
                         TensorArgType aType = ReadWrite, TensorArgType bType = ReadOnly,
                         TensorArgType cType = ReadOnly) {
  return THCPointwiseApply(state, op, THCWithoutOverlap<TensorTypeA>(state, a, aType),
                           THCWithoutOverlap<TensorTypeB>(state, b, bType),
                           THCWithoutOverlap<TensorTypeC>(state, c, cType));
}

#endif
