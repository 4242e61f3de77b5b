// portable/runtime/pytorch/dispatcher.cpp: finds and calls operators of torch.ops.
#include <portable/dispatcher.h>

#include "start.h"

namespace torchthaw {
namespace {

using pybind11::handle;
using pybind11::object;
using pybind11::detail::checked;
using pybind11::detail::owned;

/// An attribute; None where there is none. torch.ops raises AttributeError for an operator that it does not have.
object attribute(const object &of, const std::string &name) { return pybind11::getattr(of, name.c_str(), pybind11::none()); }

}  // namespace

const NamedOperator *find_operator(const std::string &name, const std::string &overload) {
    pybind11::gil_scoped_acquire gil;
    if (!start()) throw pybind11::error_already_set();
    register_deferred();  // a static object may look for an operator of its own extension
    static auto *known = new std::map<std::pair<std::string, std::string>, NamedOperator>;
    const auto kept = known->find({name, overload});
    if (kept != known->end()) return &kept->second;
    const size_t colons = name.find("::");
    if (colons == name.npos) fail("Dispatcher: expected a name such as ns::name, got " + name);
    object ns = attribute(owned(PyImport_ImportModule("torch")).attr("ops"), name.substr(0, colons));
    object packet = attribute(ns, name.substr(colons + 2));
    if (packet.is_none()) return nullptr;
    NamedOperator found{name, overload, nullptr, {}, 0};
    object one = attribute(packet, overload.empty() ? "default" : overload);
    object schema = one.is_none() ? one : attribute(one, "_schema");
    if (schema.is_none() && (!overload.empty() || pybind11::hasattr(packet, "overloads"))) return nullptr;
    if (schema.is_none()) {  // with a class of torch::class_: a function
        one = packet;
        found.positional = std::numeric_limits<size_t>::max();
    } else {
        for (handle argument : object(schema.attr("arguments"))) {
            if (argument.attr("kwarg_only").cast<bool>()) found.keyword_only.push_back(argument.attr("name").cast<std::string>());
            else ++found.positional;
        }
    }
    found.callable = one.release().ptr();
    return &known->emplace(std::pair(name, overload), std::move(found)).first->second;
}

object call_operator(const NamedOperator &called, std::vector<object> arguments) {
    const size_t positional = std::min(called.positional, arguments.size()), named = arguments.size() - positional;
    if (named > called.keyword_only.size())
        fail(c10::str(called.name, ": expected at most ", called.positional + called.keyword_only.size(), " arguments, got ", arguments.size()));
    object tuple = owned(PyTuple_New(Py_ssize_t(positional))), keywords = owned(PyDict_New());
    for (size_t i = 0; i < positional; ++i) checked(PyTuple_SetItem(tuple.ptr(), Py_ssize_t(i), arguments[i].release().ptr()));
    for (size_t i = 0; i < named; ++i)
        checked(PyDict_SetItemString(keywords.ptr(), called.keyword_only[i].c_str(), arguments[positional + i].ptr()));
    return owned(PyObject_Call(called.callable, tuple.ptr(), keywords.ptr()));
}

}  // namespace torchthaw

namespace c10 {

void OperatorHandle::callBoxed(torch::jit::Stack &stack) const {
    pybind11::gil_scoped_acquire gil;
    const size_t count = std::min(stack.size(), found_->positional + found_->keyword_only.size());
    std::vector<pybind11::object> arguments;
    for (size_t i = stack.size() - count; i < stack.size(); ++i) arguments.push_back(pybind11::cast(stack[i]));
    pybind11::object result = torchthaw::call_operator(*found_, std::move(arguments));
    stack.resize(stack.size() - count);
    if (!PyTuple_Check(result.ptr())) {
        if (!result.is_none()) stack.push_back(result.cast<IValue>());
        return;
    }
    for (pybind11::handle each : result) stack.push_back(each.cast<IValue>());
}

OperatorHandle Dispatcher::findSchemaOrThrow(const char *name, const char *overload) const {
    const auto found = findSchema({name, overload});
    TORCH_CHECK(found, "Could not find schema for ", OperatorName(name, overload), ".");
    return *found;
}

std::optional<OperatorHandle> Dispatcher::findSchema(const OperatorName &name) const {
    const auto *found = torchthaw::find_operator(name.name, name.overload_name);
    return found ? std::optional<OperatorHandle>(OperatorHandle(found)) : std::nullopt;
}

}  // namespace c10
