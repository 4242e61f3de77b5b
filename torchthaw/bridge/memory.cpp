/* memory.cpp: the allocator of TH storages that lie on PyTorch's own. */
#include "memory.h"

#include "guard.h"
#include "storage.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <utility>

namespace bridge {

namespace {

Memory memories = {nullptr, nullptr, false, nullptr, &memories, &memories};
int kept_count; /* memories without a slot */

class Gil {
public:
    Gil() : state_(PyGILState_Ensure()) {}
    ~Gil() { PyGILState_Release(state_); }

private:
    PyGILState_STATE state_;
};

Memory *new_memory(Slot *slot, THStorage *th) {
    auto *memory = static_cast<Memory *>(std::malloc(sizeof(Memory)));
    if (memory == nullptr) return PyErr_NoMemory(), nullptr;
    *memory = {nullptr, slot, false, th, &memories, memories.next};
    memories.next->previous = memory;
    memories.next = memory;
    return memory;
}

void delete_memory(Memory *memory) {
    memory->previous->next = memory->next;
    memory->next->previous = memory->previous;
    if (memory->slot == nullptr) {
        --kept_count;
        Py_DECREF(memory->tensor);
    }
    std::free(memory);
}

/* The exception that is set, as a C++ exception for the guard around the call. */
[[noreturn]] void throw_python_error() {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    PyObject *text = value == nullptr ? nullptr : PyObject_Str(value);
    PyObject *bytes = text == nullptr ? nullptr : PyUnicode_AsUTF8String(text);
    const char *characters = bytes == nullptr ? nullptr : PyBytes_AsString(bytes);
    std::string message = characters == nullptr ? "resizing failed" : characters;
    Py_XDECREF(bytes);
    Py_XDECREF(text);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
    PyErr_Clear();
    throw_error(message);
}

void *torch_realloc(void *context, void *, ptrdiff_t size) {
    if (!Py_IsInitialized()) throw_error("Trying to resize a tensor of Python's after its end");
    Gil gil;
    auto *memory = static_cast<Memory *>(context);
    Resized storage;
    if (!resize_storage(memory->tensor, memory->whole, size, &storage)) throw_python_error();
    const int64_t had = storage.bytes_before, needed = storage.offset + size;
    if (needed > had) std::memset(storage.now + had, 0, static_cast<size_t>(needed - had));
    if (storage.before != storage.now && storage.before != nullptr) {
        for (Memory *other = memories.next; other != &memories; other = other->next) {
            auto *data = static_cast<char *>(other->th->data);
            if (other != memory && data >= storage.before && data - storage.before < had) {
                other->th->data = storage.now + (data - storage.before);
            }
        }
    }
    return storage.now + storage.offset;
}

void *torch_malloc(void *context, ptrdiff_t size) { return torch_realloc(context, nullptr, size); }

void torch_free(void *context, void *) {
    if (!Py_IsInitialized()) return; /* a static object's destructor, after Python's end */
    Gil gil;
    delete_memory(static_cast<Memory *>(context));
}

const THAllocator torch_allocator = {torch_malloc, torch_realloc, torch_free};

bool decrement(int *count) { return __atomic_sub_fetch(count, 1, __ATOMIC_ACQ_REL) == 0; }

}  // namespace

void free_storage(THStorage *th) {
    if (th == nullptr || !(th->flag & TH_REFCOUNTED) || !decrement(&th->refcount)) return;
    if (th->flag & TH_FREEMEM) th->allocator->free(th->context, th->data);
    if (th->flag & TH_VIEW) free_storage(th->view);
    std::free(th);
}

void free_tensor(THTensor *th) {
    if (!decrement(&th->refcount)) return;
    std::free(th->size);
    std::free(th->stride);
    free_storage(th->storage);
    std::free(th);
}

THStorage *new_storage(Slot *slot) {
    auto *th = static_cast<THStorage *>(std::calloc(1, sizeof(THStorage)));
    if (th == nullptr) return PyErr_NoMemory(), nullptr;
    Memory *memory = new_memory(slot, th);
    if (memory == nullptr) return std::free(th), nullptr;
    *th = {nullptr, 0, 1, TH_REFCOUNTED | TH_RESIZABLE | TH_FREEMEM | TH_LENT, &torch_allocator, memory, nullptr};
    return th;
}

void keep(Memory *memory, PyObject *tensor) {
    memory->tensor = tensor;
    memory->slot = nullptr;
    ++kept_count;
}

Memory *move_to_torch(THStorage *th, int code, int bits) {
    if (th->allocator == &torch_allocator) return static_cast<Memory *>(th->context);
    unsigned long long address;
    PyObject *found = call_python("allocate", "(iin)", code, bits, static_cast<Py_ssize_t>(th->size));
    PyObject *tensor;
    if (found == nullptr || !PyArg_ParseTuple(found, "OK", &tensor, &address)) return Py_XDECREF(found), nullptr;
    Memory *memory = new_memory(nullptr, th);
    if (memory != nullptr) {
        Py_INCREF(tensor);
        keep(memory, tensor);
        void *data = reinterpret_cast<void *>(static_cast<uintptr_t>(address));
        if (th->size > 0) std::memcpy(data, th->data, static_cast<size_t>(th->size) * static_cast<size_t>(bits) / 8);
        if (th->flag & TH_FREEMEM) th->allocator->free(th->context, th->data);
        th->data = data;
        th->allocator = &torch_allocator;
        th->context = memory;
        th->flag |= TH_RESIZABLE | TH_FREEMEM | TH_LENT;
    }
    Py_DECREF(found);
    return memory;
}

bool refresh_kept() {
    if (kept_count == 0) return true;
    /* The Python code below may let another thread run, which keeps more or lets go of some. */
    std::map<std::pair<PyObject *, bool>, void *> addresses;
    for (Memory *memory = memories.next; memory != &memories; memory = memory->next) {
        if (memory->slot != nullptr) continue;
        if (addresses.emplace(std::make_pair(memory->tensor, memory->whole), nullptr).second) Py_INCREF(memory->tensor);
    }
    bool found = true;
    for (auto &each : addresses) {
        PyObject *address = found ? call_python("address", "(Oi)", each.first.first, each.first.second) : nullptr;
        if (address == nullptr) found = false;
        else each.second = PyLong_AsVoidPtr(address);
        Py_XDECREF(address);
    }
    for (Memory *memory = memories.next; found && memory != &memories; memory = memory->next) {
        if (memory->slot != nullptr) continue;
        const auto each = addresses.find({memory->tensor, memory->whole});
        if (each != addresses.end()) memory->th->data = each->second;
    }
    for (const auto &each : addresses) Py_DECREF(each.first.first);
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
