/* tests/legacy/headers/views.c: views, predicates, single elements, descriptions. */
#include "cases.h"

/* narrow and its three ranges. */
CASE(narrow) {
  THFloatTensor *t = counted(3, 4), *v = THFloatTensor_newNarrow(t, 1, 1, 2);
  IS(v, size, 3, 2);
  IS(v, stride, 4, 1);
  CHECK(v->storageOffset == 1);
  THFloatTensor_narrow(v, NULL, 0, 2, 1);
  HOLDS(v, 9, 10);
  RAISES(2, "out of range", THFloatTensor_narrow(v, t, 2, 0, 1));
  RAISES(3, "out of range", THFloatTensor_narrow(v, t, 0, 3, 1));
  RAISES(4, "out of range", THFloatTensor_narrow(v, t, 0, 1, 3));
  RAISES(4, "out of range", THFloatTensor_narrow(v, t, 0, 1, INT64_MAX));
  RAISES(4, "out of range", THFloatTensor_narrow(v, t, 0, 1, 0));
  THFloatTensor_free(v);
  THFloatTensor_free(t);
}

/* select: not of a vector. */
CASE(selects) {
  THFloatTensor *t = counted(3, 4), *v = THFloatTensor_newSelect(t, 1, 2);
  HOLDS(v, 2, 6, 10);
  IS(v, stride, 4);
  RAISES(1, "cannot select on a vector", THFloatTensor_select(v, NULL, 0, 0));
  RAISES(2, "out of range", THFloatTensor_select(v, t, -1, 0));
  RAISES(3, "out of range", THFloatTensor_select(v, t, 0, 3));
  THFloatTensor_free(v);
  THFloatTensor_free(t);
}

/* transpose: swaps. */
CASE(transpose) {
  THFloatTensor *t = counted(3, 4), *v = THFloatTensor_newTranspose(t, 0, 1);
  IS(v, size, 4, 3);
  IS(v, stride, 1, 4);
  RAISES(1, "out of range", THFloatTensor_transpose(v, t, 2, 0));
  RAISES(2, "out of range", THFloatTensor_transpose(v, t, 0, 2));
  THFloatTensor_free(v);
  THFloatTensor_free(t);
}

/* unfold: a new last dimension. */
CASE(unfold) {
  THFloatTensor *t = counted(2, 7), *v = THFloatTensor_newUnfold(t, 1, 3, 2), *none = THFloatTensor_new();
  IS(v, size, 2, 3, 3);
  IS(v, stride, 7, 2, 1);
  RAISES(1, "cannot unfold an empty tensor", THFloatTensor_unfold(none, NULL, 0, 1, 1));
  RAISES(2, "out of range", THFloatTensor_unfold(v, t, 2, 1, 1));
  RAISES(3, "out of range", THFloatTensor_unfold(v, t, 1, 8, 1));
  RAISES(4, "invalid step", THFloatTensor_unfold(v, t, 1, 3, 0));
  THFloatTensor_free(none);
  THFloatTensor_free(v);
  THFloatTensor_free(t);
}

/* squeeze: all ones keep one. */
CASE(squeeze) {
  THFloatTensor *t = THFloatTensor_newWithSize4d(1, 3, 1, 2), *v = THFloatTensor_new(), *ones = counted(1, 1);
  THFloatTensor_squeeze(v, t);
  IS(v, size, 3, 2);
  THFloatTensor_squeeze(ones, NULL);
  IS(ones, size, 1);
  THFloatTensor_free(ones);
  THFloatTensor_free(v);
  THFloatTensor_free(t);
}

/* squeeze1d: not the only dimension. */
CASE(squeeze1d) {
  THFloatTensor *t = counted(1, 3), *v = THFloatTensor_new(), *one = VECTOR(4);
  THFloatTensor_squeeze1d(v, t, 1);
  IS(v, size, 1, 3);
  THFloatTensor_squeeze1d(v, t, 0);
  IS(v, size, 3);
  THFloatTensor_squeeze1d(one, NULL, 0);
  IS(one, size, 1);
  RAISES(2, "dimension out of range", THFloatTensor_squeeze1d(v, t, 2));
  THFloatTensor_free(one);
  THFloatTensor_free(v);
  THFloatTensor_free(t);
}

