/* th/view.cpp: fills TH structs from tensors, gives tensors what C made of the structs, and hands over what it keeps. */
#include "view.h"

#include "torch_storage.h"
#include "../tensor.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace bridge {

namespace {

Slot *idle;

int load(const int *count) { return __atomic_load_n(count, __ATOMIC_ACQUIRE); }

/* A TH storage for a slot: with one reference of the slot, and one of its tensor. */
bool make_storage(Slot *slot) {
    THStorage *storage = new_storage(slot);
    slot->memory = storage == nullptr ? nullptr : static_cast<Memory *>(storage->context);
    if (storage != nullptr) storage->refcount = 2;
    return storage != nullptr;
}

/* A TH tensor for a slot, on its own TH storage. */
bool make_tensor(Slot *slot) {
    auto *th = slot->th = static_cast<THTensor *>(std::calloc(1, sizeof(THTensor)));
    if (th == nullptr) return PyErr_NoMemory(), false;
    th->storage = slot->memory->th;
    th->refcount = 1;
    th->flag = TH_REFCOUNTED;
    return true;
}

bool grow(int64_t **numbers, int count) {
    void *grown = std::realloc(*numbers, sizeof(int64_t) * static_cast<size_t>(std::max(count, 1)));
    if (grown == nullptr) return PyErr_NoMemory(), false;
    *numbers = static_cast<int64_t *>(grown);
    return true;
}

bool grow_shown(Slot *slot, int dimensions) {
    if (2 * dimensions <= slot->shown_room) return true;
    if (!grow(&slot->shown, 2 * dimensions)) return false;
    slot->shown_room = 2 * dimensions;
    return true;
}

bool is_as_shown(const Slot *slot) {
    const THTensor *th = slot->th;
    const int dimensions = th->dimensions;
    if (dimensions != slot->shown_dimensions) return false;
    if (dimensions != 0 && th->offset != slot->shown_offset) return false;
    for (int i = 0; i < dimensions; ++i) {
        if (th->size[i] != slot->shown[2 * i] || th->stride[i] != slot->shown[2 * i + 1]) return false;
    }
    return true;
}

/* Of the slots before it, that which shows all of this torch storage as the slot would; else the slot itself. */
Slot *find_host(Slot *slot, Slot *others, const PyObject *storage) {
    for (; others != nullptr; others = others->next) {
        if (others->memory->storage == storage && others->code == slot->code && others->bits == slot->bits) {
            return others;
        }
    }
    return slot;
}

/* All of the torch storage below a tensor of `extent` elements into the structs. False with an exception set. */
bool fill_all(Slot *slot, void *data, int64_t extent, Slot *others) {
    Window window;
    slot->memory->element = slot->bits / 8;
    if (!read_window(slot->tensor, data, extent, slot->memory->element, &window)) return false;
    slot->th->offset = slot->shown_offset = static_cast<ptrdiff_t>(window.offset);
    Slot *host = find_host(slot, others, window.storage);
    if (host == slot) {
        show_all(slot->memory, window.storage, window.data, window.bytes);
    } else {
        Py_DECREF(window.storage);
        slot->host = host;
        slot->under = slot->th->storage = host->under;
        slot->under->refcount++;
        host->on_it++;
    }
    return true;
}

/* Sizes and strides of `layout` into the struct: a number is one element, no elements are no dimensions. */
bool fill(Slot *slot, const Layout &layout, bool exact, Slot *others) {
    static const int64_t one = 1;
    THTensor *th = slot->th;
    int dimensions = layout.dimensions;
    const int64_t *size = layout.size, *stride = layout.stride;
    if (layout.count == 0) dimensions = 0;
    else if (dimensions == 0) dimensions = 1, size = stride = &one;
    if (dimensions > th->dimensions || th->size == nullptr) {
        if (!grow(&th->size, dimensions) || !grow(&th->stride, dimensions)) return false;
    }
    if (!grow_shown(slot, dimensions)) return false;
    th->dimensions = slot->shown_dimensions = dimensions;
    int64_t extent = layout.count == 0 ? 0 : 1, row_major = 1;
    for (int i = dimensions; i-- > 0;) {
        const int64_t step = stride == nullptr ? row_major : stride[i];
        th->size[i] = slot->shown[2 * i] = size[i];
        th->stride[i] = slot->shown[2 * i + 1] = step;
        row_major *= size[i];
        extent += (size[i] - 1) * step;
    }
    void *data = layout.count == 0 ? nullptr : layout.data;
    THStorage *own = th->storage;
    if (own->device != slot->device) place(own, slot->device);
    own->data = data;
    own->size = static_cast<ptrdiff_t>(extent);
    own->flag |= TH_UNWRITTEN;
    th->offset = slot->shown_offset = 0;
    slot->under = own;
    return !exact || fill_all(slot, data, extent, others);
}

/* th.show(tensor or None, anchor, whole, offset, sizes, strides): a tensor of that layout on the anchor's storage. */
PyObject *show(PyObject *tensor, const Memory *anchor, const THTensor *th) {
    PyObject *size = integers(th->size, th->dimensions), *stride = integers(th->stride, th->dimensions);
    PyObject *shown = nullptr;
    if (size != nullptr && stride != nullptr) {
        shown = call_python("show", "(OOinOO)", tensor, anchor->tensor, anchor->storage != nullptr,
                            static_cast<Py_ssize_t>(th->offset), size, stride);
    }
    Py_XDECREF(size);
    Py_XDECREF(stride);
    return shown;
}

/* Whether the struct shows the tensor's own memory from where it began, row by row. */
bool is_row_major(const Slot *slot) {
    const THTensor *th = slot->th;
    if (th->storage != slot->under || th->offset != slot->shown_offset) return false;
    int64_t row_major = 1;
    for (int i = th->dimensions; i-- > 0;) {
        if (th->stride[i] != row_major) return false;
        row_major *= th->size[i];
    }
    return th->offset + row_major <= th->storage->size;
}

/* Sizes, strides and storage that C gave the tensor become the torch tensor's. */
bool write_back(Slot *slot) {
    const THTensor *th = slot->th;
    if (slot->is_storage()) return true; /* its size is the torch storage's own */
    if ((th->storage == slot->under || th->storage == nullptr) && is_as_shown(slot)) return true;
    if (is_row_major(slot)) {
        const int resized = resize_tensor(slot->tensor, th->size, th->dimensions);
        if (resized != 0) return resized > 0;
    }
    const Memory *anchor = slot->host->memory;
    if (th->storage != nullptr) anchor = move_to_torch(th->storage, slot->code, slot->bits, slot->on_cuda());
    PyObject *shown = anchor == nullptr ? nullptr : show(slot->tensor, anchor, th);
    Py_XDECREF(shown);
    return shown != nullptr;
}

/* Whether C left the tensor's struct to the slot alone, and on the TH storage where it was. */
bool is_intact(const Slot *slot) { return load(&slot->th->refcount) == 1 && slot->th->storage == slot->under; }

/* Whether C left the TH storage of a host to the slots that show it. */
bool is_own(const Slot *host) {
    const THStorage *own = host->under;
    return load(&own->refcount) == 1 + host->on_it && (own->flag & TH_RESIZABLE) && own->context == host->memory;
}

/* The TH storage of a host is C's own from now on, and holds PyTorch's memory by a tensor that nobody moves. */
void hand_over(Slot *host) {
    PyObject *anchor = call_python("alias", "(O)", host->tensor);
    if (anchor == nullptr) {
        PyErr_Clear();
        Py_INCREF(anchor = host->tensor);
    }
    keep(host->memory, anchor);
}

/* New structs for a slot, in place of those that were handed over with its host's. */
bool renew(Slot *slot) {
    free_tensor(slot->th, slot->on_cuda());
    slot->th = nullptr;
    if (slot->host == slot) {
        free_storage(slot->memory->th, slot->on_cuda());
        if (!make_storage(slot)) return false;
    }
    slot->host = slot;
    return make_tensor(slot);
}

}  // namespace

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

