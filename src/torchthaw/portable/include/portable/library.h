// portable/library.h: TORCH_LIBRARY and its kin: operators of torch.ops whose kernels are C++ functions.
//
// They are registered by Python's torch.library, which every PyTorch has; kernels that boxed.h can call, by PyTorch's C
// functions where it has them. A library lives as long as the process.
#pragma once
#include "portable/aten.h"
#include "portable/boxed.h"
#include "portable/python/tensors.h"
#include "portable/python/ivalues.h"

namespace c10 {

enum class DispatchKey {
    Undefined, CPU, CUDA, Meta, XPU, MPS, SparseCPU, SparseCUDA, QuantizedCPU, QuantizedCUDA, MkldnnCPU, PrivateUse1,
    BackendSelect, ADInplaceOrView, Autograd, AutogradCPU, AutogradCUDA, AutogradXPU, AutogradMPS, AutogradPrivateUse1,
    AutocastCPU, AutocastCUDA, Autocast, CompositeImplicitAutograd, CompositeExplicitAutograd, CatchAll
};  // in no order that PyTorch has: only the names count
const char *toString(DispatchKey key);
inline DispatchKey dispatchTypeForDevice(DeviceType type) {
    return type == DeviceType::CUDA ? DispatchKey::CUDA : type == DeviceType::Meta ? DispatchKey::Meta : DispatchKey::CPU;
}

enum class AliasAnalysisKind { CONSERVATIVE, FROM_SCHEMA, PURE_FUNCTION, INTERNAL_SPECIAL_CASE };

}  // namespace c10

namespace at {
/// What an operator is marked as; a PyTorch that does not know one leaves it out.
#define TORCHTHAW_TAGS(_)                                                                                              \
    _(core) _(cudagraph_unsafe) _(data_dependent_output) _(dynamic_output_shape) _(flexible_layout) _(generated)       \
    _(inplace) _(inplace_view) _(maybe_aliasing_or_mutating) _(needs_contiguous_strides) _(needs_exact_strides)        \
    _(needs_fixed_stride_order) _(nondeterministic_bitwise) _(nondeterministic_seeded) _(out) _(out_variant)           \
    _(pointwise) _(pt2_compliant_tag) _(reduction) _(view_copy)
#define TORCHTHAW_TAG(name) name,
enum class Tag { TORCHTHAW_TAGS(TORCHTHAW_TAG) };
#undef TORCHTHAW_TAG
}  // namespace at

