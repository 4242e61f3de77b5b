// cub/device/device_run_length_encode.cuh: runs of equal items of an array of a device.
#pragma once

#include <cub/thread/thread_operators.cuh>
#include <cuda_on_cpu/cub/segments.h>

namespace cub {

struct DeviceRunLengthEncode {
    /* Of each run its item and its length; *runs is how many they are. */
    template <typename In, typename Unique, typename Lengths, typename Runs, typename N>
    static cudaError_t Encode(void *storage, size_t &bytes, In in, Unique unique, Lengths lengths, Runs runs, N n,
                              cudaStream_t stream = nullptr, bool = false) {
        return cuda_on_cpu::on_device("cub::DeviceRunLengthEncode::Encode", storage, bytes, stream, [=]() mutable {
            size_t run = 0;
            for (size_t i = 0, end; i < size_t(n); i = end, run++) {
                end = cuda_on_cpu::end_of_run(in, i, size_t(n), Equality());
                unique[run] = in[i];
                lengths[run] = end - i;
            }
            *runs = run;
        });
    }
    /* Of each run of two items and more its first place and its length. */
    template <typename In, typename Offsets, typename Lengths, typename Runs, typename N>
    static cudaError_t NonTrivialRuns(void *storage, size_t &bytes, In in, Offsets offsets, Lengths lengths, Runs runs, N n,
                                      cudaStream_t stream = nullptr, bool = false) {
        return cuda_on_cpu::on_device("cub::DeviceRunLengthEncode::NonTrivialRuns", storage, bytes, stream, [=]() mutable {
            size_t run = 0;
            for (size_t i = 0, end; i < size_t(n); i = end) {
                end = cuda_on_cpu::end_of_run(in, i, size_t(n), Equality());
                if (end - i > 1) offsets[run] = i, lengths[run++] = end - i;
            }
            *runs = run;
        });
    }
};

}  // namespace cub
