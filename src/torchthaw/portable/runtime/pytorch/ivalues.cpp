// portable/runtime/pytorch/ivalues.cpp: c10::IValue from Python and to it.
#include <portable/python/ivalues.h>

namespace c10 {

const char *IValue::name_of(Kind kind) {
    static const char *const names[] = {"None", "Tensor", "Int", "Double", "Bool", "String", "Scalar", "Device",
                                        "IntList", "DoubleList", "BoolList", "TensorList", "GenericList", "GenericDict",
                                        "Tuple", "CustomClass"};
    return names[static_cast<size_t>(kind)];
}
std::string IValue::tagKind() const { return name_of(kind_); }
void IValue::fail(Kind wanted) const { torchthaw::fail(str("Expected ", name_of(wanted), " but got ", tagKind())); }

intrusive_ptr<ivalue::Tuple> IValue::toTuple() const { return static_intrusive_pointer_cast<ivalue::Tuple>(require(Kind::Tuple).object_); }
const ivalue::Tuple &IValue::toTupleRef() const { return static_cast<const ivalue::Tuple &>(*require(Kind::Tuple).object_); }
Scalar IValue::toScalar() const {
    if (isBool()) return toBool();
    return isInt() || isDouble() ? number_ : require(Kind::Scalar).number_;
}

impl::GenericList IValue::toList() const {
    impl::GenericList list;
    const auto add = [&](const auto &values) {
        for (const auto &each : values.vec()) list.push_back(IValue(each));
        return list;
    };
    if (isIntList()) return add(toIntList());
    if (isDoubleList()) return add(toDoubleList());
    if (isBoolList()) return add(toBoolList());
    if (isTensorList()) return add(toTensorList());
    return content<impl::GenericList>(Kind::GenericList);
}

bool operator==(const IValue &a, const IValue &b) {
    if (a.kind_ != b.kind_) return false;
    if (a.isTensor()) return a.toTensor().is_same(b.toTensor());
    if (a.isInt() || a.isBool()) return a.number_.toLong() == b.number_.toLong();
    if (a.isDouble()) return a.toDouble() == b.toDouble();
    if (a.isString()) return a.toStringRef() == b.toStringRef();
    if (a.isDevice()) return a.toDevice() == b.toDevice();
    if (a.isGenericDict()) return a.toGenericDict().is(b.toGenericDict());
    if (a.isTuple()) return a.object_ == b.object_ || a.toTupleRef().elements() == b.toTupleRef().elements();
    if (a.isList()) return a.toList() == b.toList();
    return a.isNone() || (a.isCustomClass() && a.object_ == b.object_);
}

}  // namespace c10

size_t std::hash<c10::IValue>::operator()(const c10::IValue &value) const {
    if (value.isString()) return std::hash<std::string>()(value.toStringRef());
    if (value.isTensor()) return std::hash<const void *>()(value.toTensor().unsafeGetTensorImpl());
    if (value.isInt()) return std::hash<int64_t>()(value.toInt());
    return std::hash<double>()(value.toScalar().toDouble());
}

