// portable/runtime/pytorch/library.cpp: registers operators by Python's torch.library, and kernels that boxed.h cannot call.
#include <cxxabi.h>

#include <portable/library.h>
#include <portable/python/module.h>

#include "boxed.h"
#include "start.h"

namespace torchthaw {
namespace {

using pybind11::handle;
using pybind11::object;
using pybind11::detail::checked;
using pybind11::detail::maybe_owned;
using pybind11::detail::owned;

const char REGISTERED[] = "torchthaw.kernel";

object module(const char *name) { return owned(PyImport_ImportModule(name)); }

object schema_of(const std::string &ns, const std::string &name, const std::string &overload) {
    object packet = module("torch").attr("ops").attr(ns.c_str()).attr(name.c_str());
    return packet.attr(overload.empty() ? "default" : overload.c_str()).attr("_schema");
}

/// The same; None for an operator that is not defined yet.
object known_schema(const std::string &ns, const std::string &full_name) {
    const size_t dot = full_name.find('.');
    try {
        return schema_of(ns, full_name.substr(0, dot), dot == full_name.npos ? "" : full_name.substr(dot + 1));
    } catch (const pybind11::error_already_set &error) {
        if (!error.matches(PyExc_AttributeError)) throw;
        return pybind11::none();
    }
}

/// A kernel and what its schema says of its arguments. It lives as long as the process.
struct Registered {
    Kernel kernel;
    std::string ns, name, overload;
    std::string schema;  // of one that PyTorch's registry does not have, with Any for the classes of torch::class_
    size_t arity = 0;
    bool is_read = false;
    std::vector<object> names, defaults;  // a default is null where there is none

    std::string full_name() const { return ns + "::" + name + (overload.empty() ? "" : "." + overload); }

    /// Reads the schema, which may be defined after its kernels. Two threads may do so at once: Python releases the GIL.
    void read() {
        if (is_read) return;
        std::vector<object> new_names, new_defaults;
        const object read = schema_object();
        if (read.is_none()) {
            new_names.resize(arity);
            new_defaults.resize(arity);
        } else {
            for (handle argument : object(read.attr("arguments"))) {
                new_names.push_back(owned(PyObject_GetAttrString(argument.ptr(), "name")));
                const bool has_default = argument.attr("has_default_value")().cast<bool>();
                new_defaults.push_back(has_default ? owned(PyObject_GetAttrString(argument.ptr(), "default_value")) : object());
            }
        }
        if (is_read) return;
        names = std::move(new_names);
        defaults = std::move(new_defaults);
        is_read = true;
    }

    std::string shown(size_t i) const { return names[i] ? std::string(names[i].str()) : "argument " + std::to_string(i); }

    /// The schema as PyTorch has it; None where PyTorch cannot read the text of one.
    object schema_object() const {
        if (!schema.empty()) {
            object parse = pybind11::getattr(module("torch").attr("_C"), "parse_schema", pybind11::none());
            return parse.is_none() ? parse : parse(schema);
        }
        return schema_of(ns, name, overload);
    }

