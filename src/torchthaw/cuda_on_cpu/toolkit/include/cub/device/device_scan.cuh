// cub/device/device_scan.cuh: prefix sums, and other prefixes, of arrays of a device.
#pragma once

#include <cub/thread/thread_operators.cuh>

namespace cub {

/* Each function is called twice: with null as storage it writes the bytes that it needs. in and out may be the same. */
class DeviceScan {
    // Without keys the whole array is one segment.
    struct NoKeys {
        int operator[](size_t) const { return 0; }
    };
    struct Always {
        bool operator()(int, int) const { return true; }
    };
    template <bool inclusive, typename Keys, typename In, typename Out, typename Op, typename Initial, typename Equal, typename N>
    static cudaError_t scan(void *storage, size_t &bytes, Keys keys, In in, Out out, Op op, Initial initial, N n, Equal equal,
                            cudaStream_t stream) {
        return cuda_on_cpu::on_device("cub::DeviceScan", storage, bytes, stream, [=]() mutable {
            using Value = cuda_on_cpu::ValueOf<In>;
            constexpr bool has_initial = !std::is_same_v<Initial, NullType>;
            using First = std::conditional_t<has_initial, Initial, Value>;
            std::optional<cuda_on_cpu::Total<Op, First, Value>> total;
            for (size_t i = 0; i < size_t(n); i++) {
                const Value value = in[i];
                if (i == 0 || !equal(keys[i - 1], keys[i])) {
                    total.reset();
                    if constexpr (has_initial) total = initial;
                }
                if constexpr (!inclusive) out[i] = *total;
                if (total) total = op(*total, value);
                else total = value;
                if constexpr (inclusive) out[i] = *total;
            }
        });
    }

public:
    template <typename In, typename Out, typename N>
    static cudaError_t ExclusiveSum(void *storage, size_t &bytes, In in, Out out, N n, cudaStream_t stream = nullptr, bool = false) {
        return ExclusiveScan(storage, bytes, in, out, cub::Sum(), cuda_on_cpu::ValueOf<In>(), n, stream);
    }
    template <typename Data, typename N>
    static cudaError_t ExclusiveSum(void *storage, size_t &bytes, Data data, N n, cudaStream_t stream = nullptr, bool = false) {
        return ExclusiveSum(storage, bytes, data, data, n, stream);
    }
    template <typename In, typename Out, typename Op, typename T, typename N>
    static cudaError_t ExclusiveScan(void *storage, size_t &bytes, In in, Out out, Op op, T initial, N n,
                                     cudaStream_t stream = nullptr, bool = false) {
        return scan<false>(storage, bytes, NoKeys(), in, out, op, initial, n, Always(), stream);
    }
    template <typename In, typename Out, typename Op, typename T, typename Iterator, typename N>
    static cudaError_t ExclusiveScan(void *storage, size_t &bytes, In in, Out out, Op op, FutureValue<T, Iterator> initial, N n,
                                     cudaStream_t stream = nullptr, bool = false) {
        // The first value is read when the scan runs, before any output is written.
        return cuda_on_cpu::on_device("cub::DeviceScan", storage, bytes, stream, [=]() mutable {
            T total = initial;
            for (size_t i = 0; i < size_t(n); i++) {
                const cuda_on_cpu::ValueOf<In> value = in[i];
                out[i] = total;
                total = op(total, value);
            }
        });
    }
    template <typename Data, typename Op, typename T, typename N>
    static cudaError_t ExclusiveScan(void *storage, size_t &bytes, Data data, Op op, T initial, N n,
                                     cudaStream_t stream = nullptr, bool = false) {
        return ExclusiveScan(storage, bytes, data, data, op, initial, n, stream);
    }
    template <typename In, typename Out, typename N>
    static cudaError_t InclusiveSum(void *storage, size_t &bytes, In in, Out out, N n, cudaStream_t stream = nullptr, bool = false) {
        return InclusiveScan(storage, bytes, in, out, cub::Sum(), n, stream);
    }
    template <typename Data, typename N>
    static cudaError_t InclusiveSum(void *storage, size_t &bytes, Data data, N n, cudaStream_t stream = nullptr, bool = false) {
        return InclusiveSum(storage, bytes, data, data, n, stream);
    }
    template <typename In, typename Out, typename Op, typename N>
    static cudaError_t InclusiveScan(void *storage, size_t &bytes, In in, Out out, Op op, N n, cudaStream_t stream = nullptr,
                                     bool = false) {
        return scan<true>(storage, bytes, NoKeys(), in, out, op, NullType(), n, Always(), stream);
    }
    template <typename Data, typename Op, typename N>
    static cudaError_t InclusiveScan(void *storage, size_t &bytes, Data data, Op op, N n, cudaStream_t stream = nullptr,
                                     bool = false) {
        return InclusiveScan(storage, bytes, data, data, op, n, stream);
    }
    template <typename In, typename Out, typename Op, typename T, typename N>
    static cudaError_t InclusiveScanInit(void *storage, size_t &bytes, In in, Out out, Op op, T initial, N n,
                                         cudaStream_t stream = nullptr) {
        return scan<true>(storage, bytes, NoKeys(), in, out, op, initial, n, Always(), stream);
    }

    /* Of each run of equal keys by itself. */
    template <typename Keys, typename In, typename Out, typename N, typename Equal = Equality>
    static cudaError_t ExclusiveSumByKey(void *storage, size_t &bytes, Keys keys, In in, Out out, N n, Equal equal = Equal(),
                                         cudaStream_t stream = nullptr, bool = false) {
        return scan<false>(storage, bytes, keys, in, out, cub::Sum(), cuda_on_cpu::ValueOf<In>(), n, equal, stream);
    }
    template <typename Keys, typename In, typename Out, typename Op, typename T, typename N, typename Equal = Equality>
    static cudaError_t ExclusiveScanByKey(void *storage, size_t &bytes, Keys keys, In in, Out out, Op op, T initial, N n,
                                          Equal equal = Equal(), cudaStream_t stream = nullptr, bool = false) {
        return scan<false>(storage, bytes, keys, in, out, op, initial, n, equal, stream);
    }
    template <typename Keys, typename In, typename Out, typename N, typename Equal = Equality>
    static cudaError_t InclusiveSumByKey(void *storage, size_t &bytes, Keys keys, In in, Out out, N n, Equal equal = Equal(),
                                         cudaStream_t stream = nullptr, bool = false) {
        return scan<true>(storage, bytes, keys, in, out, cub::Sum(), NullType(), n, equal, stream);
    }
    template <typename Keys, typename In, typename Out, typename Op, typename N, typename Equal = Equality>
    static cudaError_t InclusiveScanByKey(void *storage, size_t &bytes, Keys keys, In in, Out out, Op op, N n,
                                          Equal equal = Equal(), cudaStream_t stream = nullptr, bool = false) {
        return scan<true>(storage, bytes, keys, in, out, op, NullType(), n, equal, stream);
    }
};

}  // namespace cub
