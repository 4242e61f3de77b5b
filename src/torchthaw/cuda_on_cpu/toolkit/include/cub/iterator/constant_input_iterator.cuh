// cub/iterator/constant_input_iterator.cuh: the same value at each place.
#pragma once

#include <cuda_on_cpu/cub/iterator.h>

namespace cub {

template <typename ValueType, typename OffsetT = ptrdiff_t>
class ConstantInputIterator
    : public cuda_on_cpu::CubIterator<ConstantInputIterator<ValueType, OffsetT>, ValueType, ValueType, OffsetT> {
public:
    ConstantInputIterator(ValueType value, OffsetT place = 0) : value_(value), place_(place) {}
    ValueType at(OffsetT) const { return value_; }
    void step(OffsetT n) { place_ += n; }

private:
    ValueType value_;
    OffsetT place_;
};

}  // namespace cub
