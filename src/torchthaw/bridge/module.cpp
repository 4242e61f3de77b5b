/* module.cpp: the Python module _bridge, which hands the bridge to extensions as a capsule. */
#include "bridge/call/call.h"
#include "bridge/call/callbacks.h"
#include "bridge/call/exceptions.h"
#include "bridge/call/extension_point.h"
#include "bridge/operators/gradients.h"
#include "bridge/operators/kernel.h"
#include "bridge/operators/register.h"
#include "bridge/torch/load.h"
#include "bridge/torch/modes.h"
#include "bridge/values/buffers.h"
#include "bridge/values/convert.h"
#include "bridge/values/dlpack.h"

#include <cstring>

namespace bridge {

namespace {

/* The call around it looks for what is pending. */
void guard_for_cffi(void (*run)(void *frame), void *frame) { guard(run, frame); }

thaw_bridge table = {sizeof(thaw_bridge), THAW_BRIDGE_MAJOR, THAW_BRIDGE_MINOR, load, call, nullptr,
                     guard_for_cffi, region_threads, region_member, region_join, kernel};

PyMethodDef methods[] = {
    {"call_below_modes", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(call_below_modes)), METH_FASTCALL,
     "call_below_modes(function, *arguments): calls a C function as if no dispatch mode were active"},
    {"kernels_refuse_gradients", kernels_refuse_gradients, METH_NOARGS,
     "kernels_refuse_gradients(): whether kernels in C refuse tensors whose gradient or tangent they would lose"},
    {"register_failure", register_failure, METH_VARARGS,
     "register_failure(namespace, operator): its kernel raises an OverflowError; False without kernels in C"},
    {"register_kernels", register_kernels, METH_VARARGS,
     "register_kernels(module, namespace, operators, dispatch_key, remedies={}) -> the operators that got a kernel"},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_bridge", "From Python values to arguments of C functions.", -1,
                          methods, nullptr, nullptr, nullptr, nullptr};

/* The numbers that Python needs too. */
const struct {
    const char *name;
    long value;
} constants[] = {
#define CONSTANT(name, number) {#name, number},
    THAW_KIND_LIST(CONSTANT) DLPACK_TYPE_LIST(CONSTANT)
    CONSTANT(THAW_WRITTEN, THAW_WRITTEN) CONSTANT(THAW_SIZES, THAW_SIZES) CONSTANT(THAW_EXACT, THAW_EXACT)
    CONSTANT(THAW_CHECKED, THAW_CHECKED) CONSTANT(THAW_MAY_BE_NULL, THAW_MAY_BE_NULL)
    CONSTANT(THAW_READ_TOO, THAW_READ_TOO) CONSTANT(THAW_SCRATCH, THAW_SCRATCH)
};

/* Takes the reference. */
bool add(PyObject *module, const char *name, Ref object) {
    return object != nullptr && PyModule_AddObjectRef(module, name, object) == 0;
}

}  // namespace

}  // namespace bridge

PyMODINIT_FUNC PyInit__bridge() {
    using namespace bridge;
    if (!prepare_conversion() || !prepare_buffers() || !prepare_loading() || !prepare_callbacks()) return nullptr;
    Ref module(PyModule_Create(&definition));
    if (module == nullptr || !add(module, "extensions", Ref::borrow(extensions))) return nullptr;
    for (const auto &constant : constants) {
        if (PyModule_AddIntConstant(module, constant.name, constant.value) != 0) return nullptr;
    }
    table.call_th = part->call_th;
    if (PyModule_AddFunctions(module, part->methods) != 0) return nullptr;
    Ref capsule(PyCapsule_New(&table, THAW_BRIDGE_CAPSULE, nullptr));
    if (!add(module, std::strrchr(THAW_BRIDGE_CAPSULE, '.') + 1, std::move(capsule))) return nullptr;
    Ref version(PyUnicode_FromFormat("%d.%d", THAW_BRIDGE_MAJOR, THAW_BRIDGE_MINOR));
    return add(module, "version", std::move(version)) ? module.release() : nullptr;
}
