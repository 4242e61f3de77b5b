// portable/runtime/python/calls.cpp: the choice of an overload, and its call.
#include <cxxabi.h>

#include "functions.h"

namespace pybind11 {
namespace detail {

namespace {

constexpr size_t most_arguments = 64;

/// Where a keyword stands in the names of a call; -1 when it is not there.
ssize_t find_keyword(PyObject *names, PyObject *name) {
    ssize_t count = PyTuple_Size(names);
    for (ssize_t i = 0; i < count; ++i) {
        if (PyTuple_GetItem(names, i) == name) return i;
    }
    for (ssize_t i = 0; i < count; ++i) {
        if (PyUnicode_Compare(PyTuple_GetItem(names, i), name) == 0) return i;
    }
    return -1;
}

/// A call's arguments in the order of one overload's parameters.
class bound_arguments {
    PyObject *m_values[most_arguments];
    object m_args, m_kwargs;

  public:
    std::uint64_t convert = 0;

    PyObject *const *values() const { return m_values; }

    /// False when the call does not fit the overload's parameters.
    bool bind(const function_record &record, PyObject *const *given, size_t count, PyObject *names) {
        size_t named = names ? static_cast<size_t>(PyTuple_Size(names)) : 0;
        if (count > record.positional && !record.has_args) return false;
        std::uint64_t used = 0;
        if (named > most_arguments) return false;
        size_t by_position = count < record.positional ? count : record.positional;
        size_t last = record.count - (record.has_kwargs ? 1u : 0u);
        for (size_t i = 0; i < last; ++i) {
            if (record.has_args && i == record.positional) continue;
            // Declared parameters do not count *args.
            size_t at = record.has_args && i > record.positional ? i - 1 : i;
            const argument_record *declared = at < record.arguments.size() ? &record.arguments[at] : nullptr;
            ssize_t keyword = -1;
            if (names && declared && declared->name && i >= record.positional_only)
                keyword = find_keyword(names, declared->name.ptr());
            PyObject *value = nullptr;
            if (i < by_position) {
                if (keyword >= 0) return false;
                value = given[i];
            } else if (keyword >= 0) {
                value = given[count + static_cast<size_t>(keyword)];
                used |= 1ull << keyword;
            } else if (declared) {
                value = declared->value.ptr();
            }
            if (!value || (declared && !declared->none && value == Py_None)) return false;
            m_values[i] = value;
        }
        if (!record.has_kwargs) {
            if (static_cast<size_t>(__builtin_popcountll(used)) != named) return false;
        } else {
            m_kwargs = dict();
            for (size_t i = 0; i < named; ++i) {
                if (used >> i & 1) continue;
                checked(PyDict_SetItem(m_kwargs.ptr(), PyTuple_GetItem(names, static_cast<ssize_t>(i)),
                                       given[count + i]));
            }
            m_values[record.count - 1] = m_kwargs.ptr();
        }
        if (record.has_args) {
            m_args = tuple(count - by_position);
            for (size_t i = by_position; i < count; ++i) {
                Py_INCREF(given[i]);
                PyTuple_SetItem(m_args.ptr(), static_cast<ssize_t>(i - by_position), given[i]);
            }
            m_values[record.positional] = m_args.ptr();
        }
        convert = record.convert;
        return true;
    }
};

PyObject *run_overload(const function_record &record, PyObject *const *arguments, std::uint64_t convert) {
    try {
        return record.run(record, arguments, convert);
    } catch (const reference_cast_error &) {
        return try_next_overload;
    }
}

PyObject *finish_call(PyObject *result, const function_record &record) {
    if (!result) explain_result(record);
    return result;
}

/// Tries the overloads, first without implicit conversions when there are several.
PyObject *choose_overload(const function_record *first, PyObject *const *given, size_t count, PyObject *names) {
    bool is_overloaded = first->next != nullptr;
    for (int pass = is_overloaded ? 0 : 1; pass < 2; ++pass) {
        for (const function_record *record = first; record; record = record->next) {
            PyObject *result;
            if (record->takes_array && !names && count == record->count) {
                std::uint64_t convert = pass == 0 ? 0 : record->convert;
                if (pass == 1 && is_overloaded && convert == 0) continue;
                result = run_overload(*record, given, convert);
            } else {
                bound_arguments bound;
                if (!bound.bind(*record, given, count, names)) continue;
                result = run_overload(*record, bound.values(), pass == 0 ? 0 : bound.convert);
            }
            if (result != try_next_overload) return finish_call(result, *record);
        }
    }
    return refuse(first, given, count, names);
}

/// The arguments by position and the defaults of the others in `values`; null when there are too many or too few.
PyObject *const *add_defaults(const function_record &record, PyObject *const *given, size_t count, PyObject **values) {
    if (count > record.count || record.arguments.size() < record.count) return nullptr;
    for (size_t i = 0; i < count; ++i) values[i] = given[i];
    for (size_t i = count; i < record.count; ++i) {
        values[i] = record.arguments[i].value.ptr();
        if (!values[i]) return nullptr;
    }
    return values;
}

/// A call of a bound function, and what lives until it returns.
struct call_frame {
    call_frame *outer;
    call_frame *&top;
    std::vector<object> kept;
    static call_frame *&current() {
        static thread_local call_frame *frame = nullptr;
        return frame;
    }
    call_frame() : call_frame(current()) {}
    explicit call_frame(call_frame *&top) : outer(top), top(top) { top = this; }
    call_frame(const call_frame &) = delete;
    call_frame &operator=(const call_frame &) = delete;
    ~call_frame() { top = outer; }
};

PyObject *dispatch(const function_record *first, PyObject *const *given, size_t count, PyObject *names) {
    call_frame frame;
    try {
        if (!names && !first->next && first->takes_array) {
            PyObject *values[most_arguments];
            PyObject *const *arguments = count == first->count ? given : add_defaults(*first, given, count, values);
            if (!arguments) return refuse(first, given, count, names);
            PyObject *result = first->run(*first, arguments, first->convert);
            if (result != try_next_overload) return finish_call(result, *first);
            return refuse(first, given, count, names);
        }
        return choose_overload(first, given, count, names);
    } catch (const reference_cast_error &) {
        return refuse(first, given, count, names);
    } catch (abi::__forced_unwind &) {
        throw;
    } catch (...) {
        translate(std::current_exception());
        return nullptr;
    }
}

}  // namespace

PyObject *call_builtin(PyObject *self, PyObject *const *given, Py_ssize_t count, PyObject *names) {
    return dispatch(as_function_object(self)->records, given, static_cast<size_t>(count), names);
}

PyObject *call_method(PyObject *self, PyObject *const *given, size_t count, PyObject *names) {
    constexpr size_t offset_flag = size_t(1) << (8 * sizeof(size_t) - 1);  // PY_VECTORCALL_ARGUMENTS_OFFSET
    return dispatch(as_function_object(self)->records, given, count & ~offset_flag, names);
}

PyObject *call_with_tuple(PyObject *self, PyObject *arguments, PyObject *named) {
    return call_records(as_function_object(self)->records, nullptr, arguments, named);
}

void keep_for_call(object value) {
    call_frame *frame = call_frame::current();
    if (!frame)
        throw cast_error("When called outside a bound function, py::cast() cannot do Python -> C++ conversions which "
                         "require the creation of temporary values");
    frame->kept.push_back(std::move(value));
}
void keep_for_call_if_any(PyObject *value) {
    if (call_frame *frame = call_frame::current()) frame->kept.push_back(borrowed(value));
}

PyObject *call_records(const function_record *records, PyObject *self, PyObject *arguments, PyObject *named) {
    constexpr size_t few = 12;
    size_t first = self ? 1 : 0, count = static_cast<size_t>(PyTuple_Size(arguments)) + first;
    size_t named_count = named ? static_cast<size_t>(PyDict_Size(named)) : 0;
    PyObject *on_stack[few];
    std::vector<PyObject *> on_heap(count + named_count > few ? count + named_count : 0);
    PyObject **values = on_heap.empty() ? on_stack : on_heap.data();
    if (self) values[0] = self;
    for (size_t i = first; i < count; ++i) values[i] = PyTuple_GetItem(arguments, static_cast<ssize_t>(i - first));
    if (named_count == 0) return dispatch(records, values, count, nullptr);

    PyObject *names = PyTuple_New(static_cast<ssize_t>(named_count));
    if (!names) return nullptr;
    ssize_t at = 0;
    PyObject *key, *value;
    for (size_t i = 0; PyDict_Next(named, &at, &key, &value); ++i) {
        Py_INCREF(key);
        PyTuple_SetItem(names, static_cast<ssize_t>(i), key);
        values[count + i] = value;
    }
    PyObject *result = dispatch(records, values, count, names);
    Py_DECREF(names);
    return result;
}

}  // namespace detail
}  // namespace pybind11
