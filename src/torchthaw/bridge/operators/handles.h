/* operators/handles.h: PyTorch's tensors as C++ values, and what PyTorch does with them for a kernel. */
#pragma once

#include "shim.h"

#include <utility>

namespace bridge {

/* A tensor that somebody here owns, or none. */
class Handle {
public:
    Handle() = default;
    explicit Handle(TensorObject *owned) : tensor_(owned) {}
    Handle(Handle &&other) noexcept : tensor_(other.release()) {}
    ~Handle() {
        if (tensor_ != nullptr) shim.aoti_torch_delete_tensor_object(tensor_);
    }

    Handle &operator=(Handle &&other) noexcept {
        std::swap(tensor_, other.tensor_);
        return *this;
    }

    operator TensorObject *() const { return tensor_; }
    TensorObject *release() { return std::exchange(tensor_, nullptr); }

private:
    TensorObject *tensor_ = nullptr;
};

struct Layout {
    int32_t dtype, device_type;
    int32_t device_index = 0; /* of a GPU */
    int64_t dimensions;
    int64_t *size; /* the tensor's own */
    int64_t count; /* of elements */
    bool contiguous;
};

/* Throws what PyTorch said of a call that failed: "output: <what>: ...". */
[[noreturn]] void throw_shim_error(const char *parameter, const char *what);

inline Layout layout_of(TensorObject *tensor, const char *parameter) {
    Layout layout;
    const bool failed = shim.aoti_torch_get_dtype(tensor, &layout.dtype) != 0 ||
                        shim.aoti_torch_get_device_type(tensor, &layout.device_type) != 0 ||
                        shim.aoti_torch_get_dim(tensor, &layout.dimensions) != 0 ||
                        shim.aoti_torch_get_sizes(tensor, &layout.size) != 0 ||
                        shim.aoti_torch_is_contiguous(tensor, &layout.contiguous) != 0 ||
                        (layout.device_type != shim.cpu &&
                         shim.aoti_torch_get_device_index(tensor, &layout.device_index) != 0);
    if (failed) throw_shim_error(parameter, "its shape cannot be read");
    layout.count = 1;
    for (int64_t i = 0; i < layout.dimensions; ++i) layout.count *= layout.size[i];
    return layout;
}

/* New memory of a shape, row-major. */
Handle allocate(const int64_t *size, int64_t dimensions, int32_t dtype, int32_t device_type, int32_t device_index,
                const char *parameter);

/* The values of `from`, whatever its strides, go to `to`, whose version counter moves; autograd does not notice. */
void copy(TensorObject *to, TensorObject *from, const char *parameter);

/* Moves the version counter of a tensor that is about to be written, as PyTorch's own operators do, and refuses what
 * autograd does not allow to be written. */
void begin_writing(TensorObject *tensor, const char *parameter);

/* The kernel's device and stream. */
class OnCudaDevice {
public:
    explicit OnCudaDevice(int32_t device);
    ~OnCudaDevice();
    OnCudaDevice(const OnCudaDevice &) = delete;

    void *stream() const { return stream_; } /* PyTorch's current one */

private:
    CudaGuardObject *guard_ = nullptr;
    void *stream_ = nullptr;
};

}  // namespace bridge
