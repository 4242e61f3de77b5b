// cub/util_ptx.cuh: lanes, barriers and shuffles by cub's names.
#pragma once

#include <cuda_on_cpu/cub/cub.h>

namespace cub {

inline unsigned LaneId() { return cuda_on_cpu::lane(); }
inline unsigned WarpId() { return cuda_on_cpu::rank_in_block() / 32; }
inline unsigned LaneMaskLt() { return (1u << LaneId()) - 1; }
inline unsigned LaneMaskLe() { return LaneMaskLt() | 1u << LaneId(); }
inline unsigned LaneMaskGt() { return ~LaneMaskLe(); }
inline unsigned LaneMaskGe() { return ~LaneMaskLt(); }
inline int RowMajorTid(int x, int y, int) { return int((threadIdx.z * unsigned(y) + threadIdx.y) * unsigned(x) + threadIdx.x); }
inline void CTA_SYNC() { __syncthreads(); }
inline int CTA_SYNC_AND(int predicate) { return __syncthreads_and(predicate); }
inline int CTA_SYNC_OR(int predicate) { return __syncthreads_or(predicate); }
inline void WARP_SYNC(unsigned mask) { __syncwarp(mask); }
inline int WARP_ANY(int predicate, unsigned mask) { return __any_sync(mask, predicate); }
inline int WARP_ALL(int predicate, unsigned mask) { return __all_sync(mask, predicate); }
inline unsigned WARP_BALLOT(int predicate, unsigned mask) { return __ballot_sync(mask, predicate); }
inline void ThreadTrap() { __trap(); }
inline unsigned BFE(unsigned source, unsigned start, unsigned bits) {
    return start > 31 ? 0 : bits > 31 ? source >> start : source >> start & ((1u << bits) - 1);
}

/* The value of another lane of the logical warp; the own one where there is none, or beyond first_thread or last_thread. */
template <int LOGICAL_WARP_THREADS, typename T>
T ShuffleUp(T value, int delta, int first_thread, unsigned mask) {
    const int lane = int(LaneId()) % LOGICAL_WARP_THREADS, from = lane - delta;
    return __shfl_sync(mask, value, from >= first_thread ? from : lane, LOGICAL_WARP_THREADS);
}
template <int LOGICAL_WARP_THREADS, typename T>
T ShuffleDown(T value, int delta, int last_thread, unsigned mask) {
    const int lane = int(LaneId()) % LOGICAL_WARP_THREADS, from = lane + delta;
    return __shfl_sync(mask, value, from <= last_thread ? from : lane, LOGICAL_WARP_THREADS);
}
template <int LOGICAL_WARP_THREADS, typename T> T ShuffleIndex(T value, int lane, unsigned mask) {
    return __shfl_sync(mask, value, lane, LOGICAL_WARP_THREADS);
}

}  // namespace cub
