/* tests/legacy/headers/loops.c: the loops over elements and slices. */
#include "cases.h"

/* TH_TENSOR_APPLY: row-major. */
CASE(apply) {
  THFloatTensor *t = counted(2, 3);
  float expected = 0;
  int order[6], n = 0;
  TH_TENSOR_APPLY(float, t, CHECK(*t_data == expected); expected++;);
  CHECK(expected == 6);
  THFloatTensor_transpose(t, NULL, 0, 1);
  TH_TENSOR_APPLY(float, t, order[n++] = (int)*t_data;);
  CHECK(order[0] == 0 && order[1] == 3 && order[2] == 1 && order[5] == 5);
  THFloatTensor_free(t);
}

/* TH_TENSOR_APPLY2, APPLY3: each tensor in its own order. */
CASE(apply2_3) {
  THFloatTensor *a = counted(2, 3), *b = counted(3, 2);
  THDoubleTensor *c = THDoubleTensor_newWithSize1d(6);
  THFloatTensor_transpose(b, NULL, 0, 1);
  TH_TENSOR_APPLY2(float, a, double, c, *c_data = *a_data;);
  CHECK(c->storage->data[4] == 4);
  TH_TENSOR_APPLY3(float, a, float, b, double, c, *c_data = 10 * *a_data + *b_data;);
  CHECK(c->storage->data[1] == 12 && c->storage->data[3] == 31);
  THDoubleTensor_resize1d(c, 4);
  RAISES(0, "inconsistent tensor size, expected a [2 x 3] and c [4] to have the same number of elements, but got 6 and 4 "
            "elements respectively at ", TH_TENSOR_APPLY2(float, a, double, c, *c_data = *a_data;));
  RAISES(0, "inconsistent tensor size, expected a [2 x 3], b [2 x 3] and c [4] to have the same number of elements, but "
            "got 6, 6 and 4 elements respectively at ",
         TH_TENSOR_APPLY3(float, a, float, b, double, c, *c_data = *a_data + *b_data;));
  THFloatTensor_free(a);
  THFloatTensor_free(b);
  THDoubleTensor_free(c);
}

/* The _D variants: one dimension stays apart. */
CASE(apply_d) {
  THFloatTensor *t = THFloatTensor_newWithSize3d(2, 3, 4);
  int64_t expected = 0;
  int n = 0;
  THFloatTensor *other;
  TH_TENSOR_APPLY_D(float, t, 1, CHECK(*t_dimOffset == expected / 4 % 3); expected++;);
  CHECK(expected == 24);
  TH_TENSOR_APPLY_D(float, t, 2, CHECK(*t_dimOffset == n % 4); n++;);
  other = THFloatTensor_newWithTensor(t);
  TH_TENSOR_APPLY2_D(float, t, float, other, 0, n--;);
  CHECK(n == 0);
  THFloatTensor_free(other);
  THFloatTensor_free(t);
}

/* TH_TENSOR_DIM_APPLY: slices. */
CASE(dim_apply) {
  THFloatTensor *t = THFloatTensor_newWithSize3d(2, 3, 4);
  int order[6], n = 0;
  TH_TENSOR_DIM_APPLY(float, t, 2, {
    order[n++] = (int)(t_data - t->storage->data);
    CHECK(t_stride == 1 && t_size == 4);
  });
  CHECK(n == 6 && order[0] == 0 && order[1] == 12 && order[2] == 4 && order[3] == 16 && order[5] == 20);
  RAISES(0, "invalid dimension 3 (expected to be 0 <= dim < 3)", TH_TENSOR_DIM_APPLY(float, t, 3, n++;));
  THFloatTensor_resize1d(t, 0);
  RAISES(0, "invalid dimension 0 (expected to be 0 <= dim < 0)", TH_TENSOR_DIM_APPLY(float, t, 0, n++;));
  CHECK(n == 6);
  THFloatTensor_free(t);
}

/* TH_TENSOR_DIM_APPLY2: two tensors. */
CASE(dim_apply2) {
  THFloatTensor *a = counted(2, 3), *b = THFloatTensor_newWithSize2d(2, 1), *c = counted(3, 3), *d = VECTOR(1, 2);
  TH_TENSOR_DIM_APPLY2(float, a, float, b, 1, {
    float sum = 0;
    int64_t i;
    for (i = 0; i < a_size; i++) sum += a_data[i * a_stride];
    *b_data = sum;
  });
  HOLDS(b, 3, 12);
  RAISES(0, "Expected a [2 x 3] and c [3 x 3] to have the same size in dimension 1",
         TH_TENSOR_DIM_APPLY2(float, a, float, c, 1, (void)0;));
  RAISES(0, "inconsistent tensor size, expected a [2 x 3] and d [2] to have the same number of dimensions",
         TH_TENSOR_DIM_APPLY2(float, a, float, d, 1, (void)0;));
  THFloatTensor_free(a);
  THFloatTensor_free(b);
  THFloatTensor_free(c);
  THFloatTensor_free(d);
}

