// c_api/thc/runtime/launch.h: kernels on the current stream of the current device. Nothing is launched for 0 elements.
#pragma once

#include "thc/math/bodies.h"
#include "thc/runtime/device.h"
#include "thc/runtime/types.h"

namespace th {

template <typename T> Elements<T> elements(const Tensor<T> *t) {
    TH_CHECK(t->nDimension <= most_dimensions, "expected at most %d dimensions, got %d", most_dimensions,
             t->nDimension);
    return {t->data(), t->nDimension, t->size, t->stride};
}

template <typename T> void launch_fill(const Elements<T> &out, int64_t n, T value);
template <typename To, typename From> void launch_copy(const Elements<To> &out, const Elements<From> &in, int64_t n);
template <typename T> void launch_add_scaled(const AddScaled<T> &body, int64_t n);
template <typename T> void launch_addresses(const Addresses<T> &body, int64_t n);  // float, double
template <typename T> void launch_bernoulli(const Bernoulli<T> &body, int64_t n);
template <typename T>
void launch_scatter_add(const ScatterPlace<T> &target, const Elements<int64_t> &index, const Elements<T> &source,
                        int64_t n);

// Both wait for the stream.
template <typename T> CudaAccumulate<T> launch_sum(const Elements<T> &in, int64_t n);
template <typename T>
CudaAccumulate<T> launch_power_sum(const Elements<T> &in, int64_t n, CudaAccumulate<T> p);

// Between the host and the GPU; each waits.
void upload(void *device, const void *host, size_t bytes);
void download(void *host, const void *device, size_t bytes);
template <typename T> void store(T *device, T value) { upload(device, &value, sizeof(T)); }
template <typename T> T load(const T *device) {
    T value;
    download(&value, device, sizeof(T));
    return value;
}

}  // namespace th
