// portable/python/function.h: C++ functions as Python functions: records, argument loading and overloads.
#pragma once
#include "portable/python/annotations.h"

namespace pybind11 {
namespace detail {

/// What `run` returns when the arguments do not fit; no Python error is set then.
inline PyObject *const try_next_overload = reinterpret_cast<PyObject *>(1);

/// A parameter as declared by arg().
struct argument_record {
    object name;         ///< a str, or null
    object value;        ///< the default, or null
    std::string shown;   ///< the default in signatures
    bool convert = true;
    bool none = true;
};

/// One overload. `run` and the fields before `next` are all that a call without keywords reads.
struct function_record {
    /// Loads the arguments, calls, returns a new reference, null with an error, or try_next_overload. Bit i of
    /// `convert` allows implicit conversions of argument i.
    PyObject *(*run)(const function_record &self, PyObject *const *arguments, std::uint64_t convert) = nullptr;
    /// What `run` calls, for constructors that make a value in place.
    PyObject *(*run_inside)(const function_record &self, PyObject *const *arguments, std::uint64_t convert) = nullptr;
    void *data[2] = {};               ///< the callable, or a pointer to it
    std::uint64_t convert = ~0ull;
    std::uint16_t count = 0;          ///< all parameters
    std::uint16_t positional = 0;     ///< how many can be given by position
    std::uint16_t positional_only = 0;
    bool takes_array = true;          ///< arguments by position go to `run` as they are
    bool has_args = false;
    bool has_kwargs = false;
    bool is_method = false;
    bool is_operator = false;
    bool is_constructor = false;
    bool goes_first = false;
    bool fills_instance = false;      ///< the first parameter is an instance without a value, as init() has it
    return_value_policy policy = return_value_policy::automatic;
    function_record *next = nullptr;

    /// Where `data` is a plain pointer to a function, its type.
    const std::type_info *plain_type = nullptr;

    std::string name, doc, signature;
    std::vector<argument_record> arguments;
    handle scope, sibling;
    void (*free_data)(function_record &) = nullptr;

