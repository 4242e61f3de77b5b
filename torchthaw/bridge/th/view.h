/* th/view.h: the TH and THC structs through which C sees torch tensors for the time of a call. */
#pragma once

#include "backing.h"

namespace bridge {

/* One tensor in one call. Idle slots wait, with their structs, for the next. Every function here needs the GIL. */
struct Slot {
    Slot *next;         /* of a call: the one before it */
    PyObject *argument; /* what the caller passed; borrowed */
    PyObject *tensor;   /* the same, or a tensor over the storage that was passed; owned */
    Memory *memory;     /* of the slot's own TH storage, which waits while it shows that of another */
    THTensor *th;
    THStorage *under;   /* the TH storage that it shows: its own, or that of its host */
    Slot *host;         /* the slot itself, or one before it in the call on the same torch storage */
    int on_it;          /* of a host: how many slots show its TH storage */
    bool kept;          /* of a host: C kept some of the structs, or put one on another TH storage */
    int code, bits;     /* the dtype, as DLPack has it */
    int device;         /* a CUDA device; -1: the CPU */
    int64_t *shown;     /* size and stride of each dimension, as PyTorch has them */
    int shown_room, shown_dimensions;
    ptrdiff_t shown_offset;

    bool on_cuda() const { return device >= 0; }
    bool is_storage() const { return argument != tensor; }
    void *pointer() const { return is_storage() ? static_cast<void *>(th->storage) : th; }
};

/* A slot whose structs show `argument`, a tensor or a storage, before the `others` of the call. NULL with an exception
 * for what C cannot see. Of a tensor's torch storage they show as much as the tensor covers, from an offset of 0; where
 * C is `exact`, all, and slots of one dtype on one torch storage show one TH storage. */
Slot *take_slot(PyObject *argument, bool is_storage, bool exact, Slot *others);

/* Ends the call for its slots. Where it succeeded, sizes that C changed become the tensors'. What C retained stays
 * valid and keeps PyTorch's memory. False with an exception set. */
bool finish_slots(Slot *slots, bool succeeded);

/* Takes back a reference to what the slot shows, where C holds one. */
void give_up_reference(Slot *slot);

/* The idle slot is the next call's. Those that show another's TH storage go before it. */
void give_back(Slot *slot);

/* A new torch tensor for a struct that C returned, whose reference it takes. */
PyObject *adopt(THTensor *th, int code, int bits, bool on_cuda);
PyObject *adopt_storage(THStorage *th, int code, int bits, bool on_cuda);

/* The Real of a dtype, such as "Float"; NULL for one that TH does not have. */
const char *real_name(int code, int bits);

/* Whether `object` is a torch storage. */
bool is_storage(PyObject *object);

}  // namespace bridge
