/* tests/legacy/headers/dimensions.c: dimensions, the empty tensor, indices. */
#include "cases.h"

/* No dimension of size zero: a size list ends before the first entry <= 0. */
CASE(no_dimension_of_size_zero) {
  THFloatTensor *t = THFloatTensor_newWithSize2d(0, 4);
  CHECK(t->nDimension == 0 && THFloatTensor_nElement(t) == 0 && THFloatTensor_isContiguous(t));
  THFloatTensor_resize4d(t, 3, 0, 5, 5);
  IS(t, size, 3);
  THFloatTensor_resize4d(t, -1, 2, 2, 2);
  CHECK(t->nDimension == 0);
  THFloatTensor_free(t);
}

/* No tensor without dimensions but the empty one. */
CASE(no_scalar) {
  THFloatTensor *t = counted(1, 1), *sum = THFloatTensor_new();
  RAISES(1, "cannot select on a vector", {
    THFloatTensor_select(t, NULL, 0, 0);
    THFloatTensor_select(t, NULL, 0, 0);
  });
  THFloatTensor_sum(sum, t, 0, 0);
  IS(sum, size, 1);
  THFloatTensor_free(sum);
  THFloatTensor_free(t);
}

/* Indices count from 0: in, out and in messages. */
CASE(indices_count_from_0) {
  THFloatTensor *t = VECTOR(3, 9, 5), *value = THFloatTensor_new();
  THLongTensor *index = THLongTensor_new();
  CHECK(TH_INDEX_BASE == 0);
  THFloatTensor_max(value, index, t, 0, 0);
  CHECK(THLongTensor_get1d(index, 0) == 1);
  THFloatTensor_kthvalue(value, index, t, 1, 0, 0); /* k alone counts from 1 */
  CHECK(THFloatTensor_get1d(value, 0) == 3 && THLongTensor_get1d(index, 0) == 0);
  THFloatTensor_free(t);
  THFloatTensor_free(value);
  THLongTensor_free(index);
}

/* size, stride: a dimension out of range is an error. */
CASE(size_and_stride) {
  THFloatTensor *t = counted(2, 3);
  RAISES(2, "dimension 2 out of range of 2D tensor at ", THFloatTensor_size(t, 2));
  RAISES(2, "dimension -1 out of range of 2D tensor at ", THFloatTensor_stride(t, -1));
  THFloatTensor_free(t);
}

/* Negative dimensions: nowhere but cross and cat. */
CASE(negative_dimensions) {
  THFloatTensor *a = counted(2, 3), *b = counted(2, 3), *r = THFloatTensor_new();
  RAISES(2, "dimension -1 out of range", THFloatTensor_sum(r, a, -1, 0));
  THFloatTensor_cat(r, a, b, -1);
  IS(r, size, 2, 6);
  THFloatTensor_cross(r, a, b, -1);
  HOLDS(r, 0, 0, 0, 0, 0, 0);
  THFloatTensor_free(a);
  THFloatTensor_free(b);
  THFloatTensor_free(r);
}
