// cub/block/block_exchange.cuh: changes which items of a block each thread has.
#pragma once

#include <cub/util_type.cuh>
#include <cuda_on_cpu/cub/arrangement.h>

namespace cub {

/* Each function is there for items in place, and from one array to another. */
template <typename T, int BLOCK_DIM_X, int ITEMS_PER_THREAD, bool WARP_TIME_SLICING = false, int BLOCK_DIM_Y = 1,
          int BLOCK_DIM_Z = 1, int LEGACY_PTX_ARCH = 0>
class BlockExchange
    : public cuda_on_cpu::OfBlock<cuda_on_cpu::Slots<T, BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z * ITEMS_PER_THREAD>> {
    static constexpr int items = ITEMS_PER_THREAD, threads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z;
    using In = T (&)[items];

public:
    using BlockExchange::OfBlock::OfBlock;

#define CUDA_ON_CPU_EXCHANGE(name, from, to)                                                                           \
    template <typename Out> void name(In in, Out (&out)[items]) { exchange(in, out, from, to); }                       \
    void name(In in) { exchange(in, in, from, to); }
    CUDA_ON_CPU_EXCHANGE(BlockedToStriped, blocked(), striped())
    CUDA_ON_CPU_EXCHANGE(StripedToBlocked, striped(), blocked())
    CUDA_ON_CPU_EXCHANGE(BlockedToWarpStriped, blocked(), warp_striped())
    CUDA_ON_CPU_EXCHANGE(WarpStripedToBlocked, warp_striped(), blocked())
#undef CUDA_ON_CPU_EXCHANGE

    /* ranks: the number in the block that each item is to have. */
    template <typename Out, typename Rank> void ScatterToBlocked(In in, Out (&out)[items], Rank (&ranks)[items]) {
        scatter(in, out, ranks, blocked());
    }
    template <typename Rank> void ScatterToBlocked(In in, Rank (&ranks)[items]) { scatter(in, in, ranks, blocked()); }
    template <typename Out, typename Rank> void ScatterToStriped(In in, Out (&out)[items], Rank (&ranks)[items]) {
        scatter(in, out, ranks, striped());
    }
    template <typename Rank> void ScatterToStriped(In in, Rank (&ranks)[items]) { scatter(in, in, ranks, striped()); }

private:
    using Arrangement = cuda_on_cpu::Arrangement;
    Arrangement blocked() const { return cuda_on_cpu::blocked<items>(int(this->thread_)); }
    Arrangement striped() const { return cuda_on_cpu::striped<threads>(int(this->thread_)); }
    Arrangement warp_striped() const { return cuda_on_cpu::warp_striped<items>(int(this->thread_)); }
    template <typename Out, typename Places> void scatter(In in, Out (&out)[items], const Places &places, Arrangement to) {
        for (int i = 0; i < items; i++) this->storage_.set(size_t(places[i]), in[i]);
        __syncthreads();
        for (int i = 0; i < items; i++) out[i] = this->storage_[size_t(to[i])];
    }
    template <typename Out> void exchange(In in, Out (&out)[items], Arrangement from, Arrangement to) {
        scatter(in, out, from, to);
    }
};

}  // namespace cub
