// cub/warp/warp_reduce.cuh: the sum, or another reduction, of what the lanes of a warp have.
#pragma once

#include <cub/thread/thread_operators.cuh>
#include <cuda_on_cpu/cub/warp.h>

namespace cub {

/* The result is the first lane's; of the segmented ones, that of each segment's first lane. The others get a value without
   meaning. */
template <typename T, int LOGICAL_WARP_THREADS = 32, int LEGACY_PTX_ARCH = 0>
class WarpReduce : public cuda_on_cpu::OfWarp<T, LOGICAL_WARP_THREADS> {
public:
    using WarpReduce::OfWarp::OfWarp;

    template <typename Op> T Reduce(T input, Op op, int valid) { return fold(input, op, valid); }
    template <typename Op> T Reduce(T input, Op op) { return fold(input, op, LOGICAL_WARP_THREADS); }
    T Sum(T input) { return Reduce(input, cub::Sum()); }
    T Sum(T input, int valid) { return Reduce(input, cub::Sum(), valid); }
    T Max(T input) { return Reduce(input, cub::Max()); }
    T Min(T input) { return Reduce(input, cub::Min()); }

    /* A flag that is not 0 begins a segment, or ends one. */
    template <typename Flag, typename Op> T HeadSegmentedReduce(T input, Flag head, Op op) {
        const unsigned heads = flags(head) & ~((2u << this->lane_) - 1);
        return fold(input, op, heads ? __ffs(int(heads)) - 1 : LOGICAL_WARP_THREADS);
    }
    template <typename Flag, typename Op> T TailSegmentedReduce(T input, Flag tail, Op op) {
        const unsigned tails = flags(tail) & ~((1u << this->lane_) - 1);
        return fold(input, op, tails ? __ffs(int(tails)) : LOGICAL_WARP_THREADS);
    }
    template <typename Flag> T HeadSegmentedSum(T input, Flag head) { return HeadSegmentedReduce(input, head, cub::Sum()); }
    template <typename Flag> T TailSegmentedSum(T input, Flag tail) { return TailSegmentedReduce(input, tail, cub::Sum()); }

private:
    unsigned flags(int flag) const { return (__ballot_sync(this->mask(), flag) & this->mask()) >> this->first_; }
    template <typename Op> T fold(T input, Op op, int end) {
        return this->shared(input, [&] {
            for (int i = int(this->lane_) + 1; i < end; i++) input = op(input, this->storage_[size_t(i)]);
            return input;
        });
    }
};

}  // namespace cub
