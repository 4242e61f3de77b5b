/* th/backing.cpp: the allocator of TH storages that lie on PyTorch's own. */
#include "backing.h"

#include "../cuda/thc.h"
#include "../python.h"
#include "../exceptions.h"
#include "view.h"
#include "torch_storage.h"
#include "../tensor.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <utility>

namespace bridge {

namespace {

Memory memories = {nullptr, nullptr, nullptr, 0, 1, nullptr, &memories, &memories};
int kept_count; /* memories without a slot */

Memory *new_memory(Slot *slot, THStorage *th) {
    auto *memory = static_cast<Memory *>(std::malloc(sizeof(Memory)));
    if (memory == nullptr) return PyErr_NoMemory(), nullptr;
    *memory = {nullptr, slot, nullptr, 0, 1, th, &memories, memories.next};
    memories.next->previous = memory;
    memories.next = memory;
    return memory;
}

void delete_memory(Memory *memory) {
    memory->previous->next = memory->next;
    memory->next->previous = memory->previous;
    PyObject *tensor = nullptr, *storage = memory->storage;
    if (memory->slot == nullptr) {
        --kept_count;
        tensor = memory->tensor;
    }
    std::free(memory);
    Py_XDECREF(tensor);
    Py_XDECREF(storage);
}

/* The TH storage shows all of its torch storage, which has so many bytes at `data` now. */
void show_bytes(Memory *memory, void *data, int64_t bytes) {
    memory->th->data = data;
    if (memory->bytes == bytes) return; /* its size may be C's own, a smaller one */
    memory->bytes = bytes;
    memory->th->size = static_cast<ptrdiff_t>(bytes / memory->element);
}

/* Of several tensors on a TH storage, one for which autograd lets it grow, if there is one: C says not for which. */
PyObject *tensor_that_may_grow(const Memory *memory) {
    const bool alone = memory->slot == nullptr || memory->slot->on_it == 1;
    if (alone || requires_grad(memory->tensor) <= 0) return memory->tensor;
    for (const Memory *other = memories.next; other != &memories; other = other->next) {
        const bool beside = other->slot != nullptr && other->tensor != nullptr && other->slot->host == memory->slot;
        if (beside && requires_grad(other->tensor) == 0) return other->tensor;
    }
    return memory->tensor;
}

/* Lets the torch storage hold `size` bytes from where the TH storage begins: its data now. NULL, with an exception set,
 * where that failed. */
char *resize(Memory *memory, ptrdiff_t size) {
    const bool on_cuda = is_on_cuda(memory->th);
    Resized storage;
    if (!resize_storage(tensor_that_may_grow(memory), memory->storage != nullptr, on_cuda, size, &storage)) {
        return nullptr;
    }
    const int64_t had = storage.bytes_before, needed = storage.offset + size;
    if (needed > had) {
        for (Memory *other = memories.next; other != &memories; other = other->next) {
            auto *data = static_cast<char *>(other->th->data);
            if (other == memory) {
                other->bytes = needed; /* what C asked for becomes its data and size */
            } else if (other->storage == storage.storage) {
                show_bytes(other, storage.now, needed);
            } else if (storage.before != nullptr && data >= storage.before &&
                       data - storage.before < had) {
                other->th->data = storage.now + (data - storage.before);
            }
        }
    }
    if (needed > had) { /* after the others know: clearing a GPU's memory may fail */
        const auto more = static_cast<size_t>(needed - had);
        if (on_cuda) clear_on_device(memory->th->device, storage.now + had, more);
        else std::memset(storage.now + had, 0, more);
    }
    return storage.now + storage.offset;
}

const char *const TOO_LATE = "Trying to resize a tensor of Python's after its end";

void *torch_realloc(void *context, void *, ptrdiff_t size) {
    if (!Py_IsInitialized()) throw_error(TOO_LATE);
    Gil gil;
    void *data = resize(static_cast<Memory *>(context), size);
    if (data == nullptr && PyErr_Occurred()) throw_python_error();
    return data;
}

void *torch_malloc(void *context, ptrdiff_t size) { return torch_realloc(context, nullptr, size); }

void torch_free(void *context, void *) {
    if (!Py_IsInitialized()) return; /* a static object's destructor, after Python's end */
    Gil gil;
    delete_memory(static_cast<Memory *>(context));
}

enum { CUDA_SUCCESS = 0, CUDA_OUT_OF_MEMORY = 2 };

int cuda_realloc(void *context, void **pointer, size_t, size_t size, void *) {
    if (!Py_IsInitialized()) throw_error(TOO_LATE);
    Gil gil;
    void *data = resize(static_cast<Memory *>(context), static_cast<ptrdiff_t>(size));
    if (data == nullptr && PyErr_Occurred()) {
        static PyObject *out_of_memory = nullptr;
        if (out_of_memory == nullptr) {
            KeptError kept;
            out_of_memory = th_attribute("OutOfMemoryError");
        }
        if (out_of_memory == nullptr || !PyErr_ExceptionMatches(out_of_memory)) throw_python_error();
        PyErr_Clear();
        return CUDA_OUT_OF_MEMORY;
    }
    *pointer = data;
    return CUDA_SUCCESS;
}

int cuda_malloc(void *context, void **pointer, size_t size, void *stream) {
    return cuda_realloc(context, pointer, 0, size, stream);
}

int cuda_free(void *context, void *pointer) {
    torch_free(context, pointer);
    return CUDA_SUCCESS;
}

const THAllocator torch_allocator = {torch_malloc, torch_realloc, torch_free};
const THCDeviceAllocator cuda_allocator = {cuda_malloc, cuda_realloc, cuda_free, {}};

bool lies_on_torch(const THStorage *th) { return th->allocator == &torch_allocator || is_on_cuda(th); }

void set_allocator(THStorage *th, bool on_cuda) {
    if (on_cuda) th->device_allocator = &cuda_allocator;
    else th->allocator = &torch_allocator;
}

void free_data(THStorage *th, bool on_cuda) {
    if (!(th->flag & TH_FREEMEM)) return;
    if (on_cuda) th->device_allocator->free(th->context, th->data);
    else th->allocator->free(th->context, th->data);
}

bool decrement(int *count) { return __atomic_sub_fetch(count, 1, __ATOMIC_ACQ_REL) == 0; }

}  // namespace

bool is_on_cuda(const THStorage *th) { return th->device_allocator == &cuda_allocator; }

void free_storage(THStorage *th, bool on_cuda) {
    if (th == nullptr || !(th->flag & TH_REFCOUNTED) || !decrement(&th->refcount)) return;
    free_data(th, on_cuda);
    if (th->flag & TH_VIEW) free_storage(th->view, on_cuda);
    std::free(th);
}

void free_tensor(THTensor *th, bool on_cuda) {
    if (!decrement(&th->refcount)) return;
    std::free(th->size);
    std::free(th->stride);
    free_storage(th->storage, on_cuda);
    std::free(th);
}

THStorage *new_storage(Slot *slot) {
    auto *th = static_cast<THStorage *>(std::calloc(1, sizeof(THStorage)));
    if (th == nullptr) return PyErr_NoMemory(), nullptr;
    Memory *memory = new_memory(slot, th);
    if (memory == nullptr) return std::free(th), nullptr;
    *th = {nullptr, 0, 1, TH_REFCOUNTED | TH_RESIZABLE | TH_FREEMEM | TH_LENT, {&torch_allocator}, memory, nullptr, -1};
    return th;
}

void place(THStorage *th, int device) {
    th->device = device;
    set_allocator(th, device >= 0);
}

void keep(Memory *memory, PyObject *tensor) {
    memory->tensor = tensor;
    memory->slot = nullptr;
    ++kept_count;
}

void show_all(Memory *memory, PyObject *storage, void *data, int64_t bytes) {
    memory->storage = storage;
    memory->bytes = bytes;
    memory->th->data = data;
    memory->th->size = static_cast<ptrdiff_t>(bytes / memory->element);
}

Memory *move_to_torch(THStorage *th, int code, int bits, bool on_cuda) {
    if (lies_on_torch(th)) return static_cast<Memory *>(th->context);
    unsigned long long address;
    const int device = on_cuda ? th->device : -1;
    PyObject *found = call_python("allocate", "(iini)", code, bits, static_cast<Py_ssize_t>(th->size), device);
    PyObject *tensor;
    if (found == nullptr || !PyArg_ParseTuple(found, "OK", &tensor, &address)) return Py_XDECREF(found), nullptr;
    void *data = reinterpret_cast<void *>(static_cast<uintptr_t>(address));
    const size_t bytes = static_cast<size_t>(th->size) * static_cast<size_t>(bits) / 8;
    bool copied = true;
    if (on_cuda) copied = copy_on_device(device, data, th->data, bytes);
    else if (bytes > 0) std::memcpy(data, th->data, bytes);
    Memory *memory = copied ? new_memory(nullptr, th) : nullptr;
    if (memory != nullptr) {
        Py_INCREF(tensor);
        keep(memory, tensor);
        free_data(th, on_cuda);
        th->data = data;
        set_allocator(th, on_cuda);
        th->context = memory;
        th->flag |= TH_RESIZABLE | TH_FREEMEM | TH_LENT;
    }
    Py_DECREF(found);
    return memory;
}

bool refresh_kept() {
    if (kept_count == 0) return true;
    /* The Python code below may let another thread run, which keeps more or lets go of some. */
    struct Place {
        void *data;
        long long bytes;
    };
    std::map<std::pair<PyObject *, bool>, Place> places;
    for (Memory *memory = memories.next; memory != &memories; memory = memory->next) {
        if (memory->slot != nullptr) continue;
        const auto key = std::make_pair(memory->tensor, memory->storage != nullptr);
        if (places.emplace(key, Place{nullptr, 0}).second) Py_INCREF(memory->tensor);
    }
    bool found = true;
    for (auto &each : places) {
        PyObject *place = found ? call_python("place", "(Oi)", each.first.first, each.first.second) : nullptr;
        unsigned long long address = 0;
        found = place != nullptr && PyArg_ParseTuple(place, "KL", &address, &each.second.bytes);
        each.second.data = reinterpret_cast<void *>(static_cast<uintptr_t>(address));
        Py_XDECREF(place);
    }
    for (Memory *memory = memories.next; found && memory != &memories; memory = memory->next) {
        if (memory->slot != nullptr) continue;
        const auto each = places.find({memory->tensor, memory->storage != nullptr});
        if (each == places.end()) continue;
        if (memory->storage == nullptr) memory->th->data = each->second.data;
        else show_bytes(memory, each->second.data, each->second.bytes);
    }
    for (const auto &each : places) Py_DECREF(each.first.first);
    return found;
}

PyObject *th_attribute(const char *name) {
    static PyObject *module = nullptr;
    if (module == nullptr) module = PyImport_ImportModule("torchthaw.bridge.th");
    return module == nullptr ? nullptr : PyObject_GetAttrString(module, name);
}

PyObject *call_python(const char *name, const char *format, ...) {
    PyObject *function = th_attribute(name);
    if (function == nullptr) return nullptr;
    va_list values;
    va_start(values, format);
    PyObject *arguments = Py_VaBuildValue(format, values);
    va_end(values);
    PyObject *result = arguments == nullptr ? nullptr : PyObject_Call(function, arguments, nullptr);
    Py_XDECREF(arguments);
    Py_DECREF(function);
    return result;
}

}  // namespace bridge