    function_record() = default;
    function_record(const function_record &) = delete;
    function_record &operator=(const function_record &) = delete;
    ~function_record() {
        if (free_data) free_data(*this);
    }
};

void add_argument_record(function_record &record, const arg &declared);
void add_argument_record(function_record &record, const arg_v &declared);
void start_kw_only(function_record &record);
void end_pos_only(function_record &record);
/// Completes the record, makes the Python function or adds an overload to the sibling. Takes the record over.
PyObject *finish_function(function_record *record, const text_part *signature, size_t parts);
/// The text of a type in signatures.
std::string signature_text(const text_part *parts, size_t count, bool is_argument);
/// The record of a function that finish_function made; null for other objects.
function_record *record_of(PyObject *function);
/// Calls with a tuple and a dictionary or null; `self`, where it is not null, comes first.
PyObject *call_records(const function_record *records, PyObject *self, PyObject *arguments, PyObject *named);
/// What options says.
bool shows_enum_members();
bool shows_user_texts();
/// Applies keep_alive<nurse, patient>; `result` is null before the call.
void apply_keep_alive(size_t nurse, size_t patient, PyObject *const *arguments, size_t count, PyObject *result);

inline void annotate(function_record &record, const name &given) { record.name = given.value; }
inline void annotate(function_record &record, const doc &given) { record.doc = given.value ? given.value : ""; }
inline void annotate(function_record &record, const char *given) { record.doc = given ? given : ""; }
inline void annotate(function_record &record, const std::string &given) { record.doc = given; }
inline void annotate(function_record &record, const arg &given) { add_argument_record(record, given); }
inline void annotate(function_record &record, const arg_v &given) { add_argument_record(record, given); }
inline void annotate(function_record &record, const kw_only &) { start_kw_only(record); }
inline void annotate(function_record &record, const pos_only &) { end_pos_only(record); }
inline void annotate(function_record &record, const scope &given) { record.scope = given.value; }
inline void annotate(function_record &record, const sibling &given) { record.sibling = given.value; }
inline void annotate(function_record &record, const prepend &) { record.goes_first = true; }
inline void annotate(function_record &record, const is_operator &) { record.is_operator = true; }
inline void annotate(function_record &record, const return_value_policy &given) { record.policy = given; }
inline void annotate(function_record &record, const is_method &given) {
    record.is_method = true;
    record.scope = given.class_;
}
template <size_t N, size_t P> void annotate(function_record &, const keep_alive<N, P> &) {}
template <class... T> void annotate(function_record &, const call_guard<T...> &) {}
inline void annotate(function_record &, const is_setter &) {}

/// The call_guard among annotations.
template <class... E> struct find_guard {
    using type = call_guard<>::type;
};
template <class... T, class... E> struct find_guard<call_guard<T...>, E...> {
    using type = typename call_guard<T...>::type;
};
template <class First, class... E> struct find_guard<First, E...> : find_guard<E...> {};

template <class E> struct keep_alive_of {
    static void apply(PyObject *const *, size_t, PyObject *) {}
};
template <size_t N, size_t P> struct keep_alive_of<keep_alive<N, P>> {
    static void apply(PyObject *const *arguments, size_t count, PyObject *result) {
        if ((result != nullptr) == (N == 0 || P == 0)) apply_keep_alive(N, P, arguments, count, result);
    }
};
template <class E> struct is_keep_alive : std::false_type {};
template <size_t N, size_t P> struct is_keep_alive<keep_alive<N, P>> : std::true_type {};

/// The type of a callable as R(A...).
template <class F> struct function_type : function_type<decltype(&F::operator())> {};
template <class R, class... A> struct function_type<R(A...)> {
    using type = R(A...);
};
template <class R, class... A> struct function_type<R(A...) noexcept> : function_type<R(A...)> {};
template <class R, class... A> struct function_type<R (*)(A...)> : function_type<R(A...)> {};
template <class R, class... A> struct function_type<R (*)(A...) noexcept> : function_type<R(A...)> {};
#define TORCHTHAW_MEMBER_FUNCTION_TYPE(constness, reference, exception)                                                \
    template <class C, class R, class... A>                                                                            \
    struct function_type<R (C::*)(A...) constness reference exception> : function_type<R(A...)> {};
TORCHTHAW_FOR_QUALIFIERS(TORCHTHAW_MEMBER_FUNCTION_TYPE)
#undef TORCHTHAW_MEMBER_FUNCTION_TYPE

/// Code for one signature and callable: F is called with the loaded arguments, Extra are the annotations.
template <class F, class Signature, class... Extra> struct invoker;
template <class F, class R, class... A, class... Extra> struct invoker<F, R(A...), Extra...> {
    static constexpr size_t count = sizeof...(A);
    static constexpr bool is_small = sizeof(F) <= sizeof(function_record::data) && alignof(F) <= alignof(void *);
    static constexpr bool drops_result = std::is_void_v<R> || (std::is_same_v<Extra, is_setter> || ...);
    static_assert(count <= 64, "functions of more than 64 parameters are not supported");

    static F &callable(const function_record &record) {
        void *place = is_small ? const_cast<void **>(record.data) : record.data[0];
        return *static_cast<F *>(place);
    }

    template <class... L> static R call(F &function, L &...loaded) {
        [[maybe_unused]] typename find_guard<Extra...>::type guard{};
        return function(loaded.template get<A>()...);
    }

    template <size_t... I>
    static PyObject *run_each(const function_record &record, [[maybe_unused]] PyObject *const *arguments,
                              [[maybe_unused]] std::uint64_t convert, std::index_sequence<I...>) {
        [[maybe_unused]] std::tuple<argument<A>...> loaded;
        if (!(std::get<I>(loaded).load(arguments[I], (convert >> I & 1) != 0) && ...)) return try_next_overload;
        (keep_alive_of<Extra>::apply(arguments, count, nullptr), ...);
        PyObject *result;
        if constexpr (drops_result) {
            call(callable(record), std::get<I>(loaded)...);
            result = Py_None;
            Py_INCREF(result);
        } else {
            result = to_python(call(callable(record), std::get<I>(loaded)...), result_policy<R>(record.policy),
                               count > 0 ? handle(*arguments) : handle());
        }
        if constexpr ((is_keep_alive<Extra>::value || ...)) {
            if (result) (keep_alive_of<Extra>::apply(arguments, count, result), ...);
        }
        return result;
    }
    static PyObject *run(const function_record &record, PyObject *const *arguments, std::uint64_t convert) {
        return run_each(record, arguments, convert, std::index_sequence_for<A...>());
    }

    static constexpr descr<1> separator() { return {{{nullptr, nullptr, nullptr}}}; }
    template <size_t... N> static constexpr auto join(const descr<N> &...parts) {
        return (descr<0>{} + ... + (parts + separator()));
    }
    static constexpr auto signature = join(name_of<A>()...) + name_of<R>();
};

template <class T> constexpr bool is_args_parameter = is_same_or_base_of<args, bare_t<T>>::value;
template <class T> constexpr bool is_kwargs_parameter = is_same_or_base_of<kwargs, bare_t<T>>::value;

/// Tells the record of *args and **kwargs.
template <class R, class... A> void count_parameters(function_record &record, R (*)(A...)) {
    constexpr size_t count = sizeof...(A);
    [[maybe_unused]] size_t i = 0;
    record.count = record.positional = static_cast<std::uint16_t>(count);
    record.has_kwargs = (is_kwargs_parameter<A> || ...);
    if (record.has_kwargs) --record.positional;
    ((is_args_parameter<A> ? (record.has_args = true, record.positional = static_cast<std::uint16_t>(i++)) : i++), ...);
    record.takes_array = !record.has_args && !record.has_kwargs;
}

template <class T> struct unfilled;
template <class T> inline constexpr bool is_unfilled = false;
template <class T> inline constexpr bool is_unfilled<unfilled<T>> = true;
template <class R> constexpr bool fills_instance(R (*)()) { return false; }
template <class R, class First, class... A> constexpr bool fills_instance(R (*)(First, A...)) {
    return is_unfilled<First>;
}
/// Runs a constructor of before pybind11 2.2, which makes the value in the memory that it gets.
PyObject *run_old_constructor(const function_record &record, PyObject *const *arguments, std::uint64_t convert);

/// A new reference to a Python function; throws for bad annotations.
template <class F, class... Extra> PyObject *make_function_object(F &&function, const Extra &...extra) {
    using Callable = std::decay_t<F>;
    using Signature = typename function_type<Callable>::type;
    using Code = invoker<Callable, Signature, Extra...>;
    auto record = std::make_unique<function_record>();
    record->run = Code::run;
    record->fills_instance = fills_instance(static_cast<std::add_pointer_t<Signature>>(nullptr));
    if constexpr (std::is_pointer_v<Callable>) record->plain_type = &typeid(Callable);
    if constexpr (Code::is_small) {
        new (static_cast<void *>(record->data)) Callable(std::forward<F>(function));
        if constexpr (!std::is_trivially_destructible_v<Callable>)
            record->free_data = [](function_record &of) { Code::callable(of).~Callable(); };
    } else {
        record->data[0] = new Callable(std::forward<F>(function));
        record->free_data = [](function_record &of) { delete &Code::callable(of); };
    }
    count_parameters(*record, static_cast<std::add_pointer_t<Signature>>(nullptr));
    (annotate(*record, extra), ...);
    return finish_function(record.release(), Code::signature.parts, std::size(Code::signature.parts));
}

template <class F> PyObject *make_function(F &&function, return_value_policy policy) {
    return make_function_object(std::forward<F>(function), policy);
}

/// A member function as a function whose first parameter is the object.
template <class T, class F> auto as_function(F &&function) {
    return std::forward<F>(function);
}
#define TORCHTHAW_MEMBER_AS_FUNCTION(constness, reference, exception)                                                  \
    template <class T, class R, class C, class... A>                                                                   \
    auto as_function(R (C::*member)(A...) constness reference exception) {                                             \
        using Self = std::conditional_t<std::is_void_v<T>, C, T>;                                                      \
        return [member](constness Self &self, A... arguments) -> R {                                                   \
            using Object = constness Self reference;                                                                   \
            return (static_cast<Object &&>(self).*member)(std::forward<A>(arguments)...);                              \
        };                                                                                                             \
    }
TORCHTHAW_FOR_QUALIFIERS(TORCHTHAW_MEMBER_AS_FUNCTION)
#undef TORCHTHAW_MEMBER_AS_FUNCTION

}  // namespace detail

/// A Python function that calls a C++ function, lambda or member function.
class cpp_function : public function {
  public:
    cpp_function() = default;
    cpp_function(std::nullptr_t) {}
    template <class F, class... Extra,
              std::enable_if_t<!std::is_base_of_v<handle, std::decay_t<F>> && !std::is_null_pointer_v<std::decay_t<F>>,
                  int> = 0>
    cpp_function(F &&callable, const Extra &...extra)
        : function(detail::make_function_object(detail::as_function<void>(std::forward<F>(callable)), extra...),
                   stolen_t{}) {}
    cpp_function(const object &value) : function(value) {}
    /// The function's name.
    object name() const { return attr("__name__"); }
};

}  // namespace pybind11
