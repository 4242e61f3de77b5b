// cuda_on_cpu/runtime/memory/arrays.h: arrays, which textures and surfaces read: memory of the device that has no address.
#pragma once

#include "memory/images.h"

struct cudaArray {
    cuda_on_cpu::Image image;
    cudaChannelFormatDesc desc;
    cudaExtent extent;  // as it was given
    unsigned flags;
};

namespace cuda_on_cpu {

// Whether an array was made and not freed.
bool is_array(cudaArray_const_t);

}  // namespace cuda_on_cpu
