// cuda_on_cpu/textures.h: tex2D and its like, and surf2Dread and its like, of texture and surface objects.
//
// Values are those of the section "Texture Fetching" of CUDA's C++ Programming Guide. A coordinate x of n elements is n * x
// first if coordinates are normalized. cudaFilterModePoint gives element floor(x). cudaFilterModeLinear gives
//   tex(x) = (1 - a) T[i] + a T[i + 1]   with   xB = x - 0.5, i = floor(xB), a = xB - i,
// and the same along y and z, where a is rounded to 8 bits behind the point, so that 1 is one of its 257 values. An element
// outside is found by the mode of addresses. wrap and mirror are clamp without normalized coordinates, as on a card. There is
// one level: that of tex2DLod and the steps of tex2DGrad change nothing. The sums are float's; a card may differ in their
// last bits.
#pragma once

#include <cuda_on_cpu/runtime.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace cuda_on_cpu {

// What a read gives, a word for each channel: an integer, extended to 32 bits, or a float's bits.
struct Registers {
    uint32_t word[4];
};
// A function of device code: its name, and the textures and surfaces that it is for.
struct Access {
    const char *function;
    int dimensions;
    bool layered;
};
struct Spot {
    float x, y, z;
    int layer;  // of layers, the nearest one that is there
};
// `channels`: how many the caller's type has. A texture of other dimensions or fewer channels ends the kernel.
CUDA_ON_CPU_EXPORT Registers sample(cudaTextureObject_t, const Access &, const Spot &, unsigned channels, Place);
// Element i of linear memory, 0 outside of it.
CUDA_ON_CPU_EXPORT Registers fetch(cudaTextureObject_t, int i, unsigned channels, Place);

struct Bytes {
    int x, y, z;  // x in bytes; z is a plane or layer
    size_t count;
};
// Where `count` bytes of a surface are; null outside in cudaBoundaryModeZero. cudaBoundaryModeTrap ends the kernel.
CUDA_ON_CPU_EXPORT char *surface_bytes(cudaSurfaceObject_t, const Access &, const Bytes &, cudaSurfaceBoundaryMode, Place);

template <typename T, typename = void> struct Texel {
    using Scalar = T;
    static constexpr unsigned channels = 1;
};
template <typename T> struct Texel<T, std::void_t<decltype(T::x)>> {
    using Scalar = decltype(T::x);
    static constexpr unsigned channels = sizeof(T) / sizeof(Scalar);
};
template <typename T> T texel(const Registers &registers) {
    using Scalar = typename Texel<T>::Scalar;
    static_assert(std::is_arithmetic_v<Scalar> && sizeof(Scalar) <= 4 && Texel<T>::channels != 3,
                  "a texture is read as numbers of 8, 16 or 32 bits, or as a struct of 1, 2 or 4 of them");
    Scalar parts[Texel<T>::channels];
    for (unsigned i = 0; i < Texel<T>::channels; i++) {
        if constexpr (std::is_floating_point_v<Scalar>) std::memcpy(parts + i, registers.word + i, sizeof(float));
        else parts[i] = static_cast<Scalar>(registers.word[i]);
    }
    T value;
    std::memcpy(&value, parts, sizeof value);
    return value;
}

}  // namespace cuda_on_cpu

// Each gives the value, or stores it.
#define CUDA_ON_CPU_TEXTURE(name, read, ...)                                                                           \
    template <typename T>                                                                                              \
    T name(cudaTextureObject_t texture, __VA_ARGS__, const char *file = __builtin_FILE(), int line = __builtin_LINE()) { \
        constexpr unsigned channels = cuda_on_cpu::Texel<T>::channels;                                                 \
        return cuda_on_cpu::texel<T>(read);                                                                            \
    }                                                                                                                  \
    template <typename T>                                                                                              \
    void name(T *value, cudaTextureObject_t texture, __VA_ARGS__, const char *file = __builtin_FILE(),                 \
              int line = __builtin_LINE()) {                                                                           \
        constexpr unsigned channels = cuda_on_cpu::Texel<T>::channels;                                                 \
        *value = cuda_on_cpu::texel<T>(read);                                                                          \
    }
