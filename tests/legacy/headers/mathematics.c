/* tests/legacy/headers/mathematics.c: the meaning of the mathematical functions; tests/th/golden/ has more values. */
#include "cases.h"

static THFloatTensor *r;
static THFloatTensor *matrix(int64_t rows, int64_t columns, const float *values) {
  THFloatTensor *t = THFloatTensor_newWithSize2d(rows, columns);
  memcpy(THFloatTensor_data(t), values, sizeof(float) * (size_t)(rows * columns));
  return t;
}
#define MATRIX(rows, columns, ...) matrix(rows, columns, (float[]){__VA_ARGS__})

/* Results are resized; in place is fine. */
CASE(results_are_resized) {
  THFloatTensor *t = counted(2, 3), *flat = VECTOR(1, 1, 1, 1, 1, 1);
  r = counted(4, 4);
  THFloatTensor_cadd(r, t, 2, flat); /* numbers of elements agree, the shape is t's */
  IS(r, size, 2, 3);
  HOLDS(r, 2, 3, 4, 5, 6, 7);
  THFloatTensor_mul(t, t, 2);
  HOLDS(t, 0, 2, 4, 6, 8, 10);
  THFloatTensor_cmul(flat, t, flat);
  HOLDS(flat, 0, 2, 4, 6, 8, 10);
}

/* fill, zero: any layout. */
CASE(fill_zero) {
  THFloatTensor *t = counted(2, 3), *v = THFloatTensor_newNarrow(t, 1, 1, 2);
  THFloatTensor_fill(v, 9);
  HOLDS(t, 0, 9, 9, 3, 9, 9);
  THFloatTensor_zero(v);
  HOLDS(t, 0, 0, 0, 3, 0, 0);
}

/* copy: no resizing. */
CASE(copy) {
  THFloatTensor *t = counted(2, 3), *other = counted(3, 2), *small = counted(1, 1);
  THFloatTensor_fill(other, 0);
  THFloatTensor_copy(other, t);
  IS(other, size, 3, 2);
  HOLDS(other, 0, 1, 2, 3, 4, 5);
  THFloatTensor_copy(t, t);
  RAISES(0, "inconsistent tensor size, expected tensor [1 x 1] and src [2 x 3] to have the same number of elements",
         THFloatTensor_copy(small, t));
}

/* copy<T>: a C cast. */
CASE(copy_from_a_type) {
  const float values[] = {1.9f, -1.9f, -1, 300, 3e9f, 1e30f, NAN};
  THFloatTensor *t = vector_of(7, values);
  THIntTensor *i = THIntTensor_newWithSize1d(7);
  THByteTensor *b = THByteTensor_newWithSize1d(7);
  THLongTensor *l = THLongTensor_newWithSize1d(7);
  THIntTensor_copyFloat(i, t);
  THByteTensor_copyFloat(b, t);
  THLongTensor_copyFloat(l, t);
  CHECK(THIntTensor_get1d(i, 0) == 1 && THIntTensor_get1d(i, 1) == -1 && THIntTensor_get1d(i, 4) == INT_MIN);
  CHECK(THByteTensor_get1d(b, 2) == 255 && THByteTensor_get1d(b, 3) == 44 && THByteTensor_get1d(b, 6) == 0);
  CHECK(THLongTensor_get1d(l, 4) == 3000000000 && THLongTensor_get1d(l, 5) == INT64_MIN);
  THLongTensor_fill(l, 257);
  THByteTensor_copyLong(b, l);
  CHECK(THByteTensor_get1d(b, 0) == 1);
}

/* add/sub/mul/div: scalars. */
CASE(add_sub_mul_div) {
  THIntTensor *t = THIntTensor_newWithSize1d(2), *out = THIntTensor_new();
  THIntTensor_set1d(t, 0, 7), THIntTensor_set1d(t, 1, -7);
  THIntTensor_div(out, t, 2);
  CHECK(THIntTensor_get1d(out, 0) == 3 && THIntTensor_get1d(out, 1) == -3);
  THIntTensor_add_scaled(out, t, 3, 5);
  CHECK(THIntTensor_get1d(out, 0) == 22);
  THIntTensor_sub_scaled(out, t, 3, 5);
  CHECK(THIntTensor_get1d(out, 0) == -8);
  RAISES(0, "integer division by zero", THIntTensor_div(out, t, 0)); /* the original trapped */
  THIntTensor_fill(t, INT_MIN);
  THIntTensor_div(out, t, -1);
  CHECK(THIntTensor_get1d(out, 0) == INT_MIN);
}

