/* THC/THCDeviceTensor.cuh: a view of a tensor's elements that a kernel takes by value: t[i][j] = x.
 *
 * It owns nothing: the tensor must live as long. THCDeviceTensorUtils.cuh makes it of a THC tensor.
 */
#ifndef THC_DEVICE_TENSOR_INC
#define THC_DEVICE_TENSOR_INC

#include "THCDeviceUtils.cuh"
#include "THCGeneral.h"

#define THCStaticAssert(expression, message) static_assert(expression, message)
#define thc_static_assert(expression) static_assert(expression, #expression)

template <typename T> struct DefaultPtrTraits {
  typedef T *PtrType;
};
template <typename T> struct RestrictPtrTraits {
  typedef T *__restrict__ PtrType;
};

template <typename T, int Dim, typename IndexT = int, template <typename U> class PtrTraits = DefaultPtrTraits>
class THCDeviceTensor;

/* What t[i] gives: the rest of the dimensions, or with SubDim 0 an element, which can be read and assigned. */
template <typename TensorType, int SubDim> class THCDeviceSubTensor {
public:
  typedef typename TensorType::DataType DataType;
  typedef typename TensorType::IndexType IndexType;

  __host__ __device__ THCDeviceSubTensor(const TensorType &tensor, DataType *data) : tensor_(tensor), data_(data) {}

  __host__ __device__ THCDeviceSubTensor<TensorType, SubDim - 1> operator[](IndexType index) const {
    thc_static_assert(SubDim > 0);
    const int dim = TensorType::NumDim - SubDim;
    return THCDeviceSubTensor<TensorType, SubDim - 1>(tensor_, data_ + index * tensor_.getStride(dim));
  }

  __host__ __device__ THCDeviceSubTensor &operator=(DataType value) {
    thc_static_assert(SubDim == 0);
    *data_ = value;
    return *this;
  }
  __host__ __device__ THCDeviceSubTensor &operator=(const THCDeviceSubTensor &other) { return *this = (DataType)other; }
  THCDeviceSubTensor(const THCDeviceSubTensor &) = default;
  __host__ __device__ operator DataType &() const {
    thc_static_assert(SubDim == 0);
    return *data_;
  }

  __host__ __device__ DataType *operator&() const { return data_; }
  __host__ __device__ DataType *data() const { return data_; }
  template <typename U> __host__ __device__ U *dataAs() const { return reinterpret_cast<U *>(data_); }
  template <typename U> __host__ __device__ U &as() const { return *dataAs<U>(); }
  __device__ DataType ldg() const { return doLdg(data_); }
  template <typename U> __device__ U ldgAs() const { return doLdg(dataAs<U>()); }

  template <int NewDim> __host__ __device__ typename TensorType::template Other<NewDim> view() const {
    return tensor_.template view<NewDim>(data_);
  }

private:
  const TensorType &tensor_;
  DataType *data_;
};

