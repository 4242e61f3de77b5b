// c_api/thc/memory/transfer.cpp: bytes between the host and the GPU.
#include "thc/runtime/launch.h"

namespace th {

void upload(void *device, const void *host, size_t bytes) {
    if (!bytes) return;
    CUDA_CHECK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, current_stream()));
    synchronize();
}

void download(void *host, const void *device, size_t bytes) {
    if (!bytes) return;
    CUDA_CHECK(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, current_stream()));
    synchronize();
}

}  // namespace th
