// portable/cuda/index.h: tensors as kernels take them by value: pointer, sizes and strides, and the place of an element.
#pragma once
#include "launches.h"

#define MAX_TENSORINFO_DIMS 25

namespace at::cuda::detail {

/// A tensor of at most 25 dimensions; sizes and strides in elements. Index: int or a wider type.
template <class T, class Index>
struct TensorInfo {
    TensorInfo() = default;
    TensorInfo(T *data, int dims, Index given_sizes[MAX_TENSORINFO_DIMS], Index given_strides[MAX_TENSORINFO_DIMS])
        : data(data), dims(dims) {
        TORCH_CHECK(dims < MAX_TENSORINFO_DIMS, "CUDA Tensors cannot have more than 25 dimensions");
        std::copy_n(given_sizes, dims, sizes);
        std::copy_n(given_strides, dims, strides);
    }

    /// Makes the size of a dimension 1.
    void reduceDim(int dim) {
        TORCH_CHECK(0 <= dim && dim < dims, "expected dim between 0 and dims - 1");
        sizes[dim] = 1;
    }

    /// Joins neighbours that one stride goes through, except the dimension `exclude`, and leaves out those of size 1.
    /// Returns the new number of `exclude`, -1 without one.
    int collapseDims(const int exclude = -1) {
        TORCH_CHECK(-1 <= exclude && exclude < dims, "expected excluded dim between -1 and dims - 1");
        int count = 0, kept = -1;  // what stands before `count` is done
        for (int dim = 0; dim < dims; ++dim) {
            const bool excluded = dim == exclude;
            if (sizes[dim] == 1 && !excluded) continue;
            const bool joins = count && !excluded && kept != count - 1 && strides[count - 1] == sizes[dim] * strides[dim];
            const Index size = joins ? sizes[count - 1] * sizes[dim] : sizes[dim];
            if (!joins) ++count;
            if (excluded) kept = count - 1;
            sizes[count - 1] = size;
            strides[count - 1] = strides[dim];
        }
        if (count == 0) sizes[0] = strides[0] = 1;
        dims = std::max(count, 1);
        return kept;
    }
    C10_HOST_DEVICE bool isContiguous() const { return dims == 1 && strides[0] == 1; }

    T *data = nullptr;
    Index sizes[MAX_TENSORINFO_DIMS];
    Index strides[MAX_TENSORINFO_DIMS];
    int dims = 0;
};

/// The place in memory of the element with a number in the order of the indices. Dims: -1 for those of the tensor.
template <class T, class Index, int Dims>
struct IndexToOffset {
    static C10_HOST_DEVICE Index get(Index number, const TensorInfo<T, Index> &info) {
        Index offset = 0;
        for (int dim = (Dims > 0 ? Dims : info.dims) - 1; dim > 0; --dim) {
            offset += number % info.sizes[dim] * info.strides[dim];
            number /= info.sizes[dim];
        }
        return offset + number * info.strides[0];
    }
};

/// c10::Error for a tensor of another type than T.
template <class T, class Index>
TensorInfo<T, Index> getTensorInfo(const Tensor &tensor) {
    TORCH_CHECK(tensor.dim() < MAX_TENSORINFO_DIMS, "CUDA Tensors cannot have more than 25 dimensions");
    TensorInfo<T, Index> info;
    info.data = tensor.data_ptr<std::remove_const_t<T>>();
    info.dims = int(tensor.dim());
    for (int dim = 0; dim < info.dims; ++dim) {
        info.sizes[dim] = static_cast<Index>(tensor.size(dim));
        info.strides[dim] = static_cast<Index>(tensor.stride(dim));
    }
    return info;
}

/// Whether numbers and places of all elements are below `most`.
inline bool canUse32BitIndexMath(const Tensor &tensor, int64_t most = std::numeric_limits<int32_t>::max()) {
    if (tensor.numel() == 0) return true;
    if (tensor.numel() >= most) return false;
    int64_t last = 0;
    for (int64_t dim = 0; dim < tensor.dim(); ++dim) last += (tensor.size(dim) - 1) * tensor.stride(dim);
    return last < most;
}

template <class Value>
struct DivMod {
    Value div, mod;
    C10_HOST_DEVICE DivMod(Value div, Value mod) : div(div), mod(mod) {}
};
/// Division by a number that is known before. Value: unsigned.
template <class Value>
struct IntDivider {
    IntDivider() = default;
    IntDivider(Value divisor) : divisor(divisor) {}
    C10_HOST_DEVICE Value div(Value n) const { return n / divisor; }
    C10_HOST_DEVICE Value mod(Value n) const { return n % divisor; }
    C10_HOST_DEVICE DivMod<Value> divmod(Value n) const { return {div(n), mod(n)}; }
    Value divisor;
};

}  // namespace at::cuda::detail

namespace at::native {
using at::cuda::detail::canUse32BitIndexMath;
}
