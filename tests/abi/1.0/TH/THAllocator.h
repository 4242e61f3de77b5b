/* TH/THAllocator.h: where the memory of a storage comes from: malloc, mapped files, shared memory. */
#ifndef TH_ALLOCATOR_INC
#define TH_ALLOCATOR_INC

#include "THGeneral.h"

/* How to map; 0 is a private mapping of an existing file. */
#define TH_ALLOCATOR_MAPPED_SHARED 1    /* writes reach the file */
#define TH_ALLOCATOR_MAPPED_SHAREDMEM 2 /* a POSIX shared-memory object, by shm_open */
#define TH_ALLOCATOR_MAPPED_EXCLUSIVE 4 /* must not exist yet */
#define TH_ALLOCATOR_MAPPED_NOCREATE 8  /* must exist */
#define TH_ALLOCATOR_MAPPED_KEEPFD 16   /* keep the descriptor open; the context owns it */
#define TH_ALLOCATOR_MAPPED_FROMFD 32   /* map the descriptor given to newWithFd */
#define TH_ALLOCATOR_MAPPED_UNLINK 64   /* remove the name as soon as it is mapped */

/* `ctx` is the storage's allocatorContext. `realloc` may be NULL: the storage then allocates, copies and frees. */
typedef struct THAllocator {
  void *(*malloc)(void *ctx, ptrdiff_t size);
  void *(*realloc)(void *ctx, void *ptr, ptrdiff_t size);
  void (*free)(void *ctx, void *ptr);
} THAllocator;

/* THAlloc, THRealloc, THFree. */
TH_EXTERNC THAllocator THDefaultAllocator;

/* Takes a THMapAllocatorContext; its `free` unmaps, removes the name of shared memory (SHAREDMEM) that was opened by
 * name, and deletes the context. */
TH_EXTERNC THAllocator THMapAllocator;

/* The same with a reference count in the first 64 bytes of the mapping, shared between processes; the last one to let
 * go removes the name. Shared memory only (SHAREDMEM), without FROMFD, KEEPFD and UNLINK. */
TH_EXTERNC THAllocator THRefcountedMapAllocator;

typedef struct THMapAllocatorContext_ THMapAllocatorContext;

/* Errors: flags that contradict each other. The context belongs to the caller until an allocator has mapped it. */
TH_API THMapAllocatorContext *THMapAllocatorContext_new(const char *filename, int flags);
TH_API THMapAllocatorContext *THMapAllocatorContext_newWithFd(const char *filename, int fd, int flags);
TH_API char *THMapAllocatorContext_filename(THMapAllocatorContext *ctx);
TH_API int THMapAllocatorContext_fd(THMapAllocatorContext *ctx); /* -1 unless it was kept */
TH_API ptrdiff_t THMapAllocatorContext_size(THMapAllocatorContext *ctx); /* bytes; 0 before mapping */
TH_API void THMapAllocatorContext_free(THMapAllocatorContext *ctx);

/* `data` is what the allocator returned. decref returns 1 when the count reached 0. */
TH_API void THRefcountedMapAllocator_incref(THMapAllocatorContext *ctx, void *data);
TH_API int THRefcountedMapAllocator_decref(THMapAllocatorContext *ctx, void *data);

#endif
