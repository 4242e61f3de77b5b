// cub/iterator/arg_index_input_iterator.cuh: pairs of a place and the value there.
#pragma once

#include <cub/util_type.cuh>
#include <cuda_on_cpu/cub/iterator.h>

namespace cub {

template <typename InputIteratorT, typename OffsetT = ptrdiff_t, typename OutputValueT = cuda_on_cpu::ValueOf<InputIteratorT>>
class ArgIndexInputIterator
    : public cuda_on_cpu::CubIterator<ArgIndexInputIterator<InputIteratorT, OffsetT, OutputValueT>,
                                      KeyValuePair<OffsetT, OutputValueT>, KeyValuePair<OffsetT, OutputValueT>, OffsetT> {
public:
    ArgIndexInputIterator(InputIteratorT values, OffsetT place = 0) : values_(values), place_(place) {}
    KeyValuePair<OffsetT, OutputValueT> at(OffsetT n) const { return {place_ + n, values_[place_ + n]}; }
    void step(OffsetT n) { place_ += n; }
    void normalize() {
        values_ = values_ + place_;
        place_ = 0;
    }

private:
    InputIteratorT values_;
    OffsetT place_;
};

}  // namespace cub