#define CUDA_ON_CPU_SAMPLE(name, dimensions, layered, ...)                                                             \
    cuda_on_cpu::sample(texture, {#name, dimensions, layered}, {__VA_ARGS__}, channels, {file, line})
CUDA_ON_CPU_TEXTURE(tex1Dfetch, cuda_on_cpu::fetch(texture, i, channels, {file, line}), int i)
CUDA_ON_CPU_TEXTURE(tex1D, CUDA_ON_CPU_SAMPLE(tex1D, 1, false, x, 0, 0, 0), float x)
CUDA_ON_CPU_TEXTURE(tex2D, CUDA_ON_CPU_SAMPLE(tex2D, 2, false, x, y, 0, 0), float x, float y)
CUDA_ON_CPU_TEXTURE(tex3D, CUDA_ON_CPU_SAMPLE(tex3D, 3, false, x, y, z, 0), float x, float y, float z)
CUDA_ON_CPU_TEXTURE(tex1DLayered, CUDA_ON_CPU_SAMPLE(tex1DLayered, 1, true, x, 0, 0, layer), float x, int layer)
CUDA_ON_CPU_TEXTURE(tex2DLayered, CUDA_ON_CPU_SAMPLE(tex2DLayered, 2, true, x, y, 0, layer), float x, float y, int layer)
CUDA_ON_CPU_TEXTURE(tex1DLod, CUDA_ON_CPU_SAMPLE(tex1DLod, 1, false, x, 0, 0, 0), float x, float)
CUDA_ON_CPU_TEXTURE(tex2DLod, CUDA_ON_CPU_SAMPLE(tex2DLod, 2, false, x, y, 0, 0), float x, float y, float)
CUDA_ON_CPU_TEXTURE(tex3DLod, CUDA_ON_CPU_SAMPLE(tex3DLod, 3, false, x, y, z, 0), float x, float y, float z, float)
CUDA_ON_CPU_TEXTURE(tex1DLayeredLod, CUDA_ON_CPU_SAMPLE(tex1DLayeredLod, 1, true, x, 0, 0, layer), float x, int layer, float)
CUDA_ON_CPU_TEXTURE(tex2DLayeredLod, CUDA_ON_CPU_SAMPLE(tex2DLayeredLod, 2, true, x, y, 0, layer), float x, float y, int layer,
                    float)
CUDA_ON_CPU_TEXTURE(tex1DGrad, CUDA_ON_CPU_SAMPLE(tex1DGrad, 1, false, x, 0, 0, 0), float x, float, float)
CUDA_ON_CPU_TEXTURE(tex2DGrad, CUDA_ON_CPU_SAMPLE(tex2DGrad, 2, false, x, y, 0, 0), float x, float y, float2, float2)
CUDA_ON_CPU_TEXTURE(tex3DGrad, CUDA_ON_CPU_SAMPLE(tex3DGrad, 3, false, x, y, z, 0), float x, float y, float z, float4, float4)
#undef CUDA_ON_CPU_SAMPLE
#undef CUDA_ON_CPU_TEXTURE

// Surfaces: the elements as they are, of any type; x counts bytes, and is a multiple of the type's size.
#define CUDA_ON_CPU_SURFACE(name, dimensions, layered, y, z, ...)                                                      \
    template <typename T>                                                                                              \
    T name##read(cudaSurfaceObject_t surface, __VA_ARGS__, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap,        \
                 const char *file = __builtin_FILE(), int line = __builtin_LINE()) {                                   \
        T value{};                                                                                                     \
        const char *from = cuda_on_cpu::surface_bytes(surface, {#name "read", dimensions, layered},                    \
                                                      {x, y, z, sizeof(T)}, mode, {file, line});                       \
        if (from) std::memcpy(&value, from, sizeof value);                                                             \
        return value;                                                                                                  \
    }                                                                                                                  \
    template <typename T>                                                                                              \
    void name##read(T *value, cudaSurfaceObject_t surface, __VA_ARGS__,                                                \
                    cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap, const char *file = __builtin_FILE(),          \
                    int line = __builtin_LINE()) {                                                                     \
        const char *from = cuda_on_cpu::surface_bytes(surface, {#name "read", dimensions, layered},                    \
                                                      {x, y, z, sizeof(T)}, mode, {file, line});                       \
        *value = T{};                                                                                                  \
        if (from) std::memcpy(value, from, sizeof *value);                                                             \
    }                                                                                                                  \
    template <typename T>                                                                                              \
    void name##write(T value, cudaSurfaceObject_t surface, __VA_ARGS__,                                                \
                     cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap, const char *file = __builtin_FILE(),         \
                     int line = __builtin_LINE()) {                                                                    \
        char *to = cuda_on_cpu::surface_bytes(surface, {#name "write", dimensions, layered}, {x, y, z, sizeof(T)},     \
                                              mode, {file, line});                                                     \
        if (to) std::memcpy(to, &value, sizeof value);                                                                 \
    }
CUDA_ON_CPU_SURFACE(surf1D, 1, false, 0, 0, int x)
CUDA_ON_CPU_SURFACE(surf2D, 2, false, y, 0, int x, int y)
CUDA_ON_CPU_SURFACE(surf3D, 3, false, y, z, int x, int y, int z)
CUDA_ON_CPU_SURFACE(surf1DLayered, 1, true, 0, layer, int x, int layer)
CUDA_ON_CPU_SURFACE(surf2DLayered, 2, true, y, layer, int x, int y, int layer)
#undef CUDA_ON_CPU_SURFACE
