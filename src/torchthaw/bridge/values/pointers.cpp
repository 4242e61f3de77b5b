/* pointers.cpp: the converter of pointers: the memory of tensors and buffers, and sizes. */
#include "bridge/call/call.h"
#include "buffers.h"

#include <cassert>
#include <new>

namespace bridge {

namespace {

/* Whether cffi makes a pointer to numbers of it: what it copies into an array, and bytes. */
bool is_for_cffi(PyObject *object) {
    return PyBytes_Check(object) || PyUnicode_Check(object) || PyTuple_Check(object) || PyList_Check(object) ||
           PyByteArray_Check(object);
}

constexpr size_t ALIGNMENT = 64;

inline void describe_tensor(const Tensor &tensor, Array *array) {
    assert(tensor.dimensions >= 0 && tensor.count >= 0 && tensor.dtype_bits > 0);
    array->dimensions = tensor.dimensions;
    array->size = tensor.size;
    array->count = tensor.count;
    array->begin = tensor.count == 0 ? nullptr : static_cast<const char *>(tensor.data);
    array->end = array->begin + ((static_cast<uint64_t>(tensor.count) * static_cast<unsigned>(tensor.dtype_bits) + 7) >> 3);
}

/* A tensor's sizes, in memory that lasts as long as the call. False, perhaps with an exception set, where they cannot be
 * read. */
__attribute__((noinline)) bool read_kept_sizes(PyObject *object, Tensor *tensor, Sizes *sizes) {
    if (!read_sizes(object, tensor)) return false;
    int64_t *kept = sizes->take(tensor->dimensions);
    if (kept == nullptr) return false;
    std::memcpy(kept, tensor->size, static_cast<size_t>(tensor->dimensions) * sizeof *kept);
    tensor->size = kept;
    return true;
}

void describe_count(int64_t count, Array *array) {
    array->dimensions = Array::COUNTED;
    array->count = count;
    array->begin = array->end = nullptr; /* the memory is this call's own */
}

/* Whether a list of numbers would not become the elements, which C's integers only hold the bits of. */
bool has_no_numbers(const thaw_parameter &parameter) {
    const int code = parameter.dtype_code;
    return (code == DLPACK_BFLOAT || code == DLPACK_FLOAT) && parameter.dtype_bits == 16;
}

Outcome convert_sizes(const Argument &argument, Sizes *sizes, Array *array, bool *code_ran) {
    const bool is_tuple = PyTuple_Check(argument.object);
    const Py_ssize_t count = is_tuple ? PyTuple_Size(argument.object) : PyList_Size(argument.object);
    int64_t *values = sizes->take(count);
    if (values == nullptr) return FAILED;
    for (Py_ssize_t i = 0; i < count; ++i) {
        PyObject *item = is_tuple ? PyTuple_GetItem(argument.object, i) : PyList_GetItem(argument.object, i);
        if (item == nullptr) return refuse(argument); /* a list that shrank meanwhile */
        if (PyLong_CheckExact(item)) {
            values[i] = PyLong_AsLongLong(item);
        } else {
            const Ref kept = Ref::borrow(item);
            const Argument size = {argument.parameter, item, argument.place};
            if (!PyIndex_Check(item) || is_tensor(item)) return refuse(size, nullptr, "refuse_size");
            const Ref integer(with_python([&] { return PyNumber_Index(item); }));
            if (integer == nullptr) return refuse(size, nullptr, "refuse_size");
            values[i] = PyLong_AsLongLong(integer);
            *code_ran = true;
        }
        if (values[i] == -1 && PyErr_Occurred()) return out_of_range(argument);
    }
    if (array != nullptr) describe_count(count, array);
    return argument.store(static_cast<void *>(values));
}

bool has_dtype(const Tensor &tensor, const thaw_parameter &parameter) {
    const bool is_any = parameter.dtype_code < 0;
    return is_any || (tensor.dtype_code == parameter.dtype_code && tensor.dtype_bits == parameter.dtype_bits);
}

/* Whether the memory begins where C's type may; that of torch.frombuffer() need not. */
bool is_aligned(const Tensor &tensor, const thaw_parameter &parameter) {
    const int bytes = parameter.dtype_bits / (parameter.dtype_code == DLPACK_COMPLEX ? 16 : 8);
    assert(parameter.dtype_code < 0 || (bytes & (bytes - 1)) == 0);
    const auto below = static_cast<uintptr_t>(bytes - 1);
    return parameter.dtype_code < 0 || (reinterpret_cast<uintptr_t>(tensor.data) & below) == 0;
}

/* An array that has a buffer, which is held until C has returned. */
__attribute__((noinline)) Outcome convert_buffer(const Argument &argument, int *device, CallMemory *memory, Array *array,
                                                 bool *code_ran) {
    const thaw_parameter &parameter = argument.parameter;
    const bool is_written = (parameter.flags & THAW_WRITTEN) != 0;
    Tensor tensor;
    /* A class may have a buffer by a method in Python; types in C that are no classes have none. */
    if ((PyType_GetFlags(Py_TYPE(argument.object)) & Py_TPFLAGS_HEAPTYPE) != 0) *code_ran = true;
    const bool is_taken = memory->buffers.take(argument.object, is_written, argument.place, &memory->sizes, &tensor);
    if (!is_taken || device != nullptr || !has_dtype(tensor, parameter)) return refuse(argument, device);
    const bool has_memory = tensor.data != nullptr || tensor.count == 0;
    const bool fits = tensor.device == ON_CPU && is_contiguous(tensor) && has_memory;
    if (!fits || !is_aligned(tensor, parameter)) return refuse(argument, device);
    if (array != nullptr) describe_tensor(tensor, array);
    return argument.store(tensor.data);
}

/* `again`: the tensor was converted before, and `code_ran` is NULL. */
template <bool again>
Outcome convert_tensor(const Argument &argument, int *device, Sizes *sizes, Array *array, bool *code_ran) {
    const thaw_parameter &parameter = argument.parameter;
    Tensor tensor;
    if (parameter.kind != THAW_ARRAY || !read_tensor(argument.object, &tensor)) return refuse(argument, device);
    const bool in_place = device == nullptr ? tensor.device == ON_CPU
                                            : tensor.device >= 0 && (*device < 0 || *device == tensor.device);
    const bool has_memory = tensor.data != nullptr || tensor.count == 0;
    const bool fits = has_dtype(tensor, parameter) && in_place && is_contiguous(tensor) && has_memory &&
                      is_aligned(tensor, parameter);
    if (!fits || holds_values(argument.object, tensor, tensor.count) <= 0) return refuse(argument, device);
    if (!again && __builtin_expect(!has_plain_attributes(argument.object), 0)) {
        const bool is_written = (parameter.flags & THAW_WRITTEN) != 0; /* autograd will be asked */
        if (is_written || torch.dltensor == nullptr || torch.body_layout.storage == 0) *code_ran = true;
    }
    if (device != nullptr) *device = tensor.device;
    if (array != nullptr) {
        const bool has_sizes = tensor.size != nullptr || read_kept_sizes(argument.object, &tensor, sizes);
        if (!has_sizes) return refuse(argument, device);
        describe_tensor(tensor, array);
    }
    return argument.store(tensor.data);
}

}  // namespace

void Sizes::free_blocks() {
    while (more_ != nullptr) {
        Block *next = more_->next;
        PyMem_Free(more_);
        more_ = next;
    }
}

int64_t *Sizes::take(Py_ssize_t count) {
    assert(count >= 0 && free_ >= 0 && free_ <= NEAR);
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

void *Sizes::take_bytes(size_t bytes) {
    const size_t count = (bytes + ALIGNMENT) / sizeof(int64_t) + 1;
    if (bytes > static_cast<size_t>(PY_SSIZE_T_MAX) - 2 * ALIGNMENT) return PyErr_NoMemory(), nullptr;
    const auto address = reinterpret_cast<uintptr_t>(take(static_cast<Py_ssize_t>(count)));
    return reinterpret_cast<void *>(address == 0 ? 0 : (address + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
}

/* As torchthaw.bridge.cffi_arguments finds out; raises for what C must not write to. */
__attribute__((noinline, cold)) Outcome describe_for_cffi(const Argument &argument, Array *array) {
    const thaw_parameter &parameter = argument.parameter;
    const Ref found = cffi_py.call("extent", "siiiiO", parameter.name, parameter.kind, parameter.flags,
                                     parameter.dtype_code, parameter.dtype_bits, argument.object);
    unsigned long long begin;
    long long count, bytes;
    if (found == nullptr || !PyArg_ParseTuple(found, "iLKL", &array->dimensions, &count, &begin, &bytes)) return FAILED;
    array->count = count;
    array->begin = reinterpret_cast<const char *>(static_cast<uintptr_t>(begin));
    array->end = array->begin + bytes;
    argument.store(array->begin); /* sizes are read there */
    return NEEDS_CFFI;
}

namespace {

/* A pointer or an array of cffi's. What may be a function of Python, or sizes of another type, is looked at by cffi. */
__attribute__((noinline)) Outcome convert_cdata(const Argument &argument, const thaw_callable *function,
                                                Array *array) {
    const thaw_parameter &parameter = argument.parameter;
    const bool are_sizes = array != nullptr && (parameter.flags & THAW_SIZES) != 0;
    const bool may_be_function = parameter.kind != THAW_ARRAY && function->takes_callback;
    PyObject *ctype = PyTuple_GetItem(function->cffi_types, &parameter - function->parameters);
    void *address;
    /* To cffi every pointer is a void *, those to code, too. */
    const bool is_any = parameter.kind == THAW_ARRAY && parameter.dtype_code < 0;
    if (is_any && (parameter.flags & THAW_WRITTEN) != 0 && is_function(argument.object) != 0) {
        return refuse(argument, nullptr, "refuse_function");
    }
    if (are_sizes || may_be_function || !cffi_address(argument.object, ctype, &address)) {
        return array == nullptr ? NEEDS_CFFI : describe_for_cffi(argument, array);
    }
    if (array != nullptr && !describe_cdata(argument.object, address, array)) return FAILED;
    return argument.store(address);
}

}  // namespace

Outcome convert_pointer(const Argument &argument, int *device, CallMemory *memory, Array *array, bool *code_ran) {
    PyObject *object = argument.object;
    const bool takes_sizes = (argument.parameter.flags & THAW_SIZES) != 0;
    if (object == Py_None) {
        if (array != nullptr) describe_count(0, array), array->dimensions = Array::NOTHING;
        return argument.store(static_cast<void *>(nullptr));
    }
    if (takes_sizes && (PyTuple_Check(object) || PyList_Check(object))) {
        return convert_sizes(argument, &memory->sizes, array, code_ran);
    }
    if (takes_sizes) device = nullptr; /* they are on the CPU */
    if (is_tensor(object)) return convert_tensor<false>(argument, device, &memory->sizes, array, code_ran);
    if (is_cdata(object)) return convert_cdata(argument, memory->function, array);
    if (argument.parameter.kind != THAW_ARRAY) return NEEDS_CFFI;
    if (!is_for_cffi(object)) return convert_buffer(argument, device, memory, array, code_ran);
    if (has_no_numbers(argument.parameter)) return refuse(argument);
    return array == nullptr ? NEEDS_CFFI : describe_for_cffi(argument, array);
}

__attribute__((noinline, cold)) Outcome convert_again(const Argument &argument, int *device, CallMemory *memory,
                                                      Array *array) {
    const bool takes_sizes = (argument.parameter.flags & THAW_SIZES) != 0;
    return convert_tensor<true>(argument, takes_sizes ? nullptr : device, &memory->sizes, array, nullptr);
}

}  // namespace bridge
