/* structs/thc.cpp: gives libthc PyTorch's streams and memory. It is asked for nothing before it was loaded. */
#include "thc.h"

#include "bridge/call/exceptions.h"
#include "in_python.h"
#include "structs.h"

#include <dlfcn.h>

namespace bridge {

namespace {

/* As in THC/THCHost.h. */
struct Host {
    size_t struct_size;
    void *(*current_stream)(int device);
    void *(*allocate)(size_t bytes, int device, void *stream);
    void (*release)(void *memory);
};

/* What libthc exports. */
struct {
    void (*set_stream)(int device, void *stream);
    void (*zero)(void *state, THTensor *bytes);
    void (*raw_copy)(void *state, THStorage *bytes, void *source);
    void **state;
    void *ready_state; /* what `*state` is once CUDA is ready */
} thc;

/* What libthc was told in this thread: calls nest. */
thread_local int told_device = -1;
thread_local void *told_stream;

void tell(int device, void *stream) {
    told_device = device;
    told_stream = stream;
    if (thc.set_stream != nullptr) thc.set_stream(device, stream);
}

unsigned long long number_of(void *address) { return reinterpret_cast<uintptr_t>(address); }

/* ---- What libthc asks for, in any thread ---- */

void *stream_of_pytorch(int device) {
    if (!Py_IsInitialized()) return nullptr;
    Gil gil;
    void *stream;
    if (!current_stream(device, &stream)) throw_python_error();
    return stream;
}

void *allocate(size_t bytes, int device, void *stream) {
    if (!Py_IsInitialized()) return nullptr;
    Gil gil;
    const SavedError saved;
    const Ref address =
        th_py.call("allocate_on_cuda", "niK", static_cast<Py_ssize_t>(bytes), device, number_of(stream));
    void *memory = address == nullptr ? nullptr : PyLong_AsVoidPtr(address);
    if (PyErr_Occurred()) throw_python_error();
    return memory;
}

/* At the end of the process everything goes back by itself. */
void release(void *memory) {
    if (!Py_IsInitialized()) return;
    Gil gil;
    const SavedError saved;
    const Ref done = th_py.call("release_on_cuda", "K", number_of(memory));
    if (done == nullptr) PyErr_WriteUnraisable(nullptr); /* C cannot be told */
}

const Host host = {sizeof(Host), stream_of_pytorch, allocate, release};

/* ---- Bytes, by functions of libthc ---- */

/* A storage of bytes that nobody counts or frees. */
THStorage bytes_at(int device, void *memory, size_t bytes) {
    return {memory, static_cast<ptrdiff_t>(bytes), 1, 0, {nullptr}, nullptr, nullptr, device};
}

struct Copy {
    THStorage to;
    void *from;
};

void run_copy(void *opaque) {
    auto *copy = static_cast<Copy *>(opaque);
    thc.raw_copy(*thc.state, &copy->to, copy->from);
}

bool loaded() {
    if (thc.set_stream == nullptr) PyErr_SetString(PyExc_ImportError, "expected libthc to be loaded; is it built?");
    return thc.set_stream != nullptr;
}

/* libthc's function `name`; NULL if it has none. */
template <typename F> bool find(void *library, const char *name, F *function) {
    *function = reinterpret_cast<F>(dlsym(library, name));
    return *function != nullptr;
}

}  // namespace

void *open_library(PyObject *path) {
    PyObject *bytes;
    if (!PyUnicode_FSConverter(path, &bytes)) return nullptr;
    void *library = dlopen(PyBytes_AsString(Ref(bytes).get()), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) PyErr_Format(PyExc_ImportError, "%s", dlerror());
    return library;
}

bool OnThcDevice::enter(int device) {
    if (!on_device_.enter(device)) return false;
    outer_device_ = told_device;
    outer_stream_ = told_stream;
    inside_ = true;
    void *stream;
    if (!current_stream(device, &stream)) return false;
    tell(device, stream);
    if (thc.state != nullptr) *thc.state = thc.ready_state;
    return true;
}

void OnThcDevice::leave() {
    if (inside_) tell(outer_device_, outer_stream_);
}

void clear_on_device(int device, void *memory, size_t bytes) {
    if (bytes == 0) return;
    THStorage storage = bytes_at(device, memory, bytes);
    int64_t size = static_cast<int64_t>(bytes), stride = 1;
    THTensor tensor = {&size, &stride, 1, &storage, 0, 1, 0};
    thc.zero(*thc.state, &tensor);
}

bool copy_on_device(int device, void *to, void *from, size_t bytes) {
    if (bytes == 0) return true;
    if (!loaded()) return false;
    OnThcDevice there;
    Copy copy = {bytes_at(device, to, bytes), from};
    if (!there.enter(device)) return false;
    return guard(run_copy, &copy) || !raise_pending(fatal_error);
}

PyObject *cuda_is_ready(PyObject *, PyObject *) {
    if (thc.state != nullptr) *thc.state = thc.ready_state;
    return none();
}

PyObject *open_thc(PyObject *, PyObject *path) {
    void *library = open_library(path);
    if (library == nullptr) return nullptr;
    void (*set_host)(const Host *);
    auto found = thc;
    const bool complete = find(library, "thaw_set_cuda_host", &set_host) &&
                          find(library, "thaw_set_cuda_stream", &found.set_stream) &&
                          find(library, "THCudaByteTensor_zero", &found.zero) &&
                          find(library, "THCudaByteStorage_rawCopy", &found.raw_copy) &&
                          find(library, "state", &found.state);
    if (!complete) return PyErr_Format(PyExc_ImportError, "%R is no libthc", path);
    if (found.state != thc.state) {
        found.ready_state = *found.state;
        *found.state = nullptr;
        thc = found;
        if (pytorch_has_cuda()) set_host(&host);
    }
    return none();
}

}  // namespace bridge
