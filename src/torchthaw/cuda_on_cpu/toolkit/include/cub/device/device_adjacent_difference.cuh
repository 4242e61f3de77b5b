// cub/device/device_adjacent_difference.cuh: differences of neighbours of an array of a device.
#pragma once

#include <cub/thread/thread_operators.cuh>

namespace cub {

/* Left: op(x[i], x[i - 1]), and the first item as it is; right: op(x[i], x[i + 1]), and the last one as it is. */
class DeviceAdjacentDifference {
    template <bool left, typename In, typename Out, typename N, typename Op>
    static cudaError_t subtract(void *storage, size_t &bytes, In in, Out out, N n, Op op, cudaStream_t stream) {
        return cuda_on_cpu::on_device("cub::DeviceAdjacentDifference", storage, bytes, stream, [=]() mutable {
            std::vector<cuda_on_cpu::ValueOf<In>> x;
            for (size_t i = 0; i < size_t(n); i++) x.push_back(in[i]);
            for (size_t i = 0; i < x.size(); i++) {
                const bool has_neighbour = left ? i > 0 : i + 1 < x.size();
                if (has_neighbour) out[i] = op(x[i], x[left ? i - 1 : i + 1]);
                else out[i] = x[i];
            }
        });
    }

public:
    template <typename In, typename Out, typename N, typename Op = Difference>
    static cudaError_t SubtractLeftCopy(void *storage, size_t &bytes, In in, Out out, N n, Op op = Op(),
                                        cudaStream_t stream = nullptr, bool = false) {
        return subtract<true>(storage, bytes, in, out, n, op, stream);
    }
    template <typename Data, typename N, typename Op = Difference>
    static cudaError_t SubtractLeft(void *storage, size_t &bytes, Data data, N n, Op op = Op(), cudaStream_t stream = nullptr,
                                    bool = false) {
        return subtract<true>(storage, bytes, data, data, n, op, stream);
    }
    template <typename In, typename Out, typename N, typename Op = Difference>
    static cudaError_t SubtractRightCopy(void *storage, size_t &bytes, In in, Out out, N n, Op op = Op(),
                                         cudaStream_t stream = nullptr, bool = false) {
        return subtract<false>(storage, bytes, in, out, n, op, stream);
    }
    template <typename Data, typename N, typename Op = Difference>
    static cudaError_t SubtractRight(void *storage, size_t &bytes, Data data, N n, Op op = Op(), cudaStream_t stream = nullptr,
                                     bool = false) {
        return subtract<false>(storage, bytes, data, data, n, op, stream);
    }
};

}  // namespace cub
