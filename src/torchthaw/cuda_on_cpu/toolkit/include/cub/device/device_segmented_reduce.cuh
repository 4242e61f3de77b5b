// cub/device/device_segmented_reduce.cuh: sums and other reductions of the segments of an array of a device.
#pragma once

#include <cub/device/device_reduce.cuh>

namespace cub {

/* Segment s has the values from begins[s] up to ends[s], or size values, as since CUDA 13. */
struct DeviceSegmentedReduce {
    template <typename In, typename Out, typename Begins, typename Ends, typename Op, typename T>
    static cudaError_t Reduce(void *storage, size_t &bytes, In in, Out out, int64_t segments, Begins begins, Ends ends, Op op,
                              T initial, cudaStream_t stream = nullptr, bool = false) {
        return cuda_on_cpu::on_device("cub::DeviceSegmentedReduce", storage, bytes, stream, [=]() mutable {
            for (int64_t s = 0; s < segments; s++)
                out[s] = cuda_on_cpu::fold(in, size_t(begins[s]), size_t(ends[s]), op, initial);
        });
    }
    template <typename In, typename Out, typename Op, typename T>
    static cudaError_t Reduce(void *storage, size_t &bytes, In in, Out out, int64_t segments, int size, Op op, T initial,
                              cudaStream_t stream = nullptr) {
        return cuda_on_cpu::on_device("cub::DeviceSegmentedReduce", storage, bytes, stream, [=]() mutable {
            for (int64_t s = 0; s < segments; s++)
                out[s] = cuda_on_cpu::fold(in, size_t(s * size), size_t((s + 1) * size), op, initial);
        });
    }
#define CUDA_ON_CPU_SEGMENTED(Name, initial)                                                                           \
    template <typename In, typename Out, typename Begins, typename Ends>                                               \
    static cudaError_t Name(void *storage, size_t &bytes, In in, Out out, int64_t segments, Begins begins, Ends ends,  \
                            cudaStream_t stream = nullptr, bool = false) {                                             \
        using T = cuda_on_cpu::ValueOf<In>;                                                                            \
        return Reduce(storage, bytes, in, out, segments, begins, ends, cub::Name(), initial, stream);                  \
    }                                                                                                                  \
    template <typename In, typename Out>                                                                               \
    static cudaError_t Name(void *storage, size_t &bytes, In in, Out out, int64_t segments, int size,                  \
                            cudaStream_t stream = nullptr) {                                                           \
        using T = cuda_on_cpu::ValueOf<In>;                                                                            \
        return Reduce(storage, bytes, in, out, segments, size, cub::Name(), initial, stream);                          \
    }
    CUDA_ON_CPU_SEGMENTED(Sum, T())
    CUDA_ON_CPU_SEGMENTED(Min, cuda_on_cpu::Limits<T>::max())
    CUDA_ON_CPU_SEGMENTED(Max, cuda_on_cpu::Limits<T>::lowest())
#undef CUDA_ON_CPU_SEGMENTED
    /* out: a KeyValuePair of the place in the segment and the value for each segment. */
#define CUDA_ON_CPU_SEGMENTED_ARG(Name, limit)                                                                         \
    template <typename In, typename Out, typename Begins, typename Ends>                                               \
    static cudaError_t Name(void *storage, size_t &bytes, In in, Out out, int64_t segments, Begins begins, Ends ends,  \
                            cudaStream_t stream = nullptr, bool = false) {                                             \
        using Bounds = cuda_on_cpu::Limits<cuda_on_cpu::ValueOf<In>>;                                                  \
        return cuda_on_cpu::on_device("cub::DeviceSegmentedReduce::" #Name, storage, bytes, stream, [=]() mutable {    \
            for (int64_t s = 0; s < segments; s++)                                                                     \
                out[s] = cuda_on_cpu::arg(in, size_t(begins[s]), size_t(ends[s]), cub::Name(), Bounds::limit());       \
        });                                                                                                            \
    }
    CUDA_ON_CPU_SEGMENTED_ARG(ArgMin, max)
    CUDA_ON_CPU_SEGMENTED_ARG(ArgMax, lowest)
#undef CUDA_ON_CPU_SEGMENTED_ARG
};

}  // namespace cub
