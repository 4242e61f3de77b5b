/* pytorch.cpp: finds what the bridge uses of PyTorch. */
#include "pytorch.h"

namespace bridge {

PyTorch torch;

namespace {

bool lacks_memory; /* to look for it */

/* The function of DLPack's table that reads tensors; NULL where there is no table that the bridge knows. */
decltype(PyTorch::dltensor) find_dltensor(PyObject *capsule) {
    if (capsule == Py_None) return nullptr;
    auto *api = static_cast<DLPackExchangeAPI *>(PyCapsule_GetPointer(capsule, "dlpack_exchange_api"));
    while (api != nullptr && api->version.major > 1) api = api->previous;
    if (api == nullptr) PyErr_Clear();
    return api != nullptr && api->version.major == 1 ? api->dltensor_from_py_object_no_sync : nullptr;
}

template <typename F> void set(F *function, unsigned long long address) {
    *function = reinterpret_cast<F>(static_cast<uintptr_t>(address));
}

/* False with an exception set. */
bool find_body_functions() {
    const Ref found = pytorch_py.call("body_functions", nullptr);
    unsigned long long read, requires_grad, bump_version, resize;
    if (found == nullptr || !PyArg_ParseTuple(found, "nKKKK", &torch.body_offset, &read, &requires_grad, &bump_version,
                                              &resize)) {
        return false;
    }
    set(&torch.read_body, torch.dltensor == nullptr ? 0 : read); /* where DLPack's structs are not known, neither is it */
    set(&torch.body_requires_grad, requires_grad);
    set(&torch.bump_version, bump_version);
    set(&torch.resize_body, resize);
    BodyLayout &layout = torch.body_layout;
    const Ref places = pytorch_py.call("body_layout", nullptr);
    return places != nullptr && PyArg_ParseTuple(places, "nnnnK", &layout.storage, &layout.keys, &layout.data,
                                                 &layout.bytes, &layout.lazy_keys);
}

/* What find_torch() does; false perhaps with an exception set, and then nothing counts as found. */
bool look_for_torch() {
    static PyObject *name = nullptr;
    if (name == nullptr) name = PyUnicode_InternFromString("torch");
    if (name == nullptr || Ref(PyImport_GetModule(name)).get() == nullptr) return false;
    Ref found = pytorch_py.call("access", nullptr);
    Ref base = found == nullptr ? Ref() : pytorch_py.call("view_base", nullptr);
    Ref modes = base == nullptr ? Ref() : pytorch_py.call("mode_count", nullptr);
    PyObject *type, *parameter, *capsule, *increment_version, *is_grad_enabled, *current_stream, *exchange_device;
    PyObject *ask_mode_count;
    unsigned long long mode_count;
    if (modes == nullptr || !PyArg_ParseTuple(modes, "KO", &mode_count, &ask_mode_count) ||
        !PyArg_ParseTuple(found, "OOOOOOOO", &type, &parameter, &capsule, &torch.describe, &increment_version,
                          &is_grad_enabled, &current_stream, &exchange_device)) {
        return false;
    }
    if (!torch.requires_grad.set(type, "requires_grad") || !torch.is_leaf.set(type, "is_leaf")) return false;
    torch.dltensor = find_dltensor(capsule);
    if (!find_body_functions()) return false;
    torch.increment_version.set(increment_version, METH_O);
    torch.is_grad_enabled.set(is_grad_enabled, METH_NOARGS);
    set(&torch.mode_count, mode_count);
    torch.ask_mode_count.set(ask_mode_count, METH_NOARGS);
    torch.has_cuda = current_stream != Py_None && exchange_device != Py_None;
    torch.current_stream.set(current_stream, METH_O);
    torch.exchange_device.set(exchange_device, METH_O);
    torch.base.set(base.release());
    torch.parameter = reinterpret_cast<PyTypeObject *>(parameter);
    torch.tensor = reinterpret_cast<PyTypeObject *>(type);
    found.release(); /* their items are used from now on */
    modes.release();
    return true;
}

}  // namespace

bool find_torch() {
    const SavedError saved; /* the caller may ask while it has an exception to raise */
    if (look_for_torch()) return lacks_memory = false, true;
    lacks_memory = PyErr_ExceptionMatches(PyExc_MemoryError);
    PyErr_Clear(); /* or torch is being imported right now */
    return false;
}

bool lacked_memory_for_torch() { return torch.tensor == nullptr && std::exchange(lacks_memory, false); }

}  // namespace bridge
