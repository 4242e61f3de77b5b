/* tests/legacy/headers/cases.h: a program of test cases in C, which runs the one that its argument names. */
#ifndef CASES_H
#define CASES_H

#include <TH/TH.h>

#include <setjmp.h>

static jmp_buf error_return;
static int error_number; /* the argument of the error caught last; 0 for a plain one, -1 for none */
static char error_text[4096];

static void on_error(const char *message, void *data) {
  (void)data;
  error_number = 0;
  snprintf(error_text, sizeof error_text, "%s", message);
  longjmp(error_return, 1);
}

static void on_argument_error(int number, const char *message, void *data) {
  (void)data;
  error_number = number;
  snprintf(error_text, sizeof error_text, "%s", message);
  longjmp(error_return, 1);
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
    error_number = -1;                                                                                                 \
    if (!setjmp(error_return)) {                                                                                       \
      call;                                                                                                            \
    }                                                                                                                  \
    if (error_number != (number) || strncmp(error_text, text, strlen(text))) {                                         \
      fprintf(stderr, "%s:%d: %s\nexpected %d \"%s\"\ngot %d \"%s\"\n", __FILE__, __LINE__, #call, number, text,       \
              error_number, error_number < 0 ? "no error" : error_text);                                               \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  } while (0)

/* sizes (or strides) of any tensor: IS(t, size, 2, 3) */
#define IS(tensor, field, ...)                                                                                         \
  do {                                                                                                                 \
    const int64_t is_expected[] = {__VA_ARGS__};                                                                       \
    CHECK((tensor)->nDimension == (int)(sizeof is_expected / 8));                                                      \
    CHECK(!memcmp((tensor)->field, is_expected, sizeof is_expected));                                                  \
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

struct test_case {
  const char *name;
  void (*run)(void);
  struct test_case *next;
};

static struct test_case *all_cases;

/* CASE(name) { ... }: the body of a test case; support/th_cases.py finds the names in the source. */
#define CASE(case_name)                                                                                                \
  static void case_name(void);                                                                                         \
  __attribute__((constructor)) static void add_case_##case_name(void) {                                                \
    static struct test_case added = {#case_name, case_name, 0};                                                        \
    added.next = all_cases;                                                                                            \
    all_cases = &added;                                                                                                \
  }                                                                                                                    \
  static void case_name(void)

int main(int argc, char **argv) {
  const struct test_case *each;
  THSetErrorHandler(on_error, 0);
  THSetArgErrorHandler(on_argument_error, 0);
  for (each = all_cases; each; each = each->next)
    if (argc > 1 && !strcmp(argv[1], each->name)) {
      each->run();
      return 0;
    }
  fprintf(stderr, "no such case\n");
  return 2;
}

#endif
