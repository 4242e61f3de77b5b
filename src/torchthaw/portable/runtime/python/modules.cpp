// portable/runtime/python/modules.cpp: modules, printing, evaluation and iterators.
#include <cxxabi.h>

#include "portable/python/module.h"

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
    attr(name) = made;
    return made;
}
void module_::add_object(const char *name, handle value, bool overwrite) {
    if (!overwrite && hasattr(*this, name))
        pybind11_fail("Error during initialization: multiple incompatible definitions with name \"" +
                      std::string(name) + "\"");
    setattr(*this, name, value);
}

dict globals() {
    PyObject *found = PyEval_GetGlobals();
    if (found) return reinterpret_borrow<dict>(found);
    return module_::import("__main__").attr("__dict__");
}

namespace detail {

void print_values(const call_arguments &values) { values.call(module_::import("builtins").attr("print").get()); }

PyObject *run_source(const str &source, int start, object globals_in, object locals_in) {
    object all = globals_in ? globals_in : object(globals());
    object local = locals_in ? locals_in : all;
    if (!all.contains("__builtins__")) all["__builtins__"] = module_::import("builtins");
    object code = owned(Py_CompileString(std::string(source).c_str(), "<string>", start));
    return PyEval_EvalCode(code.ptr(), all.ptr(), local.ptr());
}

namespace {

struct iterator_object {
    PyObject_HEAD
    void *state;
    PyObject *(*next)(void *);
    void (*destroy)(void *);
    PyObject *weak_references;
};

PyObject *next_value(PyObject *object) {
    auto *self = reinterpret_cast<iterator_object *>(object);
    try {
        return self->next(self->state);
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

PyObject *iterator_type() {
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
    static PyType_Spec spec = {"torchthaw.iterator", sizeof(iterator_object), 0, Py_TPFLAGS_DEFAULT, slots};
    static PyObject *type = checked(PyType_FromSpec(&spec));
    return type;
}

}  // namespace

PyObject *new_iterator(void *state, PyObject *(*next)(void *), void (*destroy)(void *)) {
    PyObject *made = PyType_GenericAlloc(reinterpret_cast<PyTypeObject *>(iterator_type()), 0);
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

PyObject *initialize_module(PyModuleDef *definition, void (*fill)(module_ &)) {
    if (prepare_module && !prepare_module()) return nullptr;
    try {
        auto made = reinterpret_steal<module_>(checked(PyModule_Create(definition)));
        fill(made);
        return made.release().ptr();
    } catch (error_already_set &error) {
        raise_from(error, PyExc_ImportError, "initialization failed");
    } catch (const std::exception &error) {
        PyErr_SetString(PyExc_ImportError, error.what());
    } catch (abi::__forced_unwind &) {
        throw;
    } catch (...) {
        translate(std::current_exception());
    }
    return nullptr;
}

}  // namespace detail
}  // namespace pybind11
