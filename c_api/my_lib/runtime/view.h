// c_api/my_lib/runtime/view.h: strided data of N dimensions; small enough to pass to a kernel by value.
//
//     view<const float, 2> x(data, sizes, strides);
//     x(row, column)                                  is data[row * strides[0] + column * strides[1]]
//
// Strides count elements, not bytes, as Tensor.stride() does. 0 repeats a dimension (expanded tensors), a negative one
// walks backwards. data points at the element (0, ..., 0): Tensor.data_ptr() already includes the storage_offset.
//
// Index is int64_t or, for half the address arithmetic on a GPU, int32_t: ask fits_int32 first.
#pragma once

#include <cassert>
#include <cstdint>

#if defined(__CUDACC__)
#define MY_LIB_VIEW __host__ __device__ inline
#else
#define MY_LIB_VIEW inline
#endif

namespace my_lib {

template <typename T, int N, typename Index = int64_t> struct view {
    static_assert(N > 0, "a view has at least one dimension");

    T *data;
    Index sizes[N];
    Index strides[N];

    // sizes and strides hold N values each.
    MY_LIB_VIEW view(T *data, const int64_t *sizes, const int64_t *strides) : data(data) {
        for (int d = 0; d < N; ++d) {
            this->sizes[d] = static_cast<Index>(sizes[d]);
            this->strides[d] = static_cast<Index>(strides[d]);
        }
    }

    // The element at an index, one number per dimension, each in [0, sizes[d]): checked by assert alone.
    template <typename... I> MY_LIB_VIEW T &operator()(I... index) const {
        static_assert(sizeof...(I) == N, "one index per dimension");
        const Index indices[] = {static_cast<Index>(index)...};
        Index offset = 0;
        for (int d = 0; d < N; ++d) {
            assert(indices[d] >= 0 && indices[d] < sizes[d]);
            offset += indices[d] * strides[d];
        }
        return data[offset];
    }
};

// Whether view<T, ndim, int32_t> reaches every element, whatever the order in which the offsets are added up.
MY_LIB_VIEW bool fits_int32(const int64_t *sizes, const int64_t *strides, int ndim) {
    for (int d = 0; d < ndim; ++d)
        if (sizes[d] == 0) return true;
    int64_t reach = 0;
    for (int d = 0; d < ndim; ++d) {
        const int64_t steps = sizes[d] - 1;
        if (steps >= INT32_MAX || strides[d] > INT32_MAX || strides[d] < -INT32_MAX) return false;
        // Both factors fit 32 bits: the product fits 64, and reach stays below 2^31 before each addition.
        reach += steps * (strides[d] < 0 ? -strides[d] : strides[d]);
        if (reach > INT32_MAX) return false;
    }
    return true;
}

}  // namespace my_lib
