/* tests/bridge/probe/probe.h: C functions that show what reached them. */
#ifndef PROBE_H
#define PROBE_H

#include <stddef.h>
#include <stdint.h>

#define PROBE_ANSWER 42
#define PROBE_MASK ((1 << 4) | PROBE_ANSWER)
#define PROBE_TEXT "not an integer"

#if defined(__cplusplus)
extern "C" {
#endif

enum probe_level { PROBE_LOW = 1, PROBE_HIGH = 5 };

typedef struct {
    int x;
    double y;
} probe_point;

typedef int (*probe_callback)(int);

extern int probe_global;

/* Pointers: the address, as an integer. */
#define PROBE_POINTER(name, type) \
    intptr_t read_##name(const type *array); \
    intptr_t write_##name(type *array);
PROBE_POINTER(float, float)
PROBE_POINTER(double, double)
PROBE_POINTER(int8, int8_t)
PROBE_POINTER(int16, int16_t)
PROBE_POINTER(int32, int32_t)
PROBE_POINTER(int64, int64_t)
PROBE_POINTER(uint8, uint8_t)
PROBE_POINTER(uint16, uint16_t)
PROBE_POINTER(uint32, uint32_t)
PROBE_POINTER(uint64, uint64_t)
PROBE_POINTER(bool, _Bool)
PROBE_POINTER(long, long)
PROBE_POINTER(complex64, float _Complex)
PROBE_POINTER(complex128, double _Complex)
PROBE_POINTER(void, void)
PROBE_POINTER(point, probe_point)
#undef PROBE_POINTER

/* Numbers: the value, unchanged. */
#define PROBE_NUMBER(name, type) type give_##name(type value);
PROBE_NUMBER(int8, int8_t)
PROBE_NUMBER(int16, int16_t)
PROBE_NUMBER(int32, int32_t)
PROBE_NUMBER(int64, int64_t)
PROBE_NUMBER(uint8, uint8_t)
PROBE_NUMBER(uint16, uint16_t)
PROBE_NUMBER(uint32, uint32_t)
PROBE_NUMBER(uint64, uint64_t)
PROBE_NUMBER(size, size_t)
PROBE_NUMBER(bool, _Bool)
PROBE_NUMBER(float, float)
PROBE_NUMBER(double, double)
PROBE_NUMBER(char, char)
PROBE_NUMBER(level, enum probe_level)
PROBE_NUMBER(point, probe_point)
#undef PROBE_NUMBER

void nothing(void);
int64_t sum_sizes(const int64_t *sizes, int64_t count);
int64_t sum_two_sizes(const int64_t *sizes1, int64_t count1, const int64_t *sizes2, int64_t count2);
double sum_floats(const float *values, int64_t count);
int64_t text_length(const char *text);
const char *text(int index); /* NULL for an index other than 0 */
float *first(float *values);
void add(const float *input1, const float *input2, float *output, int64_t count);
void fill_two(float *output1, float value, double *output2);
int call_back(probe_callback callback, int value);
int64_t describe(const char *format, ...);
int sleep_ms(int milliseconds);
int64_t wait_for_flag(const int64_t *flag, int milliseconds); /* milliseconds waited until *flag is 1 */
int set_errno(int value);
int throw_exception(int kind, float *output);
int throw_at(const char *text);
static inline int twice(int value) {
    char brace = '}';
    return brace == '}' ? 2 * value : 0;
}

#if defined(__cplusplus)
}
#endif

#endif
