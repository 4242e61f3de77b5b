// portable/python/class.h: class_, which makes a Python class of a C++ class.
#pragma once
#include "portable/python/constructor.h"
#include "portable/python/function.h"

namespace pybind11 {
namespace detail {

/// What make_class needs besides the record.
struct class_description {
    handle scope;
    const char *name = nullptr;
    std::string doc;
    std::vector<object> python_bases;
    handle metaclass;
    bool has_buffer = false;
    bool is_final = false;
};
/// A new Python class, which is also set in its scope; throws what Python raises.
PyObject *make_class(class_record &record, class_description &description);
/// Sets a function in a class; a class with __eq__ and no __hash__ is not hashable.
void set_method(handle class_, const char *name, handle function);
void set_property(handle class_, const char *name, handle getter, handle setter, const std::string &doc,
                  bool is_static);
/// staticmethod(function), set in the class.
void set_static_method(handle class_, const char *name, handle function);

inline void annotate(class_record &, class_description &to, const char *doc) { to.doc = doc ? doc : ""; }
inline void annotate(class_record &, class_description &to, const doc &given) { to.doc = given.value; }
inline void annotate(class_record &, class_description &to, const buffer_protocol &) { to.has_buffer = true; }
inline void annotate(class_record &, class_description &to, const is_final &) { to.is_final = true; }
/// A base given as a Python class; a registered one has its value at the same address.
void add_base(class_record &record, class_description &description, handle base);
inline void annotate(class_record &record, class_description &to, const handle &base) { add_base(record, to, base); }
inline void annotate(class_record &, class_description &to, const metaclass &given) { to.metaclass = given.value; }
inline void annotate(class_record &record, class_description &, const release_gil_before_calling_cpp_dtor &) {
    record.releases_gil = true;
}
inline void annotate(class_record &record, class_description &, const dynamic_attr &) {
    record.dynamic_attributes = true;
}
inline void annotate(class_record &, class_description &, const module_local &) {}
inline void annotate(class_record &, class_description &, const multiple_inheritance &) {}
inline void annotate(class_record &, class_description &, const arithmetic &) {}

/// The doc among a property's annotations.
inline void find_doc(std::string &doc, const char *given) { doc = given ? given : ""; }
inline void find_doc(std::string &doc, const pybind11::doc &given) { doc = given.value; }
template <class E> void find_doc(std::string &, const E &) {}

template <class T, class = void> inline constexpr bool has_own_new = false;
template <class T>
inline constexpr bool has_own_new<T, std::void_t<decltype(static_cast<void *(*)(size_t)>(T::operator new)),
                                                 decltype(static_cast<void (*)(void *)>(T::operator delete))>> = true;
/// What T's own operator new and delete give, else the global ones.
template <class T, class = void> struct raw_memory {
    static void *allocate() { return ::operator new(sizeof(T), std::align_val_t(alignof(T))); }
    static void deallocate(void *memory) { ::operator delete(memory, std::align_val_t(alignof(T))); }
};
template <class T>
struct raw_memory<T, std::enable_if_t<alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__ && !has_own_new<T>>> {
    static void *allocate() { return ::operator new(sizeof(T)); }
    static void deallocate(void *memory) { ::operator delete(memory); }
};
template <class T> struct raw_memory<T, std::enable_if_t<has_own_new<T>>> {
    static void *allocate() { return T::operator new(sizeof(T)); }
    static void deallocate(void *memory) { T::operator delete(memory); }
};

}  // namespace detail

/// Binds class T. Options, in any order: its registered bases, a holder (std::unique_ptr by default), a trampoline.
template <class T, class... Options> class class_ : public object {
    template <class O> static constexpr bool is_base = std::is_base_of_v<O, T> && !std::is_same_v<O, T>;
    template <class O> static constexpr bool is_trampoline = std::is_base_of_v<T, O> && !std::is_same_v<O, T>;

    template <class Default, class...> struct find_holder {
        using type = Default;
    };
    template <class Default, class O, class... More> struct find_holder<Default, O, More...> {
        using type = typename std::conditional_t<is_base<O> || is_trampoline<O>, find_holder<Default, More...>,
                                                 find_holder<O>>::type;
    };
    template <class Default, class...> struct find_trampoline {
        using type = Default;
    };
    template <class Default, class O, class... More> struct find_trampoline<Default, O, More...> {
        using type = typename std::conditional_t<is_trampoline<O>, find_trampoline<O>,
                                                 find_trampoline<Default, More...>>::type;
    };

    template <class Base> static void add_base(detail::class_record &record, detail::class_description &description) {
        if constexpr (is_base<Base>) {
            const detail::class_record *base = detail::registered_class<Base>;
            if (!base) detail::fail_unregistered(typeid(Base));
            record.bases.push_back({base, [](void *value) -> void * {
                                        return static_cast<Base *>(static_cast<T *>(value));
                                    }});
            description.python_bases.push_back(detail::borrowed(reinterpret_cast<PyObject *>(base->python_type)));
        }
    }

    template <class F, class... Extra> cpp_function method(const char *name, F &&function, const Extra &...extra) {
        return cpp_function(detail::as_function<T>(std::forward<F>(function)), pybind11::name(name), is_method(*this),
                            extra...);
    }
    template <class F, class... Extra> object accessor_function(const F &function, const Extra &...extra) {
        if constexpr (std::is_base_of_v<handle, F> || std::is_null_pointer_v<F>)
            return cpp_function(function);
        else
            return cpp_function(detail::as_function<T>(function), extra...);
    }
    template <class... Extra>
    class_ &property(const char *name, const object &getter, const object &setter, bool is_static,
                     const Extra &...extra) {
        std::string doc;
        (detail::find_doc(doc, extra), ...);
        detail::set_property(*this, name, getter, setter, doc, is_static);
        return *this;
    }

  public:
    using type = T;
    using holder_type = typename find_holder<std::unique_ptr<T>, Options...>::type;
    using type_alias = typename find_trampoline<void, Options...>::type;
    static constexpr bool has_alias = !std::is_void_v<type_alias>;

    PYBIND11_OBJECT_COMMON(class_, object, PyType_Check)

    template <class... Extra> class_(handle scope, const char *name, const Extra &...extra) {
        auto record = std::make_unique<detail::class_record>();
        detail::class_description description;
        description.scope = scope;
        description.name = name;
        record->cpp_type = &typeid(T);
        using operations = detail::holder_operations<T, holder_type>;
        record->take_ownership = operations::take_ownership;
        record->allocate = detail::raw_memory<T>::allocate;
        record->deallocate = detail::raw_memory<T>::deallocate;
        record->join_owners = operations::join_owners;
        record->holder = operations::kind;
        (add_base<Options>(*record, description), ...);
        (detail::annotate(*record, description, extra), ...);
        m_ptr = detail::make_class(*record, description);
        detail::registered_class<T> = record.release();  // never deleted: instances refer to it
    }

    template <class F, class... Extra> class_ &def(const char *name, F &&function, const Extra &...extra) {
        object before = getattr(*this, name, none());
        detail::set_method(*this, name, method(name, std::forward<F>(function), sibling(before), extra...));
        return *this;
    }
    template <class F, class... Extra> class_ &def_static(const char *name, F &&function, const Extra &...extra) {
        object before = getattr(*this, name, none());
        cpp_function made(std::forward<F>(function), pybind11::name(name), scope(*this), sibling(before), extra...);
        detail::set_static_method(*this, name, made);
        return *this;
    }
    template <class Operator, class... Extra, std::enable_if_t<Operator::is_operator_of_self, int> = 0>
    class_ &def(const Operator &, const Extra &...extra) {
        Operator::template define<T>(*this, extra...);
        return *this;
    }
    template <class... A, class... Extra> class_ &def(const detail::constructor<A...> &, const Extra &...extra) {
        return def("__init__", detail::constructor<A...>::template make<class_>(), extra...);
    }
    template <class... A, class... Extra> class_ &def(const detail::alias_constructor<A...> &, const Extra &...extra) {
        return def("__init__", detail::alias_constructor<A...>::template make<class_>(), extra...);
    }
    template <class F, class... Extra> class_ &def(detail::factory<F> &&made_by, const Extra &...extra) {
        return def("__init__", std::move(made_by).template make<class_>(), extra...);
    }
    template <class F, class A, class... Extra>
    class_ &def(detail::pair_factory<F, A> &&made_by, const Extra &...extra) {
        return def("__init__", std::move(made_by).template make<class_>(), extra...);
    }
    template <class G, class S, class... Extra> class_ &def(detail::pickle_factory<G, S> &&by, const Extra &...extra) {
        def("__getstate__", std::move(by.get), pos_only());
        return def("__setstate__", detail::factory<S>{std::move(by.set)}.template make<class_>(), extra...);
    }

    template <class C, class D, class... Extra>
    class_ &def_readwrite(const char *name, D C::*member, const Extra &...extra) {
        static_assert(std::is_same_v<C, T> || std::is_base_of_v<C, T>, "def_readwrite: a member of another class");
        return def_property(
            name, [member](const T &self) -> const D & { return self.*member; },
            [member](T &self, const D &value) { self.*member = value; }, extra...);
    }
    template <class C, class D, class... Extra>
    class_ &def_readonly(const char *name, const D C::*member, const Extra &...extra) {
        static_assert(std::is_same_v<C, T> || std::is_base_of_v<C, T>, "def_readonly: a member of another class");
        return def_property_readonly(name, [member](const T &self) -> const D & { return self.*member; }, extra...);
    }
    template <class D, class... Extra>
    class_ &def_readwrite_static(const char *name, D *member, const Extra &...extra) {
        return def_property_static(
            name, [member](const object &) -> const D & { return *member; },
            [member](const object &, const D &value) { *member = value; }, extra...);
    }
    template <class D, class... Extra>
    class_ &def_readonly_static(const char *name, const D *member, const Extra &...extra) {
        return def_property_readonly_static(name, [member](const object &) -> const D & { return *member; }, extra...);
    }
    template <class G, class... Extra>
    class_ &def_property_readonly(const char *name, const G &getter, const Extra &...extra) {
        return def_property(name, getter, nullptr, extra...);
    }
    template <class G, class S, class... Extra>
    class_ &def_property(const char *name, const G &getter, const S &setter, const Extra &...extra) {
        object get = accessor_function(getter, is_method(*this), return_value_policy::reference_internal, extra...);
        object set = accessor_function(setter, is_method(*this), is_setter(), extra...);
        return property(name, get, set, false, extra...);
    }
    template <class G, class... Extra>
    class_ &def_property_readonly_static(const char *name, const G &getter, const Extra &...extra) {
        return def_property_static(name, getter, nullptr, extra...);
    }
    template <class G, class S, class... Extra>
    class_ &def_property_static(const char *name, const G &getter, const S &setter, const Extra &...extra) {
        object get = accessor_function(getter, scope(*this), return_value_policy::reference, extra...);
        object set = accessor_function(setter, scope(*this), is_setter(), extra...);
        return property(name, get, set, true, extra...);
    }

    /// The function gets a T & and returns a buffer_info. The class needs buffer_protocol(). Include array.h.
    template <class F> class_ &def_buffer(F &&function) {
        using Function = std::decay_t<F>;
        using Result = std::invoke_result_t<Function, T &>;
        detail::class_record *record = detail::registered_class<T>;
        record->get_buffer_data = new Function(std::forward<F>(function));  // lives as long as the class
        record->get_buffer = [](PyObject *self, void *data) -> void * {
            detail::class_argument<T> loaded;
            if (!loaded.load(self, false)) return nullptr;
            return new Result(std::invoke(*static_cast<Function *>(data), loaded.template get<T &>()));
        };
        return *this;
    }
};

template <class T, class... Options> using classh = class_<T, smart_holder, Options...>;

/// Allows a From wherever a parameter has the registered class To, by calling To's constructor.
template <class From, class To> void implicitly_convertible() {
    detail::class_record *record = detail::registered_class<To>;
    if (!record) detail::fail_unregistered(typeid(To));
    record->implicit_conversions.push_back([](PyObject *value, PyTypeObject *target) -> PyObject * {
        static bool is_active = false;  // the constructor's own arguments are not converted by it
        if (is_active || !detail::argument<From>().load(value, false)) return nullptr;
        is_active = true;
        PyObject *made = PyObject_CallFunctionObjArgs(reinterpret_cast<PyObject *>(target), value, nullptr);
        is_active = false;
        if (!made) PyErr_Clear();
        return made;
    });
}

}  // namespace pybind11