/* cadd, csub: with a factor. */
CASE(cadd_csub) {
  THFloatTensor *t = VECTOR(1, 2), *s = VECTOR(10, 20);
  THByteTensor *b = THByteTensor_newWithSize1d(1), *out = THByteTensor_new();
  r = THFloatTensor_new();
  THFloatTensor_cadd(r, t, 3, s);
  HOLDS(r, 31, 62);
  THFloatTensor_csub(r, t, 3, s);
  HOLDS(r, -29, -58);
  THFloatTensor_cadd(t, t, 0.5f, s);
  HOLDS(t, 6, 12);
  THByteTensor_fill(b, 10);
  THByteTensor_csub(out, b, 2, b);
  CHECK(THByteTensor_get1d(out, 0) == 246);
}

/* cmul, cdiv, cpow and their relatives: elementwise. */
CASE(cmul_cdiv_cpow) {
  THFloatTensor *a = VECTOR(6, 2), *b = VECTOR(4, 8);
  THIntTensor *i = THIntTensor_newWithSize1d(2), *out = THIntTensor_new();
  r = THFloatTensor_new();
  THFloatTensor_cmul(r, a, b);
  HOLDS(r, 24, 16);
  THFloatTensor_cdiv(r, a, b);
  HOLDS(r, 1.5f, 0.25f);
  THFloatTensor_cmax(r, a, b);
  HOLDS(r, 6, 8);
  THFloatTensor_cminValue(r, a, 3);
  HOLDS(r, 3, 2);
  THFloatTensor_clamp(r, b, 5, 7);
  HOLDS(r, 5, 7);
  THFloatTensor_atan2(r, a, a);
  CHECK(fabsf(THFloatTensor_get1d(r, 0) - 0.7853982f) < 1e-6f);
  THIntTensor_set1d(i, 0, -7), THIntTensor_set1d(i, 1, 3);
  THIntTensor_cpow(out, i, i);
  CHECK(THIntTensor_get1d(out, 1) == 27);
  THIntTensor_fill(out, 0);
  RAISES(0, "integer division by zero", THIntTensor_cdiv(i, i, out));
}

/* fmod / remainder: signs. */
CASE(remainders) {
  THFloatTensor *t = VECTOR(-7, 7);
  THIntTensor *i = THIntTensor_newWithSize1d(1);
  r = THFloatTensor_new();
  THFloatTensor_fmod(r, t, 3);
  HOLDS(r, -1, 1);
  THFloatTensor_remainder(r, t, 3);
  HOLDS(r, 2, 1);
  THFloatTensor_remainder(r, t, 0);
  CHECK(isnan(THFloatTensor_get1d(r, 0)));
  THIntTensor_fill(i, -7);
  THIntTensor_remainder(i, i, 3);
  CHECK(THIntTensor_get1d(i, 0) == 2);
}

/* lshift/rshift: and of floats. */
CASE(shifts) {
  THFloatTensor *t = VECTOR(3, 5);
  THCharTensor *c = THCharTensor_newWithSize1d(1);
  r = THFloatTensor_new();
  THFloatTensor_lshift(r, t, 2);
  HOLDS(r, 12, 20);
  THFloatTensor_rshift(r, t, 1);
  HOLDS(r, 1.5f, 2.5f);
  THCharTensor_fill(c, -2);
  THCharTensor_rshift(c, c, 1);
  CHECK(THCharTensor_get1d(c, 0) == 127); /* as unsigned */
  THCharTensor_lshift(c, c, 8);
  CHECK(THCharTensor_get1d(c, 0) == 0);
}

/* addcmul, addcdiv: three tensors. */
CASE(addcmul_addcdiv) {
  THFloatTensor *t = VECTOR(1, 1), *a = VECTOR(2, 3), *b = VECTOR(4, 8);
  r = THFloatTensor_new();
  THFloatTensor_addcmul(r, t, 10, a, b);
  HOLDS(r, 81, 241);
  THFloatTensor_addcdiv(t, t, 8, a, b);
  HOLDS(t, 5, 4);
}

