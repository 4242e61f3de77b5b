// portable/python/stl/functional.h: pybind11/functional.h: casters of std::function and of pointers to functions.
#pragma once
#include "portable/python/module.h"

#include <functional>

namespace pybind11 {
namespace detail {

namespace type_caster_std_function_specializations {

/// A Python callable, which C++ may copy and drop without the GIL.
struct func_handle {
    function f;
    explicit func_handle(function &&callable) noexcept : f(std::move(callable)) {}
    func_handle(const func_handle &other) { *this = other; }
    func_handle &operator=(const func_handle &other) {
        gil_scoped_acquire gil;
        f = other.f;
        return *this;
    }
    ~func_handle() {
        gil_scoped_acquire gil;
        function last(std::move(f));
    }
};
struct func_wrapper_base {
    func_handle hfunc;
    explicit func_wrapper_base(func_handle &&callable) noexcept : hfunc(callable) {}
};
/// The C++ function that calls it; sources specialise it for results of their own.
template <class R, class... A> struct func_wrapper : func_wrapper_base {
    using func_wrapper_base::func_wrapper_base;
    R operator()(A... arguments) const {
        gil_scoped_acquire gil;
        object result = hfunc.f(std::forward<A>(arguments)...);
        if constexpr (!std::is_void_v<R>) return pybind11::cast<R>(std::move(result));
    }
};

}  // namespace type_caster_std_function_specializations

/// Where a Python function calls a plain C++ function of this pointer type, the address of that pointer; else null.
const void *find_plain_function(PyObject *callable, const std::type_info &pointer_type);

template <class R, class... A> struct caster<std::function<R(A...)>> {
    static bool load(PyObject *source, std::function<R(A...)> &value, bool convert) {
        using namespace type_caster_std_function_specializations;
        value = nullptr;
        if (source == Py_None) return convert;
        if (!PyCallable_Check(source)) return false;
        using Pointer = R (*)(A...);
        if (const void *plain = find_plain_function(source, typeid(Pointer)))
            value = *static_cast<const Pointer *>(plain);
        else
            value = func_wrapper<R, A...>(func_handle(reinterpret_borrow<function>(source)));
        return true;
    }
    template <class V> static PyObject *make(V &&value, return_value_policy policy, handle) {
        if (!value) Py_RETURN_NONE;
        if (auto *plain = value.template target<R (*)(A...)>()) return make_function(*plain, policy);
        return make_function(std::forward<V>(value), policy);
    }
    static constexpr auto name = text("collections.abc.Callable[[") + arg_descr(concat(name_of<A>()...)) +
                                 text("], ") + return_descr(name_of<R>()) + text("]");
};
template <class R, class... A> struct caster<R (*)(A...)> {
    static PyObject *make(R (*value)(A...), return_value_policy policy, handle) { return make_function(value, policy); }
    static constexpr auto name = caster<std::function<R(A...)>>::name;
};

}  // namespace detail
}  // namespace pybind11
