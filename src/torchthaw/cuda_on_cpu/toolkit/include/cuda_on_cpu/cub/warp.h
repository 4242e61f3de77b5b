// cuda_on_cpu/cub/warp.h: the base of cub's algorithms of a logical warp, which has LANES of a warp's lanes.
#pragma once

#include <cuda_on_cpu/cub/cub.h>

namespace cuda_on_cpu {

template <typename T, int LANES> class OfWarp {
    static_assert(LANES >= 1 && LANES <= 32, "cub: a logical warp has 1 to 32 threads");

public:
    using TempStorage = Aligned<Slots<T, LANES>>;
    OfWarp(TempStorage &storage) : storage_(storage) {}

protected:
    TempStorage &storage_;
    const unsigned lane_ = lane() % LANES, first_ = lane() / LANES * LANES;

    // Runs function() while the lanes' values are in the storage, which is free for others afterwards.
    template <typename Function> auto shared(const T &value, Function function) {
        storage_.set(lane_, value);
        __syncwarp(mask());
        const auto found = function();
        __syncwarp(mask());
        return found;
    }
    unsigned mask() const { return (LANES == 32 ? ~0u : (1u << LANES % 32) - 1) << first_; }
};

}  // namespace cuda_on_cpu
