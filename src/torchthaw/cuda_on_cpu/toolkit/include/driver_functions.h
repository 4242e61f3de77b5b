/* driver_functions.h: make_cudaExtent and its like. */
#ifndef CUDA_ON_CPU_DRIVER_FUNCTIONS_H
#define CUDA_ON_CPU_DRIVER_FUNCTIONS_H

#include <driver_types.h>

static inline struct cudaPitchedPtr make_cudaPitchedPtr(void *memory, size_t pitch, size_t width, size_t height) {
  struct cudaPitchedPtr made = {memory, pitch, width, height};
  return made;
}
static inline struct cudaPos make_cudaPos(size_t x, size_t y, size_t z) {
  struct cudaPos made = {x, y, z};
  return made;
}
static inline struct cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) {
  struct cudaExtent made = {width, height, depth};
  return made;
}

#endif
