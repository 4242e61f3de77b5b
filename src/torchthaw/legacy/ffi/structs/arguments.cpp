/* structs/arguments.cpp: the converter of the kinds that are TH structs. */
#include "arguments.h"

#include "bridge/call/exceptions.h"
#include "bridge/torch/pytorch.h"
#include "in_python.h"
#include "thc.h"

#include <cstdio>
#include <cstring>

namespace bridge {

namespace {

/* A pointer to a struct as cffi spells it. */
struct StructName {
    char text[40];

    StructName(int code, int bits, bool on_cuda, bool is_storage) {
        const char *real = real_name(code, bits);
        if (on_cuda && std::strcmp(real, "Float") == 0) real = "";
        std::snprintf(text, sizeof text, "struct TH%s%s%s *", on_cuda ? "Cuda" : "", real,
                      is_storage ? "Storage" : "Tensor");
    }

    explicit StructName(const View *view) : StructName(view->code, view->bits, view->on_cuda(), view->is_storage()) {}
};

const char *noun(bool is_storage) { return is_storage ? "storage" : "tensor"; }

bool is_of_storage(int kind) { return kind == THAW_TH_STORAGE || kind == THAW_THC_STORAGE; }

bool is_of_cuda(int kind) { return kind >= THAW_THC_TENSOR; }

/* Of what is on a GPU where the parameter is on the CPU, or the other way round. */
__attribute__((noinline, cold)) Outcome refuse_place(const thaw_parameter &parameter, const View *view) {
    const bool wants_cuda = is_of_cuda(parameter.kind), wants_storage = is_of_storage(parameter.kind);
    PyErr_Format(PyExc_TypeError,
                 "initializer for ctype '%s' must be a pointer to same type, not cdata '%s'; "
                 "%s: expected a %s %s, got one on %s",
                 StructName(parameter.dtype_code, parameter.dtype_bits, wants_cuda, wants_storage).text,
                 StructName(view).text, parameter.name, wants_cuda ? "CUDA" : "CPU", noun(wants_storage),
                 view->on_cuda() ? "a GPU" : "the CPU");
    return FAILED;
}

/* False with an exception set for what is on another GPU than those before it. */
bool is_with_the_others(const thaw_parameter &parameter, const View *view, int *device) {
    if (*device < 0) *device = view->device;
    if (*device == view->device) return true;
    PyErr_Format(PyExc_TypeError, "%s: expected a %s on cuda:%d, where those before it are, got one on cuda:%d",
                 parameter.name, noun(view->is_storage()), *device, view->device);
    return false;
}

}  // namespace

void StructArguments::clear() {
    while (first_ != nullptr) {
        View *next = first_->next;
        give_back(first_);
        first_ = next;
    }
}

View *StructArguments::find(PyObject *argument) const {
    View *view = first_;
    while (view != nullptr && view->argument != argument) view = view->next;
    return view;
}

Outcome StructArguments::convert(const Argument &argument, int *device) {
    const thaw_parameter &parameter = argument.parameter;
    const bool is_storage = !is_tensor(argument.object);
    if (is_storage && (PyLong_Check(argument.object) || !bridge::is_storage(argument.object))) {
        return PyErr_Occurred() ? FAILED : NEEDS_CFFI;
    }
    View *view = find(argument.object); /* the same object passed twice is one struct */
    if (view == nullptr) {
        view = take_view(argument.object, is_storage, (parameter.flags & THAW_EXACT) != 0, first_);
        if (view == nullptr) return FAILED;
        first_ = view;
    }
    if (view->on_cuda() && !is_with_the_others(parameter, view, device)) return FAILED;
    if (parameter.kind < THAW_TH_TENSOR) return NEEDS_CFFI; /* and its TypeError, as below */
    if (is_of_cuda(parameter.kind) != view->on_cuda()) return refuse_place(parameter, view);
    const bool is_its_type = is_of_storage(parameter.kind) == view->is_storage() &&
                             view->code == parameter.dtype_code && view->bits == parameter.dtype_bits;
    return is_its_type ? argument.store(view->pointer()) : NEEDS_CFFI;
}

bool StructArguments::hold(HeldMemory *memory) const {
    for (const View *view = first_; view != nullptr; view = view->next) {
        if (!view->on_cuda() && !memory->hold(view->tensor)) return false;
    }
    return true;
}

Ref StructArguments::cffi_value(PyObject *argument, PyObject *cast) const {
    const View *view = find(argument);
    if (view == nullptr) return Ref();
    return Ref(PyObject_CallFunction(cast, "sN", StructName(view).text, PyLong_FromVoidPtr(view->pointer())));
}

Ref StructArguments::on_device(int device, Ref (*run)(void *call), void *call) {
    OnThcDevice there;
    return there.enter(device) ? run(call) : Ref();
}

bool StructArguments::raise_pending() { return bridge::raise_pending(fatal_error); }

bool StructArguments::finish(bool succeeded, const thaw_function *function, PyObject *const *arguments,
                             Py_ssize_t count) {
    if (first_ == nullptr) return true;
    bool not_owned = false;
    if (!finish_views(first_, succeeded, &not_owned) && succeeded) return false;
    return __builtin_expect(!not_owned, 1) || name_lost_references(function, arguments, count);
}

/* False with an exception set. */
__attribute__((noinline, cold)) bool StructArguments::name_lost_references(const thaw_function *function,
                                                                           PyObject *const *arguments,
                                                                           Py_ssize_t count) const {
    static int is_wanted = -1;
    if (is_wanted < 0) is_wanted = truth(th_py.call("names_lost_references", nullptr));
    if (is_wanted <= 0) return is_wanted == 0;
    for (Py_ssize_t i = 0; i < count; ++i) {
        const View *view = find(arguments[i]);
        if (view == nullptr || (view->not_owned.here == 0 && view->not_owned.below == 0)) continue;
        const char *name = i < function->parameter_count ? function->parameters[i].name : "";
        const Ref said = th_py.call("name_lost_references", "ssnii", function->name, name, i, view->not_owned.here,
                                    view->not_owned.below);
        if (said == nullptr) return false;
    }
    return true;
}

Ref StructArguments::result(const thaw_function *function, void *pointer) const {
    if (pointer == nullptr) return Ref::borrow(Py_None);
    for (View *view = first_; view != nullptr; view = view->next) {
        if (view->pointer() != pointer) continue;
        give_up_reference(view); /* retained for the result */
        return Ref::borrow(view->argument);
    }
    const int kind = function->result, code = function->result_code, bits = function->result_bits;
    if (is_of_storage(kind)) return adopt_storage(static_cast<THStorage *>(pointer), code, bits, is_of_cuda(kind));
    return adopt(static_cast<THTensor *>(pointer), code, bits, is_of_cuda(kind));
}

}  // namespace bridge
