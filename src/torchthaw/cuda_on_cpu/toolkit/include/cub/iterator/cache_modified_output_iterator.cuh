// cub/iterator/cache_modified_output_iterator.cuh: a pointer that writes with a modifier for the caches of a device.
#pragma once

#include <cub/thread/thread_store.cuh>
#include <cuda_on_cpu/cub/iterator.h>

namespace cub {

template <CacheStoreModifier MODIFIER, typename ValueType, typename OffsetT = ptrdiff_t>
class CacheModifiedOutputIterator
    : public cuda_on_cpu::CubIterator<CacheModifiedOutputIterator<MODIFIER, ValueType, OffsetT>, ValueType, ValueType &, OffsetT> {
public:
    template <typename T> CacheModifiedOutputIterator(T *values) : values_(values) {}
    ValueType &at(OffsetT n) const { return values_[n]; }
    void step(OffsetT n) { values_ += n; }

private:
    ValueType *values_;
};

}  // namespace cub
