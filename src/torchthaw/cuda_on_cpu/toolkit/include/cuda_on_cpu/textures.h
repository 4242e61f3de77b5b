// cuda_on_cpu/textures.h: tex1Dfetch, which reads linear memory as it is. Other textures are not served: they filter.
#pragma once

#include <cuda_on_cpu/runtime.h>

namespace cuda_on_cpu {
struct LinearTexture {
    const void *memory;
    size_t bytes;
};
}  // namespace cuda_on_cpu

template <typename T> T tex1Dfetch(cudaTextureObject_t texture, int i) {
    const auto &linear = *reinterpret_cast<const cuda_on_cpu::LinearTexture *>(texture);
    return i >= 0 && size_t(i) < linear.bytes / sizeof(T) ? static_cast<const T *>(linear.memory)[i] : T();
}
template <typename T> void tex1Dfetch(T *value, cudaTextureObject_t texture, int i) { *value = tex1Dfetch<T>(texture, i); }
