// cub/device/device_for.cuh: calls a function for each number, or each item of an array, of a device.
#pragma once

#include <cuda_on_cpu/cub/cub.h>

namespace cub {

/* Without temporary storage too, since that is not needed. */
struct DeviceFor {
    template <typename N, typename Op> static cudaError_t Bulk(N n, Op op, cudaStream_t stream = nullptr) {
        return run(stream, [=]() mutable {
            for (N i = 0; i < n; i++) op(i);
        });
    }
    template <typename N, typename Op>
    static cudaError_t Bulk(void *storage, size_t &bytes, N n, Op op, cudaStream_t stream = nullptr) {
        return asks(storage, bytes) ? cudaSuccess : Bulk(n, op, stream);
    }
    template <typename In, typename N, typename Op> static cudaError_t ForEachN(In in, N n, Op op, cudaStream_t stream = nullptr) {
        return run(stream, [=]() mutable {
            for (N i = 0; i < n; i++) op(in[i]);
        });
    }
    template <typename In, typename N, typename Op>
    static cudaError_t ForEachN(void *storage, size_t &bytes, In in, N n, Op op, cudaStream_t stream = nullptr) {
        return asks(storage, bytes) ? cudaSuccess : ForEachN(in, n, op, stream);
    }
    template <typename In, typename Op> static cudaError_t ForEach(In first, In last, Op op, cudaStream_t stream = nullptr) {
        return ForEachN(first, last - first, op, stream);
    }
    template <typename In, typename Op>
    static cudaError_t ForEach(void *storage, size_t &bytes, In first, In last, Op op, cudaStream_t stream = nullptr) {
        return asks(storage, bytes) ? cudaSuccess : ForEach(first, last, op, stream);
    }

private:
    static bool asks(void *storage, size_t &bytes) {
        if (storage == nullptr) bytes = 1;
        return storage == nullptr;
    }
    template <typename Body> static cudaError_t run(cudaStream_t stream, Body body) {
        size_t bytes = 1;
        return cuda_on_cpu::on_device("cub::DeviceFor", &bytes, bytes, stream, body);
    }
};

}  // namespace cub