/* unsqueeze1d: not of an empty tensor. */
CASE(unsqueeze1d) {
  THFloatTensor *t = counted(2, 3), *v = THFloatTensor_new(), *none = THFloatTensor_new();
  THFloatTensor_unsqueeze1d(v, t, 1);
  IS(v, size, 2, 1, 3);
  IS(v, stride, 3, 3, 1);
  THFloatTensor_unsqueeze1d(v, t, 2);
  IS(v, size, 2, 3, 1);
  IS(v, stride, 3, 1, 1);
  RAISES(2, "cannot unsqueeze empty tensor", THFloatTensor_unsqueeze1d(none, NULL, 0));
  RAISES(2, "dimension out of range", THFloatTensor_unsqueeze1d(v, t, 3));
  THFloatTensor_free(none);
  THFloatTensor_free(v);
  THFloatTensor_free(t);
}

/* newView: one -1. */
CASE(new_view) {
  THFloatTensor *t = counted(2, 6), *turned = THFloatTensor_newTranspose(t, 0, 1), *v;
  THLongStorage *size = THLongStorage_newWithSize2(3, -1), *bad = THLongStorage_newWithSize2(5, 2),
                *two = THLongStorage_newWithSize2(-1, -1);
  v = THFloatTensor_newView(t, size);
  IS(v, size, 3, 4);
  RAISES(1, "input is not contiguous", THFloatTensor_newView(turned, size));
  RAISES(2, "size '[5 x 2]' is invalid for input with 12 elements", THFloatTensor_newView(t, bad));
  RAISES(1, "only one dimension can be inferred", THFloatTensor_newView(t, two));
  THLongStorage_free(size);
  THLongStorage_free(bad);
  THLongStorage_free(two);
  THFloatTensor_free(v);
  THFloatTensor_free(turned);
  THFloatTensor_free(t);
}

/* newExpand, expand: stride 0. */
CASE(expand) {
  THFloatTensor *t = counted(3, 1), *v, *both[2], *from[2];
  THLongStorage *size = THLongStorage_newWithSize3(2, 3, 4), *bad = THLongStorage_newWithSize2(4, 4);
  v = THFloatTensor_newExpand(t, size);
  IS(v, size, 2, 3, 4);
  CHECK(v->stride[0] == 3 * v->stride[1] || v->stride[0] == 0);
  CHECK(v->stride[2] == 0);
  RAISES(0, "The expanded size of the tensor (4) must match the existing size (3) at non-singleton dimension 0.",
         THFloatTensor_expand(v, t, bad));
  from[0] = t, from[1] = VECTOR(1, 2);
  both[0] = THFloatTensor_new(), both[1] = THFloatTensor_new();
  THFloatTensor_expandNd(both, from, 2);
  IS(both[0], size, 3, 2);
  HOLDS(both[0], 0, 0, 1, 1, 2, 2);
  HOLDS(both[1], 1, 2, 1, 2, 1, 2);
  THFloatTensor_free(both[0]);
  THFloatTensor_free(both[1]);
  THFloatTensor_free(from[1]);
  THLongStorage_free(size);
  THLongStorage_free(bad);
  THFloatTensor_free(v);
  THFloatTensor_free(t);
}

/* isContiguous: dimensions of size 1 do not matter. */
CASE(is_contiguous) {
  THFloatTensor *t = counted(3, 1), *none = THFloatTensor_new();
  t->stride[1] = 100;
  CHECK(THFloatTensor_isContiguous(t) && THFloatTensor_isContiguous(none));
  t->stride[0] = 2;
  CHECK(!THFloatTensor_isContiguous(t));
  THFloatTensor_free(t);
  THFloatTensor_free(none);
}

/* isSameSizeAs: strides do not matter. */
CASE(is_same_size_as) {
  THFloatTensor *a = counted(2, 2), *b = THFloatTensor_newTranspose(a, 0, 1), *c = counted(2, 3);
  CHECK(THFloatTensor_isSameSizeAs(a, b) && !THFloatTensor_isSameSizeAs(a, c));
  THFloatTensor_free(a);
  THFloatTensor_free(b);
  THFloatTensor_free(c);
}

/* isSetTo: same memory. */
CASE(is_set_to) {
  THFloatTensor *a = counted(2, 2), *b = THFloatTensor_newWithTensor(a), *none = THFloatTensor_new();
  CHECK(THFloatTensor_isSetTo(a, b) && !THFloatTensor_isSetTo(none, none));
  THFloatTensor_transpose(b, NULL, 0, 1);
  CHECK(!THFloatTensor_isSetTo(a, b));
  THFloatTensor_free(a);
  THFloatTensor_free(b);
  THFloatTensor_free(none);
}

