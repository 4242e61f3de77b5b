/* operators/register.cpp: gives PyTorch the kernels of an extension. */
#include "register.h"

#include "arguments.h"
#include "bridge/python.h"
#include "bridge/torch/load.h"
#include "errors.h"
#include "gradients.h"
#include "plan.h"
#include "shim.h"

#include <cstring>
#include <memory>
#include <new>

namespace bridge {

namespace {

/* Where PyTorch is told about the kernels of one namespace and dispatch key. It keeps them until the process ends. */
class Library {
public:
    /* False with an exception set. */
    bool open(const char *space, const char *key) {
        space_ = space;
        if (shim.aoti_torch_library_init_impl(space, key, __FILE__, __LINE__, &library_) == 0) return true;
        PyErr_Format(PyExc_ValueError, "dispatch_key: PyTorch takes no kernels of %s for %s", space, key);
        return false;
    }

    /* Whether PyTorch puts on the stack what the plan takes off it; false with an exception set. */
    bool fits(const char *name, const Plan &plan) const {
        const Ref found = pytorch_py.call("schema_types", "ss", space_, name);
        const char *types;
        if (found == nullptr || !PyArg_Parse(found, "s", &types)) return false;
        if (plan.types == types) return true;
        PyErr_Format(PyExc_ValueError, "%s::%s: expected a schema with the types %s, got %s", space_, name,
                     plan.types.c_str(), types);
        return false;
    }

    /* False with an exception set. */
    bool add(const char *name, Kernel kernel) const {
        if (shim.torch_library_impl(library_, name, kernel, SHIM_VERSION) == 0) return true;
        PyErr_Format(PyExc_RuntimeError, "%s: PyTorch refuses its kernel", name);
        return false;
    }

private:
    LibraryObject *library_;
    const char *space_;
};

/* Registers one operator: 1, 0 where it has no kernel in C, -1 with an exception set. */
int register_kernel(std::vector<thaw_callable> &functions, const char *name, const char *function, const char *remedy,
                    bool on_cuda, const Library &library) {
    size_t index = 0;
    while (index < functions.size() && std::strcmp(functions[index].name, function) != 0) ++index;
    if (index == functions.size()) return PyErr_SetString(PyExc_KeyError, function), -1;
    const char *overload = std::strchr(name, '.');
    if (overload != nullptr && std::strcmp(overload, ".out") != 0) {
        PyErr_Format(PyExc_ValueError, "operators: expected the overload .out or none, got %s", name);
        return -1;
    }
    thaw_callable &base = functions[index];
    const bool functional = overload == nullptr && base.kernel != nullptr;
    const Kernel kernel = functional ? base.kernel : base.kernel_out;
    const Plan *&plan = functional ? base.plan : base.plan_out;
    if (kernel == nullptr) return 0;
    if (plan == nullptr) {
        std::unique_ptr<Plan> made = make_plan(functions, index, functional, on_cuda);
        if (made == nullptr) return 0;
        made->name = name;
        made->remedy = remedy;
        plan = made.release(); /* it stays */
    }
    return library.fits(name, *plan) && library.add(name, kernel) ? 1 : -1;
}

void fail(uint64_t *stack, uint64_t, uint64_t) {
    const Handle given(from_stack<TensorObject *>(*stack));
    throw KernelError(Failure::OVERFLOW_ERROR, "this is a trial");
}

}  // namespace

PyObject *register_failure(PyObject *, PyObject *arguments) {
    const char *space, *name;
    if (!PyArg_ParseTuple(arguments, "ss:register_failure", &space, &name)) return nullptr;
    if (!find_shim()) return PyErr_Occurred() ? nullptr : PyBool_FromLong(0);
    Library library;
    return library.open(space, "CPU") && library.add(name, fail) ? PyBool_FromLong(1) : nullptr;
}

PyObject *register_kernels(PyObject *, PyObject *arguments) try {
    PyObject *module, *operators, *remedies = nullptr;
    const char *space, *key;
    if (!PyArg_ParseTuple(arguments, "OsO!s|O!:register_kernels", &module, &space, &PyDict_Type, &operators, &key,
                          &PyDict_Type, &remedies)) {
        return nullptr;
    }
    const bool on_cuda = std::strcmp(key, "CUDA") == 0;
    if (!on_cuda && std::strcmp(key, "CPU") != 0) {
        return PyErr_Format(PyExc_ValueError, "dispatch_key: expected \"CPU\" or \"CUDA\", got \"%s\"", key);
    }
    std::vector<thaw_callable> *functions = functions_of(module);
    Ref registered(functions == nullptr ? nullptr : PyList_New(0));
    const bool usable = registered != nullptr && find_shim() && (!on_cuda || has_cuda_shim());
    if (!usable) return PyErr_Occurred() ? nullptr : registered.release();
    if (!find_gradients() && PyErr_Occurred()) return nullptr;
    Library library;
    if (!library.open(space, key)) return nullptr;
    PyObject *name, *function;
    for (Py_ssize_t at = 0; PyDict_Next(operators, &at, &name, &function);) {
        PyObject *remedy = remedies == nullptr ? nullptr : PyDict_GetItemWithError(remedies, name); /* borrowed */
        if (remedy == nullptr && PyErr_Occurred()) return nullptr;
        const Ref texts(PyTuple_Pack(3, name, function, remedy == nullptr ? Py_None : remedy));
        const char *name_text, *function_text, *remedy_text;
        if (texts == nullptr || !PyArg_ParseTuple(texts, "ssz", &name_text, &function_text, &remedy_text)) return nullptr;
        const int done = register_kernel(*functions, name_text, function_text, remedy_text == nullptr ? "" : remedy_text,
                                         on_cuda, library);
        if (done < 0 || (done > 0 && PyList_Append(registered, name) != 0)) return nullptr;
    }
    return registered.release();
} catch (const std::bad_alloc &) {
    return PyErr_NoMemory();
}

}  // namespace bridge
