// cuda_on_cpu/runtime/memory/arrays.cpp: arrays, and copies from and to them.
#include "memory/arrays.h"

#include "memory/boxes.h"
#include "errors.h"
#include "memory/objects.h"

#include <algorithm>

using namespace cuda_on_cpu;

namespace {

auto &known_arrays = *new Objects<cudaArray>;  // used until the process ends

bool exceeds(const cudaExtent &size, const cudaExtent &most) {
    return size.width > most.width || size.height > most.height || size.depth > most.depth;
}

cudaError_t make(cudaArray_t *to, const cudaChannelFormatDesc *desc, const cudaExtent &given, unsigned flags) {
    if (const cudaError_t error = initialize()) return error;
    if (!to || !desc) return record(cudaErrorInvalidValue);
    if (flags & cudaArrayCubemap) return refuse("arrays for cubes (cudaArrayCubemap)");
    if (flags & ~unsigned(cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayTextureGather))
        return record(cudaErrorInvalidValue);
    cudaArray made{{}, *desc, given, flags};
    Image &image = made.image;
    if (!read_channels(*desc, &image.channels)) return record(cudaErrorInvalidChannelDescriptor);
    image.layered = flags & cudaArrayLayered;
    if (!given.width || (given.depth && !given.height && !image.layered) || (image.layered && !given.depth))
        return record(cudaErrorInvalidValue);
    image.size = {given.width, std::max<size_t>(given.height, 1), std::max<size_t>(given.depth, 1)};
    image.dimensions = given.depth && !image.layered ? 3 : given.height ? 2 : 1;
    const cudaExtent most[] = {most_1d, most_2d, most_3d};
    if (exceeds(image.size, image.layered ? most_layered : most[image.dimensions - 1])) return record(cudaErrorInvalidValue);
    image.pitch = image.size.width * image.channels.bytes();
    image.slice = image.size.height * image.pitch;
    image.bytes = image.size.depth * image.slice;  // of the limits above no product is too large
    void *memory;
    if (const cudaError_t error = cudaMalloc(&memory, image.bytes)) return error;
    image.memory = static_cast<char *>(memory);
    return give(to, known_arrays.add(made));
}

// The place (x, y, 0) of an array for a copy of width bytes and height rows; false if that leaves the array.
bool part(cudaArray_const_t array, size_t x, size_t y, size_t width, size_t height, Box *box) {
    const Image &image = array->image;
    if (x > image.pitch || width > image.pitch - x || y > image.size.height || height > image.size.height - y) return false;
    *box = {image.memory + y * image.pitch + x, image.pitch, image.slice, Side::device};
    return true;
}
// The same for bytes that go on in the next row: all of them are one row.
bool stretch(cudaArray_const_t array, size_t x, size_t y, size_t bytes, Box *box) {
    const Image &image = array->image;
    if (x > image.pitch || y > image.size.height) return false;
    const size_t begin = y * image.pitch + x;
    *box = {image.memory + begin, bytes, bytes, Side::device};
    return begin <= image.slice && bytes <= image.slice - begin;
}

enum class Direction { to_array, from_array, between };
// What a copy of a direction asks of its array and kind first; the side of memory that is no array's.
cudaError_t check(cudaArray_const_t array, int kind, Direction direction, Side *other) {
    if (const cudaError_t error = initialize()) return error;
    if (!array) return record(cudaErrorInvalidValue);
    if (!is_array(array)) return record(cudaErrorInvalidResourceHandle);
    Side to = Side::any, from = Side::any;
    if (!sides_of(kind, &to, &from)) return record(cudaErrorInvalidMemcpyDirection);
    if (direction != Direction::from_array && to == Side::host) return record(cudaErrorInvalidMemcpyDirection);
    if (direction != Direction::to_array && from == Side::host) return record(cudaErrorInvalidMemcpyDirection);
    *other = direction == Direction::to_array ? from : to;
    return cudaSuccess;
}
Box memory_at(const void *memory, size_t pitch, Side side) {
    return {static_cast<char *>(const_cast<void *>(memory)), pitch, pitch, side};
}

cudaError_t copy_rows(cudaArray_const_t array, size_t x, size_t y, const void *memory, size_t pitch, size_t width,
                      size_t height, int kind, Direction direction) {
    Side side = Side::any;
    if (const cudaError_t error = check(array, kind, direction, &side)) return error;
    Box inside;
    if (width > pitch) return record(cudaErrorInvalidPitchValue);
    if (!part(array, x, y, width, height, &inside)) return record(cudaErrorInvalidValue);
    const Box other = memory_at(memory, pitch, side);
    const bool to_array = direction == Direction::to_array;
    return copy_box(to_array ? inside : other, to_array ? other : inside, {width, height, 1});
}
cudaError_t copy_stretch(cudaArray_const_t array, size_t x, size_t y, const void *memory, size_t bytes, int kind,
                         Direction direction) {
    Side side = Side::any;
    if (const cudaError_t error = check(array, kind, direction, &side)) return error;
    Box inside;
    if (!stretch(array, x, y, bytes, &inside)) return record(cudaErrorInvalidValue);
    const Box other = memory_at(memory, bytes, side);
    const bool to_array = direction == Direction::to_array;
    return copy_box(to_array ? inside : other, to_array ? other : inside, {bytes, 1, 1});
}

// One end of cudaMemcpy3D. `element`: the bytes that one of extent.width has.
cudaError_t end_of(cudaArray_t array, const cudaPos &at, const cudaPitchedPtr &memory, const cudaExtent &size,
                   size_t element, Side side, Box *box) {
    size_t width;
    if (!array == !memory.ptr || __builtin_mul_overflow(size.width, element, &width)) return record(cudaErrorInvalidValue);
    if (array) {
        const Image &image = array->image;
        size_t x;
        if (side == Side::host) return record(cudaErrorInvalidMemcpyDirection);
        if (__builtin_mul_overflow(at.x, image.channels.bytes(), &x) || !part(array, x, at.y, width, size.height, box) ||
            at.z > image.size.depth || size.depth > image.size.depth - at.z)
            return record(cudaErrorInvalidValue);
        box->first += at.z * image.slice;
        return cudaSuccess;
    }
    if (at.x > memory.pitch || width > memory.pitch - at.x) return record(cudaErrorInvalidPitchValue);
    const bool planes = size.depth > 1 || at.z;
    size_t slice, before;
    if (planes && (at.y > memory.ysize || size.height > memory.ysize - at.y)) return record(cudaErrorInvalidValue);
    if (__builtin_mul_overflow(memory.pitch, memory.ysize, &slice) || __builtin_mul_overflow(slice, at.z, &before) ||
        __builtin_mul_overflow(memory.pitch, at.y, &width) || __builtin_add_overflow(before, width, &before) ||
        __builtin_add_overflow(before, at.x, &before))
        return record(cudaErrorInvalidValue);
    *box = {static_cast<char *>(memory.ptr) + before, memory.pitch, slice, side};
    return cudaSuccess;
}

cudaError_t copy_3d(const cudaMemcpy3DParms *how) {
    if (const cudaError_t error = initialize()) return error;
    if (!how) return record(cudaErrorInvalidValue);
    for (const cudaArray_t array : {how->srcArray, how->dstArray})
        if (array && !is_array(array)) return record(cudaErrorInvalidResourceHandle);
    const size_t from_element = how->srcArray ? how->srcArray->image.channels.bytes() : 0;
    const size_t to_element = how->dstArray ? how->dstArray->image.channels.bytes() : 0;
    if (from_element && to_element && from_element != to_element) return record(cudaErrorInvalidValue);
    const size_t element = std::max({size_t(1), from_element, to_element});
    Side to_side, from_side;
    if (!sides_of(how->kind, &to_side, &from_side)) return record(cudaErrorInvalidMemcpyDirection);
    Box to, from;
    if (const cudaError_t error = end_of(how->dstArray, how->dstPos, how->dstPtr, how->extent, element, to_side, &to))
        return error;
    if (const cudaError_t error = end_of(how->srcArray, how->srcPos, how->srcPtr, how->extent, element, from_side, &from))
        return error;
    return copy_box(to, from, {how->extent.width * element, how->extent.height, how->extent.depth});
}

}  // namespace

