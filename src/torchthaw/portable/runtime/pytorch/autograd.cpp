// portable/runtime/pytorch/autograd.cpp: torch::autograd::Function with a graph: PyTorch's engine calls Python, which calls back.
#include <cxxabi.h>

#include <portable/autograd.h>
#include <portable/python/stl/containers.h>
#include <portable/python/tensors.h>

#include "start.h"

namespace torchthaw {
namespace {

using pybind11::handle;
using pybind11::object;
using pybind11::detail::borrowed;
using pybind11::detail::checked;
using pybind11::detail::owned;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

const char CALL[] = "torchthaw.call", CONTEXT[] = "torchthaw.context", FUNCTION[] = "torchthaw.function";
const char ATTRIBUTE[] = "_torchthaw_context";  // of Python's ctx

object to_python(const at::Tensor &tensor) { return owned(tensor_to_python(tensor)); }

at::Tensor from_python(handle value) {
    if (value.is_none()) return {};
    const at::Tensor *found = tensor_in_python(value.ptr());
    if (found == nullptr) fail("expected a tensor from autograd");
    return *found;
}

object tuple_of(const variable_list &tensors, size_t before = 0) {
    object tuple = owned(PyTuple_New(Py_ssize_t(before + tensors.size())));
    for (size_t i = 0; i < before; ++i) checked(PyTuple_SetItem(tuple.ptr(), Py_ssize_t(i), pybind11::none().release().ptr()));
    for (size_t i = 0; i < tensors.size(); ++i)
        checked(PyTuple_SetItem(tuple.ptr(), Py_ssize_t(before + i), to_python(tensors[i]).release().ptr()));
    return tuple;
}

variable_list list_of(handle sequence) {
    variable_list tensors;
    for (handle each : sequence) tensors.push_back(from_python(each));
    return tensors;
}

template <class T>
T *pointer(handle capsule, const char *name) {
    void *found = PyCapsule_GetPointer(capsule.ptr(), name);
    if (found == nullptr) throw pybind11::error_already_set();
    return static_cast<T *>(found);
}

/// The context has Python's ctx while one of its functions runs.
class Entered {
  public:
    Entered(AutogradContext *context, PyObject *python) : context_(context) { context->python = python; }
    ~Entered() { context_->python = nullptr; }
    Entered(const Entered &) = delete;
    Entered &operator=(const Entered &) = delete;

  private:
    AutogradContext *context_;
};

// forward(ctx, call, *tensors): an exception of C++ is kept, and thrown again where apply was called.
PyObject *forward(PyObject *, PyObject *const *given, Py_ssize_t) {
    ForwardCall *call = nullptr;
    try {
        call = pointer<ForwardCall>(given[1], CALL);
        auto context = std::make_unique<AutogradContext>();
        AutogradContext *entered = context.get();
        for (const at::Tensor *tensor : call->tensors) context->is_tensor.push_back(tensor != nullptr);
        object capsule = owned(PyCapsule_New(entered, CONTEXT, [](PyObject *self) {
            delete static_cast<AutogradContext *>(PyCapsule_GetPointer(self, CONTEXT));
        }));
        context.release();
        pybind11::setattr(given[0], ATTRIBUTE, capsule);
        Entered during(entered, given[0]);
        call->run(*call, entered);
        return call->is_single ? to_python(call->results[0]).release().ptr() : tuple_of(call->results).release().ptr();
    } catch (abi::__forced_unwind &) {
        throw;
    } catch (...) {
        if (call) call->error = std::current_exception();
        PyErr_SetString(PyExc_RuntimeError, "an exception of C++ in forward");
        return nullptr;
    }
}

/// As PyTorch's engine, which knows no translators: errors of Python and of PyTorch keep their kind, others are a RuntimeError.
void set_error_of_engine(const std::exception_ptr &error) {
    try {
        std::rethrow_exception(error);
    } catch (pybind11::error_already_set &found) {
        found.restore();
    } catch (abi::__forced_unwind &) {
        throw;
    } catch (const std::exception &found) {
        if (!translate_pytorch(error)) PyErr_SetString(PyExc_RuntimeError, found.what());
    } catch (...) {
        pybind11::detail::translate(error);
    }
}

// backward(ctx, *grad_outputs); self has the FunctionClass.
PyObject *backward(PyObject *self, PyObject *const *given, Py_ssize_t count) {
    try {
        auto *function = pointer<FunctionClass>(self, FUNCTION);
        object capsule = pybind11::getattr(given[0], ATTRIBUTE);
        auto *context = pointer<AutogradContext>(capsule, CONTEXT);
        variable_list grad_outputs;
        for (Py_ssize_t i = 1; i < count; ++i) grad_outputs.push_back(from_python(given[i]));
        Entered during(context, given[0]);
        return tuple_of(function->backward(context, std::move(grad_outputs)), 1).release().ptr();
    } catch (abi::__forced_unwind &) {
        throw;
    } catch (...) {
        set_error_of_engine(std::current_exception());
        return nullptr;
    }
}

PyMethodDef FORWARD = {"forward", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(forward)), METH_FASTCALL, nullptr};
PyMethodDef BACKWARD = {"backward", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(backward)), METH_FASTCALL, nullptr};

