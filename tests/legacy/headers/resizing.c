/* tests/legacy/headers/resizing.c: resizing. */
#include "cases.h"

/* Requested sizes equal the current ones: strides stay. */
CASE(same_sizes) {
  THFloatTensor *t = counted(3, 2);
  const int64_t size[] = {2, 3}, stride[] = {1, -1};
  THFloatTensor_transpose(t, NULL, 0, 1);
  THFloatTensor_resize2d(t, 2, 3);
  IS(t, stride, 1, 2);
  THFloatTensor_resizeNd(t, 2, (int64_t *)size, (int64_t *)stride);
  IS(t, stride, 1, 2);
  THFloatTensor_free(t);
}

/* Other sizes: row-major strides. */
CASE(other_sizes_are_row_major) {
  THFloatTensor *t = counted(3, 2);
  const int64_t size[] = {2, 2, 2}, stride[] = {-1, 4, 1};
  THFloatTensor_transpose(t, NULL, 0, 1);
  THFloatTensor_resize2d(t, 3, 2);
  IS(t, stride, 2, 1);
  THFloatTensor_resizeNd(t, 3, (int64_t *)size, (int64_t *)stride);
  IS(t, stride, 8, 4, 1);
  THFloatTensor_free(t);
}

/* A storage too small grows to exactly what is needed. */
CASE(storage_grows) {
  THFloatTensor *t = THFloatTensor_new();
  THLongStorage *size = THLongStorage_newWithSize2(3, 4), *stride = THLongStorage_newWithSize2(10, 2);
  CHECK(!t->storage);
  THFloatTensor_resize(t, size, stride);
  CHECK(t->storage->size == 1 + 2 * 10 + 3 * 2);
  t->storageOffset = 5;
  THFloatTensor_resize1d(t, 40);
  CHECK(t->storage->size == 45);
  THLongStorage_free(size);
  THLongStorage_free(stride);
  THFloatTensor_free(t);
}

/* A storage large enough never shrinks. */
CASE(storage_never_shrinks) {
  THFloatTensor *t = counted(3, 4);
  float *data = t->storage->data;
  t->storageOffset = 2;
  THFloatTensor_resize1d(t, 3);
  CHECK(t->storage->size == 12 && t->storage->data == data && t->storageOffset == 2);
  HOLDS(t, 2, 3, 4);
  THFloatTensor_free(t);
}

/* The new size is empty: the storage stays. */
CASE(empty_keeps_the_storage) {
  THFloatTensor *t = counted(3, 4);
  THFloatTensor_resize1d(t, 0);
  CHECK(t->nDimension == 0 && t->storage->size == 12);
  THFloatTensor_free(t);
}

/* Contents: flat memory. */
CASE(contents_stay) {
  THFloatTensor *t = counted(2, 2);
  THFloatTensor_transpose(t, NULL, 0, 1);
  THFloatTensor_resize2d(t, 2, 3);
  HOLDS(t, 0, 1, 2, 3, 0, 0); /* flat memory, then zeros */
  THFloatTensor_free(t);
}

/* Shared storage: others see it move. */
CASE(shared_storage) {
  THFloatTensor *t = counted(2, 2), *other = THFloatTensor_newWithTensor(t);
  THFloatTensor_resize1d(t, 100000);
  CHECK(other->storage == t->storage && THFloatTensor_data(other) == THFloatTensor_data(t));
  HOLDS(other, 0, 1, 2, 3);
  THFloatTensor_free(t);
  THFloatTensor_free(other);
}

/* Not resizable: an error. */
CASE(not_resizable) {
  THFloatTensor *t = counted(2, 2);
  THFloatStorage_clearFlag(t->storage, TH_STORAGE_RESIZABLE);
  THFloatTensor_resize1d(t, 3);
  RAISES(0, "Trying to resize storage that is not resizable at ", THFloatTensor_resize1d(t, 5));
  IS(t, size, 3); /* as before the call */
  THFloatTensor_free(t);
}

/* storageOffset < 0: an error. */
CASE(negative_offset) {
  THFloatTensor *t = counted(2, 2);
  RAISES(0, "Tensor: invalid storage offset", THFloatTensor_setStorage1d(t, t->storage, -1, 2, 1));
  THFloatTensor_free(t);
}

/* Different lengths of sizes and strides: an error. */
CASE(different_lengths) {
  THFloatTensor *t = counted(2, 2);
  THLongStorage *one = THLongStorage_newWithSize1(4), *two = THLongStorage_newWithSize2(2, 2);
  RAISES(3, "invalid stride", THFloatTensor_resize(t, two, one));
  RAISES(5, "inconsistent size/stride sizes", THFloatTensor_setStorage(t, t->storage, 0, two, one));
  THLongStorage_free(one);
  THLongStorage_free(two);
  THFloatTensor_free(t);
}

/* resizeAs: nothing for the same sizes. */
CASE(resize_as) {
  THFloatTensor *t = counted(3, 2), *like = counted(2, 3), *other = counted(6, 1);
  THFloatTensor_transpose(t, NULL, 0, 1);
  THFloatTensor_resizeAs(t, like);
  IS(t, stride, 1, 2);
  THFloatTensor_resizeAs(t, other);
  IS(t, size, 6, 1);
  IS(t, stride, 1, 1);
  THFloatTensor_free(t);
  THFloatTensor_free(like);
  THFloatTensor_free(other);
}

static int given_bytes, freed;
static void *given(void *context, ptrdiff_t size) { return (void)context, given_bytes = (int)size, malloc((size_t)size); }
static void take(void *context, void *memory) { (void)context, freed++, free(memory); }
static THAllocator without = {given, NULL, take};

/* An allocator without realloc: new memory and a copy. */
CASE(allocator_without_realloc) {
  THFloatStorage *s = THFloatStorage_newWithAllocator(2, &without, NULL);
  s->data[0] = 4, s->data[1] = 5;
  THFloatStorage_resize(s, 3);
  CHECK(given_bytes == 12 && freed == 1 && s->data[0] == 4 && s->data[1] == 5);
  THFloatStorage_resize(s, 1);
  CHECK(given_bytes == 4 && freed == 2 && s->data[0] == 4);
  THFloatStorage_free(s);
  CHECK(freed == 3);
}

/* Sizes beyond memory: an error, nothing lost. */
CASE(sizes_beyond_memory) { /* sizes whose product is no number of bytes: an error, and nothing changed */
  THFloatTensor *t = counted(2, 2);
  RAISES(0, "$ Torch: invalid memory size -- maybe an overflow?", THFloatTensor_resize2d(t, INT64_MAX / 2, 3));
  RAISES(0, "$ Torch: invalid memory size -- maybe an overflow?", THFloatTensor_resize1d(t, INT64_MAX / 2));
  RAISES(0, "$ Torch: not enough memory: you tried to reallocate ", THFloatTensor_resize1d(t, INT64_MAX / 8));
  HOLDS(t, 0, 1, 2, 3);
  THFloatTensor_free(t);
}
