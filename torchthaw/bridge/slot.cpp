/* slot.cpp: fills TH structs from torch tensors, lets C resize PyTorch's own storages, and hands over what C keeps. */
#include "slot.h"

#include "guard.h"
#include "tensor.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <new>
#include <string>

namespace bridge {

/* What a TH storage's allocator knows: the tensor on whose storage it lies, `offset` bytes from its beginning.
 * All of them are in one list, so that a storage which moves takes every TH storage on it along. */
struct Memory {
    PyObject *tensor;
    bool owned; /* C kept the TH storage: it keeps the tensor */
    THStorage *th;
    Memory *previous, *next;
};

namespace {

enum { REFCOUNTED = 1, RESIZABLE = 2, FREEMEM = 4, VIEW = 8, UNWRITTEN = 64 /* libth clears it when it writes */ };

Memory memories = {nullptr, false, nullptr, &memories, &memories};
int kept_count; /* memories that are owned */
Slot *idle;

class Gil {
public:
    Gil() : state_(PyGILState_Ensure()) {}
    ~Gil() { PyGILState_Release(state_); }

private:
    PyGILState_STATE state_;
};

Memory *new_memory(PyObject *tensor, THStorage *th) {
    auto *memory = static_cast<Memory *>(std::malloc(sizeof(Memory)));
    if (memory == nullptr) return nullptr;
    *memory = {tensor, false, th, &memories, memories.next};
    memories.next->previous = memory;
    memories.next = memory;
    return memory;
}

void delete_memory(Memory *memory) {
    memory->previous->next = memory->next;
    memory->next->previous = memory->previous;
    if (memory->owned) {
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
    unsigned long long before, after;
    Py_ssize_t offset, had;
    PyObject *found = call_python("resize", "(On)", memory->tensor, static_cast<Py_ssize_t>(size));
    if (found == nullptr || !PyArg_ParseTuple(found, "KKnn", &before, &after, &offset, &had)) {
        Py_XDECREF(found);
        throw_python_error();
    }
    Py_DECREF(found);
    auto *base = reinterpret_cast<char *>(static_cast<uintptr_t>(after));
    const Py_ssize_t needed = offset + size;
    if (needed > had) std::memset(base + had, 0, static_cast<size_t>(needed - had));
    if (before != after && before != 0) {
        for (Memory *other = memories.next; other != &memories; other = other->next) {
            const auto data = reinterpret_cast<uintptr_t>(other->th->data);
            if (other != memory && data >= before && data - before < static_cast<uintptr_t>(had)) {
                other->th->data = base + (data - before);
            }
        }
    }
    return base + offset;
}

void *torch_malloc(void *context, ptrdiff_t size) { return torch_realloc(context, nullptr, size); }

void torch_free(void *context, void *) {
    if (!Py_IsInitialized()) return; /* a static object's destructor, after Python's end */
    Gil gil;
    delete_memory(static_cast<Memory *>(context));
}

const THAllocator torch_allocator = {torch_malloc, torch_realloc, torch_free};

bool decrement(int *count) { return __atomic_sub_fetch(count, 1, __ATOMIC_ACQ_REL) == 0; }
int load(const int *count) { return __atomic_load_n(count, __ATOMIC_ACQUIRE); }

void free_storage(THStorage *th) {
    if (th == nullptr || !(th->flag & REFCOUNTED) || !decrement(&th->refcount)) return;
    if (th->flag & FREEMEM) th->allocator->free(th->context, th->data);
    if (th->flag & VIEW) free_storage(th->view);
    std::free(th);
}

void free_tensor(THTensor *th) {
    if (!decrement(&th->refcount)) return;
    std::free(th->size);
    std::free(th->stride);
    free_storage(th->storage);
    std::free(th);
}

/* Structs for a slot: one reference on the tensor, and on the storage the slot's own besides the tensor's. */
bool make_structs(Slot *slot) {
    auto *th = static_cast<THTensor *>(std::calloc(1, sizeof(THTensor)));
    auto *storage = static_cast<THStorage *>(std::calloc(1, sizeof(THStorage)));
    Memory *memory = th && storage ? new_memory(nullptr, storage) : nullptr;
    if (memory == nullptr) {
        std::free(th);
        std::free(storage);
        return PyErr_NoMemory(), false;
    }
    *storage = {nullptr, 0, 2, REFCOUNTED | RESIZABLE | FREEMEM, &torch_allocator, memory, nullptr};
    th->storage = storage;
    th->refcount = 1;
    th->flag = REFCOUNTED;
    slot->th = th;
    slot->memory = memory;
    return true;
}

/* Sizes and strides of `layout` into the struct: a number is one element, no elements are no dimensions. */
bool fill(THTensor *th, const Layout &layout) {
    static const int64_t one = 1;
    int dimensions = layout.dimensions;
    const int64_t *size = layout.size, *stride = layout.stride;
    if (layout.count == 0) dimensions = 0;
    else if (dimensions == 0) dimensions = 1, size = stride = &one;
    if (dimensions > th->dimensions || th->size == nullptr) {
        const size_t bytes = sizeof(int64_t) * static_cast<size_t>(std::max(dimensions, 1));
        void *sizes = std::realloc(th->size, bytes);
        if (sizes != nullptr) th->size = static_cast<int64_t *>(sizes);
        void *strides = std::realloc(th->stride, bytes);
        if (strides != nullptr) th->stride = static_cast<int64_t *>(strides);
        if (sizes == nullptr || strides == nullptr) return PyErr_NoMemory(), false;
    }
    th->dimensions = dimensions;
    int64_t extent = layout.count == 0 ? 0 : 1, row_major = 1;
    for (int i = dimensions; i-- > 0;) {
        th->size[i] = size[i];
        th->stride[i] = stride == nullptr ? row_major : stride[i];
        row_major *= size[i];
        extent += (size[i] - 1) * th->stride[i];
    }
    th->offset = 0;
    th->storage->data = layout.count == 0 ? nullptr : layout.data;
    th->storage->size = extent;
    th->storage->flag |= UNWRITTEN;
    return true;
}

/* A TH storage of any origin lies on a torch storage from now on. The tensor at the beginning of it, borrowed. */
PyObject *move_to_torch(THStorage *th, int code, int bits) {
    if (th->allocator == &torch_allocator) return static_cast<Memory *>(th->context)->tensor;
    unsigned long long address;
    PyObject *found = call_python("allocate", "(iin)", code, bits, static_cast<Py_ssize_t>(th->size));
    PyObject *tensor;
    if (found == nullptr || !PyArg_ParseTuple(found, "OK", &tensor, &address)) return Py_XDECREF(found), nullptr;
    Py_INCREF(tensor);
    Py_DECREF(found);
    Memory *memory = new_memory(tensor, th);
    if (memory == nullptr) {
        Py_DECREF(tensor);
        PyErr_NoMemory();
        return nullptr;
    }
    memory->owned = true;
    ++kept_count;
    void *data = reinterpret_cast<void *>(static_cast<uintptr_t>(address));
    if (th->size > 0) std::memcpy(data, th->data, static_cast<size_t>(th->size) * static_cast<size_t>(bits) / 8);
    if (th->flag & FREEMEM) th->allocator->free(th->context, th->data);
    th->data = data;
    th->allocator = &torch_allocator;
    th->context = memory;
    th->flag |= RESIZABLE | FREEMEM;
    return tensor;
}

PyObject *integers(const int64_t *values, int count) {
    PyObject *tuple = PyTuple_New(count);
    for (int i = 0; tuple != nullptr && i < count; ++i) PyTuple_SetItem(tuple, i, PyLong_FromLongLong(values[i]));
    return tuple;
}

/* th.show(tensor or None, anchor, offset, sizes, strides): a tensor of that layout on the anchor's storage. */
PyObject *show(PyObject *tensor, PyObject *anchor, const THTensor *th) {
    PyObject *size = integers(th->size, th->dimensions), *stride = integers(th->stride, th->dimensions);
    PyObject *shown = nullptr;
    if (size != nullptr && stride != nullptr) {
        shown = call_python("show", "(OOnOO)", tensor, anchor, static_cast<Py_ssize_t>(th->offset), size, stride);
    }
    Py_XDECREF(size);
    Py_XDECREF(stride);
    return shown;
}

bool same_layout(const THTensor *th, const Layout &layout) {
    if (th->dimensions == 0 || layout.count == 0) return th->dimensions == 0 && layout.count == 0;
    if (th->offset != 0) return false;
    if (layout.dimensions == 0) return th->dimensions == 1 && th->size[0] == 1;
    if (th->dimensions != layout.dimensions) return false;
    int64_t row_major = 1;
    for (int i = th->dimensions; i-- > 0;) {
        if (th->size[i] != layout.size[i]) return false;
        if (th->stride[i] != (layout.stride == nullptr ? row_major : layout.stride[i])) return false;
        row_major *= layout.size[i];
    }
    return true;
}

/* Sizes, strides and storage that C gave the tensor become the torch tensor's. */
bool write_back(Slot *slot, THStorage *own) {
    THTensor *th = slot->th;
    if (slot->is_storage()) return true; /* its size is the torch storage's own */
    if (th->storage == own || th->storage == nullptr) {
        Layout layout;
        if (!read_layout(slot->tensor, &layout)) return false;
        if (same_layout(th, layout)) return true;
    }
    PyObject *anchor = slot->tensor;
    if (th->storage != nullptr) anchor = move_to_torch(th->storage, slot->code, slot->bits);
    PyObject *shown = anchor == nullptr ? nullptr : show(slot->tensor, anchor, th);
    Py_XDECREF(shown);
    return shown != nullptr;
}

/* C kept a reference to the structs: they are its own now, and hold PyTorch's memory. */
bool hand_over(Slot *slot, THStorage *own) {
    PyObject *anchor = call_python("alias", "(O)", slot->tensor);
    if (anchor == nullptr) {
        PyErr_Clear();
        Py_INCREF(anchor = slot->tensor);
    }
    slot->memory->tensor = anchor;
    slot->memory->owned = true;
    ++kept_count;
    free_tensor(slot->th);
    free_storage(own);
    slot->th = nullptr;
    return make_structs(slot);
}

}  // namespace

bool refresh_kept() {
    if (kept_count == 0) return true;
    /* The Python code below may let another thread run, which keeps more or lets go of some. */
    std::map<PyObject *, void *> addresses;
    for (Memory *memory = memories.next; memory != &memories; memory = memory->next) {
        if (memory->owned && addresses.emplace(memory->tensor, nullptr).second) Py_INCREF(memory->tensor);
    }
    bool found = true;
    for (auto &each : addresses) {
        PyObject *address = found ? call_python("address", "(O)", each.first) : nullptr;
        if (address == nullptr) found = false;
        else each.second = PyLong_AsVoidPtr(address);
        Py_XDECREF(address);
    }
    for (Memory *memory = memories.next; found && memory != &memories; memory = memory->next) {
        const auto each = memory->owned ? addresses.find(memory->tensor) : addresses.end();
        if (each != addresses.end()) memory->th->data = each->second;
    }
    for (const auto &each : addresses) Py_DECREF(each.first);
    return found;
}

PyObject *call_python(const char *name, const char *format, ...) {
    static PyObject *module = nullptr;
    if (module == nullptr) module = PyImport_ImportModule("torchthaw.bridge.th");
    PyObject *function = module == nullptr ? nullptr : PyObject_GetAttrString(module, name);
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

const char *real_name(int code, int bits) {
    static const struct {
        int code, bits;
        const char *name;
    } reals[] = {{1, 8, "Byte"}, {0, 8, "Char"},   {0, 16, "Short"}, {0, 32, "Int"},
                 {0, 64, "Long"}, {2, 32, "Float"}, {2, 64, "Double"}, {2, 16, "Half"}};
    for (const auto &real : reals)
        if (real.code == code && real.bits == bits) return real.name;
    return nullptr;
}

bool is_storage(PyObject *object) {
    static PyObject *types = nullptr;
    if (types == nullptr) types = call_python("storage_types", "()");
    return types != nullptr && PyObject_IsInstance(object, types) > 0;
}

namespace {

/* Whether a tensor without elements, whose address tells nothing, is one of memory. */
bool has_memory(PyObject *tensor) {
    if (is_plain_tensor(tensor)) return true;
    PyObject *answer = call_python("has_memory", "(O)", tensor);
    Py_XDECREF(answer);
    return answer == Py_True;
}

}  // namespace

Slot *take_slot(PyObject *argument) {
    PyObject *tensor = argument;
    if (is_tensor(argument)) {
        Py_INCREF(tensor);
    } else {
        tensor = call_python("tensor_of", "(O)", argument);
        if (tensor == nullptr) return nullptr;
    }
    Layout layout;
    Slot *slot = nullptr;
    PyObject *refused = nullptr;
    if (!read_layout(tensor, &layout) || !layout.on_cpu || real_name(layout.code, layout.bits) == nullptr ||
        (layout.data == nullptr && layout.count != 0) || (layout.count == 0 && !has_memory(tensor))) {
        refused = argument;
    } else {
        Tensor simple = {layout.data, layout.count, false, true, layout.code, layout.bits};
        if (layout.count != 0 && is_lazy(tensor, simple) != 0) refused = argument;
    }
    if (refused != nullptr) {
        PyErr_Clear();
        Py_XDECREF(call_python("refuse", "(O)", argument));
        Py_DECREF(tensor);
        return nullptr;
    }
    slot = idle;
    if (slot != nullptr) {
        idle = slot->next;
    } else {
        slot = static_cast<Slot *>(std::calloc(1, sizeof(Slot)));
        if (slot == nullptr || !make_structs(slot)) {
            std::free(slot);
            Py_DECREF(tensor);
            if (!PyErr_Occurred()) PyErr_NoMemory();
            return nullptr;
        }
    }
    slot->argument = argument;
    slot->tensor = slot->memory->tensor = tensor;
    slot->code = layout.code;
    slot->bits = layout.bits;
    slot->next = nullptr;
    if (!fill(slot->th, layout)) {
        give_back(slot);
        return nullptr;
    }
    return slot;
}

bool finish_slot(Slot *slot, bool succeeded) {
    THStorage *own = slot->memory->th;
    const bool written = (own->flag & UNWRITTEN) == 0;
    const bool noted = !written || slot->is_storage() || bump_versions(&slot->tensor, 1);
    bool done = noted && (!succeeded || write_back(slot, own));
    const bool moved = slot->th->storage != own;
    if (load(&slot->th->refcount) != 1 || load(&own->refcount) != (moved ? 1 : 2) || moved ||
        !(own->flag & RESIZABLE) || own->context != slot->memory) {
        PyObject *type, *value, *traceback;
        PyErr_Fetch(&type, &value, &traceback);
        const bool handed = hand_over(slot, own);
        if (type != nullptr) {
            PyErr_Restore(type, value, traceback);
        } else if (!handed) {
            done = false;
        }
    }
    return done;
}

void give_back(Slot *slot) {
    PyObject *tensor = slot->tensor;
    if (slot->th == nullptr) {
        std::free(slot);
    } else {
        slot->tensor = slot->argument = slot->memory->tensor = nullptr;
        slot->th->storage->data = nullptr;
        slot->next = idle;
        idle = slot;
    }
    Py_XDECREF(tensor);
}

PyObject *adopt(THTensor *th, int code, int bits) {
    PyObject *anchor = nullptr, *tensor = nullptr;
    if (th->storage == nullptr) {
        tensor = call_python("empty", "(ii)", code, bits);
    } else {
        anchor = move_to_torch(th->storage, code, bits);
        tensor = anchor == nullptr ? nullptr : show(Py_None, anchor, th);
    }
    free_tensor(th);
    return tensor;
}

PyObject *adopt_storage(THStorage *th, int code, int bits) {
    PyObject *anchor = move_to_torch(th, code, bits);
    PyObject *storage = anchor == nullptr ? nullptr : call_python("storage_of", "(O)", anchor);
    free_storage(th);
    return storage;
}

}  // namespace bridge
