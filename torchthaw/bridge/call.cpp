/* call.cpp: one call from Python to C: arguments into the frame, the C function without the GIL, its result back. */
#include "call.h"

#include "exceptions.h"
#include "tensor.h"

#include <cstring>
#include <limits>
#include <new>

namespace bridge {

namespace {

PyTypeObject *cdata_type;

/* What became of an argument. */
enum Outcome { FAILED, DONE, NEEDS_CFFI };

/* Memory for the integers of torch.Size and sequence arguments, for the time of a call. */
class Sizes {
public:
    ~Sizes() {
        while (more_ != nullptr) {
            Block *next = more_->next;
            PyMem_Free(more_);
            more_ = next;
        }
    }

    int64_t *take(Py_ssize_t count) {
        if (count <= free_) {
            int64_t *taken = near_ + (NEAR - free_);
            free_ -= count;
            return taken;
        }
        void *memory = PyMem_Malloc(sizeof(Block) + static_cast<size_t>(count) * sizeof(int64_t));
        if (memory == nullptr) return PyErr_NoMemory(), nullptr;
        more_ = new (memory) Block{more_};
        return reinterpret_cast<int64_t *>(more_ + 1);
    }

private:
    struct Block {
        Block *next;
    };
    static constexpr Py_ssize_t NEAR = 24;
    int64_t near_[NEAR];
    Py_ssize_t free_ = NEAR;
    Block *more_ = nullptr;
};

/* Calls torchthaw.bridge.errors.<explainer>, which raises; torchthaw.bridge.cuda's where there is a `device`. */
void explain(const char *explainer, const thaw_parameter &parameter, PyObject *argument, const int *device = nullptr) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback); /* what PyTorch said, if anything */
    PyErr_NormalizeException(&type, &value, &traceback);
    PyObject *errors = PyImport_ImportModule(device == nullptr ? "torchthaw.bridge.errors" : "torchthaw.bridge.cuda");
    if (errors != nullptr) {
        PyObject *result = PyObject_CallMethod(errors, explainer, device == nullptr ? "siiiiOO" : "siiiiOOi",
                                               parameter.name, parameter.kind, parameter.flags, parameter.dtype_code,
                                               parameter.dtype_bits, argument, value == nullptr ? Py_None : value,
                                               device == nullptr ? 0 : *device);
        Py_XDECREF(result);
        Py_DECREF(errors);
    }
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
    if (!PyErr_Occurred()) PyErr_Format(PyExc_SystemError, "%s: refused without a reason", parameter.name);
}

Outcome refuse(const thaw_parameter &parameter, PyObject *argument) {
    explain("refuse", parameter, argument);
    return FAILED;
}

template <typename T> Outcome store(void *slot, T value) {
    std::memcpy(slot, &value, sizeof value);
    return DONE;
}

Outcome out_of_range(const thaw_parameter &parameter, PyObject *argument) {
    PyErr_Clear();
    explain("out_of_range", parameter, argument);
    return FAILED;
}

template <typename T> Outcome store_signed(void *slot, const thaw_parameter &parameter, PyObject *integer) {
    int overflow;
    long long value = PyLong_AsLongLongAndOverflow(integer, &overflow);
    if (value == -1 && overflow == 0 && PyErr_Occurred()) return FAILED;
    if (overflow != 0 || value < std::numeric_limits<T>::min() || value > std::numeric_limits<T>::max()) {
        return out_of_range(parameter, integer);
    }
    return store(slot, static_cast<T>(value));
}

template <typename T> Outcome store_unsigned(void *slot, const thaw_parameter &parameter, PyObject *integer) {
    unsigned long long value = PyLong_AsUnsignedLongLong(integer);
    if ((value == static_cast<unsigned long long>(-1) && PyErr_Occurred()) || value > std::numeric_limits<T>::max()) {
        return out_of_range(parameter, integer);
    }
    return store(slot, static_cast<T>(value));
}

