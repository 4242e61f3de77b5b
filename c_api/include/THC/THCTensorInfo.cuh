/* THC/THCTensorInfo.cuh: a tensor's elements for a kernel, which takes it by value: data, sizes, strides. */
#ifndef THC_TENSOR_INFO_INC
#define THC_TENSOR_INFO_INC

#include <assert.h>
#include <cuda_runtime.h>

#ifndef MAX_CUTORCH_DIMS
#define MAX_CUTORCH_DIMS 25
#endif

/* It owns nothing: the tensor must live as long. IndexType is what offsets are counted in. */
template <typename T, typename IndexType> struct TensorInfo {
  T *data;
  IndexType sizes[MAX_CUTORCH_DIMS];
  IndexType strides[MAX_CUTORCH_DIMS];
  int dims;

  __host__ __device__ TensorInfo() : data(0), dims(0) {}

  /* `sz` and `st` have dim <= MAX_CUTORCH_DIMS entries. */
  TensorInfo(T *p, int dim, const IndexType *sz, const IndexType *st) : data(p), dims(dim) {
    assert(dim <= MAX_CUTORCH_DIMS);
    for (int i = 0; i < dim; ++i) sizes[i] = sz[i], strides[i] = st[i];
  }

  /* The first element along a dimension: its size becomes 1. */
  void reduceDim(int dim) {
    assert(dim >= 0 && dim < dims);
    sizes[dim] = 1;
  }

  /* Fewer dimensions with the same elements in the same order: those of size 1 go, those that lie in one run become
   * one; excludeDim stays by itself. Returns where that is now, or -1. */
  int collapseDims(int excludeDim = -1) {
    assert(excludeDim >= -1 && excludeDim < dims);
    int kept = 0, excluded = -1;
    for (int i = 0; i < dims; ++i) {
      const IndexType size = sizes[i], stride = strides[i];
      if (i != excludeDim) {
        if (size == 1) continue;
        if (kept > 0 && kept - 1 != excluded && strides[kept - 1] == size * stride) {
          sizes[kept - 1] *= size;
          strides[kept - 1] = stride;
          continue;
        }
      } else {
        excluded = kept;
      }
      sizes[kept] = size;
      strides[kept++] = stride;
    }
    if (kept == 0) sizes[0] = 1, strides[0] = 1, kept = 1;
    dims = kept;
    return excluded;
  }

  /* After collapseDims: the elements are one run. */
  __host__ __device__ bool isContiguous() const { return dims == 1 && strides[0] == 1; }
};

/* The offset of an element from its number in row-major order, for a tensor of Dims dimensions; -1: as many as it has;
 * -2: a contiguous one. */
template <typename T, typename IndexType, int Dims> struct IndexToOffset {
  static __host__ __device__ IndexType get(IndexType linearId, const TensorInfo<T, IndexType> &info) {
    IndexType offset = 0;
    for (int i = (Dims == -1 ? info.dims : Dims) - 1; i > 0; --i) {
      const IndexType rest = linearId / info.sizes[i];
      offset += (linearId - rest * info.sizes[i]) * info.strides[i];
      linearId = rest;
    }
    return offset + linearId * info.strides[0];
  }
};
template <typename T, typename IndexType> struct IndexToOffset<T, IndexType, -2> {
  static __host__ __device__ IndexType get(IndexType linearId, const TensorInfo<T, IndexType> &) { return linearId; }
};

#endif
