// portable/python/module.h: modules, PYBIND11_MODULE, printing and iterators; includes what pybind11/pybind11.h has.
#pragma once
#include "portable/python/numpy/buffer.h"
#include "portable/python/enum.h"
#include "portable/python/objects/internals.h"
#include "portable/python/override.h"

namespace pybind11 {

class module_ : public object {
  public:
    PYBIND11_OBJECT_DEFAULT(module_, object, PyModule_Check)
    /// Imports a module by its full name.
    static module_ import(const char *name) { return {detail::checked(PyImport_ImportModule(name)), stolen_t{}}; }
    void reload();

    /// Adds a function; one of the same name gets an overload.
    template <class F, class... Extra> module_ &def(const char *name, F &&function, const Extra &...extra) {
        object before = getattr(*this, name, none());
        cpp_function made(std::forward<F>(function), pybind11::name(name), scope(*this), sibling(before), extra...);
        add_object(name, made, true);
        return *this;
    }
    module_ def_submodule(const char *name, const char *doc = nullptr);
    /// A new module of C++; the definition is filled, and must live as long.
    static module_ create_extension_module(const char *name, const char *doc, PyModuleDef *definition);
    /// Throws when the name exists and may not be overwritten.
    void add_object(const char *name, handle value, bool overwrite = false);
};
using module = module_;

namespace detail {
/// Notes the type in the `__annotations__` of a module or a class; throws where the name has one.
void add_annotation(handle owner, handle name, const text_part *parts, size_t count);
template <class D> template <class T, class Name> accessor object_api<D>::attr_with_type_hint(Name name) const {
    static constexpr auto content = name_of<T>();
    add_annotation(self(), pybind11::str(name), content.parts, std::size(content.parts));
    return attr(name);
}
}  // namespace detail

/// The globals of the calling Python code, else those of __main__.
dict globals();

namespace detail {

/// print() with sep, end, file and flush among the named values.
void print_values(const call_arguments &values);
/// A Python iterator over C++ values: `next` returns a new reference, or null at the end or with an error. `type` is
/// made at the first call.
PyObject *new_iterator(PyObject *&type, void *state, PyObject *(*next)(void *, PyObject *self),
    void (*destroy)(void *));

template <class Iterator, class Sentinel, class Read> struct iteration {
    Iterator current;
    Sentinel last;
    return_value_policy policy;
    bool has_started;

    using Value = std::decay_t<decltype(Read::of(std::declval<Iterator &>()))>;

    static PyObject *next(void *state, PyObject *iterator) {
        auto &self = *static_cast<iteration *>(state);
        if (self.has_started) ++self.current;
        self.has_started = true;
        if (self.current == self.last) {
            self.has_started = false;  // stays at the end
            return nullptr;
        }
        return to_python(Read::of(self.current), self.policy, handle(iterator));
    }
    template <return_value_policy policy> static typing::Iterator<Value> make(Iterator first, Sentinel last) {
        static PyObject *type = nullptr;
        auto *state = new iteration{std::move(first), std::move(last), policy, false};
        PyObject *made = new_iterator(type, state, next, [](void *done) { delete static_cast<iteration *>(done); });
        return {handle(checked(made)), object::stolen_t{}};
    }
};
/// A member's reference, or its value where the iterator gives temporaries.
template <class Pair, class Reference, class Value> using member_of =
    std::conditional_t<std::is_reference_v<Pair>, Reference, Value>;
struct read_value {
    template <class I> static decltype(auto) of(I &at) { return *at; }
};
struct read_key {
    template <class I> static auto of(I &at) -> member_of<decltype(*at), decltype(((*at).first)),
            decltype((*at).first)> {
        return (*at).first;
    }
};
struct read_mapped {
    template <class I>
    static auto of(I &at) -> member_of<decltype(*at), decltype(((*at).second)), decltype((*at).second)> {
        return (*at).second;
    }
};

}  // namespace detail

/// Python's print: py::print("x =", x, "end"_a = "").
template <return_value_policy policy = return_value_policy::automatic_reference, class... A> void print(A &&...values) {
    detail::call_arguments all;
    (detail::add_argument<policy>(all, std::forward<A>(values)), ...);
    detail::print_values(all);
}

/// A Python iterator over [first, last). The container must live as long: keep_alive<0, 1>.
template <return_value_policy policy = return_value_policy::reference_internal, class Iterator, class Sentinel,
          class... Extra, class = decltype(*std::declval<Iterator &>())>
auto make_iterator(Iterator first, Sentinel last, Extra &&...) {
    return detail::iteration<Iterator, Sentinel, detail::read_value>::template make<policy>(std::move(first),
        std::move(last));
}
template <return_value_policy policy = return_value_policy::reference_internal, class Iterator, class Sentinel,
          class... Extra, class = decltype(*std::declval<Iterator &>())>
auto make_key_iterator(Iterator first, Sentinel last, Extra &&...) {
    return detail::iteration<Iterator, Sentinel, detail::read_key>::template make<policy>(std::move(first),
        std::move(last));
}
template <return_value_policy policy = return_value_policy::reference_internal, class Iterator, class Sentinel,
          class... Extra, class = decltype(*std::declval<Iterator &>())>
auto make_value_iterator(Iterator first, Sentinel last, Extra &&...) {
    return detail::iteration<Iterator, Sentinel, detail::read_mapped>::template make<policy>(std::move(first),
        std::move(last));
}
template <return_value_policy policy = return_value_policy::reference_internal, class Container, class... Extra,
          class = decltype(std::begin(std::declval<Container &>()))>
auto make_iterator(Container &container, Extra &&...extra) {
    return make_iterator<policy>(std::begin(container), std::end(container), std::forward<Extra>(extra)...);
}
template <return_value_policy policy = return_value_policy::reference_internal, class Container, class... Extra,
          class = decltype(std::begin(std::declval<Container &>()))>
auto make_key_iterator(Container &container, Extra &&...extra) {
    return make_key_iterator<policy>(std::begin(container), std::end(container), std::forward<Extra>(extra)...);
}
template <return_value_policy policy = return_value_policy::reference_internal, class Container, class... Extra,
          class = decltype(std::begin(std::declval<Container &>()))>
auto make_value_iterator(Container &container, Extra &&...extra) {
    return make_value_iterator<policy>(std::begin(container), std::end(container), std::forward<Extra>(extra)...);
}

namespace detail {
template <class... A> struct overload_cast_impl {
    template <class R> constexpr auto operator()(R (*function)(A...)) const noexcept { return function; }
    template <class R> constexpr auto operator()(R (*function)(A...) noexcept) const noexcept { return function; }
#define TORCHTHAW_OVERLOAD(reference, exception)                                                                       \
    template <class R, class C>                                                                                        \
    constexpr auto operator()(R (C::*member)(A...) reference exception, std::false_type = {}) const noexcept {         \
        return member;                                                                                                 \
    }                                                                                                                  \
    template <class R, class C>                                                                                        \
    constexpr auto operator()(R (C::*member)(A...) const reference exception, std::true_type) const noexcept {         \
        return member;                                                                                                 \
    }
    TORCHTHAW_OVERLOAD(, )
    TORCHTHAW_OVERLOAD(&, )
    TORCHTHAW_OVERLOAD(&&, )
    TORCHTHAW_OVERLOAD(, noexcept)
    TORCHTHAW_OVERLOAD(&, noexcept)
    TORCHTHAW_OVERLOAD(&&, noexcept)
#undef TORCHTHAW_OVERLOAD
};
}  // namespace detail

/// Chooses one of several overloads: overload_cast<int>(&f), overload_cast<int>(&C::f, const_).
inline constexpr std::true_type const_{};
template <class... A> inline constexpr detail::overload_cast_impl<A...> overload_cast{};

/// A member function as one of a derived class.
template <class Derived, class F> F method_adaptor(F &&function) { return std::forward<F>(function); }
#define TORCHTHAW_ADAPTOR(constness, reference, exception)                                                             \
    template <class Derived, class R, class C, class... A>                                                             \
    auto method_adaptor(R (C::*member)(A...) constness reference exception)                                            \
        ->R (Derived::*)(A...) constness reference exception {                                                         \
        static_assert(std::is_base_of_v<C, Derived>, "method_adaptor: a member of another class");                     \
        return member;                                                                                                 \
    }
TORCHTHAW_FOR_QUALIFIERS(TORCHTHAW_ADAPTOR)
#undef TORCHTHAW_ADAPTOR

namespace detail {

template <> struct handle_type_name<module_> {
    static constexpr auto name = text("types.ModuleType");
};

/// Runs before a module is made, where the binary has one. False with a Python error ends the import.
__attribute__((weak)) bool prepare_module();
/// Whether the binary has a PYBIND11_MODULE, so that an import says what went wrong while it was loaded.
extern bool has_module;
/// Whether Python is a free-threaded one, whose objects have another layout. Looks at no object.
bool is_free_threaded();

/// A module's definition and what fills it. Lives as long as the process.
struct module_definition {
    PyModuleDef python;  ///< first: Python gives its address back
    void (*fill)(module_ &);
    PyObject *made;      ///< the one module of the process
    void *interpreter;   ///< that has it
};
/// What PyInit_ returns: Python makes the module by it, sets __file__ and has it filled.
PyObject *start_module(module_definition &definition, const char *name, void (*fill)(module_ &));

}  // namespace detail

/// Accepted by PYBIND11_MODULE; modules need the GIL.
struct mod_gil_not_used {
    constexpr explicit mod_gil_not_used(bool = true) {}
};

}  // namespace pybind11

