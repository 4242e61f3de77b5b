// portable/runtime/pytorch/custom_class.cpp: where the classes of torch::class_ are found by Python.
#include <portable/custom_class.h>

namespace torchthaw {

pybind11::object classes_of(const std::string &ns, const std::string &name) {
    using pybind11::object;
    using pybind11::detail::owned;
    object found = owned(PyImport_ImportModule("torch")).attr("classes").attr(ns.c_str());
    if (pybind11::getattr(found, "__dict__").contains(name.c_str()))
        fail("torch::class_: expected a name that torch.classes." + ns + " does not have, got " + name);
    return found;
}

void list_class(const std::string &ns, const std::string &name, pybind11::handle listed) {
    using pybind11::object;
    using pybind11::detail::owned;
    object modules = owned(PyImport_ImportModule("sys")).attr("modules");
    const std::string module = "torch.classes." + ns;
    // Not torch.classes.NAMESPACE itself: asked for __file__, it raises RuntimeError, which stops whoever asks every module.
    if (!modules.contains(module.c_str())) modules.attr("__setitem__")(module, owned(PyModule_New(module.c_str())));
    modules.attr("__getitem__")(module).attr(name.c_str()) = listed;
    listed.attr("__module__") = module;
}

}  // namespace torchthaw
