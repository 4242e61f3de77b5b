// portable/runtime/python/classes.cpp: Python classes of C++ classes: their metaclass, instances and conversions.
#include "portable/python/module.h"

#include <cstdlib>
#include <cxxabi.h>
#include <typeindex>
#include <unordered_map>

namespace pybind11 {
namespace detail {

namespace {

// The tables are never destroyed: instances may die after the static objects.
std::unordered_map<std::type_index, class_record *> &classes_by_cpp_type() {
    static auto *all = new std::unordered_map<std::type_index, class_record *>;
    return *all;
}
std::unordered_map<PyTypeObject *, class_record *> &classes_by_python_type() {
    static auto *all = new std::unordered_map<PyTypeObject *, class_record *>;
    return *all;
}
std::unordered_multimap<const void *, instance *> &instances() {
    static auto *all = new std::unordered_multimap<const void *, instance *>;
    return *all;
}

instance *as_instance(PyObject *value) { return reinterpret_cast<instance *>(value); }
PyObject *as_object(PyTypeObject *type) { return reinterpret_cast<PyObject *>(type); }

/// Calls `visit` with the address of the value as each of its bases that lies elsewhere.
template <class Visit> void visit_bases(const class_record *record, void *value, const Visit &visit) {
    for (const base_link &base : record->bases) {
        void *address = base.upcast(value);
        if (address != value) visit(address);
        visit_bases(base.record, address, visit);
    }
}

void remove_from_index(instance *self, const void *address) {
    auto [at, end] = instances().equal_range(address);
    for (; at != end; ++at) {
        if (at->second == self) {
            instances().erase(at);
            return;
        }
    }
}

void clear_value(instance *self) {
    if (self->is_indexed) {
        remove_from_index(self, self->value);
        visit_bases(self->record, self->value, [self](void *address) { remove_from_index(self, address); });
        self->is_indexed = false;
    }
    if (self->destroy) {
        error_scope pending;
        std::exchange(self->destroy, nullptr)(self);
    }
    self->value = nullptr;
}

// ---- slots of the root class

void destroy_instance(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    instance *self = as_instance(object);
    if (PyType_GetFlags(type) & Py_TPFLAGS_HAVE_GC) PyObject_GC_UnTrack(object);
    if (self->weak_references) PyObject_ClearWeakRefs(object);
    clear_value(self);
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

PyObject *new_object(PyTypeObject *type, PyObject *, PyObject *) { return PyType_GenericAlloc(type, 0); }

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
        PyErr_SetString(PyExc_TypeError, "__dict__ must be set to a dictionary");
        return -1;
    }
    Py_INCREF(value);
    Py_XDECREF(std::exchange(as_instance(object)->attributes, value));
    return 0;
}

int fill_buffer(PyObject *object, buffer_view *view, int flags);
void free_buffer(PyObject *, buffer_view *view) { delete static_cast<buffer_info *>(view->internal); }

// ---- the metaclass: constructs, and keeps static properties when they are assigned

PyTypeObject *static_property_type() {
    static PyTypeObject *type = [] {
        dict scope;
        exec("class static_property(property):\n"
             "    def __get__(self, owner, cls=None):\n"
             "        return property.__get__(self, cls, cls)\n"
             "    def __set__(self, owner, value):\n"
             "        property.__set__(self, owner if isinstance(owner, type) else type(owner), value)\n",
             scope);
        return reinterpret_cast<PyTypeObject *>(object(scope["static_property"]).release().ptr());
    }();
    return type;
}

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
        class_record *record = nullptr;
        auto found = classes_by_python_type().find(reinterpret_cast<PyTypeObject *>(type));
        if (found != classes_by_python_type().end()) record = found->second;
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
    auto found = classes_by_python_type().find(reinterpret_cast<PyTypeObject *>(type));
    if (found != classes_by_python_type().end() && found->second->constructor) {
        PyObject *made = PyType_GenericAlloc(found->second->python_type, 0);
        if (!made) return nullptr;
        PyObject *status = call_records(found->second->constructor, made, arguments, named);
        if (status) {
            Py_DECREF(status);
            return made;
        }
        Py_DECREF(made);
        return nullptr;
    }
    static auto call_type = reinterpret_cast<ternaryfunc>(PyType_GetSlot(&PyType_Type, Py_tp_call));
    PyObject *made = call_type(type, arguments, named);
    if (made && is_instance(made) && !as_instance(made)->value) {
        PyObject *name = PyObject_GetAttrString(as_object(find_class(Py_TYPE(made))->python_type), "__qualname__");
        PyObject *module = PyObject_GetAttrString(as_object(find_class(Py_TYPE(made))->python_type), "__module__");
        if (name && module)
            PyErr_Format(PyExc_TypeError, "%U.%U.__init__() must be called when overriding __init__", module, name);
        Py_XDECREF(name);
        Py_XDECREF(module);
        Py_CLEAR(made);
    }
    return made;
}

PyObject *make_type(PyType_Spec &spec, PyObject *bases) { return checked(PyType_FromSpecWithBases(&spec, bases)); }

PyObject *metaclass() {
    static PyType_Slot slots[] = {
        {Py_tp_call, reinterpret_cast<void *>(construct_instance)},
        {Py_tp_setattro, reinterpret_cast<void *>(set_class_attribute)},
        {0, nullptr},
    };
    static PyType_Spec spec = {"torchthaw.class_type", 0, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    static PyObject *type = make_type(spec, as_object(&PyType_Type));
    return type;
}

/// The base of all classes; those with buffers and those with attributes have bases of their own besides.
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
    static PyType_Spec spec = {"torchthaw.instance", sizeof(instance), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
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

int fill_buffer(PyObject *object, buffer_view *view, int flags) {
    try {
        const class_record *record = find_class(Py_TYPE(object));
        while (record && !record->get_buffer) record = record->bases.empty() ? nullptr : record->bases[0].record;
        void *found = record ? record->get_buffer(object, record->get_buffer_data) : nullptr;
        if (!found) throw buffer_error("pybind11_getbuffer(): Internal error");
        std::unique_ptr<buffer_info> info(static_cast<buffer_info *>(found));
        constexpr int writable = 1, formatted = 4, with_shape = 8, with_strides = 0x18;
        if ((flags & writable) && info->readonly) throw buffer_error("Writable buffer requested for readonly storage");
        *view = buffer_view{info->ptr, object, info->itemsize * info->size, info->itemsize, info->readonly ? 1 : 0, 1,
                            nullptr, nullptr, nullptr, nullptr, info.get()};
        if (flags & formatted) view->format = const_cast<char *>(info->format.c_str());
        if (flags & with_shape) {
            view->ndim = static_cast<int>(info->ndim);
            view->shape = info->shape.data();
        }
        if ((flags & with_strides) == with_strides) view->strides = info->strides.data();
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

// ---- records

class_record *find_class(const std::type_info &type) {
    auto found = classes_by_cpp_type().find(type);
    return found == classes_by_cpp_type().end() ? nullptr : found->second;
}
class_record *find_class(PyTypeObject *type) {
    auto &all = classes_by_python_type();
    auto found = all.find(type);
    if (found != all.end()) return found->second;
    object order = owned(PyObject_GetAttrString(as_object(type), "__mro__"));
    ssize_t count = PyTuple_Size(order.ptr());
    for (ssize_t i = 1; i < count; ++i) {
        found = all.find(reinterpret_cast<PyTypeObject *>(PyTuple_GetItem(order.ptr(), i)));
        if (found != all.end()) return found->second;
    }
    return nullptr;
}

std::string readable_name(const std::type_info &type) {
    int status = 0;
    char *name = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
    std::string text = name ? name : type.name();
    std::free(name);
    return text;
}
void fail_unregistered(const std::type_info &type) {
    throw type_error("Unregistered type : " + readable_name(type));
}

PyObject *make_class(class_record &record, class_description &description) {
    handle scope = description.scope;
    if (scope && hasattr(scope, description.name) && getattr(scope, "__dict__").contains(description.name))
        pybind11_fail("generic_type: cannot initialize type \"" + std::string(description.name) +
                      "\": an object with that name is already defined");
    if (find_class(*record.cpp_type))
        pybind11_fail("generic_type: type \"" + std::string(description.name) + "\" is already registered!");
    dict members;
    object module, qualified_name = str(description.name);
    if (scope) {
        bool is_class = PyType_Check(scope.ptr());
        module = getattr(scope, is_class ? "__module__" : "__name__", none());
        if (is_class) qualified_name = str(std::string(str(getattr(scope, "__qualname__"))) + "." + description.name);
        members["__module__"] = module;
    }
    members["__qualname__"] = qualified_name;
    members["__slots__"] = tuple(0);
    members["__init__"] = getattr(root_type(), "__init__");  // bases' constructors do not make this class
    if (!description.doc.empty() && shows_user_texts()) members["__doc__"] = str(description.doc);
    if (description.has_buffer) description.python_bases.push_back(borrowed(buffer_root_type()));
    if (record.dynamic_attributes) description.python_bases.push_back(borrowed(attributes_root_type()));
    if (description.python_bases.empty()) description.python_bases.push_back(borrowed(root_type()));
    tuple bases(description.python_bases.size());
    for (size_t i = 0; i < bases.size(); ++i) bases[i] = description.python_bases[i];

    object made = handle(metaclass())(description.name, bases, members);
    record.python_type = reinterpret_cast<PyTypeObject *>(made.ptr());
    classes_by_cpp_type()[*record.cpp_type] = &record;
    classes_by_python_type()[record.python_type] = &record;
    made.inc_ref();  // the record's
    if (scope) setattr(scope, description.name, made);
    return made.release().ptr();
}

void set_method(handle class_, const char *name, handle function) {
    setattr(class_, name, function);
    if (std::string_view(name) == "__eq__" && !getattr(class_, "__dict__").contains("__hash__"))
        setattr(class_, "__hash__", none());
}
void set_static_method(handle class_, const char *name, handle function) {
    setattr(class_, name, staticmethod(borrowed(function.ptr())));
}
void set_property(handle class_, const char *name, handle getter, handle setter, const std::string &doc,
                  bool is_static) {
    handle type = as_object(is_static ? static_property_type() : &PyProperty_Type);
    object get = getter ? borrowed(getter.ptr()) : none(), set = setter ? borrowed(setter.ptr()) : none();
    setattr(class_, name, type(get, set, none(), shows_user_texts() ? doc : std::string()));
}

// ---- instances

bool is_instance(PyObject *value) {
    return PyObject_TypeCheck(value, reinterpret_cast<PyTypeObject *>(root_type()));
}

void *upcast(const class_record *from, void *value, const class_record *target) {
    if (from == target) return value;
    for (const base_link &base : from->bases) {
        if (void *found = upcast(base.record, base.upcast(value), target)) return found;
    }
    return nullptr;
}

bool load_instance(const class_record *target, PyObject *source, bool convert, void *&value, object &temporary) {
    if (!target) return false;
    if (is_instance(source)) {
        instance *self = as_instance(source);
        if (!PyType_IsSubtype(Py_TYPE(source), target->python_type)) {
            // Its C++ class may still be a base that Python does not know: there is none.
        } else if (!self->value) {
            throw value_error("The object has no value: __init__ was not called");
        } else if (void *found = upcast(self->record, self->value, target)) {
            value = found;
            return true;
        }
    }
    if (!convert) return false;
    if (source == Py_None) {
        value = nullptr;
        return true;
    }
    for (auto make : target->implicit_conversions) {
        temporary = maybe_owned(make(source, target->python_type));
        if (temporary && is_instance(temporary.ptr()) && as_instance(temporary.ptr())->value) {
            instance *made = as_instance(temporary.ptr());
            value = upcast(made->record, made->value, target);
            return value != nullptr;
        }
    }
    return false;
}

PyObject *find_instance(const void *value, const class_record *record) {
    auto [at, end] = instances().equal_range(value);
    for (; at != end; ++at) {
        const instance *self = at->second;
        if (upcast(self->record, self->value, record) == value) return reinterpret_cast<PyObject *>(at->second);
    }
    return nullptr;
}

void adopt_value(instance *self, void *value, const class_record *record) {
    self->value = value;
    self->record = record;
    instances().emplace(value, self);
    visit_bases(record, value, [self](void *address) { instances().emplace(address, self); });
    self->is_indexed = true;
}

instance *new_instance(const class_record *record) { return as_instance(PyType_GenericAlloc(record->python_type, 0)); }

namespace {

/// An existing instance, or a new one that `own` fills; null with an error.
template <class Own> PyObject *wrap(const value_source &source, const Own &own) {
    if (!source.record) {
        PyErr_SetString(PyExc_TypeError, ("Unregistered type : " + readable_name(*source.type)).c_str());
        return nullptr;
    }
    if (PyObject *existing = find_instance(source.value, source.record)) {
        Py_INCREF(existing);
        return existing;
    }
    instance *made = new_instance(source.record);
    if (!made) return nullptr;
    object owner = maybe_owned(reinterpret_cast<PyObject *>(made));
    own(made);
    return owner.release().ptr();
}

}  // namespace

PyObject *wrap_value(const value_source &source, return_value_policy policy, handle parent) {
    return wrap(source, [&](instance *made) {
        void *value = const_cast<void *>(source.value);
        bool is_owned = true;
        if (policy == return_value_policy::copy || (policy == return_value_policy::move && !source.move)) {
            if (!source.copy) {
                bool is_move = policy == return_value_policy::move;
                throw cast_error(std::string("return_value_policy = ") + (is_move ? "move" : "copy") + ", but type " +
                                 readable_name(*source.type) +
                                 (is_move ? " is neither movable nor copyable!" : " is non-copyable!"));
            }
            value = source.copy(value);
        } else if (policy == return_value_policy::move) {
            value = source.move(value);
        } else if (policy == return_value_policy::reference || policy == return_value_policy::automatic_reference) {
            is_owned = false;
        } else if (policy == return_value_policy::reference_internal) {
            is_owned = false;
            keep_alive_impl(reinterpret_cast<PyObject *>(made), parent);
        }
        adopt_value(made, value, source.record);
        if (is_owned) source.record->take_ownership(made, value);
    });
}
PyObject *wrap_shared(const value_source &source, std::shared_ptr<void> owner) {
    return wrap(source, [&](instance *made) {
        adopt_value(made, const_cast<void *>(source.value), source.record);
        holder_operations<void, std::shared_ptr<void>>::hold(made, std::move(owner));
    });
}
PyObject *wrap_custom(const value_source &source, void (*fill)(instance *, const void *), const void *holder) {
    return wrap(source, [&](instance *made) {
        adopt_value(made, const_cast<void *>(source.value), source.record);
        fill(made, holder);
    });
}

std::shared_ptr<void> share_instance(PyObject *source) {
    instance *self = as_instance(source);
    if (self->is_shared) return self->shared();
    Py_INCREF(source);
    return std::shared_ptr<void>(source, [](void *last) {
        gil_scoped_acquire gil;
        Py_DECREF(static_cast<PyObject *>(last));
    });
}

bool can_fill(PyObject *source, const class_record *record) {
    return PyType_IsSubtype(Py_TYPE(source), record->python_type) && find_class(Py_TYPE(source)) == record;
}
void fill(const new_instance_self &place, void *value) {
    if (!value) throw type_error("pybind11::init(): factory function returned nullptr");
    adopt_value(place.self, value, place.record);
    place.record->take_ownership(place.self, value);
}
void fill_shared(const new_instance_self &place, void *value, std::shared_ptr<void> owner) {
    if (!value) throw type_error("pybind11::init(): factory function returned nullptr");
    adopt_value(place.self, value, place.record);
    holder_operations<void, std::shared_ptr<void>>::hold(place.self, std::move(owner));
}
void fail_without_trampoline() {
    throw type_error("pybind11::init(): construction failed: returned holder-wrapped instance is not an alias "
                     "instance");
}

void keep_alive_impl(handle nurse, handle patient) {
    if (!nurse || !patient) pybind11_fail("Could not activate keep_alive!");
    if (patient.is_none() || nurse.is_none()) return;
    if (is_instance(nurse.ptr())) {
        PyObject *&patients = as_instance(nurse.ptr())->patients;
        if (!patients) patients = checked(PyList_New(0));
        checked(PyList_Append(patients, patient.ptr()));
        return;
    }
    // The patient lives until the nurse's weak reference calls back, which also drops the weak reference.
    PyObject *kept = patient.inc_ref().ptr();
    cpp_function disable([kept](handle reference) {
        Py_DECREF(kept);
        reference.dec_ref();
    });
    weakref(nurse, disable).release();
}

// ---- overriding in Python

object find_override(const void *value, const class_record *record, const char *name) {
    PyObject *self = record ? find_instance(value, record) : nullptr;
    if (!self || Py_TYPE(self) == as_instance(self)->record->python_type) return {};
    object found = getattr(as_object(Py_TYPE(self)), name, none());
    if (found.is_none() || record_of(found.ptr())) return {};
    // A Python method that calls its C++ base gets the base, not itself again.
    if (PyFrameObject *frame = PyEval_GetFrame()) {
        handle current = reinterpret_cast<PyObject *>(frame);
        object code = current.attr("f_code");
        if (std::string(str(code.attr("co_name"))) == name && int(int_(code.attr("co_argcount"))) > 0) {
            object locals = current.attr("f_locals");
            object first = code.attr("co_varnames")[0];
            object caller = maybe_owned(PyObject_GetItem(locals.ptr(), first.ptr()));
            if (!caller) PyErr_Clear();
            if (caller.ptr() == self) return {};
        }
    }
    return getattr(self, name);
}

}  // namespace detail
}  // namespace pybind11
