// portable/runtime/python/signatures.cpp: the texts of functions: signatures, documentation, errors of a call.
#include "functions.h"

#include <cstdlib>
#include <cstring>

namespace pybind11 {
namespace detail {

namespace {

/// Documentation settings of options.
bool shows_texts = true, shows_signatures = true, shows_members = true;

/// What may help where a type of the standard library is not converted.
const char *note_on_headers(const std::string &text) {
    if (text.find("std::") == std::string::npos) return "";
    return "\n\nDid you forget to `#include <pybind11/stl.h>`? Or <pybind11/complex.h>,\n"
           "<pybind11/functional.h>, <pybind11/chrono.h>, etc. Some automatic\n"
           "conversions are optional and require extra headers to be included\n"
           "when compiling your pybind11 module.";
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

void explain_result(const function_record &record) {
    std::string text = "Unable to convert function return value to a Python type! The signature was\n\t" +
        record.signature;
    text += note_on_headers(text);
    if (!PyErr_Occurred())
        PyErr_SetString(PyExc_TypeError, text.c_str());
    else if (PyErr_ExceptionMatches(PyExc_TypeError))
        raise_from(PyExc_TypeError, text.c_str());
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
