// cub/device/device_partition.cuh: divides an array of a device into chosen items and others.
#pragma once

#include <cub/util_type.cuh>

namespace cub {

/* The chosen items come first, in their order; behind them the others, in reverse order. */
class DevicePartition {
    template <typename In, typename Out, typename Count, typename N, typename Chosen>
    static cudaError_t divide(void *storage, size_t &bytes, In in, Out out, Count count, N n, cudaStream_t stream, Chosen chosen) {
        return cuda_on_cpu::on_device("cub::DevicePartition", storage, bytes, stream, [=]() mutable {
            size_t first = 0, last = size_t(n);
            for (size_t i = 0; i < size_t(n); i++) out[chosen(i) ? first++ : --last] = in[i];
            *count = first;
        });
    }

public:
    template <typename In, typename Flags, typename Out, typename Count, typename N>
    static cudaError_t Flagged(void *storage, size_t &bytes, In in, Flags flags, Out out, Count count, N n,
                               cudaStream_t stream = nullptr, bool = false) {
        return divide(storage, bytes, in, out, count, n, stream, [=](size_t i) { return bool(flags[i]); });
    }
    template <typename In, typename Out, typename Count, typename N, typename Op>
    static cudaError_t If(void *storage, size_t &bytes, In in, Out out, Count count, N n, Op op, cudaStream_t stream = nullptr,
                          bool = false) {
        return divide(storage, bytes, in, out, count, n, stream, [=](size_t i) mutable { return bool(op(in[i])); });
    }
    /* In three, each in its order: those of the first function, those of the second one, the rest. counts has two numbers. */
    template <typename In, typename First, typename Second, typename Rest, typename Counts, typename N, typename Op1, typename Op2>
    static cudaError_t If(void *storage, size_t &bytes, In in, First first, Second second, Rest rest, Counts counts, N n, Op1 op1,
                          Op2 op2, cudaStream_t stream = nullptr, bool = false) {
        return cuda_on_cpu::on_device("cub::DevicePartition", storage, bytes, stream, [=]() mutable {
            size_t a = 0, b = 0, c = 0;
            for (size_t i = 0; i < size_t(n); i++) {
                if (op1(in[i])) first[a++] = in[i];
                else if (op2(in[i])) second[b++] = in[i];
                else rest[c++] = in[i];
            }
            counts[0] = a, counts[1] = b;
        });
    }
};

}  // namespace cub
