/* tests/bindings/brief.h: one declaration of each kind; brief/ has what each language gets of them. */
#ifndef BRIEF_H
#define BRIEF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "torchthaw/annotate.h"

#define BRIEF_VERSION 2
#define BRIEF_MASK 0xffffffffu
enum brief_mode { BRIEF_FIRST = -1 };

/* Every number by value. */
int64_t brief_numbers(bool a, char b, signed char c, unsigned char d, short e, unsigned short f, int g, unsigned h,
                      long i, unsigned long j, long long k, unsigned long long l, int8_t m, uint8_t n, int16_t o,
                      uint16_t p, int32_t q, uint32_t r, int64_t s, uint64_t t, size_t u, ssize_t v, ptrdiff_t w,
                      intptr_t x, uintptr_t y, float z, double aa, enum brief_mode ab);

/* Halves of numbers: output = input / 2.
 *
 * A second paragraph, of two lines,
 *     with an indented one. */
THAW_STATUS
int brief_halves(const thaw_bfloat16 *input THAW_SHAPE(count, 2), int64_t count, const double *factor THAW_SHAPE(),
                 thaw_float16 *output THAW_SHAPE(count) THAW_NULLABLE THAW_ALIAS(input));

/* Addresses without a shape: a & b < c. */
void *brief_addresses(void *any, const void *constant, bool *flags, const char *text);
float *brief_floats(float values[2]);

const char *brief_text(void);
bool brief_words(int in, int type, int self, int end, const float *);
void brief_nothing(void);
void brief_call(void (*call)(int level));

#endif
