/* tests/th/golden/helper.c: calls any function with recorded arguments and catches the error it raises.
 *
 * Built as C it leaves the error handler by longjmp, built as C++ by an exception. Integer and pointer arguments travel
 * in one list, floating ones in another: right for ABIs that pass them in registers of two kinds (x86-64, AArch64).
 */
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
struct raised {};
#endif

static jmp_buf before_call;
static volatile int armed;
static int kind, number; /* 0 none, 1 error, 2 argument error; the argument */
static char text[4096];

static void leave(void) {
  if (!armed) {
    fprintf(stderr, "error outside a call: %s\n", text);
    abort();
  }
#ifdef __cplusplus
  throw raised();
#else
  longjmp(before_call, 1);
#endif
}

static void on_error(const char *message, void *data) {
  (void)data;
  kind = 1;
  number = 0;
  snprintf(text, sizeof text, "%s", message);
  leave();
}

static void on_argument_error(int argument, const char *message, void *data) {
  (void)data;
  kind = 2;
  number = argument;
  snprintf(text, sizeof text, "%s", message);
  leave();
}

void replay_install(void *set_error, void *set_argument_error) {
  ((void (*)(void (*)(const char *, void *), void *))set_error)(on_error, 0);
  ((void (*)(void (*)(int, const char *, void *), void *))set_argument_error)(on_argument_error, 0);
}

const char *replay_message(void) { return text; }
int replay_argument(void) { return number; }

#define WORD int64_t
#define WORDS WORD, WORD, WORD, WORD, WORD, WORD, WORD, WORD, WORD, WORD, WORD, WORD, WORD, WORD, WORD, WORD, WORD, WORD, WORD, WORD
#define REALS double, double, double, double, double, double, double, double
#define VALUES                                                                                                         \
  w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11], w[12], w[13], w[14], w[15], w[16], w[17],  \
      w[18], w[19], r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7]

static void invoke(void *function, const int64_t *w, const double *r, int returns_real, int64_t *word, double *real) {
  if (returns_real)
    *real = ((double (*)(WORDS, REALS))function)(VALUES);
  else
    *word = ((int64_t (*)(WORDS, REALS))function)(VALUES);
}

int replay_call(void *function, const int64_t *w, const double *r, int returns_real, int64_t *word, double *real) {
  kind = 0;
  armed = 1;
#ifdef __cplusplus
  try {
    invoke(function, w, r, returns_real, word, real);
  } catch (const raised &) {
  }
#else
  if (!setjmp(before_call)) invoke(function, w, r, returns_real, word, real);
#endif
  armed = 0;
  return kind;
}

#ifdef __cplusplus
}
#endif
