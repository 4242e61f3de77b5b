#include "checks.h"

#include <stdio.h>
#include <string.h>

static int64_t count;
static _Thread_local int error_code;
static _Thread_local char error_message[80];

int checks_error_code(void) { return error_code; }
const char *checks_error_message(void) { return error_message; }
int64_t checks_count(void) { return count; }

int fail(int code) {
    ++count;
    if (code == 0) return 1;
    error_code = code;
    error_message[0] = '\0';
    if (code != CHECKS_SILENT) snprintf(error_message, sizeof error_message, "code: expected 0, got %d \xe2\x9c\x97", code);
    return 0;
}

int scale(const float *input, const int64_t *shape, int64_t ndim, double factor, float *output) {
    int64_t elements = 1;
    for (int64_t i = 0; i < ndim; ++i) elements *= shape[i];
    for (int64_t i = 0; i < elements; ++i) output[i] = (float)factor * input[i];
    ++count;
    return 1;
}

static int64_t size_at(const int64_t *shape, int64_t ndim, int64_t from_the_end) {
    return from_the_end < ndim ? shape[ndim - 1 - from_the_end] : 1;
}

int add(const float *input1, const int64_t *shape1, int64_t ndim1, const float *input2, const int64_t *shape2,
        int64_t ndim2, float *output) {
    const int64_t ndim = ndim1 > ndim2 ? ndim1 : ndim2;
    int64_t elements = 1;
    for (int64_t i = 0; i < ndim; ++i) {
        const int64_t size1 = size_at(shape1, ndim1, i), size2 = size_at(shape2, ndim2, i);
        elements *= size1 == 1 ? size2 : size1;
    }
    for (int64_t k = 0; k < elements; ++k) {
        int64_t rest = k, index1 = 0, index2 = 0, stride1 = 1, stride2 = 1;
        for (int64_t i = 0; i < ndim; ++i) {
            const int64_t size1 = size_at(shape1, ndim1, i), size2 = size_at(shape2, ndim2, i);
            const int64_t size = size1 == 1 ? size2 : size1, at = rest % size;
            rest /= size;
            if (size1 != 1) index1 += at * stride1;
            if (size2 != 1) index2 += at * stride2;
            stride1 *= size1;
            stride2 *= size2;
        }
        output[k] = input1[index1] + input2[index2];
    }
    ++count;
    return 1;
}

size_t outer_workspace_size(int64_t m, int32_t n) {
    if (m <= 1000) return 8 * (size_t)m * (size_t)n;
    error_code = CHECKS_BAD_VALUE;
    snprintf(error_message, sizeof error_message, "m: expected at most 1000, got %ld", (long)m);
    return SIZE_MAX;
}

int outer(const float *rows, const float *columns, const float *bias, int64_t m, int32_t n, float *output, float *sums,
          void *workspace, size_t workspace_size) {
    if (workspace_size > 0) memset(workspace, 0xff, workspace_size); /* a sanitizer sees where it ends */
    for (int64_t i = 0; i < m; ++i) {
        float sum = 0;
        for (int64_t j = 0; j < n; ++j) {
            sum += output[i * n + j] = rows[i] * columns[j] + (bias == NULL ? 0 : bias[j]);
        }
        if (sums != NULL) sums[i] = sum;
    }
    ++count;
    return 1;
}

void accumulate(const float *input, int64_t n, double *total) {
    for (int64_t i = 0; i < n; ++i) *total += input[i];
    ++count;
}

void windows(const float *input, int64_t n, int64_t k, int64_t step, float *output) {
    for (int64_t i = 0; i * step + k <= n; ++i) {
        output[i] = 0;
        for (int64_t j = 0; j < k; ++j) output[i] += input[i * step + j];
    }
    ++count;
}

int64_t length(const uint8_t *text, int64_t n) {
    (void)text;
    ++count;
    return n;
}

int64_t bfloat16_bits(const thaw_bfloat16 *input, int64_t n) { return n > 0 ? input[0] : -1; }
int64_t float16_bits(const thaw_float16 *input, int64_t n) { return n > 0 ? input[0] : -1; }

int fail_by_struct(checks_problem problem, const float *input, int64_t n) {
    (void)input;
    return fail(n > 0 ? problem.code : 0);
}

int unchecked(const float *input, int64_t elements, float *output) {
    for (int64_t i = 0; i < elements; ++i) output[i] = input[i];
    ++count;
    return 0;
}
