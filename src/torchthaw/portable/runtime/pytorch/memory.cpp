// portable/runtime/pytorch/memory.cpp: memory of tensors for C++.
#include <portable/core/memory.h>
#include <portable/tensors.h>

namespace c10 {
namespace {

struct OfTensors : Allocator {
    DataPtr allocate(size_t bytes) override {
        auto tensor = std::make_unique<at::Tensor>(at::empty(at::IntArrayRef{int64_t(bytes)}, at::TensorOptions(at::kByte)));
        void *data = tensor->data_ptr();
        return {data, tensor.release(), [](void *context) { delete static_cast<at::Tensor *>(context); }, Device(DeviceType::CPU)};
    }
};

}  // namespace

Allocator *GetCPUAllocator() {
    static OfTensors one;
    return &one;
}

}  // namespace c10
