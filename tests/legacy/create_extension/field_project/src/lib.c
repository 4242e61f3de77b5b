/* tests/legacy/create_extension/field_project/src/lib.c: what one header, TH/TH.h, was taken for. */
#include <TH/TH.h>
#include <place.h>

#include <wchar.h>

#define real float

/* stdio, string, math, limits, float, time and inttypes come with TH.h */
char *format(real value) {
  static char text[64];
  snprintf(text, sizeof text, "%.1f %zu %d %" PRId64, floor(value), strlen("four"), CHAR_BIT, (int64_t)INT_MAX);
  return value < FLT_MAX && time(NULL) ? text : NULL;
}

int long_is_contiguous(THFloatTensor *tensor) { return THLongTensor_isContiguous(tensor); }

void fail(THFloatTensor *tensor) { THArgCheck(tensor->nDimension == 7, 1, "seven dimensions expected"); }

static int count;
void *acquire(void) { return malloc(8); }
void release(void *block) {
  free(block);
  count++;
  if (getenv("SAY_RELEASED")) puts("released");
}
int released(void) { return count; }

int is_null(void *pointer) { return pointer == NULL; }
void *at_place(void **slot) { return *slot; }

void scale(THFloatTensor *input, THFloatTensor *weight, THFloatTensor *output) {
  THFloatTensor_resizeAs(output, input);
  THFloatTensor_mul(output, input, THFloatTensor_get1d(weight, 0));
}

/* reads memory as an array */
void raw_double(THFloatTensor *input, THFloatTensor *output) {
  THFloatTensor_resizeAs(output, input);
  for (ptrdiff_t i = 0; i < THFloatTensor_nElement(input); ++i)
    THFloatTensor_data(output)[i] = 2 * THFloatTensor_data(input)[i];
}

void resize4(THFloatTensor *output) {
  THFloatTensor_resize1d(output, 4);
  THFloatTensor_fill(output, 3);
}
void column(THFloatTensor *tensor) { THFloatTensor_resize2d(tensor, THFloatTensor_nElement(tensor), 1); }
void grow(THFloatTensor *tensor, long size) { THFloatTensor_resize1d(tensor, size); }

/* C99: a definition for inlining alone, of which no symbol is made */
inline int helper(int value) { return value + 1; }
int inlined(int value) { return helper(value); }

int place(void) { return PLACE; }
int wide_length(const wchar_t *text) { return (int)wcslen(text); }
typedef enum { SUM, MEAN = 5 } reduction;
int reduction_number(reduction how) { return how; }

void sum_rows(THFloatTensor *matrix, THFloatTensor *output) {
  THFloatTensor_resize1d(output, matrix->size[0]);
#pragma omp parallel for num_threads(4)
  for (int64_t i = 0; i < matrix->size[0]; ++i) {
    THFloatTensor *row = THFloatTensor_newSelect(matrix, 0, i), *copy = THFloatTensor_new();
    THFloatTensor_resize2d(copy, 1, row->size[0]);
    THFloatTensor_copy(copy, row);
    THFloatTensor_set1d(output, i, THFloatTensor_sumall(copy));
    THFloatTensor_free(copy);
    THFloatTensor_free(row);
  }
}

void rows_past_the_end(THFloatTensor *matrix) {
#pragma omp parallel for num_threads(4)
  for (int64_t i = 0; i < matrix->size[0] + 4; ++i) THFloatTensor_free(THFloatTensor_newSelect(matrix, 0, i));
}
