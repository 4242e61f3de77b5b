/* tests/bridge/probe/probe.c: see probe.h. */
#include "probe.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

int probe_global = 7;

#define PROBE_POINTER(name, type) \
    intptr_t read_##name(const type *array) { return (intptr_t)array; } \
    intptr_t write_##name(type *array) { return (intptr_t)array; }
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

#define PROBE_NUMBER(name, type) \
    type give_##name(type value) { return value; }
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

void nothing(void) {}

int64_t sum_sizes(const int64_t *sizes, int64_t count) {
    int64_t sum = 0;
    for (int64_t i = 0; i < count; ++i) sum += sizes[i];
    return sum;
}

int64_t sum_two_sizes(const int64_t *sizes1, int64_t count1, const int64_t *sizes2, int64_t count2) {
    return sum_sizes(sizes1, count1) * 1000 + sum_sizes(sizes2, count2);
}

double sum_floats(const float *values, int64_t count) {
    double sum = 0;
    for (int64_t i = 0; i < count; ++i) sum += values[i];
    return sum;
}

int64_t text_length(const char *text) { return (int64_t)strlen(text); }

const char *text(int index) { return index == 0 ? "gr\xc3\xbc\xc3\x9f" : NULL; }

float *first(float *values) { return values; }

void add(const float *input1, const float *input2, float *output, int64_t count) {
    for (int64_t i = 0; i < count; ++i) output[i] = input1[i] + input2[i];
}

void fill_two(float *output1, float value, double *output2) {
    if (output1 != NULL) *output1 = value;
    if (output2 != NULL) *output2 = value;
}

int call_back(probe_callback callback, int value) { return callback(value); }

int64_t describe(const char *format, ...) {
    char buffer[64];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(buffer, sizeof buffer, format, arguments);
    va_end(arguments);
    return length;
}

int sleep_ms(int milliseconds) {
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    return nanosleep(&time, NULL);
}

int64_t wait_for_flag(const int64_t *flag, int milliseconds) {
    for (int waited = 0; waited < milliseconds; ++waited) {
        if (*(const volatile int64_t *)flag == 1) return waited;
        sleep_ms(1);
    }
    return -1;
}

int set_errno(int value) {
    errno = value;
    return value;
}