/* addmm: beta 0 reads nothing. */
CASE(addmm) {
  THFloatTensor *a = counted(2, 3), *b = counted(3, 2), *t = MATRIX(2, 2, NAN, NAN, NAN, NAN), *v = VECTOR(1, 2);
  r = THFloatTensor_new();
  THFloatTensor_addmm(r, 0, t, 1, a, b);
  HOLDS(r, 10, 13, 28, 40);
  THFloatTensor_addmm(r, 2, r, -1, a, b);
  HOLDS(r, 10, 13, 28, 40);
  RAISES(0, "matrices expected, got 1D, 2D tensors", THFloatTensor_addmm(r, 0, t, 1, v, b));
  RAISES(0, "size mismatch, m1: [2 x 3], m2: [2 x 3]", THFloatTensor_addmm(r, 0, t, 1, a, a));
  RAISES(0, "size mismatch, t: [3 x 2], m1: [2 x 3], m2: [3 x 2]", THFloatTensor_addmm(r, 1, b, 1, a, b));
}

/* addmv, addr: vectors are vectors. */
CASE(addmv_addr) {
  THFloatTensor *a = counted(2, 3), *x = VECTOR(1, 2, 3), *y = VECTOR(1, 2), *t = VECTOR(10, 20);
  r = THFloatTensor_new();
  THFloatTensor_addmv(r, 1, t, 2, a, x);
  HOLDS(r, 26, 72);
  THFloatTensor_addr(r, 0, a, 1, y, x);
  HOLDS(r, 1, 2, 3, 2, 4, 6);
  RAISES(0, "matrix and vector expected, got 2D, 2D", THFloatTensor_addmv(r, 1, t, 2, a, a));
}

/* addbmm, baddbmm: batches. */
CASE(addbmm_baddbmm) {
  THFloatTensor *a = THFloatTensor_newWithSize3d(2, 1, 2), *b = THFloatTensor_newWithSize3d(2, 2, 1), *t = counted(1, 1);
  THFloatTensor *many = THFloatTensor_newWithSize3d(2, 1, 1);
  THFloatTensor_fill(a, 2), THFloatTensor_fill(b, 3);
  r = THFloatTensor_new();
  THFloatTensor_addbmm(r, 1, t, 1, a, b);
  HOLDS(r, 24);
  THFloatTensor_baddbmm(r, 0, many, 1, a, b);
  IS(r, size, 2, 1, 1);
  HOLDS(r, 12, 12);
}

/* match: squared distances. */
CASE(match) {
  THFloatTensor *a = MATRIX(1, 2, 0, 0), *b = MATRIX(2, 2, 3, 4, 1, 0);
  r = THFloatTensor_new();
  THFloatTensor_match(r, a, b, 2);
  HOLDS(r, 50, 2);
}

/* dot: counts alone. */
CASE(dot) {
  THFloatTensor *a = counted(2, 2), *b = VECTOR(1, 1, 1, 2);
  CHECK(THFloatTensor_dot(a, b) == 9);
}

/* sumall and its relatives: to one number. */
CASE(reductions_to_a_number) {
  THFloatTensor *t = MATRIX(2, 2, 1, -2, 0, 3), *none = THFloatTensor_new();
  CHECK(THFloatTensor_sumall(t) == 2 && THFloatTensor_prodall(t) == 0 && THFloatTensor_meanall(t) == 0.5);
  CHECK(THFloatTensor_varall(t, 1) == 3.25 && fabs(THFloatTensor_stdall(t, 0) - 2.0816659994661326) < 1e-9);
  CHECK(THFloatTensor_normall(t, 0) == 3 && THFloatTensor_normall(t, 1) == 6 && THFloatTensor_trace(t) == 4);
  CHECK(THFloatTensor_dist(t, t, 2) == 0 && THFloatTensor_sumall(none) == 0 && THFloatTensor_prodall(none) == 1);
}

