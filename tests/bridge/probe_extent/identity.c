/* tests/bridge/probe_extent/identity.c: whether tensors lie on one storage, and what others see of one that grows. */
#include <TH/TH.h>
#include "identity.h"

#include <pthread.h>

int one_storage(THFloatTensor *a, THFloatTensor *b) { return a->storage == b->storage; }
int lies_on(THFloatTensor *tensor, THFloatStorage *storage) { return tensor->storage == storage; }
int same_pointer(THFloatStorage *a, THFloatStorage *b) { return a == b; }
/* Without those that the bridge lends. */
int references(THFloatTensor *tensor) { return tensor->storage->refcount - (1 << 16); }
int references_of_three(THFloatTensor *a, THFloatTensor *b, THFloatTensor *c) {
  return references(a) + 10 * references(b) + 100 * references(c);
}
THFloatStorage *retained(THFloatStorage *storage) {
  THFloatStorage_retain(storage);
  return storage;
}
long size_after(THFloatTensor *resized, int count, THFloatTensor *other) {
  THFloatTensor_resize1d(resized, count);
  return other->storage->size;
}
long size_where_next_is(THFloatTensor *other, THFloatTensor *resized, int count) {
  return size_after(resized, count, other);
}
long storage_size_after(THFloatTensor *resized, int count, THFloatStorage *other) {
  THFloatTensor_resize1d(resized, count);
  return other->size;
}
long ints_after(THFloatTensor *resized, int count, THIntTensor *other) {
  THFloatTensor_resize1d(resized, count);
  return other->storage->size;
}
int is_first_int(THIntTensor *ints, THFloatTensor *floats) {
  return (void *)ints->storage->data == (void *)floats->storage->data;
}
long size_after_storage(THFloatStorage *resized, int count, THFloatTensor *other) {
  THFloatStorage_resize(resized, count);
  return other->storage->size;
}
void write_after(THFloatTensor *resized, int count, THFloatTensor *other, long position, float value) {
  THFloatTensor_resize1d(resized, count);
  other->storage->data[other->storageOffset + position] = value;
}
void fail_after(THFloatTensor *resized, int count, THFloatTensor *other) {
  THFloatTensor_resize1d(resized, count);
  THError("size %ld", (long)other->storage->size);
}
void resize_both(THFloatTensor *a, THFloatTensor *b, int rows, int columns) {
  THFloatTensor_resize2d(a, rows, columns);
  THFloatTensor_resize2d(b, columns, rows);
}
void set_in_turn(THFloatTensor *a, THFloatTensor *b, THFloatTensor *c) {
  THFloatTensor_set(a, b);
  THFloatTensor_set(b, c);
}
void set_and_turn(THFloatTensor *a, THFloatTensor *b, THFloatTensor *c) {
  THFloatTensor_set(a, c);
  THFloatTensor_transpose(b, b, 0, 1);
}

static THFloatStorage *kept;

static void keep_this(THFloatStorage *storage) {
  THFloatStorage_retain(storage);
  kept = storage;
}
void keep_storage(THFloatTensor *tensor) { keep_this(tensor->storage); }
void keep_storage_and_set(THFloatTensor *tensor, THFloatTensor *other) {
  keep_this(tensor->storage);
  THFloatTensor_set(tensor, other);
}
void keep_second(THFloatTensor *first, THFloatTensor *second) { keep_this(second->storage); }
long kept_size(void) { return kept->size; }
float kept_storage_at(long position) { return kept->data[position]; }
void resize_kept(int count) { THFloatStorage_resize(kept, count); }
void release_storage(void) {
  THFloatStorage_free(kept);
  kept = NULL;
}
long size_around(THFloatTensor *tensor, void (*between)(void)) {
  between();
  tensor->storage->data[tensor->storage->size - 1] = 7;
  return tensor->storage->size;
}

struct growth {
  THFloatTensor *tensor;
  int count;
};
static void *grow(void *opaque) {
  struct growth *growth = opaque;
  THFloatTensor_resize1d(growth->tensor, growth->count);
  return NULL;
}
long size_seen_by_a_thread(THFloatTensor *resized, int count, THFloatTensor *other) {
  struct growth growth = {resized, count};
  pthread_t thread;
  pthread_create(&thread, NULL, grow, &growth);
  pthread_join(thread, NULL);
  return other->storage->size;
}
void free_below_both(THFloatTensor *a, THFloatTensor *b) {
  THFloatStorage_free(a->storage);
  THFloatStorage_free(b->storage);
  THFloatTensor_free(b);
}
