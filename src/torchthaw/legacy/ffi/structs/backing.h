/* structs/backing.h: TH storages on torch storages, which C can resize and retain. Every function needs the GIL. */
#pragma once

#include "bridge/python.h"
#include "structs.h"

namespace bridge {

struct View;

/* What a TH storage's allocator knows: the torch storage that backs it, by a tensor on that. All of them are in one
 * list, so that a torch storage which moves takes every TH storage on it along. */
struct Backing {
    PyObject *tensor;  /* of a view: its tensor; else owned, for C retained the TH storage */
    View *view;        /* NULL: C retained the TH storage */
    PyObject *storage; /* the torch storage, where the TH storage covers it in full; owned. NULL: the TH storage begins
                        * where the tensor does */
    int64_t bytes;     /* of that storage, when last seen */
    int element;       /* bytes of one */
    THStorage *th;
    char *data; /* th->data as the bridge last set it. That itself belongs to the thread whose call has the TH storage,
                 * which may change it without the GIL */
    Backing *previous, *next;

    bool is_full() const { return storage != nullptr; }
    void put(void *at) { th->data = data = static_cast<char *>(at); }
};

/* A TH storage on no torch storage yet, with a backing that belongs to `view`. NULL with an exception set. */
THStorage *new_storage(View *view);

/* Whether a TH storage lies on a torch storage on a GPU. */
bool is_on_cuda(const THStorage *th);

/* The TH storage of a view is for tensors on a CUDA device from now on, or on the CPU: -1. */
void place(THStorage *th, int device);

/* From now on the backing is that of a retained TH storage; `tensor` marks its beginning. */
void retain(Backing *backing, Ref tensor);

/* The TH storage covers a torch storage in full, from where that begins: `data`. */
void cover(Backing *backing, Ref storage, void *data, int64_t bytes);

/* Where retained TH storages lie now: Python may have resized them since. False with an exception set. */
bool refresh_retained();

/* A TH storage of any origin lies on a torch storage from now on, on the same device. NULL with an exception set. */
Backing *move_to_torch(THStorage *th, int code, int bits, bool on_cuda);

}  // namespace bridge
