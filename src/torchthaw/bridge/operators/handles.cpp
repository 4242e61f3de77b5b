/* operators/handles.cpp: memory, copies and devices from PyTorch. */
#include "handles.h"

#include "bridge/bridge.h"

#include <stdexcept>
#include <string>

namespace bridge {

namespace {

/* What is done meanwhile is no part of a graph. */
class NoGrad {
public:
    NoGrad() : was_enabled_(shim.aoti_torch_grad_mode_is_enabled()) { shim.aoti_torch_grad_mode_set_enabled(false); }
    ~NoGrad() { shim.aoti_torch_grad_mode_set_enabled(was_enabled_); }
    NoGrad(const NoGrad &) = delete;

private:
    const bool was_enabled_;
};

}  // namespace

void throw_shim_error(const char *parameter, const char *what) {
    std::string text = std::string(parameter) + ": " + what;
    const auto reason = shim.torch_exception_get_what_without_backtrace;
    const char *said = reason == nullptr ? nullptr : reason();
    if (said != nullptr && *said != '\0') text += std::string(": ") + said;
    throw std::runtime_error(text);
}

Handle allocate(const int64_t *size, int64_t dimensions, int32_t dtype, int32_t device_type, int32_t device_index,
                const char *parameter) {
    int64_t stride[THAW_MAX_DIMENSIONS], next = 1;
    for (int64_t i = dimensions; i-- > 0;) {
        stride[i] = next;
        next *= size[i] > 1 ? size[i] : 1; /* as torch.empty does where a size is 0 */
    }
    TensorObject *tensor;
    if (shim.aoti_torch_empty_strided(dimensions, size, stride, dtype, device_type, device_index, &tensor) != 0) {
        throw_shim_error(parameter, "PyTorch gives no memory");
    }
    return Handle(tensor);
}

void copy(TensorObject *to, TensorObject *from, const char *parameter) {
    const NoGrad meanwhile;
    if (shim.aoti_torch_copy_(to, from, 0) != 0) throw_shim_error(parameter, "PyTorch does not copy it");
}

void begin_writing(TensorObject *tensor, const char *parameter) {
    /* A tensor copied onto itself: PyTorch takes all steps of a write, but moves no element. */
    if (shim.aoti_torch_copy_(tensor, tensor, 0) != 0) throw_shim_error(parameter, "PyTorch refuses the write");
}

OnCudaDevice::OnCudaDevice(int32_t device) {
    if (shim.aoti_torch_create_cuda_guard(device, &guard_) != 0) throw_shim_error("device", "PyTorch refuses it");
    if (shim.aoti_torch_get_current_cuda_stream(device, &stream_) == 0) return;
    shim.aoti_torch_delete_cuda_guard(guard_);
    throw_shim_error("stream", "PyTorch gives none");
}

OnCudaDevice::~OnCudaDevice() { shim.aoti_torch_delete_cuda_guard(guard_); }

}  // namespace bridge
