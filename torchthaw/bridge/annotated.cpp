/* annotated.cpp: fills in what a call left out, and checks the call. */
#include "annotated.h"

#include "exceptions.h"

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
    if (!guard(run_workspace, &call)) return raise_pending(false), false;
    *bytes = call.bytes;
    if (call.bytes != SIZE_MAX) return true;
    if (function->module->error_message != nullptr) return raise(failure_of(function)), false;
    PyErr_Format(PyExc_ValueError, "%s: expected sizes whose arrays fit in memory, got a workspace of SIZE_MAX bytes",
                 function->name);
    return false;
}

}  // namespace

const Array *Annotated::find(int parameter) const {
    for (int i = 0; i < count_; ++i) {
        if (arrays_[i].parameter == parameter) return &arrays_[i];
    }
    return nullptr;
}

bool Annotated::complete(const thaw_callable *function, char *frame, PyObject *const *arguments, bool some_left_out,
                         Sizes *sizes) {
    if (some_left_out && !fill(function, frame, arguments)) return false;
    Failure failure;
    LastCheck &last = *function->last;
    int64_t numbers[LastCheck::ROOM];
    const int count = write_numbers(function, frame, numbers);
    const bool as_before =
        count > 0 && count == last.count && std::memcmp(numbers, last.numbers, sizeof *numbers * count) == 0;
    const bool passed = as_before ? check_overlap(function, frame, arrays_, count_, &failure)
                                  : check_arrays(function, frame, arrays_, count_, &failure);
    if (!passed) return raise(failure), false;
    if (!as_before) {
        last.count = 0;
        if (function->workspace != nullptr && !ask_for_bytes(function, frame, &last.workspace)) return false;
        std::memcpy(last.numbers, numbers, sizeof *numbers * count);
        last.count = count;
    }
    return function->workspace == nullptr || provide_workspace(function, frame, arguments, sizes, last.workspace);
}

/* Writes all numbers that shapes and the workspace depend on, and those compared with them. Returns how many: 0 if there
 * are too many, or something is not known. */
int Annotated::write_numbers(const thaw_callable *function, const char *frame, int64_t *numbers) const {
    int64_t *next = numbers, *const end = numbers + LastCheck::ROOM;
    for (int i = 0; i < count_; ++i) {
        const Array &array = arrays_[i];
        const thaw_parameter &parameter = function->parameters[array.parameter];
        const bool is_sizes = (parameter.flags & THAW_SIZES) != 0 && array.count > 0;
        const int64_t more = (array.dimensions > 0 ? array.dimensions : 0) + (is_sizes ? array.count : 0);
        if (array.dimensions == Array::UNKNOWN || end - next < more + 2) return 0;
        *next++ = int64_t{array.parameter} << 32 | static_cast<uint32_t>(array.dimensions);
        for (int k = 0; k < array.dimensions; ++k) *next++ = array.size[k];
        if (array.dimensions == Array::COUNTED) *next++ = array.count;
        if (!is_sizes) continue;
        const int64_t *sizes;
        std::memcpy(&sizes, frame + parameter.offset, sizeof sizes);
        for (int64_t k = 0; k < array.count; ++k) *next++ = sizes[k];
    }
    for (uint64_t left = function->integers; left != 0; left &= left - 1) {
        if (next == end) return 0;
        const thaw_parameter &parameter = function->parameters[__builtin_ctzll(left)];
        read_integer(parameter.kind, frame + parameter.offset, next++);
    }
    return static_cast<int>(next - numbers);
}

bool Annotated::fill(const thaw_callable *function, char *frame, PyObject *const *arguments) {
    for (int i = 0; i < function->parameter_count; ++i) {
        const thaw_parameter &parameter = function->parameters[i];
        if (arguments[i] != nullptr || parameter.source == 0) continue; /* the workspace needs the others first */
        if (!fill_from(find(parameter.source - 1), function, parameter, frame)) return false;
        if ((parameter.flags & THAW_SIZES) == 0) continue;
        const int dimensions = find(parameter.source - 1)->dimensions;
        *next(i) = {i, Array::COUNTED, nullptr, dimensions, nullptr, nullptr};
    }
    return true;
}

/* One parameter's value, from the tensor that determines it. */
bool Annotated::fill_from(const Array *source, const thaw_callable *function, const thaw_parameter &parameter,
                          char *frame) {
    const char *source_name = function->parameters[parameter.source - 1].name;
    if (source == nullptr || source->dimensions < 0) {
        PyErr_Format(PyExc_TypeError, "%s: expected a value, since %s is no tensor that has it", parameter.name,
                     source_name);
        return false;
    }
    char *place = frame + parameter.offset;
    if ((parameter.flags & THAW_SIZES) != 0) {
        std::memcpy(place, &source->size, sizeof source->size);
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

/* `needed`: the bytes, of which the workspace has at least as many. */
bool Annotated::provide_workspace(const thaw_callable *function, char *frame, PyObject *const *arguments,
                                  Sizes *sizes, size_t needed) {
    const int index = function->workspace_parameter - 1, size_index = function->workspace_size_parameter - 1;
    const thaw_parameter &memory = function->parameters[index], &size = function->parameters[size_index];
    const bool is_given = arguments[index] != nullptr;
    const Array *given = find(index);
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