/* minall, maxall, medianall: NaN wins. */
CASE(minall_maxall_medianall) {
  THFloatTensor *t = VECTOR(3, 1, 2, 4), *nan = VECTOR(1, NAN, 2), *none = THFloatTensor_new();
  CHECK(THFloatTensor_minall(t) == 1 && THFloatTensor_maxall(t) == 4 && THFloatTensor_medianall(t) == 2);
  CHECK(isnan(THFloatTensor_maxall(nan)) && isnan(THFloatTensor_minall(nan)));
  RAISES(1, "tensor must have one dimension", THFloatTensor_maxall(none));
}

/* sum, prod, min, max and more of a dimension: keepdim. */
CASE(reductions_of_a_dimension) {
  THFloatTensor *t = MATRIX(2, 3, 1, 2, 3, 4, NAN, 6), *v = VECTOR(1, 2);
  THLongTensor *i = THLongTensor_new();
  r = THFloatTensor_new();
  THFloatTensor_sum(r, t, 0, 1);
  IS(r, size, 1, 3);
  THFloatTensor_sum(r, t, 0, 0);
  IS(r, size, 3);
  CHECK(THFloatTensor_get1d(r, 2) == 9);
  THFloatTensor_sum(r, v, 0, 0);
  IS(r, size, 1);
  HOLDS(r, 3);
  THFloatTensor_max(r, i, t, 1, 0);
  CHECK(THFloatTensor_get1d(r, 0) == 3 && isnan(THFloatTensor_get1d(r, 1)) && THLongTensor_get1d(i, 1) == 1);
}

/* std/var: biased. */
CASE(std_var) {
  THFloatTensor *t = MATRIX(2, 1, 5, 7), *two = MATRIX(1, 2, 1, 3);
  r = THFloatTensor_new();
  THFloatTensor_var(r, two, 1, 1, 0);
  HOLDS(r, 1);
  THFloatTensor_var(r, two, 1, 0, 0);
  HOLDS(r, 2);
  THFloatTensor_std(r, t, 1, 1, 0);
  HOLDS(r, 0, 0);
  THFloatTensor_std(r, t, 1, 0, 0);
  CHECK(isnan(THFloatTensor_get1d(r, 0)));
}

/* cumsum, cumprod, sort, topk: along a dimension. */
CASE(cumsum_cumprod_sort_topk) {
  THFloatTensor *t = MATRIX(2, 3, 3, 1, 2, 6, 5, 4);
  THLongTensor *i = THLongTensor_new();
  r = THFloatTensor_new();
  THFloatTensor_cumsum(r, t, 1);
  HOLDS(r, 3, 4, 6, 6, 11, 15);
  THFloatTensor_cumprod(r, t, 0);
  HOLDS(r, 3, 1, 2, 18, 5, 8);
  THFloatTensor_sort(r, i, t, 1, 0);
  HOLDS(r, 1, 2, 3, 4, 5, 6);
  CHECK(THLongTensor_get2d(i, 0, 0) == 1 && THLongTensor_get2d(i, 1, 2) == 0);
  THFloatTensor_topk(r, i, t, 2, 1, 1, 1);
  HOLDS(r, 3, 2, 6, 5);
}

/* indexSelect: resizes. */
CASE(index_select) {
  THFloatTensor *t = counted(3, 2);
  THLongTensor *index = INDICES(2, 0, 2), *bad = INDICES(3);
  r = THFloatTensor_new();
  THFloatTensor_indexSelect(r, t, 0, index);
  HOLDS(r, 4, 5, 0, 1, 4, 5);
  RAISES(0, "index out of range", THFloatTensor_indexSelect(r, t, 0, bad));
}

/* indexCopy/indexAdd/indexFill, take, put: do not resize. */
CASE(index_copy_add_fill_take_put) {
  THFloatTensor *t = counted(3, 2), *s = MATRIX(2, 2, 10, 20, 30, 40);
  THLongTensor *index = INDICES(2, 0), *flat = INDICES(-1, 0);
  THFloatTensor_indexCopy(t, 0, index, s);
  HOLDS(t, 30, 40, 2, 3, 10, 20);
  THFloatTensor_indexAdd(t, 0, index, s);
  HOLDS(t, 60, 80, 2, 3, 20, 40);
  THFloatTensor_indexFill(t, 0, index, 1);
  HOLDS(t, 1, 1, 2, 3, 1, 1);
  r = THFloatTensor_new();
  THFloatTensor_take(r, t, flat);
  HOLDS(r, 1, 1);
  THFloatTensor_put(t, flat, r, 1);
  HOLDS(t, 2, 1, 2, 3, 1, 2);
}

