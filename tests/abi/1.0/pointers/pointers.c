/* pointers.c: the functions of pointers.h. */
#include "pointers.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>

void throw_error(const char *message); /* throwing.cpp */

int add(const float *input1, const float *input2, float *output, int64_t count) {
    for (int64_t i = 0; i < count; ++i) output[i] = input1[i] + input2[i];
    return 1;
}

double product(const double *values, const int64_t *sizes, int64_t ndim) {
    double result = 1;
    int64_t count = 1;
    for (int64_t i = 0; i < ndim; ++i) count *= sizes[i];
    for (int64_t i = 0; i < count; ++i) result *= values[i];
    return result;
}

int64_t extent(const void *memory, int64_t bytes) { return memory == NULL ? -1 : bytes; }

const char *describe(int code) { return code == 0 ? NULL : "eins, zwei, drei"; }

double integrate(double (*function)(double x, void *data), void *data, int steps) {
    double sum = 0;
    for (int i = 0; i < steps; ++i) sum += function((i + 0.5) / steps, data) / steps;
    return sum;
}

int sum_of(int count, ...) {
    va_list values;
    int sum = 0;
    va_start(values, count);
    while (count-- > 0) sum += va_arg(values, int);
    va_end(values);
    return sum;
}

shape_of scaled(int rows, double scale) {
    const shape_of result = {rows, scale};
    return result;
}

int rows_of(const shape_of *shape) { return shape == NULL ? -1 : shape->rows; }

int fail_with(int code) {
    errno = code;
    return 0;
}

int fail_in_region(int threads) {
    int i;
#pragma omp parallel for num_threads(threads)
    for (i = 0; i < 8; ++i) {
        if (i == 3) throw_error("three");
    }
    return threads;
}

bool invert(bool value) { return !value; }
int8_t next_int8(int8_t value) { return (int8_t)(value + 1); }
int16_t next_int16(int16_t value) { return (int16_t)(value + 1); }
int32_t next_int32(int32_t value) { return value + 1; }
int64_t next_int64(int64_t value) { return value + 1; }
uint8_t next_uint8(uint8_t value) { return (uint8_t)(value + 1); }
uint16_t next_uint16(uint16_t value) { return (uint16_t)(value + 1); }
uint32_t next_uint32(uint32_t value) { return value + 1; }
uint64_t next_uint64(uint64_t value) { return value + 1; }
float half_of_float(float value) { return value / 2; }
double half_of_double(double value) { return value / 2; }
