/* th/backing.h: TH storages that lie on PyTorch's own, which C can resize and keep. Every function here needs the GIL. */
#pragma once

#include <Python.h>

#include "structs.h"

namespace bridge {

struct Slot;

/* What a TH storage's allocator knows: the tensor on whose torch storage it lies. All of them are in one list, so that
 * a torch storage which moves takes every TH storage on it along. */
struct Memory {
    PyObject *tensor;  /* of a slot: its tensor; else owned, for C kept the TH storage */
    Slot *slot;        /* NULL: C kept the TH storage */
    PyObject *storage; /* all of which the TH storage shows; owned. NULL: it begins where the tensor does */
    int64_t bytes;     /* of that storage, when last seen */
    int element;       /* bytes of one */
    THStorage *th;
    Memory *previous, *next;
};

/* A TH storage on no torch storage yet, with a memory that belongs to `slot`. NULL with an exception set. */
THStorage *new_storage(Slot *slot);

/* Whether a TH storage lies on a torch storage on a GPU. */
bool is_on_cuda(const THStorage *th);

/* The TH storage of a slot is for tensors on a CUDA device from now on, or on the CPU: -1. */
void place(THStorage *th, int device);

/* From now on the memory is its TH storage's, which C kept: `tensor`, whose reference it takes, marks its beginning. */
void keep(Memory *memory, PyObject *tensor);

/* The TH storage shows all of `storage`, whose reference the memory takes, from where it begins: `data`. */
void show_all(Memory *memory, PyObject *storage, void *data, int64_t bytes);

/* Where storages that C kept lie now: Python may have resized them since. False with an exception set. */
bool refresh_kept();

/* A TH storage of any origin lies on a torch storage from now on, on the same device. NULL with an exception set. */
Memory *move_to_torch(THStorage *th, int code, int bits, bool on_cuda);

/* torchthaw.bridge.th.<name>, a new reference. */
PyObject *th_attribute(const char *name);

/* torchthaw.bridge.th.<name>(*arguments by Py_BuildValue format), a new reference. */
PyObject *call_python(const char *name, const char *format, ...);

}  // namespace bridge