Outcome store_integer(void *slot, const thaw_parameter &parameter, PyObject *integer) {
    switch (parameter.kind) {
    case THAW_INT8: return store_signed<int8_t>(slot, parameter, integer);
    case THAW_INT16: return store_signed<int16_t>(slot, parameter, integer);
    case THAW_INT32: return store_signed<int32_t>(slot, parameter, integer);
    case THAW_INT64: return store_signed<int64_t>(slot, parameter, integer);
    case THAW_UINT8: return store_unsigned<uint8_t>(slot, parameter, integer);
    case THAW_UINT16: return store_unsigned<uint16_t>(slot, parameter, integer);
    case THAW_UINT32: return store_unsigned<uint32_t>(slot, parameter, integer);
    case THAW_UINT64: return store_unsigned<uint64_t>(slot, parameter, integer);
    default: return store_unsigned<bool>(slot, parameter, integer);
    }
}

bool is_cdata(PyObject *object) { return PyType_IsSubtype(Py_TYPE(object), cdata_type); }

/* Whether cffi makes a pointer to numbers of it: its own pointers and arrays, and what it copies into an array. */
bool is_for_cffi(PyObject *object) {
    return is_cdata(object) || PyBytes_Check(object) || PyUnicode_Check(object) || PyTuple_Check(object) ||
           PyList_Check(object);
}

Outcome convert_integer(void *slot, const thaw_parameter &parameter, PyObject *argument) {
    if (PyLong_CheckExact(argument)) return store_integer(slot, parameter, argument);
    if (is_cdata(argument)) return NEEDS_CFFI;
    if (!PyIndex_Check(argument) || is_tensor(argument)) return refuse(parameter, argument);
    PyObject *integer = PyNumber_Index(argument);
    if (integer == nullptr) return refuse(parameter, argument);
    Outcome outcome = store_integer(slot, parameter, integer);
    Py_DECREF(integer);
    return outcome;
}

Outcome convert_float(void *slot, const thaw_parameter &parameter, PyObject *argument) {
    if (!PyFloat_Check(argument) && !PyLong_Check(argument)) {
        if (is_cdata(argument)) return NEEDS_CFFI;
        if (is_tensor(argument)) return refuse(parameter, argument);
    }
    double value = PyFloat_AsDouble(argument);
    if (value == -1 && PyErr_Occurred()) {
        bool is_type = PyErr_ExceptionMatches(PyExc_TypeError);
        return is_type ? refuse(parameter, argument) : out_of_range(parameter, argument);
    }
    return parameter.kind == THAW_FLOAT ? store(slot, static_cast<float>(value)) : store(slot, value);
}

Outcome convert_sizes(void *slot, const thaw_parameter &parameter, PyObject *argument, Sizes *sizes) {
    bool is_tuple = PyTuple_Check(argument);
    Py_ssize_t count = is_tuple ? PyTuple_Size(argument) : PyList_Size(argument);
    int64_t *values = sizes->take(count);
    if (values == nullptr) return FAILED;
    for (Py_ssize_t i = 0; i < count; ++i) {
        PyObject *item = is_tuple ? PyTuple_GetItem(argument, i) : PyList_GetItem(argument, i);
        if (item == nullptr) return FAILED; /* a list that shrank meanwhile */
        if (PyLong_CheckExact(item)) {
            values[i] = PyLong_AsLongLong(item);
        } else {
            if (!PyIndex_Check(item) || is_tensor(item)) return refuse(parameter, argument);
            PyObject *integer = PyNumber_Index(item);
            if (integer == nullptr) return refuse(parameter, argument);
            values[i] = PyLong_AsLongLong(integer);
            Py_DECREF(integer);
        }
        if (values[i] == -1 && PyErr_Occurred()) return out_of_range(parameter, argument);
    }
    return store(slot, static_cast<void *>(values));
}

