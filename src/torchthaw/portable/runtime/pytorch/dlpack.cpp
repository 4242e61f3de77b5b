// portable/runtime/pytorch/dlpack.cpp: tensors to DLPack and from it, by Python.
#include <portable/dlpack.h>
#include <portable/python/tensors.h>

namespace at {
namespace {

using pybind11::object;
using pybind11::detail::owned;

object dlpack() {
    if (!torchthaw::start()) throw pybind11::error_already_set();
    return owned(PyImport_ImportModule("torch.utils.dlpack"));
}

}  // namespace

DLManagedTensor *toDLPack(const Tensor &tensor) {
    pybind11::gil_scoped_acquire gil;
    object capsule = dlpack().attr("to_dlpack")(owned(torchthaw::tensor_to_python(tensor)));
    void *managed = PyCapsule_GetPointer(capsule.ptr(), "dltensor");
    if (managed == nullptr || PyCapsule_SetName(capsule.ptr(), "used_dltensor") != 0) throw pybind11::error_already_set();
    return static_cast<DLManagedTensor *>(managed);
}

Tensor fromDLPack(DLManagedTensor *source) {
    TORCH_CHECK(source, "fromDLPack: expected a DLManagedTensor, got null");
    pybind11::gil_scoped_acquire gil;
    object made = dlpack().attr("from_dlpack")(torchthaw::dlpack_capsule(source));
    return *torchthaw::tensor_in_python(made.ptr());
}

}  // namespace at
