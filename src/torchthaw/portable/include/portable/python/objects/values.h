// portable/python/objects/values.h: casters of numbers, texts, None and Python's own objects.
#pragma once
#include "portable/python/cast.h"

#include <limits>

namespace pybind11 {
namespace detail {

/// Integers as pybind11 loads them: no float; with `convert` also what int() accepts. False leaves no Python error.
bool load_signed(PyObject *source, long long &value, bool convert);
bool load_unsigned(PyObject *source, unsigned long long &value, bool convert);
/// With `convert` all that float() accepts except strings, else floats only.
bool load_double(PyObject *source, double &value, bool convert);
bool load_bool(PyObject *source, bool &value, bool convert);
bool load_complex(PyObject *source, double &real, double &imaginary, bool convert);
/// Text as UTF-8, or bytes as they are. The view is valid as long as the object.
bool load_text(PyObject *source, const char *&data, ssize_t &size);
/// The text in UTF-16 or UTF-32 as bytes, null for what is no text; and the reverse.
PyObject *encode_wide(PyObject *source, size_t width);
PyObject *decode_wide(const void *text, size_t size, size_t width);
/// Throws value_error for null and for a text that is not one character.
void check_character(bool is_null, const void *text, size_t length, size_t width);

template <class T> inline constexpr bool is_character =
    std::is_same_v<T, char> || std::is_same_v<T, wchar_t> || std::is_same_v<T, char16_t> || std::is_same_v<T, char32_t>;

template <class T>
struct caster<T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool> && !is_character<T>>> {
    using wide = std::conditional_t<std::is_signed_v<T>, long long, unsigned long long>;

