/* tests/legacy/headers/structs.c: the structs, by offset and size (LP64). */
#include "cases.h"

#define AT(type, field, offset) CHECK(offsetof(type, field) == (offset))

/* TH<T>Storage: fields and size. */
CASE(storage) {
#define CHECK_STORAGE(type)                                                                                            \
  AT(type, data, 0);                                                                                                   \
  AT(type, size, 8);                                                                                                   \
  AT(type, refcount, 16);                                                                                              \
  AT(type, flag, 20);                                                                                                  \
  AT(type, allocator, 24);                                                                                             \
  AT(type, allocatorContext, 32);                                                                                      \
  AT(type, view, 40);                                                                                                  \
  CHECK(sizeof(type) == 48)
  CHECK_STORAGE(THByteStorage);
  CHECK_STORAGE(THCharStorage);
  CHECK_STORAGE(THShortStorage);
  CHECK_STORAGE(THIntStorage);
  CHECK_STORAGE(THLongStorage);
  CHECK_STORAGE(THFloatStorage);
  CHECK_STORAGE(THDoubleStorage);
  CHECK_STORAGE(THHalfStorage);
}

/* TH<T>Tensor: fields and size. */
CASE(tensor) {
#define CHECK_TENSOR(type)                                                                                             \
  AT(type, size, 0);                                                                                                   \
  AT(type, stride, 8);                                                                                                 \
  AT(type, nDimension, 16);                                                                                            \
  AT(type, storage, 24);                                                                                               \
  AT(type, storageOffset, 32);                                                                                         \
  AT(type, refcount, 40);                                                                                              \
  AT(type, flag, 44);                                                                                                  \
  CHECK(sizeof(type) == 48)
  CHECK_TENSOR(THByteTensor);
  CHECK_TENSOR(THCharTensor);
  CHECK_TENSOR(THShortTensor);
  CHECK_TENSOR(THIntTensor);
  CHECK_TENSOR(THLongTensor);
  CHECK_TENSOR(THFloatTensor);
  CHECK_TENSOR(THDoubleTensor);
  CHECK_TENSOR(THHalfTensor);
}

/* THAllocator: fields and size. */
CASE(allocator) {
  AT(THAllocator, malloc, 0);
  AT(THAllocator, realloc, 8);
  AT(THAllocator, free, 16);
  CHECK(sizeof(THAllocator) == 24);
}

/* THGenerator: fields and size. */
CASE(generator) {
  AT(THGenerator, the_initial_seed, 0);
  AT(THGenerator, left, 8);
  AT(THGenerator, seeded, 12);
  AT(THGenerator, next, 16);
  AT(THGenerator, state, 24);
  AT(THGenerator, normal_x, 5016);
  AT(THGenerator, normal_y, 5024);
  AT(THGenerator, normal_rho, 5032);
  AT(THGenerator, normal_is_valid, 5040);
  CHECK(sizeof(THGenerator) == 5048);
}

/* THDescBuff: 64 characters. */
CASE(descriptions) { CHECK(sizeof(THDescBuff) == 64); }

/* Arrays of sizes and strides: NULL for a tensor never sized. */
CASE(never_sized) {
  THFloatTensor *t = THFloatTensor_new();
  CHECK(!t->size && !t->stride && t->nDimension == 0);
  THFloatTensor_free(t);
}

/* TH_STORAGE_REFCOUNTED: without it retain and free do nothing. */
CASE(refcounted) {
  THFloatStorage *s = THFloatStorage_newWithSize(1);
  CHECK(TH_STORAGE_REFCOUNTED == 1 && s->refcount == 1);
  THFloatStorage_retain(s);
  CHECK(s->refcount == 2);
  THFloatStorage_clearFlag(s, TH_STORAGE_REFCOUNTED);
  THFloatStorage_retain(s);
  THFloatStorage_free(s);
  THFloatStorage_free(s);
  THFloatStorage_free(s);
  CHECK(s->refcount == 2);
  THFloatStorage_setFlag(s, TH_STORAGE_REFCOUNTED);
  THFloatStorage_free(s);
  CHECK(s->refcount == 1);
  THFloatStorage_free(s);
}

/* TH_STORAGE_RESIZABLE: without it resizing is an error. */
CASE(resizable) {
  THFloatStorage *s = THFloatStorage_newWithSize(1);
  CHECK(TH_STORAGE_RESIZABLE == 2);
  THFloatStorage_clearFlag(s, TH_STORAGE_RESIZABLE);
  RAISES(0, "Trying to resize storage that is not resizable at ", THFloatStorage_resize(s, 4));
  CHECK(s->size == 1);
  THFloatStorage_free(s);
}

static int freed;
static void *given(void *context, ptrdiff_t size) { return (void)context, malloc((size_t)size); }
static void counted_free(void *context, void *memory) { (void)context, freed++, free(memory); }
static THAllocator counting = {given, NULL, counted_free};

/* TH_STORAGE_FREEMEM: without it the memory stays. */
CASE(freemem) {
  float mine[3];
  THFloatStorage *s = THFloatStorage_newWithAllocator(2, &counting, NULL);
  CHECK(TH_STORAGE_FREEMEM == 4);
  THFloatStorage_free(s);
  CHECK(freed == 1);
  s = THFloatStorage_newWithDataAndAllocator(mine, 3, &counting, NULL);
  THFloatStorage_clearFlag(s, TH_STORAGE_FREEMEM);
  THFloatStorage_free(s);
  CHECK(freed == 1);
}

/* TH_STORAGE_VIEW: the viewed storage is freed too. */
CASE(viewed_storage) {
  THFloatStorage *base = THFloatStorage_newWithAllocator(4, &counting, NULL);
  THFloatStorage *s = THFloatStorage_newWithData(base->data, 4);
  CHECK(TH_STORAGE_VIEW == 8);
  THFloatStorage_clearFlag(s, TH_STORAGE_FREEMEM);
  THFloatStorage_setFlag(s, TH_STORAGE_VIEW);
  s->view = base;
  freed = 0;
  THFloatStorage_free(s);
  CHECK(freed == 1);
}

/* TH_TENSOR_REFCOUNTED: as for storages. */
CASE(tensor_refcounted) {
  THFloatTensor *t = THFloatTensor_new();
  CHECK(TH_TENSOR_REFCOUNTED == 1 && t->flag == 1);
  THFloatTensor_clearFlag(t, TH_TENSOR_REFCOUNTED);
  THFloatTensor_retain(t);
  THFloatTensor_free(t);
  THFloatTensor_free(t);
  CHECK(t->refcount == 1);
  THFloatTensor_setFlag(t, TH_TENSOR_REFCOUNTED);
  THFloatTensor_free(t);
}

/* Flags of new objects: 7 and 1. */
CASE(new_flags) {
  THFloatStorage *s = THFloatStorage_new();
  THFloatTensor *t = THFloatTensor_new();
  CHECK(s->flag == (1 | 2 | 4) && s->refcount == 1 && t->flag == 1 && t->refcount == 1);
  THFloatStorage_setFlag(s, 8);
  CHECK(s->flag == 15);
  THFloatStorage_clearFlag(s, 8 | 2);
  CHECK(s->flag == 5);
  THFloatStorage_free(s);
  THFloatTensor_free(t);
}
