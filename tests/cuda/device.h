// tests/cuda/device.h: what the tests of the CUDA operators share: arrays on the device, and how two results compare.
//
// The tests run on a GPU, or with CUDA on the CPU, where tests/support/cuda_recorder sees what the library asks for.
#pragma once

#include "../support/check.h"
#include "my_lib_cuda.h"

#include <cuda_runtime.h>

#if defined(CUDA_RECORDER)
#include "../support/cuda_recorder/recorder.h"
#endif

inline void require(cudaError_t status) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(status));
    std::exit(1);
}

template <typename T> class device_memory {
public:
    explicit device_memory(size_t count) {
        require(cudaMalloc(reinterpret_cast<void **>(&data_), count * sizeof(T) + 1));
        require(cudaMemset(data_, 0xa5, count * sizeof(T)));
        require(cudaDeviceSynchronize());
    }
    device_memory(const device_memory &) = delete;
    device_memory &operator=(const device_memory &) = delete;
    ~device_memory() { cudaFree(data_); }
    T *data() { return data_; }
    bool intact() const { return true; }

private:
    T *data_;
};

// The test's stream does not wait for such copies by itself.
template <typename T> void to_device(T *to, const std::vector<T> &from) {
    require(cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
    require(cudaDeviceSynchronize());
}
template <typename T> std::vector<T> from_device(const T *from, size_t count) {
    std::vector<T> values(count);
    require(cudaDeviceSynchronize());
    require(cudaMemcpy(values.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
}

inline void *test_stream() {
    static cudaStream_t stream = [] {
        cudaStream_t made;
        require(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking));
        return made;
    }();
    return stream;
}

// A device of many processors with tensor cores, if there is one: of the recorder the last, which has 40 and compute
// capability 9.0. A GPU has its own number.
inline void use_large_device() {
#if defined(CUDA_RECORDER)
    require(cudaSetDevice(2));
#endif
}

// Everything was enqueued on the test's stream, and nothing anywhere else, as far as that is recorded.
inline bool kept_to_its_stream() {
#if defined(CUDA_RECORDER)
    const auto &streams = recorder::machine.streams;
    return streams.empty() || (streams.size() == 1 && streams.count(test_stream()));
#else
    return true;
#endif
}

// An array on the device, at first bytes of 0xa5. What lies between its end and the next multiple of 16 bytes must not
// be written. Where `shifted`, it begins one element behind such a multiple, so that 16 bytes at a time will not do.
template <typename T> class device_array {
public:
    explicit device_array(size_t count, bool shifted = false)
        : count_(count), offset_(shifted ? 1 : 0), memory_(whole()) {}
    explicit device_array(const std::vector<T> &values, bool shifted = false) : device_array(values.size(), shifted) {
        to_device(memory_.data() + offset_, values);
    }

    T *data() { return memory_.data() + offset_; }
    operator T *() { return data(); }
    size_t size() const { return count_; }
    std::vector<T> values() { return from_device(data(), count_); }
    bool intact() {
        const size_t end = offset_ + count_;
        for (const auto &margin : {from_device(memory_.data(), offset_), from_device(data() + count_, whole() - end)})
            for (const T &element : margin)
                for (size_t i = 0; i < sizeof(T); ++i)
                    if (reinterpret_cast<const unsigned char *>(&element)[i] != 0xa5) return false;
        return memory_.intact();
    }

private:
    static constexpr size_t pack = 16 / sizeof(T);
    size_t whole() const { return (offset_ + count_ + pack - 1) / pack * pack; }

    size_t count_, offset_;
    device_memory<T> memory_;
};

// FOR_CUDA_TYPE(T, my_lib_add_forward): the function of that name on the device, for element type T.
#define FOR_CUDA_TYPE(T, name) (for_type<T>(name##_cuda, name##_f64_cuda))

// Every element within `tolerance` roundings of the largest one.
template <typename T> bool all_close(const std::vector<T> &got, const std::vector<T> &expected, double tolerance) {
    double largest = 1;
    for (const T value : expected)
        if (std::isfinite(value) && std::fabs(value) > largest) largest = std::fabs(static_cast<double>(value));
    if (got.size() != expected.size()) return false;
    for (size_t i = 0; i < got.size(); ++i)
        if (!is_near(got[i], expected[i], largest * tolerance * std::numeric_limits<T>::epsilon())) return false;
    return true;
}