#define NO_CHECK(T1, T2, T3, DIMENSION)                                                                                \
  for (TH_TENSOR_DIM_APPLY_i = 0; TH_TENSOR_DIM_APPLY_i < T1->nDimension; TH_TENSOR_DIM_APPLY_i++) checked++;

/* TH_TENSOR_DIM_APPLY3: with a check. */
CASE(dim_apply3) {
  THFloatTensor *a = counted(2, 3), *b = counted(2, 3), *c = counted(2, 2), *d = counted(3, 3);
  int checked = 0, slices = 0;
  TH_TENSOR_DIM_APPLY3(float, a, float, b, float, c, 1, TH_TENSOR_DIM_APPLY3_SIZE_EQ_EXCEPT_DIM, {
    slices++;
    CHECK(a_size == 3 && c_size == 2 && c_data == c->storage->data + 2 * (slices - 1));
  });
  CHECK(slices == 2);
  TH_TENSOR_DIM_APPLY3(float, a, float, b, float, c, 1, NO_CHECK, slices++;);
  CHECK(slices == 4 && checked == 2);
  RAISES(0, "Expected a [2 x 3], b [2 x 3] and d [3 x 3] to have the same size apart from dimension 1",
         TH_TENSOR_DIM_APPLY3(float, a, float, b, float, d, 1, TH_TENSOR_DIM_APPLY3_SIZE_EQ_EXCEPT_DIM, slices++;));
  THFloatTensor_free(a);
  THFloatTensor_free(b);
  THFloatTensor_free(c);
  THFloatTensor_free(d);
}

/* Names visible in APPLY: T_data and the rest. */
CASE(visible_in_apply) {
  THFloatTensor *t = counted(4, 3), *part = THFloatTensor_newNarrow(t, 1, 0, 2), *empty = THFloatTensor_new();
  int64_t n = 0;
  TH_TENSOR_APPLY(float, part, {
    CHECK(part_stride == 1 && part_size == 2 && part_i == n % 2 && part_n == 8 && part_dim == 2);
    CHECK(part_sizes[0] == 4 && part_strides[0] == 3 && part_counter[0] == n / 2 && !part_contiguous);
    CHECK(TH_TENSOR_dim_index == 0 && part_dimOffset);
    n++;
  });
  TH_TENSOR_APPLY(float, t, CHECK(t_size == 12 && t_stride == 1 && t_contiguous); n++;);
  TH_TENSOR_APPLY(float, empty, n = 1000;);
  CHECK(n == 20);
  THFloatTensor_free(t);
  THFloatTensor_free(part);
  THFloatTensor_free(empty);
}

/* continue and break, and hasFinished. */
CASE(continue_and_break) {
  THFloatTensor *t = counted(4, 3), *part = THFloatTensor_newNarrow(t, 1, 0, 2);
  int n = 0, runs = 0;
  TH_TENSOR_APPLY(float, part, if (part_i == 0) continue; n++;);
  CHECK(n == 4);
  TH_TENSOR_APPLY(float, part, if (*part_data == 6) { TH_TENSOR_APPLY_hasFinished = 1; break; } n++;);
  CHECK(n == 8);
  TH_TENSOR_APPLY(float, part, { /* the run at once */
    runs++;
    part_i = part_size;
    part_data += part_stride * part_size;
    break;
  });
  CHECK(runs == 4);
  TH_TENSOR_APPLY(float, part, n++; break;); /* here: the next run */
  CHECK(n == 12);
  THFloatTensor_free(t);
  THFloatTensor_free(part);
}

/* Names visible in DIM_APPLY: T_data and the rest. */
CASE(visible_in_dim_apply) {
  THFloatTensor *t = counted(2, 3);
  int n = 0;
  TH_TENSOR_DIM_APPLY(float, t, 0, {
    CHECK(TH_TENSOR_DIM_APPLY_counter[1] == n);
    n++;
    if (n == 2) TH_TENSOR_DIM_APPLY_hasFinished = 1;
  });
  CHECK(n == 2);
  RAISES(0, "from inside", TH_TENSOR_DIM_APPLY(float, t, 0, {
           THFree(TH_TENSOR_DIM_APPLY_counter);
           THError("from inside");
         }));
  THFloatTensor_free(t);
}