namespace torchthaw {
namespace {

using c10::IValue;
using c10::impl::GenericDict;
using c10::impl::GenericList;
using pybind11::handle;
using pybind11::object;
using pybind11::detail::checked;
using pybind11::detail::owned;
using pybind11::detail::to_python;
constexpr auto COPY = pybind11::return_value_policy::copy;

/// The list as one of T's, where every element is one.
template <class T>
bool as_list_of(const GenericList &values, bool (IValue::*is)() const, IValue &value) {
    if (!std::all_of(values.begin(), values.end(), [is](const IValue &each) { return (each.*is)(); })) return false;
    c10::List<T> list;
    for (const IValue &each : values) list.push_back(each.to<T>());
    value = list;
    return true;
}

bool elements_of(PyObject *sequence, GenericList &values) {
    for (handle each : handle(sequence)) {
        IValue element;
        if (!ivalue_from_python(each.ptr(), element)) return false;
        values.push_back(std::move(element));
    }
    return true;
}

bool dict_from_python(PyObject *dict, IValue &value) {
    GenericDict entries;
    PyObject *key, *each;
    for (Py_ssize_t at = 0; PyDict_Next(dict, &at, &key, &each);) {
        IValue left, right;
        if (!ivalue_from_python(key, left) || !ivalue_from_python(each, right)) return false;
        entries.insert(std::move(left), std::move(right));
    }
    value = entries;
    return true;
}

template <class List>
PyObject *list_to_python(const List &list) {
    return to_python(list, COPY);
}

}  // namespace

bool ivalue_from_python(PyObject *source, IValue &value) {
    at::Scalar number;
    at::ScalarType type;
    at::Device device;
    if (source == Py_None) {
        value = {};
    } else if (const at::Tensor *tensor = tensor_in_python(source)) {
        value = *tensor;
    } else if (PyBool_Check(source)) {
        value = source == Py_True;
    } else if (PyUnicode_Check(source)) {
        value = handle(source).cast<std::string>();
    } else if (number_from_python(source, number)) {
        value = number.isComplex() ? IValue(number) : number.isFloatingPoint() ? IValue(number.toDouble()) : IValue(number.toLong());
    } else if (PyTuple_Check(source)) {
        GenericList values;
        if (!elements_of(source, values)) return false;
        value = c10::ivalue::Tuple::create(std::vector<IValue>(values.vec()));
    } else if (PyList_Check(source)) {
        GenericList values;
        if (!elements_of(source, values)) return false;
        return as_list_of<int64_t>(values, &IValue::isInt, value) || as_list_of<double>(values, &IValue::isDouble, value) ||
               as_list_of<bool>(values, &IValue::isBool, value) || as_list_of<at::Tensor>(values, &IValue::isTensor, value) ||
               (value = values, true);
    } else if (PyDict_Check(source)) {
        return dict_from_python(source, value);
    } else if (dtype_from_python(source, type)) {
        value = type;
    } else if (auto custom = custom_object(source)) {
        value = std::move(custom);
    } else if (device_from_python(source, device)) {
        value = device;
    } else {
        return false;
    }
    return true;
}

PyObject *ivalue_to_python(const IValue &value) {
    if (value.isNone()) Py_RETURN_NONE;
    if (value.isTensor()) return tensor_to_python(value.toTensor());
    if (value.isString()) return to_python(value.toStringRef(), COPY);
    if (value.isScalar()) return number_to_python(value.toScalar());
    if (value.isDevice()) return device_to_python(value.toDevice());
    if (value.isIntList()) return list_to_python(value.toIntList());
    if (value.isDoubleList()) return list_to_python(value.toDoubleList());
    if (value.isBoolList()) return list_to_python(value.toBoolList());
    if (value.isTensorList()) return list_to_python(value.toTensorList());
    if (value.isList()) return list_to_python(value.toList());
    if (value.isGenericDict()) return to_python(value.toGenericDict(), COPY);
    if (value.isCustomClass()) return to_python(value.toCustomClass<torch::CustomClassHolder>(), COPY);
    const auto &elements = value.toTupleRef().elements();
    object tuple = owned(PyTuple_New(Py_ssize_t(elements.size())));
    for (size_t i = 0; i < elements.size(); ++i)
        checked(PyTuple_SetItem(tuple.ptr(), Py_ssize_t(i), checked(ivalue_to_python(elements[i]))));
    return tuple.release().ptr();
}

c10::intrusive_ptr<torch::CustomClassHolder> custom_object(PyObject *source) {
    const auto *record = pybind11::detail::find_class(Py_TYPE(source));
    if (record == nullptr || !pybind11::detail::is_instance(source)) return {};
    const pybind11::detail::held_value &held = reinterpret_cast<pybind11::detail::instance *>(source)->first;
    const auto &known = custom_classes();
    const auto found = known.find(held.record);
    return found == known.end() || held.value == nullptr ? c10::intrusive_ptr<torch::CustomClassHolder>() : found->second(held.value);
}

std::unordered_map<const pybind11::detail::class_record *, CustomObject> &custom_classes() {
    static auto *known = new std::unordered_map<const pybind11::detail::class_record *, CustomObject>;
    return *known;
}

}  // namespace torchthaw