/* `device`: where the tensors of the call are, -1 before the first; NULL for the CPU. */
Outcome convert_tensor(void *slot, const thaw_parameter &parameter, PyObject *argument, int *device) {
    auto refuse = [&] { return explain("refuse", parameter, argument, device), FAILED; };
    Tensor tensor;
    if (parameter.kind != THAW_ARRAY || !read_tensor(argument, &tensor)) return refuse();
    bool same_dtype =
        parameter.dtype_code < 0 ||
        (tensor.dtype_code == parameter.dtype_code && tensor.dtype_bits == parameter.dtype_bits);
    bool in_place = device == nullptr ? tensor.device == ON_CPU
                                      : tensor.device >= 0 && (*device < 0 || *device == tensor.device);
    if (!same_dtype || !in_place || !tensor.contiguous || (tensor.data == nullptr && tensor.count != 0)) {
        return refuse();
    }
    if (is_lazy(argument, tensor) != 0) return refuse();
    if (device != nullptr) *device = tensor.device;
    return store(slot, tensor.data);
}

/* Converts the arguments into the frame and calls; one per call. */
class Call {
public:
    Call(const thaw_callable *function, void *frame, PyObject **scratch, PyObject *const *arguments, Py_ssize_t count)
        : function_(function), frame_(static_cast<char *>(frame)), written_(scratch + function->parameter_count),
          arguments_(arguments), count_(count), on_cuda_(function->takes_stream) {}

    PyObject *run() {
        bool needs_cffi = function_->run == nullptr;
        for (int i = 0; i < function_->parameter_count; ++i) {
            Outcome outcome = convert(i);
            if (outcome == FAILED) return nullptr;
            if (outcome == NEEDS_CFFI) needs_cffi = true;
        }
        if (on_cuda_ && !convert_stream()) return nullptr;
        if (written_count_ > 0 && !begin_writing()) return nullptr;
        if (device_ < 0) return call(needs_cffi);
        const int before = exchange_device(device_);
        if (before < 0 && PyErr_Occurred()) return nullptr;
        PyObject *result = call(needs_cffi);
        if (before >= 0 && before != device_) {
            PyObject *type, *value, *traceback;
            PyErr_Fetch(&type, &value, &traceback);
            exchange_device(before);
            PyErr_Restore(type, value, traceback);
        }
        return result;
    }

private:
    PyObject *call(bool needs_cffi) {
        if (needs_cffi) return run_cffi();
        PyThreadState *state = PyEval_SaveThread();
        bool returned = guard(function_->run, frame_);
        PyEval_RestoreThread(state);
        return returned || !raise_kept() ? result() : nullptr;
    }

    /* The last argument: a stream's address, as torch.cuda.Stream.cuda_stream is, or None for the current stream. */
    bool convert_stream() {
        const int last = function_->parameter_count - 1;
        void *slot = frame_ + function_->parameters[last].offset, *stream = nullptr;
        if (PyLong_Check(arguments_[last])) {
            stream = PyLong_AsVoidPtr(arguments_[last]);
            if (stream == nullptr && PyErr_Occurred()) return false;
        } else if (arguments_[last] != Py_None) {
            explain("refuse_stream", function_->parameters[last], arguments_[last], &device_);
            return false;
        } else if (device_ >= 0 && !current_stream(device_, &stream)) {
            return false;
        }
        return store(slot, stream) == DONE;
    }

    Outcome convert(int index) {
        const thaw_parameter &parameter = function_->parameters[index];
        PyObject *argument = arguments_[index];
        if (on_cuda_ && index == function_->parameter_count - 1) return DONE; /* the stream depends on the rest */
        void *slot = frame_ + parameter.offset;
        switch (parameter.kind) {
        case THAW_ARRAY:
        case THAW_HANDLE:
            if (argument == Py_None) return store(slot, static_cast<void *>(nullptr));
            if ((parameter.flags & THAW_SIZES) != 0 && (PyTuple_Check(argument) || PyList_Check(argument))) {
                return convert_sizes(slot, parameter, argument, &sizes_);
            }
            if (is_tensor(argument)) {
                Outcome outcome = convert_tensor(slot, parameter, argument, device_for(parameter));
                if (outcome == DONE && (parameter.flags & THAW_WRITTEN) != 0) written_[written_count_++] = argument;
                return outcome;
            }
            if (parameter.kind == THAW_ARRAY && !is_for_cffi(argument)) return refuse(parameter, argument);
            return NEEDS_CFFI;
        case THAW_FLOAT:
        case THAW_DOUBLE: return convert_float(slot, parameter, argument);
        case THAW_CFFI: return is_tensor(argument) ? refuse(parameter, argument) : NEEDS_CFFI;
        default: return convert_integer(slot, parameter, argument);
        }
    }