    /// Puts the value of a keyword at its place.
    void place(PyObject *keyword, PyObject *value, std::vector<PyObject *> &arguments) const {
        for (size_t i = 0; i < names.size(); ++i) {
            if (!names[i] || PyUnicode_Compare(names[i].ptr(), keyword) != 0) continue;
            arguments[i] = value;
            return;
        }
        throw pybind11::type_error(full_name() + ": the schema has no argument " + std::string(handle(keyword).str()));
    }
};

// PyTorch leaves out arguments that have their default, and passes keyword-only ones by keyword.
PyObject *call(PyObject *self, PyObject *const *given, Py_ssize_t count, PyObject *keywords) {
    try {
        auto *registered = static_cast<Registered *>(PyCapsule_GetPointer(self, REGISTERED));
        registered->read();
        const size_t n = registered->names.size();
        if (n != registered->arity)
            throw pybind11::type_error(c10::str(registered->full_name(), ": expected a kernel of ", n, " arguments, as its schema has, got one of ", registered->arity));
        if (size_t(count) > n) throw pybind11::type_error(registered->full_name() + ": more arguments than the schema has");
        std::vector<PyObject *> arguments(n, nullptr);
        std::copy(given, given + count, arguments.begin());
        const Py_ssize_t named = keywords ? PyTuple_Size(keywords) : 0;
        for (Py_ssize_t i = 0; i < named; ++i) registered->place(PyTuple_GetItem(keywords, i), given[count + i], arguments);
        for (size_t i = 0; i < n; ++i) {
            if (arguments[i] == nullptr) arguments[i] = registered->defaults[i].ptr();
            if (arguments[i] == nullptr)
                throw pybind11::type_error(registered->full_name() + ": no value for " + registered->shown(i));
        }
        try {
            return registered->kernel(arguments.data(), nullptr);
        } catch (const Misfit &misfit) {
            const std::string given = handle(arguments[misfit.argument]).get_type().attr("__name__").cast<std::string>();
            throw pybind11::type_error(registered->full_name() + ": " + registered->shown(misfit.argument) + ": expected " + misfit.expected + ", got " + given);
        }
    } catch (abi::__forced_unwind &) {
        throw;
    } catch (...) {
        pybind11::detail::translate(std::current_exception());
        return nullptr;
    }
}

PyMethodDef KERNEL = {"kernel", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(call)), METH_FASTCALL | METH_KEYWORDS,
                      nullptr};

/// "name" or "name.overload", from a schema or a name, without a namespace before it.
std::string name_in(const std::string &schema) {
    const std::string name = schema.substr(0, schema.find('('));
    const size_t colons = name.rfind("::");
    return colons == name.npos ? name : name.substr(colons + 2);
}

std::string namespace_in(const std::string &schema) {
    const size_t colons = schema.substr(0, schema.find('(')).rfind("::");
    if (colons == schema.npos) fail("RegisterOperators: expected a name such as ns::name, got " + schema);
    return schema.substr(0, colons);
}

object kernel_object(torch::CppFunction function, const std::string &ns, const std::string &name, std::string schema = {}) {
    const size_t dot = name.find('.');
    auto *registered = new Registered{std::move(function.kernel), ns, name.substr(0, dot), dot == name.npos ? "" : name.substr(dot + 1),
                                      std::move(schema), function.arity, false, {}, {}};
    object capsule = owned(PyCapsule_New(registered, REGISTERED, nullptr));
    return owned(PyCFunction_NewEx(&KERNEL, capsule.ptr(), nullptr));
}

/// Those of torch.Tag that this PyTorch has.
object tags_in_python(const std::vector<at::Tag> &tags) {
#define TORCHTHAW_TAG(name) #name,
    static const char *const names[] = {TORCHTHAW_TAGS(TORCHTHAW_TAG)};
#undef TORCHTHAW_TAG
    pybind11::list found;
    for (at::Tag tag : tags) {
        object one = pybind11::getattr(module("torch").attr("Tag"), names[size_t(tag)], pybind11::none());
        if (!one.is_none()) found.append(one);
    }
    return pybind11::tuple(found);
}

const char CLASS[] = "__torch__.";  // begins the name of a class of torch::class_ in a schema

/// The schemas of operators that have such a class, by NAMESPACE::NAME; empty once there is a kernel.
std::unordered_map<std::string, std::string> &schemas_with_classes() {
    static auto *kept = new std::unordered_map<std::string, std::string>;
    return *kept;
}

/// A schema with Any for each class.
std::string without_classes(std::string schema) {
    for (size_t at; (at = schema.find(CLASS)) != schema.npos;) {
        size_t end = at;
        while (end < schema.size() && (std::isalnum(static_cast<unsigned char>(schema[end])) || schema[end] == '_' || schema[end] == '.')) ++end;
        schema.replace(at, end - at, "Any");
    }
    return schema;
}

/// Sets torch.ops.NAMESPACE.NAME: PyTorch's dispatcher does not know the class.
void set_function(const std::string &ns, const std::string &name, torch::CppFunction function, std::string &schema) {
    if (schema.empty())
        fail(ns + "::" + name + ": expected one kernel for an operator with a class of torch::class_ in its schema, got another one");
    const std::string base = name.substr(0, name.find('.'));
    object made = kernel_object(std::move(function), ns, name, std::exchange(schema, {}));
    pybind11::setattr(module("torch").attr("ops").attr(ns.c_str()), base.c_str(), made);
}

// What went wrong while the binary was loaded; the import raises it.
object &failure() {
    static auto *kept = new object;
    return *kept;
}

/// By sys.unraisablehook, as other errors that have no caller.
void print_error(PyObject *type, PyObject *value) {
    PyErr_SetObject(type, value);
    PyErr_WriteUnraisable(object(maybe_owned(PyUnicode_FromString("a library of operators that is loaded"))).ptr());
}

// What an import will register.
std::vector<std::function<void()>> &deferred() {
    static auto *kept = new std::vector<std::function<void()>>;
    return *kept;
}

/// Whether Python's import loads the binary, and then calls its PyInit_ function. Nothing here releases the GIL.
bool is_imported() {
    pybind11::gil_scoped_acquire gil;
    pybind11::error_scope pending;
    PyObject *frame = reinterpret_cast<PyObject *>(PyEval_GetFrame());
    if (frame == nullptr) return false;
    object code = maybe_owned(PyObject_GetAttrString(frame, "f_code"));
    object file = maybe_owned(code ? PyObject_GetAttrString(code.ptr(), "co_filename") : nullptr);
    const char *text = file ? PyUnicode_AsUTF8AndSize(file.ptr(), nullptr) : nullptr;
    PyErr_Clear();
    return text && std::strncmp(text, "<frozen importlib", 17) == 0;
}

/// at_load() in the import that is under way, or now. The loader of libraries lets one thread in at a time: Python that
/// releases the GIL there, to a thread that imports another extension, would wait for ever.
void at_import(std::function<void()> run) {
    using namespace pybind11::detail;
    if (has_module && !is_free_threaded() && is_imported()) deferred().push_back(std::move(run));
    else at_load(run);
}

}  // namespace

