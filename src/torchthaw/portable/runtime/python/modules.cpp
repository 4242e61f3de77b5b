// portable/runtime/python/modules.cpp: modules, printing, evaluation and iterators.
#include <cxxabi.h>

#include <cstring>

#include "portable/python/objects/eval.h"
#include "portable/python/stl/map_bind.h"

namespace pybind11 {

using namespace detail;

void module_::reload() {
    *this = reinterpret_steal<module_>(checked(PyImport_ReloadModule(m_ptr)));
}
module_ module_::def_submodule(const char *name, const char *doc) {
    const char *own = PyModule_GetName(m_ptr);
    if (!own) throw error_already_set();
    std::string full_name = std::string(own) + "." + name;
    auto made = reinterpret_borrow<module_>(checked(PyImport_AddModule(full_name.c_str())));
    if (doc) made.attr("__doc__") = pybind11::str(doc);
    if (hasattr(*this, "__file__")) made.attr("__file__") = attr("__file__");
    attr(name) = made;
    return made;
}
module_ module_::create_extension_module(const char *name, const char *doc, PyModuleDef *definition) {
    *definition = PyModuleDef{PyModuleDef_HEAD_INIT, name, doc, -1, nullptr, nullptr, nullptr, nullptr, nullptr};
    return {checked(PyModule_Create(definition)), stolen_t{}};
}
void module_::add_object(const char *name, handle value, bool overwrite) {
    if (!overwrite && hasattr(*this, name))
        pybind11_fail("Error during initialization: multiple incompatible definitions with name \"" +
                      std::string(name) + "\"");
    setattr(*this, name, value);
}

namespace detail {
void add_annotation(handle owner, handle name, const text_part *parts, size_t count) {
    if (!hasattr(owner, "__annotations__")) setattr(owner, "__annotations__", dict());
    object all = getattr(owner, "__annotations__");
    if (all.contains(name)) throw std::runtime_error("__annotations__[\"" + std::string(str(name))
            + "\"] was set already.");
    all[name] = signature_text(parts, count, true);
}
}  // namespace detail

dict globals() {
    PyObject *found = PyEval_GetGlobals();
    if (found) return reinterpret_borrow<dict>(found);
    return module_::import("__main__").attr("__dict__");
}

namespace detail {

using namespace literals;

void print_values(const call_arguments &values) {
    object print = getattr(module_::import("builtins"), "print", none());
    if (!print.is_none()) values.call(print);
}

PyObject *run_source(const str &source, int start, object globals_in, object locals_in) {
    object all = globals_in ? globals_in : object(globals());
    object local = locals_in ? locals_in : all;
    if (!all.contains("__builtins__")) all["__builtins__"] = module_::import("builtins");
    object code = owned(Py_CompileString(std::string(source).c_str(), "<string>", start));
    return PyEval_EvalCode(code.ptr(), all.ptr(), local.ptr());
}

str without_indentation(const char *source) {
    if (source[0] != '\n') return source;
    return str(module_::import("textwrap").attr("dedent")(source));
}
str read_source(const str &file) {
    object opened;
    try {
        opened = module_::import("builtins").attr("open")(file, "encoding"_a = "utf-8");
    } catch (const error_already_set &) {
        pybind11_fail("File \"" + std::string(file) + "\" could not be opened!");
    }
    str content = opened.attr("read")();
    opened.attr("close")();
    return content;
}

std::string shown_key(const object &key) {
    constexpr ssize_t most = 100;
    str text = "pybind11::bind_map key";
    if (!key) return text;
    try {
        text = str(key);
    } catch (const std::exception &) {
        try {
            text = repr(key);
        } catch (const std::exception &) {
            return text;
        }
    }
    auto length = static_cast<ssize_t>(len(text));
    if (length <= 2 * most + 3) return text;
    return std::string(str(text[slice(0, most, 1)])) + "✄✄✄" + std::string(str(text[slice(-most, length, 1)]));
}

namespace {

struct iterator_object {
    PyObject_HEAD
    void *state;
    PyObject *(*next)(void *, PyObject *);
    void (*destroy)(void *);
    PyObject *weak_references;
};

PyObject *next_value(PyObject *object) {
    auto *self = reinterpret_cast<iterator_object *>(object);
    try {
        return self->next(self->state, object);
    } catch (abi::__forced_unwind &) {
        throw;
    } catch (...) {
        translate(std::current_exception());
        return nullptr;
    }
}
void destroy_iterator(PyObject *object) {
    auto *self = reinterpret_cast<iterator_object *>(object);
    PyTypeObject *type = Py_TYPE(object);
    if (self->weak_references) PyObject_ClearWeakRefs(object);
    if (self->state) self->destroy(self->state);
    reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

PyObject *make_iterator_type() {
    static PyMemberDef members[] = {
        {"__weaklistoffset__", T_PYSSIZET, offsetof(iterator_object, weak_references), READONLY, nullptr},
        {nullptr, 0, 0, 0, nullptr},
    };
    static PyType_Slot slots[] = {
        {Py_tp_dealloc, reinterpret_cast<void *>(destroy_iterator)},
        {Py_tp_iter, reinterpret_cast<void *>(PyObject_SelfIter)},
        {Py_tp_iternext, reinterpret_cast<void *>(next_value)},
        {Py_tp_members, members},
        {0, nullptr},
    };
    static PyType_Spec spec = {"pybind11_builtins.iterator", sizeof(iterator_object), 0, Py_TPFLAGS_DEFAULT, slots};
    return checked(PyType_FromSpec(&spec));
}

}  // namespace

PyObject *new_iterator(PyObject *&type, void *state, PyObject *(*next)(void *, PyObject *), void (*destroy)(void *)) {
    if (!type) type = make_iterator_type();
    PyObject *made = PyType_GenericAlloc(reinterpret_cast<PyTypeObject *>(type), 0);
    if (!made) {
        destroy(state);
        return nullptr;
    }
    auto *self = reinterpret_cast<iterator_object *>(made);
    self->state = state;
    self->next = next;
    self->destroy = destroy;
    return made;
}

namespace {

PyObject *create_module(PyObject *spec, PyModuleDef *python) {
    auto *definition = reinterpret_cast<module_definition *>(python);
    if (definition->made) {
        if (definition->interpreter != PyInterpreterState_Get()) {
            PyErr_Format(PyExc_ImportError, "%s: expected one interpreter, got a second one", python->m_name);
            return nullptr;
        }
        Py_INCREF(definition->made);
        return definition->made;
    }
    PyObject *name = PyObject_GetAttrString(spec, "name");
    PyObject *made = name ? PyModule_NewObject(name) : nullptr;
    Py_XDECREF(name);
    return made;
}

int fill_module(PyObject *module) {
    auto *definition = reinterpret_cast<module_definition *>(PyModule_GetDef(module));
    if (definition->made == module) return 0;  // imported again
    if (prepare_module && !prepare_module()) return -1;
    try {
        auto made = reinterpret_borrow<module_>(module);
        definition->fill(made);
        definition->made = made.release().ptr();
        definition->interpreter = PyInterpreterState_Get();
        return 0;
    } catch (error_already_set &error) {
        raise_from(error, PyExc_ImportError, "initialization failed");
    } catch (const std::exception &error) {
        PyErr_SetString(PyExc_ImportError, error.what());
    } catch (abi::__forced_unwind &) {
        throw;
    } catch (...) {
        translate(std::current_exception());
    }
    return -1;
}

}  // namespace

bool has_module = false;

bool is_free_threaded() { return std::strstr(Py_GetVersion(), "free-threading") != nullptr; }

PyObject *start_module(module_definition &definition, const char *name, void (*fill)(module_ &)) {
    if (is_free_threaded()) {
        PyErr_Format(PyExc_ImportError, "%s: expected a Python with a GIL, got %s", name, Py_GetVersion());
        return nullptr;
    }
    static PyModuleDef_Slot slots[] = {{Py_mod_create, reinterpret_cast<void *>(create_module)},
                                       {Py_mod_exec, reinterpret_cast<void *>(fill_module)},
                                       {0, nullptr}};
    if (!definition.fill) {
        definition.python = PyModuleDef{PyModuleDef_HEAD_INIT, name, nullptr, 0, nullptr, slots, nullptr, nullptr,
            nullptr};
        definition.fill = fill;
    }
    return PyModuleDef_Init(&definition.python);
}

}  // namespace detail
}  // namespace pybind11