    /* Where the tensors of the call are, for a parameter that must be there too; sizes stay on the CPU. */
    int *device_for(const thaw_parameter &parameter) {
        return on_cuda_ && (parameter.flags & THAW_SIZES) == 0 ? &device_ : nullptr;
    }

    /* Before the call, so that a tensor which must not be written to is refused while it is still intact. */
    bool begin_writing() {
        Py_ssize_t found = find_protected(written_, written_count_);
        if (found == written_count_) return bump_versions(written_, written_count_);
        if (found < 0) return false;
        int i = 0;
        while ((function_->parameters[i].flags & THAW_WRITTEN) == 0 || arguments_[i] != written_[found]) ++i;
        refuse(function_->parameters[i], arguments_[i]);
        return false;
    }

    /* The call through cffi, with tensors and None as pointers. */
    PyObject *run_cffi() {
        PyObject *values = PyTuple_New(count_);
        if (values == nullptr) return nullptr;
        for (Py_ssize_t i = 0; i < count_; ++i) {
            PyObject *value = cffi_value(i);
            if (value == nullptr) return Py_DECREF(values), nullptr;
            PyTuple_SetItem(values, i, value);
        }
        forget_kept();
        PyObject *result = PyObject_Call(function_->cffi_function, values, nullptr);
        if (raise_kept()) {
            Py_XDECREF(result);
            result = nullptr;
        } else if (result == nullptr) {
            name_culprit(values);
        }
        Py_DECREF(values);
        return result;
    }

    PyObject *cffi_value(Py_ssize_t index) {
        PyObject *argument = arguments_[index];
        const int kind = index < function_->parameter_count ? function_->parameters[index].kind : THAW_CFFI;
        const bool is_stream = on_cuda_ && index == function_->parameter_count - 1;
        const bool in_frame = argument == Py_None || is_stream || is_tensor(argument);
        if ((kind != THAW_ARRAY && kind != THAW_HANDLE) || !in_frame) {
            Py_INCREF(argument);
            return argument;
        }
        void *address;
        std::memcpy(&address, frame_ + function_->parameters[index].offset, sizeof address);
        PyObject *integer = PyLong_FromVoidPtr(address);
        if (integer == nullptr) return nullptr;
        PyObject *type = PyTuple_GetItem(function_->cffi_types, index);
        PyObject *pointer = PyObject_CallFunctionObjArgs(function_->cast, type, integer, nullptr);
        Py_DECREF(integer);
        return pointer;
    }

    /* cffi refused an argument but does not say which: torchthaw.bridge.errors finds out and names it. */
    void name_culprit(PyObject *values) {
        PyObject *type, *value, *traceback;
        PyErr_Fetch(&type, &value, &traceback);
        PyErr_NormalizeException(&type, &value, &traceback);
        PyObject *names = PyTuple_New(function_->parameter_count);
        for (int i = 0; names != nullptr && i < function_->parameter_count; ++i) {
            PyTuple_SetItem(names, i, PyUnicode_FromString(function_->parameters[i].name));
        }
        PyObject *errors = names == nullptr ? nullptr : PyImport_ImportModule("torchthaw.bridge.errors");
        PyObject *named = errors == nullptr ? nullptr
                                            : PyObject_CallMethod(errors, "name_culprit", "OOOO", value, names,
                                                                  function_->cffi_types, values);
        Py_XDECREF(names);
        Py_XDECREF(errors);
        if (named == nullptr) {
            Py_XDECREF(type);
            Py_XDECREF(value);
            Py_XDECREF(traceback);
            return;
        }
        Py_DECREF(named);
        PyErr_Restore(type, value, traceback);
    }

    PyObject *result() { return to_python(function_->result, frame_ + function_->result_offset); }

