// portable/runtime/python/enums.cpp: the methods that all enumerations share.
#include "portable/python/module.h"

namespace pybind11 {
namespace detail {

namespace {

handle type_of(handle value) { return type::handle_of(value); }
int_ number_of(handle value) { return int_(borrowed(value.ptr())); }

/// The name of an element; "???" for a value without one.
str element_name(handle value) {
    dict entries = type_of(value).attr("__entries");
    for (auto entry : entries) {
        if (handle(entry.second[int_(0)]).equal(value)) return str(entry.first);
    }
    return "???";
}

std::string members_doc(handle class_) {
    std::string text;
    object own = getattr(class_, "__own_doc", none());
    if (!own.is_none()) text = std::string(str(own)) + "\n\n";
    text += "Members:";
    for (auto entry : dict(class_.attr("__entries"))) {
        text += "\n\n  " + std::string(str(entry.first));
        object comment = entry.second[int_(1)];
        if (!comment.is_none()) text += " : " + std::string(str(comment));
    }
    return text;
}

template <class F> void add_method(handle class_, const char *method, F &&function) {
    class_.attr(method) = cpp_function(std::forward<F>(function), name(method), is_method(class_), pos_only());
}
template <class F> void add_operator(handle class_, const char *method, F &&function) {
    class_.attr(method) =
        cpp_function(std::forward<F>(function), name(method), is_method(class_), arg("other"), pos_only());
}

/// An operator on the integers of both operands.
void add_integer_operator(handle class_, const char *method, PyObject *(*operation)(PyObject *, PyObject *)) {
    add_operator(class_, method, [operation](const object &left, const object &right) {
        return owned(operation(number_of(left).ptr(), number_of(right).ptr()));
    });
}
/// A comparison of the integers; a strict one raises TypeError for operands of different types.
void add_comparison(handle class_, const char *method, int operation, bool is_strict) {
    add_operator(class_, method, [operation, is_strict](const object &left, const object &right) {
        if (is_strict && !type_of(left).is(type_of(right)))
            throw type_error("Expected an enumeration of matching type!");
        return compares(number_of(left).ptr(), number_of(right).ptr(), operation);
    });
}

}  // namespace

void init_enum(handle class_, bool is_arithmetic, bool is_convertible) {
    class_.attr("__entries") = dict();
    add_method(class_, "__repr__", [](const object &value) {
        return str("<{}.{}: {}>").format(type_of(value).attr("__name__"), element_name(value), number_of(value));
    });
    add_method(class_, "__str__", [](handle value) {
        return str("{}.{}").format(type_of(value).attr("__name__"), element_name(value));
    });
    cpp_function get_name(element_name, name("name"), is_method(class_), pos_only());
    set_property(class_, "name", get_name, none(), "", false);
    cpp_function get_members(
        [](handle owner) {
            dict members;
            for (auto entry : dict(owner.attr("__entries"))) members[entry.first] = object(entry.second[int_(0)]);
            return members;
        },
        name("__members__"));
    set_property(class_, "__members__", get_members, none(), "", true);
    if (shows_enum_members()) {
        class_.attr("__own_doc") = getattr(class_, "__doc__", none());
        set_property(class_, "__doc__", cpp_function(members_doc, name("__doc__")), none(), "", true);
    }

    if (is_convertible) {
        add_operator(class_, "__eq__", [](const object &left, const object &right) {
            return !right.is_none() && number_of(left).equal(right);
        });
        add_operator(class_, "__ne__", [](const object &left, const object &right) {
            return right.is_none() || !number_of(left).equal(right);
        });
    } else {
        add_operator(class_, "__eq__", [](const object &left, const object &right) {
            return type_of(left).is(type_of(right)) && number_of(left).equal(number_of(right));
        });
        add_operator(class_, "__ne__", [](const object &left, const object &right) {
            return !type_of(left).is(type_of(right)) || !number_of(left).equal(number_of(right));
        });
    }
    if (is_arithmetic) {
        add_comparison(class_, "__lt__", Py_LT, !is_convertible);
        add_comparison(class_, "__gt__", Py_GT, !is_convertible);
        add_comparison(class_, "__le__", Py_LE, !is_convertible);
        add_comparison(class_, "__ge__", Py_GE, !is_convertible);
    }
    if (is_arithmetic && is_convertible) {
        add_integer_operator(class_, "__and__", PyNumber_And);
        add_integer_operator(class_, "__rand__", PyNumber_And);
        add_integer_operator(class_, "__or__", PyNumber_Or);
        add_integer_operator(class_, "__ror__", PyNumber_Or);
        add_integer_operator(class_, "__xor__", PyNumber_Xor);
        add_integer_operator(class_, "__rxor__", PyNumber_Xor);
        add_method(class_, "__invert__", [](const object &value) { return ~number_of(value); });
    }
    add_method(class_, "__getstate__", [](const object &value) { return number_of(value); });
    add_method(class_, "__hash__", [](const object &value) { return number_of(value); });
}

void add_enum_value(handle class_, const char *name, const object &value, const char *doc) {
    dict entries = class_.attr("__entries");
    if (entries.contains(name))
        throw value_error(std::string(str(class_.attr("__name__"))) + ": element \"" + name + "\" already exists!");
    entries[name] = make_tuple(value, doc);
    class_.attr(name) = value;
}

void export_enum_values(handle class_, handle scope) {
    for (auto entry : dict(class_.attr("__entries"))) scope.attr(entry.first) = object(entry.second[int_(0)]);
}

}  // namespace detail
}  // namespace pybind11
