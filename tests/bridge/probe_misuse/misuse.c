/* tests/bridge/probe_misuse/misuse.c */
#include "misuse.h"

#include <stdarg.h>
#include <string.h>

#define MISUSE_ARRAY(name, type) \
    void read_##name(float *output, const type *value, int64_t count) { *output = 1; } \
    void write_##name(float *output, type *value, int64_t count) { \
        for (int64_t i = 0; value != NULL && i < count; ++i) value[i] = 1; \
        *output = 1; \
    }
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

void read_void(float *output, const void *value, int64_t bytes) { *output = 1; }
void write_void(float *output, void *value, int64_t bytes) {
    if (value != NULL) memset(value, 1, (size_t)bytes);
    *output = 1;
}

#define MISUSE_VALUE(name, type) \
    void give_##name(float *output, type value) { *output = 1; }
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

void sizes(float *output, const int64_t *value, int64_t ndim) { *output = 1; }
void shaped(float *output, const float *value, int64_t n) { *output = 1; }
void filled(float *output, float *value, int64_t n) { *output = *value = 1; }
void text(float *output, const uint8_t *value, int64_t bytes, int64_t n) { *output = 1; }
void worked(float *output, void *value, size_t size, int64_t n) {
    memset(value, 1, size);
    *output = 1;
}
size_t misuse_bytes(int64_t n) { return 4 * (size_t)n; }

int call_back(misuse_function function, int count, float *output) {
    int sum = 0;
    for (int i = 0; i < count; ++i) sum += function(i);
    if (output != NULL) *output = 1;
    return sum;
}

int call_each(const misuse_function *functions, int function_count, int count) {
    int sum = 0;
    for (int i = 0; i < function_count; ++i) sum += call_back(functions[i], count, NULL);
    return sum;
}

double sum_after(void (*between)(void), const float *values, int64_t count) {
    double sum = 0;
    between();
    for (int64_t i = 0; i < count; ++i) sum += values[i];
    return sum;
}

static misuse_function kept;
void keep(misuse_function function) { kept = function; }
int call_kept(int count, float *output) { return call_back(kept, count, output); }

int64_t add_up(const char *format, ...) {
    va_list values;
    int64_t sum = 0;
    va_start(values, format);
    for (; *format != '\0'; ++format) sum += va_arg(values, int64_t);
    va_end(values);
    return sum;
}

void behind(int32_t *victim, int64_t count) {
    for (int64_t i = 0; i < count; ++i) victim[i] = 1;
}
