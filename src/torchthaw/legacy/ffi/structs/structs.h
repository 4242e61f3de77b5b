/* structs/structs.h: the TH and THC structs of old C code, of any Real; their originals: TH/generic, THC/generic. */
#pragma once

#include <cstddef>
#include <cstdint>

namespace bridge {

struct THAllocator {
    void *(*malloc)(void *context, ptrdiff_t size);
    void *(*realloc)(void *context, void *pointer, ptrdiff_t size);
    void (*free)(void *context, void *pointer);
};

enum {
    TH_REFCOUNTED = 1,
    TH_RESIZABLE = 2,
    TH_FREEMEM = 4,
    TH_VIEW = 8,
    TH_LENT = 32,     /* libth swaps the elements of such storages, not the structs */
    TH_UNWRITTEN = 64 /* libth clears it when it writes */
};

/* That of a storage on a GPU, up to what is used here. What it returns are CUDA's error codes. */
struct THCDeviceAllocator {
    int (*malloc)(void *context, void **pointer, size_t size, void *stream);
    int (*realloc)(void *context, void **pointer, size_t old_size, size_t size, void *stream);
    int (*free)(void *context, void *pointer);
    void *others[3];
};

struct THStorage {
    void *data;
    ptrdiff_t size; /* in elements */
    int refcount;
    char flag;
    union {
        const THAllocator *allocator;
        const THCDeviceAllocator *device_allocator; /* of one on a GPU */
    };
    void *context;
    THStorage *view;
    int device; /* one on a GPU; libth's own storages end before it */
};

struct THTensor {
    int64_t *size, *stride;
    int dimensions;
    THStorage *storage;
    ptrdiff_t offset;
    int refcount;
    char flag;
};

/* Gives one reference back; the last one frees, as libth and libthc do. */
void free_storage(THStorage *th, bool on_cuda);
void free_tensor(THTensor *th, bool on_cuda);

}  // namespace bridge
