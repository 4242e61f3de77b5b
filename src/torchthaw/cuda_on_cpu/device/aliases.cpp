/* aliases.cpp: implements aliases.h. A call has few tensors, so lists are searched from the front. */
#include "aliases.h"

#include "memory.h"

namespace cuda_on_cpu {

namespace {

at::Tensor tensor_on(c10::Storage storage, c10::DispatchKey key, const at::Tensor &like) {
    auto made = at::detail::make_tensor<c10::TensorImpl>(std::move(storage), c10::DispatchKeySet(key), like.dtype());
    made.unsafeGetTensorImpl()->set_sizes_and_strides(like.sizes(), like.strides(), like.storage_offset());
    if (like.is_conj()) made._set_conj(true);
    if (like.is_neg()) made._set_neg(true);
    return made;
}

c10::DataPtr moved_to(c10::Device device, c10::DataPtr pointer) {
    pointer.unsafe_set_device(device);
    return pointer;
}

}  // namespace

c10::Storage Aliases::on_cpu(const c10::Storage &storage) {
    for (const StoragePair &each : storages_) {
        if (each.cuda.is_alias_of(storage)) return each.cpu;
    }
    void *data = storage.unsafeGetStorageImpl()->data_ptr().get();
    c10::Storage made(c10::Storage::use_byte_size_t(), storage.nbytes(), c10::DataPtr(data, c10::kCPU),
                      alias_allocator(), storage.resizable());
    storages_.push_back({storage, made, data});
    return made;
}

at::Tensor Aliases::on_cpu(const at::Tensor &tensor) {
    for (const Pair &each : tensors_) {
        if (each.cuda.is_same(tensor)) return each.cpu;
    }
    TORCH_CHECK(tensor.layout() == c10::kStrided && tensor.has_storage() && !tensor._is_zerotensor(),
                "expected a dense CUDA tensor, got one with layout ", tensor.layout(),
                ", which TORCHTHAW_CUDA=cpu does not have");
    at::Tensor made = tensor_on(on_cpu(tensor.storage()), c10::DispatchKey::CPU, tensor);
    if (tensor.unsafeGetTensorImpl()->is_wrapped_number()) made.unsafeGetTensorImpl()->set_wrapped_number(true);
    tensors_.push_back({tensor, made});
    return made;
}

c10::Storage Aliases::storage_on_cuda(const c10::Storage &storage) {
    for (const StoragePair &each : storages_) {
        if (each.cpu.is_alias_of(storage)) return each.cuda;
    }
    c10::DataPtr data = storage.unsafeGetStorageImpl()->set_data_ptr(c10::DataPtr());
    void *address = data.get();
    c10::Storage made(c10::Storage::use_byte_size_t(), storage.nbytes(), moved_to(DEVICE, std::move(data)),
                      device_allocator(), storage.resizable());
    storages_.push_back({made, storage, address});
    return made;
}

at::Tensor Aliases::on_cuda(const at::Tensor &tensor) {
    if (!tensor.defined() || !tensor.is_cpu()) return tensor;
    for (const at::Tensor &each : kept_) {
        if (each.is_same(tensor) || (each.has_storage() && tensor.has_storage() && each.is_alias_of(tensor))) return tensor;
    }
    for (const Pair &each : tensors_) {
        if (each.cpu.is_same(tensor)) return each.cuda;
    }
    TORCH_CHECK_NOT_IMPLEMENTED(tensor.layout() == c10::kStrided, "a result has layout ", tensor.layout(),
                                ", which CUDA tensors do not have under TORCHTHAW_CUDA=cpu");
    at::Tensor made = tensor_on(storage_on_cuda(tensor.storage()), c10::DispatchKey::CUDA, tensor);
    tensors_.push_back({made, tensor});
    return made;
}

void Aliases::carry_back() {
    for (StoragePair &each : storages_) {
        auto *cuda = each.cuda.unsafeGetStorageImpl(), *cpu = each.cpu.unsafeGetStorageImpl();
        if (cpu->data_ptr().get() != each.data) {
            cuda->set_data_ptr_noswap(moved_to(DEVICE, cpu->set_data_ptr(c10::DataPtr())));
            each.data = cuda->data_ptr().get();
            cpu->set_data_ptr_noswap(c10::DataPtr(cuda->mutable_data(), c10::kCPU));
        }
        if (cuda->nbytes() != cpu->nbytes()) cuda->set_nbytes(cpu->nbytes());
    }
    const size_t count = tensors_.size(); /* a storage that set_ gave comes on top of the storages only */
    for (size_t at = 0; at < count; at++) {
        const auto [cuda, cpu] = tensors_[at];
        const c10::Storage storage = storage_on_cuda(cpu.storage());
        if (!cuda.storage().is_alias_of(storage)) cuda.unsafeGetTensorImpl()->set_storage_keep_dtype(storage);
        if (cuda.sizes() != cpu.sizes() || cuda.strides() != cpu.strides() ||
            cuda.storage_offset() != cpu.storage_offset()) {
            cuda.unsafeGetTensorImpl()->set_sizes_and_strides(cpu.sizes(), cpu.strides(), cpu.storage_offset());
        }
    }
}

}  // namespace cuda_on_cpu
