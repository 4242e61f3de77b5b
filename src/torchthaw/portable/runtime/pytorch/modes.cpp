// portable/runtime/pytorch/modes.cpp: guards that are contexts of Python.
#include <portable/modes.h>
#include <portable/python/annotations.h>

namespace c10 {
namespace {

using pybind11::object;

object torch() { return pybind11::detail::owned(PyImport_ImportModule("torch")); }

/// A context of Python that was entered, kept without the GIL.
void *entered(object context) {
    context.attr("__enter__")();
    return context.release().ptr();
}

void leave(void *context) noexcept {
    if (context == nullptr || !Py_IsInitialized()) return;
    pybind11::gil_scoped_acquire gil;
    pybind11::error_scope pending;
    object left(pybind11::handle(static_cast<PyObject *>(context)), object::stolen_t{});
    try {
        left.attr("__exit__")(pybind11::none(), pybind11::none(), pybind11::none());
    } catch (pybind11::error_already_set &error) {
        error.discard_as_unraisable("the end of a guard");
    }
}

}  // namespace

InferenceMode::InferenceMode(bool enabled) {
    pybind11::gil_scoped_acquire gil;
    context_ = entered(torch().attr("inference_mode")(enabled));
}
InferenceMode::~InferenceMode() { leave(context_); }
bool InferenceMode::is_enabled() {
    pybind11::gil_scoped_acquire gil;
    return torch().attr("is_inference_mode_enabled")().cast<bool>();
}

DeviceGuard::DeviceGuard(Device device) {
    if (!device.is_cuda() || !device.has_index()) return;
    pybind11::gil_scoped_acquire gil;
    context_ = entered(torch().attr("cuda").attr("device")(int(device.index())));
}
DeviceGuard::~DeviceGuard() { leave(context_); }

}  // namespace c10

namespace at {
namespace {

/// The keys of autograd's kernels as a torch._C.DispatchKeySet, made once for the process.
pybind11::handle keys_of_autograd(const pybind11::object &c, bool views) {
    static PyObject *made[2];  // the GIL is held
    if (made[views]) return made[views];
    std::vector<const char *> names{"AutogradFunctionality", "AutogradOther", "AutogradNestedTensor"};
    if (views) names.push_back("ADInplaceOrView");
    pybind11::object keys;
    for (const char *name : names) {
        pybind11::object one = c.attr("DispatchKeySet")(pybind11::object(c.attr("DispatchKey").attr(name)));
        keys = keys ? pybind11::object(keys.attr("__or__")(one)) : one;
    }
    return made[views] = keys.release().ptr();
}

}  // namespace

AutoDispatchBelowAutograd::AutoDispatchBelowAutograd(bool views) {
    pybind11::gil_scoped_acquire gil;
    pybind11::object c = c10::torch().attr("_C");
    pybind11::object guard = pybind11::getattr(c, "_ExcludeDispatchKeyGuard", pybind11::none());
    TORCH_CHECK(!guard.is_none(), "AutoDispatchBelowAutograd: this PyTorch lacks torch._C._ExcludeDispatchKeyGuard");
    context_ = c10::entered(guard(keys_of_autograd(c, views)));
}
AutoDispatchBelowAutograd::~AutoDispatchBelowAutograd() { c10::leave(context_); }

}  // namespace at
