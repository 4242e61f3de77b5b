/* cuda/thc.cpp: libthc works with PyTorch's devices, streams and memory. It is asked for nothing before it was loaded. */
#include "thc.h"

#include "../python.h"
#include "../exceptions.h"
#include "../th/backing.h"
#include "../tensor.h"

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

/* torchthaw.bridge.cuda.<name>(*arguments), a new reference. */
template <typename... Arguments> PyObject *ask(const char *name, const char *format, Arguments... arguments) {
    static PyObject *module = nullptr;
    if (module == nullptr) module = PyImport_ImportModule("torchthaw.bridge.cuda");
    return module == nullptr ? nullptr : PyObject_CallMethod(module, name, format, arguments...);
}

/* ---- What libthc asks, in any thread ---- */

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
    KeptError kept;
    PyObject *address = ask("allocate", "niK", static_cast<Py_ssize_t>(bytes), device,
                            static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(stream)));
    void *memory = address == nullptr ? nullptr : PyLong_AsVoidPtr(address);
    Py_XDECREF(address);
    if (PyErr_Occurred()) throw_python_error();
    return memory;
}

/* At the end of the process everything goes back by itself. */
void release(void *memory) {
    if (!Py_IsInitialized()) return;
    Gil gil;
    KeptError kept;
    Py_XDECREF(ask("release", "K", static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(memory))));
    if (PyErr_Occurred()) PyErr_WriteUnraisable(nullptr); /* nobody waits for an answer */
}

const Host host = {sizeof(Host), stream_of_pytorch, allocate, release};

/* ---- Bytes, by functions of libthc ---- */

/* A storage of bytes that nobody counts or frees. */
THStorage bytes_at(int device, void *memory, size_t bytes) {
    THStorage storage = {memory, static_cast<ptrdiff_t>(bytes), 1, 0, {nullptr}, nullptr, nullptr, device};
    return storage;
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

}  // namespace

bool OnDevice::enter(int device) {
    before_ = exchange_device(device);
    if (before_ < 0 && PyErr_Occurred()) return false;
    device_ = device;
    outer_device_ = told_device;
    outer_stream_ = told_stream;
    inside_ = true;
    void *stream;
    if (!current_stream(device, &stream)) return leave(), false;
    tell(device, stream);
    if (thc.state != nullptr) *thc.state = thc.ready_state;
    return true;
}

void OnDevice::leave() {
    if (!inside_) return;
    inside_ = false;
    tell(outer_device_, outer_stream_);
    if (before_ < 0 || before_ == device_) return;
    KeptError kept;
    exchange_device(before_);
    PyErr_Clear();
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
    OnDevice there;
    Copy copy = {bytes_at(device, to, bytes), from};
    if (!there.enter(device)) return false;
    return guard(run_copy, &copy) || !raise_kept_fatal();
}

PyObject *cuda_is_ready(PyObject *, PyObject *) {
    if (thc.state != nullptr) *thc.state = thc.ready_state;
    Py_INCREF(Py_None);
    return Py_None;
}

PyObject *open_thc(PyObject *, PyObject *path) {
    PyObject *bytes;
    if (!PyUnicode_FSConverter(path, &bytes)) return nullptr;
    void *library = dlopen(PyBytes_AsString(bytes), RTLD_NOW | RTLD_LOCAL);
    Py_DECREF(bytes);
    if (library == nullptr) return PyErr_Format(PyExc_ImportError, "%s", dlerror());
    auto set_host = reinterpret_cast<void (*)(const Host *)>(dlsym(library, "thaw_set_cuda_host"));
    auto found = thc;
    found.set_stream = reinterpret_cast<void (*)(int, void *)>(dlsym(library, "thaw_set_cuda_stream"));
    found.zero = reinterpret_cast<void (*)(void *, THTensor *)>(dlsym(library, "THCudaByteTensor_zero"));
    found.raw_copy =
        reinterpret_cast<void (*)(void *, THStorage *, void *)>(dlsym(library, "THCudaByteStorage_rawCopy"));
    found.state = static_cast<void **>(dlsym(library, "state"));
    const bool complete = set_host != nullptr && found.set_stream != nullptr && found.zero != nullptr &&
                          found.raw_copy != nullptr && found.state != nullptr;
    if (!complete) return PyErr_Format(PyExc_ImportError, "%R is no libthc", path);
    if (found.state != thc.state) {
        found.ready_state = *found.state;
        *found.state = nullptr;
        thc = found;
        if (pytorch_has_cuda()) set_host(&host);
    }
    Py_INCREF(Py_None);
    return Py_None;
}

}  // namespace bridge
