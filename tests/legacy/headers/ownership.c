/* tests/legacy/headers/ownership.c: who owns a reference. */
#include "cases.h"

/* Every new: one reference, the caller's. */
CASE(every_new) {
  THFloatTensor *t = counted(2, 3);
  CHECK(t->refcount == 1 && t->storage->refcount == 1);
  THFloatTensor_free(t);
}

/* newContiguous: the same pointer or a clone. */
CASE(new_contiguous) {
  THFloatTensor *t = counted(2, 3), *same = THFloatTensor_newContiguous(t), *turned, *copy;
  CHECK(same == t && t->refcount == 2);
  THFloatTensor_free(same);
  turned = THFloatTensor_newTranspose(t, 0, 1);
  copy = THFloatTensor_newContiguous(turned);
  CHECK(copy != turned && copy->storage != t->storage);
  HOLDS(copy, 0, 3, 1, 4, 2, 5);
  THFloatTensor_fill(copy, 7);
  HOLDS(t, 0, 1, 2, 3, 4, 5);
  THFloatTensor_freeCopyTo(copy, turned);
  HOLDS(t, 7, 7, 7, 7, 7, 7);
  THFloatTensor_free(turned);
  THFloatTensor_free(t);
}

/* newWithTensor and views: share the storage. */
CASE(views_share_the_storage) {
  THFloatTensor *t = counted(3, 4);
  THLongStorage *sizes = THLongStorage_newWithSize2(2, 6), *wide = THLongStorage_newWithSize3(2, 3, 4);
  THFloatTensor *views[7];
  int i;
  views[0] = THFloatTensor_newWithTensor(t);
  views[1] = THFloatTensor_newSelect(t, 0, 1);
  views[2] = THFloatTensor_newNarrow(t, 1, 1, 2);
  views[3] = THFloatTensor_newTranspose(t, 0, 1);
  views[4] = THFloatTensor_newUnfold(t, 1, 2, 1);
  views[5] = THFloatTensor_newView(t, sizes);
  views[6] = THFloatTensor_newExpand(t, wide);
  CHECK(t->storage->refcount == 8 && t->refcount == 1);
  for (i = 0; i < 7; i++) {
    CHECK(views[i]->storage == t->storage && views[i]->refcount == 1);
    THFloatTensor_free(views[i]);
  }
  CHECK(t->storage->refcount == 1);
  THLongStorage_free(sizes);
  THLongStorage_free(wide);
  THFloatTensor_free(t);
}

/* newClone: a storage of its own. */
CASE(new_clone) {
  THFloatTensor *t = counted(2, 3), *turned = THFloatTensor_newTranspose(t, 0, 1), *copy = THFloatTensor_newClone(turned);
  CHECK(copy->storage != t->storage);
  IS(copy, stride, 2, 1);
  HOLDS(copy, 0, 3, 1, 4, 2, 5);
  THFloatTensor_free(copy);
  THFloatTensor_free(turned);
  THFloatTensor_free(t);
}

/* newSizeOf, newStrideOf: fresh THLongStorage. */
CASE(new_size_of) {
  THFloatTensor *t = counted(2, 3);
  THLongStorage *size = THFloatTensor_newSizeOf(t), *stride = THFloatTensor_newStrideOf(t);
  CHECK(size->size == 2 && size->data[0] == 2 && size->data[1] == 3 && size->refcount == 1);
  CHECK(stride->data[0] == 3 && stride->data[1] == 1);
  size->data[0] = 9;
  CHECK(t->size[0] == 2);
  THLongStorage_free(size);
  THLongStorage_free(stride);
  THFloatTensor_free(t);
}

/* storage, data: borrowed, NULL without storage. */
CASE(borrowed_pointers) {
  THFloatTensor *t = counted(2, 3), *empty = THFloatTensor_new(), *part = THFloatTensor_newSelect(t, 0, 1);
  CHECK(THFloatTensor_storage(t) == t->storage && t->storage->refcount == 2);
  CHECK(THFloatTensor_data(part) == t->storage->data + 3);
  CHECK(!THFloatTensor_storage(empty) && !THFloatTensor_data(empty));
  THFloatTensor_free(part);
  THFloatTensor_free(t);
  THFloatTensor_free(empty);
}

/* retain, free: free(NULL) is fine. */
CASE(retain_free) {
  THFloatTensor *t = counted(1, 1);
  THFloatStorage *s = t->storage;
  THFloatTensor_free(NULL);
  THFloatStorage_free(NULL);
  THFloatStorage_retain(NULL);
  THFloatTensor_retain(t);
  THFloatTensor_free(t);
  CHECK(t->refcount == 1);
  THFloatStorage_retain(s);
  THFloatTensor_free(t);
  CHECK(s->refcount == 1);
  THFloatStorage_free(s);
}

