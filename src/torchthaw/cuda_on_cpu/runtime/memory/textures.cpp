// cuda_on_cpu/runtime/memory/textures.cpp: texture and surface objects, and what they read; textures.h of the toolkit has the rules.
#include "memory/arrays.h"
#include "errors.h"
#include "execution/block.h"
#include "memory/memory.h"
#include "memory/objects.h"
#include "checks/sanitizer.h"

#include <cuda_on_cpu/float_bits.h>
#include <cuda_on_cpu/textures.h>

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace cuda_on_cpu {
namespace {

constexpr size_t alignment = 256;  // of what cudaMalloc gives

struct Texture {
    Image image;
    cudaTextureDesc how;
    cudaResourceDesc resource;
};
struct Surface {
    cudaArray_t array;
    cudaResourceDesc resource;
};
auto &textures = *new Objects<Texture>;
auto &surfaces = *new Objects<Surface>;

[[noreturn, gnu::format(printf, 4, 5)]] void wrong(cudaError_t error, const char *function, Place place,
                                                   const char *format, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    print("%s:%d: %s: %s: %s", place.file, place.line, where().text, function, text);
    if (Block::running()) Block::running()->abandon(error);
    std::abort();
}

const char *kind_of(bool layered) { return layered ? "layers of " : ""; }
void expect(const Image &image, const Access &access, Place place) {
    if (image.dimensions == access.dimensions && image.layered == access.layered) return;
    if (!image.dimensions) wrong(cudaErrorInvalidTexture, access.function, place, "expected an array, got linear memory");
    wrong(cudaErrorInvalidTexture, access.function, place, "expected %s%d dimensions, got %s%d", kind_of(access.layered),
          access.dimensions, kind_of(image.layered), image.dimensions);
}
void expect_channels(const Image &image, const char *function, unsigned channels, Place place) {
    if (channels > image.channels.count)
        wrong(cudaErrorInvalidTexture, function, place, "expected a type of at most %u channels, got one of %u",
              image.channels.count, channels);
}

// ---- Elements -------------------------------------------------------------------------------------------------------

template <typename T> T number(const char *at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}
uint32_t channel(const Texture &texture, const char *at) {
    const Channels &channels = texture.image.channels;
    if (channels.kind == cudaChannelFormatKindFloat)
        return channels.bits == 32 ? number<uint32_t>(at) : to_bits(half_to_float(number<uint16_t>(at)));
    const bool is_signed = channels.kind == cudaChannelFormatKindSigned;
    if (channels.bits == 32) return number<uint32_t>(at);
    const int value = channels.bits == 8 ? (is_signed ? number<int8_t>(at) : number<uint8_t>(at))
                                         : (is_signed ? number<int16_t>(at) : number<uint16_t>(at));
    if (texture.how.readMode == cudaReadModeElementType) return uint32_t(value);
    const float most = float((1 << (channels.bits - is_signed)) - 1);
    return to_bits(std::max(float(value) / most, -1.f));  // of a signed number, the least two are -1
}
Registers element(const Texture &texture, const char *at, Place place) {
    if (__builtin_expect(checking, 0) && __asan_address_is_poisoned && __asan_address_is_poisoned(at))
        wrong(cudaErrorIllegalAddress, "a texture", place, "expected memory that is allocated, got such that was freed");
    Registers result{};
    for (unsigned i = 0; i < texture.image.channels.count; i++)
        result.word[i] = channel(texture, at + i * texture.image.channels.bits / 8);
    return result;
}

// ---- Coordinates ----------------------------------------------------------------------------------------------------

constexpr int64_t outside = -1;
// A coordinate in elements, from 0 to n where the mode repeats or mirrors them. Of no number it is 0.
double position(float given, double n, const cudaTextureDesc &how, cudaTextureAddressMode mode) {
    const double x = given == given ? std::clamp(double(given), -1e9, 1e9) : 0, turns = std::floor(x);
    if (!how.normalizedCoords) return x;
    if (mode == cudaAddressModeWrap) return (x - turns) * n;
    if (mode == cudaAddressModeMirror) return (std::fmod(turns, 2) == 0 ? x - turns : 1 - (x - turns)) * n;
    return x * n;
}
// Which of n elements stands at place i.
int64_t addressed(int64_t i, int64_t n, cudaTextureAddressMode mode) {
    if (i >= 0 && i < n) return i;
    if (mode == cudaAddressModeBorder) return outside;
    if (mode == cudaAddressModeWrap) return (i % n + n) % n;
    return i < 0 ? 0 : n - 1;
}

// The elements along one axis that count, one or two, and how much.
struct Axis {
    int64_t at[2];
    float weight[2];
    int count;
};
Axis axis(const Texture &texture, int which, float coordinate) {
    const size_t sizes[] = {texture.image.size.width, texture.image.size.height, texture.image.size.depth};
    const int64_t n = int64_t(sizes[which]);
    const cudaTextureDesc &how = texture.how;
    const cudaTextureAddressMode mode = how.addressMode[which];
    const double x = position(coordinate, double(n), how, mode);
    const auto element = [&](double i) { return addressed(int64_t(i), n, mode); };
    if (how.filterMode == cudaFilterModePoint) return {{element(std::floor(x)), 0}, {1, 0}, 1};
    const double low = std::floor(x - 0.5);
    const float part = float(std::floor((x - 0.5 - low) * 256 + 0.5) / 256);
    return {{element(low), element(low + 1)}, {1 - part, part}, 2};
}
const Axis only{{0, 0}, {1, 0}, 1};

Registers at(const Texture &texture, int64_t x, int64_t y, int64_t z, Place place) {
    if (x != outside && y != outside && z != outside)
        return element(texture, texture.image.at(size_t(x), size_t(y), size_t(z)), place);
    Registers border{};  // of integers, the bits of what the caller gave
    for (unsigned i = 0; i < texture.image.channels.count; i++) border.word[i] = to_bits(texture.how.borderColor[i]);
    return border;
}
Registers filtered(const Texture &texture, const Axis &x, const Axis &y, const Axis &z, Place place) {
    float sum[4] = {};
    for (int k = 0; k < z.count; k++)
        for (int j = 0; j < y.count; j++)
            for (int i = 0; i < x.count; i++) {
                const Registers here = at(texture, x.at[i], y.at[j], z.at[k], place);
                const float weight = z.weight[k] * y.weight[j] * x.weight[i];
                for (unsigned c = 0; c < 4; c++) sum[c] += weight * from_bits(here.word[c]);
            }
    return {{to_bits(sum[0]), to_bits(sum[1]), to_bits(sum[2]), to_bits(sum[3])}};
}

// ---- What a resource is ---------------------------------------------------------------------------------------------

cudaError_t image_of_memory(void *memory, const cudaChannelFormatDesc &desc, Image *image) {
    image->memory = static_cast<char *>(memory);
    if (!read_channels(desc, &image->channels)) return record(cudaErrorInvalidChannelDescriptor);
    return memory && uintptr_t(memory) % alignment == 0 ? cudaSuccess : record(cudaErrorInvalidValue);
}
cudaError_t image_of(const cudaResourceDesc &resource, Image *image) {
    *image = {};
    const auto &linear = resource.res.linear;
    const auto &rows = resource.res.pitch2D;
    switch (resource.resType) {
    case cudaResourceTypeArray:
        if (!is_array(resource.res.array.array)) return record(cudaErrorInvalidResourceHandle);
        *image = resource.res.array.array->image;
        return cudaSuccess;
    case cudaResourceTypeLinear:
        if (const cudaError_t error = image_of_memory(linear.devPtr, linear.desc, image)) return error;
        image->bytes = linear.sizeInBytes;
        image->size = {image->bytes / image->channels.bytes(), 1, 1};
        return image->size.width && fits("the memory of a texture", image->memory, image->bytes, Side::device) ? cudaSuccess
                                                                                    : record(cudaErrorInvalidValue);
    case cudaResourceTypePitch2D: {
        if (const cudaError_t error = image_of_memory(rows.devPtr, rows.desc, image)) return error;
        image->size = {rows.width, rows.height, 1};
        image->dimensions = 2;
        image->pitch = rows.pitchInBytes;
        if (!rows.width || !rows.height || rows.width > most_2d.width || rows.height > most_2d.height)
            return record(cudaErrorInvalidValue);
        const size_t width = rows.width * image->channels.bytes();
        if (rows.pitchInBytes % texture_pitch_alignment || width > rows.pitchInBytes) return record(cudaErrorInvalidPitchValue);
        return extent(image->pitch, width, rows.height, &image->bytes) && fits("the memory of a texture", image->memory, image->bytes, Side::device)
                   ? cudaSuccess
                   : record(cudaErrorInvalidValue);
    }
    case cudaResourceTypeMipmappedArray: return refuse("mipmapped arrays");
    }
    return record(cudaErrorInvalidValue);
}

bool is_mode(const cudaTextureDesc &how) {
    for (const cudaTextureAddressMode mode : how.addressMode)
        if (mode < cudaAddressModeWrap || mode > cudaAddressModeBorder) return false;
    return (how.filterMode == cudaFilterModePoint || how.filterMode == cudaFilterModeLinear) &&
           (how.readMode == cudaReadModeElementType || how.readMode == cudaReadModeNormalizedFloat);
}

}  // namespace

Registers sample(cudaTextureObject_t object, const Access &access, const Spot &spot, unsigned channels, Place place) {
    const auto &texture = *reinterpret_cast<const Texture *>(object);
    expect(texture.image, access, place);
    expect_channels(texture.image, access.function, channels, place);
    const Axis x = axis(texture, 0, spot.x), y = access.dimensions > 1 ? axis(texture, 1, spot.y) : only;
    Axis z = access.dimensions > 2 ? axis(texture, 2, spot.z) : only;
    if (access.layered) z.at[0] = std::clamp<int64_t>(spot.layer, 0, int64_t(texture.image.size.depth) - 1);
    if (texture.how.filterMode == cudaFilterModePoint) return at(texture, x.at[0], y.at[0], z.at[0], place);
    return filtered(texture, x, y, z, place);
}

Registers fetch(cudaTextureObject_t object, int i, unsigned channels, Place place) {
    const auto &texture = *reinterpret_cast<const Texture *>(object);
    if (texture.image.dimensions)
        wrong(cudaErrorInvalidTexture, "tex1Dfetch", place, "expected linear memory, got %d dimensions",
              texture.image.dimensions);
    expect_channels(texture.image, "tex1Dfetch", channels, place);
    if (i < 0 || size_t(i) >= texture.image.size.width) return {};
    return element(texture, texture.image.at(size_t(i), 0, 0), place);
}

char *surface_bytes(cudaSurfaceObject_t object, const Access &access, const Bytes &bytes, cudaSurfaceBoundaryMode mode,
                    Place place) {
    const Image &image = reinterpret_cast<const Surface *>(object)->array->image;
    expect(image, access, place);
    if (bytes.x % int(bytes.count))
        wrong(cudaErrorMisalignedAddress, access.function, place, "x: expected a multiple of %zu bytes, got %d", bytes.count,
              bytes.x);
    const int64_t given[] = {bytes.x, bytes.y, bytes.z};
    const int64_t most[] = {int64_t(image.pitch - bytes.count), int64_t(image.size.height) - 1, int64_t(image.size.depth) - 1};
    int64_t at[3];
    for (int i = 0; i < 3; i++) {
        at[i] = std::clamp<int64_t>(given[i], 0, std::max<int64_t>(most[i], 0));
        if (at[i] == given[i] || mode == cudaBoundaryModeClamp) continue;
        if (mode == cudaBoundaryModeZero) return nullptr;
        wrong(cudaErrorLaunchFailure, access.function, place, "%s: expected at most %lld, got %lld",
              i == 0 ? "x" : i == 1 ? "y" : access.layered ? "layer" : "z", (long long)most[i], (long long)given[i]);
    }
    return image.memory + at[2] * int64_t(image.slice) + at[1] * int64_t(image.pitch) + at[0];
}

}  // namespace cuda_on_cpu

