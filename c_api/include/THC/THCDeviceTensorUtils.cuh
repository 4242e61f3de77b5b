/* THC/THCDeviceTensorUtils.cuh: THCDeviceTensor of a THC tensor: toDeviceTensor<float, 4>(state, tensor). */
#ifndef THC_DEVICE_TENSOR_UTILS_INC
#define THC_DEVICE_TENSOR_UTILS_INC

#include "THCDeviceTensor.cuh"
#include "THCTensor.h"

#include <limits>

template <typename IndexT, typename Tensor> void THCCheckOffsets(const Tensor *tensor) {
  int64_t last = 0;
  for (int i = 0; i < tensor->nDimension; ++i) last += (tensor->size[i] - 1) * tensor->stride[i];
  if (last > (int64_t)std::numeric_limits<IndexT>::max()) THError("THCudaTensor sizes too large for the index type");
}

/* Of a tensor of any element type. Errors: another number of dimensions; an offset that does not fit IndexT. */
template <typename T, int Dim, typename IndexT, template <typename U> class PtrTraits, typename Tensor>
THCDeviceTensor<T, Dim, IndexT, PtrTraits> THCDeviceTensorOf(T *data, const Tensor *tensor) {
  if (tensor->nDimension != Dim) THError("THCudaTensor dimension mismatch");
  IndexT sizes[Dim], strides[Dim];
  for (int i = 0; i < Dim; ++i) {
    sizes[i] = (IndexT)tensor->size[i];
    strides[i] = (IndexT)tensor->stride[i];
  }
  THCCheckOffsets<IndexT>(tensor);
  return THCDeviceTensor<T, Dim, IndexT, PtrTraits>(data, sizes, strides);
}

/* The same with as many dimensions as are asked for: ones of size 1 are put before, or the first ones become one. */
template <typename T, int Dim, typename IndexT, template <typename U> class PtrTraits, typename Tensor>
THCDeviceTensor<T, Dim, IndexT, PtrTraits> THCDeviceTensorCast(T *data, const Tensor *tensor) {
  IndexT sizes[Dim], strides[Dim];
  const int dims = tensor->nDimension, extra = dims - Dim;
  THCCheckOffsets<IndexT>(tensor);
  for (int i = 0; i < Dim; ++i) {
    const int from = i + extra;
    sizes[i] = from >= 0 ? (IndexT)tensor->size[from] : 1;
    strides[i] = from >= 0 ? (IndexT)tensor->stride[from] : (IndexT)(tensor->size[0] * tensor->stride[0]);
  }
  for (int i = 0; i < extra; ++i) {
    if (tensor->stride[i] != tensor->stride[i + 1] * tensor->size[i + 1])
      THError("toDeviceTensorCast: expected the first %d dimensions to be contiguous", extra + 1);
    sizes[0] *= (IndexT)tensor->size[i];
  }
  return THCDeviceTensor<T, Dim, IndexT, PtrTraits>(data, sizes, strides);
}

#define THC_TO_DEVICE_TENSOR(CReal)                                                                                    \
  template <typename T, int Dim, typename IndexT = int, template <typename U> class PtrTraits = DefaultPtrTraits>      \
  THCDeviceTensor<T, Dim, IndexT, PtrTraits> toDeviceTensor(THCState *state, TH##CReal##Tensor *t) {                   \
    return THCDeviceTensorOf<T, Dim, IndexT, PtrTraits>(TH##CReal##Tensor_data(state, t), t);                          \
  }                                                                                                                    \
  template <typename T, int Dim, typename IndexT = int, template <typename U> class PtrTraits = DefaultPtrTraits>      \
  THCDeviceTensor<T, Dim, IndexT, PtrTraits> toDeviceTensorCast(THCState *state, TH##CReal##Tensor *t) {               \
    return THCDeviceTensorCast<T, Dim, IndexT, PtrTraits>(TH##CReal##Tensor_data(state, t), t);                        \
  }
THC_TO_DEVICE_TENSOR(CudaByte)
THC_TO_DEVICE_TENSOR(CudaChar)
THC_TO_DEVICE_TENSOR(CudaShort)
THC_TO_DEVICE_TENSOR(CudaInt)
THC_TO_DEVICE_TENSOR(CudaLong)
THC_TO_DEVICE_TENSOR(CudaHalf)
THC_TO_DEVICE_TENSOR(Cuda)
THC_TO_DEVICE_TENSOR(CudaDouble)
#undef THC_TO_DEVICE_TENSOR

#endif