// Nothing may be thrown out of the loading of a library. Where no import will tell what went wrong, it is printed.
void at_load(const std::function<void()> &run) {
    if (pybind11::detail::is_free_threaded()) {
        if (!pybind11::detail::has_module) std::fprintf(stderr, "TORCH_LIBRARY: expected a Python with a GIL, got %s\n", Py_GetVersion());
        return;
    }
    pybind11::gil_scoped_acquire gil;
    pybind11::error_scope pending;
    try {
        if (!start()) throw pybind11::error_already_set();
        run();
    } catch (abi::__forced_unwind &) {
        throw;
    } catch (...) {
        pybind11::detail::translate(std::current_exception());
        PyObject *type, *value, *trace;
        PyErr_Fetch(&type, &value, &trace);
        PyErr_NormalizeException(&type, &value, &trace);
        if (!pybind11::detail::has_module || !is_imported()) print_error(type, value);
        Py_XDECREF(type);
        Py_XDECREF(trace);
        if (!failure()) failure() = maybe_owned(value);
        else Py_XDECREF(value);
    }
}

bool registered_all() {
    register_deferred();
    if (!failure()) return true;
    PyErr_SetObject(failure().get_type().ptr(), failure().ptr());
    return false;
}

void register_deferred() {
    for (const auto &run : std::exchange(deferred(), {})) at_load(run);
}

AtLoad::AtLoad(torch::Library::Kind kind, const char *ns, const char *key, void (*fill)(torch::Library &)) {
    at_import([=] {
        torch::Library library(kind, std::strcmp(ns, "_") == 0 ? "" : ns, key);
        fill(library);
    });
}

}  // namespace torchthaw

namespace torch {

using namespace torchthaw;

Library::Library(Kind kind, std::string ns, std::string key) : kind_(kind), ns_(std::move(ns)), key_(std::move(key)) {
    static const char *const kinds[] = {"DEF", "FRAGMENT", "IMPL"};
    object type = module("torch.library").attr("Library");
    // Never given back: PyTorch removes the operators of a library that is.
    library_ = key_.empty() ? type(ns_, kinds[kind]).release().ptr() : type(ns_, kinds[kind], key_).release().ptr();
}

Library &Library::def(const std::string &schema, const std::vector<at::Tag> &tags) {
    if (schema.find(CLASS) != schema.npos) {
        schemas_with_classes()[ns_ + "::" + name_in(schema)] = without_classes(schema);
        return *this;
    }
    const std::string text = name_in(schema) + schema.substr(std::min(schema.find('('), schema.size()));
    handle(library_).attr("define")(text, pybind11::arg("tags") = tags_in_python(tags));
    return *this;
}

Library &Library::define(const std::string &schema, CppFunction function, const std::vector<at::Tag> &tags) {
    const bool has_schema = schema.find('(') != schema.npos;
    const std::string name = name_in(schema);
    def(has_schema ? schema : name + function.schema, tags);
    return implement(name, std::move(function));
}

Library &Library::implement(const std::string &name, CppFunction function) {
    const auto with_class = schemas_with_classes().find(ns_ + "::" + name_in(name));
    if (with_class != schemas_with_classes().end()) {
        set_function(ns_, name_in(name), std::move(function), with_class->second);
        return *this;
    }
    std::string key = function.key.empty() ? key_ : function.key;
    if (key.empty() || key == "CatchAll") key = "CompositeImplicitAutograd";
    if (!function.boxed.empty() && register_boxed(ns_, name_in(name), key, function, known_schema(ns_, name_in(name)))) return *this;
    object kernel = function.is_fallthrough ? module("torch.library").attr("fallthrough_kernel").cast<object>()
                                            : kernel_object(std::move(function), ns_, name_in(name));
    handle(library_).attr("impl")(name_in(name), kernel, key);
    return *this;
}

RegisterOperators &RegisterOperators::add(const std::string &schema, CppFunction function) {
    at_import([schema, kept = std::make_shared<CppFunction>(std::move(function))] {
        Library library(Library::FRAGMENT, namespace_in(schema), "");
        library.def(schema, std::move(*kept));
    });
    return *this;
}

}  // namespace torch

namespace c10 {

const char *toString(DispatchKey key) {
    static const char *const names[] = {
        "Undefined", "CPU", "CUDA", "Meta", "XPU", "MPS", "SparseCPU", "SparseCUDA", "QuantizedCPU", "QuantizedCUDA", "MkldnnCPU",
        "PrivateUse1", "BackendSelect", "ADInplaceOrView", "Autograd", "AutogradCPU", "AutogradCUDA", "AutogradXPU", "AutogradMPS",
        "AutogradPrivateUse1", "AutocastCPU", "AutocastCUDA", "Autocast", "CompositeImplicitAutograd", "CompositeExplicitAutograd",
        "CatchAll",
    };
    return names[size_t(key)];
}

}  // namespace c10
