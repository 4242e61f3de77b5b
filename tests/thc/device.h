// tests/thc/device.h: what libthc's tests ask of devices: of GPUs, or of tests/support/cuda_recorder, which can tell more.
#pragma once

#include <cuda_runtime.h>

#if defined(CUDA_RECORDER)
#include "../support/cuda_recorder/recorder.h"
#endif

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

inline void require(cudaError_t status) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(status));
    std::exit(1);
}

inline int device_count() {
    int count = 0;
    require(cudaGetDeviceCount(&count));
    return count;
}
inline void use_device(int device) { require(cudaSetDevice(device)); }
inline int device_in_use() {
    int device = -1;
    require(cudaGetDevice(&device));
    return device;
}

// Whether there is a second device; where not, says that the test of this name is left out.
inline bool several_devices(const char *test) {
    if (device_count() > 1) return true;
    std::printf("%s: left out, one device\n", test);
    return false;
}

// What libthc says of a failure of CUDA, without the advice that it adds to some.
inline std::string cuda_error(cudaError_t code) {
    return "cuda runtime error (" + std::to_string(int(code)) + ") : " + cudaGetErrorString(code);
}

// An array on the current device, which libthc knows nothing of.
template <typename T> class device_values {
public:
    explicit device_values(const std::vector<T> &values) : count_(values.size()) {
        require(cudaMallocAsync(reinterpret_cast<void **>(&data_), count_ * sizeof(T), nullptr));
        require(cudaMemcpyAsync(data_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice, nullptr));
        require(cudaStreamSynchronize(nullptr));
    }
    device_values(const device_values &) = delete;
    ~device_values() { cudaFreeAsync(data_, nullptr); }
    T *data() { return data_; }
    std::vector<T> values() const {
        std::vector<T> values(count_);
        require(cudaMemcpyAsync(values.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost, nullptr));
        require(cudaStreamSynchronize(nullptr));
        return values;
    }

private:
    size_t count_;
    T *data_ = nullptr;
};

#if defined(CUDA_RECORDER)
inline cudaStream_t stream_number(int n) { return reinterpret_cast<cudaStream_t>(intptr_t(n)); }

// How often the host has waited for a device, where that is counted.
inline int waits() { return recorder::memory.waits; }

// Whether what CUDA has allocated, and not taken back, is so much.
inline bool holds(size_t bytes) { return recorder::memory.bytes == bytes; }
#else
inline cudaStream_t stream_number(int n) {
    static std::map<int, cudaStream_t> streams;
    cudaStream_t &stream = streams[n];
    if (!stream) require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return stream;
}

inline int waits() { return 0; }

inline bool holds(size_t bytes) {
    constexpr size_t granule = 2 << 20;  // of the pool: more than it adds to a block
    size_t all = 0;
    for (int device = 0; device < device_count(); device++) {
        cudaMemPool_t pool;
        unsigned long long used = 0;
        const int before = device_in_use();
        use_device(device);
        require(cudaDeviceSynchronize());
        use_device(before);
        require(cudaDeviceGetDefaultMemPool(&pool, device));
        require(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
        all += used;
    }
    return bytes == 0 ? all == 0 : all >= bytes && all < bytes + granule;
}
#endif