/* isSize: against a LongStorage. */
CASE(is_size) {
  THFloatTensor *t = counted(2, 3);
  THLongStorage *size = THLongStorage_newWithSize2(2, 3), *other = THLongStorage_newWithSize3(2, 3, 1);
  CHECK(THFloatTensor_isSize(t, size) && !THFloatTensor_isSize(t, other));
  THLongStorage_free(size);
  THLongStorage_free(other);
  THFloatTensor_free(t);
}

/* get1d..4d, set1d..4d: exact dimensions, checked. */
CASE(get_set) {
  THFloatTensor *t = counted(2, 3), *turned = THFloatTensor_newTranspose(t, 0, 1), *cube = THFloatTensor_newWithSize4d(2, 2, 2, 2);
  CHECK(THFloatTensor_get2d(turned, 2, 1) == 5);
  THFloatTensor_set2d(turned, 2, 1, 7);
  CHECK(THFloatTensor_get2d(t, 1, 2) == 7);
  THFloatTensor_set4d(cube, 1, 1, 1, 1, 3);
  CHECK(THFloatTensor_get4d(cube, 1, 1, 1, 1) == 3);
  RAISES(1, "tensor must have one dimension", THFloatTensor_get1d(t, 0));
  RAISES(1, "tensor must have two dimensions", THFloatTensor_get2d(cube, 0, 0));
  RAISES(1, "tensor must have three dimensions", THFloatTensor_set3d(t, 0, 0, 0, 1));
  RAISES(1, "tensor must have four dimensions", THFloatTensor_get4d(t, 0, 0, 0, 0));
  RAISES(2, "out of range", THFloatTensor_get2d(t, 2, 0));
  RAISES(2, "out of range", THFloatTensor_set2d(t, 0, -1, 1));
  THFloatTensor_free(cube);
  THFloatTensor_free(turned);
  THFloatTensor_free(t);
}

/* fastGet, fastSet: unchecked. */
CASE(fast_get_set) {
  THFloatTensor *t = counted(2, 3);
  THFloatTensor *cube = THFloatTensor_newWithSize3d(2, 2, 2);
  THTensor_fastSet2d(t, 1, 2, 8.0f);
  CHECK(THTensor_fastGet2d(t, 1, 2) == 8 && t->storage->data[5] == 8);
  THTensor_fastSet3d(cube, 1, 0, 1, 4.0f);
  CHECK(THTensor_fastGet3d(cube, 1, 0, 1) == 4 && cube->storage->data[5] == 4);
  THFloatTensor_free(cube);
  THFloatTensor_free(t);
}

/* TH_STORAGE_GET, TH_STORAGE_SET: unchecked. */
CASE(storage_get_set) {
  THFloatStorage *s = THFloatStorage_newWithSize2(1, 2);
  TH_STORAGE_SET(s, 1, 5);
  CHECK(TH_STORAGE_GET(s, 1) == 5 && THFloatStorage_get(s, 1) == 5);
  RAISES(2, "out of bounds", THFloatStorage_get(s, 2));
  RAISES(2, "out of bounds", THFloatStorage_set(s, -1, 0));
  THFloatStorage_free(s);
}

/* sizeDesc and desc. */
CASE(descriptions) {
  THFloatTensor *t = THFloatTensor_newWithSize3d(2, 3, 4);
  THLongStorage *size = THLongStorage_newWithSize2(7, 8);
  const int64_t many[] = {1000000, 1000001, 1000002, 1000003, 1000004, 1000005, 1000006};
  CHECK(!strcmp(THFloatTensor_sizeDesc(t).str, "[2 x 3 x 4]"));
  CHECK(!strcmp(THFloatTensor_desc(t).str, "torch.xTensor of size 2x3x4"));
  CHECK(!strcmp(THLongStorage_sizeDesc(size).str, "[7 x 8]"));
  CHECK(!strcmp(_THSizeDesc(many, 7).str, "[1000000 x 1000001 x 1000002 x 1000003 x 1000004 x 1000005 ...]"));
  THLongStorage_free(size);
  THFloatTensor_free(t);
}
