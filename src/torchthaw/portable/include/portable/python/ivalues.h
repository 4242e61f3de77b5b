// portable/python/ivalues.h: c10::List, c10::Dict, c10::IValue and intrusive_ptr as arguments and results of bound functions.
#pragma once
#include "portable/python/stl/containers.h"
#include "portable/python/tensors.h"
#include "portable/value.h"

namespace torchthaw {

/// As PyTorch infers the type of an object: a list has elements of one type, a tuple any. False for other objects.
bool ivalue_from_python(PyObject *object, c10::IValue &value);
/// A new reference; null with a Python error set.
PyObject *ivalue_to_python(const c10::IValue &value);

/// The value of an instance as the base of its class.
using CustomObject = c10::intrusive_ptr<torch::CustomClassHolder> (*)(void *value);
/// The classes of torch::class_.
std::unordered_map<const pybind11::detail::class_record *, CustomObject> &custom_classes();
/// The object in an instance of one of these; null for others.
c10::intrusive_ptr<torch::CustomClassHolder> custom_object(PyObject *source);

}  // namespace torchthaw

namespace pybind11 {
namespace detail {

template <class T> struct caster<c10::List<T>> : sequence_conversion<c10::List<T>, T> {
    static bool load(PyObject *source, c10::List<T> &value, bool convert) {
        std::vector<T> values;
        if (!caster<std::vector<T>>::load(source, values, convert)) return false;
        value = c10::List<T>(std::move(values));
        return true;
    }
};

template <class K, class V> struct caster<c10::Dict<K, V>> {
    static constexpr auto name = caster<std::map<K, V>>::name;
    static bool load(PyObject *source, c10::Dict<K, V> &value, bool convert) {
        object elements = maybe_owned(map_elements(source, convert));
        if (!elements) return false;
        value = {};
        for (auto item : reinterpret_borrow<dict>(elements)) {
            argument<K> key;
            argument<V> loaded;
            if (!key.load(item.first.ptr(), convert) || !loaded.load(item.second.ptr(), convert)) return false;
            value.insert(key.template get<K>(), loaded.template get<V>());
        }
        return true;
    }
    static PyObject *make(const c10::Dict<K, V> &values, return_value_policy policy, handle parent) {
        object result = owned(PyDict_New());
        for (const auto &entry : values) {
            object key = maybe_owned(to_python(entry.key(), policy, parent));
            object made = key ? maybe_owned(to_python(entry.value(), policy, parent)) : object();
            if (!made || PyDict_SetItem(result.ptr(), key.ptr(), made.ptr()) < 0) return nullptr;
        }
        return result.release().ptr();
    }
};

template <> struct caster<c10::IValue> {
    static constexpr auto name = "object";
    static bool load(PyObject *source, c10::IValue &value, bool) { return torchthaw::ivalue_from_python(source, value); }
    static PyObject *make(const c10::IValue &value, return_value_policy, handle) { return torchthaw::ivalue_to_python(value); }
};

/// The count of references is in the object, so a pointer is made from the value itself.
template <class T> struct caster<c10::intrusive_ptr<T>> {
    static constexpr auto name = type_name<T>();
    static bool load(PyObject *source, c10::intrusive_ptr<T> &value, bool convert) {
        class_argument<T> loaded;
        if (!loaded.load(source, convert)) return false;
        value = c10::intrusive_ptr<T>(loaded.value);
        return true;
    }
    static PyObject *make(const c10::intrusive_ptr<T> &value, return_value_policy, handle) {
        if (!value) Py_RETURN_NONE;
        return wrap_custom(dynamic_source_of<T>(value.get()), holder_operations<T, c10::intrusive_ptr<T>>::fill, &value);
    }
};

}  // namespace detail
}  // namespace pybind11