/* gather, scatter: do not resize. */
CASE(gather_scatter) {
  THFloatTensor *t = counted(2, 3), *s = MATRIX(2, 1, 8, 9);
  THLongTensor *index = THLongTensor_newWithSize2d(2, 1), *bad = THLongTensor_newWithSize2d(2, 1);
  THLongTensor_set2d(index, 0, 0, 2), THLongTensor_set2d(index, 1, 0, 1);
  THLongTensor_fill(bad, 3);
  r = THFloatTensor_newWithSize2d(2, 1);
  THFloatTensor_gather(r, t, 1, index);
  HOLDS(r, 2, 4);
  THFloatTensor_scatter(t, 1, index, s);
  HOLDS(t, 0, 1, 8, 3, 9, 5);
  THFloatTensor_scatterAdd(t, 1, index, s);
  HOLDS(t, 0, 1, 16, 3, 18, 5);
  THFloatTensor_scatterFill(t, 1, index, 0);
  HOLDS(t, 0, 1, 0, 3, 0, 5);
  RAISES(0, "Invalid index in gather", THFloatTensor_gather(r, t, 1, bad));
  RAISES(0, "Invalid index in scatter", THFloatTensor_scatter(t, 1, bad, s));
  RAISES(0, "Invalid index in scatterAdd", THFloatTensor_scatterAdd(t, 1, bad, s));
}

/* maskedFill/Copy/Select: masks of 0 and 1. */
CASE(masked) {
  THFloatTensor *t = counted(2, 2), *s = VECTOR(7, 8, 9);
  THByteTensor *mask = THByteTensor_newWithSize2d(2, 2);
  THByteTensor_set2d(mask, 0, 1, 1), THByteTensor_set2d(mask, 1, 0, 1);
  r = THFloatTensor_new();
  THFloatTensor_maskedSelect(r, t, mask);
  IS(r, size, 2);
  HOLDS(r, 1, 2);
  THFloatTensor_maskedCopy(t, mask, s);
  HOLDS(t, 0, 7, 8, 3);
  THFloatTensor_maskedFill(t, mask, 4);
  HOLDS(t, 0, 4, 4, 3);
  THByteTensor_fill(mask, 2);
  RAISES(0, "Mask tensor can take 0 and 1 values only", THFloatTensor_maskedFill(t, mask, 4));
}

/* nonzero: N x dimensions. */
CASE(nonzero) {
  THFloatTensor *t = MATRIX(2, 2, 0, 5, 6, 0);
  THLongTensor *i = THLongTensor_new();
  THFloatTensor_nonzero(i, t);
  IS(i, size, 2, 2);
  CHECK(THLongTensor_get2d(i, 0, 1) == 1 && THLongTensor_get2d(i, 1, 0) == 1 && THLongTensor_get2d(i, 1, 1) == 0);
}

/* cat, catArray: empty ones are skipped. */
CASE(cat) {
  THFloatTensor *a = counted(2, 1), *none = THFloatTensor_new(), *v = VECTOR(8, 9), *list[3];
  r = THFloatTensor_new();
  list[0] = a, list[1] = none, list[2] = v;
  THFloatTensor_catArray(r, list, 3, 1);
  HOLDS(r, 0, 8, 1, 9);
  THFloatTensor_cat(r, none, none, 0);
  IS(r, size, 2, 2);
}

/* range, arange: the end. */
CASE(range_arange) {
  r = THFloatTensor_new();
  THFloatTensor_range(r, 1, 2, 0.5);
  HOLDS(r, 1, 1.5f, 2);
  THFloatTensor_arange(r, 1, 2, 0.5);
  HOLDS(r, 1, 1.5f);
}

/* eye, zeros, ones: made. */
CASE(eye_zeros_ones) {
  THLongStorage *size = THLongStorage_newWithSize2(1, 2);
  r = THFloatTensor_new();
  THFloatTensor_eye(r, 2, 0);
  HOLDS(r, 1, 0, 0, 1);
  THFloatTensor_zeros(r, size);
  HOLDS(r, 0, 0);
  THFloatTensor_onesLike(r, r);
  HOLDS(r, 1, 1);
}