object module(const char *name) { return owned(PyImport_ImportModule(name)); }

void make_type(FunctionClass &function) {
    object builtins = module("builtins");
    object base = module("torch").attr("autograd").attr("Function");
    object static_method = builtins.attr("staticmethod"), members = owned(PyDict_New());
    object capsule = owned(PyCapsule_New(&function, FUNCTION, nullptr));
    object runs = static_method(owned(PyCFunction_NewEx(&FORWARD, nullptr, nullptr)));
    object runs_back = static_method(owned(PyCFunction_NewEx(&BACKWARD, capsule.ptr(), nullptr)));
    checked(PyDict_SetItemString(members.ptr(), "forward", runs.ptr()));
    checked(PyDict_SetItemString(members.ptr(), "backward", runs_back.ptr()));
    checked(PyDict_SetItemString(members.ptr(), "__module__", owned(PyUnicode_FromString("torchthaw")).ptr()));
    std::string name = function.name;
    name.erase(0, name.find_first_not_of("0123456789N"));
    object bases = owned(PyTuple_Pack(1, base.ptr()));
    object type = object(base.get_type(), object::borrowed_t{})(name, bases, members);
    // The part of apply in C. The one in Python looks for functorch's transforms, which must_record() has done.
    function.apply = builtins.attr("super")(base, type).attr("apply").cast<object>().release().ptr();
    function.type = type.release().ptr();
}

bool transforms_are_active() {
    pybind11::gil_scoped_acquire gil;
    object active = pybind11::getattr(module("torch._C"), "_are_functorch_transforms_active", pybind11::none());
    return !active.is_none() && active().cast<bool>();
}

bool has_forward_gradient(const at::Tensor &tensor) {
    if (pytorch.forward_gradient) return pytorch.forward_gradient(tensor.unsafeGetTensorImpl(), 0, &tensor)->defined();
    object unpacked = module("torch").attr("autograd").attr("forward_ad").attr("unpack_dual")(to_python(tensor));
    return !unpacked.attr("tangent").is_none();
}

/// Whether forward-mode autograd is at work on one of the tensors. PyTorch has one level of it.
bool has_forward_gradient(const Tensors &tensors) {
    std::optional<pybind11::gil_scoped_acquire> gil;
    if (pytorch.forward_gradient == nullptr) {
        gil.emplace();
        object level = module("torch").attr("autograd").attr("forward_ad").attr("_current_level");
        if (level.cast<int64_t>() < 0) return false;
    }
    return std::any_of(tensors.begin(), tensors.end(), [](const at::Tensor *tensor) {
        return tensor && tensor->defined() && has_forward_gradient(*tensor);
    });
}

object context_of(const AutogradContext &context) { return borrowed(static_cast<PyObject *>(context.python)); }

void tell(const AutogradContext &context, const char *method, const variable_list &tensors) {
    if (context.python == nullptr) return;
    pybind11::gil_scoped_acquire gil;
    object bound = context_of(context).attr(method);
    owned(PyObject_CallObject(bound.ptr(), tuple_of(tensors).ptr()));
}

object tensors_or_none(const variable_list &tensors) { return tensors.empty() ? pybind11::none() : tuple_of(tensors); }
object flag_or_none(std::optional<bool> flag) { return flag ? pybind11::cast(*flag) : pybind11::none(); }

}  // namespace

