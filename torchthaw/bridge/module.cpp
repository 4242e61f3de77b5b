/* module.cpp: the Python module _bridge, which hands the bridge to extensions as a capsule. */
#include "call.h"
#include "cuda.h"
#include "guard.h"

namespace bridge {

namespace {

/* The types of a cffi function's parameters: ffi.typeof(function).args. */
PyObject *parameter_types(PyObject *ffi, PyObject *function) {
    PyObject *type = PyObject_CallMethod(ffi, "typeof", "O", function);
    PyObject *types = type == nullptr ? nullptr : PyObject_GetAttrString(type, "args");
    Py_XDECREF(type);
    return types;
}

bool bind_one(thaw_function *function, PyMethodDef *method, PyObject *ffi, PyObject *lib, PyObject *module_name,
              PyObject *functions) {
    PyObject *cffi_function = PyObject_GetAttrString(lib, function->name);
    PyObject *types = cffi_function == nullptr ? nullptr : parameter_types(ffi, cffi_function);
    PyObject *cast = types == nullptr ? nullptr : PyObject_GetAttrString(ffi, "cast");
    PyObject *callable = cast == nullptr ? nullptr : PyCFunction_NewEx(method, nullptr, module_name);
    bool bound = callable != nullptr && PyDict_SetItemString(functions, function->name, callable) == 0;
    Py_XDECREF(callable);
    if (!bound) {
        Py_XDECREF(cffi_function);
        Py_XDECREF(types);
        Py_XDECREF(cast);
        return false;
    }
    Py_XDECREF(function->cffi_function); /* of an earlier bind */
    Py_XDECREF(function->cffi_types);
    Py_XDECREF(function->cast);
    function->cffi_function = cffi_function;
    function->cffi_types = types;
    function->cast = cast;
    return true;
}

PyObject *bind(thaw_function *functions, PyMethodDef *methods, PyObject *extension, PyObject *module_name) {
    PyObject *ffi = PyObject_GetAttrString(extension, "ffi");
    PyObject *lib = ffi == nullptr ? nullptr : PyObject_GetAttrString(extension, "lib");
    PyObject *result = lib == nullptr ? nullptr : PyDict_New();
    for (int i = 0; result != nullptr && functions[i].name != nullptr; ++i) {
        if (!bind_one(&functions[i], &methods[i], ffi, lib, module_name, result)) {
            Py_DECREF(result);
            result = nullptr;
        }
    }
    Py_XDECREF(lib);
    Py_XDECREF(ffi);
    return result;
}

void guard_for_cffi(void (*run)(void *frame), void *frame) { guard(run, frame); } /* call() looks for what it kept */

PyObject *extensions; /* lib -> bind of every extension that was imported */

int announce(PyObject *extension) {
    PyObject *lib = PyObject_GetAttrString(extension, "lib");
    PyObject *bind = lib == nullptr ? nullptr : PyObject_GetAttrString(extension, "bind");
    const int result = bind == nullptr ? -1 : PyDict_SetItem(extensions, lib, bind);
    Py_XDECREF(bind);
    Py_XDECREF(lib);
    return result;
}

const thaw_bridge api = {THAW_BRIDGE_ABI, call,           call_th,       guard_for_cffi, bind, announce,
                         region_threads,  region_member, region_join};

PyMethodDef methods[] = {
    {"open_th", open_th, METH_O, "open_th(path): loads libth and makes exceptions of its errors"},
    {"open_thc", open_thc, METH_O, "open_thc(path): loads libthc, which works with PyTorch's streams and memory"},
    {"cuda_is_ready", cuda_is_ready, METH_NOARGS, "cuda_is_ready(): libthc's state is there from now on"},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_bridge", "From Python values to arguments of C functions.", -1,
                          methods, nullptr, nullptr, nullptr, nullptr};

}  // namespace

}  // namespace bridge

PyMODINIT_FUNC PyInit__bridge() {
    using namespace bridge;
    if (!prepare_calls()) return nullptr;
    PyObject *module = PyModule_Create(&definition);
    if (module == nullptr) return nullptr;
    extensions = PyDict_New();
    Py_XINCREF(extensions);
    if (extensions == nullptr || PyModule_AddObject(module, "extensions", extensions) != 0) {
        Py_XDECREF(extensions);
        Py_DECREF(module);
        return nullptr;
    }
    PyObject *capsule = PyCapsule_New(const_cast<thaw_bridge *>(&api), THAW_BRIDGE_CAPSULE, nullptr);
    if (capsule == nullptr || PyModule_AddObject(module, "api", capsule) != 0) {
        Py_XDECREF(capsule);
        Py_DECREF(module);
        return nullptr;
    }
    return module;
}
