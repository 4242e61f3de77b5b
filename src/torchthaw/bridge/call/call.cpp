/* call.cpp: one call from Python to C: arguments into the frame, the C function without the GIL, its result back. */
#include "call.h"

#include "annotated.h"
#include "bridge/torch/modes.h"
#include "bridge/values/buffers.h"
#include "bridge/values/device.h"
#include "bridge/values/pinned_storages.h"
#include "bridge/values/tensor.h"
#include "call_structs.h"
#include "callbacks.h"
#include "exceptions.h"

#include <array>
#include <cassert>
#include <new>
#include <string>

namespace bridge {

namespace {

/* Converts the arguments into the frame and calls; one per call. With `structs` any argument may become a struct, and
 * what is neither that nor a plain number is cffi's, with its conversions and its messages. A template, because looking
 * at a member takes 6 ns of a call's 110. */
template <bool with_structs> class Call {
public:
    Call(const thaw_callable *function, void *frame, PyObject **scratch, PyObject *const *arguments, Py_ssize_t count,
         CallStructs *structs)
        : function_(function), structs_(structs), frame_(static_cast<char *>(frame)),
          written_(scratch + function->parameter_count), arguments_(arguments), count_(count),
          converted_(with_structs ? count : function->parameter_count),
          takes_stream_(!with_structs && function->takes_stream),
          checked_(!with_structs && function->checked), memory_(function) {}

    PyObject *run() {
        needs_cffi_ = function_->run == nullptr;
        bool some_left_out = false;
        for (Py_ssize_t i = 0; i < converted_; ++i) {
            if (!with_structs && arguments_[i] == nullptr) {
                some_left_out = true;
                continue;
            }
            const Outcome outcome = convert(i);
            if (outcome == FAILED) return refused_ = arguments_[i], name_refused(i), nullptr;
            if (outcome == NEEDS_CFFI) needs_cffi_ = true;
        }
        if (needs_cffi_ && !prepare_for_cffi()) return nullptr;
        if (takes_stream_ && !convert_stream()) return nullptr;
        if (written_count_ > 0 && !may_be_written()) return nullptr;
        if (__builtin_expect(code_ran_, 0) && !convert_again()) return nullptr;
        if (checked_ && !annotated_.complete(function_, frame_, arguments_, some_left_out, &memory_)) {
            return nullptr;
        }
        if (written_count_ > 0 && !needs_cffi_ && !bump_versions(written_, written_count_)) return nullptr;
        Ref result = __builtin_expect(*function_->has_callback, 0) ? call_with_callbacks() : call_there();
        Ref made = annotated_.made();
        return (result == nullptr || made == nullptr ? result : made).release();
    }

    /* The argument that was refused, or NULL. */
    PyObject *refused() const { return refused_; }

private:
    /* What a kind of parameter does with an argument; `again`, after code of other arguments, which may have moved its
     * memory, if that matters. */
    struct Converter {
        Outcome (*convert)(Call &call, const Argument &argument, int index);
        Outcome (*again)(Call &call, const Argument &argument, int index);
    };
    static constexpr std::array<Converter, THAW_KIND_COUNT> converters();

    __attribute__((always_inline)) Ref call_there() { return device_ < 0 ? call() : call_on_device(); }

    __attribute__((noinline)) Ref call_on_device() {
        if (with_structs) {
            return structs_->on_device(device_, [](void *call) { return static_cast<Call *>(call)->call(); }, this);
        }
        OnDevice there;
        return there.enter(device_) ? call() : Ref();
    }

    __attribute__((noinline, cold)) Ref call_with_callbacks() {
        HeldMemory memory;
        CallbackScope scope;
        if (!scope.has_entered() || !hold_memory(&memory)) return Ref();
        Ref result = call_there();
        return scope.raise() ? Ref() : std::move(result);
    }

    /* What C has pointers to, or structs of, stays until it has returned: a callback may resize tensors. False with an
     * exception set. */
    bool hold_memory(HeldMemory *memory) const {
        for (Py_ssize_t i = 0; device_ < 0 && i < converted_; ++i) {
            PyObject *object = arguments_[i];
            if (object == nullptr || !is_tensor(object) || is_struct(object)) continue;
            if (!memory->hold(object)) return false;
        }
        return !with_structs || structs_->hold(memory);
    }

    __attribute__((always_inline)) Ref call() {
        bool threw = false;
        if (!needs_cffi_) {
            assert(function_->run != nullptr);
            bool returned;
            {
                const WithoutGil released;
                returned = guard(function_->run, frame_);
            }
            threw = !returned && raise();
        }
        Ref result = needs_cffi_ ? call_through_cffi() : threw ? Ref() : result_in_frame();
        if (!with_structs) return result;
        if (result == nullptr) finish_after_error();
        else if (!structs_->finish(true, function_, arguments_, count_)) return Ref();
        return result;
    }

    __attribute__((noinline)) void finish_after_error() {
        const SavedError saved;
        structs_->finish(false, function_, arguments_, count_);
    }

    bool is_struct(PyObject *object) const { return with_structs && structs_->holds(object); }

    bool raise() const { return !with_structs ? raise_pending() : structs_->raise_pending(); }

    Argument argument(Py_ssize_t index) const {
        static const thaw_parameter variadic = {"", THAW_CFFI, THAW_EXACT, 0, 0, 0, 0, 0, 0, 0};
        const bool is_more = with_structs && index >= function_->parameter_count;
        assert(index >= 0 && index < (is_more ? count_ : function_->parameter_count));
        const thaw_parameter &parameter = is_more ? variadic : function_->parameters[index];
        return {parameter, arguments_[index], frame_ + parameter.offset};
    }

    Outcome convert(Py_ssize_t index) {
        const Argument argument = this->argument(index);
        const int kind = argument.parameter.kind;
        if (kind <= THAW_DOUBLE && store_number(kind, argument.place, argument.object)) return DONE;
        if (with_structs) {
            const Outcome outcome = structs_->convert(argument, &device_);
            if (outcome == DONE && !has_plain_attributes(argument.object)) code_ran_ = true;
            return outcome;
        }
        if (is_stream(index)) return DONE; /* it depends on the rest */
        return CONVERTERS[static_cast<size_t>(kind)].convert(*this, argument, static_cast<int>(index));
    }

    static Outcome pointer(Call &call, const Argument &argument, int index) {
        Array *array = nullptr;
        if (call.checked_ && (argument.parameter.flags & CHECKED_FLAGS) != 0) array = call.annotated_.next(index);
        const Outcome outcome = convert_pointer(argument, call.device(), &call.memory_, array, &call.code_ran_);
        const bool is_written = outcome == DONE && (argument.parameter.flags & THAW_WRITTEN) != 0;
        assert(call.written_count_ < call.function_->parameter_count); /* scratch holds as many beside the arguments */
        if (is_written && is_tensor(argument.object)) call.written_[call.written_count_++] = argument.object;
        return outcome;
    }

    static Outcome array_again(Call &call, const Argument &argument, int index) {
        if (!is_tensor(argument.object)) return DONE;
        return bridge::convert_again(argument, call.device(), &call.memory_, call.annotated_.find(index));
    }

    static Outcome floating_point(Call &call, const Argument &argument, int) {
        call.code_ran_ = true;
        return convert_float(argument);
    }

    static Outcome integer(Call &call, const Argument &argument, int) {
        call.code_ran_ = true;
        return convert_integer(argument, call.checked_);
    }

    static Outcome for_cffi(Call &, const Argument &argument, int) {
        return is_tensor(argument.object) ? refuse(argument) : NEEDS_CFFI;
    }

    int *device() { return takes_stream_ ? &device_ : nullptr; }

    /* The tensors once more, after code of other arguments: it may have resized them. */
    __attribute__((noinline, cold)) bool convert_again() {
        if (with_structs) structs_->clear();
        device_ = -1;
        for (const bool plain : {false, true}) {
            for (Py_ssize_t i = 0; i < converted_; ++i) {
                PyObject *object = arguments_[i];
                if (object == nullptr || has_plain_attributes(object) != plain) continue;
                const Argument argument = this->argument(i);
                const auto again = CONVERTERS[static_cast<size_t>(argument.parameter.kind)].again;
                Outcome outcome = DONE;
                if (with_structs) outcome = structs_->convert(argument, &device_);
                else if (again != nullptr) outcome = again(*this, argument, static_cast<int>(i));
                if (outcome == FAILED) return refused_ = object, name_refused(i), false;
            }
        }
        return true;
    }

    bool is_stream(Py_ssize_t index) const { return takes_stream_ && index == function_->parameter_count - 1; }

    /* The last argument: a stream's address, as torch.cuda.Stream.cuda_stream is, or None for the current stream. */
    bool convert_stream() {
        const Argument last = argument(function_->parameter_count - 1);
        void *stream = nullptr;
        if (PyLong_Check(last.object)) {
            stream = PyLong_AsVoidPtr(last.object);
            if (stream == nullptr && PyErr_Occurred()) return false;
        } else if (last.object != Py_None) {
            return refuse(last, &device_, "refuse_stream") == DONE;
        } else if (device_ >= 0 && !current_stream(device_, &stream)) {
            return false;
        }
        return last.store(stream) == DONE;
    }

    /* Before the call, so that a tensor which must not be written to is refused while it is still intact. */
    bool may_be_written() {
        const Py_ssize_t found = find_protected(written_, written_count_);
        if (found == written_count_) return true;
        int i = 0;
        while ((function_->parameters[i].flags & THAW_WRITTEN) == 0 || arguments_[i] != written_[found]) {
            ++i;
            assert(i < function_->parameter_count);
        }
        return refuse(argument(i)) == DONE;
    }

    Ref result_in_frame() const {
        const void *value = frame_ + function_->result_offset;
        if (function_->status != 0) return succeeded(!has_failed(value));
        if (function_->result < THAW_TH_TENSOR) return to_python(function_->result, value);
        void *pointer;
        std::memcpy(&pointer, value, sizeof pointer);
        return result_of(pointer);
    }

    Ref result_of(void *pointer) const {
        if (with_structs) return structs_->result(function_, pointer);
        PyErr_Format(PyExc_SystemError, "%s: returns a struct, and was not called by thaw_bridge.call_th",
                     function_->name);
        return Ref();
    }

    /* The conversions of cffi that run code of an argument's author, or must not give C the argument's own memory, come
     * before C's pointers to tensors. */
    __attribute__((noinline, cold)) bool prepare_for_cffi() {
        values_ = Ref(PyTuple_New(count_));
        if (values_ == nullptr) return false;
        if (function_->takes_callback) *function_->has_callback = true;
        for (Py_ssize_t i = 0; i < function_->parameter_count; ++i) {
            if (arguments_[i] == nullptr || is_in_frame(i) || is_struct(arguments_[i])) continue;
            const Argument argument = this->argument(i);
            if (is_plain_for_cffi(argument)) continue;
            const thaw_parameter &parameter = argument.parameter;
            Ref value = cffi_py.call("prepare", "siiiiOOi", parameter.name, parameter.kind, parameter.flags,
                                     parameter.dtype_code, parameter.dtype_bits, argument.object,
                                     PyTuple_GetItem(function_->cffi_types, i), int{with_structs});
            if (value == nullptr) return false;
            code_ran_ = true;
            Array *array = checked_ ? annotated_.find(static_cast<int>(i)) : nullptr;
            const Argument prepared = {parameter, value, argument.place};
            if (array != nullptr && describe_for_cffi(prepared, array) == FAILED) return false;
            PyTuple_SetItem(values_, i, value.release());
        }
        return true;
    }

    Ref call_through_cffi() {
        for (Py_ssize_t i = 0; i < count_; ++i) {
            if (PyTuple_GetItem(values_, i) != nullptr) continue; /* prepared */
            Ref value = cffi_value(i);
            if (value == nullptr) return value;
            PyTuple_SetItem(values_, i, value.release());
        }
        forget_pending();
        Ref result(with_python([this] { return PyObject_Call(function_->cffi_function, values_, nullptr); }));
        const bool threw = raise();
        const bool counted = (!threw && result == nullptr) || count_writes();
        if (threw || !counted) return Ref();
        if (result == nullptr) name_culprit();
        if (result != nullptr && function_->status != 0) return succeeded(PyLong_AsLong(result) != 0);
        if (result == nullptr || function_->result < THAW_TH_TENSOR) return result;
        const Ref number(PyObject_CallFunction(function_->cast, "sO", "uintptr_t", result.get()));
        const Ref address(number == nullptr ? nullptr : PyNumber_Long(number));
        return address == nullptr ? Ref() : result_of(PyLong_AsVoidPtr(address));
    }

    /* Of a call through cffi, which may refuse arguments before it reaches C: after it. False with an exception set;
     * one that is set already stays. */
    bool count_writes() {
        const SavedError saved;
        return written_count_ == 0 || bump_versions(written_, written_count_);
    }

    /* The result of a function with a status: 1, as graphs have it, whatever C returned for success. */
    Ref succeeded(bool has) const {
        if (!has) return raise_failure_of(function_), Ref();
        return Ref(PyLong_FromLong(1));
    }

    static bool has_failed(const void *status) {
        int value;
        std::memcpy(&value, status, sizeof value);
        return value == 0;
    }

    /* What cffi gets for an argument: what was converted as a pointer. NULL with an exception set. */
    Ref cffi_value(Py_ssize_t index) const {
        if (arguments_[index] == nullptr) return value_in_frame(index);
        Ref view = !with_structs ? Ref() : structs_->cffi_value(arguments_[index], function_->cast);
        if (view != nullptr || PyErr_Occurred()) return view;
        return is_in_frame(index) ? value_in_frame(index) : Ref::borrow(arguments_[index]);
    }

    /* Whether the frame has the value of an argument. */
    bool is_in_frame(Py_ssize_t index) const {
        if (with_structs || index >= function_->parameter_count) return false;
        const Argument argument = this->argument(index);
        PyObject *object = argument.object;
        const int kind = argument.parameter.kind;
        if (kind <= THAW_DOUBLE) return !is_cdata(object);
        if (kind != THAW_ARRAY && kind != THAW_HANDLE) return false;
        const bool takes_sizes = (argument.parameter.flags & THAW_SIZES) != 0;
        const bool is_sizes = takes_sizes && (PyTuple_Check(object) || PyList_Check(object));
        const bool is_none = object == Py_None;
        return is_sizes || is_none || is_stream(index) || is_tensor(object) || memory_.buffers.has(argument.place);
    }

    /* The number or the pointer that the frame has for a parameter, for cffi. */
    Ref value_in_frame(Py_ssize_t index) const {
        assert(index < function_->parameter_count); /* what a variadic function gets besides is not in the frame */
        const Argument argument = this->argument(index);
        if (argument.parameter.kind <= THAW_DOUBLE) return to_python(argument.parameter.kind, argument.place);
        void *address;
        std::memcpy(&address, argument.place, sizeof address);
        PyObject *type = PyTuple_GetItem(function_->cffi_types, index);
        return Ref(PyObject_CallFunction(function_->cast, "ON", type, PyLong_FromVoidPtr(address)));
    }

    /* cffi refused an argument but does not say which: torchthaw.bridge.cffi_arguments finds out and names it. */
    __attribute__((noinline, cold)) void name_culprit() {
        SavedError error;
        const Ref names(PyTuple_New(function_->parameter_count));
        for (int i = 0; names != nullptr && i < function_->parameter_count; ++i) {
            PyObject *name = PyUnicode_FromString(function_->parameters[i].name);
            PyTuple_SetItem(names, i, name == nullptr ? none() : name);
        }
        const bool has_names = names != nullptr && !PyErr_Occurred();
        const Ref unnamed = !has_names ? Ref()
                                       : cffi_py.call("name_culprit", "OOOOi", error.value(), names.get(),
                                                      function_->cffi_types, values_.get(), int{with_structs});
        if (unnamed == nullptr) error.drop();
    }

    /* With structs the messages are cffi's or the structs' own, and a note has the name. */
    __attribute__((noinline, cold)) void name_refused(Py_ssize_t index) const {
        if (!with_structs) return;
        SavedError error;
        if (errors_py.call("note_argument", "sO", argument(index).parameter.name, error.value()).get() == nullptr) {
            PyErr_Clear();
        }
    }

    static const std::array<Converter, THAW_KIND_COUNT> CONVERTERS; /* by kind, of a call without structs */

    const thaw_callable *function_;
    CallStructs *structs_;
    char *frame_;
    PyObject **written_;
    PyObject *const *arguments_;
    const Py_ssize_t count_;     /* of arguments: the parameters, and what a variadic function gets besides */
    const Py_ssize_t converted_; /* how many of them are converted here; the rest is cffi's */
    int written_count_ = 0, device_ = -1; /* the CUDA device of the tensors */
    const bool takes_stream_, checked_;
    bool needs_cffi_ = false;
    bool code_ran_ = false; /* of an argument's author, after pointers to other arguments' memory were read */
    PyObject *refused_ = nullptr;
    Ref values_; /* for cffi */
    CallMemory memory_;
    Annotated annotated_;
};

template <bool with_structs>
constexpr std::array<typename Call<with_structs>::Converter, THAW_KIND_COUNT> Call<with_structs>::converters() {
    std::array<Converter, THAW_KIND_COUNT> table{};
    for (Converter &each : table) each = {for_cffi, nullptr};
    for (size_t kind = THAW_BOOL; kind <= THAW_UINT64; ++kind) table[kind] = {integer, nullptr};
    table[THAW_FLOAT] = table[THAW_DOUBLE] = {floating_point, nullptr};
    table[THAW_ARRAY] = {pointer, array_again};
    table[THAW_HANDLE] = {pointer, nullptr};
    return table;
}

template <bool with_structs>
constexpr std::array<typename Call<with_structs>::Converter, THAW_KIND_COUNT> Call<with_structs>::CONVERTERS =
    converters();

/* Whether parameters without an argument are such that the call finds their values itself. False with an exception set.
 */
bool check_left_out(const thaw_callable *function, PyObject **ordered, Py_ssize_t given) {
    const int count = function->parameter_count;
    if (function->takes_stream && ordered[count - 1] == nullptr) ordered[count - 1] = Py_None;
    bool makes_outputs = function->made >= 0;
    for (int i = 0; i < count; ++i) {
        if (is_output(function->parameters[i]) && ordered[i] != nullptr) makes_outputs = false;
    }
    for (int i = 0; i < count; ++i) {
        const bool is_workspace = i + 1 == function->workspace_parameter || i + 1 == function->workspace_size_parameter;
        if (ordered[i] != nullptr || is_workspace || function->parameters[i].source != 0) continue;
        if (makes_outputs && is_output(function->parameters[i])) continue;
        PyErr_Format(PyExc_TypeError, "%s: expected an argument %s, got %zd without it", function->name,
                     function->parameters[i].name, given);
        return false;
    }
    return true;
}

/* The index of the parameter of this name; the count of parameters if there is none. */
int find_parameter(const thaw_callable *function, PyObject *name) {
    const int count = function->parameter_count;
    for (int i = 0; i < count; ++i) {
        if (function->names[i].get() == name) return i;
    }
    int i = 0; /* one that a program has put together */
    while (i < count && PyUnicode_CompareWithASCIIString(name, function->parameters[i].name) != 0) ++i;
    return i;
}

/* Raises TypeError for a number of arguments, and names the parameters that got none. */
__attribute__((noinline, cold)) bool refuse_count(const thaw_callable *function, Py_ssize_t count, PyObject *keywords) {
    const int expected = function->parameter_count;
    const Py_ssize_t named = keywords == nullptr ? 0 : PyTuple_Size(keywords);
    std::string missing;
    for (Py_ssize_t i = count; i < expected - (function->takes_stream ? 1 : 0); ++i) {
        Py_ssize_t k = 0;
        while (k < named && find_parameter(function, PyTuple_GetItem(keywords, k)) != i) ++k;
        if (k == named) missing += (missing.empty() ? "; missing: " : ", ") + std::string(function->parameters[i].name);
    }
    PyErr_Format(PyExc_TypeError, "%s: expected %d argument%s, got %zd%s", function->name, expected,
                 expected == 1 ? "" : "s", count + named, count + named < expected ? missing.c_str() : "");
    return false;
}

/* Puts positional and keyword arguments in the order of the parameters. False with an exception set. */
bool arrange(const thaw_callable *function, PyObject **ordered, PyObject *const *arguments, Py_ssize_t count,
             PyObject *keywords) {
    const int expected = function->parameter_count;
    const Py_ssize_t named = keywords == nullptr ? 0 : PyTuple_Size(keywords);
    const bool no_stream = count + named == expected - 1 && function->takes_stream;
    const bool leaves_out = count + named < expected && named > 0 && function->leaves_out;
    if (count + named != expected && !no_stream && !leaves_out) return refuse_count(function, count, keywords);
    for (int i = 0; i < expected; ++i) ordered[i] = i < count ? arguments[i] : nullptr;
    for (Py_ssize_t k = 0; k < named; ++k) {
        PyObject *key = PyTuple_GetItem(keywords, k);
        const int i = find_parameter(function, key);
        if (i == expected || ordered[i] != nullptr) {
            PyErr_Format(PyExc_TypeError, i == expected ? "%s: no parameter is called %R" : "%s: got %R twice",
                         function->name, key);
            return false;
        }
        ordered[i] = arguments[count + k];
    }
    if (leaves_out) return check_left_out(function, ordered, count + named);
    if (no_stream && ordered[expected - 1] != nullptr) return refuse_count(function, count, keywords);
    if (no_stream) ordered[expected - 1] = Py_None;
    return true;
}

/* The index of the first tensor; `count` if there is none. */
Py_ssize_t find_tensor(PyObject *const *arguments, Py_ssize_t count) {
    Py_ssize_t i = 0;
    while (i < count && (arguments[i] == nullptr || !is_tensor(arguments[i]))) ++i;
    return i;
}

/* Of a call with an exception; `refused` is the argument that was, or NULL. */
__attribute__((noinline, cold)) PyObject *after_error(const thaw_callable *function, PyObject *refused,
                                                      PyObject *const *arguments, Py_ssize_t count,
                                                      PyObject *keywords) {
    if (lacked_memory_for_torch()) return PyErr_NoMemory(); /* what was refused may be a tensor */
    return refused == nullptr ? nullptr : after_refusal(function, refused, arguments, count, keywords);
}

}  // namespace

PyObject *call(const thaw_callable *function, void *frame, PyObject **scratch, PyObject *const *arguments,
               Py_ssize_t count, PyObject *keywords) try {
    if (belongs_to_modes(arguments, count, keywords)) {
        return call_operator(function, arguments, count, keywords);
    }
    PyObject *const *ordered = arguments;
    Py_ssize_t all = count;
    const bool more = function->variadic && keywords == nullptr && count > function->parameter_count;
    if (keywords != nullptr || (count != function->parameter_count && !more)) {
        if (!arrange(function, scratch, arguments, count, keywords)) return nullptr;
        ordered = scratch;
        all = function->parameter_count;
        const bool makes = function->made >= 0 && ordered[function->made] == nullptr;
        if (makes && find_tensor(ordered, all) < all) return call_operator(function, arguments, count, keywords);
    }
    Call<false> call(function, frame, scratch, ordered, all, nullptr);
    PyObject *result = call.run();
    return result != nullptr ? result : after_error(function, call.refused(), arguments, count, keywords);
} catch (const std::bad_alloc &) { /* before C was called: what comes after it needs no such memory */
    return PyErr_NoMemory();
}

PyObject *call_with_structs(const thaw_callable *function, void *frame, PyObject **scratch, PyObject *const *arguments,
                            Py_ssize_t count, CallStructs *structs) {
    Call<true> call(function, frame, scratch, arguments, count, structs);
    PyObject *result = call.run();
    return result != nullptr ? result : after_error(function, call.refused(), arguments, count, nullptr);
}

}  // namespace bridge
