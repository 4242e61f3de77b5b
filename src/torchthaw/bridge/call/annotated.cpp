/* annotated.cpp: fills in what a call left out, and checks the call. */
#include "annotated.h"

#include "exceptions.h"

#include <algorithm>
#include <cassert>

namespace bridge {

namespace {

/* function->workspace(frame), which may throw. */
struct WorkspaceCall {
    const thaw_callable *function;
    const void *frame;
    size_t bytes;
};

void run_workspace(void *opaque) {
    auto *call = static_cast<WorkspaceCall *>(opaque);
    call->bytes = call->function->workspace(call->frame);
}

/* False with an exception set. */
bool ask_for_bytes(const thaw_callable *function, const void *frame, size_t *bytes) {
    WorkspaceCall call = {function, frame, 0};
    if (!guard(run_workspace, &call)) return raise_pending(), false;
    *bytes = call.bytes;
    if (call.bytes != SIZE_MAX) return true;
    if (function->module->error_message != nullptr) return raise_failure_of(function), false;
    PyErr_Format(PyExc_ValueError, "%s: expected sizes whose arrays fit in memory, got a workspace of SIZE_MAX bytes",
                 function->name);
    return false;
}

}  // namespace

Array *Annotated::find(int parameter) {
    for (int i = 0; i < count_; ++i) {
        if (arrays_[i].parameter == parameter) return &arrays_[i];
    }
    return nullptr;
}

bool Annotated::complete(const thaw_callable *function, char *frame, PyObject *const *arguments, bool some_left_out,
                         CallMemory *memory) {
    Failure failure;
    if (some_left_out) {
        if (!fill(function, frame, arguments, &memory->sizes)) return false;
        const bool makes = function->made >= 0 && arguments[function->made] == nullptr;
        if (makes && !check_arrays(function, frame, arrays_, count_, &failure)) return raise(failure), false;
        if (makes && !make_outputs(function, frame, memory)) return false;
    }
    if (!check_arrays(function, frame, arrays_, count_, &failure)) return raise(failure), false;
    return function->workspace == nullptr || provide_workspace(function, frame, arguments, &memory->sizes);
}

/* After the others were checked, so that a wrong one does not give wrong sizes. */
bool Annotated::make_outputs(const thaw_callable *function, char *frame, CallMemory *memory) {
    int count = 0;
    for (int i = 0; i < function->parameter_count; ++i) count += is_output(function->parameters[i]);
    const bool is_one = count == 1;
    if (!is_one) made_ = Ref(PyTuple_New(count));
    if (!is_one && made_ == nullptr) return false;
    for (int i = 0, at = 0; i < function->parameter_count; ++i) {
        if (!is_output(function->parameters[i])) continue;
        Ref output = make(function, i, frame, memory);
        if (output == nullptr) return false;
        if (is_one) made_ = std::move(output);
        else PyTuple_SetItem(made_, at++, output.release());
    }
    return true;
}

/* NULL with an exception set. */
Ref Annotated::make(const thaw_callable *function, int index, char *frame, CallMemory *memory) {
    const thaw_parameter &parameter = function->parameters[index];
    int64_t buffer[THAW_MAX_DIMENSIONS], dimensions;
    const int64_t *shape = function->shape(frame, index, 0, buffer, &dimensions);
    Array *array = next(index);
    if (shape == nullptr) { /* which the check finds */
        *array = {index, Array::COUNTED, nullptr, 0, nullptr, nullptr};
        return Ref::borrow(Py_None);
    }
    const Ref sizes(PyTuple_New(dimensions));
    for (int64_t i = 0; sizes != nullptr && i < dimensions; ++i) {
        PyObject *size = PyLong_FromLongLong(shape[i]);
        if (size == nullptr) return Ref();
        PyTuple_SetItem(sizes, i, size);
    }
    Ref output = sizes == nullptr ? Ref()
                                  : outputs_py.call("empty", "siiO", parameter.name, parameter.dtype_code,
                                                    parameter.dtype_bits, sizes.get());
    bool code_ran = false;
    if (output == nullptr) return output;
    const Argument argument = {parameter, output, frame + parameter.offset};
    return convert_pointer(argument, nullptr, memory, array, &code_ran) == DONE ? std::move(output) : Ref();
}

bool Annotated::fill(const thaw_callable *function, char *frame, PyObject *const *arguments, Sizes *sizes) {
    for (int i = 0; i < function->parameter_count; ++i) {
        const thaw_parameter &parameter = function->parameters[i];
        if (arguments[i] != nullptr || parameter.source == 0) continue; /* the workspace needs the others first */
        if (!fill_from(find(parameter.source - 1), function, parameter, frame, sizes)) return false;
        if ((parameter.flags & THAW_SIZES) == 0) continue;
        const int dimensions = find(parameter.source - 1)->dimensions;
        *next(i) = {i, Array::COUNTED, nullptr, dimensions, nullptr, nullptr};
    }
    return true;
}

/* One parameter's value, from the tensor that determines it. */
bool Annotated::fill_from(const Array *source, const thaw_callable *function, const thaw_parameter &parameter,
                          char *frame, Sizes *sizes) {
    const char *source_name = function->parameters[parameter.source - 1].name;
    if (source == nullptr || source->dimensions < 0) {
        PyErr_Format(PyExc_TypeError, "%s: expected a value, since %s is no tensor that has it", parameter.name,
                     source_name);
        return false;
    }
    char *place = frame + parameter.offset;
    if ((parameter.flags & THAW_SIZES) != 0) {
        const int64_t *size = source->size;
        if (*function->has_callback) { /* which may change the tensor's own */
            int64_t *kept = sizes->take(source->dimensions);
            if (kept == nullptr) return false;
            size = std::copy(size, size + source->dimensions, kept) - source->dimensions;
        }
        std::memcpy(place, &size, sizeof size);
        return true;
    }
    const bool is_ndim = parameter.source_dim == THAW_NDIM_OF_SOURCE;
    if (!is_ndim && parameter.source_dim >= source->dimensions) {
        PyErr_Format(PyExc_ValueError, "%s: expected at least %d dimensions, for %s, got %d", source_name,
                     parameter.source_dim + 1, parameter.name, source->dimensions);
        return false;
    }
    const int64_t value = is_ndim ? source->dimensions : source->size[parameter.source_dim];
    if (store_integer(parameter.kind, place, value)) return true;
    const Ref integer(PyLong_FromLongLong(value));
    return integer != nullptr && out_of_range({parameter, integer, place}) == DONE;
}

bool Annotated::provide_workspace(const thaw_callable *function, char *frame, PyObject *const *arguments,
                                  Sizes *sizes) {
    const int index = function->workspace_parameter - 1, size_index = function->workspace_size_parameter - 1;
    assert(index >= 0 && size_index >= 0 && index != size_index);
    const thaw_parameter &memory = function->parameters[index], &size = function->parameters[size_index];
    const bool is_given = arguments[index] != nullptr;
    const Array *given = find(index);
    size_t needed;
    if (!ask_for_bytes(function, frame, &needed)) return false;
    if (arguments[size_index] == nullptr) {
        if (given != nullptr && given->dimensions == Array::UNKNOWN) {
            PyErr_Format(PyExc_TypeError, "%s: expected the bytes of %s, which is no tensor", size.name, memory.name);
            return false;
        }
        const int64_t bytes = given == nullptr ? static_cast<int64_t>(needed) : given->end - given->begin;
        store_integer(size.kind, frame + size.offset, bytes);
    }
    Failure failure;
    if (!check_workspace(function, frame, given, needed, &failure)) return raise(failure), false;
    if (is_given) return true;
    if (function->takes_stream && needed > 0) {
        PyErr_Format(PyExc_TypeError, "%s: expected a CUDA tensor of at least %zu bytes, got none; pass "
                     "torch.empty(%zu, dtype=torch.uint8, device='cuda')", memory.name, needed, needed);
        return false;
    }
    int64_t bytes = 0;
    read_integer(size.kind, frame + size.offset, &bytes);
    void *scratch = bytes == 0 ? nullptr : sizes->take_bytes(static_cast<size_t>(bytes));
    if (scratch == nullptr && bytes != 0) return false;
    std::memcpy(frame + memory.offset, &scratch, sizeof scratch);
    return true;
}

}  // namespace bridge