namespace torchthaw {

/// A kernel: calls a C++ function with objects of Python, one for each argument of the schema. A new reference, or null
/// with a Python error set. Where cells are given, with those, see boxed.h; then null.
using Kernel = std::function<PyObject *(PyObject *const *arguments, uint64_t *cells)>;

/// Thrown by a kernel: an argument has another type than it takes.
struct Misfit {
    size_t argument;
    std::string expected;  // as schemas name it
};

// The types of a schema by those of C++. A type that has none is an error of the compiler.
template <class T, class = void> struct SchemaType;
#define TORCHTHAW_SCHEMA_TYPE(type, text)                                                                              \
    template <> struct SchemaType<type> {                                                                              \
        static std::string name() { return text; }                                                                     \
    };
TORCHTHAW_SCHEMA_TYPE(at::Tensor, "Tensor")
TORCHTHAW_SCHEMA_TYPE(int64_t, "int")
TORCHTHAW_SCHEMA_TYPE(double, "float")
TORCHTHAW_SCHEMA_TYPE(bool, "bool")
TORCHTHAW_SCHEMA_TYPE(std::string, "str")
TORCHTHAW_SCHEMA_TYPE(std::string_view, "str")
TORCHTHAW_SCHEMA_TYPE(at::Scalar, "Scalar")
TORCHTHAW_SCHEMA_TYPE(at::ScalarType, "ScalarType")
TORCHTHAW_SCHEMA_TYPE(at::Device, "Device")
TORCHTHAW_SCHEMA_TYPE(at::Layout, "Layout")
TORCHTHAW_SCHEMA_TYPE(at::MemoryFormat, "MemoryFormat")
TORCHTHAW_SCHEMA_TYPE(at::Generator, "Generator")
TORCHTHAW_SCHEMA_TYPE(c10::IValue, "Any")
#undef TORCHTHAW_SCHEMA_TYPE
template <class T> struct SchemaType<std::optional<T>> {
    static std::string name() { return SchemaType<T>::name() + "?"; }
};
template <class T> struct SchemaType<std::vector<T>> {
    static std::string name() { return SchemaType<T>::name() + "[]"; }
};
template <class K, class V> struct SchemaType<c10::Dict<K, V>> {
    static std::string name() { return "Dict(" + SchemaType<K>::name() + ", " + SchemaType<V>::name() + ")"; }
};
template <class... T> struct SchemaType<std::tuple<T...>> {
    static std::string name() {
        std::string joined;
        ((joined += (joined.empty() ? "" : ", ") + SchemaType<T>::name()), ...);
        return "(" + joined + ")";
    }
};
template <class T, size_t N> struct SchemaType<std::array<T, N>> : SchemaType<std::vector<T>> {};
template <class K, class V> struct SchemaType<std::unordered_map<K, V>> : SchemaType<c10::Dict<K, V>> {};
/// The name of a class of torch::class_ in schemas, once it is registered.
template <class T> inline const char *custom_class_name = "__torch__.torch.classes";
template <class T> struct SchemaType<c10::intrusive_ptr<T>> {
    static std::string name() { return custom_class_name<T>; }
};
template <class T> struct SchemaType<c10::ArrayRef<T>> : SchemaType<std::vector<T>> {};
template <class T> struct SchemaType<c10::List<T>> : SchemaType<std::vector<T>> {};

// What follows the arrow: PyTorch gives each result the name _NUMBER.
template <class R> struct SchemaResult {
    static std::string name() { return SchemaType<std::decay_t<R>>::name() + " _0"; }
};
template <> struct SchemaResult<void> {
    static std::string name() { return "()"; }
};
template <class... R> struct SchemaResult<std::tuple<R...>> {
    static std::string name() {
        std::string joined;
        size_t number = 0;
        ((joined += (number ? ", " : "") + SchemaType<R>::name() + " _" + std::to_string(number), ++number), ...);
        return "(" + joined + ")";
    }
};

template <class T> struct WithoutOptional { using type = T; };
template <class T> struct WithoutOptional<std::optional<T>> { using type = T; };

/// How a function of this signature is called with objects of Python, and what its schema is.
template <class F> struct Signature : Signature<decltype(&F::operator())> {};
template <class R, class... A> struct Signature<R (*)(A...)> {
    static constexpr size_t arity = sizeof...(A);
    static std::string schema() {
        std::string arguments;
        size_t number = 0;
        ((arguments += (number ? ", " : "") + SchemaType<std::decay_t<A>>::name() + " _" + std::to_string(number), ++number), ...);
        return "(" + arguments + ") -> " + SchemaResult<R>::name();
    }
    /// As boxed.h describes the types; empty where one is not among them.
    static std::string boxed() { return BoxedSignature<R, A...>::text(); }
    template <class F> static Kernel kernel(F function) {
        return [function](PyObject *const *given, uint64_t *cells) -> PyObject * {
            if (cells == nullptr) return call(function, given, std::index_sequence_for<A...>());
            BoxedSignature<R, A...>::call(function, cells);
            return nullptr;
        };
    }

  private:
    /// Loads an argument. The dispatcher gives element types, layouts and memory formats as numbers.
    template <class P, class L>
    static bool load(L &loaded, PyObject *given) {
        using T = typename WithoutOptional<std::decay_t<P>>::type;
        if constexpr (std::is_same_v<T, at::ScalarType> || std::is_same_v<T, at::Layout> || std::is_same_v<T, at::MemoryFormat>) {
            if (PyLong_Check(given)) given = of_number(given, T());
            if (given == nullptr) return false;
        }
        return loaded.load(given, true);
    }
    static Misfit misfit(size_t i) {
        const std::string types[] = {"", SchemaType<std::decay_t<A>>::name()...};
        return {i, types[i + 1]};
    }
    template <class F, size_t... I>
    static PyObject *call(const F &function, [[maybe_unused]] PyObject *const *given, std::index_sequence<I...>) {
        std::tuple<pybind11::detail::argument<A>...> loaded;
        const bool fits[] = {true, load<A>(std::get<I>(loaded), given[I])...};
        for (size_t i = 1; i < std::size(fits); ++i)
            if (!fits[i]) throw misfit(i - 1);
        // Kernels run without the GIL, as those of PyTorch's own build do.
        const auto run = [&]() -> R {
            pybind11::gil_scoped_release released;
            return function(std::get<I>(loaded).template get<A>()...);
        };
        if constexpr (std::is_void_v<R>) {
            run();
            Py_RETURN_NONE;
        } else {
            return pybind11::detail::to_python(run(), pybind11::return_value_policy::move);
        }
    }
};
template <class R, class... A> struct Signature<R (*)(A...) noexcept> : Signature<R (*)(A...)> {};
template <class R, class... A> struct Signature<R(A...)> : Signature<R (*)(A...)> {};
template <class C, class R, class... A> struct Signature<R (C::*)(A...)> : Signature<R (*)(A...)> {};
template <class C, class R, class... A> struct Signature<R (C::*)(A...) const> : Signature<R (*)(A...)> {};

}  // namespace torchthaw

