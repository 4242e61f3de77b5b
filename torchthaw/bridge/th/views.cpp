/* th/views.cpp: one call to a C function of the legacy kind: tensors as TH structs, everything else as cffi has it. */
#include "../call.h"
#include "../cuda/thc.h"
#include "../exceptions.h"
#include "view.h"
#include "../tensor.h"

#include <cstdio>
#include <cstring>
#include <limits>

namespace bridge {

namespace {

/* Stores an exact Python number that fits; whatever is left is for cffi, which knows what to say about it. */
template <typename T> bool store_integer(char *slot, PyObject *argument) {
    if (!PyLong_CheckExact(argument) && !PyBool_Check(argument)) return false;
    int overflow;
    long long value = PyLong_AsLongLongAndOverflow(argument, &overflow);
    if (overflow != 0 || value < static_cast<long long>(std::numeric_limits<T>::min())) return false;
    if (sizeof(T) < sizeof value && value > static_cast<long long>(std::numeric_limits<T>::max())) return false;
    const T stored = static_cast<T>(value);
    std::memcpy(slot, &stored, sizeof stored);
    return true;
}

template <typename T> bool store_float(char *slot, PyObject *argument) {
    if (!PyFloat_CheckExact(argument)) return false;
    const T value = static_cast<T>(PyFloat_AsDouble(argument));
    std::memcpy(slot, &value, sizeof value);
    return true;
}

bool store_number(int kind, char *slot, PyObject *argument) {
    switch (kind) {
    case THAW_INT8: return store_integer<int8_t>(slot, argument);
    case THAW_INT16: return store_integer<int16_t>(slot, argument);
    case THAW_INT32: return store_integer<int32_t>(slot, argument);
    case THAW_INT64: return store_integer<int64_t>(slot, argument);
    case THAW_UINT8: return store_integer<uint8_t>(slot, argument);
    case THAW_UINT16: return store_integer<uint16_t>(slot, argument);
    case THAW_UINT32: return store_integer<uint32_t>(slot, argument);
    case THAW_UINT64: return store_integer<uint64_t>(slot, argument);
    case THAW_FLOAT: return store_float<float>(slot, argument);
    case THAW_DOUBLE: return store_float<double>(slot, argument);
    default: return false;
    }
}

/* A pointer to a struct as cffi spells it. */
struct StructName {
    char text[40];

    StructName(int code, int bits, bool on_cuda, bool is_storage) {
        const char *real = real_name(code, bits);
        if (on_cuda && std::strcmp(real, "Float") == 0) real = "";
        std::snprintf(text, sizeof text, "struct TH%s%s%s *", on_cuda ? "Cuda" : "", real,
                      is_storage ? "Storage" : "Tensor");
    }
};

/* The slots of one call, given back at its end. */
class Slots {
public:
    ~Slots() {
        while (first_ != nullptr) {
            Slot *next = first_->next;
            give_back(first_);
            first_ = next;
        }
    }

    Slot *find(PyObject *argument) const {
        Slot *slot = first_;
        while (slot != nullptr && slot->argument != argument) slot = slot->next;
        return slot;
    }

    /* The same object passed twice is one struct. */
    Slot *take(PyObject *argument, bool is_storage, bool exact) {
        if (Slot *slot = find(argument)) return slot;
        Slot *slot = take_slot(argument, is_storage, exact, first_);
        if (slot == nullptr) return nullptr;
        slot->next = first_;
        return first_ = slot;
    }

    Slot *find_pointer(void *pointer) const {
        Slot *slot = first_;
        while (slot != nullptr && slot->pointer() != pointer) slot = slot->next;
        return slot;
    }

    bool finish(bool succeeded) { return finish_slots(first_, succeeded); }

private:
    Slot *first_ = nullptr;
};

class Call {
public:
    Call(const thaw_callable *function, void *frame, PyObject *const *arguments, Py_ssize_t count)
        : function_(function), frame_(static_cast<char *>(frame)), arguments_(arguments), count_(count) {}

    PyObject *run() {
        bool needs_cffi = function_->run == nullptr;
        for (Py_ssize_t i = 0; i < count_; ++i) {
            if (!convert(i, &needs_cffi)) return nullptr;
        }
        return device_ < 0 ? call(needs_cffi) : call_there(needs_cffi);
    }

private:
    __attribute__((noinline)) PyObject *call_there(bool needs_cffi) {
        OnDevice there;
        return there.enter(device_) ? call(needs_cffi) : nullptr;
    }

