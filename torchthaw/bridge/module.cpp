/* module.cpp: the Python module _bridge, which hands the bridge to extensions as a capsule. */
#include "call.h"
#include "cuda/thc.h"
#include "exceptions.h"
#include "load.h"

namespace bridge {

namespace {

void guard_for_cffi(void (*run)(void *frame), void *frame) { guard(run, frame); } /* call() looks for what it kept */

const thaw_bridge api = {sizeof(thaw_bridge), THAW_BRIDGE_MAJOR, THAW_BRIDGE_MINOR, load, call, call_th,
                         guard_for_cffi, region_threads, region_member, region_join};

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
    if (!prepare_calls() || !prepare_loading()) return nullptr;
    PyObject *module = PyModule_Create(&definition);
    if (module == nullptr) return nullptr;
    Py_INCREF(extensions);
    if (PyModule_AddObject(module, "extensions", extensions) != 0) {
        Py_DECREF(extensions);
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
