/* cooperative_groups.h: the block, tiles of a warp, the threads that run together, the cluster, which is the block, the grid. */
#ifndef CUDA_ON_CPU_COOPERATIVE_GROUPS_H
#define CUDA_ON_CPU_COOPERATIVE_GROUPS_H

#include <cuda_runtime.h>

#include <cstring>

namespace cooperative_groups {

class thread_block {
public:
    static void sync(const char *file = __builtin_FILE(), int line = __builtin_LINE()) { __syncthreads(file, line); }
    static unsigned thread_rank() { return cuda_on_cpu::rank_in_block(); }
    static unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
    static unsigned num_threads() { return size(); }
    static dim3 group_index() { return blockIdx; }
    static dim3 thread_index() { return threadIdx; }
    static dim3 group_dim() { return blockDim; }
    static dim3 dim_threads() { return blockDim; }
    struct arrival_token {};
    /* arrive() does not wait: wait() is the barrier. */
    static arrival_token arrive() { return {}; }
    static void wait(arrival_token &&) { sync(); }
};
inline thread_block this_thread_block() { return {}; }

class grid_group {
public:
    static unsigned long long block_rank() { return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x; }
    static unsigned long long num_blocks() { return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z; }
    static unsigned long long thread_rank() { return block_rank() * thread_block::size() + thread_block::thread_rank(); }
    static unsigned long long size() { return num_blocks() * thread_block::size(); }
    static unsigned long long num_threads() { return size(); }
    static dim3 group_dim() { return gridDim; }
    static dim3 dim_blocks() { return gridDim; }
    static dim3 block_index() { return blockIdx; }
    static bool is_valid() { return true; }
    static void sync(const char *file = __builtin_FILE(), int line = __builtin_LINE()) {
        cuda_on_cpu::wait_for_grid({file, line});
    }
};
inline grid_group this_grid() { return {}; }

/* A launch without clusters has clusters of one block. */
class cluster_group : public thread_block {
public:
    static void barrier_arrive() {}
    static void barrier_wait() { sync(); }
    static unsigned block_rank() { return 0; }
    static unsigned num_blocks() { return 1; }
    static dim3 block_index() { return dim3(0, 0, 0); }
    static dim3 dim_blocks() { return dim3(1, 1, 1); }
    template <typename T> static T *map_shared_rank(T *address, int) { return address; }
    static unsigned query_shared_rank(const void *) { return 0; }
};
inline cluster_group this_cluster() { return {}; }

/* Lanes of a warp, given by their mask. */
class coalesced_group {
public:
    explicit coalesced_group(unsigned mask, unsigned rank_in_parent = 0, unsigned groups = 1)
        : mask_(mask), meta_rank_(rank_in_parent), meta_size_(groups) {}
    void sync() const { __syncwarp(mask_); }
    unsigned size() const { return unsigned(__popc(mask_)); }
    unsigned num_threads() const { return size(); }
    unsigned thread_rank() const { return unsigned(__popc(mask_ & ((1u << cuda_on_cpu::lane()) - 1))); }
    unsigned meta_group_rank() const { return meta_rank_; }
    unsigned meta_group_size() const { return meta_size_; }
    template <typename T> T shfl(T value, unsigned rank) const { return from_lane(value, lane_of(rank)); }
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
    template <typename T> unsigned match_all(T value, int &all) const {
        return packed(__match_all_sync(mask_, value, &all));
    }
    /* The lanes with these ranks. */
    unsigned lanes(unsigned ranks) const {
        unsigned found = 0, rank = 0;
        for (unsigned rest = mask_; rest; rest &= rest - 1, ++rank)
            if (ranks >> rank & 1u) found |= rest & -rest;
        return found;
    }

private:
    /* Of any size, by shuffles of eight bytes. */
    template <typename T> T from_lane(T value, int lane) const {
        constexpr size_t words = (sizeof(T) + 7) / 8;
        unsigned long long bits[words] = {};
        std::memcpy(bits, &value, sizeof value);
        for (auto &word : bits) word = __shfl_sync(mask_, word, lane);
        std::memcpy(static_cast<void *>(&value), bits, sizeof value);
        return value;
    }
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
    unsigned mask_, meta_rank_, meta_size_;
};
inline coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

/* The part of a group of the size n that has this thread: n is a power of two. */
inline coalesced_group tiled_partition(const coalesced_group &group, unsigned n) {
    const unsigned first = group.thread_rank() / n * n, ranks = (n == 32 ? ~0u : (1u << n) - 1) << first;
    return coalesced_group(group.lanes(ranks), first / n, (group.size() + n - 1) / n);
}
/* The threads of a group with the same label. */
template <typename Label> coalesced_group labeled_partition(const coalesced_group &group, Label label) {
    const unsigned own = group.match_any(label);
    unsigned firsts = 0; /* the ranks that are the first of a label */
    for (unsigned rank = 0; rank < group.size(); ++rank) firsts |= 1u << (__ffs(int(group.shfl(own, rank))) - 1);
    return coalesced_group(group.lanes(own), unsigned(__popc(firsts & ((1u << (__ffs(int(own)) - 1)) - 1))),
                           unsigned(__popc(firsts)));
}
inline coalesced_group binary_partition(const coalesced_group &group, bool predicate) {
    const unsigned all = group.size() == 32 ? ~0u : (1u << group.size()) - 1, yes = group.ballot(predicate);
    return coalesced_group(group.lanes(predicate ? yes : all & ~yes), predicate, 2);
}

template <unsigned N, typename Parent = void> class thread_block_tile : public coalesced_group {
    static_assert(N <= 32 && (N & (N - 1)) == 0, "a tile has 1, 2, 4, 8, 16 or 32 threads");

public:
    thread_block_tile() : coalesced_group((N == 32 ? ~0u : (1u << N % 32) - 1) << (cuda_on_cpu::lane() & ~(N - 1))) {}
    template <typename Other> thread_block_tile(const thread_block_tile<N, Other> &) : thread_block_tile() {}
    static constexpr unsigned size() { return N; }
    static constexpr unsigned num_threads() { return N; }
    unsigned thread_rank() const { return cuda_on_cpu::lane() & (N - 1); }
    unsigned meta_group_rank() const { return thread_block::thread_rank() / N; }
    unsigned meta_group_size() const { return (thread_block::size() + N - 1) / N; }
};
template <unsigned N, typename Parent> thread_block_tile<N, Parent> tiled_partition(const Parent &) { return {}; }
template <unsigned N> coalesced_group tiled_partition(const coalesced_group &group) { return tiled_partition(group, N); }

/* Any group of a block, as one type. */
class thread_group {
public:
    thread_group(const thread_block &) : is_block_(true), lanes_(0) {}
    thread_group(const coalesced_group &group) : is_block_(false), lanes_(group) {}
    void sync() const { is_block_ ? __syncthreads() : lanes_.sync(); }
    unsigned size() const { return is_block_ ? thread_block::size() : lanes_.size(); }
    unsigned num_threads() const { return size(); }
    unsigned thread_rank() const { return is_block_ ? thread_block::thread_rank() : lanes_.thread_rank(); }
    static bool is_valid() { return true; }

private:
    bool is_block_;
    coalesced_group lanes_;
};
inline thread_group tiled_partition(const thread_block &, unsigned n) {
    const unsigned first = cuda_on_cpu::lane() & ~(n - 1);
    return coalesced_group((n == 32 ? ~0u : (1u << n) - 1) << first, thread_block::thread_rank() / n,
                           (thread_block::size() + n - 1) / n);
}

template <typename Group> void sync(const Group &group) { group.sync(); }
template <typename Group> auto thread_rank(const Group &group) { return group.thread_rank(); }
template <typename Group> auto group_size(const Group &group) { return group.size(); }

}  // namespace cooperative_groups

#endif
