// portable/core/memory.h: c10::DataPtr, and memory of PyTorch's CPU allocator.
#pragma once
#include "portable/tensor.h"

namespace c10 {

using DeleterFnPtr = void (*)(void *);

/// Memory and the function that frees it, called with the context.
class DataPtr {
  public:
    DataPtr() = default;
    DataPtr(void *data, Device device) : data_(data), device_(device) {}
    DataPtr(void *data, void *context, DeleterFnPtr deleter, Device device)
        : data_(data), context_(context, deleter ? deleter : [](void *) {}), device_(device) {}
    void *get() const { return data_; }
    void *mutable_get() { return data_; }
    void *get_context() const { return context_.get(); }
    DeleterFnPtr get_deleter() const { return context_.get_deleter(); }
    void *release_context() { return context_.release(); }
    Device device() const { return device_; }
    explicit operator bool() const { return data_ || context_; }
    void clear() {
        context_.reset();
        data_ = nullptr;
    }

  private:
    void *data_ = nullptr;
    std::unique_ptr<void, DeleterFnPtr> context_{nullptr, [](void *) {}};
    Device device_;
};

struct Allocator {
    virtual ~Allocator() = default;
    virtual DataPtr allocate(size_t bytes) = 0;
};
/// Memory that PyTorch allocates for tensors of the CPU.
Allocator *GetCPUAllocator();
inline Allocator *GetDefaultCPUAllocator() { return GetCPUAllocator(); }

}  // namespace c10

namespace at {
using c10::Allocator;
using c10::DataPtr;
inline Allocator *getCPUAllocator() { return c10::GetCPUAllocator(); }
}  // namespace at
