// cub/iterator/transform_input_iterator.cuh: what a function gives for each value of another iterator.
#pragma once

#include <cuda_on_cpu/cub/iterator.h>

namespace cub {

template <typename ValueType, typename ConversionOp, typename InputIteratorT, typename OffsetT = ptrdiff_t>
class TransformInputIterator
    : public cuda_on_cpu::CubIterator<TransformInputIterator<ValueType, ConversionOp, InputIteratorT, OffsetT>, ValueType,
                                      ValueType, OffsetT> {
public:
    TransformInputIterator(InputIteratorT values, ConversionOp function) : function_(function), values_(values) {}
    ValueType at(OffsetT n) const { return function_(values_[n]); }
    void step(OffsetT n) { values_ = values_ + n; }

private:
    mutable ConversionOp function_;
    InputIteratorT values_;
};

}  // namespace cub
