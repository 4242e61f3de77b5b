// portable/runtime/pytorch/nn.cpp: calls functions of Python's torch.nn.functional.
#include <portable/nn.h>
#include <portable/python/ivalues.h>

namespace torchthaw {

c10::IValue functional(const char *name, std::vector<c10::IValue> arguments, const Options &options) {
    using pybind11::object;
    using pybind11::detail::checked;
    using pybind11::detail::owned;
    pybind11::gil_scoped_acquire gil;
    if (!start()) throw pybind11::error_already_set();
    object function = owned(PyImport_ImportModule("torch.nn.functional")).attr(name);
    object tuple = owned(PyTuple_New(Py_ssize_t(arguments.size()))), keywords = owned(PyDict_New());
    for (size_t i = 0; i < arguments.size(); ++i)
        checked(PyTuple_SetItem(tuple.ptr(), Py_ssize_t(i), checked(ivalue_to_python(arguments[i]))));
    for (const auto &[option, value] : options)
        checked(PyDict_SetItemString(keywords.ptr(), option, owned(ivalue_to_python(value)).ptr()));
    return owned(PyObject_Call(function.ptr(), tuple.ptr(), keywords.ptr())).cast<c10::IValue>();
}

}  // namespace torchthaw
