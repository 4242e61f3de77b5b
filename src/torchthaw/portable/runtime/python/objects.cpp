// portable/runtime/python/objects.cpp: attributes, elements, iteration, calls and conversions of Python's own types.
#include "portable/python/module.h"

#include <cstring>

namespace pybind11 {

namespace detail {

PyObject *checked(PyObject *new_reference) {
    if (!new_reference) throw error_already_set();
    return new_reference;
}
int checked(int status) {
    if (status < 0) throw error_already_set();
    return status;
}
bool compares(PyObject *left, PyObject *right, int operation) {
    return checked(PyObject_RichCompareBool(left, right, operation)) == 1;
}

PyObject *refuse_type(PyObject *value, const char *expected) {
    object type_name = owned(PyObject_GetAttrString(reinterpret_cast<PyObject *>(Py_TYPE(value)), "__name__"));
    PyErr_Format(PyExc_TypeError, "Object of type '%S' is not an instance of '%s'", type_name.ptr(), expected);
    return nullptr;
}
PyObject *to_bool(PyObject *value) {
    int truth = PyObject_IsTrue(value);
    return truth < 0 ? nullptr : PyBool_FromLong(truth);
}
PyObject *to_dict(PyObject *value) {
    return PyObject_CallFunctionObjArgs(reinterpret_cast<PyObject *>(&PyDict_Type), value, nullptr);
}
PyObject *to_set(PyObject *value) { return PySet_New(value); }
PyObject *to_frozenset(PyObject *value) { return PyFrozenSet_New(value); }
bool is_anyset(PyObject *value) { return PyAnySet_Check(value); }
bool is_set(PyObject *value) { return PySet_Check(value); }
bool is_frozenset(PyObject *value) { return PyFrozenSet_Check(value); }
bool is_weakref(PyObject *value) { return PyWeakref_Check(value); }
PyObject *to_weakref(PyObject *value) { return PyWeakref_NewRef(value, nullptr); }

namespace {
PyObject *builtin(const char *name) {
    return owned(PyImport_ImportModule("builtins")).attr(name).get().inc_ref().ptr();
}
}  // namespace

bool is_static_method(PyObject *value) {
    static PyObject *type = builtin("staticmethod");
    return PyObject_TypeCheck(value, reinterpret_cast<PyTypeObject *>(type));
}
long long as_signed(PyObject *value) {
    long long number = PyLong_AsLongLong(value);
    if (number == -1 && PyErr_Occurred()) throw error_already_set();
    return number;
}
unsigned long long as_unsigned(PyObject *value) {
    unsigned long long number = PyLong_AsUnsignedLongLong(value);
    if (number == ~0ull && PyErr_Occurred()) throw error_already_set();
    return number;
}

namespace {
[[noreturn]] void fail_to_convert(const std::string &argument, const std::type_info &type) {
    PyErr_Clear();
    throw cast_error("Unable to convert call argument '" + argument + "' of type '" + readable_name(type) +
                     "' to Python object");
}
}  // namespace

void call_arguments::add(object value, const std::type_info &type) {
    if (!value) fail_to_convert(std::to_string(m_positional.size()), type);
    m_positional.append(value);
}
void call_arguments::add(const arg_v &named) {
    if (!named.name) throw type_error("Got kwargs without a name; py::arg() takes one in a call");
    if (!named.value) fail_to_convert(named.name, *named.type);
    name_argument(str(named.name), named.value);
}
void call_arguments::add(args_proxy sequence) {
    for (handle value : iter(sequence)) m_positional.append(value);
}
void call_arguments::add(kwargs_proxy mapping) {
    if (!mapping) return;
    for (auto item : dict(reinterpret_borrow<object>(mapping))) name_argument(item.first, item.second);
}
void call_arguments::name_argument(handle key, handle value) {
    if (!m_named) m_named = dict();
    if (PyDict_Contains(m_named.ptr(), key.ptr()) == 1)
        throw type_error("Got multiple values for keyword argument '" + std::string(str(key)) + "'");
    checked(PyDict_SetItem(m_named.ptr(), key.ptr(), value.ptr()));
}
object call_arguments::call(handle callable) const {
    return owned(PyObject_Call(callable.ptr(), owned(PyList_AsTuple(m_positional.ptr())).ptr(), m_named.ptr()));
}
object call_positional(PyObject *callable, PyObject *const *arguments, const std::type_info *const *types,
    size_t count) {
    for (size_t i = 0; i < count; ++i) {
        if (!arguments[i]) fail_to_convert(std::to_string(i), *types[i]);
    }
    auto at = [&](size_t i) { return i < count ? arguments[i] : nullptr; };
    return owned(PyObject_CallFunctionObjArgs(callable, at(0), at(1), at(2), at(3), at(4), at(5), nullptr));
}

}  // namespace detail

using namespace detail;

void pybind11_fail(const std::string &reason) { throw std::runtime_error(reason); }

namespace {

/// PyTuple_SetItem refuses a tuple with a second reference, which an accessor has.
void set_tuple_item(PyObject *tuple, ssize_t index, PyObject *value) {
    bool has_other = Py_REFCNT(tuple) > 1;
    if (has_other) Py_DECREF(tuple);
    int status = PyTuple_SetItem(tuple, index, value);
    if (has_other) Py_INCREF(tuple);
    checked(status);
}

}  // namespace

const object &accessor::get() const {
    if (m_cache) return m_cache;
    switch (m_kind) {
        case kind::attribute: m_cache = owned(PyObject_GetAttr(m_owner.ptr(), m_key.ptr())); break;
        case kind::item: m_cache = owned(PyObject_GetItem(m_owner.ptr(), m_key.ptr())); break;
        case kind::sequence_item: m_cache = owned(PySequence_GetItem(m_owner.ptr(), m_index)); break;
        case kind::list_item: m_cache = borrowed(checked(PyList_GetItem(m_owner.ptr(), m_index))); break;
        case kind::tuple_item: m_cache = borrowed(checked(PyTuple_GetItem(m_owner.ptr(), m_index))); break;
    }
    return m_cache;
}
void accessor::set(object value) {
    m_cache = object();
    switch (m_kind) {
        case kind::attribute: checked(PyObject_SetAttr(m_owner.ptr(), m_key.ptr(), value.ptr())); break;
        case kind::item: checked(PyObject_SetItem(m_owner.ptr(), m_key.ptr(), value.ptr())); break;
        case kind::sequence_item: checked(PySequence_SetItem(m_owner.ptr(), m_index, value.ptr())); break;
        case kind::list_item: checked(PyList_SetItem(m_owner.ptr(), m_index, value.release().ptr())); break;
        case kind::tuple_item: set_tuple_item(m_owner.ptr(), m_index, value.release().ptr()); break;
    }
}

iterator::iterator(const object &value) : object(value) {
    if (value && !check_(value)) checked(refuse_type(value.ptr(), "iterator"));
}
void iterator::advance() {
    m_value = maybe_owned(PyIter_Next(m_ptr));
    m_started = true;
    if (!m_value && PyErr_Occurred()) throw error_already_set();
}
iterator::reference iterator::operator*() const {
    if (m_ptr && !m_started) const_cast<iterator *>(this)->advance();
    return m_value;
}

bool hasattr(handle value, handle name) { return PyObject_HasAttr(value.ptr(), name.ptr()) == 1; }
bool hasattr(handle value, const char *name) { return PyObject_HasAttrString(value.ptr(), name) == 1; }
object getattr(handle value, handle name) { return owned(PyObject_GetAttr(value.ptr(), name.ptr())); }
object getattr(handle value, const char *name) { return owned(PyObject_GetAttrString(value.ptr(), name)); }
object getattr(handle value, handle name, handle otherwise) {
    PyObject *found = PyObject_GetAttr(value.ptr(), name.ptr());
    if (found) return owned(found);
    PyErr_Clear();
    return borrowed(otherwise.ptr());
}
object getattr(handle value, const char *name, handle otherwise) { return getattr(value, str(name), otherwise); }
void setattr(handle value, handle name, handle attribute) {
    checked(PyObject_SetAttr(value.ptr(), name.ptr(), attribute.ptr()));
}
void setattr(handle value, const char *name, handle attribute) {
    checked(PyObject_SetAttrString(value.ptr(), name, attribute.ptr()));
}
void delattr(handle value, handle name) { checked(PyObject_SetAttr(value.ptr(), name.ptr(), nullptr)); }
void delattr(handle value, const char *name) { checked(PyObject_SetAttrString(value.ptr(), name, nullptr)); }

size_t len(handle value) {
    ssize_t size = PyObject_Size(value.ptr());
    if (size < 0) throw error_already_set();
    return static_cast<size_t>(size);
}
size_t len_hint(handle value) {
    ssize_t size = PyObject_Size(value.ptr());
    if (size < 0) {
        PyErr_Clear();
        object hint = getattr(value, "__length_hint__", none());
        size = hint.is_none() ? 0 : static_cast<ssize_t>(int_(hint()));
    }
    return static_cast<size_t>(size);
}
ssize_t hash(handle value) {
    ssize_t number = PyObject_Hash(value.ptr());
    if (number == -1) throw error_already_set();
    return number;
}
str repr(handle value) { return {checked(PyObject_Repr(value.ptr())), object::stolen_t{}}; }
iterator iter(handle value) { return {handle(checked(PyObject_GetIter(value.ptr()))), object::stolen_t{}}; }
bool isinstance(handle value, handle type) { return checked(PyObject_IsInstance(value.ptr(), type.ptr())) == 1; }

str::str(const bytes &value) : str(std::string_view(value)) {}
str::operator std::string() const {
    object text = PyUnicode_Check(m_ptr) ? borrowed(m_ptr) : owned(PyObject_Str(m_ptr));
    ssize_t size;
    const char *data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (!data) throw error_already_set();
    return {data, static_cast<size_t>(size)};
}
bytes::bytes(const pybind11::str &text) : bytes(std::string(text)) {}
bytes::operator std::string_view() const {
    char *data;
    ssize_t size;
    checked(PyBytes_AsStringAndSize(m_ptr, &data, &size));
    return {data, static_cast<size_t>(size)};
}

PyObject *staticmethod::make(PyObject *callable) {
    static PyObject *type = builtin("staticmethod");
    return PyObject_CallFunctionObjArgs(type, callable, nullptr);
}

capsule::capsule(void (*destructor)())
    : object(checked(PyCapsule_New(reinterpret_cast<void *>(destructor), nullptr, [](PyObject *self) {
          reinterpret_cast<void (*)()>(PyCapsule_GetPointer(self, PyCapsule_GetName(self)))();
      })), stolen_t{}) {}
void capsule::set_destructor(void (*destructor)(void *)) {
    if (!destructor) return;
    checked(PyCapsule_SetContext(m_ptr, reinterpret_cast<void *>(destructor)));
    checked(PyCapsule_SetDestructor(m_ptr, [](PyObject *self) {
        error_scope pending;
        const char *name = PyCapsule_GetName(self);
        auto destroy = reinterpret_cast<void (*)(void *)>(PyCapsule_GetContext(self));
        destroy(PyCapsule_GetPointer(self, name));
    }));
}
void *capsule::pointer() const {
    void *value = PyCapsule_GetPointer(m_ptr, name());
    if (!value) throw error_already_set();
    return value;
}
void capsule::set_pointer(const void *value) { checked(PyCapsule_SetPointer(m_ptr, const_cast<void *>(value))); }
const char *capsule::name() const {
    const char *found = PyCapsule_GetName(m_ptr);
    if (!found && PyErr_Occurred()) throw error_already_set();
    return found;
}
void capsule::set_name(const char *name) { checked(PyCapsule_SetName(m_ptr, name)); }

}  // namespace pybind11