template <typename T, int Dim, typename IndexT, template <typename U> class PtrTraits> class THCDeviceTensor {
public:
  enum { NumDim = Dim };
  typedef T DataType;
  typedef IndexT IndexType;
  typedef typename PtrTraits<T>::PtrType DataPtrType;
  template <int NewDim> using Other = THCDeviceTensor<T, NewDim, IndexT, PtrTraits>;
  thc_static_assert(Dim > 0);

  __host__ __device__ THCDeviceTensor() : data_(NULL) {
    for (int i = 0; i < Dim; ++i) size_[i] = 0, stride_[i] = 1;
  }
  /* Row-major. */
  __host__ __device__ THCDeviceTensor(DataPtrType data, const IndexT sizes[Dim]) : data_(data) {
    for (int i = Dim - 1; i >= 0; --i) {
      size_[i] = sizes[i];
      stride_[i] = i == Dim - 1 ? 1 : stride_[i + 1] * size_[i + 1];
    }
  }
  __host__ __device__ THCDeviceTensor(DataPtrType data, const IndexT sizes[Dim], const IndexT strides[Dim])
      : data_(data) {
    for (int i = 0; i < Dim; ++i) size_[i] = sizes[i], stride_[i] = strides[i];
  }

  __host__ __device__ DataPtrType data() const { return data_; }
  template <typename U> __host__ __device__ U *dataAs() const { return reinterpret_cast<U *>(data_); }
  /* The same elements under another type of the same size. */
  template <typename U> __host__ __device__ THCDeviceTensor<U, Dim, IndexT, PtrTraits> cast() const {
    thc_static_assert(sizeof(U) == sizeof(T));
    return THCDeviceTensor<U, Dim, IndexT, PtrTraits>(dataAs<U>(), size_, stride_);
  }

  __host__ __device__ THCDeviceSubTensor<THCDeviceTensor, Dim - 1> operator[](IndexT index) const {
    return THCDeviceSubTensor<THCDeviceTensor, Dim - 1>(*this, data_ + index * stride_[0]);
  }

  __host__ __device__ IndexT getSize(int i) const { return size_[i]; }
  __host__ __device__ IndexT getStride(int i) const { return stride_[i]; }
  __host__ __device__ const IndexT *sizes() const { return size_; }
  __host__ __device__ const IndexT *strides() const { return stride_; }
  __host__ __device__ size_t numElements() const {
    size_t n = 1;
    for (int i = 0; i < Dim; ++i) n *= size_[i];
    return n;
  }

  /* Of all dimensions, or of [first, last): each stride is what the sizes behind it give. */
  __host__ __device__ bool isContiguous() const { return stride_[Dim - 1] == 1 && isContiguousRange(0, Dim); }
  __host__ __device__ bool isContiguousRange(int first, int last) const {
    for (int i = last - 2; i >= first; --i)
      if (stride_[i] != stride_[i + 1] * size_[i + 1]) return false;
    return true;
  }
  /* No dimension reaches into the one before it. */
  __host__ __device__ bool isConsistentlySized(int i) const {
    return i == 0 || stride_[i - 1] >= stride_[i] * size_[i];
  }
  __host__ __device__ bool isConsistentlySized() const {
    for (int i = 0; i < Dim; ++i)
      if (!isConsistentlySized(i)) return false;
    return true;
  }

  __host__ __device__ THCDeviceTensor transpose(int a, int b) const {
    THCDeviceTensor other = *this;
    other.size_[a] = size_[b], other.stride_[a] = stride_[b];
    other.size_[b] = size_[a], other.stride_[b] = stride_[a];
    return other;
  }

  /* More dimensions, of size 1: before the others, behind them. */
  template <int NewDim> __host__ __device__ Other<NewDim> upcastOuter() const {
    thc_static_assert(NewDim > Dim);
    IndexT sizes[NewDim], strides[NewDim];
    for (int i = 0; i < NewDim; ++i) {
      const int from = i - (NewDim - Dim);
      sizes[i] = from >= 0 ? size_[from] : 1;
      strides[i] = from >= 0 ? stride_[from] : size_[0] * stride_[0];
    }
    return Other<NewDim>(data_, sizes, strides);
  }
  template <int NewDim> __host__ __device__ Other<NewDim> upcastInner() const {
    thc_static_assert(NewDim > Dim);
    IndexT sizes[NewDim], strides[NewDim];
    for (int i = 0; i < NewDim; ++i) sizes[i] = i < Dim ? size_[i] : 1, strides[i] = i < Dim ? stride_[i] : 1;
    return Other<NewDim>(data_, sizes, strides);
  }

  /* Fewer dimensions: the first ones, or the last ones, become one. They must be contiguous among themselves. */
  template <int NewDim> __host__ __device__ Other<NewDim> downcastOuter() const {
    thc_static_assert(NewDim < Dim);
    IndexT sizes[NewDim], strides[NewDim];
    for (int i = 0; i < NewDim; ++i) sizes[i] = size_[i + Dim - NewDim], strides[i] = stride_[i + Dim - NewDim];
    for (int i = 0; i < Dim - NewDim; ++i) sizes[0] *= size_[i];
    return Other<NewDim>(data_, sizes, strides);
  }
  template <int NewDim> __host__ __device__ Other<NewDim> downcastInner() const {
    thc_static_assert(NewDim < Dim);
    IndexT sizes[NewDim], strides[NewDim];
    for (int i = 0; i < NewDim; ++i) sizes[i] = size_[i], strides[i] = stride_[i];
    for (int i = NewDim; i < Dim; ++i) sizes[NewDim - 1] *= size_[i];
    strides[NewDim - 1] = stride_[Dim - 1];
    return Other<NewDim>(data_, sizes, strides);
  }

  /* The last dimensions, at an element. */
  template <int NewDim> __host__ __device__ Other<NewDim> view(DataPtrType at) const {
    thc_static_assert(NewDim >= 1 && NewDim <= Dim);
    return Other<NewDim>(at, size_ + Dim - NewDim, stride_ + Dim - NewDim);
  }
  template <int NewDim> __host__ __device__ Other<NewDim> view() const { return view<NewDim>(data_); }

  /* Zeros, on a stream. Error: not contiguous. */
  __host__ void zero(cudaStream_t stream) {
    if (!isContiguous()) THError("fillAsync only works on contiguous data");
    THCudaCheck(cudaMemsetAsync(data_, 0, numElements() * sizeof(T), stream));
  }

private:
  DataPtrType data_;
  IndexT size_[Dim], stride_[Dim];
};

#endif
