// cub/iterator/discard_output_iterator.cuh: takes values and keeps none.
#pragma once

#include <cuda_on_cpu/cub/iterator.h>

namespace cub {

template <typename OffsetT = ptrdiff_t>
class DiscardOutputIterator
    : public cuda_on_cpu::CubIterator<DiscardOutputIterator<OffsetT>, void, void, OffsetT> {
public:
    struct Place {
        template <typename T> const Place &operator=(const T &) const { return *this; }
    };
    explicit DiscardOutputIterator(OffsetT = 0) {}
    Place at(OffsetT) const { return {}; }
    void step(OffsetT) {}
};

}  // namespace cub
