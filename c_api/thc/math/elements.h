// c_api/thc/math/elements.h: the elements of a tensor for a kernel, by their number in row-major order.
#pragma once

#include <cassert>
#include <cstdint>

#ifdef __CUDACC__
#define THC_BOTH __host__ __device__
#else
#define THC_BOTH
#endif

namespace th {

constexpr int most_dimensions = 25;

// Passed to kernels by value. Dimensions that lie in one run are one, so that a contiguous tensor has a single one.
template <typename T> struct Elements {
    T *data;
    int dims;
    int64_t size[most_dimensions], stride[most_dimensions];

    Elements(T *data, int64_t n) : data(data), dims(1), size{n}, stride{1} {}

    // `sizes` and `strides` have `count` <= most_dimensions entries.
    Elements(T *data, int count, const int64_t *sizes, const int64_t *strides) : data(data), dims(0) {
        assert(count >= 0 && count <= most_dimensions);
        for (int d = 0; d < count; d++) {
            if (sizes[d] == 1) continue;
            if (dims && stride[dims - 1] == sizes[d] * strides[d]) {
                size[dims - 1] *= sizes[d];
                stride[dims - 1] = strides[d];
            } else {
                size[dims] = sizes[d];
                stride[dims++] = strides[d];
            }
        }
        if (!dims) size[0] = 1, stride[0] = 1, dims = 1;
    }

    bool contiguous() const { return dims == 1 && (stride[0] == 1 || size[0] == 1); }

    THC_BOTH T &operator[](int64_t i) const {
        int64_t offset = 0;
        for (int d = dims - 1; d > 0; d--) {
            const int64_t rest = i / size[d];
            offset += (i - rest * size[d]) * stride[d];
            i = rest;
        }
        return data[offset + i * stride[0]];
    }
};

}  // namespace th
