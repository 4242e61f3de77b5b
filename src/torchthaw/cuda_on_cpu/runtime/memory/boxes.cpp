// cuda_on_cpu/runtime/memory/boxes.cpp: what a copy and cudaMemset do, and cudaMalloc3D.
#include "memory/boxes.h"

#include "errors.h"

#include <cuda_on_cpu/access.h>

#include <cstring>

namespace cuda_on_cpu {
namespace {

bool is_empty(const cudaExtent &size) { return !size.width || !size.height || !size.depth; }

// The bytes from a box's first one to its last one; false if there are more than addresses.
bool span(const Box &box, const cudaExtent &size, size_t *bytes) {
    size_t plane;
    return extent(box.pitch, size.width, size.height, &plane) && extent(box.slice, plane, size.depth, bytes);
}
// The error of a box with rows or planes that overlap, or with memory that is not its own.
cudaError_t check(const char *what, const Box &box, const cudaExtent &size) {
    if (size.width > box.pitch && (size.height > 1 || size.depth > 1)) return record(cudaErrorInvalidPitchValue);
    size_t rows, bytes;
    if (size.depth > 1 && (!extent(box.pitch, size.width, size.height, &rows) || rows > box.slice))
        return record(cudaErrorInvalidValue);
    return span(box, size, &bytes) && fits(what, box.first, bytes, box.side) ? cudaSuccess : record(cudaErrorInvalidValue);
}
char *row(const Box &box, size_t y, size_t z) { return box.first + z * box.slice + y * box.pitch; }

}  // namespace

cudaError_t set_box(const Box &box, int value, const cudaExtent &size) {
    if (const cudaError_t error = initialize()) return error;
    if (is_empty(size)) return record(cudaSuccess);
    if (const cudaError_t error = check("the target of cudaMemset", box, size)) return error;
    const Access access;
    for (size_t z = 0; z < size.depth; z++)
        for (size_t y = 0; y < size.height; y++) std::memset(row(box, y, z), value, size.width);
    return record(cudaSuccess);
}

cudaError_t copy_box(const Box &to, const Box &from, const cudaExtent &size) {
    if (is_empty(size)) return record(cudaSuccess);
    if (const cudaError_t error = check("the target of a copy", to, size)) return error;
    if (const cudaError_t error = check("the source of a copy", from, size)) return error;
    const Access access;
    for (size_t z = 0; z < size.depth; z++)
        for (size_t y = 0; y < size.height; y++) std::memmove(row(to, y, z), row(from, y, z), size.width);
    return record(cudaSuccess);
}

}  // namespace cuda_on_cpu

using namespace cuda_on_cpu;

extern "C" {
#define API CUDA_ON_CPU_EXPORT cudaError_t
API cudaMalloc3D(cudaPitchedPtr *memory, cudaExtent size) {
    if (!memory) return record(cudaErrorInvalidValue);
    *memory = {nullptr, 0, size.width, size.height};
    size_t rows;
    if (__builtin_mul_overflow(size.height, size.depth, &rows)) return record(cudaErrorMemoryAllocation);
    return cudaMallocPitch(&memory->ptr, &memory->pitch, size.width, rows);
}
API cudaMemset3D(cudaPitchedPtr memory, int value, cudaExtent size) {
    const size_t slice = memory.pitch * memory.ysize;
    return set_box({static_cast<char *>(memory.ptr), memory.pitch, slice, Side::device}, value, size);
}
API cudaMemset3DAsync(cudaPitchedPtr memory, int value, cudaExtent size, cudaStream_t) {
    return cudaMemset3D(memory, value, size);
}
}
