// portable/runtime/python/classes.cpp: Python classes of C++ classes: their records, how they are found, and how they are made.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>

#include "class_types.h"

namespace pybind11 {
namespace detail {

internals &get_internals() {
    static auto *all = new internals;
    return *all;
}
internals &get_local_internals() { return get_internals(); }
size_t num_registered_instances() { return get_internals().registered_instances.size(); }

class_record *find_class(const std::type_info &type) {
    auto &all = get_internals().registered_types_cpp;
    auto found = all.find(type);
    return found == all.end() ? nullptr : found->second;
}
class_record *get_type_info(const std::type_info &type, bool throws_if_missing) {
    class_record *found = find_class(type);
    if (!found && throws_if_missing)
        pybind11_fail("pybind11::detail::get_type_info: unable to find type info for \"" + readable_name(type) + "\"");
    return found;
}
class_record *find_class(PyTypeObject *type) {
    const auto &found = classes_of(type);
    return found.empty() ? nullptr : found[0];
}

class_record *own_record(PyTypeObject *type) {
    auto &all = get_internals().registered_types_py;
    auto found = all.find(type);
    if (found == all.end() || found->second.size() != 1 || found->second[0]->python_type != type) return nullptr;
    return found->second[0];
}

namespace {

/// The registered classes among a type's bases, without those that others of them derive from.
std::vector<class_record *> collect_classes(PyTypeObject *type) {
    std::vector<class_record *> found;
    object order = owned(PyObject_GetAttrString(as_object(type), "__mro__"));
    for (handle base : order) {
        class_record *record = own_record(reinterpret_cast<PyTypeObject *>(base.ptr()));
        auto derives = [&](class_record *other) { return PyType_IsSubtype(other->python_type, record->python_type); };
        if (record && std::none_of(found.begin(), found.end(), derives)) found.push_back(record);
    }
    return found;
}

}  // namespace

const std::vector<class_record *> &classes_of(PyTypeObject *type) {
    auto &all = get_internals().registered_types_py;
    auto found = all.find(type);
    if (found != all.end()) return found->second;
    const auto &collected = all[type] = collect_classes(type);
    // A class of Python may end, and another get its address.
    cpp_function forget([type](handle reference) {
        get_internals().registered_types_py.erase(type);
        reference.dec_ref();
    });
    weakref(as_object(type), forget).release();
    return collected;
}

namespace {
/// Names of pybind11's own types have no namespaces.
void drop_namespaces(std::string &name) {
    for (const char *word : {"pybind11::", "torchthaw_1::"}) {
        size_t at;
        while ((at = name.find(word)) != std::string::npos) name.erase(at, std::strlen(word));
    }
}
}  // namespace

std::string readable_name(const std::type_info &type) {
    int status = 0;
    char *name = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
    std::string text = name ? name : type.name();
    std::free(name);
    drop_namespaces(text);
    return text;
}
void clean_type_id(std::string &name) {
    int status = 0;
    if (char *readable = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status)) {
        name = readable;
        std::free(readable);
    }
    drop_namespaces(name);
}
std::string obj_class_name(PyObject *value) {
    handle type = PyType_Check(value) ? value : as_object(Py_TYPE(value));
    std::string module = str(getattr(type, "__module__")), name = str(getattr(type, "__qualname__"));
    return module == "builtins" ? name : module + "." + name;
}
void fail_unregistered(const std::type_info &type) {
    get_type_info(type, true);
    std::abort();
}

void add_base(class_record &record, class_description &description, handle base) {
    if (!base || !PyType_Check(base.ptr())) pybind11_fail("class_: expected a class as a base");
    class_record *found = own_record(reinterpret_cast<PyTypeObject *>(base.ptr()));
    if (!found)
        pybind11_fail("generic_type: type \"" + std::string(description.name) + "\" referenced unknown base type \"" +
                      obj_class_name(base.ptr()) + "\"");
    record.bases.push_back({found, [](void *value) { return value; }});
    description.python_bases.push_back(borrowed(base.ptr()));
}

namespace {
/// A class and its bases have the default holder, or none of them has.
void check_holders(const class_record &record, const char *name) {
    bool is_default = record.holder == holder_kind::unique;
    for (const base_link &base : record.bases) {
        bool is_base_default = base.record->holder == holder_kind::unique;
        if (is_default == is_base_default) continue;
        pybind11_fail("generic_type: type \"" + std::string(name) + "\" " + (is_default ? "does not have" : "has") +
                      " a non-default holder type while its base \"" + readable_name(*base.record->cpp_type) + "\" " +
                      (is_base_default ? "does not" : "does"));
    }
}
}  // namespace

namespace {
/// What a final class has as __init_subclass__: the limited API makes no classes that Python itself refuses as bases.
object refuse_subclass(const char *name, handle module) {
    std::string text = "type '" + (module ? std::string(str(module)) + "." : std::string()) + name
        + "' is not an acceptable base type";
    cpp_function refuse([text](const args &, const kwargs &) { throw type_error(text); },
        pybind11::name("__init_subclass__"));
    return module_::import("builtins").attr("classmethod")(refuse);
}
}  // namespace

PyObject *make_class(class_record &record, class_description &description) {
    handle scope = description.scope;
    if (scope && hasattr(scope, description.name) && getattr(scope, "__dict__").contains(description.name))
        pybind11_fail("generic_type: cannot initialize type \"" + std::string(description.name) +
                      "\": an object with that name is already defined");
    if (find_class(*record.cpp_type))
        pybind11_fail("generic_type: type \"" + std::string(description.name) + "\" is already registered!");
    check_holders(record, description.name);
    for (const base_link &base : record.bases)
        if (base.record->dynamic_attributes) record.dynamic_attributes = true;
    dict members;
    object module, qualified_name = str(description.name);
    if (scope) {
        bool is_class = PyType_Check(scope.ptr());
        module = getattr(scope, is_class ? "__module__" : "__name__", none());
        if (is_class) qualified_name = str(std::string(str(getattr(scope, "__qualname__"))) + "." + description.name);
        members["__module__"] = module;
    }
    members["__qualname__"] = qualified_name;
    members["__slots__"] = tuple(0);
    members["__init__"] = getattr(root_type(), "__init__");  // bases' constructors do not make this class
    if (description.is_final) members["__init_subclass__"] = refuse_subclass(description.name, module);
    if (!description.doc.empty() && shows_user_texts()) members["__doc__"] = str(description.doc);
    if (description.has_buffer) description.python_bases.push_back(borrowed(buffer_root_type()));
    if (record.dynamic_attributes) description.python_bases.push_back(borrowed(attributes_root_type()));
    if (description.python_bases.empty()) description.python_bases.push_back(borrowed(root_type()));
    tuple bases(description.python_bases.size());
    for (size_t i = 0; i < bases.size(); ++i) bases[i] = description.python_bases[i];

    handle maker = description.metaclass ? description.metaclass : handle(metaclass());
    object made = maker(description.name, bases, members);
    record.python_type = reinterpret_cast<PyTypeObject *>(made.ptr());
    get_internals().registered_types_cpp[*record.cpp_type] = &record;
    get_internals().registered_types_py[record.python_type] = {&record};
    made.inc_ref();  // the record's
    if (scope) setattr(scope, description.name, made);
    return made.release().ptr();
}

void set_method(handle class_, const char *name, handle function) {
    setattr(class_, name, function);
    if (std::string_view(name) == "__eq__" && !getattr(class_, "__dict__").contains("__hash__"))
        setattr(class_, "__hash__", none());
}
void set_static_method(handle class_, const char *name, handle function) {
    setattr(class_, name, staticmethod(borrowed(function.ptr())));
}
void set_property(handle class_, const char *name, handle getter, handle setter, const std::string &doc,
                  bool is_static) {
    handle type = as_object(is_static ? static_property_type() : &PyProperty_Type);
    object get = getter ? borrowed(getter.ptr()) : none(), set = setter ? borrowed(setter.ptr()) : none();
    setattr(class_, name, type(get, set, none(), shows_user_texts() ? doc : std::string()));
}

}  // namespace detail
}  // namespace pybind11
