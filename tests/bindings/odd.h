/* tests/bindings/odd.h: what a header may have that declarations in other languages must take, or leave out. */
#ifndef ODD_H
#define ODD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "torchthaw/annotate.h"

#define ODD_VERSION 3
#define ODD_SUM (ODD_VERSION + 1)
#define ODD_MASK 0xffffffffu
#define ODD_TOO_LARGE 0xffffffffffffffffULL
#define ODD_TEXT "text"
#define odd_lower 7
enum odd_mode { ODD_FIRST = -2, ODD_SECOND };

typedef struct odd_handle odd_handle;
typedef struct {
    int first;
} odd_pair;
typedef int (*odd_callback)(int);
typedef double odd_real;

/* Every scalar, by value: a & b < c > @param \u0041 {@code d} CDEF ]==] ``` [link]
 *     indented text
 * @nonsense {@link x} */
int64_t odd_scalars(bool a, char b, signed char c, unsigned char d, short e, unsigned short f, int g, unsigned h,
                    long i, unsigned long j, long long k, unsigned long long l, int8_t m, uint8_t n, int16_t o,
                    uint16_t p, int32_t q, uint32_t r, int64_t s, uint64_t t, size_t u, ssize_t v, ptrdiff_t w,
                    intptr_t x, uintptr_t y, float z, double aa);

/* Every scalar, by address. */
void odd_pointers(bool *a, char *b, signed char *c, const unsigned char *d, short *e, unsigned short *f, int *g,
                  unsigned *h, long *i, unsigned long *j, long long *k, unsigned long long *l, int8_t *m, uint8_t *n,
                  int16_t *o, uint16_t *p, int32_t *q, uint32_t *r, int64_t *s, const uint64_t *t, size_t *u,
                  ssize_t *v, ptrdiff_t *w, intptr_t *x, uintptr_t *y, float *z, const double *aa, void *bb,
                  const void *cc, const char *dd);

void odd_nothing(void);

bool odd_bool(bool value);
char odd_char(char value);
uint8_t odd_byte(uint8_t value);
int16_t odd_short(int16_t value);
uint16_t odd_half(uint16_t value);
unsigned odd_unsigned(unsigned value);
int64_t odd_long(int64_t value);
size_t odd_size(size_t value);
float odd_float(float value);
double odd_double(double value);
const char *odd_text(const char *text);
const void *odd_any(void);
float *odd_second(float values[2]);
odd_real odd_typedef(odd_real value, int_fast16_t fast);
enum odd_mode odd_enum(enum odd_mode mode);

int odd_keywords(int std, int in, int type, int shape, int self, int end, int var, int fn, int import, int _under,
                 int value, int Value, int odd_nothing, int null, int ref, int u8, int lambda, int native, int final);
int odd_unnamed(int, const float *);
int lambda(int value);
int _odd_leading(int value);

/* Halves of numbers. */
THAW_STATUS
int odd_annotated(const thaw_bfloat16 *input THAW_SHAPE(count, 2), int64_t count,
                  thaw_float16 *output THAW_SHAPE(count) THAW_NULLABLE THAW_ALIAS(input));

void odd_calls(odd_callback call);
void odd_struct_pointer(odd_handle *handle);
odd_pair odd_struct(odd_pair pair);
int odd_rows(char **texts, float **rows);
int odd_variadic(const char *format, ...);
long double odd_long_double(long double value);
static inline int odd_inline(int value) { return value + 1; }
int odd_defined(int value);
static int odd_static(int value) { return odd_defined(value); }

#endif
