// cuda_on_cpu/cub/segmented_sort.h: sorts the segments of an array of a device.
#pragma once

#include <cub/util_type.cuh>

namespace cuda_on_cpu {

// order(keys, n): the places of n keys in their order. What is in no segment stays as it is.
template <typename Key, typename Value, typename Begins, typename Ends, typename Order>
cudaError_t sort_segments(const char *name, void *storage, size_t &bytes, const Key *keys, Key *keys_out, const Value *values,
                          Value *values_out, int64_t segments, Begins begins, Ends ends, cudaStream_t stream, Order order) {
    return on_device(name, storage, bytes, stream, [=]() mutable {
        for (int64_t s = 0; s < segments; s++) {
            const auto begin = begins[s], end = ends[s];
            if (end <= begin) continue;
            const auto places = order(keys + begin, size_t(end - begin));
            permute(keys + begin, keys_out + begin, places);
            if constexpr (!std::is_same_v<Value, cub::NullType>) permute(values + begin, values_out + begin, places);
        }
    });
}

template <typename Key, typename Value, typename Begins, typename Ends, typename Order>
cudaError_t sort_segments(const char *name, void *storage, size_t &bytes, cub::DoubleBuffer<Key> &keys,
                          cub::DoubleBuffer<Value> &values, int64_t segments, Begins begins, Ends ends, cudaStream_t stream,
                          Order order) {
    const cudaError_t error = sort_segments(name, storage, bytes, keys.Current(), keys.Alternate(), values.Current(),
                                            values.Alternate(), segments, begins, ends, stream, order);
    if (storage) keys.selector ^= 1, values.selector ^= 1;
    return error;
}

}  // namespace cuda_on_cpu

// The four forms of a sort. order is made of the arguments that the parameters name.
#define CUDA_ON_CPU_SEGMENTED_SORT(Pairs, Keys, name, order, ...)                                                      \
    template <typename Key, typename Value, typename Begins, typename Ends>                                            \
    static cudaError_t Pairs(void *storage, size_t &bytes, const Key *keys, Key *keys_out, const Value *values,        \
                             Value *values_out, int64_t, int64_t segments, Begins begins, Ends ends, __VA_ARGS__) {    \
        return cuda_on_cpu::sort_segments(name, storage, bytes, keys, keys_out, values, values_out, segments, begins,  \
                                          ends, stream, order);                                                        \
    }                                                                                                                  \
    template <typename Key, typename Value, typename Begins, typename Ends>                                            \
    static cudaError_t Pairs(void *storage, size_t &bytes, DoubleBuffer<Key> &keys, DoubleBuffer<Value> &values,       \
                             int64_t, int64_t segments, Begins begins, Ends ends, __VA_ARGS__) {                       \
        return cuda_on_cpu::sort_segments(name, storage, bytes, keys, values, segments, begins, ends, stream, order);  \
    }                                                                                                                  \
    template <typename Key, typename Begins, typename Ends>                                                            \
    static cudaError_t Keys(void *storage, size_t &bytes, const Key *keys, Key *keys_out, int64_t, int64_t segments,   \
                            Begins begins, Ends ends, __VA_ARGS__) {                                                   \
        const NullType *none = nullptr;                                                                                \
        return cuda_on_cpu::sort_segments(name, storage, bytes, keys, keys_out, none,                                  \
                                          static_cast<NullType *>(nullptr), segments, begins, ends, stream, order);    \
    }                                                                                                                  \
    template <typename Key, typename Begins, typename Ends>                                                            \
    static cudaError_t Keys(void *storage, size_t &bytes, DoubleBuffer<Key> &keys, int64_t, int64_t segments,          \
                            Begins begins, Ends ends, __VA_ARGS__) {                                                   \
        DoubleBuffer<NullType> none;                                                                                   \
        return cuda_on_cpu::sort_segments(name, storage, bytes, keys, none, segments, begins, ends, stream, order);    \
    }
