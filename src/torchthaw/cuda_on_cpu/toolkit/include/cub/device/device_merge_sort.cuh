// cub/device/device_merge_sort.cuh: sorts keys of a device, and items with them, by a comparison.
#pragma once

#include <cub/util_type.cuh>

namespace cub {

/* op(a, b): whether a comes before b. Equal keys keep their order in all of them. */
class DeviceMergeSort {
    template <typename KeysIn, typename ItemsIn, typename Keys, typename Items, typename Op>
    static cudaError_t sort(void *storage, size_t &bytes, KeysIn keys_in, ItemsIn items_in, Keys keys, Items items, size_t n,
                            Op op, cudaStream_t stream) {
        return cuda_on_cpu::on_device("cub::DeviceMergeSort", storage, bytes, stream, [=]() mutable {
            const auto before = [&](size_t a, size_t b) { return op(keys_in[a], keys_in[b]); };
            const auto order = cuda_on_cpu::stable_order(n, before);
            if constexpr (!std::is_same_v<Items, NullType *>) cuda_on_cpu::permute(items_in, items, order);
            cuda_on_cpu::permute(keys_in, keys, order);
        });
    }
    static NullType *none() { return nullptr; }

public:
#define CUDA_ON_CPU_SORT(Prefix)                                                                                       \
    template <typename Keys, typename Items, typename N, typename Op>                                                  \
    static cudaError_t Prefix##Pairs(void *storage, size_t &bytes, Keys keys, Items items, N n, Op op,                 \
                                     cudaStream_t stream = nullptr, bool = false) {                                    \
        return sort(storage, bytes, keys, items, keys, items, size_t(n), op, stream);                                  \
    }                                                                                                                  \
    template <typename Keys, typename N, typename Op>                                                                  \
    static cudaError_t Prefix##Keys(void *storage, size_t &bytes, Keys keys, N n, Op op,                               \
                                    cudaStream_t stream = nullptr, bool = false) {                                     \
        return sort(storage, bytes, keys, none(), keys, none(), size_t(n), op, stream);                                \
    }                                                                                                                  \
    template <typename KeysIn, typename Keys, typename N, typename Op>                                                 \
    static cudaError_t Prefix##KeysCopy(void *storage, size_t &bytes, KeysIn keys_in, Keys keys, N n, Op op,           \
                                        cudaStream_t stream = nullptr, bool = false) {                                 \
        return sort(storage, bytes, keys_in, none(), keys, none(), size_t(n), op, stream);                             \
    }
    CUDA_ON_CPU_SORT(Sort)
    CUDA_ON_CPU_SORT(StableSort)
#undef CUDA_ON_CPU_SORT
    template <typename KeysIn, typename ItemsIn, typename Keys, typename Items, typename N, typename Op>
    static cudaError_t SortPairsCopy(void *storage, size_t &bytes, KeysIn keys_in, ItemsIn items_in, Keys keys, Items items, N n,
                                     Op op, cudaStream_t stream = nullptr, bool = false) {
        return sort(storage, bytes, keys_in, items_in, keys, items, size_t(n), op, stream);
    }
};

}  // namespace cub