/* reshape, diag, tril, triu and more exist. */
CASE(reshape_diag_tril) {
  THFloatTensor *t = counted(2, 3), *v = VECTOR(1, 2);
  THLongStorage *size = THLongStorage_newWithSize2(3, 2);
  r = THFloatTensor_new();
  THFloatTensor_reshape(r, t, size);
  CHECK(r->storage != t->storage);
  HOLDS(r, 0, 1, 2, 3, 4, 5);
  THFloatTensor_diag(r, v, 1);
  HOLDS(r, 0, 1, 0, 0, 0, 2, 0, 0, 0);
  THFloatTensor_tril(r, t, 0);
  HOLDS(r, 0, 0, 0, 3, 4, 0);
  THFloatTensor_triu(r, t, 1);
  HOLDS(r, 0, 1, 2, 0, 0, 5);
  THFloatTensor_linspace(r, 0, 1, 3);
  HOLDS(r, 0, 0.5f, 1);
  THFloatTensor_logspace(r, 0, 2, 3);
  HOLDS(r, 1, 10, 100);
  THFloatTensor_histc(r, t, 3, 0, 5);
  HOLDS(r, 2, 2, 2);
  THFloatTensor_renorm(r, t, 2, 0, 1);
  CHECK(fabs(THFloatTensor_normall(r, 2) - sqrt(2)) < 1e-6);
  THFloatTensor_lerp(r, v, v, 0.5f);
  HOLDS(r, 1, 2);
}

/* lt, le, gt, ge, eq, ne: to bytes. */
CASE(comparisons) {
  THFloatTensor *a = VECTOR(1, 2), *b = VECTOR(2, 2);
  THByteTensor *out = THByteTensor_new();
  r = THFloatTensor_new();
  THFloatTensor_ltTensor(out, a, b);
  CHECK(THByteTensor_get1d(out, 0) == 1 && THByteTensor_get1d(out, 1) == 0);
  THFloatTensor_geValueT(r, a, 2);
  HOLDS(r, 0, 1);
}

/* equal: of sizes too. */
CASE(equal) {
  THFloatTensor *a = counted(2, 3), *b = counted(2, 3), *c = counted(3, 2);
  CHECK(THFloatTensor_equal(a, b) && !THFloatTensor_equal(a, c));
  THFloatTensor_set2d(b, 1, 1, 9);
  CHECK(!THFloatTensor_equal(a, b));
}

/* numel: nElement. */
CASE(numel) {
  THFloatTensor *t = counted(2, 3);
  CHECK(THFloatTensor_numel(t) == 6);
}

/* Not declared for integers. */
CASE(floats_only) {
  THIntTensor *i = THIntTensor_newWithSize1d(1);
  THByteTensor *b = THByteTensor_newWithSize1d(2);
  THIntTensor_fill(i, -3);
  THIntTensor_abs(i, i);
  THIntTensor_neg(i, i);
  CHECK(THIntTensor_get1d(i, 0) == -3);
  THByteTensor_set1d(b, 0, 1);
  CHECK(THByteTensor_logicalany(b) && !THByteTensor_logicalall(b));
}

/* THBlas: column-major. */
CASE(THBlas_functions) {
  float a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8}, c[] = {NAN, NAN, NAN, NAN};
  int32_t x[] = {1, 2}, y[] = {100, 100};
  THFloatBlas_gemm('n', 'T', 2, 2, 2, 1, a, 2, b, 2, 0, c, 2);
  CHECK(c[0] == 1 * 5 + 3 * 7 && c[1] == 2 * 5 + 4 * 7 && c[2] == 1 * 6 + 3 * 8);
  THFloatBlas_gemm('x', 'n', 2, 1, 1, 1, a, 1, b, 1, 0, c, 1); /* leading dimensions repaired; 'x' is no transpose */
  CHECK(c[0] == 5 && c[1] == 10);
  THFloatBlas_gemv('t', 2, 2, 1, a, 2, b, 1, 0, c, 1);
  CHECK(c[0] == 17 && c[1] == 39);
  THFloatBlas_ger(2, 2, 1, b, 1, b, 1, a, 2);
  CHECK(a[0] == 26 && a[3] == 40);
  THIntBlas_axpy(2, 3, x, 1, y, 1);
  CHECK(y[0] == 103 && y[1] == 106 && THIntBlas_dot(2, x, 1, y, 1) == 315);
  THIntBlas_swap(2, x, 1, y, 1);
  THIntBlas_scal(2, 2, x, 1);
  THIntBlas_copy(2, x, 1, y, 1);
  CHECK(y[0] == 206 && y[1] == 212);
}

