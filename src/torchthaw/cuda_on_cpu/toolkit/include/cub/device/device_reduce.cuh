// cub/device/device_reduce.cuh: sums and other reductions of arrays of a device.
#pragma once

#include <cub/iterator/arg_index_input_iterator.cuh>
#include <cub/thread/thread_operators.cuh>
#include <cuda_on_cpu/cub/segments.h>

namespace cub {

/* Each function is called twice: with null as storage it writes the bytes that it needs. The order is that of the array. */
struct DeviceReduce {
    template <typename In, typename Out, typename Op, typename T, typename N>
    static cudaError_t Reduce(void *storage, size_t &bytes, In in, Out out, N n, Op op, T initial,
                              cudaStream_t stream = nullptr, bool = false) {
        return cuda_on_cpu::on_device("cub::DeviceReduce", storage, bytes, stream,
                                      [=]() mutable { *out = cuda_on_cpu::fold(in, 0, size_t(n), op, initial); });
    }
    template <typename In, typename Out, typename Op, typename Transform, typename T, typename N>
    static cudaError_t TransformReduce(void *storage, size_t &bytes, In in, Out out, N n, Op op, Transform transform, T initial,
                                       cudaStream_t stream = nullptr, bool = false) {
        return cuda_on_cpu::on_device("cub::DeviceReduce::TransformReduce", storage, bytes, stream, [=]() mutable {
            cuda_on_cpu::Total<Op, T, std::decay_t<decltype(transform(in[0]))>> total = initial;
            for (size_t i = 0; i < size_t(n); i++) total = op(total, transform(in[i]));
            *out = total;
        });
    }
    template <typename In, typename Out, typename N>
    static cudaError_t Sum(void *storage, size_t &bytes, In in, Out out, N n, cudaStream_t stream = nullptr, bool = false) {
        return Reduce(storage, bytes, in, out, n, cub::Sum(), cuda_on_cpu::ValueOf<In>(), stream);
    }
    template <typename In, typename Out, typename N>
    static cudaError_t Min(void *storage, size_t &bytes, In in, Out out, N n, cudaStream_t stream = nullptr, bool = false) {
        return Reduce(storage, bytes, in, out, n, cub::Min(), cuda_on_cpu::Limits<cuda_on_cpu::ValueOf<In>>::max(), stream);
    }
    template <typename In, typename Out, typename N>
    static cudaError_t Max(void *storage, size_t &bytes, In in, Out out, N n, cudaStream_t stream = nullptr, bool = false) {
        return Reduce(storage, bytes, in, out, n, cub::Max(), cuda_on_cpu::Limits<cuda_on_cpu::ValueOf<In>>::lowest(), stream);
    }
    /* out: a KeyValuePair of the place and the value; of no values the place 1 and the limit of the type. */
    template <typename In, typename Out, typename N>
    static cudaError_t ArgMin(void *storage, size_t &bytes, In in, Out out, N n, cudaStream_t stream = nullptr, bool = false) {
        return arg(storage, bytes, in, n, cub::ArgMin(), cuda_on_cpu::Limits<cuda_on_cpu::ValueOf<In>>::max(), stream,
                   [out](auto found) mutable { *out = found; });
    }
    template <typename In, typename Out, typename N>
    static cudaError_t ArgMax(void *storage, size_t &bytes, In in, Out out, N n, cudaStream_t stream = nullptr, bool = false) {
        return arg(storage, bytes, in, n, cub::ArgMax(), cuda_on_cpu::Limits<cuda_on_cpu::ValueOf<In>>::lowest(), stream,
                   [out](auto found) mutable { *out = found; });
    }
    /* The value and the place apart, as since CUDA 12.8. */
    template <typename In, typename Out, typename Place>
    static cudaError_t ArgMin(void *storage, size_t &bytes, In in, Out out, Place place, int64_t n,
                              cudaStream_t stream = nullptr) {
        return arg(storage, bytes, in, n, cub::ArgMin(), cuda_on_cpu::Limits<cuda_on_cpu::ValueOf<In>>::max(), stream,
                   [out, place](auto found) mutable { *out = found.value, *place = found.key; });
    }
    template <typename In, typename Out, typename Place>
    static cudaError_t ArgMax(void *storage, size_t &bytes, In in, Out out, Place place, int64_t n,
                              cudaStream_t stream = nullptr) {
        return arg(storage, bytes, in, n, cub::ArgMax(), cuda_on_cpu::Limits<cuda_on_cpu::ValueOf<In>>::lowest(), stream,
                   [out, place](auto found) mutable { *out = found.value, *place = found.key; });
    }
    /* Of each run of equal keys: the key, and the reduction of its values. */
    template <typename Keys, typename Unique, typename Values, typename Out, typename Runs, typename Op, typename N>
    static cudaError_t ReduceByKey(void *storage, size_t &bytes, Keys keys, Unique unique, Values values, Out out, Runs runs,
                                   Op op, N n, cudaStream_t stream = nullptr, bool = false) {
        return cuda_on_cpu::on_device("cub::DeviceReduce::ReduceByKey", storage, bytes, stream, [=]() mutable {
            size_t run = 0;
            for (size_t i = 0, end; i < size_t(n); i = end, run++) {
                end = cuda_on_cpu::end_of_run(keys, i, size_t(n), cub::Equality());
                cuda_on_cpu::ValueOf<Values> first = values[i];
                unique[run] = keys[i];
                out[run] = cuda_on_cpu::fold(values, i + 1, end, op, first);
            }
            *runs = run;
        });
    }

private:
    template <typename In, typename Op, typename T, typename N, typename Write>
    static cudaError_t arg(void *storage, size_t &bytes, In in, N n, Op op, T limit, cudaStream_t stream, Write write) {
        return cuda_on_cpu::on_device("cub::DeviceReduce", storage, bytes, stream, [=]() mutable {
            write(cuda_on_cpu::arg(in, 0, size_t(n), op, limit));
        });
    }
};

}  // namespace cub
