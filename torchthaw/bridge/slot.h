/* slot.h: the TH structs through which C sees torch tensors for the time of a call. */
#pragma once

#include <Python.h>

#include <cstddef>
#include <cstdint>

namespace bridge {

struct Memory;

struct THAllocator {
    void *(*malloc)(void *context, ptrdiff_t size);
    void *(*realloc)(void *context, void *pointer, ptrdiff_t size);
    void (*free)(void *context, void *pointer);
};

/* TH<Real>Storage and TH<Real>Tensor, of any Real; TH/generic has the originals. */
struct THStorage {
    void *data;
    ptrdiff_t size; /* in elements */
    int refcount;
    char flag;
    const THAllocator *allocator;
    void *context;
    THStorage *view;
};

struct THTensor {
    int64_t *size, *stride;
    int dimensions;
    THStorage *storage;
    ptrdiff_t offset;
    int refcount;
    char flag;
};

/* One tensor in one call. Idle slots wait, with their structs, for the next. Every function here needs the GIL. */
struct Slot {
    Slot *next;
    PyObject *argument; /* what the caller passed; borrowed */
    PyObject *tensor;   /* the same, or a tensor over the storage that was passed; owned */
    Memory *memory;
    THTensor *th;
    int code, bits; /* the dtype, as DLPack has it */

    bool is_storage() const { return argument != tensor; }
    void *pointer() const { return is_storage() ? static_cast<void *>(th->storage) : th; }
};

/* Where storages that C kept lie now: Python may have resized them since. False with an exception set. */
bool refresh_kept();

/* A slot whose structs show `argument`, a tensor or a storage. NULL with an exception for what C cannot see. */
Slot *take_slot(PyObject *argument);

/* Ends the call for one slot. Where it succeeded, sizes that C changed become the tensor's. What C retained stays
 * valid and keeps PyTorch's memory. False with an exception set. */
bool finish_slot(Slot *slot, bool succeeded);

/* The idle slot is the next call's. */
void give_back(Slot *slot);

/* A new torch tensor for a struct that C returned, whose reference it takes. */
PyObject *adopt(THTensor *th, int code, int bits);
PyObject *adopt_storage(THStorage *th, int code, int bits);

/* The Real of a dtype, such as "Float"; NULL for one that TH does not have. */
const char *real_name(int code, int bits);

/* Whether `object` is a torch storage. */
bool is_storage(PyObject *object);

/* torchthaw.bridge.th.<name>(*arguments by Py_BuildValue format), a new reference. */
PyObject *call_python(const char *name, const char *format, ...);

}  // namespace bridge
