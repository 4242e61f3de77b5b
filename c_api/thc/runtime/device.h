// c_api/thc/runtime/device.h: the current device, its stream and its memory.
#pragma once

#include "thc/runtime/errors.h"

#include <cstddef>

namespace th {

int current_device();
int device_count();
void check_device(int device);  // an Error unless there is such a one

// Whether kernels of `device` may be given memory of `other`: the program allows it, and the cards can.
bool kernels_reach(int device, int other);

cudaStream_t current_stream();
cudaStream_t current_stream(int device);
void synchronize();

// On the current device, for its current stream; NULL for 0 bytes. Errors: "out of memory", no card.
void *allocate_on_device(size_t bytes);
void *allocate_on_device(size_t bytes, cudaStream_t stream);  // for this one
void release_on_device(void *memory);

// Makes a device the current one until the end of the block; -1 leaves it.
class OnDevice {
public:
    explicit OnDevice(int device);
    ~OnDevice();
    OnDevice(const OnDevice &) = delete;

private:
    int before_ = -1;
};

// Memory that goes back on every way out.
class DeviceBuffer {
public:
    explicit DeviceBuffer(size_t bytes) : memory_(allocate_on_device(bytes)) {}
    ~DeviceBuffer() { release_on_device(memory_); }
    DeviceBuffer(const DeviceBuffer &) = delete;
    template <typename T> T *get() const { return static_cast<T *>(memory_); }

private:
    void *memory_;
};

}  // namespace th
