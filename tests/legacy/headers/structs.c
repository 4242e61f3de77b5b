/* tests/legacy/headers/structs.c: the structs, by offset and size (LP64). */
#include "rows.h"

#define AT(type, field, offset) CHECK(offsetof(type, field) == (offset))

static void storage(void) {
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

static void tensor(void) {
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

static void allocator(void) {
  AT(THAllocator, malloc, 0);
  AT(THAllocator, realloc, 8);
  AT(THAllocator, free, 16);
  CHECK(sizeof(THAllocator) == 24);
}

static void generator(void) {
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

static void description(void) { CHECK(sizeof(THDescBuff) == 64); }

static void never_sized(void) {
  THFloatTensor *t = THFloatTensor_new();
  CHECK(!t->size && !t->stride && t->nDimension == 0);
  THFloatTensor_free(t);
}

static void refcounted(void) {
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

static void resizable(void) {
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

static void freemem(void) {
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

static void view(void) {
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

static void tensor_refcounted(void) {
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

static void new_flags(void) {
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

ROWS(ROW(storage, "TH<T>Storage"), ROW(tensor, "TH<T>Tensor"), ROW(allocator, "THAllocator"),
     ROW(generator, "THGenerator"), ROW(description, "THDescBuff"), ROW(never_sized, "size and stride arrays"),
     ROW(refcounted, "TH_STORAGE_REFCOUNTED"), ROW(resizable, "TH_STORAGE_RESIZABLE"),
     ROW(freemem, "TH_STORAGE_FREEMEM"), ROW(view, "TH_STORAGE_VIEW"), ROW(tensor_refcounted, "TH_TENSOR_REFCOUNTED"),
     ROW(new_flags, "flags of new objects"))
