/* pointers.h: a function for each way in which values cross to C that takes plain pointers. */
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int rows;
    double scale;
} shape_of;

int add(const float *input1, const float *input2, float *output, int64_t count);
double product(const double *values, const int64_t *sizes, int64_t ndim);
int64_t extent(const void *memory, int64_t bytes);
const char *describe(int code);
double integrate(double (*function)(double x, void *data), void *data, int steps);
int sum_of(int count, ...);
shape_of scaled(int rows, double scale);
int rows_of(const shape_of *shape);
int fail_with(int code);
int fail_in_region(int threads);

bool invert(bool value);
int8_t next_int8(int8_t value);
int16_t next_int16(int16_t value);
int32_t next_int32(int32_t value);
int64_t next_int64(int64_t value);
uint8_t next_uint8(uint8_t value);
uint16_t next_uint16(uint16_t value);
uint32_t next_uint32(uint32_t value);
uint64_t next_uint64(uint64_t value);
float half_of_float(float value);
double half_of_double(double value);