using namespace cuda_on_cpu;

extern "C" {
#define API CUDA_ON_CPU_EXPORT cudaError_t
API cudaCreateTextureObject(cudaTextureObject_t *to, const cudaResourceDesc *resource, const cudaTextureDesc *how,
                            const cudaResourceViewDesc *view) {
    if (const cudaError_t error = initialize()) return error;
    if (!to || !resource || !how || !is_mode(*how)) return record(cudaErrorInvalidValue);
    if (view && view->format != cudaResViewFormatNone) return refuse("textures with a view");
    if (how->sRGB) return refuse("textures in sRGB");
    Texture made{{}, *how, *resource};
    if (const cudaError_t error = image_of(*resource, &made.image)) return error;
    const Channels &channels = made.image.channels;
    const bool of_float = channels.kind == cudaChannelFormatKindFloat;
    const bool normalized = how->readMode == cudaReadModeNormalizedFloat && !of_float;
    if (normalized && channels.bits == 32) return record(cudaErrorInvalidNormSetting);
    if (how->filterMode == cudaFilterModeLinear && made.image.dimensions && !of_float && !normalized)
        return record(cudaErrorInvalidFilterSetting);
    if (!how->normalizedCoords)
        for (cudaTextureAddressMode &mode : made.how.addressMode)
            if (mode != cudaAddressModeBorder) mode = cudaAddressModeClamp;
    return give(to, reinterpret_cast<uintptr_t>(textures.add(made)));
}
API cudaDestroyTextureObject(cudaTextureObject_t object) {
    return object ? textures.destroy(reinterpret_cast<Texture *>(object)) : cudaSuccess;
}
API cudaGetTextureObjectResourceDesc(cudaResourceDesc *to, cudaTextureObject_t object) {
    auto *texture = reinterpret_cast<Texture *>(object);
    return textures.has(texture) ? give(to, texture->resource) : record(cudaErrorInvalidResourceHandle);
}
API cudaGetTextureObjectTextureDesc(cudaTextureDesc *to, cudaTextureObject_t object) {
    auto *texture = reinterpret_cast<Texture *>(object);
    return textures.has(texture) ? give(to, texture->how) : record(cudaErrorInvalidResourceHandle);
}

API cudaCreateSurfaceObject(cudaSurfaceObject_t *to, const cudaResourceDesc *resource) {
    if (const cudaError_t error = initialize()) return error;
    if (!to || !resource || resource->resType != cudaResourceTypeArray) return record(cudaErrorInvalidValue);
    const cudaArray_t array = resource->res.array.array;
    if (!is_array(array)) return record(cudaErrorInvalidResourceHandle);
    if (!(array->flags & cudaArraySurfaceLoadStore)) return record(cudaErrorInvalidValue);
    return give(to, reinterpret_cast<uintptr_t>(surfaces.add({array, *resource})));
}
API cudaDestroySurfaceObject(cudaSurfaceObject_t object) {
    return object ? surfaces.destroy(reinterpret_cast<Surface *>(object)) : cudaSuccess;
}
API cudaGetSurfaceObjectResourceDesc(cudaResourceDesc *to, cudaSurfaceObject_t object) {
    auto *surface = reinterpret_cast<Surface *>(object);
    return surfaces.has(surface) ? give(to, surface->resource) : record(cudaErrorInvalidResourceHandle);
}
}
