// cub/device/device_radix_sort.cuh: sorts keys of a device, and values with them, by their bits.
#pragma once

#include <cub/util_type.cuh>

namespace cub {

/* Keys are numbers; equal ones keep their order; bits from begin to end decide. Each function is called twice: with null as
   storage it writes the bytes that it needs. */
class DeviceRadixSort {
    template <typename Key, typename Value>
    static cudaError_t sort(void *storage, size_t &bytes, const Key *keys, Key *keys_out, const Value *values, Value *values_out,
                            size_t n, int begin, int end, bool descending, cudaStream_t stream) {
        return cuda_on_cpu::on_device("cub::DeviceRadixSort", storage, bytes, stream, [=] {
            const auto order = cuda_on_cpu::radix_order(keys, n, begin, end, descending);
            cuda_on_cpu::permute(keys, keys_out, order);
            if constexpr (!std::is_same_v<Value, NullType>) cuda_on_cpu::permute(values, values_out, order);
        });
    }
    template <typename Key, typename Value>
    static cudaError_t sort(void *storage, size_t &bytes, DoubleBuffer<Key> &keys, DoubleBuffer<Value> &values, size_t n,
                            int begin, int end, bool descending, cudaStream_t stream) {
        const cudaError_t error = sort(storage, bytes, keys.Current(), keys.Alternate(), values.Current(), values.Alternate(), n,
                                       begin, end, descending, stream);
        if (storage) keys.selector ^= 1, values.selector ^= 1;
        return error;
    }

public:
#define CUDA_ON_CPU_SORT(Pairs, Keys, descending)                                                                      \
    template <typename Key, typename Value, typename N>                                                                \
    static cudaError_t Pairs(void *storage, size_t &bytes, const Key *keys, Key *keys_out, const Value *values,        \
                             Value *values_out, N n, int begin = 0, int end = 8 * sizeof(Key),                         \
                             cudaStream_t stream = nullptr, bool = false) {                                            \
        return sort(storage, bytes, keys, keys_out, values, values_out, size_t(n), begin, end, descending, stream);    \
    }                                                                                                                  \
    template <typename Key, typename Value, typename N>                                                                \
    static cudaError_t Pairs(void *storage, size_t &bytes, DoubleBuffer<Key> &keys, DoubleBuffer<Value> &values, N n,  \
                             int begin = 0, int end = 8 * sizeof(Key), cudaStream_t stream = nullptr, bool = false) {  \
        return sort(storage, bytes, keys, values, size_t(n), begin, end, descending, stream);                          \
    }                                                                                                                  \
    template <typename Key, typename N>                                                                                \
    static cudaError_t Keys(void *storage, size_t &bytes, const Key *keys, Key *keys_out, N n, int begin = 0,          \
                            int end = 8 * sizeof(Key), cudaStream_t stream = nullptr, bool = false) {                  \
        const NullType *none = nullptr;                                                                                \
        return sort(storage, bytes, keys, keys_out, none, static_cast<NullType *>(nullptr), size_t(n), begin, end,     \
                    descending, stream);                                                                               \
    }                                                                                                                  \
    template <typename Key, typename N>                                                                                \
    static cudaError_t Keys(void *storage, size_t &bytes, DoubleBuffer<Key> &keys, N n, int begin = 0,                 \
                            int end = 8 * sizeof(Key), cudaStream_t stream = nullptr, bool = false) {                  \
        DoubleBuffer<NullType> none;                                                                                   \
        return sort(storage, bytes, keys, none, size_t(n), begin, end, descending, stream);                            \
    }
    CUDA_ON_CPU_SORT(SortPairs, SortKeys, false)
    CUDA_ON_CPU_SORT(SortPairsDescending, SortKeysDescending, true)
#undef CUDA_ON_CPU_SORT
};

}  // namespace cub
