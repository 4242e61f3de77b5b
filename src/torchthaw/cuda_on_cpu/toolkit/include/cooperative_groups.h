/* cooperative_groups.h: the block, tiles of a warp, and the threads that run together, and the whole grid. */
#ifndef CUDA_ON_CPU_COOPERATIVE_GROUPS_H
#define CUDA_ON_CPU_COOPERATIVE_GROUPS_H

#include <cuda_runtime.h>

namespace cooperative_groups {

class thread_block {
public:
    static void sync() { __syncthreads(); }
    static unsigned thread_rank() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
    static unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
    static unsigned num_threads() { return size(); }
    static dim3 group_index() { return blockIdx; }
    static dim3 thread_index() { return threadIdx; }
    static dim3 group_dim() { return blockDim; }
};
inline thread_block this_thread_block() { return {}; }

class grid_group {
public:
    static unsigned long long thread_rank() {
        const unsigned long long block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
        return block * thread_block::size() + thread_block::thread_rank();
    }
    static unsigned long long size() {
        return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z * thread_block::size();
    }
    static void sync(const char *file = __builtin_FILE(), int line = __builtin_LINE()) {
        cuda_on_cpu::wait_for_grid({file, line});
    }
};
inline grid_group this_grid() { return {}; }

/* Lanes of a warp, given by their mask. */
class coalesced_group {
public:
    explicit coalesced_group(unsigned mask) : mask_(mask) {}
    void sync() const { __syncwarp(mask_); }
    unsigned size() const { return unsigned(__popc(mask_)); }
    unsigned num_threads() const { return size(); }
    unsigned thread_rank() const { return unsigned(__popc(mask_ & ((1u << cuda_on_cpu::lane()) - 1))); }
    template <typename T> T shfl(T value, unsigned rank) const { return __shfl_sync(mask_, value, lane_of(rank)); }
    template <typename T> T shfl_down(T value, unsigned delta) const {
        return shfl(value, thread_rank() + delta < size() ? thread_rank() + delta : thread_rank());
    }
    template <typename T> T shfl_up(T value, unsigned delta) const {
        return shfl(value, thread_rank() >= delta ? thread_rank() - delta : thread_rank());
    }
    template <typename T> T shfl_xor(T value, unsigned bits) const {
        return shfl(value, (thread_rank() ^ bits) < size() ? thread_rank() ^ bits : thread_rank());
    }
    int any(int predicate) const { return __any_sync(mask_, predicate); }
    int all(int predicate) const { return __all_sync(mask_, predicate); }
    unsigned ballot(int predicate) const { return packed(__ballot_sync(mask_, predicate)); }
    template <typename T> unsigned match_any(T value) const { return packed(__match_any_sync(mask_, value)); }

private:
    int lane_of(unsigned rank) const {
        unsigned rest = mask_;
        while (rank--) rest &= rest - 1;
        return __ffs(int(rest)) - 1;
    }
    /* The bits of the group's lanes, by their ranks. */
    unsigned packed(unsigned lanes) const {
        unsigned result = 0, rank = 0;
        for (unsigned rest = mask_; rest; rest &= rest - 1, ++rank)
            result |= (lanes >> (__ffs(int(rest)) - 1) & 1u) << rank;
        return result;
    }
    unsigned mask_;
};
inline coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

template <unsigned N, typename Parent = thread_block> class thread_block_tile : public coalesced_group {
    static_assert(N <= 32 && (N & (N - 1)) == 0, "a tile has 1, 2, 4, 8, 16 or 32 threads");

public:
    thread_block_tile() : coalesced_group((N == 32 ? ~0u : (1u << N % 32) - 1) << (cuda_on_cpu::lane() & ~(N - 1))) {}
    static constexpr unsigned size() { return N; }
    static constexpr unsigned num_threads() { return N; }
    unsigned thread_rank() const { return cuda_on_cpu::lane() & (N - 1); }
    unsigned meta_group_rank() const { return thread_block::thread_rank() / N; }
    unsigned meta_group_size() const { return (thread_block::size() + N - 1) / N; }
};
template <unsigned N, typename Parent> thread_block_tile<N, Parent> tiled_partition(const Parent &) { return {}; }

template <typename Group> void sync(const Group &group) { group.sync(); }

}  // namespace cooperative_groups

#endif
