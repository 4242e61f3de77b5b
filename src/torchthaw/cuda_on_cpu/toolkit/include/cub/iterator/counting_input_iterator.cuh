// cub/iterator/counting_input_iterator.cuh: a number, and the next ones.
#pragma once

#include <cuda_on_cpu/cub/iterator.h>

namespace cub {

template <typename ValueType, typename OffsetT = ptrdiff_t>
class CountingInputIterator
    : public cuda_on_cpu::CubIterator<CountingInputIterator<ValueType, OffsetT>, ValueType, ValueType, OffsetT> {
public:
    CountingInputIterator(const ValueType &value) : value_(value) {}
    ValueType at(OffsetT n) const { return ValueType(value_ + ValueType(n)); }
    void step(OffsetT n) { value_ = at(n); }
    OffsetT operator-(const CountingInputIterator &other) const { return OffsetT(value_ - other.value_); }
    using CountingInputIterator::CubIterator::operator-;
    bool operator==(const CountingInputIterator &other) const { return value_ == other.value_; }
    bool operator!=(const CountingInputIterator &other) const { return value_ != other.value_; }

private:
    ValueType value_;
};

}  // namespace cub