/* THVector: destination first. */
CASE(THVector_functions) {
  float x[] = {1, 2, 3}, y[] = {10, 20, 30}, z[3];
  THFloatVector_cadd(z, x, y, 2, 3);
  CHECK(z[0] == 21 && z[2] == 63);
  THFloatVector_divs(z, y, 10, 3);
  CHECK(z[1] == 2);
  THFloatVector_sqrt(z, y, 3);
  CHECK(z[0] == sqrtf(10));
}

/* THLogAdd and its relatives. */
CASE(log_sums) {
  CHECK(fabs(THLogAdd(0, 0) - log(2)) < 1e-15 && THLogAdd(5, -20) == 5);
  CHECK(fabs(THLogSub(log(3), log(1)) - log(2)) < 1e-15 && THLogSub(1, 1) == THLogZero);
  RAISES(0, "LogSub", THLogSub(1, 2));
  CHECK(fabs(THExpMinusApprox(1) - exp(-1)) < 1e-4 && THExpMinusApprox(20) == 0);
  CHECK(THLogZero == -DBL_MAX && THLogOne == 0 && fabs(THLog2Pi - log(2 * M_PI)) < 1e-15);
  CHECK(THLog1p(1e-10) == log1p(1e-10) && THExpm1(1e-10) == expm1(1e-10) && THLog2(8) == 3);
}

/* THAtomic: previous value. */
CASE(THAtomic_functions) {
  int32_t a = 5;
  int64_t b = 5;
  ptrdiff_t c = 5;
  CHECK(THAtomicAdd(&a, 2) == 5 && THAtomicGet(&a) == 7 && THAtomicCompareAndSwap(&a, 7, 1) && a == 1);
  CHECK(!THAtomicCompareAndSwapLong(&b, 7, 1) && THAtomicAddLong(&b, -5) == 5 && b == 0);
  THAtomicSetPtrdiff(&c, 9);
  CHECK(THAtomicGetPtrdiff(&c) == 9);
}

/* THSize and the helpers of sizes. */
CASE(THSize_functions) {
  int64_t a[] = {2, 1, 3}, b[] = {4, 1}, list[] = {2, 3}, none[] = {0};
  THLongStorage *out = THLongStorage_new(), *wanted = THLongStorage_newWithSize2(6, -1);
  int64_t *expanded, *strides, row[] = {1}, row_stride[] = {7};
  THLongStorage *target = THLongStorage_newWithSize2(4, 5);
  char text[256];
  CHECK(THSize_isSameSizeAs(list, 2, list, 2) && !THSize_isSameSizeAs(list, 2, list, 1));
  CHECK(THSize_nElement(2, list) == 6 && THSize_nElement(0, none) == 0);
  CHECK(THLongStorage_inferSize2(out, a, 3, b, 2, text, 256) == 0);
  CHECK(out->size == 3 && out->data[0] == 2 && out->data[1] == 4 && out->data[2] == 3);
  CHECK(THLongStorage_inferSize2(out, a, 3, list, 1, text, 256) == -1 && strstr(text, "must match"));
  CHECK(THLongStorage_newInferSize(wanted, 12)->data[1] == 2);
  CHECK(THLongStorage_inferExpandGeometry(row, row_stride, 1, target, &expanded, &strides, text, 256) == 0);
  CHECK(expanded[0] == 4 && expanded[1] == 5 && strides[0] == 0 && strides[1] == 0);
  THFree(expanded);
  THFree(strides);
}

/* THFile: disk, pipe, memory. */
CASE(THFile_functions) {
  THFile *file = THMemoryFile_new("rw");
  int32_t numbers[] = {1, -2, 3}, back[3];
  THFile_writeIntRaw(file, numbers, 3);
  THFile_seek(file, 0);
  CHECK(THFile_readIntRaw(file, back, 3) == 3 && back[1] == -2 && !THFile_isBinary(file));
  THFile_free(file);
}