/* Whether a transform of torch.func is going on; also where that cannot be told. */
bool is_transforming() {
    static PyObject *ask = nullptr;
    if (ask == nullptr) ask = th_attribute("transform_level");
    PyObject *level = ask == nullptr ? nullptr : PyObject_CallNoArgs(ask);
    Py_XDECREF(level);
    PyErr_Clear();
    return level != Py_None;
}

/* Whether a tensor without elements, whose address tells nothing, is one of memory. */
bool has_memory(PyObject *tensor) {
    if (is_plain_tensor(tensor) && !is_transforming()) return true; /* nearly always, and much faster */
    PyObject *answer = call_python("has_memory", "(O)", tensor);
    Py_XDECREF(answer);
    return answer == Py_True;
}

/* Whether C can see `tensor` as a TH struct. Where not, perhaps with an exception set. */
bool read_visible(PyObject *tensor, Layout *layout) {
    if (!read_layout(tensor, layout) || layout->device == ELSEWHERE) return false;
    if (real_name(layout->code, layout->bits) == nullptr) return false;
    if (layout->count == 0) return has_memory(tensor);
    const Tensor simple = {layout->data, layout->count, layout->device, false, layout->code, layout->bits};
    return layout->data != nullptr && is_lazy(tensor, simple) == 0;
}

