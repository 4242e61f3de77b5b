// cuda_on_cpu/ptx/threads.h: what the threads of a warp and of a block do together, in PTX's form.
#pragma once

#include <cuda_on_cpu/ptx/memory.h>
#include <cuda_on_cpu/warp.h>

namespace cuda_on_cpu {
namespace ptx {

inline u32 threads_of_block() { return blockDim.x * blockDim.y * blockDim.z; }
inline u32 warps_of_block() { return (threads_of_block() + 31) / 32; }

// A barrier of all threads of the block. One of fewer threads would need to know which.
inline void expect_all(u32 threads, Place place) {
    if (threads != threads_of_block()) unserved("inline PTX: a barrier of fewer threads than the block has", place);
}
inline Votes barrier(bool predicate, u32 threads, Place place) {
    expect_all(threads, place);
    return wait_for_block(predicate, place);
}

// The value of another lane. `bounds` has the clamp in its lowest five bits and from bit 8 on the mask of the lanes'
// parts; a lane outside of its part reads its own value.
enum class Shuffle { up, down, bfly, idx };
struct Shuffled {
    u32 value;
    bool inside;
};
inline Shuffled shfl(Shuffle kind, u32 mask, u32 value, u32 by, u32 bounds, Place place) {
    const u32 me = lane(), parts = bounds >> 8 & 31, clamp = bounds & 31;
    by &= 31;
    const u32 least = me & parts, most = least | (clamp & ~parts);
    int from = int(me);
    bool inside = false;
    switch (kind) {
    case Shuffle::up: from = int(me) - int(by), inside = from >= int(most); break;
    case Shuffle::down: from = int(me + by), inside = from <= int(most); break;
    case Shuffle::bfly: from = int(me ^ by), inside = from <= int(most); break;
    case Shuffle::idx: from = int(least | (by & ~parts)), inside = from <= int(most); break;
    }
    return {shuffle(mask, value, inside ? u32(from) : me, place), inside};
}
// Whether all lanes have the same predicate.
inline bool vote_uni(u32 mask, bool predicate, Place place) {
    const u32 yes = __ballot_sync(mask, predicate, place.file, place.line);
    const u32 no = __ballot_sync(mask, !predicate, place.file, place.line);
    return !yes || !no;
}

}  // namespace ptx
}  // namespace cuda_on_cpu
