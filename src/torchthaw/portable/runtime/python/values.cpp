// portable/runtime/python/values.cpp: loading of numbers, texts and containers by pybind11's rules.
#include "portable/python/module.h"

#include <cstring>

namespace pybind11 {
namespace detail {

namespace {

bool is_exact(PyObject *value, PyTypeObject &type) { return Py_TYPE(value) == &type; }

/// Forgets the pending error; false.
bool misfit() {
    PyErr_Clear();
    return false;
}

/// What float() and int() accept as numbers, by a conversion; then the load is tried again without.
template <class Load> bool load_converted(PyObject *source, PyObject *(*convert)(PyObject *), const Load &load) {
    PyErr_Clear();
    if (!PyNumber_Check(source)) return false;
    object number = maybe_owned(convert(source));
    return number ? load(number.ptr()) : misfit();
}

std::string type_name_of(PyObject *value) {
    return str(getattr(reinterpret_cast<PyObject *>(Py_TYPE(value)), "__name__"));
}

bool has_type_name(PyObject *value, std::initializer_list<const char *> names) {
    if (PyType_Check(value)) return false;
    std::string found = type_name_of(value);
    for (const char *name : names) {
        if (found == name) return true;
    }
    return false;
}

bool is_of_abstract_type(PyObject *value, const char *name) {
    return isinstance(value, module_::import("collections.abc").attr(name));
}

}  // namespace

bool load_signed(PyObject *source, long long &value, bool convert) {
    if (!is_exact(source, PyLong_Type)) {
        if (PyFloat_Check(source)) return false;
        if (!convert && !PyLong_Check(source) && !PyIndex_Check(source)) return false;
    }
    value = PyLong_AsLongLong(source);
    if (value != -1 || !PyErr_Occurred()) return true;
    if (!convert) return misfit();
    return load_converted(source, PyNumber_Long, [&](PyObject *number) { return load_signed(number, value, false); });
}

bool load_unsigned(PyObject *source, unsigned long long &value, bool convert) {
    if (!is_exact(source, PyLong_Type)) {
        if (PyFloat_Check(source)) return false;
        if (!convert && !PyLong_Check(source) && !PyIndex_Check(source)) return false;
    }
    value = PyLong_AsUnsignedLongLong(source);
    if (value != ~0ull || !PyErr_Occurred()) return true;
    if (!convert) return misfit();
    return load_converted(source, PyNumber_Long, [&](PyObject *number) { return load_unsigned(number, value, false); });
}

bool load_double(PyObject *source, double &value, bool convert) {
    if (!convert && !PyFloat_Check(source)) return false;
    value = PyFloat_AsDouble(source);
    if (value != -1 || !PyErr_Occurred()) return true;
    if (!convert) return misfit();
    return load_converted(source, PyNumber_Float, [&](PyObject *number) { return load_double(number, value, false); });
}

bool load_bool(PyObject *source, bool &value, bool convert) {
    if (!convert && !has_type_name(source, {"bool", "bool_"})) return false;
    if (source == Py_None) {
        value = false;
        return true;
    }
    if (!PyType_GetSlot(Py_TYPE(source), Py_nb_bool)) return false;
    int truth = PyObject_IsTrue(source);
    if (truth < 0) return misfit();
    value = truth != 0;
    return true;
}

bool load_complex(PyObject *source, double &real, double &imaginary, bool convert) {
    object number = borrowed(source);
    if (!PyComplex_Check(source)) {
        if (!convert || PyUnicode_Check(source)) return false;
        number = maybe_owned(PyObject_CallFunctionObjArgs(reinterpret_cast<PyObject *>(&PyComplex_Type), source,
                                                          nullptr));
        if (!number) return misfit();
    }
    real = PyComplex_RealAsDouble(number.ptr());
    imaginary = PyComplex_ImagAsDouble(number.ptr());
    return true;
}

bool load_text(PyObject *source, const char *&data, ssize_t &size) {
    if (PyUnicode_Check(source)) {
        data = PyUnicode_AsUTF8AndSize(source, &size);
        return data ? true : misfit();
    }
    if (PyBytes_Check(source)) {
        char *content;
        if (PyBytes_AsStringAndSize(source, &content, &size) < 0) return misfit();
        data = content;
        return true;
    }
    if (PyByteArray_Check(source)) {
        data = PyByteArray_AsString(source);
        size = PyByteArray_Size(source);
        return true;
    }
    return false;
}

PyObject *encode_wide(PyObject *source, size_t width) {
    if (!PyUnicode_Check(source)) return nullptr;
    PyObject *encoded = PyUnicode_AsEncodedString(source, width == 2 ? "utf-16-le" : "utf-32-le", nullptr);
    if (!encoded) PyErr_Clear();
    return encoded;
}
PyObject *decode_wide(const void *text, size_t size, size_t width) {
    int order = -1;  // little endian
    auto *decode = width == 2 ? PyUnicode_DecodeUTF16 : PyUnicode_DecodeUTF32;
    return decode(static_cast<const char *>(text), static_cast<ssize_t>(size), nullptr, &order);
}
void check_character(bool is_null, const void *text, size_t length, size_t width) {
    if (is_null) throw value_error("Cannot convert None to a character");
    if (length == 0) throw value_error("Cannot convert empty string to a character");
    if (length == 1) {
        char16_t first = width == 2 ? *static_cast<const char16_t *>(text) : u'\0';
        if (first >= 0xd800 && first < 0xe000) throw value_error("Character code point not in range(0x10000)");
        return;
    }
    bool is_pair = width == 2 && length == 2 && *static_cast<const char16_t *>(text) >= 0xd800 &&
                   *static_cast<const char16_t *>(text) < 0xe000;
    if (is_pair) throw value_error("Character code point not in range(0x10000)");
    throw value_error("Expected a character, but multi-character string found");
}

bool builtin_argument<char>::load(PyObject *source, bool convert) {
    if (source == Py_None) {
        is_null = true;
        return convert;
    }
    return caster<std::string>::load(source, text, convert);
}
char &builtin_argument<char>::character() {
    if (is_null) throw value_error("Cannot convert None to a character");
    if (text.empty()) throw value_error("Cannot convert empty string to a character");
    if (text.size() == 1) return text[0];  // also a byte that is no character of UTF-8
    auto first = static_cast<unsigned char>(text[0]);
    size_t length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (text.size() > length) throw value_error("Expected a character, but multi-character string found");
    auto second = static_cast<unsigned char>(text[1]);
    if (length != 2 || first > 0xc3) throw value_error("Character code point not in range(0x100)");
    text[0] = static_cast<char>((first & 3) << 6 | (second & 0x3f));
    return text[0];
}

bool builtin_argument<void>::load(PyObject *source, bool) {
    if (source == Py_None) {
        value = nullptr;
    } else if (PyCapsule_CheckExact(source)) {
        value = capsule(source, object::borrowed_t{}).pointer();
    } else if (is_instance(source)) {
        value = reinterpret_cast<instance *>(source)->first.value;
    } else {
        return false;
    }
    return true;
}

PyObject *make_text(const char *text) {
    if (!text) Py_RETURN_NONE;
    return checked(PyUnicode_FromString(text));
}
PyObject *make_text(const char *text, size_t size) {
    return checked(PyUnicode_FromStringAndSize(text, static_cast<ssize_t>(size)));
}
PyObject *make_capsule(const void *pointer) {
    if (!pointer) Py_RETURN_NONE;
    return PyCapsule_New(const_cast<void *>(pointer), nullptr, nullptr);
}
PyObject *make_of_pyobject(PyObject *value, return_value_policy policy) {
    if (!value) return checked(value);
    if (PyErr_Occurred()) {
        raise_from(PyExc_SystemError, "src != nullptr but PyErr_Occurred()");
        throw error_already_set();
    }
    bool is_new = policy == return_value_policy::take_ownership || policy == return_value_policy::automatic;
    if (!is_new) Py_XINCREF(value);
    return value;
}

PyObject *sequence_elements(PyObject *source, bool convert) {
    if (PyList_Check(source) || PyTuple_Check(source)) {
        Py_INCREF(source);
        return source;
    }
    bool is_sequence = PySequence_Check(source) != 0;
    if (is_sequence) {
        if (PyUnicode_Check(source) || PyBytes_Check(source)) return nullptr;
        if (PySequence_Size(source) < 0) throw error_already_set();  // may have no end
    } else {
        bool is_known = PyAnySet_Check(source) ||
                        has_type_name(source, {"generator", "dict_keys", "dict_values", "dict_items", "map", "zip"});
        if (!is_known || !convert) return nullptr;
    }
    PyObject *elements = PySequence_Tuple(source);
    if (!elements && !is_sequence) throw error_already_set();
    if (!elements) PyErr_Clear();
    return elements;
}

PyObject *set_elements(PyObject *source, bool convert) {
    bool fits = PyAnySet_Check(source) ||
                (convert && (has_type_name(source, {"dict_keys"}) || is_of_abstract_type(source, "Set")));
    if (fits) Py_INCREF(source);
    return fits ? source : nullptr;
}

PyObject *map_elements(PyObject *source, bool convert) {
    if (PyDict_Check(source)) {
        Py_INCREF(source);
        return source;
    }
    if (!convert) return nullptr;
    bool fits = false;
    if (PyMapping_Check(source)) {
        object items = maybe_owned(PyObject_GetAttrString(source, "items"));
        if (!items) PyErr_Clear();
        fits = items && PyCallable_Check(items.ptr());
    }
    if (!fits && !is_of_abstract_type(source, "Mapping")) return nullptr;
    return checked(to_dict(owned(PyMapping_Items(source)).ptr()));
}

PyObject *element(PyObject *elements, ssize_t i) {
    PyObject *found = PyList_Check(elements) ? PyList_GetItem(elements, i) : PyTuple_GetItem(elements, i);
    return checked(found);
}

void fail_to_move(handle value, const std::type_info &type) {
    throw cast_error("Unable to move from Python " + std::string(str(type::handle_of(value))) + " instance to C++ " +
                     readable_name(type) + " instance: instance has multiple references");
}
void fail_to_cast(handle value, const std::type_info &type) {
    if (PyErr_Occurred()) throw error_already_set();
    std::string found = value ? std::string(str(type::handle_of(value))) : std::string("null");
    throw cast_error("Unable to cast Python instance of type " + found + " to C++ type '" + readable_name(type) + "'");
}

}  // namespace detail
}  // namespace pybind11
