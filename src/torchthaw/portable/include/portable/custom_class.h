// portable/custom_class.h: torch::class_: C++ classes of torch.classes, whose objects operators take and return.
//
// PyTorch's own registry of classes takes C++ objects whose layout no version promises. Here a class is one of Python, set as
// torch.classes.NAMESPACE.NAME; an operator with such a type in its schema is a function, set as torch.ops.NAMESPACE.NAME.
// TorchScript knows neither.
#pragma once
#include "portable/library.h"
#include "portable/python/pybind11.h"

namespace torch {

/// The name of a parameter: torch::arg("x"), with a default: torch::arg("x") = 3.
class arg {
  public:
    explicit arg(std::string name) : name_(std::move(name)) {}
    static arg none() { return arg("") = c10::IValue(); }
    arg &operator=(const c10::IValue &value) {
        value_ = value;
        return *this;
    }
    std::string name_;
    std::optional<c10::IValue> value_;
};

}  // namespace torch

namespace torchthaw {

/// The parameters of a method, after self.
struct Parameters {
    std::vector<torch::arg> list;
};

/// torch.classes.NAMESPACE, where a class is set; c10::Error if it has the class.
pybind11::object classes_of(const std::string &ns, const std::string &name);
/// Sets the class in the module torch.classes.NAMESPACE of sys.modules, by which pickle finds it.
void list_class(const std::string &ns, const std::string &name, pybind11::handle listed);

/// What init() gives: types of a constructor, or a function.
template <class... A> struct Constructor {};
template <class F> struct Maker {
    F function;
};

template <class T> c10::intrusive_ptr<torch::CustomClassHolder> as_holder(void *value) {
    return c10::intrusive_ptr<torch::CustomClassHolder>(static_cast<torch::CustomClassHolder *>(static_cast<T *>(value)));
}

}  // namespace torchthaw

namespace pybind11 {
namespace detail {
inline void annotate(function_record &record, const torchthaw::Parameters &given) {
    for (const torch::arg &each : given.list) {
        if (each.value_) add_argument_record(record, arg_v(each.name_.c_str(), *each.value_));
        else add_argument_record(record, pybind11::arg(each.name_.c_str()));
    }
}
}  // namespace detail
}  // namespace pybind11

namespace torch {

template <class... A> torchthaw::Constructor<A...> init() { return {}; }
/// function(arguments…) returns a new intrusive_ptr.
template <class F> torchthaw::Maker<std::decay_t<F>> init(F &&function) { return {std::forward<F>(function)}; }

/// A class that torch.classes.NAMESPACE.NAME makes objects of. T is derived from torch::CustomClassHolder. What goes wrong is
/// an error of the import.
template <class T> class class_ {
    static_assert(std::is_base_of_v<CustomClassHolder, T>, "torch::class_<T>: T must be derived from torch::CustomClassHolder");
    using Pointer = c10::intrusive_ptr<T>;
    using Bound = pybind11::class_<T, Pointer>;
    using Parameters = std::initializer_list<arg>;

  public:
    class_(const std::string &ns, const std::string &name, const std::string &doc = "") : name_(name) {
        torchthaw::at_load([&] {
            bound_ = new Bound(torchthaw::classes_of(ns, name), name_.c_str(), doc.c_str());
            const auto *record = pybind11::detail::registered_class<T>;
            torchthaw::custom_classes()[record] = torchthaw::as_holder<T>;
            torchthaw::custom_class_name<T> = kept("__torch__.torch.classes." + ns + "." + name);
            torchthaw::list_class(ns, name, *bound_);
        });
    }

    template <class... A> class_ &def(torchthaw::Constructor<A...>, const std::string &doc = "", Parameters names = {}) {
        return add([&] { bound_->def(pybind11::init<A...>(), doc, torchthaw::Parameters{names}); });
    }
    template <class F> class_ &def(torchthaw::Maker<F> maker, const std::string &doc = "", Parameters names = {}) {
        return add([&] { bound_->def(pybind11::init(std::move(maker.function)), doc, torchthaw::Parameters{names}); });
    }
    /// A member function, or a function whose first parameter is the object, by intrusive_ptr.
    template <class F> class_ &def(const std::string &name, F function, const std::string &doc = "", Parameters names = {}) {
        return add([&] { bound_->def(kept(name), std::move(function), doc, torchthaw::Parameters{names}); });
    }
    template <class F> class_ &def_static(const std::string &name, F function, const std::string &doc = "") {
        return add([&] { bound_->def_static(kept(name), std::move(function), doc); });
    }
    template <class G> class_ &def_property(const std::string &name, G getter, const std::string &doc = "") {
        return add([&] { bound_->def_property_readonly(kept(name), getter, pybind11::doc(doc.c_str())); });
    }
    template <class G, class S, std::enable_if_t<!std::is_convertible_v<S, std::string>, int> = 0>
    class_ &def_property(const std::string &name, G getter, S setter, const std::string &doc = "") {
        return add([&] { bound_->def_property(kept(name), getter, setter, pybind11::doc(doc.c_str())); });
    }
    template <class V> class_ &def_readwrite(const std::string &name, V T::*member) {
        return add([&] { bound_->def_readwrite(kept(name), member); });
    }
    template <class V> class_ &def_readonly(const std::string &name, V T::*member) {
        return add([&] { bound_->def_readonly(kept(name), member); });
    }
    /// get(object) returns a state that Python can pickle; set(state) returns a new intrusive_ptr.
    template <class G, class S> class_ &def_pickle(G &&get, S &&set) {
        return add([&] { bound_->def(pybind11::pickle(std::forward<G>(get), std::forward<S>(set))); });
    }

  private:
    template <class F> class_ &add(F run) {
        torchthaw::at_load([&] {
            if (bound_) run();
        });
        return *this;
    }
    /// The name, for as long as the process lives.
    static const char *kept(const std::string &name) { return (new std::string(name))->c_str(); }

    std::string name_;
    Bound *bound_ = nullptr;  // kept until the process ends
};

template <class T> class_<T> Library::class_(const std::string &name) { return torch::class_<T>(ns_, name); }

namespace jit {
using torch::class_;
}

}  // namespace torch
