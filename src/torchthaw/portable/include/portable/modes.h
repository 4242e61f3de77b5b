// portable/modes.h: guards: no gradients, inference, devices.
#pragma once
#include "tensor.h"

namespace c10 {

struct GradMode {
    static bool is_enabled() { return torchthaw::pytorch.grad_mode(); }
    static void set_enabled(bool enabled) { torchthaw::pytorch.set_grad_mode(enabled); }
};

/// Switches gradients on or off until it is destroyed.
class AutoGradMode {
  public:
    explicit AutoGradMode(bool enabled) : before_(GradMode::is_enabled()) { GradMode::set_enabled(enabled); }
    ~AutoGradMode() { GradMode::set_enabled(before_); }
    AutoGradMode(const AutoGradMode &) = delete;
    AutoGradMode &operator=(const AutoGradMode &) = delete;

  private:
    bool before_;
};
struct NoGradGuard : AutoGradMode {
    NoGradGuard() : AutoGradMode(false) {}
};

/// torch.inference_mode of Python until it is destroyed.
class InferenceMode {
  public:
    explicit InferenceMode(bool enabled = true);
    ~InferenceMode();
    InferenceMode(const InferenceMode &) = delete;
    InferenceMode &operator=(const InferenceMode &) = delete;
    static bool is_enabled();

  private:
    void *context_;
};

/// The current device of CUDA; nothing for one of the CPU.
class DeviceGuard {
  public:
    explicit DeviceGuard(Device device);
    ~DeviceGuard();
    DeviceGuard(const DeviceGuard &) = delete;
    DeviceGuard &operator=(const DeviceGuard &) = delete;

  private:
    void *context_ = nullptr;
};
class OptionalDeviceGuard {
  public:
    OptionalDeviceGuard() = default;
    explicit OptionalDeviceGuard(std::optional<Device> device) {
        if (device) guard_.emplace(*device);
    }
    void reset_device(Device device) { guard_.emplace(device); }

  private:
    std::optional<DeviceGuard> guard_;
};

}  // namespace c10

namespace at {

/// Leaves the kernels of autograd out, on this thread until it is destroyed: a kernel of the key Autograd calls its
/// operator's other kernel so. c10::Error where torch._C lacks its guard.
class AutoDispatchBelowAutograd {
  public:
    AutoDispatchBelowAutograd() : AutoDispatchBelowAutograd(false) {}
    ~AutoDispatchBelowAutograd();
    AutoDispatchBelowAutograd(const AutoDispatchBelowAutograd &) = delete;
    AutoDispatchBelowAutograd &operator=(const AutoDispatchBelowAutograd &) = delete;

  protected:
    explicit AutoDispatchBelowAutograd(bool views);  // those that count versions and make views too

  private:
    void *context_;
};
struct AutoDispatchBelowADInplaceOrView : AutoDispatchBelowAutograd {
    AutoDispatchBelowADInplaceOrView() : AutoDispatchBelowAutograd(true) {}
};
struct AutoNonVariableTypeMode : AutoDispatchBelowAutograd {
    explicit AutoNonVariableTypeMode(bool enabled = true) { TORCH_CHECK(enabled, "AutoNonVariableTypeMode: expected true, got false"); }
};

inline std::optional<Device> device_of(const Tensor &tensor) {
    return tensor.defined() ? std::optional<Device>(tensor.device()) : std::nullopt;
}
}  // namespace at
