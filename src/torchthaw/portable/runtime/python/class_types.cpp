// portable/runtime/python/class_types.cpp: the root types of all classes, with their slots and buffers, and the metaclass.
#include "class_types.h"

#include <cxxabi.h>

namespace pybind11 {
namespace detail {

using namespace literals;

namespace {

void remove_from_index(instance *self, const void *address) {
    auto &instances = get_internals().registered_instances;
    auto [at, end] = instances.equal_range(address);
    for (; at != end; ++at) {
        if (at->second == self) {
            instances.erase(at);
            return;
        }
    }
}

void clear_value(instance *self, held_value *place) {
    if (place->is_indexed) {
        remove_from_index(self, place->value);
        visit_bases(place->record, place->value, [self](void *address) { remove_from_index(self, address); });
        place->is_indexed = false;
    }
    if (auto destroy = std::exchange(place->destroy, nullptr)) {
        error_scope pending;
        if (place->record->releases_gil) {
            gil_scoped_release release;
            destroy(place);
        } else {
            destroy(place);
        }
    }
    place->value = nullptr;
}

// ---- slots of the root class

void destroy_instance(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    instance *self = as_instance(object);
    if (PyType_GetFlags(type) & Py_TPFLAGS_HAVE_GC) PyObject_GC_UnTrack(object);
    if (self->weak_references) PyObject_ClearWeakRefs(object);
    for (size_t i = 0; i < self->count(); ++i) clear_value(self, &self->held(i));
    delete[] std::exchange(self->others, nullptr);
    Py_CLEAR(self->attributes);
    Py_CLEAR(self->patients);
    reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

int refuse_init(PyObject *self, PyObject *, PyObject *) {
    PyObject *name = PyObject_GetAttrString(as_object(Py_TYPE(self)), "__qualname__");
    PyObject *module = PyObject_GetAttrString(as_object(Py_TYPE(self)), "__module__");
    if (name && module) PyErr_Format(PyExc_TypeError, "%S.%S: No constructor defined!", module, name);
    Py_XDECREF(name);
    Py_XDECREF(module);
    return -1;
}

PyObject *new_object(PyTypeObject *type, PyObject *, PyObject *) {
    try {
        size_t count = classes_of(type).size();
        PyObject *made = PyType_GenericAlloc(type, 0);
        if (made && count > 1) {
            as_instance(made)->others = new held_value[count - 1]();
            as_instance(made)->other_count = count - 1;
        }
        return made;
    } catch (abi::__forced_unwind &) {
        throw;
    } catch (...) {
        translate(std::current_exception());
        return nullptr;
    }
}

int visit_instance(PyObject *object, visitproc visit, void *arg) {
    Py_VISIT(as_instance(object)->attributes);
    Py_VISIT(Py_TYPE(object));
    return 0;
}
int clear_instance(PyObject *object) {
    Py_CLEAR(as_instance(object)->attributes);
    return 0;
}

PyObject *read_attributes(PyObject *object, void *) {
    PyObject *&attributes = as_instance(object)->attributes;
    if (!attributes) attributes = PyDict_New();
    Py_XINCREF(attributes);
    return attributes;
}
int write_attributes(PyObject *object, PyObject *value, void *) {
    if (!value || !PyDict_Check(value)) {
        PyObject *name = value ? PyObject_GetAttrString(as_object(Py_TYPE(value)), "__name__") : nullptr;
        if (!value) PyErr_SetString(PyExc_TypeError, "cannot delete __dict__");
        if (name) PyErr_Format(PyExc_TypeError, "__dict__ must be set to a dictionary, not a '%U'", name);
        Py_XDECREF(name);
        return -1;
    }
    Py_INCREF(value);
    Py_XDECREF(std::exchange(as_instance(object)->attributes, value));
    return 0;
}

// ---- buffers

void free_buffer(PyObject *, buffer_view *view) { delete static_cast<buffer_info *>(view->internal); }

/// What of a buffer is without gaps, as a consumer asks for it.
bool has_order(const buffer_info &info, bool is_fortran) {
    ssize_t expected = info.itemsize;
    for (size_t i = 0; i < info.shape.size(); ++i) {
        size_t axis = is_fortran ? i : info.shape.size() - 1 - i;
        if (info.shape[axis] == 0) return true;
        if (info.shape[axis] > 1 && info.strides[axis] != expected) return false;
        expected *= info.shape[axis];
    }
    return true;
}
void check_order(const buffer_info &info, int flags) {
    auto wants = [flags](int all) { return (flags & all) == all; };
    if (wants(PyBUF_C_CONTIGUOUS) || !wants(PyBUF_STRIDES)) {
        if (!has_order(info, false)) throw buffer_error("C-contiguous buffer requested for discontiguous storage");
    } else if (wants(PyBUF_F_CONTIGUOUS)) {
        if (!has_order(info, true)) throw buffer_error("Fortran-contiguous buffer requested for discontiguous storage");
    } else if (wants(PyBUF_ANY_CONTIGUOUS)) {
        if (!has_order(info, false) && !has_order(info, true))
            throw buffer_error("Contiguous buffer requested for discontiguous storage");
    }
}

std::unique_ptr<buffer_info> buffer_of(PyObject *object) {
    const class_record *record = find_class(Py_TYPE(object));
    while (record && !record->get_buffer) record = record->bases.empty() ? nullptr : record->bases[0].record;
    if (!record) throw buffer_error("pybind11_getbuffer(): Internal error");
    try {
        return std::unique_ptr<buffer_info>(static_cast<buffer_info *>(record->get_buffer(object,
            record->get_buffer_data)));
    } catch (abi::__forced_unwind &) {
        throw;
    } catch (...) {
        translate(std::current_exception());
        raise_from(PyExc_BufferError, "Error getting buffer");
        throw error_already_set();
    }
}

int fill_buffer(PyObject *object, buffer_view *view, int flags) {
    try {
        std::unique_ptr<buffer_info> info = buffer_of(object);
        if (!info) throw buffer_error("pybind11_getbuffer(): Internal error");
        if ((flags & PyBUF_WRITABLE) && info->readonly)
            throw buffer_error("Writable buffer requested for readonly storage");
        check_order(*info, flags);
        bool has_strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES, has_shape = (flags & PyBUF_ND) != 0;
        *view = buffer_view{info->ptr, object, info->itemsize * info->size, info->itemsize, info->readonly ? 1 : 0,
                            has_shape ? static_cast<int>(info->ndim) : 0, nullptr, nullptr, nullptr, nullptr,
                                info.get()};
        if (flags & PyBUF_FORMAT) view->format = const_cast<char *>(info->format.c_str());
        if (has_shape) view->shape = info->shape.data();
        if (has_strides) view->strides = info->strides.data();
        info.release();
        Py_INCREF(object);
        return 0;
    } catch (abi::__forced_unwind &) {
        throw;
    } catch (...) {
        view->obj = nullptr;
        translate(std::current_exception());
        return -1;
    }
}

}  // namespace

// ---- the metaclass: constructs, and keeps static properties when they are assigned

PyTypeObject *static_property_type() {
    static PyTypeObject *type = [] {
        dict scope("__name__"_a = "pybind11_builtins");
        exec("class pybind11_static_property(property):\n"
             "    def __get__(self, owner, cls=None):\n"
             "        return property.__get__(self, cls, cls)\n"
             "    def __set__(self, owner, value):\n"
             "        property.__set__(self, owner if isinstance(owner, type) else type(owner), value)\n",
             scope);
        return reinterpret_cast<PyTypeObject *>(object(scope["pybind11_static_property"]).release().ptr());
    }();
    return type;
}

namespace {

/// What the class or a base has under a name, without descriptors; borrowed, or null.
PyObject *look_up(PyObject *type, PyObject *name) {
    object order = owned(PyObject_GetAttrString(type, "__mro__"));
    for (handle base : order) {
        object members = owned(PyObject_GetAttrString(base.ptr(), "__dict__"));
        PyObject *found = PyObject_GetItem(members.ptr(), name);
        if (found) {
            Py_DECREF(found);  // the class keeps it
            return found;
        }
        PyErr_Clear();
    }
    return nullptr;
}

int set_class_attribute(PyObject *type, PyObject *name, PyObject *value) {
    try {
        class_record *record = own_record(reinterpret_cast<PyTypeObject *>(type));
        PyObject *before = value ? look_up(type, name) : nullptr;
        bool is_static = before && PyObject_TypeCheck(before, static_property_type()) &&
                         !PyObject_TypeCheck(value, static_property_type());
        if (is_static) {
            auto set = reinterpret_cast<descrsetfunc>(PyType_GetSlot(Py_TYPE(before), Py_tp_descr_set));
            return set(before, type, value);
        }
        static auto set_attribute = reinterpret_cast<setattrofunc>(PyType_GetSlot(&PyType_Type, Py_tp_setattro));
        int status = set_attribute(type, name, value);
        if (status == 0 && record && PyUnicode_CompareWithASCIIString(name, "__init__") == 0)
            record->constructor = value ? record_of(value) : nullptr;
        if (status == 0 && record && PyUnicode_CompareWithASCIIString(name, "__new__") == 0)
            record->constructor = nullptr;
        return status;
    } catch (abi::__forced_unwind &) {
        throw;
    } catch (...) {
        translate(std::current_exception());
        return -1;
    }
}

PyObject *construct_instance(PyObject *type, PyObject *arguments, PyObject *named) {
    const class_record *record = own_record(reinterpret_cast<PyTypeObject *>(type));
    if (record && record->constructor) {
        PyObject *made = PyType_GenericAlloc(record->python_type, 0);
        if (!made) return nullptr;
        PyObject *status = call_records(record->constructor, made, arguments, named);
        if (status) {
            Py_DECREF(status);
            return made;
        }
        Py_DECREF(made);
        return nullptr;
    }
    static auto call_type = reinterpret_cast<ternaryfunc>(PyType_GetSlot(&PyType_Type, Py_tp_call));
    PyObject *made = call_type(type, arguments, named);
    if (!made || !is_instance(made)) return made;
    for (size_t i = 0; i < as_instance(made)->count(); ++i) {
        if (as_instance(made)->held(i).value) continue;
        PyObject *missing = as_object(classes_of(Py_TYPE(made))[i]->python_type);
        PyObject *name = PyObject_GetAttrString(missing, "__qualname__");
        PyObject *module = PyObject_GetAttrString(missing, "__module__");
        if (name && module)
            PyErr_Format(PyExc_TypeError, "%U.%U.__init__() must be called when overriding __init__", module, name);
        Py_XDECREF(name);
        Py_XDECREF(module);
        Py_DECREF(made);
        return nullptr;
    }
    return made;
}

PyObject *make_type(PyType_Spec &spec, PyObject *bases) { return checked(PyType_FromSpecWithBases(&spec, bases)); }

}  // namespace

PyObject *metaclass() {
    static PyType_Slot slots[] = {
        {Py_tp_call, reinterpret_cast<void *>(construct_instance)},
        {Py_tp_setattro, reinterpret_cast<void *>(set_class_attribute)},
        {0, nullptr},
    };
    static PyType_Spec spec = {"pybind11_builtins.pybind11_type", 0, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
        slots};
    static PyObject *type = make_type(spec, as_object(&PyType_Type));
    return type;
}

PyObject *root_type() {
    static PyMemberDef members[] = {
        {"__weaklistoffset__", T_PYSSIZET, offsetof(instance, weak_references), READONLY, nullptr},
        {nullptr, 0, 0, 0, nullptr},
    };
    static PyType_Slot slots[] = {
        {Py_tp_dealloc, reinterpret_cast<void *>(destroy_instance)},
        {Py_tp_new, reinterpret_cast<void *>(new_object)},
        {Py_tp_init, reinterpret_cast<void *>(refuse_init)},
        {Py_tp_members, members},
        {0, nullptr},
    };
    static PyType_Spec spec = {"pybind11_builtins.pybind11_object", sizeof(instance), 0,
        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
        slots};
    static PyObject *type = make_type(spec, as_object(&PyBaseObject_Type));
    return type;
}
PyObject *buffer_root_type() {
    constexpr int getbuffer_slot = 1, releasebuffer_slot = 2;  // named in the limited API from 3.11 on
    static PyType_Slot slots[] = {
        {getbuffer_slot, reinterpret_cast<void *>(fill_buffer)},
        {releasebuffer_slot, reinterpret_cast<void *>(free_buffer)},
        {0, nullptr},
    };
    static PyType_Spec spec = {"torchthaw.buffer_instance", sizeof(instance), 0,
        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    static PyObject *type = make_type(spec, root_type());
    return type;
}
PyObject *attributes_root_type() {
    static PyMemberDef members[] = {
        {"__dictoffset__", T_PYSSIZET, offsetof(instance, attributes), READONLY, nullptr},
        {nullptr, 0, 0, 0, nullptr},
    };
    static PyGetSetDef properties[] = {{"__dict__", read_attributes, write_attributes, nullptr, nullptr},
                                       {nullptr, nullptr, nullptr, nullptr, nullptr}};
    static PyType_Slot slots[] = {
        {Py_tp_traverse, reinterpret_cast<void *>(visit_instance)},
        {Py_tp_clear, reinterpret_cast<void *>(clear_instance)},
        {Py_tp_members, members},
        {Py_tp_getset, properties},
        {0, nullptr},
    };
    static PyType_Spec spec = {"torchthaw.attributes_instance", sizeof(instance), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};
    static PyObject *type = make_type(spec, root_type());
    return type;
}

}  // namespace detail
}  // namespace pybind11
