// cuda_on_cpu/cub/arrangement.h: which items of a block a thread has.
#pragma once

#include <cuda_on_cpu/cub/cub.h>

namespace cuda_on_cpu {

// Item i of a thread is number first + i * step of the block.
struct Arrangement {
    int first, step;
    int operator[](int i) const { return first + i * step; }
};
template <int ITEMS> Arrangement blocked(int thread) { return {thread * ITEMS, 1}; }
template <int THREADS> Arrangement striped(int thread) { return {thread, THREADS}; }
template <int ITEMS> Arrangement warp_striped(int thread) { return {thread / 32 * 32 * ITEMS + thread % 32, 32}; }

template <typename Iterator, typename T, int ITEMS>
void load(Arrangement from, Iterator block, T (&items)[ITEMS], int valid = std::numeric_limits<int>::max()) {
    for (int i = 0; i < ITEMS; i++)
        if (from[i] < valid) items[i] = block[from[i]];
}
template <typename Iterator, typename T, int ITEMS>
void store(Arrangement to, Iterator block, T (&items)[ITEMS], int valid = std::numeric_limits<int>::max()) {
    for (int i = 0; i < ITEMS; i++)
        if (to[i] < valid) block[to[i]] = items[i];
}

}  // namespace cuda_on_cpu
