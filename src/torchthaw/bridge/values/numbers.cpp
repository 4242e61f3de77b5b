/* numbers.cpp: numbers on their way to C and back. */
#include "bridge/torch/pytorch.h"
#include "convert.h"

#include <limits>
#include <type_traits>

/* X(kind, C type) */
#define NUMBER_LIST(X) \
    X(THAW_BOOL, bool) \
    X(THAW_INT8, int8_t) \
    X(THAW_INT16, int16_t) \
    X(THAW_INT32, int32_t) \
    X(THAW_INT64, int64_t) \
    X(THAW_UINT8, uint8_t) \
    X(THAW_UINT16, uint16_t) \
    X(THAW_UINT32, uint32_t) \
    X(THAW_UINT64, uint64_t) \
    X(THAW_FLOAT, float) \
    X(THAW_DOUBLE, double)

namespace bridge {

namespace {

template <typename T> bool put(void *place, T value) {
    std::memcpy(place, &value, sizeof value);
    return true;
}

template <typename T> bool store(void *place, PyObject *object) {
    if constexpr (std::is_floating_point_v<T>) {
        if (!PyFloat_CheckExact(object) && !PyLong_CheckExact(object)) return false;
        const double value = PyFloat_AsDouble(object);
        if (value == -1 && PyErr_Occurred()) return PyErr_Clear(), false;
        return put(place, static_cast<T>(value));
    } else {
        using Limits = std::numeric_limits<T>;
        if (!PyLong_CheckExact(object) && !PyBool_Check(object)) return false;
        int overflow;
        const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
        if (std::is_same_v<T, uint64_t> && overflow > 0) {
            const unsigned long long large = PyLong_AsUnsignedLongLong(object);
            if (large == static_cast<unsigned long long>(-1) && PyErr_Occurred()) return PyErr_Clear(), false;
            return put(place, static_cast<T>(large));
        }
        if (overflow != 0 || value < static_cast<long long>(Limits::min())) return false;
        if (sizeof(T) < sizeof value && value > static_cast<long long>(Limits::max())) return false;
        return put(place, static_cast<T>(value));
    }
}

template <typename T> T read(const void *place) {
    T value;
    std::memcpy(&value, place, sizeof value);
    return value;
}

template <typename T> constexpr bool is_integer = std::is_integral_v<T> && !std::is_same_v<T, bool>;

template <typename T> bool store_integer(void *place, int64_t value) {
    if constexpr (!is_integer<T>) return false;
    else if constexpr (std::is_same_v<T, uint64_t>) return value >= 0 && put(place, static_cast<T>(value));
    else return value == static_cast<T>(value) && put(place, static_cast<T>(value));
}

template <typename T> bool read_integer(const void *place, int64_t *value) {
    if constexpr (is_integer<T>) *value = static_cast<int64_t>(read<T>(place));
    return is_integer<T>;
}

template <typename T> PyObject *number(T value) {
    if constexpr (std::is_same_v<T, bool>) return PyBool_FromLong(value);
    else if constexpr (std::is_floating_point_v<T>) return PyFloat_FromDouble(value);
    else if constexpr (std::is_signed_v<T>) return PyLong_FromLongLong(value);
    else return PyLong_FromUnsignedLongLong(value);
}

}  // namespace

bool store_number(int kind, void *place, PyObject *object) {
    switch (kind) {
#define STORE(KIND, T) \
    case KIND: return store<T>(place, object);
        NUMBER_LIST(STORE)
    default: return false;
    }
}

bool store_integer(int kind, void *place, int64_t value) {
    switch (kind) {
#define STORE_INTEGER(KIND, T) \
    case KIND: return store_integer<T>(place, value);
        NUMBER_LIST(STORE_INTEGER)
    default: return false;
    }
}

bool read_integer(int kind, const void *place, int64_t *value) {
    switch (kind) {
#define READ_INTEGER(KIND, T) \
    case KIND: return read_integer<T>(place, value);
        NUMBER_LIST(READ_INTEGER)
    default: return false;
    }
}

Outcome convert_integer(const Argument &argument, bool is_read) {
    if (is_cdata(argument.object)) {
        const Ref integer(is_read ? with_python([&] { return PyNumber_Long(argument.object); }) : nullptr);
        if (integer == nullptr && PyErr_ExceptionMatches(PyExc_MemoryError)) return FAILED;
        if (integer != nullptr) store_number(argument.parameter.kind, argument.place, integer);
        PyErr_Clear(); /* cffi raises its own */
        return NEEDS_CFFI;
    }
    if (!PyIndex_Check(argument.object) || is_tensor(argument.object)) return refuse(argument);
    const Ref integer(with_python([&] { return PyNumber_Index(argument.object); }));
    if (integer == nullptr) return refuse(argument);
    if (store_number(argument.parameter.kind, argument.place, integer)) return DONE;
    return out_of_range({argument.parameter, integer, argument.place});
}

Outcome convert_float(const Argument &argument) {
    if (!PyFloat_Check(argument.object) && !PyLong_Check(argument.object)) {
        if (is_cdata(argument.object)) return NEEDS_CFFI;
        if (is_tensor(argument.object)) return refuse(argument);
        if (truth(arrays_py.call("is_real", "(O)", argument.object)) <= 0) return refuse(argument);
    }
    const double value = with_python([&] { return PyFloat_AsDouble(argument.object); });
    if (value == -1 && PyErr_Occurred()) {
        return PyErr_ExceptionMatches(PyExc_OverflowError) ? out_of_range(argument) : refuse(argument);
    }
    return argument.parameter.kind == THAW_FLOAT ? argument.store(static_cast<float>(value)) : argument.store(value);
}

Ref to_python(int kind, const void *value) {
    switch (kind) {
#define NUMBER(KIND, T) \
    case KIND: return Ref(number(read<T>(value)));
        NUMBER_LIST(NUMBER)
    case THAW_TEXT:
        if (const char *text = read<const char *>(value)) return Ref(PyUnicode_FromString(text));
    }
    return Ref::borrow(Py_None);
}

}  // namespace bridge
