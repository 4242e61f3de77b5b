/* tests/bridge/probe_misuse/misuse.h: a function for each kind of parameter, whose `value` gets wrong objects. Each
 * writes 1 to its output, so that a call that was refused shows. */
#ifndef MISUSE_H
#define MISUSE_H

#include <stddef.h>
#include <stdint.h>

#include "torchthaw/annotate.h"

typedef enum { MISUSE_LOW = 1, MISUSE_HIGH = 5 } misuse_level;
typedef struct {
    int x;
    double y;
} misuse_point;
typedef int (*misuse_function)(int);

/* write_: the first `count` elements become 1. */
#define MISUSE_ARRAY(name, type) \
    void read_##name(float *output, const type *value, int64_t count); \
    void write_##name(float *output, type *value, int64_t count);
MISUSE_ARRAY(float, float)
MISUSE_ARRAY(double, double)
MISUSE_ARRAY(int8, int8_t)
MISUSE_ARRAY(int16, int16_t)
MISUSE_ARRAY(int32, int32_t)
MISUSE_ARRAY(int64, int64_t)
MISUSE_ARRAY(uint8, uint8_t)
MISUSE_ARRAY(uint16, uint16_t)
MISUSE_ARRAY(uint32, uint32_t)
MISUSE_ARRAY(uint64, uint64_t)
MISUSE_ARRAY(bool, _Bool)
MISUSE_ARRAY(char, char)
MISUSE_ARRAY(complex64, float _Complex)
#undef MISUSE_ARRAY
void read_void(float *output, const void *value, int64_t bytes);
void write_void(float *output, void *value, int64_t bytes);

#define MISUSE_VALUE(name, type) void give_##name(float *output, type value);
MISUSE_VALUE(int8, int8_t)
MISUSE_VALUE(int16, int16_t)
MISUSE_VALUE(int32, int32_t)
MISUSE_VALUE(int64, int64_t)
MISUSE_VALUE(uint8, uint8_t)
MISUSE_VALUE(uint16, uint16_t)
MISUSE_VALUE(uint32, uint32_t)
MISUSE_VALUE(uint64, uint64_t)
MISUSE_VALUE(bool, _Bool)
MISUSE_VALUE(float, float)
MISUSE_VALUE(double, double)
MISUSE_VALUE(char, char)
MISUSE_VALUE(level, misuse_level)
MISUSE_VALUE(point, misuse_point)
MISUSE_VALUE(struct, misuse_point *)
MISUSE_VALUE(wide, const wchar_t *)
MISUSE_VALUE(function, misuse_function)
#undef MISUSE_VALUE

void sizes(float *output, const int64_t *value, int64_t ndim);
void shaped(float *output THAW_SHAPE(n), const float *value THAW_SHAPE(n), int64_t n);
void filled(float *output THAW_SHAPE(n), float *value THAW_SHAPE(n), int64_t n);
void text(float *output THAW_SHAPE(n), const uint8_t *value THAW_SHAPE(bytes), int64_t bytes, int64_t n);
void worked(float *output THAW_SHAPE(n), void *value THAW_WORKSPACE(value_size, misuse_bytes(n)), size_t value_size,
            int64_t n);
size_t misuse_bytes(int64_t n); /* 4 for each */

/* The sum of what the function returns for 0, 1, ... count - 1. */
int call_back(misuse_function function, int count, float *output);
int call_each(const misuse_function *functions, int function_count, int count);
void keep(misuse_function function);
int call_kept(int count, float *output);
int call_and_throw(misuse_function function);
double sum_after(void (*between)(void), const float *values, int64_t count); /* calls it, then adds up */

int64_t add_up(const char *format, ...); /* as many int64_t as the format has characters */
void behind(int32_t *victim, int64_t count); /* whose parameters' records come next; they become 1 */

#endif
