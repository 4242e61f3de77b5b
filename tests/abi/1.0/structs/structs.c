/* structs.c: the functions of structs.h, as C of PyTorch 0.4 and older does such things. */
#include <TH/TH.h>

#include <stdarg.h>
#include <stdio.h>

#include "structs.h"

static THFloatTensor *kept;

int add(THFloatTensor *input1, THFloatTensor *input2, THFloatTensor *output) {
    if (!THFloatTensor_isSameSizeAs(input1, input2)) return 0;
    THFloatTensor_resizeAs(output, input1);
    THFloatTensor_cadd(output, input1, 1.0, input2);
    return 1;
}

double trace(THDoubleTensor *matrix) {
    const double *data = matrix->storage->data + matrix->storageOffset;
    double sum = 0;
    for (long i = 0; i < matrix->size[0]; ++i) sum += data[i * (matrix->stride[0] + matrix->stride[1])];
    return sum;
}

int64_t largest(THLongTensor *tensor) {
    int64_t result = *THLongTensor_data(tensor);
    TH_TENSOR_APPLY(long, tensor, if (*tensor_data > result) result = *tensor_data;);
    return result;
}

void fill_rows(THFloatTensor *matrix, THLongTensor *values) {
    THFloatTensor *row = THFloatTensor_new();
    for (int i = 0; i < matrix->size[0]; ++i) {
        THFloatTensor_select(row, matrix, 0, i);
        THFloatTensor_fill(row, (float)THLongTensor_get1d(values, i));
    }
    THFloatTensor_free(row);
}

float sum_of_storage(THFloatStorage *storage) {
    float sum = 0;
    for (ptrdiff_t i = 0; i < storage->size; ++i) sum += storage->data[i];
    return sum;
}

void resize(THByteTensor *tensor, int64_t rows, int64_t columns) {
    THByteTensor_resize2d(tensor, rows, columns);
    THByteTensor_fill(tensor, 3);
}

THFloatTensor *first_row(THFloatTensor *matrix) { return THFloatTensor_newSelect(matrix, 0, 0); }

THFloatTensor *same(THFloatTensor *tensor) { return tensor; }

THIntStorage *sizes_of(THFloatTensor *tensor) {
    THIntStorage *sizes = THIntStorage_newWithSize(tensor->nDimension);
    for (int i = 0; i < tensor->nDimension; ++i) sizes->data[i] = (int)tensor->size[i];
    return sizes;
}

int same_tensor(THFloatTensor *tensor1, THFloatTensor *tensor2) { return tensor1 == tensor2; }

void keep(THFloatTensor *tensor) {
    if (kept) THFloatTensor_free(kept);
    THFloatTensor_retain(tensor);
    kept = tensor;
}

float sum_of_kept(void) { return (float)THFloatTensor_sumall(kept); }

const char *describe(THFloatTensor *tensor) {
    static char text[64];
    snprintf(text, sizeof text, "%s", THFloatTensor_sizeDesc(tensor).str);
    return text;
}

int call(int (*function)(int), int value) { return function(value); }

int sum_of(int count, ...) {
    va_list values;
    int sum = 0;
    va_start(values, count);
    while (count-- > 0) sum += va_arg(values, int);
    va_end(values);
    return sum;
}

double mixed(int a, unsigned char b, short c, int64_t d, float e, double f) { return a + b + c + (double)d + e + f; }

void check_positive(THFloatTensor *tensor) {
    THArgCheck(THFloatTensor_minall(tensor) > 0, 1, "expected positive elements");
}

void sum_rows(THFloatTensor *matrix, THFloatTensor *sums, int threads) {
    long i;
    THFloatTensor_resize1d(sums, matrix->size[0]);
#pragma omp parallel for num_threads(threads)
    for (i = 0; i < matrix->size[0]; ++i) {
        float sum = 0;
        for (long j = 0; j < matrix->size[1]; ++j) sum += THFloatTensor_get2d(matrix, i, j);
        if (sum < 0) THError("row %ld is negative", i);
        THFloatTensor_set1d(sums, i, sum);
    }
}
