// cub/iterator/cache_modified_input_iterator.cuh: a pointer that reads with a modifier for the caches of a device.
#pragma once

#include <cub/thread/thread_load.cuh>
#include <cuda_on_cpu/cub/iterator.h>

namespace cub {

template <CacheLoadModifier MODIFIER, typename ValueType, typename OffsetT = ptrdiff_t>
class CacheModifiedInputIterator
    : public cuda_on_cpu::CubIterator<CacheModifiedInputIterator<MODIFIER, ValueType, OffsetT>, ValueType, const ValueType &, OffsetT> {
public:
    template <typename T> CacheModifiedInputIterator(T *values) : values_(values) {}
    const ValueType &at(OffsetT n) const { return values_[n]; }
    void step(OffsetT n) { values_ += n; }

private:
    const ValueType *values_;
};

}  // namespace cub
