// cub/device/device_select.cuh: takes chosen items of an array of a device.
#pragma once

#include <cub/thread/thread_operators.cuh>

namespace cub {

/* The chosen items keep their order; *count is how many they are. Each function is called twice: with null as storage it writes
   the bytes that it needs. */
class DeviceSelect {
    // chosen(i): whether item i is.
    template <typename In, typename Out, typename Count, typename N, typename Chosen>
    static cudaError_t select(void *storage, size_t &bytes, In in, Out out, Count count, N n, cudaStream_t stream, Chosen chosen) {
        return cuda_on_cpu::on_device("cub::DeviceSelect", storage, bytes, stream, [=]() mutable {
            size_t found = 0;
            for (size_t i = 0; i < size_t(n); i++) {
                const cuda_on_cpu::ValueOf<In> item = in[i];
                if (chosen(i)) out[found++] = item;
            }
            *count = found;
        });
    }

public:
    template <typename In, typename Flags, typename Out, typename Count, typename N>
    static cudaError_t Flagged(void *storage, size_t &bytes, In in, Flags flags, Out out, Count count, N n,
                               cudaStream_t stream = nullptr, bool = false) {
        return select(storage, bytes, in, out, count, n, stream, [=](size_t i) { return bool(flags[i]); });
    }
    template <typename Data, typename Flags, typename Count, typename N>
    static cudaError_t Flagged(void *storage, size_t &bytes, Data data, Flags flags, Count count, N n,
                               cudaStream_t stream = nullptr, bool = false) {
        return Flagged(storage, bytes, data, flags, data, count, n, stream);
    }
    template <typename In, typename Out, typename Count, typename N, typename Op>
    static cudaError_t If(void *storage, size_t &bytes, In in, Out out, Count count, N n, Op op, cudaStream_t stream = nullptr,
                          bool = false) {
        return select(storage, bytes, in, out, count, n, stream, [=](size_t i) mutable { return bool(op(in[i])); });
    }
    template <typename Data, typename Count, typename N, typename Op>
    static cudaError_t If(void *storage, size_t &bytes, Data data, Count count, N n, Op op, cudaStream_t stream = nullptr,
                          bool = false) {
        return If(storage, bytes, data, data, count, n, op, stream);
    }
    template <typename In, typename Flags, typename Out, typename Count, typename N, typename Op>
    static cudaError_t FlaggedIf(void *storage, size_t &bytes, In in, Flags flags, Out out, Count count, N n, Op op,
                                 cudaStream_t stream = nullptr) {
        return select(storage, bytes, in, out, count, n, stream, [=](size_t i) mutable { return bool(op(flags[i])); });
    }
    /* The first item of each run of equal ones. */
    template <typename In, typename Out, typename Count, typename N>
    static cudaError_t Unique(void *storage, size_t &bytes, In in, Out out, Count count, N n, cudaStream_t stream = nullptr,
                              bool = false) {
        return cuda_on_cpu::on_device("cub::DeviceSelect::Unique", storage, bytes, stream, [=]() mutable {
            size_t found = 0;
            std::optional<cuda_on_cpu::ValueOf<In>> before;
            for (size_t i = 0; i < size_t(n); i++) {
                const cuda_on_cpu::ValueOf<In> item = in[i];
                if (!before || !(*before == item)) out[found++] = item;
                before.emplace(item);
            }
            *count = found;
        });
    }
    template <typename Keys, typename Values, typename KeysOut, typename ValuesOut, typename Count, typename N,
              typename Equal = Equality>
    static cudaError_t UniqueByKey(void *storage, size_t &bytes, Keys keys, Values values, KeysOut keys_out,
                                   ValuesOut values_out, Count count, N n, Equal equal = Equal(), cudaStream_t stream = nullptr) {
        return cuda_on_cpu::on_device("cub::DeviceSelect::UniqueByKey", storage, bytes, stream, [=]() mutable {
            size_t found = 0;
            std::optional<cuda_on_cpu::ValueOf<Keys>> before;
            for (size_t i = 0; i < size_t(n); i++) {
                const cuda_on_cpu::ValueOf<Keys> key = keys[i];
                const cuda_on_cpu::ValueOf<Values> value = values[i];
                if (!before || !equal(*before, key)) keys_out[found] = key, values_out[found++] = value;
                before.emplace(key);
            }
            *count = found;
        });
    }
    template <typename Keys, typename Values, typename KeysOut, typename ValuesOut, typename Count, typename N>
    static cudaError_t UniqueByKey(void *storage, size_t &bytes, Keys keys, Values values, KeysOut keys_out,
                                   ValuesOut values_out, Count count, N n, cudaStream_t stream, bool = false) {
        return UniqueByKey(storage, bytes, keys, values, keys_out, values_out, count, n, Equality(), stream);
    }
};

}  // namespace cub
