/* TH/generic/THStorage.h: the storage of `real` elements. */
#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "generic/THStorage.h"
#else

typedef struct THStorage {
  real *data;
  ptrdiff_t size; /* in elements */
  int refcount;
  char flag;
  THAllocator *allocator;
  void *allocatorContext;
  struct THStorage *view;
} THStorage;

TH_API real *THStorage_(data)(const THStorage *);
TH_API ptrdiff_t THStorage_(size)(const THStorage *);
TH_API size_t THStorage_(elementSize)(void); /* bytes */

/* Error: argument 2, position out of bounds. */
TH_API void THStorage_(set)(THStorage *, ptrdiff_t, real);
TH_API real THStorage_(get)(const THStorage *, ptrdiff_t);

/* ---- Making: one reference that the caller frees; elements are zero unless given --------------------------------- */

TH_API THStorage *THStorage_(new)(void);
TH_API THStorage *THStorage_(newWithSize)(ptrdiff_t size);
TH_API THStorage *THStorage_(newWithSize1)(real);
TH_API THStorage *THStorage_(newWithSize2)(real, real);
TH_API THStorage *THStorage_(newWithSize3)(real, real, real);
TH_API THStorage *THStorage_(newWithSize4)(real, real, real, real);

/* A file of `size` elements (0: the whole file) under the TH_ALLOCATOR_MAPPED flags; not resizable. Errors: a file
 * that cannot be opened, mapped, or is too small and not shared. */
TH_API THStorage *THStorage_(newWithMapping)(const char *filename, ptrdiff_t size, int flags);

/* Takes over `data`, which must come from THAlloc or malloc. */
TH_API THStorage *THStorage_(newWithData)(real *data, ptrdiff_t size);
TH_API THStorage *THStorage_(newWithAllocator)(ptrdiff_t size, THAllocator *allocator, void *allocatorContext);
TH_API THStorage *THStorage_(newWithDataAndAllocator)(real *data, ptrdiff_t size, THAllocator *allocator,
                                                      void *allocatorContext);

/* ---- Flags and references ---------------------------------------------------------------------------------------- */

TH_API void THStorage_(setFlag)(THStorage *storage, const char flag);   /* sets these bits */
TH_API void THStorage_(clearFlag)(THStorage *storage, const char flag); /* clears these bits */
TH_API void THStorage_(retain)(THStorage *storage);                     /* NULL is allowed */
TH_API void THStorage_(free)(THStorage *storage);                       /* NULL is allowed */

/* ---- Changing ---------------------------------------------------------------------------------------------------- */

/* Exchanges everything but the reference counts. */
TH_API void THStorage_(swap)(THStorage *storage1, THStorage *storage2);

/* To exactly `size` elements; keeps what fits, new ones are zero; `data` may move. Error: not resizable. */
TH_API void THStorage_(resize)(THStorage *storage, ptrdiff_t size);
TH_API void THStorage_(fill)(THStorage *storage, real value);

#endif