    PyObject *call(bool needs_cffi) {
        PyObject *result = needs_cffi ? run_cffi() : run_direct();
        if (result == nullptr) {
            PyObject *type, *value, *traceback;
            PyErr_Fetch(&type, &value, &traceback);
            slots_.finish(false);
            PyErr_Restore(type, value, traceback);
        } else if (!slots_.finish(true)) {
            Py_DECREF(result);
            return nullptr;
        }
        return result;
    }

    bool convert(Py_ssize_t index, bool *needs_cffi) {
        static const thaw_parameter variadic = {"", THAW_CFFI, THAW_EXACT, 0, 0, 0, 0};
        const thaw_parameter &parameter =
            index < function_->parameter_count ? function_->parameters[index] : variadic;
        PyObject *argument = arguments_[index];
        char *place = frame_ + parameter.offset;
        if (parameter.kind < THAW_TH_TENSOR && store_number(parameter.kind, place, argument)) return true;
        bool is_storage = false;
        if (!is_tensor(argument)) {
            is_storage = !PyLong_Check(argument) && bridge::is_storage(argument);
            if (!is_storage) {
                *needs_cffi = true;
                return !PyErr_Occurred();
            }
        }
        Slot *slot = slots_.take(argument, is_storage, (parameter.flags & THAW_EXACT) != 0);
        if (slot == nullptr) return false;
        if (slot->on_cuda() && !is_with_the_others(parameter, slot)) return false;
        const int kind = kind_of(is_storage, slot->on_cuda());
        if (parameter.kind == kind && slot->code == parameter.dtype_code && slot->bits == parameter.dtype_bits) {
            void *pointer = slot->pointer();
            std::memcpy(place, &pointer, sizeof pointer);
        } else {
            if (parameter.kind >= THAW_TH_TENSOR && !check_place(parameter, slot)) return false;
            *needs_cffi = true; /* and its TypeError */
        }
        return true;
    }

    static int kind_of(bool is_storage, bool on_cuda) {
        if (on_cuda) return is_storage ? THAW_THC_STORAGE : THAW_THC_TENSOR;
        return is_storage ? THAW_TH_STORAGE : THAW_TH_TENSOR;
    }

    /* False with an exception set for what is on a GPU where the parameter is on the CPU, or the other way round. */
    __attribute__((noinline)) static bool check_place(const thaw_parameter &parameter, const Slot *slot) {
        const bool wants_cuda = parameter.kind >= THAW_THC_TENSOR;
        if (wants_cuda == slot->on_cuda()) return true;
        const bool takes_storage = parameter.kind == THAW_TH_STORAGE || parameter.kind == THAW_THC_STORAGE;
        const StructName expected(parameter.dtype_code, parameter.dtype_bits, wants_cuda, takes_storage);
        const StructName got(slot->code, slot->bits, slot->on_cuda(), slot->is_storage());
        PyErr_Format(PyExc_TypeError,
                     "initializer for ctype '%s' must be a pointer to same type, not cdata '%s'; "
                     "%s: expected a %s %s, got one on %s",
                     expected.text, got.text, parameter.name, wants_cuda ? "CUDA" : "CPU",
                     takes_storage ? "storage" : "tensor", slot->on_cuda() ? "a GPU" : "the CPU");
        return false;
    }

    /* False with an exception set for what is on another GPU than those before it. */
    bool is_with_the_others(const thaw_parameter &parameter, const Slot *slot) {
        if (device_ < 0) device_ = slot->device;
        if (device_ == slot->device) return true;
        PyErr_Format(PyExc_TypeError, "%s: expected a %s on cuda:%d, where those before it are, got one on cuda:%d",
                     parameter.name, slot->is_storage() ? "storage" : "tensor", device_, slot->device);
        return false;
    }

    PyObject *run_direct() {
        PyThreadState *state = PyEval_SaveThread();
        bool returned = guard(function_->run, frame_);
        PyEval_RestoreThread(state);
        if (!returned && raise_kept_fatal()) return nullptr;
        const void *value = frame_ + function_->result_offset;
        if (function_->result < THAW_TH_TENSOR) return to_python(function_->result, value);
        void *pointer;
        std::memcpy(&pointer, value, sizeof pointer);
        return struct_result(pointer);
    }

