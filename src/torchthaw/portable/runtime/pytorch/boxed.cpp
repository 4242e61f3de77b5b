// portable/runtime/pytorch/boxed.cpp: registers kernels with PyTorch's dispatcher by its C functions.
#include <cxxabi.h>

#include <portable/library.h>

#include "boxed.h"

namespace torchthaw {
namespace {

using pybind11::object;
using pybind11::detail::owned;

object torch_attribute(const char *name) { return owned(PyImport_ImportModule("torch")).attr(name); }

// PyTorch passes no data to a kernel: each has a function of its own. Where there is none left, Python registers the kernel.
constexpr size_t SLOTS = 64;
const Kernel *kernels[SLOTS];
size_t used = 0;

// What throw_through_pytorch() raises.
thread_local object raised;

PyObject *raise(PyObject *, PyObject *const *, Py_ssize_t, PyObject *) {
    object error = std::move(raised);
    PyErr_SetObject(error.get_type().ptr(), error.ptr());
    return nullptr;
}
PyMethodDef RAISE = {"__torch_dispatch__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(raise)),
                     METH_FASTCALL | METH_KEYWORDS, nullptr};

/// A tensor of a subclass whose operators raise.
const at::Tensor *raising;

void make_raising() {
    object base = torch_attribute("Tensor"), members = owned(PyDict_New());
    object method = owned(PyImport_ImportModule("builtins")).attr("staticmethod")(owned(PyCFunction_NewEx(&RAISE, nullptr, nullptr)));
    pybind11::detail::checked(PyDict_SetItemString(members.ptr(), RAISE.ml_name, method.ptr()));
    object type = object(base.get_type(), object::borrowed_t{})("Raises", owned(PyTuple_Pack(1, base.ptr())), members);
    object made = torch_attribute("empty")(0, pybind11::arg("device") = "cpu").attr("as_subclass")(type);
    raising = new at::Tensor(made.cast<at::Tensor>());
}

/// Throws the Python error that is set, as PyTorch's own exception for it: its handlers know no type of this binary.
[[noreturn]] void throw_through_pytorch() {
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    if (trace) PyException_SetTraceback(value, trace);
    Py_XDECREF(type);
    Py_XDECREF(trace);
    raised = owned(value);
    const std::string text = raised.get_type().attr("__name__").cast<std::string>() + ": " + std::string(raised.str());
    raising->sum(at::IntArrayRef{0}, false);
    raised = object();
    throw std::runtime_error(text);  // where no subclass is asked, as below _DisableTorchDispatch
}

// Not inline: there is a slot for each of many kernels.
C10_NOINLINE void call(const Kernel &kernel, uint64_t *cells) {
    try {
        kernel(nullptr, cells);
    } catch (abi::__forced_unwind &) {
        throw;
    } catch (...) {
        pybind11::gil_scoped_acquire gil;
        pybind11::detail::translate(std::current_exception());
        throw_through_pytorch();
    }
}

template <size_t I>
void slot(uint64_t *cells, uint64_t, uint64_t) {
    call(*kernels[I], cells);
}
using Slot = void (*)(uint64_t *, uint64_t, uint64_t);
template <size_t... I>
Slot slot_of(size_t number, std::index_sequence<I...>) {
    static constexpr Slot slots[] = {&slot<I>...};
    return slots[number];
}

/// As BoxedSignature::text().
std::string text_of(const object &schema) {
    std::string joined;
    for (const char *part : {"arguments", "returns"}) {
        bool is_first = true;
        for (pybind11::handle each : object(schema.attr(part))) {
            joined += is_first ? "" : ",";
            joined += std::string(pybind11::str(object(each.attr("type"))));
            is_first = false;
        }
        if (*part == 'a') joined += "->";
    }
    return joined;
}

}  // namespace

bool register_boxed(const std::string &ns, const std::string &name, const std::string &key, const torch::CppFunction &function,
                    const object &schema) {
    if (!mangled_names || pytorch.library_for_kernels == nullptr || pytorch.add_kernel == nullptr || used == SLOTS) return false;
    if (function.boxed.empty() || schema.is_none() || text_of(schema) != function.boxed) return false;
    if (raising == nullptr) make_raising();
    void *library = nullptr;  // never given back, as the other libraries
    if (pytorch.library_for_kernels(ns.c_str(), key.c_str(), "torchthaw.portable", 0, &library) != 0) return false;
    kernels[used] = new Kernel(function.kernel);
    if (pytorch.add_kernel(library, name.c_str(), slot_of(used, std::make_index_sequence<SLOTS>())) != 0) return false;
    ++used;
    return true;
}

}  // namespace torchthaw
