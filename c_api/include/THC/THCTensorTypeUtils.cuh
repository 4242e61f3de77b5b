/* THC/THCTensorTypeUtils.cuh: the functions of every tensor type under one name, so that templates can call them. */
#ifndef THC_TENSOR_TYPE_UTILS_INC
#define THC_TENSOR_TYPE_UTILS_INC

#include "THCNumerics.cuh"
#include "THCTensor.h"
#include "THCTensorInfo.cuh"

/* Whether two indices may name one element; true for some layouts where none do. */
template <typename TensorType> bool THCMaybeOverlapping(const TensorType *t) {
  int order[MAX_CUTORCH_DIMS], dims = 0;
  for (int i = 0; i < t->nDimension && dims < MAX_CUTORCH_DIMS; ++i) {
    if (t->size[i] == 1) continue;
    int at = dims++;
    for (; at > 0 && t->stride[order[at - 1]] > t->stride[i]; --at) order[at] = order[at - 1];
    order[at] = i;
  }
  int64_t span = 1; /* of the dimensions with smaller strides */
  for (int i = 0; i < dims; ++i) {
    if (t->stride[order[i]] < span) return true;
    span += (t->size[order[i]] - 1) * t->stride[order[i]];
  }
  return false;
}

/* TensorUtils<THCudaTensor>::getData(state, t), and so on. */
template <typename TensorType> struct TensorUtils;

#define THC_TENSOR_UTILS(CReal, real_type, acc_type)                                                                   \
  template <> struct TensorUtils<TH##CReal##Tensor> {                                                                  \
    typedef TH##CReal##Tensor Tensor;                                                                                  \
    typedef real_type DataType;                                                                                        \
    typedef acc_type AccDataType;                                                                                      \
    static Tensor *newTensor(THCState *state) { return TH##CReal##Tensor_new(state); }                                 \
    static Tensor *newContiguous(THCState *state, Tensor *t) { return TH##CReal##Tensor_newContiguous(state, t); }     \
    static THLongStorage *newSizeOf(THCState *state, Tensor *t) { return TH##CReal##Tensor_newSizeOf(state, t); }      \
    static void retain(THCState *state, Tensor *t) { TH##CReal##Tensor_retain(state, t); }                             \
    static void free(THCState *state, Tensor *t) { TH##CReal##Tensor_free(state, t); }                                 \
    static void freeCopyTo(THCState *state, Tensor *src, Tensor *dst) {                                                \
      TH##CReal##Tensor_freeCopyTo(state, src, dst);                                                                   \
    }                                                                                                                  \
    static void resize(THCState *state, Tensor *out, THLongStorage *sizes, THLongStorage *strides) {                   \
      TH##CReal##Tensor_resize(state, out, sizes, strides);                                                            \
    }                                                                                                                  \
    static void resizeAs(THCState *state, Tensor *dst, Tensor *src) { TH##CReal##Tensor_resizeAs(state, dst, src); }   \
    static void squeeze1d(THCState *state, Tensor *dst, Tensor *src, int dimension) {                                  \
      TH##CReal##Tensor_squeeze1d(state, dst, src, dimension);                                                         \
    }                                                                                                                  \
    static real_type *getData(THCState *state, Tensor *t) { return TH##CReal##Tensor_data(state, t); }                 \
    static ptrdiff_t getNumElements(THCState *state, Tensor *t) { return TH##CReal##Tensor_nElement(state, t); }       \
    static int64_t getSize(THCState *state, Tensor *t, int dim) { return TH##CReal##Tensor_size(state, t, dim); }      \
    static int64_t getStride(THCState *state, Tensor *t, int dim) { return TH##CReal##Tensor_stride(state, t, dim); }  \
    static int getDims(THCState *state, Tensor *t) { return TH##CReal##Tensor_nDimension(state, t); }                  \
    static bool isContiguous(THCState *state, Tensor *t) { return TH##CReal##Tensor_isContiguous(state, t) != 0; }     \
    static int getDevice(THCState *state, Tensor *t) { return TH##CReal##Tensor_getDevice(state, t); }                 \
    static void copyIgnoringOverlaps(THCState *state, Tensor *dst, Tensor *src) {                                      \
      TH##CReal##Tensor_copyIgnoringOverlaps(state, dst, src);                                                         \
    }                                                                                                                  \
    static bool allContiguous(THCState *state, Tensor **inputs, int numInputs) {                                       \
      for (int i = 0; i < numInputs; ++i)                                                                              \
        if (!isContiguous(state, inputs[i])) return false;                                                             \
      return true;                                                                                                     \
    }                                                                                                                  \
    static bool allSameDevice(THCState *state, Tensor **inputs, int numInputs) {                                       \
      for (int i = 1; i < numInputs; ++i)                                                                              \
        if (getDevice(state, inputs[i]) != getDevice(state, inputs[0])) return false;                                  \
      return true;                                                                                                     \
    }                                                                                                                  \
    static bool all32BitIndexable(THCState *state, Tensor **inputs, int numInputs) {                                   \
      for (int i = 0; i < numInputs; ++i)                                                                              \
        if (!canUse32BitIndexMath(state, inputs[i])) return false;                                                     \
      return true;                                                                                                     \
    }                                                                                                                  \
    static bool maybeOverlappingIndices(THCState *, Tensor *t) { return THCMaybeOverlapping(t); }                      \
    /* All offsets, and the number of elements rounded up to a grid, fit 32 bits. */                                   \
    static bool canUse32BitIndexMath(THCState *state, Tensor *t) {                                                     \
      const int64_t most = INT32_MAX;                                                                                  \
      if (getNumElements(state, t) >= most) return false;                                                              \
      int64_t last = 0;                                                                                                \
      for (int i = 0; i < t->nDimension; ++i) last += (t->size[i] - 1) * t->stride[i];                                 \
      return last < most;                                                                                              \
    }                                                                                                                  \
  };
THC_TENSOR_UTILS(CudaByte, uint8_t, int64_t)
THC_TENSOR_UTILS(CudaChar, int8_t, int64_t)
THC_TENSOR_UTILS(CudaShort, int16_t, int64_t)
THC_TENSOR_UTILS(CudaInt, int32_t, int64_t)
THC_TENSOR_UTILS(CudaLong, int64_t, int64_t)
THC_TENSOR_UTILS(CudaHalf, half, float)
THC_TENSOR_UTILS(Cuda, float, float)
THC_TENSOR_UTILS(CudaDouble, double, double)
#undef THC_TENSOR_UTILS

/* Of a tensor of at most MAX_CUTORCH_DIMS dimensions. */
template <typename TensorType, typename IndexType>
TensorInfo<typename TensorUtils<TensorType>::DataType, IndexType> getTensorInfo(THCState *state, TensorType *t) {
  IndexType sizes[MAX_CUTORCH_DIMS], strides[MAX_CUTORCH_DIMS];
  for (int i = 0; i < t->nDimension && i < MAX_CUTORCH_DIMS; ++i) {
    sizes[i] = (IndexType)t->size[i];
    strides[i] = (IndexType)t->stride[i];
  }
  return TensorInfo<typename TensorUtils<TensorType>::DataType, IndexType>(TensorUtils<TensorType>::getData(state, t),
                                                                           t->nDimension, sizes, strides);
}

/* -v and 1 / v. */
template <typename T> struct ScalarNegate {
  static __host__ __device__ T to(const T v) { return THCNumerics<T>::neg(v); }
};
template <typename T> struct ScalarInv {
  static __host__ __device__ T to(const T v) { return THCNumerics<T>::div(ScalarConvert<int, T>::to(1), v); }
};

#endif
