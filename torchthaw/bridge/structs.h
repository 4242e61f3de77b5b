/* structs.h: the TH structs of old C code, of any Real; TH/generic has the originals. */
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

/* Gives one reference back; the last one frees, as libth does. */
void free_storage(THStorage *th);
void free_tensor(THTensor *th);

}  // namespace bridge