namespace torch {

/// A kernel, of a function, a function pointer or a lambda; dispatch() says for which key.
struct CppFunction {
    torchthaw::Kernel kernel;
    std::string schema, boxed, key;
    size_t arity = 0;  // parameters
    bool is_fallthrough = false;
    CppFunction() = default;
    /// For impl(): the operator goes on to the next key.
    static CppFunction makeFallthrough() {
        CppFunction made;
        made.is_fallthrough = true;
        return made;
    }
    template <class F, std::enable_if_t<!std::is_same_v<std::decay_t<F>, CppFunction>, int> = 0>
    CppFunction(F &&function)
        : kernel(torchthaw::Signature<std::decay_t<F>>::kernel(std::decay_t<F>(std::forward<F>(function)))),
          schema(torchthaw::Signature<std::decay_t<F>>::schema()), boxed(torchthaw::Signature<std::decay_t<F>>::boxed()), arity(torchthaw::Signature<std::decay_t<F>>::arity) {}
};
template <class F> CppFunction dispatch(c10::DispatchKey key, F &&function) {
    CppFunction made(std::forward<F>(function));
    made.key = c10::toString(key);
    return made;
}
template <class F> CppFunction dispatch(c10::DeviceType type, F &&function) {
    return dispatch(c10::dispatchTypeForDevice(type), std::forward<F>(function));
}

#define TORCH_FN(function) function
#define TORCH_SELECTIVE_NAME(name) name
#define TORCH_SELECTIVE_SCHEMA(text) text

inline const char *schema(const char *text, c10::AliasAnalysisKind = c10::AliasAnalysisKind::FROM_SCHEMA) { return text; }

template <class T> class class_;

/// The m of TORCH_LIBRARY(ns, m).
class Library {
  public:
    enum Kind { DEF, FRAGMENT, IMPL };
    Library(Kind kind, std::string ns, std::string key);
    Library(const Library &) = delete;
    Library &operator=(const Library &) = delete;

    /// "name(Tensor x, int n=1) -> Tensor"
    Library &def(const std::string &schema, const std::vector<at::Tag> &tags = {});
    /// The same, or a name alone, whose schema is the function's; with a kernel for every key, or for dispatch()'s.
    template <class F> Library &def(const std::string &schema, F &&function) {
        return define(schema, CppFunction(std::forward<F>(function)));
    }
    template <class F> Library &def(const std::string &schema, F &&function, const std::vector<at::Tag> &tags) {
        return define(schema, CppFunction(std::forward<F>(function)), tags);
    }
    template <class F> Library &impl(const std::string &name, F &&function) {
        return implement(name, CppFunction(std::forward<F>(function)));
    }
    template <class F> Library &impl(const std::string &name, c10::DispatchKey key, F &&function) {
        return impl(name, dispatch(key, std::forward<F>(function)));
    }
    /// torch.classes.NAMESPACE.NAME; include torch/custom_class.h.
    template <class T> torch::class_<T> class_(const std::string &name);
    Library &set_python_module(const char *, const char * = "") { return *this; }
    Library &impl_abstract_pystub(const char *, const char * = "") { return *this; }

  private:
    Library &define(const std::string &schema, CppFunction function, const std::vector<at::Tag> &tags = {});
    Library &implement(const std::string &name, CppFunction function);

    Kind kind_;
    std::string ns_, key_;
    PyObject *library_;
};

/// RegisterOperators().op("ns::name(Tensor x) -> Tensor", &function), of other years.
class RegisterOperators {
  public:
    RegisterOperators() = default;
    template <class F> RegisterOperators(const std::string &schema, F &&function) { op(schema, std::forward<F>(function)); }
    template <class F> RegisterOperators &op(const std::string &schema, F &&function) {
        return add(schema, CppFunction(std::forward<F>(function)));
    }

  private:
    RegisterOperators &add(const std::string &schema, CppFunction function);
};
namespace jit {
using torch::RegisterOperators;
}

}  // namespace torch

namespace c10 {
using torch::RegisterOperators;
}

namespace torchthaw {

/// Registers, with the GIL, while the binary is loaded. An error ends the import: start() raises it.
void at_load(const std::function<void()> &run);

/// at_load() as a static object.
class AtLoad {
  public:
    AtLoad(torch::Library::Kind kind, const char *ns, const char *key, void (*fill)(torch::Library &));
};

}  // namespace torchthaw

#define TORCHTHAW_LIBRARY(kind, ns, key, m, number)                                                                    \
    static void C10_CONCATENATE(torchthaw_library_##ns##_, number)(torch::Library &);                                  \
    static const torchthaw::AtLoad C10_CONCATENATE(torchthaw_at_load_##ns##_, number)(                                 \
        torch::Library::kind, #ns, key, &C10_CONCATENATE(torchthaw_library_##ns##_, number));                          \
    void C10_CONCATENATE(torchthaw_library_##ns##_, number)([[maybe_unused]] torch::Library &m)
#define TORCH_LIBRARY(ns, m) TORCHTHAW_LIBRARY(DEF, ns, "", m, C10_UID)
#define TORCH_LIBRARY_FRAGMENT(ns, m) TORCHTHAW_LIBRARY(FRAGMENT, ns, "", m, C10_UID)
#define TORCH_LIBRARY_IMPL(ns, k, m) TORCHTHAW_LIBRARY(IMPL, ns, #k, m, C10_UID)

#include "portable/custom_class.h"