/// Gives a container type to class_ instead of its conversion to a Python container.
#define PYBIND11_MAKE_OPAQUE(...)                                                                                      \
    namespace pybind11 {                                                                                               \
    namespace detail {                                                                                                 \
    template <> struct caster<__VA_ARGS__> : class_caster<__VA_ARGS__> {                                               \
        static constexpr auto name = type_name<__VA_ARGS__>();                                                         \
    };                                                                                                                 \
    }                                                                                                                  \
    }

#define PYBIND11_CONCAT(first, second) first##second
#define PYBIND11_EXPORT __attribute__((visibility("default")))

/// Defines PyInit_<name>; the body that follows fills the module `variable`.
#define PYBIND11_MODULE(name, variable, ...)                                                                           \
    static void PYBIND11_CONCAT(pybind11_init_, name)(::pybind11::module_ &);                                          \
    __attribute__((constructor(102))) static void PYBIND11_CONCAT(pybind11_note_, name)() {                            \
        ::pybind11::detail::has_module = true;                                                                         \
    }                                                                                                                  \
    extern "C" PYBIND11_EXPORT PyObject *PYBIND11_CONCAT(PyInit_, name)() {                                            \
        static ::pybind11::detail::module_definition definition;                                                       \
        return ::pybind11::detail::start_module(definition, PYBIND11_TOSTRING(name),                                   \
                                                PYBIND11_CONCAT(pybind11_init_, name));                                \
    }                                                                                                                  \
    void PYBIND11_CONCAT(pybind11_init_, name)([[maybe_unused]] ::pybind11::module_ &variable)