    const thaw_callable *function_;
    char *frame_;
    PyObject **written_;
    PyObject *const *arguments_;
    Py_ssize_t count_; /* of arguments: the parameters, and what a variadic function gets besides */
    int written_count_ = 0;
    bool on_cuda_;
    int device_ = -1; /* of the tensors, on a GPU */
    Sizes sizes_;
};

template <typename T> T read(const void *value) {
    T result;
    std::memcpy(&result, value, sizeof result);
    return result;
}

/* Puts positional and keyword arguments in the order of the parameters. False with an exception set. */
bool arrange(const thaw_callable *function, PyObject **ordered, PyObject *const *arguments, Py_ssize_t count,
             PyObject *keywords) {
    const int expected = function->parameter_count;
    const Py_ssize_t named = keywords == nullptr ? 0 : PyTuple_Size(keywords);
    const bool no_stream = count + named == expected - 1 && function->takes_stream;
    if (count + named != expected && !no_stream) {
        PyErr_Format(PyExc_TypeError, "%s: expected %d argument%s, got %zd", function->name, expected,
                     expected == 1 ? "" : "s", count + named);
        return false;
    }
    for (int i = 0; i < expected; ++i) ordered[i] = i < count ? arguments[i] : nullptr;
    for (Py_ssize_t k = 0; k < named; ++k) {
        PyObject *key = PyTuple_GetItem(keywords, k);
        int i = 0;
        while (i < expected && PyUnicode_CompareWithASCIIString(key, function->parameters[i].name) != 0) ++i;
        if (i == expected || ordered[i] != nullptr) {
            PyErr_Format(PyExc_TypeError, i == expected ? "%s: no parameter is called %R" : "%s: got %R twice",
                         function->name, key);
            return false;
        }
        ordered[i] = arguments[count + k];
    }
    if (no_stream && ordered[expected - 1] != nullptr) {
        PyErr_Format(PyExc_TypeError, "%s: expected %d arguments, got %zd", function->name, expected, count + named);
        return false;
    }
    if (no_stream) ordered[expected - 1] = Py_None;
    return true;
}

}  // namespace

PyObject *to_python(int kind, const void *value) {
    switch (kind) {
    case THAW_BOOL: return PyBool_FromLong(read<bool>(value));
    case THAW_INT8: return PyLong_FromLong(read<int8_t>(value));
    case THAW_INT16: return PyLong_FromLong(read<int16_t>(value));
    case THAW_INT32: return PyLong_FromLong(read<int32_t>(value));
    case THAW_INT64: return PyLong_FromLongLong(read<int64_t>(value));
    case THAW_UINT8: return PyLong_FromLong(read<uint8_t>(value));
    case THAW_UINT16: return PyLong_FromLong(read<uint16_t>(value));
    case THAW_UINT32: return PyLong_FromUnsignedLong(read<uint32_t>(value));
    case THAW_UINT64: return PyLong_FromUnsignedLongLong(read<uint64_t>(value));
    case THAW_FLOAT: return PyFloat_FromDouble(read<float>(value));
    case THAW_DOUBLE: return PyFloat_FromDouble(read<double>(value));
    case THAW_TEXT:
        if (const char *text = read<const char *>(value)) return PyUnicode_FromString(text);
        break;
    }
    Py_INCREF(Py_None);
    return Py_None;
}

bool prepare_calls() {
    PyObject *backend = PyImport_ImportModule("_cffi_backend");
    PyObject *base = backend == nullptr ? nullptr : PyObject_GetAttrString(backend, "_CDataBase");
    Py_XDECREF(backend);
    cdata_type = reinterpret_cast<PyTypeObject *>(base);
    return base != nullptr;
}

PyObject *call(const thaw_callable *function, void *frame, PyObject **scratch, PyObject *const *arguments,
               Py_ssize_t count, PyObject *keywords) {
    const bool more = function->variadic && keywords == nullptr && count > function->parameter_count;
    if (keywords != nullptr || (count != function->parameter_count && !more)) {
        if (!arrange(function, scratch, arguments, count, keywords)) return nullptr;
        arguments = scratch;
        count = function->parameter_count;
    }
    return Call(function, frame, scratch, arguments, count).run();
}

}  // namespace bridge
