// c_api/th/tensor/apply.cpp: what the macros of THTensorApply.h call.
#include "th/runtime/export.h"
#include "th/runtime/loop.h"

#include <cassert>

namespace th {
namespace {

struct Run {
    int64_t size, stride;
};

// Merges dimensions into `runs` (NULL: only counts them); the one called `fixed` stays alone.
int64_t merge(const int64_t *size, const int64_t *stride, int dims, int fixed, Run *runs, int64_t *fixed_index) {
    int64_t count = 0;
    Run outer{0, 0};
    *fixed_index = 0;
    for (int d = 0; d < dims; d++) {
        const bool alone = d == fixed || d - 1 == fixed;
        if (count && !alone && outer.stride == size[d] * stride[d]) {
            outer = {outer.size * size[d], stride[d]};
        } else {
            outer = {size[d], stride[d]};
            count++;
        }
        if (d == fixed) *fixed_index = count - 1;
        if (runs) runs[count - 1] = outer;
    }
    return count;
}

}  // namespace
}  // namespace th

extern "C" {

int64_t *thaw_apply_begin(const int64_t *size, const int64_t *stride, int ndim, int fixed, int64_t *n, int64_t *dim,
                          int64_t *run_size, int64_t *run_stride, int64_t *fixed_index) {
    *n = ndim > 0;
    for (int d = 0; d < ndim; d++) *n *= size[d];
    *dim = *run_size = *run_stride = *fixed_index = 0;
    if (!*n) return nullptr;
    th::Run one;
    *dim = th::merge(size, stride, ndim, fixed, nullptr, fixed_index);
    assert(*dim > 0 && *dim <= ndim && *fixed_index >= 0 && *fixed_index < *dim);
    if (*dim == 1) {
        th::Run runs[1];
        th::merge(size, stride, ndim, fixed, runs, fixed_index);
        one = runs[0];
        *run_size = one.size;
        *run_stride = one.stride;
        return nullptr;
    }
    auto *numbers = static_cast<int64_t *>(THAlloc(ptrdiff_t(sizeof(int64_t)) * 3 * *dim));
    auto *runs = static_cast<th::Run *>(THAlloc(ptrdiff_t(sizeof(th::Run)) * *dim));
    if (!numbers || !runs) {  // the handler returned: nothing to walk
        THFree(numbers);
        THFree(runs);
        *n = 0;
        return nullptr;
    }
    th::merge(size, stride, ndim, fixed, runs, fixed_index);
    for (int64_t d = 0; d < *dim; d++) {
        numbers[d] = 0;
        numbers[*dim + d] = runs[d].size;
        numbers[2 * *dim + d] = runs[d].stride;
    }
    *run_size = runs[*dim - 1].size;
    *run_stride = runs[*dim - 1].stride;
    THFree(runs);
    return numbers;
}

int thaw_apply_next(int64_t *counter, int64_t dim, int64_t *distance) {
    const int64_t *size = counter + dim, *stride = counter + 2 * dim;
    *distance = 0;
    for (int64_t d = dim - 2; d >= 0; d--) {
        *distance += stride[d];
        if (++counter[d] < size[d]) return 1;
        *distance -= counter[d] * stride[d];
        counter[d] = 0;
    }
    return 0;
}

void thaw_apply_mismatch(const char *file, int line, int tensors, ...) {
    char shapes[512] = "", counts[128] = "";
    va_list values;
    va_start(values, tensors);
    for (int i = 0; i < tensors; i++) {
        const char *name = va_arg(values, const char *);
        const int64_t *size = va_arg(values, const int64_t *);
        const int dims = va_arg(values, int);
        const int64_t elements = va_arg(values, int64_t);
        const char *separator = i == 0 ? "" : i == tensors - 1 ? " and " : ", ";
        const size_t s = strlen(shapes), c = strlen(counts);
        snprintf(shapes + s, sizeof shapes - s, "%s%s %s", separator, name, _THSizeDesc(size, dims).str);
        snprintf(counts + c, sizeof counts - c, "%s%" PRId64, separator, elements);
    }
    va_end(values);
    _THError(file, line,
             "inconsistent tensor size, expected %s to have the same number of elements, but got %s elements "
             "respectively",
             shapes, counts);
}
}