    PyObject *run_cffi() {
        PyObject *values = PyTuple_New(count_);
        for (Py_ssize_t i = 0; values != nullptr && i < count_; ++i) {
            PyObject *value = cffi_value(arguments_[i]);
            if (value == nullptr) return Py_DECREF(values), nullptr;
            PyTuple_SetItem(values, i, value);
        }
        if (values == nullptr) return nullptr;
        forget_kept();
        PyObject *result = PyObject_Call(function_->cffi_function, values, nullptr);
        Py_DECREF(values);
        if (raise_kept_fatal()) {
            Py_XDECREF(result);
            return nullptr;
        }
        if (result == nullptr || function_->result < THAW_TH_TENSOR) return result;
        PyObject *number = PyObject_CallFunction(function_->cast, "sO", "uintptr_t", result);
        PyObject *integer = number == nullptr ? nullptr : PyNumber_Long(number);
        Py_XDECREF(number);
        Py_DECREF(result);
        if (integer == nullptr) return nullptr;
        void *pointer = PyLong_AsVoidPtr(integer);
        Py_DECREF(integer);
        return struct_result(pointer);
    }

    /* What cffi gets for an argument: a pointer of the struct's own type, which cffi compares with the parameter's. */
    PyObject *cffi_value(PyObject *argument) {
        Slot *slot = slots_.find(argument);
        if (slot == nullptr) {
            Py_INCREF(argument);
            return argument;
        }
        const StructName name(slot->code, slot->bits, slot->on_cuda(), slot->is_storage());
        PyObject *type = PyUnicode_FromString(name.text);
        PyObject *address = type == nullptr ? nullptr : PyLong_FromVoidPtr(slot->pointer());
        PyObject *pointer =
            address == nullptr ? nullptr : PyObject_CallFunctionObjArgs(function_->cast, type, address, nullptr);
        Py_XDECREF(type);
        Py_XDECREF(address);
        return pointer;
    }

    /* A struct that C returned: the argument that it is, else a new torch object which takes the reference. */
    PyObject *struct_result(void *pointer) {
        if (pointer == nullptr) {
            Py_INCREF(Py_None);
            return Py_None;
        }
        if (Slot *slot = slots_.find_pointer(pointer)) {
            give_up_reference(slot); /* retained for the result */
            Py_INCREF(slot->argument);
            return slot->argument;
        }
        const int kind = function_->result, code = function_->result_code, bits = function_->result_bits;
        const bool on_cuda = kind >= THAW_THC_TENSOR;
        if (kind == THAW_TH_STORAGE || kind == THAW_THC_STORAGE) {
            return adopt_storage(static_cast<THStorage *>(pointer), code, bits, on_cuda);
        }
        return adopt(static_cast<THTensor *>(pointer), code, bits, on_cuda);
    }

    const thaw_callable *function_;
    char *frame_;
    PyObject *const *arguments_;
    Py_ssize_t count_;
    int device_ = -1; /* of the tensors on a GPU */
    Slots slots_;
};

/* For its message, cffi is called as Python would call it. */
PyObject *call_as_is(const thaw_callable *function, PyObject *const *arguments, Py_ssize_t count, PyObject *keywords) {
    PyObject *values = PyTuple_New(count), *named = keywords == nullptr ? nullptr : PyDict_New();
    for (Py_ssize_t i = 0; values != nullptr && i < count; ++i) {
        Py_INCREF(arguments[i]);
        PyTuple_SetItem(values, i, arguments[i]);
    }
    for (Py_ssize_t i = 0; named != nullptr && i < PyTuple_Size(keywords); ++i) {
        if (PyDict_SetItem(named, PyTuple_GetItem(keywords, i), arguments[count + i]) != 0) Py_CLEAR(named);
    }
    PyObject *result = values == nullptr || (keywords != nullptr && named == nullptr)
                           ? nullptr
                           : PyObject_Call(function->cffi_function, values, named);
    Py_XDECREF(values);
    Py_XDECREF(named);
    return result;
}

}  // namespace

PyObject *call_th(const thaw_callable *function, void *frame, PyObject **, PyObject *const *arguments,
                  Py_ssize_t count, PyObject *keywords) {
    const bool named = keywords != nullptr && PyTuple_Size(keywords) > 0;
    const bool fits = function->variadic ? count >= function->parameter_count : count == function->parameter_count;
    if (named || !fits) return call_as_is(function, arguments, count, keywords);
    if (!refresh_kept()) return nullptr;
    return Call(function, frame, arguments, count).run();
}

}  // namespace bridge
