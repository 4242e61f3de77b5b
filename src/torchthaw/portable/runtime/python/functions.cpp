// portable/runtime/python/functions.cpp: Python function objects, the choice of an overload, signatures and errors of a call.
#include <cxxabi.h>

#include "portable/python/module.h"

#include <cstdlib>
#include <cstring>

namespace pybind11 {
namespace detail {

namespace {

constexpr size_t most_arguments = 64;

/// Documentation settings of options.
bool shows_texts = true, shows_signatures = true, shows_members = true;

using vectorcall = PyObject *(*)(PyObject *, PyObject *const *, size_t, PyObject *);

/// Owns the overloads. It is `self` of a builtin function, or a method itself.
struct function_object {
    PyObject_HEAD
    vectorcall call;  // of methods
    function_record *records;
    PyMethodDef *definition;
    std::string *doc;
    PyObject *name, *module, *qualified_name;
};

function_object *as_function_object(PyObject *value) { return reinterpret_cast<function_object *>(value); }

// ---- the choice of an overload

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

PyObject *refuse(const function_record *first, PyObject *const *given, size_t count, PyObject *names);

/// What may help where a type of the standard library is not converted.
const char *note_on_headers(const std::string &text) {
    if (text.find("std::") == std::string::npos) return "";
    return "\n\nDid you forget to `#include <pybind11/stl.h>`? Or <pybind11/complex.h>,\n"
           "<pybind11/functional.h>, <pybind11/chrono.h>, etc. Some automatic\n"
           "conversions are optional and require extra headers to be included\n"
           "when compiling your pybind11 module.";
}

PyObject *finish_call(PyObject *result, const function_record &record) {
    if (result) return result;
    std::string text = "Unable to convert function return value to a Python type! The signature was\n\t" +
        record.signature;
    text += note_on_headers(text);
    if (!PyErr_Occurred())
        PyErr_SetString(PyExc_TypeError, text.c_str());
    else if (PyErr_ExceptionMatches(PyExc_TypeError))
        raise_from(PyExc_TypeError, text.c_str());
    return nullptr;
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
            if (result != try_next_overload) return result ? result : finish_call(result, *first);
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

std::string shown_value(PyObject *value) {
    try {
        return repr(value);
    } catch (const error_already_set &) {
        return "<repr raised Error>";
    }
}

/// "Class(x: int)" of a constructor's "(self: Class, x: int) -> None".
std::string constructor_signature(const std::string &signature) {
    size_t start = signature.find('(') + 7, end = signature.find(", "), result = signature.rfind(" -> ");
    size_t next = end + 2;
    if (end >= signature.size()) next = end = signature.find(')');
    if (start >= end || next >= signature.size()) return signature;
    return signature.substr(start, end - start) + "(" + signature.substr(next, result - next);
}

PyObject *refuse(const function_record *first, PyObject *const *given, size_t count, PyObject *names) {
    if (first->is_operator) {
        Py_INCREF(Py_NotImplemented);
        return Py_NotImplemented;
    }
    if (first->is_constructor && first->is_method) {
        auto *owner = reinterpret_cast<PyTypeObject *>(first->scope.ptr());
        if (count == 0 || !PyObject_TypeCheck(given[0], owner)) {
            PyErr_SetString(PyExc_TypeError, "__init__(self, ...) called with invalid or missing `self` argument");
            return nullptr;
        }
        const held_value *place = find_held(given[0], find_class(owner));
        if (place && place->value) Py_RETURN_NONE;  // made before, as by another class's __new__
    }
    std::string text = first->name + "(): incompatible " + (first->is_constructor ? "constructor" : "function") +
                       " arguments. The following argument types are supported:\n";
    int number = 0;
    for (const function_record *record = first; record; record = record->next) {
        text += "    " + std::to_string(++number) + ". ";
        text += (first->is_constructor ? constructor_signature(record->signature) : record->signature) + "\n";
    }
    text += "\nInvoked with: ";
    size_t hidden = first->is_constructor ? 1 : 0;
    for (size_t i = hidden; i < count; ++i) text += (i > hidden ? ", " : "") + shown_value(given[i]);
    ssize_t named = names ? PyTuple_Size(names) : 0;
    if (named > 0) text += count > hidden ? "; kwargs: " : "kwargs: ";
    for (ssize_t i = 0; i < named; ++i) {
        text += (i > 0 ? ", " : "") + std::string(str(handle(PyTuple_GetItem(names, i)))) + "=" +
                shown_value(given[count + static_cast<size_t>(i)]);
    }
    text += note_on_headers(text);
    PyErr_SetString(PyExc_TypeError, text.c_str());
    return nullptr;
}

// ---- the Python objects

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

PyObject *bind_method(PyObject *self, PyObject *owner, PyObject *) {
    if (!owner || owner == Py_None) {
        Py_INCREF(self);
        return self;
    }
    static PyObject *bound_type = nullptr;
    if (!bound_type) {
        PyObject *types = PyImport_ImportModule("types");
        if (types) bound_type = PyObject_GetAttrString(types, "MethodType");
        Py_XDECREF(types);
        if (!bound_type) return nullptr;
    }
    return PyObject_CallFunctionObjArgs(bound_type, self, owner, nullptr);
}

PyObject *read_doc(PyObject *self, void *) {
    const std::string &doc = *as_function_object(self)->doc;
    return PyUnicode_FromStringAndSize(doc.data(), static_cast<ssize_t>(doc.size()));
}

PyObject *show_method(PyObject *self) {
    return PyUnicode_FromFormat("<method '%U'>", as_function_object(self)->qualified_name);
}

void destroy_function(PyObject *self) {
    function_object *object = as_function_object(self);
    PyTypeObject *type = Py_TYPE(self);
    for (function_record *record = object->records; record;) delete std::exchange(record, record->next);
    delete object->definition;
    delete object->doc;
    Py_XDECREF(object->name);
    Py_XDECREF(object->module);
    Py_XDECREF(object->qualified_name);
    reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

PyTypeObject *make_type(PyType_Spec &spec) { return reinterpret_cast<PyTypeObject *>(checked(PyType_FromSpec(&spec))); }

/// Pickles as the function's module, which pickle then asks for the function.
PyObject *reduce_owner(PyObject *self, PyObject *) {
    function_object *owner = as_function_object(self);
    if (!owner->module || !PyUnicode_Check(owner->module)) {
        PyErr_Format(PyExc_RuntimeError, "%R is not pickleable.", self);
        return nullptr;
    }
    PyObject *builtins = PyEval_GetBuiltins();
    return Py_BuildValue("O(N)", PyDict_GetItemString(builtins, "eval"),
                         PyUnicode_FromFormat("__import__('importlib').import_module('%U')", owner->module));
}

PyTypeObject *owner_type() {
    static PyMethodDef methods[] = {{"__reduce_ex__", reduce_owner, METH_VARARGS, nullptr},
                                    {nullptr, nullptr, 0, nullptr}};
    static PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void *>(destroy_function)},
                                  {Py_tp_methods, methods},
                                  {0, nullptr}};
    static PyType_Spec spec = {"pybind11_builtins.function_record", sizeof(function_object), 0, Py_TPFLAGS_DEFAULT,
        slots};
    static PyTypeObject *type = make_type(spec);
    return type;
}

/// The interpreter passes `self` to it first and makes no bound method for a call.
PyTypeObject *method_type() {
    static PyMemberDef members[] = {
        {"__vectorcalloffset__", T_PYSSIZET, offsetof(function_object, call), READONLY, nullptr},
        {"__name__", T_OBJECT, offsetof(function_object, name), READONLY, nullptr},
        {"__module__", T_OBJECT, offsetof(function_object, module), READONLY, nullptr},
        {"__qualname__", T_OBJECT, offsetof(function_object, qualified_name), READONLY, nullptr},
        {nullptr, 0, 0, 0, nullptr},
    };
    static PyGetSetDef properties[] = {
        {"__doc__", read_doc, nullptr, nullptr, nullptr},
        {nullptr, nullptr, nullptr, nullptr, nullptr},
    };
    static PyType_Slot slots[] = {
        {Py_tp_dealloc, reinterpret_cast<void *>(destroy_function)},
        {Py_tp_call, reinterpret_cast<void *>(call_with_tuple)},
        {Py_tp_descr_get, reinterpret_cast<void *>(bind_method)},
        {Py_tp_repr, reinterpret_cast<void *>(show_method)},
        {Py_tp_members, members},
        {Py_tp_getset, properties},
        {0, nullptr},
    };
    // Outside the 3.10 interface, but the same bits in every CPython from 3.9 on.
    constexpr unsigned have_vectorcall = 1u << 11, method_descriptor = 1u << 17;
    static PyType_Spec spec = {"torchthaw.method", sizeof(function_object), 0,
                               Py_TPFLAGS_DEFAULT | have_vectorcall | method_descriptor, slots};
    static PyTypeObject *type = make_type(spec);
    return type;
}

function_object *owner_of(PyObject *function) {
    if (!function) return nullptr;
    if (Py_TYPE(function) == method_type()) return as_function_object(function);
    if (Py_TYPE(function) != &PyCFunction_Type) return nullptr;
    PyObject *self = PyCFunction_GetSelf(function);
    return self && Py_TYPE(self) == owner_type() ? as_function_object(self) : nullptr;
}

// ---- signatures

/// Names that Python has since a version; before, typing_extensions has them.
std::string of_this_python(std::string text) {
    static constexpr struct {
        const char *name, *older;
        int since;
    } names[] = {
        {"typing.Never", "typing_extensions.Never", 11},
        {"collections.abc.Buffer", "typing_extensions.Buffer", 12},
        {"typing.TypeIs", "typing_extensions.TypeIs", 13},
        {"types.CapsuleType", "typing_extensions.CapsuleType", 13},
    };
    static const int minor = std::atoi(Py_GetVersion() + 2);
    for (const auto &each : names) {
        if (minor < each.since && text.compare(0, std::strlen(each.name), each.name) == 0)
            text.replace(0, std::strlen(each.name), each.older);
    }
    return text;
}

std::string part_text(const text_part &part, bool is_argument) {
    if (!part.type) return of_this_python(is_argument ? part.argument : part.result);
    const class_record *record = find_class(*part.type);
    if (!record) return readable_name(*part.type);
    handle type = reinterpret_cast<PyObject *>(record->python_type);
    return std::string(str(getattr(type, "__module__"))) + "." + std::string(str(getattr(type, "__qualname__")));
}

}  // namespace

std::string signature_text(const text_part *parts, size_t count, bool is_argument) {
    std::string text;
    for (size_t i = 0; i < count; ++i) text += part_text(parts[i], is_argument);
    return text;
}

namespace {

std::string describe_signature(const function_record &record, const text_part *parts, size_t count) {
    std::string text = "(";
    size_t at = 0;
    for (size_t i = 0; i < record.count; ++i) {
        bool is_args = record.has_args && i == record.positional;
        bool is_kwargs = record.has_kwargs && i + 1u == record.count;
        size_t declared_at = record.has_args && i > record.positional ? i - 1 : i;
        const argument_record *declared =
            declared_at < record.arguments.size() && !is_kwargs ? &record.arguments[declared_at] : nullptr;
        if (i > 0) text += ", ";
        if (!is_args && !is_kwargs) {
            if (!record.has_args && i == record.positional) text += "*, ";
            if (declared && declared->name)
                text += std::string(str(declared->name));
            else if (i == 0 && record.is_method)
                text += "self";
            else
                text += "arg" + std::to_string(i - (record.is_method ? 1u : 0u));
            text += ": ";
        }
        bool converts = !declared || is_args || declared->convert;  // else only the type that results have
        for (; at < count && (parts[at].argument || parts[at].type); ++at) text += part_text(parts[at], converts);
        ++at;  // the end of the parameter
        if (declared && !is_args && declared->value) text += " = " + declared->shown;
        if (record.positional_only > 0 && i + 1 == record.positional_only) text += ", /";
    }
    text += ") -> ";
    for (; at < count; ++at) {
        if (parts[at].argument || parts[at].type) text += part_text(parts[at], false);
    }
    return text;
}

std::string describe_overloads(const function_record *first) {
    std::string text;
    bool is_overloaded = first->next != nullptr;
    if (is_overloaded && shows_signatures) text += first->name + "(*args, **kwargs)\nOverloaded function.\n\n";
    int number = 0;
    for (const function_record *record = first; record; record = record->next) {
        if (shows_signatures) {
            if (number > 0) text += "\n";
            ++number;
            if (is_overloaded) text += std::to_string(number) + ". ";
            text += record->name + record->signature + "\n";
        }
        if (!record->doc.empty() && shows_texts) {
            if (shows_signatures)
                text += "\n" + record->doc + "\n";
            else
                text += (text.empty() ? "" : "\n") + record->doc;
        }
    }
    return text;
}

void update_doc(function_object *owner) {
    *owner->doc = describe_overloads(owner->records);
    if (owner->definition) owner->definition->ml_doc = owner->doc->empty() ? nullptr : owner->doc->c_str();
}

/// The text with one space for each run of white space, and none at its ends. A text in quotes stays.
std::string in_one_line(const std::string &text) {
    if (text.size() >= 2 && text.front() == '\'' && text.back() == '\'') return text;
    std::string line;
    bool follows_space = true;
    for (char character : text) {
        bool is_space = std::strchr(" \t\n\r\f\v", character) != nullptr;
        if (!is_space || !follows_space) line += is_space ? ' ' : character;
        follows_space = is_space;
    }
    if (!line.empty() && line.back() == ' ') line.pop_back();
    return line;
}

void declare_self(function_record &record) {
    if (!record.is_method || !record.arguments.empty()) return;
    argument_record self;
    self.name = str("self");
    self.none = false;
    record.arguments.push_back(std::move(self));
}

/// Conversions and None as declared; whether calls by position need no check of None.
void settle_conversions(function_record &record) {
    for (size_t i = 0; i < record.arguments.size(); ++i) {
        size_t at = record.has_args && i >= record.positional ? i + 1 : i;
        if (!record.arguments[i].convert) record.convert &= ~(1ull << at);
        // `self` cannot be None: no class loads None as a reference.
        bool is_self = i == 0 && record.is_method;
        if (!record.arguments[i].none && !is_self) record.takes_array = false;
    }
}

}  // namespace

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

void add_argument_record(function_record &record, const arg &declared) {
    declare_self(record);
    argument_record added;
    if (declared.name) added.name = owned(PyUnicode_InternFromString(declared.name));
    added.convert = !declared.flag_noconvert;
    added.none = declared.flag_none;
    record.arguments.push_back(std::move(added));
    if (record.arguments.size() > record.positional && !(declared.name && declared.name[0]))
        pybind11_fail("arg(): cannot specify an unnamed argument after a kw_only() annotation or args() argument");
}
void add_argument_record(function_record &record, const arg_v &declared) {
    if (!declared.value) {
        std::string text = "'" + (declared.name ? std::string(declared.name) + ": " : std::string());
        text += readable_name(*declared.type) + "'";
        if (record.is_method)
            text += " in method '" + std::string(str(record.scope)) + "." + record.name + "'";
        else if (!record.name.empty())
            text += " in function '" + record.name + "'";
        pybind11_fail("arg(): could not convert default argument " + text +
                      " into a Python object (type not registered yet?)");
    }
    add_argument_record(record, static_cast<const arg &>(declared));
    argument_record &added = record.arguments.back();
    added.value = declared.value;
    added.shown = in_one_line(declared.descr ? std::string(declared.descr) : std::string(repr(declared.value)));
}
void start_kw_only(function_record &record) {
    declare_self(record);
    if (record.has_args && record.positional != record.arguments.size())
        pybind11_fail("Mismatched args() and kw_only(): they must occur at the same relative argument location");
    record.positional = static_cast<std::uint16_t>(record.arguments.size());
}
void end_pos_only(function_record &record) {
    declare_self(record);
    record.positional_only = static_cast<std::uint16_t>(record.arguments.size());
}

function_record *record_of(PyObject *function) {
    function_object *owner = owner_of(function);
    return owner ? owner->records : nullptr;
}

const void *find_plain_function(PyObject *callable, const std::type_info &pointer_type) {
    for (const function_record *record = record_of(callable); record; record = record->next) {
        if (record->plain_type && *record->plain_type == pointer_type) return record->data;
    }
    return nullptr;
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

PyObject *finish_function(function_record *given, const text_part *signature, size_t parts) {
    std::unique_ptr<function_record> record(given);
    size_t collected = (record->has_args ? 1u : 0u) + (record->has_kwargs ? 1u : 0u);
    size_t undeclared = record->is_method ? 1 : 0;  // `self` alone stands for no declaration
    if (record->arguments.size() > undeclared && record->arguments.size() + collected != record->count)
        pybind11_fail(record->name + "(): the number of py::arg annotations is not that of the parameters");
    if (record->positional != record->count) record->takes_array = false;
    record->is_constructor = record->name == "__init__" || record->name == "__setstate__";
    if (record->is_constructor && record->is_method && !record->fills_instance)
        record->run_inside = std::exchange(record->run, run_old_constructor);
    settle_conversions(*record);
    record->signature = describe_signature(*record, signature, parts);

    function_object *before = owner_of(record->sibling.ptr());
    if (before && before->records->scope.is(record->scope)) {
        if (before->records->is_method != record->is_method)
            pybind11_fail(std::string("overloading a method with both static and instance methods is not supported; "
                                      "error while attempting to bind ") +
                          (record->is_method ? "instance" : "static") + " method " +
                          std::string(str(getattr(record->scope, "__name__"))) + "." + record->name +
                          record->signature);
        PyObject *function = record->sibling.ptr();
        if (record->goes_first) {
            record->next = before->records;
            before->records = record.release();
        } else {
            function_record *last = before->records;
            while (last->next) last = last->next;
            last->next = record.release();
        }
        update_doc(before);
        Py_INCREF(function);
        return function;
    }
    if (!before && record->sibling && !record->sibling.is_none() && record->name[0] != '_')
        pybind11_fail("Cannot overload existing non-function object \"" + record->name +
                      "\" with a function of the same name");

    bool is_method = record->is_method;
    object module;
    std::string qualified_name = record->name;
    if (record->scope) {
        module = getattr(record->scope, hasattr(record->scope, "__module__") ? "__module__" : "__name__", none());
        if (is_method) qualified_name = std::string(str(getattr(record->scope, "__qualname__"))) + "." + record->name;
    }
    object made = owned(PyType_GenericAlloc(is_method ? method_type() : owner_type(), 0));
    function_object *owner = as_function_object(made.ptr());
    owner->call = call_method;
    owner->doc = new std::string;
    owner->name = str(record->name).release().ptr();
    owner->qualified_name = str(qualified_name).release().ptr();
    owner->module = borrowed(module.ptr()).release().ptr();
    owner->records = record.release();
    if (!is_method) {
        auto call = reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(call_builtin));
        owner->definition = new PyMethodDef{owner->records->name.c_str(), call, METH_FASTCALL | METH_KEYWORDS, nullptr};
    }
    update_doc(owner);
    if (is_method) return made.release().ptr();
    return checked(PyCFunction_NewEx(owner->definition, made.ptr(), module.ptr()));
}

void apply_keep_alive(size_t nurse, size_t patient, PyObject *const *arguments, size_t count, PyObject *result) {
    auto at = [&](size_t i) { return handle(i == 0 ? result : i <= count ? arguments[i - 1] : nullptr); };
    keep_alive_impl(at(nurse), at(patient));
}

bool shows_enum_members() { return shows_members; }
bool shows_user_texts() { return shows_texts; }

}  // namespace detail

options::options() : m_before{detail::shows_texts, detail::shows_signatures, detail::shows_members} {}
options::~options() {
    detail::shows_texts = m_before[0];
    detail::shows_signatures = m_before[1];
    detail::shows_members = m_before[2];
}
options &options::disable_user_defined_docstrings() & { return detail::shows_texts = false, *this; }
options &options::enable_user_defined_docstrings() & { return detail::shows_texts = true, *this; }
options &options::disable_function_signatures() & { return detail::shows_signatures = false, *this; }
options &options::enable_function_signatures() & { return detail::shows_signatures = true, *this; }
options &options::disable_enum_members_docstring() & { return detail::shows_members = false, *this; }
options &options::enable_enum_members_docstring() & { return detail::shows_members = true, *this; }

}  // namespace pybind11
