/* operators/shim.cpp: looks for PyTorch's stable C interface. */
#include "shim.h"

#include "bridge/torch/pytorch.h"
#include "bridge/values/dlpack.h"

#include <dlfcn.h>

#include <initializer_list>

namespace bridge {

Shim shim;

namespace {

/* X(DLPack code, bits, PyTorch's name) */
#define DTYPE_LIST(X) \
    X(DLPACK_FLOAT, 32, float32) \
    X(DLPACK_FLOAT, 64, float64) \
    X(DLPACK_FLOAT, 16, float16) \
    X(DLPACK_BFLOAT, 16, bfloat16) \
    X(DLPACK_INT, 8, int8) \
    X(DLPACK_INT, 16, int16) \
    X(DLPACK_INT, 32, int32) \
    X(DLPACK_INT, 64, int64) \
    X(DLPACK_UINT, 8, uint8) \
    X(DLPACK_UINT, 16, uint16) \
    X(DLPACK_UINT, 32, uint32) \
    X(DLPACK_UINT, 64, uint64) \
    X(DLPACK_COMPLEX, 64, complex64) \
    X(DLPACK_COMPLEX, 128, complex128) \
    X(DLPACK_BOOL, 8, bool)

struct {
    int code, bits;
    const char *name;
    int32_t number;
} dtypes[] = {
#define DTYPE(code, bits, name) {code, bits, "torch." #name, -1},
    DTYPE_LIST(DTYPE)
#undef DTYPE
};

/* In a library that the process has loaded already; NULL where there is none or it lacks the function. */
void *find(const char *function) {
    for (const char *library : {"libtorch_cpu.so", "libtorch_cuda.so"}) {
        void *handle = dlopen(library, RTLD_NOW | RTLD_NOLOAD);
        void *found = handle == nullptr ? nullptr : dlsym(handle, function);
        if (handle != nullptr) dlclose(handle); /* it stays: Python has it */
        if (found != nullptr) return found;
    }
    return nullptr;
}

template <typename Function> bool find(const char *name, Function *to) {
    *to = reinterpret_cast<Function>(find(name));
    return *to != nullptr;
}

bool look() {
    if (truth(pytorch_py.call("may_have_kernels", nullptr)) <= 0) return false;
    bool complete = true;
#define FIND(name, result, parameters) complete = find(#name, &shim.name) && complete;
    SHIM_LIST(FIND)
#undef FIND
#define FIND(name, result, parameters) find(#name, &shim.name);
    SHIM_OPTIONAL_LIST(FIND)
#undef FIND
    int32_t (*number)();
    auto *dtype = dtypes;
#define DTYPE(code, bits, name) \
    if (find("aoti_torch_dtype_" #name, &number)) dtype->number = number(); \
    ++dtype;
    DTYPE_LIST(DTYPE)
#undef DTYPE
    if (!complete) return false;
    shim.cpu = shim.aoti_torch_device_type_cpu();
    shim.cuda = shim.aoti_torch_device_type_cuda();
    return true;
}

}  // namespace

bool find_shim() {
    static bool found;
    return found = found || look(); /* PyTorch may be imported later */
}

int32_t dtype_number(int dtype_code, int dtype_bits) {
    for (const auto &dtype : dtypes) {
        if (dtype.code == dtype_code && dtype.bits == dtype_bits) return dtype.number;
    }
    return -1;
}

const char *dtype_name(int32_t number) {
    for (const auto &dtype : dtypes) {
        if (dtype.number == number) return dtype.name;
    }
    return "another dtype";
}

}  // namespace bridge