bool cuda_on_cpu::is_array(cudaArray_const_t array) { return known_arrays.has(const_cast<cudaArray_t>(array)); }

extern "C" {
#define API CUDA_ON_CPU_EXPORT cudaError_t
API cudaMallocArray(cudaArray_t *array, const cudaChannelFormatDesc *desc, size_t width, size_t height, unsigned flags) {
    if (flags & cudaArrayLayered) return record(cudaErrorInvalidValue);  // only cudaMalloc3DArray has layers
    return make(array, desc, {width, height, 0}, flags);
}
API cudaMalloc3DArray(cudaArray_t *array, const cudaChannelFormatDesc *desc, cudaExtent extent, unsigned flags) {
    return make(array, desc, extent, flags);
}
API cudaFreeArray(cudaArray_t array) {
    if (const cudaError_t error = initialize()) return error;
    if (!array) return cudaSuccess;
    if (!is_array(array)) return record(cudaErrorInvalidResourceHandle);
    cudaFree(array->image.memory);
    return known_arrays.destroy(array);
}
API cudaArrayGetInfo(cudaChannelFormatDesc *desc, cudaExtent *extent, unsigned *flags, cudaArray_t array) {
    if (!is_array(array)) return record(array ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue);
    if (desc) *desc = array->desc;
    if (extent) *extent = array->extent;
    if (flags) *flags = array->flags;
    return cudaSuccess;
}
API cudaGetChannelDesc(cudaChannelFormatDesc *desc, cudaArray_const_t array) {
    if (!is_array(array)) return record(array ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue);
    return give(desc, array->desc);
}

API cudaMemcpy3D(const cudaMemcpy3DParms *how) { return copy_3d(how); }
API cudaMemcpy3DAsync(const cudaMemcpy3DParms *how, cudaStream_t) { return copy_3d(how); }
API cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t from_pitch, size_t width,
                        size_t height, cudaMemcpyKind kind) {
    return copy_rows(to, x, y, from, from_pitch, width, height, kind, Direction::to_array);
}
API cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t from_pitch, size_t width,
                             size_t height, cudaMemcpyKind kind, cudaStream_t) {
    return copy_rows(to, x, y, from, from_pitch, width, height, kind, Direction::to_array);
}
API cudaMemcpy2DFromArray(void *to, size_t to_pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                          size_t height, cudaMemcpyKind kind) {
    return copy_rows(from, x, y, to, to_pitch, width, height, kind, Direction::from_array);
}
API cudaMemcpy2DFromArrayAsync(void *to, size_t to_pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                               size_t height, cudaMemcpyKind kind, cudaStream_t) {
    return copy_rows(from, x, y, to, to_pitch, width, height, kind, Direction::from_array);
}
API cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x,
                             size_t from_y, size_t width, size_t height, cudaMemcpyKind kind) {
    Side side = Side::any;
    for (const cudaArray_const_t each : {cudaArray_const_t(to), from})
        if (const cudaError_t error = check(each, kind, Direction::between, &side)) return error;
    Box inside, other;
    if (!part(to, to_x, to_y, width, height, &inside) || !part(from, from_x, from_y, width, height, &other))
        return record(cudaErrorInvalidValue);
    return copy_box(inside, other, {width, height, 1});
}
API cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes, cudaMemcpyKind kind) {
    return copy_stretch(to, x, y, from, bytes, kind, Direction::to_array);
}
API cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes, cudaMemcpyKind kind,
                           cudaStream_t) {
    return copy_stretch(to, x, y, from, bytes, kind, Direction::to_array);
}
API cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes, cudaMemcpyKind kind) {
    return copy_stretch(from, x, y, to, bytes, kind, Direction::from_array);
}
API cudaMemcpyFromArrayAsync(void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes, cudaMemcpyKind kind,
                             cudaStream_t) {
    return copy_stretch(from, x, y, to, bytes, kind, Direction::from_array);
}
API cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x,
                           size_t from_y, size_t bytes, cudaMemcpyKind kind) {
    Side side = Side::any;
    for (const cudaArray_const_t each : {cudaArray_const_t(to), from})
        if (const cudaError_t error = check(each, kind, Direction::between, &side)) return error;
    Box inside, other;
    if (!stretch(to, to_x, to_y, bytes, &inside) || !stretch(from, from_x, from_y, bytes, &other))
        return record(cudaErrorInvalidValue);
    return copy_box(inside, other, {bytes, 1, 1});
}
}
