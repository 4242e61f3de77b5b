// portable/runtime/pytorch/custom_class.cpp: where the classes of torch::class_ are found by Python.
#include <portable/custom_class.h>

namespace torchthaw {

pybind11::object classes_of(const std::string &ns, const std::string &name) {
    using pybind11::object;
    using pybind11::detail::owned;
    object found = owned(PyImport_ImportModule("torch")).attr("classes").attr(ns.c_str());
    if (pybind11::getattr(found, "__dict__").contains(name.c_str()))
        fail("torch::class_: expected a name that torch.classes." + ns + " does not have, got " + name);
    // So that pickle finds the class by its module.
    object modules = owned(PyImport_ImportModule("sys")).attr("modules");
    const std::string module = "torch.classes." + ns;
    if (!modules.contains(module.c_str())) modules.attr("__setitem__")(module, found);
    return found;
}

}  // namespace torchthaw
