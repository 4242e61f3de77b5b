// portable/runtime/python/classes.cpp: Python classes of C++ classes: their metaclass, instances and conversions.
#include "portable/python/objects/eval.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>

namespace pybind11 {
namespace detail {

using namespace literals;

namespace {

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

int fill_buffer(PyObject *object, buffer_view *view, int flags);
void free_buffer(PyObject *, buffer_view *view) { delete static_cast<buffer_info *>(view->internal); }

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

/// The record of a class that class_ made; null for others.
class_record *own_record(PyTypeObject *type) {
    auto &all = get_internals().registered_types_py;
    auto found = all.find(type);
    if (found == all.end() || found->second.size() != 1 || found->second[0]->python_type != type) return nullptr;
    return found->second[0];
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

// ---- records

internals &get_internals() {
    static auto *all = new internals;
    return *all;
}
internals &get_local_internals() { return get_internals(); }
size_t num_registered_instances() { return get_internals().registered_instances.size(); }

class_record *find_class(const std::type_info &type) {
    auto &all = get_internals().registered_types_cpp;
    auto found = all.find(type);
    return found == all.end() ? nullptr : found->second;
}
class_record *get_type_info(const std::type_info &type, bool throws_if_missing) {
    class_record *found = find_class(type);
    if (!found && throws_if_missing)
        pybind11_fail("pybind11::detail::get_type_info: unable to find type info for \"" + readable_name(type) + "\"");
    return found;
}
class_record *find_class(PyTypeObject *type) {
    const auto &found = classes_of(type);
    return found.empty() ? nullptr : found[0];
}

namespace {

/// The registered classes among a type's bases, without those that others of them derive from.
std::vector<class_record *> collect_classes(PyTypeObject *type) {
    std::vector<class_record *> found;
    object order = owned(PyObject_GetAttrString(as_object(type), "__mro__"));
    for (handle base : order) {
        class_record *record = own_record(reinterpret_cast<PyTypeObject *>(base.ptr()));
        auto derives = [&](class_record *other) { return PyType_IsSubtype(other->python_type, record->python_type); };
        if (record && std::none_of(found.begin(), found.end(), derives)) found.push_back(record);
    }
    return found;
}

}  // namespace

const std::vector<class_record *> &classes_of(PyTypeObject *type) {
    auto &all = get_internals().registered_types_py;
    auto found = all.find(type);
    if (found != all.end()) return found->second;
    const auto &collected = all[type] = collect_classes(type);
    // A class of Python may end, and another get its address.
    cpp_function forget([type](handle reference) {
        get_internals().registered_types_py.erase(type);
        reference.dec_ref();
    });
    weakref(as_object(type), forget).release();
    return collected;
}

namespace {
/// Names of pybind11's own types have no namespaces.
void drop_namespaces(std::string &name) {
    for (const char *word : {"pybind11::", "torchthaw_1::"}) {
        size_t at;
        while ((at = name.find(word)) != std::string::npos) name.erase(at, std::strlen(word));
    }
}
}  // namespace

std::string readable_name(const std::type_info &type) {
    int status = 0;
    char *name = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
    std::string text = name ? name : type.name();
    std::free(name);
    drop_namespaces(text);
    return text;
}
void clean_type_id(std::string &name) {
    int status = 0;
    if (char *readable = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status)) {
        name = readable;
        std::free(readable);
    }
    drop_namespaces(name);
}
std::string obj_class_name(PyObject *value) {
    handle type = PyType_Check(value) ? value : as_object(Py_TYPE(value));
    std::string module = str(getattr(type, "__module__")), name = str(getattr(type, "__qualname__"));
    return module == "builtins" ? name : module + "." + name;
}
void fail_unregistered(const std::type_info &type) {
    get_type_info(type, true);
    std::abort();
}

void add_base(class_record &record, class_description &description, handle base) {
    if (!base || !PyType_Check(base.ptr())) pybind11_fail("class_: expected a class as a base");
    class_record *found = own_record(reinterpret_cast<PyTypeObject *>(base.ptr()));
    if (!found)
        pybind11_fail("generic_type: type \"" + std::string(description.name) + "\" referenced unknown base type \"" +
                      obj_class_name(base.ptr()) + "\"");
    record.bases.push_back({found, [](void *value) { return value; }});
    description.python_bases.push_back(borrowed(base.ptr()));
}

namespace {
/// A class and its bases have the default holder, or none of them has.
void check_holders(const class_record &record, const char *name) {
    bool is_default = record.holder == holder_kind::unique;
    for (const base_link &base : record.bases) {
        bool is_base_default = base.record->holder == holder_kind::unique;
        if (is_default == is_base_default) continue;
        pybind11_fail("generic_type: type \"" + std::string(name) + "\" " + (is_default ? "does not have" : "has") +
                      " a non-default holder type while its base \"" + readable_name(*base.record->cpp_type) + "\" " +
                      (is_base_default ? "does not" : "does"));
    }
}
}  // namespace

namespace {
/// What a final class has as __init_subclass__: the limited API makes no classes that Python itself refuses as bases.
object refuse_subclass(const char *name, handle module) {
    std::string text = "type '" + (module ? std::string(str(module)) + "." : std::string()) + name
        + "' is not an acceptable base type";
    cpp_function refuse([text](const args &, const kwargs &) { throw type_error(text); },
        pybind11::name("__init_subclass__"));
    return module_::import("builtins").attr("classmethod")(refuse);
}
}  // namespace

PyObject *make_class(class_record &record, class_description &description) {
    handle scope = description.scope;
    if (scope && hasattr(scope, description.name) && getattr(scope, "__dict__").contains(description.name))
        pybind11_fail("generic_type: cannot initialize type \"" + std::string(description.name) +
                      "\": an object with that name is already defined");
    if (find_class(*record.cpp_type))
        pybind11_fail("generic_type: type \"" + std::string(description.name) + "\" is already registered!");
    check_holders(record, description.name);
    for (const base_link &base : record.bases)
        if (base.record->dynamic_attributes) record.dynamic_attributes = true;
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
    if (description.is_final) members["__init_subclass__"] = refuse_subclass(description.name, module);
    if (!description.doc.empty() && shows_user_texts()) members["__doc__"] = str(description.doc);
    if (description.has_buffer) description.python_bases.push_back(borrowed(buffer_root_type()));
    if (record.dynamic_attributes) description.python_bases.push_back(borrowed(attributes_root_type()));
    if (description.python_bases.empty()) description.python_bases.push_back(borrowed(root_type()));
    tuple bases(description.python_bases.size());
    for (size_t i = 0; i < bases.size(); ++i) bases[i] = description.python_bases[i];

    handle maker = description.metaclass ? description.metaclass : handle(metaclass());
    object made = maker(description.name, bases, members);
    record.python_type = reinterpret_cast<PyTypeObject *>(made.ptr());
    get_internals().registered_types_cpp[*record.cpp_type] = &record;
    get_internals().registered_types_py[record.python_type] = {&record};
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

// ---- constructors of before pybind11 2.2: def("__init__", [](T &self, ...) { new (&self) T(...); })

namespace {
PyObject *in_old_constructor = nullptr;  // the object that such a function fills; the GIL guards it

/// Memory for the value that the function will make there; null outside such a function.
void *allocate_for_constructor(PyObject *source, held_value *place, const class_record *record) {
    if (source != in_old_constructor || Py_TYPE(source) == nullptr) return nullptr;
    place->record = record;
    return place->value = record->allocate();
}
}  // namespace

PyObject *run_old_constructor(const function_record &record, PyObject *const *arguments, std::uint64_t convert) {
    PyObject *before = std::exchange(in_old_constructor, arguments[0]);
    auto finish = [&](bool has_value) {
        in_old_constructor = before;
        instance *self = as_instance(arguments[0]);
        for (size_t i = 0; is_instance(arguments[0]) && i < self->count(); ++i) {
            held_value *place = &self->held(i);
            if (!place->value || place->is_indexed) continue;
            void *value = std::exchange(place->value, nullptr);
            if (has_value) {
                adopt_value(self, place, value, place->record);
                place->record->take_ownership(place, value);
            } else {
                place->record->deallocate(value);
            }
        }
    };
    try {
        PyObject *result = record.run_inside(record, arguments, convert);
        finish(result && result != try_next_overload);
        return result;
    } catch (...) {
        finish(false);
        throw;
    }
}

held_value *find_held(PyObject *source, const class_record *target) {
    if (!target || !is_instance(source) || !PyType_IsSubtype(Py_TYPE(source), target->python_type)) return nullptr;
    instance *self = as_instance(source);
    if (self->other_count == 0) return &self->first;
    const auto &records = classes_of(Py_TYPE(source));
    for (size_t i = 0; i < self->count(); ++i) {
        if (PyType_IsSubtype(records[i]->python_type, target->python_type)) return &self->held(i);
    }
    return nullptr;
}

bool load_instance(const class_record *target, PyObject *source, bool convert, void *&value, object &temporary) {
    if (!target) return false;
    if (held_value *place = find_held(source, target)) {
        if (!place->value && !allocate_for_constructor(source, place, target))
            throw value_error("The object has no value: __init__ was not called");
        if (void *found = upcast(place->record, place->value, target)) {
            value = found;
            return true;
        }
    }
    if (!convert) return false;
    for (auto make : target->implicit_conversions) {
        temporary = maybe_owned(make(source, target->python_type));
        held_value *place = temporary ? find_held(temporary.ptr(), target) : nullptr;
        if (place && place->value) {
            value = upcast(place->record, place->value, target);
            return value != nullptr;
        }
    }
    value = nullptr;
    return source == Py_None;
}

PyObject *find_instance(const void *value, const class_record *record) {
    auto [at, end] = get_internals().registered_instances.equal_range(value);
    for (; at != end; ++at) {
        held_value *place = find_held(reinterpret_cast<PyObject *>(at->second), record);
        if (place && place->value && upcast(place->record, place->value, record) == value)
            return reinterpret_cast<PyObject *>(at->second);
    }
    return nullptr;
}

void adopt_value(instance *self, held_value *place, void *value, const class_record *record) {
    place->value = value;
    place->record = record;
    auto &instances = get_internals().registered_instances;
    instances.emplace(value, self);
    visit_bases(record, value, [&](void *address) { instances.emplace(address, self); });
    place->is_indexed = true;
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
        adopt_value(made, &made->first, value, source.record);
        if (is_owned)
            source.record->take_ownership(&made->first, value);
        else if (source.record->join_owners)
            source.record->join_owners(&made->first, value);
    });
}
PyObject *wrap_shared(const value_source &source, std::shared_ptr<void> owner, handle parent) {
    if (source.record && source.record->holder != holder_kind::shared) {
        if (parent) return wrap_value(source, return_value_policy::reference_internal, parent);
        throw cast_error("Unable to convert std::shared_ptr<T> to Python when the bound type does not use "
                         "std::shared_ptr or py::smart_holder as its holder type");
    }
    return wrap(source, [&](instance *made) {
        adopt_value(made, &made->first, const_cast<void *>(source.value), source.record);
        holder_operations<void, std::shared_ptr<void>>::hold(&made->first, std::move(owner));
    });
}
PyObject *wrap_custom(const value_source &source, void (*fill)(held_value *, const void *), const void *holder) {
    return wrap(source, [&](instance *made) {
        adopt_value(made, &made->first, const_cast<void *>(source.value), source.record);
        fill(&made->first, holder);
    });
}

namespace {

held_value &require_holder(PyObject *source, const class_record *record, const std::type_info &holder) {
    if (record->holder == holder_kind::unique)
        throw cast_error("Unable to load a custom holder type from a default-holder instance");
    held_value *place = find_held(source, record);
    if (!place || !place->destroy)
        throw cast_error("Unable to cast from non-held to held instance (T& to Holder<T>) of type '" +
                         readable_name(holder) + "''");
    return *place;
}

}  // namespace

const std::shared_ptr<void> &share_instance(PyObject *source, const class_record *record,
    const std::type_info &holder) {
    held_value &place = require_holder(source, record, holder);
    if (!place.is_shared) throw cast_error("Unable to load a custom holder type from a default-holder instance");
    return place.shared();
}
void *holder_of(PyObject *source, const class_record *record, const std::type_info &holder) {
    held_value &place = require_holder(source, record, holder);
    if (place.is_shared) throw cast_error("Unable to load a custom holder type from a default-holder instance");
    return place.custom_holder();
}
void fail_to_disown(const std::type_info &type) {
    pybind11_fail("Passing `std::unique_ptr<T>` from Python to C++ requires `py::class_<T, py::smart_holder>` "
                  "(with T = " +
                  readable_name(type) + ")");
}

held_value *find_place(PyObject *source, const class_record *record) {
    if (!PyType_IsSubtype(Py_TYPE(source), record->python_type)) return nullptr;
    const auto &records = classes_of(Py_TYPE(source));
    for (size_t i = 0; i < records.size(); ++i) {
        if (records[i] == record) return &as_instance(source)->held(i);
    }
    return nullptr;
}
void fill(const new_instance_self &place, void *value) {
    if (!value) throw type_error("pybind11::init(): factory function returned nullptr");
    adopt_value(place.self, place.place, value, place.record);
    place.record->take_ownership(place.place, value);
}
void fill_shared(const new_instance_self &place, void *value, std::shared_ptr<void> owner) {
    if (!value) throw type_error("pybind11::init(): factory function returned nullptr");
    adopt_value(place.self, place.place, value, place.record);
    holder_operations<void, std::shared_ptr<void>>::hold(place.place, std::move(owner));
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
    if (!self || own_record(Py_TYPE(self))) return {};
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
