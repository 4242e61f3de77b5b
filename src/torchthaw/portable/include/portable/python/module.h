// portable/python/module.h: modules, PYBIND11_MODULE, printing, evaluation, iterators; includes all of the interface.
#pragma once
#include "portable/python/array.h"
#include "portable/python/enum.h"
#include "portable/python/operators.h"
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
    /// Throws when the name exists and may not be overwritten.
    void add_object(const char *name, handle value, bool overwrite = false);
};
using module = module_;

/// The globals of the calling Python code, else those of __main__.
dict globals();

namespace detail {

/// print() with sep, end, file and flush among the named values.
void print_values(const call_arguments &values);
PyObject *run_source(const str &source, int start, object globals, object locals);

/// A Python iterator over C++ values: `next` returns a new reference, or null at the end or with an error.
PyObject *new_iterator(void *state, PyObject *(*next)(void *), void (*destroy)(void *));

template <class Iterator, class Sentinel, class Read> struct iteration {
    Iterator current;
    Sentinel last;
    return_value_policy policy;
    bool has_started;

    static PyObject *next(void *state) {
        auto &self = *static_cast<iteration *>(state);
        if (self.has_started) ++self.current;
        self.has_started = true;
        if (self.current == self.last) {
            self.has_started = false;  // stays at the end
            return nullptr;
        }
        return to_python(Read::of(self.current), self.policy, handle());
    }
    static iterator make(Iterator first, Sentinel last, return_value_policy policy) {
        auto *state = new iteration{std::move(first), std::move(last), policy, false};
        PyObject *made = new_iterator(state, next, [](void *done) { delete static_cast<iteration *>(done); });
        return {handle(checked(made)), object::stolen_t{}};
    }
};
struct read_value {
    template <class I> static decltype(auto) of(I &at) { return *at; }
};
struct read_key {
    template <class I> static decltype(auto) of(I &at) { return ((*at).first); }
};
struct read_mapped {
    template <class I> static decltype(auto) of(I &at) { return ((*at).second); }
};

}  // namespace detail

/// Python's print: py::print("x =", x, "end"_a = "").
template <return_value_policy policy = return_value_policy::automatic_reference, class... A> void print(A &&...values) {
    detail::call_arguments all;
    (detail::add_argument<policy>(all, std::forward<A>(values)), ...);
    detail::print_values(all);
}

enum eval_mode { eval_expr, eval_single_statement, eval_statements };
/// Evaluates Python source; throws what it raises.
template <eval_mode mode = eval_expr> object eval(const str &source, object globals = {}, object locals = {}) {
    constexpr int statements = mode == eval_single_statement ? Py_single_input : Py_file_input;
    constexpr int start = mode == eval_expr ? Py_eval_input : statements;
    return detail::owned(detail::run_source(source, start, std::move(globals), std::move(locals)));
}
inline void exec(const str &source, object globals = {}, object locals = {}) {
    eval<eval_statements>(source, std::move(globals), std::move(locals));
}

/// A Python iterator over [first, last). The container must live as long: keep_alive<0, 1>.
template <return_value_policy policy = return_value_policy::reference_internal, class Iterator, class Sentinel,
          class... Extra>
iterator make_iterator(Iterator first, Sentinel last, Extra &&...) {
    return detail::iteration<Iterator, Sentinel, detail::read_value>::make(std::move(first), std::move(last), policy);
}
template <return_value_policy policy = return_value_policy::reference_internal, class Iterator, class Sentinel,
          class... Extra>
iterator make_key_iterator(Iterator first, Sentinel last, Extra &&...) {
    return detail::iteration<Iterator, Sentinel, detail::read_key>::make(std::move(first), std::move(last), policy);
}
template <return_value_policy policy = return_value_policy::reference_internal, class Iterator, class Sentinel,
          class... Extra>
iterator make_value_iterator(Iterator first, Sentinel last, Extra &&...) {
    return detail::iteration<Iterator, Sentinel, detail::read_mapped>::make(std::move(first), std::move(last), policy);
}
template <return_value_policy policy = return_value_policy::reference_internal, class Container, class... Extra>
iterator make_iterator(Container &container, Extra &&...) {
    return make_iterator<policy>(std::begin(container), std::end(container));
}

/// Chooses one of several overloads: overload_cast<int>(&f), overload_cast<int>(&C::f, const_).
inline constexpr std::true_type const_{};
template <class... A> struct overload_cast_t {
    template <class R> constexpr auto operator()(R (*function)(A...)) const noexcept { return function; }
    template <class R, class C>
    constexpr auto operator()(R (C::*member)(A...), std::false_type = {}) const noexcept {
        return member;
    }
    template <class R, class C> constexpr auto operator()(R (C::*member)(A...) const, std::true_type) const noexcept {
        return member;
    }
};
template <class... A> inline constexpr overload_cast_t<A...> overload_cast{};

namespace detail {

/// Runs before a module is made, where the binary has one. False with a Python error ends the import.
__attribute__((weak)) bool prepare_module();

/// Makes the module and fills it; null with a Python error. `definition` lives as long as the process.
PyObject *initialize_module(PyModuleDef *definition, void (*fill)(module_ &));

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

#define PYBIND11_STRINGIFY(x) #x
#define PYBIND11_TOSTRING(x) PYBIND11_STRINGIFY(x)
#define PYBIND11_CONCAT(first, second) first##second
#define PYBIND11_EXPORT __attribute__((visibility("default")))

/// Defines PyInit_<name>; the body that follows fills the module `variable`.
#define PYBIND11_MODULE(name, variable, ...)                                                                           \
    static void PYBIND11_CONCAT(pybind11_init_, name)(::pybind11::module_ &);                                          \
    extern "C" PYBIND11_EXPORT PyObject *PYBIND11_CONCAT(PyInit_, name)() {                                            \
        static PyModuleDef definition = {PyModuleDef_HEAD_INIT, PYBIND11_TOSTRING(name), nullptr, -1, nullptr,         \
                                         nullptr, nullptr, nullptr, nullptr};                                          \
        return ::pybind11::detail::initialize_module(&definition, PYBIND11_CONCAT(pybind11_init_, name));              \
    }                                                                                                                  \
    void PYBIND11_CONCAT(pybind11_init_, name)([[maybe_unused]] ::pybind11::module_ &variable)