/* freeCopyTo: copies where they differ, then frees. */
CASE(free_copy_to) {
  THFloatTensor *t = counted(2, 2), *to = THFloatTensor_newWithSize2d(2, 2);
  THFloatTensor_retain(t);
  THFloatTensor_freeCopyTo(t, to);
  HOLDS(to, 0, 1, 2, 3);
  CHECK(t->refcount == 1);
  THFloatTensor_retain(t);
  THFloatTensor_freeCopyTo(t, t);
  CHECK(t->refcount == 1);
  THFloatTensor_free(t);
  THFloatTensor_free(to);
}

/* set: shares everything. */
CASE(set) {
  THFloatTensor *t = counted(2, 3), *turned = THFloatTensor_newTranspose(t, 0, 1), *self = counted(1, 1);
  THFloatStorage *old = self->storage;
  THFloatStorage_retain(old);
  THFloatTensor_set(self, turned);
  CHECK(old->refcount == 1 && self->storage == t->storage && THFloatTensor_isSetTo(self, turned));
  THFloatTensor_set(self, self);
  CHECK(THFloatTensor_isSetTo(self, turned));
  THFloatStorage_free(old);
  THFloatTensor_free(self);
  THFloatTensor_free(turned);
  THFloatTensor_free(t);
}

/* newWithData: takes the memory over. */
CASE(new_with_data) {
  float *memory = (float *)THAlloc(5 * sizeof(float));
  THFloatStorage *s = THFloatStorage_newWithData(memory, 5);
  CHECK(s->data == memory && s->size == 5 && s->flag == 7);
  THFloatStorage_resize(s, 2000);
  CHECK(s->size == 2000);
  THFloatStorage_free(s);
}

/* newWithMapping: memory of a file. */
CASE(new_with_mapping) {
  char name[] = "mapped_XXXXXX";
  FILE *file = fdopen(mkstemp(name), "w");
  const float values[] = {1, 2, 3, 4};
  THFloatStorage *s;
  fwrite(values, sizeof(float), 4, file);
  fclose(file);
  CHECK(TH_ALLOCATOR_MAPPED_SHARED == 1 && TH_ALLOCATOR_MAPPED_SHAREDMEM == 2 && TH_ALLOCATOR_MAPPED_EXCLUSIVE == 4);
  CHECK(TH_ALLOCATOR_MAPPED_NOCREATE == 8 && TH_ALLOCATOR_MAPPED_KEEPFD == 16 && TH_ALLOCATOR_MAPPED_FROMFD == 32);
  CHECK(TH_ALLOCATOR_MAPPED_UNLINK == 64);
  s = THFloatStorage_newWithMapping(name, 0, 0); /* private, the whole file */
  CHECK(s->size == 4 && s->data[3] == 4 && !(s->flag & TH_STORAGE_RESIZABLE));
  s->data[0] = 9;
  THFloatStorage_free(s);
  s = THFloatStorage_newWithMapping(name, 2, TH_ALLOCATOR_MAPPED_SHARED);
  CHECK(s->size == 2 && s->data[0] == 1);
  s->data[0] = 5;
  THFloatStorage_free(s);
  s = THFloatStorage_newWithMapping(name, 100, TH_ALLOCATOR_MAPPED_SHARED | TH_ALLOCATOR_MAPPED_UNLINK); /* grows it */
  CHECK(s->size == 100 && s->data[0] == 5 && s->data[99] == 0);
  THFloatStorage_free(s);
  CHECK(!fopen(name, "r"));
  RAISES(0, "unable to open file <", THFloatStorage_newWithMapping(name, 0, 0));
}

/* swap: everything but the reference count. */
CASE(swap) {
  THFloatStorage *a = THFloatStorage_newWithSize1(1), *b = THFloatStorage_newWithSize2(2, 3);
  THFloatStorage_retain(a);
  THFloatStorage_clearFlag(b, TH_STORAGE_RESIZABLE);
  THFloatStorage_swap(a, b);
  CHECK(a->size == 2 && a->data[1] == 3 && a->flag == 5 && a->refcount == 2);
  CHECK(b->size == 1 && b->data[0] == 1 && b->flag == 7 && b->refcount == 1);
  THFloatStorage_free(a);
  THFloatStorage_free(a);
  THFloatStorage_free(b);
}

/* Reference counts are atomic: from any thread. */
CASE(atomic_counts) {
  int32_t n = 1;
  int i;
  THFloatTensor *t = counted(2, 2);
  THAtomicIncrementRef(&n);
  CHECK(n == 2 && THAtomicDecrementRef(&n) == 0 && THAtomicDecrementRef(&n) == 1);
#pragma omp parallel for num_threads(4)
  for (i = 0; i < 40000; i++) {
    THFloatTensor *part = THFloatTensor_newSelect(t, 0, i % 2);
    THFloatTensor_retain(t);
    THFloatTensor_free(part);
    THFloatTensor_free(t);
  }
  CHECK(t->refcount == 1 && t->storage->refcount == 1);
  THFloatTensor_free(t);
}