/* Frees a slot that got no structs. */
void discard(Slot *slot) {
    if (slot->memory != nullptr) {
        slot->memory->th->refcount = 1;
        free_storage(slot->memory->th, is_on_cuda(slot->memory->th));
    }
    std::free(slot->shown);
    std::free(slot);
}

/* An idle slot or a new one. NULL with an exception set. */
Slot *any_slot() {
    Slot *slot = idle;
    if (slot != nullptr) {
        idle = slot->next;
        return slot;
    }
    slot = static_cast<Slot *>(std::calloc(1, sizeof(Slot)));
    if (slot == nullptr) return PyErr_NoMemory(), nullptr;
    if (make_storage(slot) && make_tensor(slot)) return slot;
    discard(slot);
    return nullptr;
}

}  // namespace

Slot *take_slot(PyObject *argument, bool is_storage, bool exact, Slot *others) {
    PyObject *tensor = is_storage ? call_python("tensor_of", "(O)", argument) : argument;
    if (tensor == nullptr) return nullptr;
    if (!is_storage) Py_INCREF(tensor);
    Layout layout;
    Slot *slot = nullptr;
    if (read_visible(tensor, &layout)) {
        slot = any_slot();
    } else {
        PyErr_Clear();
        Py_XDECREF(call_python("refuse", "(O)", argument));
    }
    if (slot == nullptr) return Py_DECREF(tensor), nullptr;
    slot->argument = argument;
    slot->tensor = slot->memory->tensor = tensor;
    slot->code = layout.code;
    slot->bits = layout.bits;
    slot->device = layout.device;
    slot->host = slot;
    slot->on_it = 1;
    slot->kept = false;
    if (fill(slot, layout, exact || is_storage, others)) return slot;
    give_back(slot);
    return nullptr;
}

bool finish_slots(Slot *slots, bool succeeded) {
    bool done = true, kept = false;
    for (Slot *slot = slots; slot != nullptr; slot = slot->next) { /* hosts come behind the others on them */
        if (!is_intact(slot)) slot->host->kept = true;
        if (slot->host == slot) {
            if (!is_own(slot)) slot->kept = true;
            if (slot->kept) kept = true, hand_over(slot); /* before the tensor moves */
        }
        const bool written = (slot->under->flag & TH_UNWRITTEN) == 0;
        if (done && written && !slot->is_storage()) done = bump_versions(&slot->tensor, 1);
    }
    for (Slot *slot = slots; done && succeeded && slot != nullptr; slot = slot->next) done = write_back(slot);
    if (!kept) return done;
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    for (Slot *slot = slots; slot != nullptr; slot = slot->next) {
        if (slot->host->kept && !renew(slot)) done = false;
    }
    if (type != nullptr) PyErr_Restore(type, value, traceback);
    return done;
}

void give_up_reference(Slot *slot) {
    int *count = slot->is_storage() ? &slot->under->refcount : &slot->th->refcount;
    const int own = slot->is_storage() ? 1 + slot->host->on_it : 1;
    if (load(count) > own) __atomic_sub_fetch(count, 1, __ATOMIC_ACQ_REL);
}

void give_back(Slot *slot) {
    PyObject *tensor = slot->tensor, *storage = nullptr;
    if (slot->th == nullptr) {
        discard(slot);
    } else {
        if (slot->host != slot) {
            __atomic_sub_fetch(&slot->th->storage->refcount, 1, __ATOMIC_ACQ_REL); /* its host's, which has more */
            slot->th->storage = slot->memory->th;
        }
        storage = slot->memory->storage;
        slot->tensor = slot->argument = slot->memory->tensor = slot->memory->storage = nullptr;
        slot->th->storage->data = nullptr;
        slot->next = idle;
        idle = slot;
    }
    Py_XDECREF(tensor);
    Py_XDECREF(storage);
}

PyObject *adopt(THTensor *th, int code, int bits, bool on_cuda) {
    PyObject *tensor = nullptr;
    if (th->storage == nullptr) {
        tensor = call_python("empty", "(iii)", code, bits, on_cuda);
    } else if (const Memory *anchor = move_to_torch(th->storage, code, bits, on_cuda)) {
        tensor = show(Py_None, anchor, th);
    }
    free_tensor(th, on_cuda);
    return tensor;
}

PyObject *adopt_storage(THStorage *th, int code, int bits, bool on_cuda) {
    const Memory *anchor = move_to_torch(th, code, bits, on_cuda);
    PyObject *storage = anchor == nullptr ? nullptr : call_python("storage_of", "(O)", anchor->tensor);
    free_storage(th, on_cuda);
    return storage;
}

}  // namespace bridge