bool must_record(const Tensors &tensors) {
    if ((pytorch.functorch == nullptr || *pytorch.functorch()) && transforms_are_active())
        fail("cannot use C++ torch::autograd::Function with functorch transforms (vmap, grad, vjp, etc)");
    if (has_forward_gradient(tensors)) fail("jvp is not implemented for the c++ API of custom Function yet.");
    if (!pytorch.grad_mode()) return false;
    return std::any_of(tensors.begin(), tensors.end(), [](const at::Tensor *tensor) { return tensor && tensor->requires_grad(); });
}

void apply_in_python(FunctionClass &function, ForwardCall &call) {
    pybind11::gil_scoped_acquire gil;
    if (!start()) throw pybind11::error_already_set();
    if (function.type == nullptr) make_type(function);
    object arguments = owned(PyTuple_New(Py_ssize_t(call.tensors.size() + 1)));
    checked(PyTuple_SetItem(arguments.ptr(), 0, checked(PyCapsule_New(&call, CALL, nullptr))));
    for (size_t i = 0; i < call.tensors.size(); ++i) {
        object value = call.tensors[i] ? to_python(*call.tensors[i]) : pybind11::none();
        checked(PyTuple_SetItem(arguments.ptr(), Py_ssize_t(i + 1), value.release().ptr()));
    }
    object returned = pybind11::detail::maybe_owned(PyObject_CallObject(static_cast<PyObject *>(function.apply), arguments.ptr()));
    if (!returned) {
        if (call.error == nullptr) throw pybind11::error_already_set();
        PyErr_Clear();
        std::rethrow_exception(call.error);
    }
    call.results = call.is_single ? variable_list{from_python(returned)} : list_of(returned);
}

}  // namespace torchthaw

namespace torch {
namespace autograd {

using namespace torchthaw;

void AutogradContext::save_for_backward(variable_list tensors) {
    if (python) tell(*this, "save_for_backward", tensors);
    else kept = std::move(tensors);
}

variable_list AutogradContext::get_saved_variables() const {
    if (python == nullptr) return kept;
    pybind11::gil_scoped_acquire gil;
    return list_of(context_of(*this).attr("saved_tensors"));
}

void AutogradContext::mark_dirty(const variable_list &inputs) { tell(*this, "mark_dirty", inputs); }
void AutogradContext::mark_non_differentiable(const variable_list &outputs) { tell(*this, "mark_non_differentiable", outputs); }

void AutogradContext::set_materialize_grads(bool value) {
    if (python == nullptr) return;
    pybind11::gil_scoped_acquire gil;
    context_of(*this).attr("set_materialize_grads")(value);
}

bool AutogradContext::needs_input_grad(size_t tensor) const {
    if (python == nullptr) return false;
    pybind11::gil_scoped_acquire gil;
    object needed = context_of(*this).attr("needs_input_grad");
    size_t number = 0;
    for (size_t i = 0; i < is_tensor.size(); ++i)
        if (is_tensor[i] && number++ == tensor) return needed[i + 1].cast<bool>();  // the call comes first
    return false;
}

bool AutogradContext::needs_input_grad(std::initializer_list<IndexRange> ranges) const {
    for (const IndexRange &range : ranges)
        for (size_t i = range.first; i < range.second; ++i)
            if (needs_input_grad(i)) return true;
    return false;
}

void increment_version(const at::Tensor &tensor) {
    pybind11::gil_scoped_acquire gil;
    if (!start()) throw pybind11::error_already_set();
    module("torch.autograd.graph").attr("increment_version")(to_python(tensor));
}

variable_list grad(const variable_list &outputs, const variable_list &inputs, const variable_list &grad_outputs,
                   std::optional<bool> retain_graph, bool create_graph, bool allow_unused) {
    pybind11::gil_scoped_acquire gil;
    if (!start()) throw pybind11::error_already_set();
    object function = module("torch").attr("autograd").attr("grad");
    return list_of(function(tuple_of(outputs), tuple_of(inputs), tensors_or_none(grad_outputs), flag_or_none(retain_graph),
                            create_graph, true, allow_unused));
}

void backward(const variable_list &tensors, const variable_list &grad_tensors, std::optional<bool> retain_graph,
              bool create_graph, const variable_list &inputs) {
    pybind11::gil_scoped_acquire gil;
    if (!start()) throw pybind11::error_already_set();
    object function = module("torch").attr("autograd").attr("backward");
    function(tuple_of(tensors), tensors_or_none(grad_tensors), flag_or_none(retain_graph), create_graph, pybind11::none(),
             tensors_or_none(inputs));
}

}  // namespace autograd
}  // namespace torch
