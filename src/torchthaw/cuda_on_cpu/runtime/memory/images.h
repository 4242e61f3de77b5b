// cuda_on_cpu/runtime/memory/images.h: elements in memory, as arrays have them and as textures and surfaces read them.
#pragma once

#include <cuda_runtime_api.h>

namespace cuda_on_cpu {

// The sizes that a card of compute capability 7.5 takes, in elements; of layered ones depth counts layers. CUDA's
// programming guide lists them.
constexpr cudaExtent most_1d{131072, 1, 1}, most_2d{131072, 65536, 1}, most_3d{16384, 16384, 16384};
constexpr cudaExtent most_layered{32768, 32768, 2048};
constexpr size_t texture_pitch_alignment = 32;

// Channels of one element: 1, 2 or 4, each of 8, 16 or 32 bits.
struct Channels {
    unsigned count, bits;
    cudaChannelFormatKind kind;
    size_t bytes() const { return size_t(count) * bits / 8; }
};
// False for a description that no card has.
inline bool read_channels(const cudaChannelFormatDesc &desc, Channels *channels) {
    const int bits[] = {desc.x, desc.y, desc.z, desc.w};
    unsigned count = 0;
    while (count < 4 && bits[count]) count++;
    for (unsigned i = 0; i < 4; i++)
        if (bits[i] != (i < count ? desc.x : 0)) return false;
    const bool of_float = desc.f == cudaChannelFormatKindFloat;
    *channels = {count, unsigned(desc.x), desc.f};
    return (count == 1 || count == 2 || count == 4) && (desc.x == 16 || desc.x == 32 || (desc.x == 8 && !of_float)) &&
           desc.f >= cudaChannelFormatKindSigned && desc.f <= cudaChannelFormatKindFloat;
}

struct Image {
    char *memory;
    size_t bytes;
    size_t pitch, slice;  // bytes from a row to the next one, and from a plane or layer
    cudaExtent size;      // in elements; 1 for a dimension that is not there
    int dimensions;       // 1 to 3; 0: linear memory, which has a number of elements alone
    bool layered;         // depth counts layers then
    Channels channels;

    char *at(size_t x, size_t y, size_t z) const { return memory + z * slice + y * pitch + x * channels.bytes(); }
};

}  // namespace cuda_on_cpu
