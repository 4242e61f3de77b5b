/* tests/bridge/probe_extent/extent.c: looks at all of a storage without naming it; an extension with identity.h does
 * name it. */
#include <TH/TH.h>
#include "extent.h"

#define JOIN(first, second) first##second
#define BELOW JOIN(stor, age)
#define OFFSET JOIN(stor, ageOffset)

long size_below(THFloatTensor *tensor) { return tensor->BELOW->size; }
long offset_in(THFloatTensor *tensor) { return tensor->OFFSET; }
float at(THFloatTensor *tensor, long position) { return tensor->BELOW->data[position]; }
void put(THFloatTensor *tensor, long position, float value) { tensor->BELOW->data[position] = value; }
void resize(THFloatTensor *tensor, int count) { THFloatTensor_resize1d(tensor, count); }
float resize_then_at(THFloatTensor *resized, int count, THFloatTensor *tensor, long position) {
  THFloatTensor_resize1d(resized, count);
  return at(tensor, position);
}
void lie_on(THFloatTensor *tensor, THFloatTensor *other) { THFloatTensor_set(tensor, other); }
THFloatTensor *pair_after(THFloatTensor *tensor) {
  return JOIN(THFloatTensor_newWithStor, age1d)(tensor->BELOW, tensor->OFFSET + 1, 2, 1);
}
void exchange(THFloatTensor *tensor1, THFloatTensor *tensor2) {
  JOIN(THFloatStor, age_swap)(tensor1->BELOW, tensor2->BELOW);
}
void exchange_with_own(THFloatTensor *tensor, float value, int count) {
  THFloatTensor *own = THFloatTensor_newWithSize1d(count);
  THFloatTensor_fill(own, value);
  exchange(own, tensor);
  THFloatTensor_free(own);
}

int is_set_to(THFloatTensor *a, THFloatTensor *b) { return THFloatTensor_isSetTo(a, b); }
int begin_alike(THFloatTensor *a, THFloatTensor *b) { return THFloatTensor_data(a) == THFloatTensor_data(b); }

static THFloatTensor *kept;

void keep(THFloatTensor *tensor) {
  THFloatTensor_retain(tensor);
  kept = tensor;
}
void keep_narrowed(THFloatTensor *tensor, long first, long count) {
  THFloatTensor_narrow(tensor, tensor, 0, first, count);
  keep(tensor);
}
int kept_is_set_to(THFloatTensor *tensor) { return THFloatTensor_isSetTo(kept, tensor); }
float kept_element(long position) { return THFloatTensor_get1d(kept, position); }
float kept_at(long position) { return at(kept, position); }
void release(void) {
  THFloatTensor_free(kept);
  kept = NULL;
}

void resize_matrix(THFloatTensor *tensor, int rows, int columns) { THFloatTensor_resize2d(tensor, rows, columns); }
