/* fallback.cpp: implements fallback.h, for every operator of PyTorch that operators.cpp does not compute. */
#include "fallback.h"

#include <c10/util/flat_hash_map.h>
#include <torch/library.h>

#include <string_view>
#include <unordered_set>

#include "aliases.h"
#include "generator.h"
#include "memory.h"

namespace cuda_on_cpu {

namespace {

/* Operators that may mix devices: these copy, or take indices that are on the CPU; their values are on the device. */
const std::unordered_set<std::string_view> MIXED = {
    "aten::copy_", "aten::_index_put_impl_", "aten::index_put_", "aten::index_put", "aten::_unsafe_index_put",
    "aten::index", "aten::_unsafe_index", "aten::_unsafe_masked_index", "aten::_fused_adam_", "aten::_fused_adamw_",
    "aten::_fused_sgd_", "aten::is_set_to",
};

/* PyTorch's own; others have kernels for CUDA or, as on a card, no answer. */
const std::unordered_set<std::string_view> SERVED = {"aten", "prims", "quantized", "torchvision"};

std::string_view space_of(const std::string &name) { return std::string_view(name).substr(0, name.find(':')); }

class Call {
public:
    explicit Call(const c10::OperatorHandle &operation) : schema_(operation.schema()) {}

    void arguments_on_cpu(c10::Stack &stack);
    void results_on_cuda(c10::Stack &stack);

private:
    c10::IValue argument_on_cpu(const c10::Argument &argument, const c10::IValue &value);
    at::Tensor tensor_on_cpu(const c10::Argument &argument, const at::Tensor &tensor);
    void refuse_mixed() const;

    const c10::FunctionSchema &schema_;
    Aliases aliases_;
    bool on_cuda_ = false;
    const c10::Argument *on_host_ = nullptr; /* the first argument that is a tensor of the CPU */
    c10::Device host_ = c10::kCPU;
};

at::Tensor Call::tensor_on_cpu(const c10::Argument &argument, const at::Tensor &tensor) {
    if (!tensor.defined()) return tensor;
    if (tensor.is_cuda()) {
        on_cuda_ = true;
        return aliases_.on_cpu(tensor);
    }
    aliases_.keep(tensor);
    /* PyTorch takes a number of the CPU where CUDA tensors are expected, but does not write to one. */
    const bool is_number = tensor.dim() == 0 && !argument.is_out() &&
                           (argument.alias_info() == nullptr || !argument.alias_info()->isWrite());
    const bool may_mix = MIXED.count(schema_.name()) != 0 && argument.name() != "values";
    if (on_host_ == nullptr && !is_number && !may_mix) {
        on_host_ = &argument;
        host_ = tensor.device();
    }
    return tensor;
}

c10::IValue Call::argument_on_cpu(const c10::Argument &argument, const c10::IValue &value) {
    if (value.isTensor()) return tensor_on_cpu(argument, value.toTensor());
    if (value.isTensorList()) {
        c10::List<at::Tensor> made;
        for (const at::Tensor &each : value.toTensorList()) made.push_back(tensor_on_cpu(argument, each));
        return made;
    }
    if (value.isOptionalTensorList()) {
        c10::List<std::optional<at::Tensor>> made;
        for (const std::optional<at::Tensor> &each : value.toOptionalTensorList()) {
            made.push_back(each.has_value() ? std::optional(tensor_on_cpu(argument, *each)) : std::nullopt);
        }
        return made;
    }
    if (value.isDevice() && value.toDevice().is_cuda()) {
        TORCH_CHECK(value.toDevice().index() <= 0, argument.name(),
                    ": expected cuda:0, the only device under TORCHTHAW_CUDA=cpu, got ", value.toDevice());
        on_cuda_ = true;
        return c10::Device(c10::kCPU);
    }
    if (value.isStorage() && value.toStorage().device().is_cuda()) {
        on_cuda_ = true;
        return aliases_.on_cpu(value.toStorage());
    }
    if (value.isGenerator()) return generator_on_cpu(value.toGenerator());
    if (value.isNone() && argument.type()->kind() == c10::TypeKind::OptionalType &&
        argument.type()->expectRef<c10::OptionalType>().getElementType()->kind() == c10::TypeKind::GeneratorType) {
        return generator_on_cpu(std::nullopt);
    }
    return value;
}

void Call::refuse_mixed() const {
    TORCH_CHECK(!on_cuda_ || on_host_ == nullptr,
                "Expected all tensors to be on the same device, but found at least two devices, ", DEVICE, " and ", host_,
                "! (when checking argument for argument ", on_host_->name(), " in method ", schema_.name(), ")");
}

void Call::arguments_on_cpu(c10::Stack &stack) {
    const auto &arguments = schema_.arguments();
    const size_t first = stack.size() - arguments.size();
    bool is_pinned = false;
    for (size_t at = 0; at < arguments.size(); at++) {
        c10::IValue &value = stack[first + at];
        value = argument_on_cpu(arguments[at], value);
        is_pinned |= value.isBool() && value.toBool() && arguments[at].name() == "pin_memory";
    }
    refuse_mixed();
    TORCH_CHECK(!(is_pinned && on_cuda_), "Only dense CPU tensors can be pinned");
}

void Call::results_on_cuda(c10::Stack &stack) {
    aliases_.carry_back();
    const size_t first = stack.size() - schema_.returns().size();
    for (size_t at = first; at < stack.size(); at++) {
        c10::IValue &value = stack[at];
        if (value.isTensor()) {
            value = aliases_.on_cuda(value.toTensor());
        } else if (value.isTensorList()) {
            c10::List<at::Tensor> made;
            for (const at::Tensor &each : value.toTensorList()) made.push_back(aliases_.on_cuda(each));
            value = std::move(made);
        }
    }
}

}  // namespace

void call_on_cpu(const c10::OperatorHandle &operation, c10::Stack *stack) {
    const std::string &name = operation.schema().name();
    TORCH_CHECK_NOT_IMPLEMENTED(
        SERVED.count(space_of(name)) != 0 && operation.hasComputedKernelForDispatchKey(c10::DispatchKey::CPU),
        "Could not run '", operation.schema().operator_name(), "' with arguments from the 'CUDA' backend: ",
        SERVED.count(space_of(name)) != 0
            ? "PyTorch computes it on GPUs only, and TORCHTHAW_CUDA=cpu has no replacement"
            : "it has no kernel for CUDA");
    Call call(operation);
    call.arguments_on_cpu(*stack);
    {
        const KernelMemory results_are_on_the_device;
        operation.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), stack);
    }
    call.results_on_cuda(*stack);
}

TORCH_LIBRARY_IMPL(_, CUDA, library) { library.fallback(torch::CppFunction::makeFromBoxedFunction<&call_on_cpu>()); }

}  // namespace cuda_on_cpu
