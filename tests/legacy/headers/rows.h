/* tests/legacy/headers/rows.h: a C file of tests, one ROW for each row of the contract, run one at a time by its name.
 * */
#ifndef ROWS_H
#define ROWS_H

#include <TH/TH.h>

#include <setjmp.h>

static jmp_buf rows_before;
static int rows_number; /* the argument of the error caught last; 0 for a plain one, -1 for none */
static char rows_text[4096];

static void rows_on_error(const char *message, void *data) {
  (void)data;
  rows_number = 0;
  snprintf(rows_text, sizeof rows_text, "%s", message);
  longjmp(rows_before, 1);
}

static void rows_on_argument(int number, const char *message, void *data) {
  (void)data;
  rows_number = number;
  snprintf(rows_text, sizeof rows_text, "%s", message);
  longjmp(rows_before, 1);
}

#define CHECK(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                                  \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  } while (0)

/* The call raises an error whose text begins so; `number` 0 is a plain error, else an argument. */
#define RAISES(number, text, call)                                                                                     \
  do {                                                                                                                 \
    rows_number = -1;                                                                                                  \
    if (!setjmp(rows_before)) {                                                                                        \
      call;                                                                                                            \
    }                                                                                                                  \
    if (rows_number != (number) || strncmp(rows_text, text, strlen(text))) {                                           \
      fprintf(stderr, "%s:%d: %s\nexpected %d \"%s\"\ngot %d \"%s\"\n", __FILE__, __LINE__, #call, number, text,       \
              rows_number, rows_number < 0 ? "no error" : rows_text);                                                  \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  } while (0)

/* sizes (or strides) of any tensor: IS(t, size, 2, 3) */
#define IS(tensor, field, ...)                                                                                         \
  do {                                                                                                                 \
    const int64_t rows_expected[] = {__VA_ARGS__};                                                                     \
    CHECK((tensor)->nDimension == (int)(sizeof rows_expected / 8));                                                    \
    CHECK(!memcmp((tensor)->field, rows_expected, sizeof rows_expected));                                              \
  } while (0)

/* 0, 1, 2 ... */
TH_UNUSED static THFloatTensor *counted(int64_t rows, int64_t columns) {
  THFloatTensor *t = THFloatTensor_newWithSize2d(rows, columns);
  float next = 0;
  TH_TENSOR_APPLY(float, t, *t_data = next++;);
  return t;
}

TH_UNUSED static THFloatTensor *vector_of(int n, const float *values) {
  THFloatTensor *t = THFloatTensor_newWithSize1d(n);
  memcpy(THFloatTensor_data(t), values, sizeof(float) * (size_t)n);
  return t;
}
#define VECTOR(...) vector_of((int)(sizeof((float[]){__VA_ARGS__}) / sizeof(float)), (float[]){__VA_ARGS__})

TH_UNUSED static THLongTensor *indices_of(int n, const int64_t *values) {
  THLongTensor *t = THLongTensor_newWithSize1d(n);
  memcpy(THLongTensor_data(t), values, sizeof(int64_t) * (size_t)n);
  return t;
}
#define INDICES(...) indices_of((int)(sizeof((int64_t[]){__VA_ARGS__}) / 8), (int64_t[]){__VA_ARGS__})

/* The elements, in row-major order: HOLDS(t, 1, 2, 3) */
TH_UNUSED static int holds(THFloatTensor *t, int n, const float *values) {
  int i = 0, same = THFloatTensor_nElement(t) == n;
  if (!same) return 0;
  TH_TENSOR_APPLY(float, t, same &= *t_data == values[i]; i++;);
  return same;
}
#define HOLDS(tensor, ...) CHECK(holds(tensor, (int)(sizeof((float[]){__VA_ARGS__}) / sizeof(float)), (float[]){__VA_ARGS__}))

struct row {
  const char *name;
  void (*run)(void);
};

/* Each file ends with ROWS(ROW(function, "name"), ...). */
#define ROW(function, name) {name, function}
#define ROWS(...)                                                                                                      \
  int main(int argc, char **argv) {                                                                                    \
    static const struct row rows[] = {__VA_ARGS__};                                                                    \
    size_t i;                                                                                                          \
    THSetErrorHandler(rows_on_error, 0);                                                                               \
    THSetArgErrorHandler(rows_on_argument, 0);                                                                         \
    for (i = 0; i < sizeof rows / sizeof *rows; i++)                                                                   \
      if (argc > 1 && !strcmp(argv[1], rows[i].name)) {                                                                \
        rows[i].run();                                                                                                 \
        return 0;                                                                                                      \
      }                                                                                                                \
    fprintf(stderr, "no such row\n");                                                                                  \
    return 2;                                                                                                          \
  }

#endif
