// portable/accessor.h: views of a tensor's elements by indices, from torch/headeronly.
#pragma once
#include "core/sizes.h"

namespace at {

template <class T>
using DefaultPtrTraits = torch::headeronly::DefaultPtrTraits<T>;
template <class T>
struct RestrictPtrTraits {
    typedef T *__restrict__ PtrType;
};

template <class T, size_t N, template <class> class Pointer = DefaultPtrTraits, class Index = int64_t>
using TensorAccessor = torch::headeronly::detail::TensorAccessor<IntArrayRef, T, N, Pointer, Index>;

namespace detail {
// What a packed accessor's transpose() checks its dimensions with.
template <size_t N, class Index>
struct IndexBoundsCheck {
    explicit IndexBoundsCheck(Index i) {
        TORCH_CHECK_INDEX(0 <= i && i < Index{N}, "Index ", i, " is not within bounds of a tensor of dimension ", N);
    }
};
}  // namespace detail

template <class T, size_t N, template <class> class Pointer = DefaultPtrTraits, class Index = int64_t>
using GenericPackedTensorAccessor =
    torch::headeronly::detail::GenericPackedTensorAccessor<TensorAccessor<T, N - 1, Pointer, Index>,
                                                           detail::IndexBoundsCheck<N, Index>, T, N, Pointer, Index>;
template <class T, size_t N, template <class> class Pointer = DefaultPtrTraits>
using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, Pointer, int32_t>;
template <class T, size_t N, template <class> class Pointer = DefaultPtrTraits>
using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, Pointer, int64_t>;
template <class T, size_t N, template <class> class Pointer = DefaultPtrTraits, class Index = int64_t>
using PackedTensorAccessor = GenericPackedTensorAccessor<T, N, Pointer, Index>;

}  // namespace at