    static bool load(PyObject *source, T &value, bool convert) {
        wide loaded;
        if constexpr (std::is_signed_v<T>) {
            if (!load_signed(source, loaded, convert)) return false;
        } else {
            if (!load_unsigned(source, loaded, convert)) return false;
        }
        value = static_cast<T>(loaded);
        return sizeof(T) == sizeof(wide) || static_cast<wide>(value) == loaded;
    }
    static PyObject *make(T value, return_value_policy, handle) {
        if constexpr (std::is_signed_v<T>)
            return PyLong_FromLongLong(value);
        else
            return PyLong_FromUnsignedLongLong(value);
    }
    static constexpr auto name = io_name("typing.SupportsInt | typing.SupportsIndex", "int");
};

template <class T> struct caster<T, std::enable_if_t<std::is_floating_point_v<T>>> {
    static bool load(PyObject *source, T &value, bool convert) {
        double loaded;
        if (!load_double(source, loaded, convert)) return false;
        value = static_cast<T>(loaded);
        return true;
    }
    static PyObject *make(T value, return_value_policy, handle) {
        return PyFloat_FromDouble(static_cast<double>(value));
    }
    static constexpr auto name = io_name("typing.SupportsFloat | typing.SupportsIndex", "float");
};

template <> struct caster<bool> {
    static bool load(PyObject *source, bool &value, bool convert) {
        if (source == Py_True || source == Py_False) {
            value = source == Py_True;
            return true;
        }
        return load_bool(source, value, convert);
    }
    static PyObject *make(bool value, return_value_policy, handle) { return PyBool_FromLong(value); }
    static constexpr const char *name = "bool";
};

// ---- texts

template <> struct caster<char> {  // loaded by builtin_argument<char>
    static PyObject *make(char value, return_value_policy, handle) {
        return PyUnicode_DecodeLatin1(&value, 1, nullptr);
    }
    static constexpr const char *name = "str";
};

template <> struct caster<std::string> {
    static bool load(PyObject *source, std::string &value, bool) {
        const char *data;
        ssize_t size;
        if (!load_text(source, data, size)) return false;
        value.assign(data, static_cast<size_t>(size));
        return true;
    }
    static PyObject *make(const std::string &value, return_value_policy, handle) {
        return make_text(value.data(), value.size());
    }
    static constexpr const char *name = "str";
};

template <> struct caster<std::string_view> {
    static bool load(PyObject *source, std::string_view &value, bool) {
        const char *data;
        ssize_t size;
        if (!load_text(source, data, size)) return false;
        value = {data, static_cast<size_t>(size)};
        keep_for_call_if_any(source);  // the text may be an element that nothing else has
        return true;
    }
    static PyObject *make(std::string_view value, return_value_policy, handle) {
        return make_text(value.data(), value.size());
    }
    static constexpr const char *name = "str";
};

/// Texts of wider characters than bytes, in the encoding that their size says; views need text that lives as long.
template <class C> inline constexpr bool is_wide_character = is_character<C> && sizeof(C) > 1;
template <class C, class T, class A>
struct caster<std::basic_string<C, T, A>, std::enable_if_t<is_wide_character<C>>> {
    using Text = std::basic_string<C, T, A>;
    static bool load(PyObject *source, Text &value, bool) {
        object encoded = maybe_owned(encode_wide(source, sizeof(C)));
        if (!encoded) return false;
        const char *data = PyBytes_AsString(encoded.ptr());
        auto count = static_cast<size_t>(PyBytes_Size(encoded.ptr())) / sizeof(C);
        value.resize(count);
        std::char_traits<char>::copy(reinterpret_cast<char *>(value.data()), data, count * sizeof(C));
        return true;
    }
    static PyObject *make(const Text &value, return_value_policy, handle) {
        return decode_wide(value.data(), value.size() * sizeof(C), sizeof(C));
    }
    static constexpr const char *name = "str";
};
template <class C, class T> struct caster<std::basic_string_view<C, T>, std::enable_if_t<is_wide_character<C>>> {
    static PyObject *make(std::basic_string_view<C, T> value, return_value_policy, handle) {
        return decode_wide(value.data(), value.size() * sizeof(C), sizeof(C));
    }
    static constexpr const char *name = "str";
};
template <class C, class T> struct builtin_argument<std::basic_string_view<C, T>,
        std::enable_if_t<is_wide_character<C>>> {
    std::basic_string<C, T> text;
    std::basic_string_view<C, T> view;
    bool load(PyObject *source, bool convert) {
        if (!caster<std::basic_string<C, T>>::load(source, text, convert)) return false;
        view = text;
        return true;
    }
    template <class P> std::basic_string_view<C, T> &get() { return view; }
};
/// A character or a null-terminated text of wide characters.
template <class C> struct builtin_argument<C, std::enable_if_t<is_wide_character<C>>> {
    std::basic_string<C> text;
    bool is_null = false;
    bool load(PyObject *source, bool convert) {
        if (source == Py_None) return is_null = true, convert;
        return caster<std::basic_string<C>>::load(source, text, convert);
    }
    C &character() {
        check_character(is_null, text.data(), text.size(), sizeof(C));
        return text[0];
    }
    template <class P> decltype(auto) get() {
        if constexpr (std::is_pointer_v<bare_t<P>>)
            return is_null ? nullptr : text.data();
        else
            return (character());
    }
};
template <class C> struct caster<C, std::enable_if_t<is_wide_character<C>>> {
    static PyObject *make(C value, return_value_policy, handle) { return decode_wide(&value, sizeof(C), sizeof(C)); }
    static constexpr const char *name = "str";
};

// ---- None and pointers

template <> struct caster<std::nullptr_t> {
    static bool load(PyObject *source, std::nullptr_t &, bool) { return source == Py_None; }
    static PyObject *make(std::nullptr_t, return_value_policy, handle) { Py_RETURN_NONE; }
    static constexpr const char *name = "None";
};
template <> struct caster<void> {
    static constexpr const char *name = "types.CapsuleType";
};
template <> struct caster<PyObject> {
    static constexpr const char *name = "object";
};

template <class T> struct caster<std::reference_wrapper<T>> {
    static PyObject *make(const std::reference_wrapper<T> &value, return_value_policy policy, handle parent) {
        if (policy == return_value_policy::take_ownership || policy == return_value_policy::automatic)
            policy = return_value_policy::automatic_reference;
        return make_of_pointer(&value.get(), policy, parent);
    }
    static constexpr auto name = as_descr(caster<std::remove_cv_t<T>>::name);
};

// ---- Python's objects

/// A type's name in signatures. Sources specialise it for types of their own.
template <class T> struct handle_type_name {
    static constexpr auto name = type_name<T>();
};
#define TORCHTHAW_OBJECT_NAME(type, content)                                                                           \
    template <> struct handle_type_name<type> {                                                                        \
        static constexpr auto name = text(content);                                                                    \
    };
TORCHTHAW_OBJECT_NAME(object, "object")
TORCHTHAW_OBJECT_NAME(handle, "object")
TORCHTHAW_OBJECT_NAME(bool_, "bool")
TORCHTHAW_OBJECT_NAME(int_, "int")
TORCHTHAW_OBJECT_NAME(float_, "float")
TORCHTHAW_OBJECT_NAME(str, "str")
TORCHTHAW_OBJECT_NAME(bytes, "bytes")
TORCHTHAW_OBJECT_NAME(bytearray, "bytearray")
TORCHTHAW_OBJECT_NAME(tuple, "tuple")
TORCHTHAW_OBJECT_NAME(list, "list")
TORCHTHAW_OBJECT_NAME(dict, "dict")
TORCHTHAW_OBJECT_NAME(anyset, "set | frozenset")
TORCHTHAW_OBJECT_NAME(set, "set")
TORCHTHAW_OBJECT_NAME(frozenset, "frozenset")
TORCHTHAW_OBJECT_NAME(sequence, "collections.abc.Sequence")
TORCHTHAW_OBJECT_NAME(iterable, "collections.abc.Iterable")
TORCHTHAW_OBJECT_NAME(iterator, "collections.abc.Iterator")
TORCHTHAW_OBJECT_NAME(function, "collections.abc.Callable")
TORCHTHAW_OBJECT_NAME(none, "None")
TORCHTHAW_OBJECT_NAME(ellipsis, "ellipsis")
TORCHTHAW_OBJECT_NAME(slice, "slice")
TORCHTHAW_OBJECT_NAME(type, "type")
TORCHTHAW_OBJECT_NAME(capsule, "types.CapsuleType")
TORCHTHAW_OBJECT_NAME(weakref, "weakref.ReferenceType")
#undef TORCHTHAW_OBJECT_NAME

/// Types whose caster only checks and borrows; array_t converts.
template <class T> inline constexpr bool is_plain_object = is_handle<T>;

template <class T> struct caster<T, std::enable_if_t<is_plain_object<T>>> {
    static bool load(PyObject *source, T &value, bool) {
        if constexpr (!std::is_same_v<T, object>) {
            if constexpr (std::is_same_v<T, float_>) {
                if (PyLong_Check(source)) return value = float_(reinterpret_borrow<object>(source)), true;
            }
            if (!T::check_(source)) return false;
        }
        value = reinterpret_borrow<T>(source);
        return true;
    }
    static PyObject *make(const handle &value, return_value_policy, handle) {
        Py_XINCREF(value.ptr());
        return value.ptr();
    }
    static constexpr auto name = handle_type_name<T>::name;
};
template <> struct handle_type_name<args> {
    static constexpr auto name = io_name("*args", "tuple");
};
template <> struct handle_type_name<kwargs> {
    static constexpr auto name = io_name("**kwargs", "dict[str, typing.Any]");
};
template <class T> struct handle_type_name<typing::Iterator<T>> {
    static constexpr auto name = text("collections.abc.Iterator[") + name_of<T>() + text("]");
};
template <class... T> struct handle_type_name<typing::Tuple<T...>> {
    static constexpr auto name = text("tuple[") + concat(name_of<T>()...) + text("]");
};
template <> struct handle_type_name<typing::Tuple<>> {
    static constexpr auto name = text("tuple[()]");
};
template <class T> struct handle_type_name<typing::Tuple<T, ellipsis>> {
    static constexpr auto name = text("tuple[") + name_of<T>() + text(", ...]");
};
template <class T> struct handle_type_name<Args<T>> {
    static constexpr auto name = io_name("*args: ", "tuple[") + name_of<T>() + io_name("", ", ...]");
};
template <class T> struct handle_type_name<KWArgs<T>> {
    static constexpr auto name = io_name("**kwargs: ", "dict[str, ") + name_of<T>() + io_name("", "]");
};
template <> struct caster<accessor> {
    static PyObject *make(const accessor &value, return_value_policy, handle) {
        Py_XINCREF(value.ptr());
        return value.ptr();
    }
    static constexpr const char *name = "object";
};

}  // namespace detail
}  // namespace pybind11
