/* structs/view.h: the TH and THC structs through which C sees torch tensors for the time of a call. */
#pragma once

#include "backing.h"

namespace bridge {

/* One tensor in one call. Idle views wait, with their structs, for the next. Every function here needs the GIL. */
struct View {
    View *next;         /* of a call: the one before it */
    PyObject *argument; /* what the caller passed; borrowed */
    PyObject *tensor;   /* the same, or a tensor over the storage that was passed; owned */
    Backing *backing;   /* of the view's own TH storage, which is idle while the view lies on that of another */
    THTensor *th;
    THStorage *storage; /* the TH storage that it lies on: its owner's */
    View *owner;        /* the view itself, or one before it in the call on the same torch storage */
    int users;          /* of an owner: how many views lie on its TH storage */
    bool retained;      /* of an owner: C retained some of the structs, or put one on another TH storage */
    struct {            /* how many references C gave up in the call that were not its own, and got back */
        int here, below; /* to what it got; to the storage below a tensor that it got */
    } not_owned;
    int code, bits;     /* the dtype, as DLPack has it */
    int device;         /* a CUDA device; -1: the CPU */
    struct {            /* what C got in `th` */
        int64_t *numbers; /* size and stride of each dimension */
        int capacity, dimensions;
        ptrdiff_t offset;
    } given;

    bool on_cuda() const { return device >= 0; }
    bool is_storage() const { return argument != tensor; }
    void *pointer() const { return is_storage() ? static_cast<void *>(th->storage) : th; }
};

/* A view of `argument`, a tensor or a storage, linked before the `others` of the call. NULL with an exception for what
 * C cannot see. Its TH storage covers as much of the torch storage as the tensor does, from an offset of 0; `full`, all
 * of it, and views of one dtype on one torch storage have one TH storage. */
View *take_view(PyObject *argument, bool is_storage, bool full, View *others);

/* Ends the call for its views. Where it succeeded, sizes that C changed become the tensors'. What C retained stays
 * valid and holds PyTorch's memory. References that C gave up without owning them are put back, and `not_owned` becomes
 * true. False with an exception set. */
bool finish_views(View *views, bool succeeded, bool *not_owned);

/* Takes back a reference to what the view shows, where C holds one. */
void give_up_reference(View *view);

/* The idle view is the next call's. Those that lie on another's TH storage go before it. */
void give_back(View *view);

/* A new torch tensor for a struct that C returned, whose reference it takes. */
Ref adopt(THTensor *th, int code, int bits, bool on_cuda);
Ref adopt_storage(THStorage *th, int code, int bits, bool on_cuda);

/* The Real of a dtype, such as "Float"; NULL for one that TH does not have. */
const char *real_name(int code, int bits);

/* Whether `object` is a torch storage. */
bool is_storage(PyObject *object);

}  // namespace bridge
