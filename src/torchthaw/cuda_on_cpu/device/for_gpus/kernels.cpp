/* kernels.cpp: a PyTorch built for CUDA has kernels of its own for GPUs. call_on_cpu computes their operators instead. */
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/native/transformers/attention.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/util/Exception.h>

#include <vector>

#include "../fallback.h"

/* Libraries for the device of PyTorch's own have it; no header does. */
namespace c10::cuda::_internal {
void setHasPrimaryContext(bool (*function)(c10::DeviceIndex));
}

namespace cuda_on_cpu {

namespace {

/* Of these tensors PyTorch for CPUs has none on CUDA either. */
constexpr c10::DispatchKey UNSERVED[] = {
    c10::DispatchKey::SparseCUDA,
    c10::DispatchKey::SparseCsrCUDA,
    c10::DispatchKey::QuantizedCUDA,
    c10::DispatchKey::NestedTensorCUDA,
};

void refuse(const c10::OperatorHandle &operation, c10::DispatchKeySet keys, c10::Stack *) {
    TORCH_CHECK_NOT_IMPLEMENTED(false, "Could not run '", operation.schema().operator_name(),
                                "' with arguments from the '", keys.highestPriorityTypeId(),
                                "' backend, which TORCHTHAW_CUDA=cpu does not have");
}

struct Silent final : c10::WarningHandler {
    void process(const c10::Warning &) override {}
};

void replace_all(c10::DispatchKey key, const c10::KernelFunction &kernel) {
    auto &dispatcher = c10::Dispatcher::singleton();
    /* For ever: the end of a registration brings the kernel before it back. */
    static auto &kept = *new std::vector<c10::RegistrationHandleRAII>;
    for (const c10::OperatorName &name : dispatcher.getRegistrationsForDispatchKey(key)) {
        if (name.name.compare(0, 6, "c10d::") == 0) continue; /* torch.distributed calls libraries, such as Gloo, here */
        kept.push_back(dispatcher.registerImpl(name, key, kernel, std::nullopt, nullptr, "torchthaw"));
    }
}

struct Replacement {
    Replacement() {
        Silent silent; /* PyTorch warns once for all kernels that replace another one */
        const c10::WarningUtils::WarningHandlerGuard guard(&silent);
        replace_all(c10::DispatchKey::CUDA, c10::KernelFunction::makeFromBoxedFunction<&call_on_cpu>());
        for (const c10::DispatchKey key : UNSERVED) {
            replace_all(key, c10::KernelFunction::makeFromBoxedFunction<&refuse>());
        }
        c10::cuda::_internal::setHasPrimaryContext([](c10::DeviceIndex) { return true; }); /* PyTorch's asks the driver */
    }
};

/* Before the other objects of this library: what operators.cpp registers later comes before this. */
[[gnu::init_priority(1000)]] const Replacement replacement;

}  // namespace

}  // namespace cuda_on_cpu

namespace at::native {

/* Attention asks for the kernel to choose without the dispatcher. */
static int64_t choose_attention(const Tensor &, const Tensor &, const Tensor &, const std::optional<Tensor> &, double,
                                bool, std::optional<double>, bool) {
    return 0;
}
REGISTER_CUDA_DISPATCH(_fused_sdp_choice_stub, &choose_attention)

}  // namespace at::native
