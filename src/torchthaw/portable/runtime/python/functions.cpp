// portable/runtime/python/functions.cpp: Python function objects.
#include "functions.h"

#include <cstring>

namespace pybind11 {
namespace detail {

namespace {

PyObject *bind_method(PyObject *self, PyObject *owner, PyObject *) {
    if (!owner || owner == Py_None) {
        Py_INCREF(self);
        return self;
    }
    static PyObject *bound_type = nullptr;
    if (!bound_type) {
        PyObject *types = PyImport_ImportModule("types");
        if (types) bound_type = PyObject_GetAttrString(types, "MethodType");
        Py_XDECREF(types);
        if (!bound_type) return nullptr;
    }
    return PyObject_CallFunctionObjArgs(bound_type, self, owner, nullptr);
}

PyObject *read_doc(PyObject *self, void *) {
    const std::string &doc = *as_function_object(self)->doc;
    return PyUnicode_FromStringAndSize(doc.data(), static_cast<ssize_t>(doc.size()));
}

PyObject *show_method(PyObject *self) {
    return PyUnicode_FromFormat("<method '%U'>", as_function_object(self)->qualified_name);
}

void destroy_function(PyObject *self) {
    function_object *object = as_function_object(self);
    PyTypeObject *type = Py_TYPE(self);
    for (function_record *record = object->records; record;) delete std::exchange(record, record->next);
    delete object->definition;
    delete object->doc;
    Py_XDECREF(object->name);
    Py_XDECREF(object->module);
    Py_XDECREF(object->qualified_name);
    reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

PyTypeObject *make_type(PyType_Spec &spec) { return reinterpret_cast<PyTypeObject *>(checked(PyType_FromSpec(&spec))); }

/// Pickles as the function's module, which pickle then asks for the function.
PyObject *reduce_owner(PyObject *self, PyObject *) {
    function_object *owner = as_function_object(self);
    if (!owner->module || !PyUnicode_Check(owner->module)) {
        PyErr_Format(PyExc_RuntimeError, "%R is not pickleable.", self);
        return nullptr;
    }
    PyObject *builtins = PyEval_GetBuiltins();
    return Py_BuildValue("O(N)", PyDict_GetItemString(builtins, "eval"),
                         PyUnicode_FromFormat("__import__('importlib').import_module('%U')", owner->module));
}

PyTypeObject *owner_type() {
    static PyMethodDef methods[] = {{"__reduce_ex__", reduce_owner, METH_VARARGS, nullptr},
                                    {nullptr, nullptr, 0, nullptr}};
    static PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void *>(destroy_function)},
                                  {Py_tp_methods, methods},
                                  {0, nullptr}};
    static PyType_Spec spec = {"pybind11_builtins.function_record", sizeof(function_object), 0, Py_TPFLAGS_DEFAULT,
        slots};
    static PyTypeObject *type = make_type(spec);
    return type;
}

/// The interpreter passes `self` to it first and makes no bound method for a call.
PyTypeObject *method_type() {
    static PyMemberDef members[] = {
        {"__vectorcalloffset__", T_PYSSIZET, offsetof(function_object, call), READONLY, nullptr},
        {"__name__", T_OBJECT, offsetof(function_object, name), READONLY, nullptr},
        {"__module__", T_OBJECT, offsetof(function_object, module), READONLY, nullptr},
        {"__qualname__", T_OBJECT, offsetof(function_object, qualified_name), READONLY, nullptr},
        {nullptr, 0, 0, 0, nullptr},
    };
    static PyGetSetDef properties[] = {
        {"__doc__", read_doc, nullptr, nullptr, nullptr},
        {nullptr, nullptr, nullptr, nullptr, nullptr},
    };
    static PyType_Slot slots[] = {
        {Py_tp_dealloc, reinterpret_cast<void *>(destroy_function)},
        {Py_tp_call, reinterpret_cast<void *>(call_with_tuple)},
        {Py_tp_descr_get, reinterpret_cast<void *>(bind_method)},
        {Py_tp_repr, reinterpret_cast<void *>(show_method)},
        {Py_tp_members, members},
        {Py_tp_getset, properties},
        {0, nullptr},
    };
    // Outside the 3.10 interface, but the same bits in every CPython from 3.9 on.
    constexpr unsigned have_vectorcall = 1u << 11, method_descriptor = 1u << 17;
    static PyType_Spec spec = {"torchthaw.method", sizeof(function_object), 0,
                               Py_TPFLAGS_DEFAULT | have_vectorcall | method_descriptor, slots};
    static PyTypeObject *type = make_type(spec);
    return type;
}

function_object *owner_of(PyObject *function) {
    if (!function) return nullptr;
    if (Py_TYPE(function) == method_type()) return as_function_object(function);
    if (Py_TYPE(function) != &PyCFunction_Type) return nullptr;
    PyObject *self = PyCFunction_GetSelf(function);
    return self && Py_TYPE(self) == owner_type() ? as_function_object(self) : nullptr;
}

void update_doc(function_object *owner) {
    *owner->doc = describe_overloads(owner->records);
    if (owner->definition) owner->definition->ml_doc = owner->doc->empty() ? nullptr : owner->doc->c_str();
}

/// The text with one space for each run of white space, and none at its ends. A text in quotes stays.
std::string in_one_line(const std::string &text) {
    if (text.size() >= 2 && text.front() == '\'' && text.back() == '\'') return text;
    std::string line;
    bool follows_space = true;
    for (char character : text) {
        bool is_space = std::strchr(" \t\n\r\f\v", character) != nullptr;
        if (!is_space || !follows_space) line += is_space ? ' ' : character;
        follows_space = is_space;
    }
    if (!line.empty() && line.back() == ' ') line.pop_back();
    return line;
}

void declare_self(function_record &record) {
    if (!record.is_method || !record.arguments.empty()) return;
    argument_record self;
    self.name = str("self");
    self.none = false;
    record.arguments.push_back(std::move(self));
}

/// Conversions and None as declared; whether calls by position need no check of None.
void settle_conversions(function_record &record) {
    for (size_t i = 0; i < record.arguments.size(); ++i) {
        size_t at = record.has_args && i >= record.positional ? i + 1 : i;
        if (!record.arguments[i].convert) record.convert &= ~(1ull << at);
        // `self` cannot be None: no class loads None as a reference.
        bool is_self = i == 0 && record.is_method;
        if (!record.arguments[i].none && !is_self) record.takes_array = false;
    }
}

}  // namespace

void add_argument_record(function_record &record, const arg &declared) {
    declare_self(record);
    argument_record added;
    if (declared.name) added.name = owned(PyUnicode_InternFromString(declared.name));
    added.convert = !declared.flag_noconvert;
    added.none = declared.flag_none;
    record.arguments.push_back(std::move(added));
    if (record.arguments.size() > record.positional && !(declared.name && declared.name[0]))
        pybind11_fail("arg(): cannot specify an unnamed argument after a kw_only() annotation or args() argument");
}
void add_argument_record(function_record &record, const arg_v &declared) {
    if (!declared.value) {
        std::string text = "'" + (declared.name ? std::string(declared.name) + ": " : std::string());
        text += readable_name(*declared.type) + "'";
        if (record.is_method)
            text += " in method '" + std::string(str(record.scope)) + "." + record.name + "'";
        else if (!record.name.empty())
            text += " in function '" + record.name + "'";
        pybind11_fail("arg(): could not convert default argument " + text +
                      " into a Python object (type not registered yet?)");
    }
    add_argument_record(record, static_cast<const arg &>(declared));
    argument_record &added = record.arguments.back();
    added.value = declared.value;
    added.shown = in_one_line(declared.descr ? std::string(declared.descr) : std::string(repr(declared.value)));
}
void start_kw_only(function_record &record) {
    declare_self(record);
    if (record.has_args && record.positional != record.arguments.size())
        pybind11_fail("Mismatched args() and kw_only(): they must occur at the same relative argument location");
    record.positional = static_cast<std::uint16_t>(record.arguments.size());
}
void end_pos_only(function_record &record) {
    declare_self(record);
    record.positional_only = static_cast<std::uint16_t>(record.arguments.size());
}

function_record *record_of(PyObject *function) {
    function_object *owner = owner_of(function);
    return owner ? owner->records : nullptr;
}

const void *find_plain_function(PyObject *callable, const std::type_info &pointer_type) {
    for (const function_record *record = record_of(callable); record; record = record->next) {
        if (record->plain_type && *record->plain_type == pointer_type) return record->data;
    }
    return nullptr;
}

PyObject *finish_function(function_record *given, const text_part *signature, size_t parts) {
    std::unique_ptr<function_record> record(given);
    size_t collected = (record->has_args ? 1u : 0u) + (record->has_kwargs ? 1u : 0u);
    size_t undeclared = record->is_method ? 1 : 0;  // `self` alone stands for no declaration
    if (record->arguments.size() > undeclared && record->arguments.size() + collected != record->count)
        pybind11_fail(record->name + "(): the number of py::arg annotations is not that of the parameters");
    if (record->positional != record->count) record->takes_array = false;
    record->is_constructor = record->name == "__init__" || record->name == "__setstate__";
    if (record->is_constructor && record->is_method && !record->fills_instance)
        record->run_inside = std::exchange(record->run, run_old_constructor);
    settle_conversions(*record);
    record->signature = describe_signature(*record, signature, parts);

    function_object *before = owner_of(record->sibling.ptr());
    if (before && before->records->scope.is(record->scope)) {
        if (before->records->is_method != record->is_method)
            pybind11_fail(std::string("overloading a method with both static and instance methods is not supported; "
                                      "error while attempting to bind ") +
                          (record->is_method ? "instance" : "static") + " method " +
                          std::string(str(getattr(record->scope, "__name__"))) + "." + record->name +
                          record->signature);
        PyObject *function = record->sibling.ptr();
        if (record->goes_first) {
            record->next = before->records;
            before->records = record.release();
        } else {
            function_record *last = before->records;
            while (last->next) last = last->next;
            last->next = record.release();
        }
        update_doc(before);
        Py_INCREF(function);
        return function;
    }
    if (!before && record->sibling && !record->sibling.is_none() && record->name[0] != '_')
        pybind11_fail("Cannot overload existing non-function object \"" + record->name +
                      "\" with a function of the same name");

    bool is_method = record->is_method;
    object module;
    std::string qualified_name = record->name;
    if (record->scope) {
        module = getattr(record->scope, hasattr(record->scope, "__module__") ? "__module__" : "__name__", none());
        if (is_method) qualified_name = std::string(str(getattr(record->scope, "__qualname__"))) + "." + record->name;
    }
    object made = owned(PyType_GenericAlloc(is_method ? method_type() : owner_type(), 0));
    function_object *owner = as_function_object(made.ptr());
    owner->call = call_method;
    owner->doc = new std::string;
    owner->name = str(record->name).release().ptr();
    owner->qualified_name = str(qualified_name).release().ptr();
    owner->module = borrowed(module.ptr()).release().ptr();
    owner->records = record.release();
    if (!is_method) {
        auto call = reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(call_builtin));
        owner->definition = new PyMethodDef{owner->records->name.c_str(), call, METH_FASTCALL | METH_KEYWORDS, nullptr};
    }
    update_doc(owner);
    if (is_method) return made.release().ptr();
    return checked(PyCFunction_NewEx(owner->definition, made.ptr(), module.ptr()));
}

void apply_keep_alive(size_t nurse, size_t patient, PyObject *const *arguments, size_t count, PyObject *result) {
    auto at = [&](size_t i) { return handle(i == 0 ? result : i <= count ? arguments[i - 1] : nullptr); };
    keep_alive_impl(at(nurse), at(patient));
}

}  // namespace detail
}  // namespace pybind11
