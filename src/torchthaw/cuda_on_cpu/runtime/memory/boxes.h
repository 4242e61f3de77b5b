// cuda_on_cpu/runtime/memory/boxes.h: boxes of bytes, which all copies and cudaMemset are of: rows of a width, planes of a number of rows.
#pragma once

#include "memory/memory.h"

namespace cuda_on_cpu {

// Where one begins: its first byte, and the bytes from a row to the next one and from a plane to the next one.
struct Box {
    char *first;
    size_t pitch, slice;
    Side side;  // what its memory has to be
};
// A width in bytes, a height in rows, a depth in planes. cudaErrorInvalidPitchValue where rows overlap,
// cudaErrorInvalidValue where the memory is too small or of the other side; nothing is copied then.
cudaError_t copy_box(const Box &to, const Box &from, const cudaExtent &);
// Sets each byte; errors as above.
cudaError_t set_box(const Box &, int value, const cudaExtent &);

}  // namespace cuda_on_cpu
