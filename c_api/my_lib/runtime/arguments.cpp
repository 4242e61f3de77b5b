// c_api/my_lib/runtime/arguments.cpp: argument checks, and the wording of their messages.
#include "runtime/arguments.h"

#include <assert.h>
#include <stdio.h>

namespace my_lib {
namespace {

// "(5, 4)"; a shape too long for the buffer ends in "...".
struct shape_text {
    char text[160];

    shape_text(const int64_t *sizes, int64_t ndim) {
        size_t used = 0;
        auto put = [&](const char *format, long long value) {
            int length = snprintf(text + used, sizeof text - used, format, value);
            used += length > 0 ? size_t(length) : 0;
            assert(used < sizeof text);  // the loop ends while the longest number and the last characters still fit
        };
        put("(", 0);
        for (int64_t i = 0; i < ndim; ++i) {
            if (used > sizeof text - 32) {
                put(i ? ", ..." : "...", 0);
                break;
            }
            put(i ? ", %lld" : "%lld", sizes[i]);
        }
        put(ndim == 1 ? ",)" : ")", 0);
    }
};

}  // namespace

bool count_elements(const char *name, const int64_t *sizes, int64_t ndim, size_t element_size, int64_t *count) {
    bool empty = false;
    for (int64_t i = 0; i < ndim; ++i) {
        if (sizes[i] < 0)
            return set_error(MY_LIB_ERROR_INVALID_SIZE, "%s: expected sizes >= 0, got shape %s", name,
                             shape_text(sizes, ndim).text);
        empty |= sizes[i] == 0;
    }
    assert(element_size > 0);
    int64_t bytes = int64_t(element_size);
    for (int64_t i = 0; i < ndim && !empty; ++i)
        if (__builtin_mul_overflow(bytes, sizes[i], &bytes))
            return set_error(MY_LIB_ERROR_SIZE_OVERFLOW,
                             "%s: expected at most %lld bytes, got shape %s of %zu-byte elements", name,
                             (long long)INT64_MAX, shape_text(sizes, ndim).text, element_size);
    *count = empty ? 0 : bytes / int64_t(element_size);
    return true;
}

bool check_shape(const char *name, const int64_t *shape, int64_t ndim, size_t element_size, int64_t *count) {
    if (ndim < 0)
        return set_error(MY_LIB_ERROR_INVALID_SIZE, "%s: expected ndim >= 0, got %lld", name, (long long)ndim);
    if (ndim > 0 && !shape)
        return set_error(MY_LIB_ERROR_NULL_POINTER, "%s: expected a shape of %lld sizes, got NULL", name, (long long)ndim);
    return count_elements(name, shape, ndim, element_size, count);
}

bool check_same_shape(const char *name, const int64_t *shape, int64_t ndim, const int64_t *expected,
                      int64_t expected_ndim) {
    bool same = ndim == expected_ndim;
    for (int64_t i = 0; same && i < ndim; ++i) same = shape[i] == expected[i];
    return same || set_error(MY_LIB_ERROR_SHAPE_MISMATCH, "%s: expected shape %s, got %s", name,
                             shape_text(expected, expected_ndim).text, shape_text(shape, ndim).text);
}

bool check_size(const char *name, int64_t size, int64_t least) {
    return size >= least || set_error(MY_LIB_ERROR_INVALID_SIZE, "%s: expected at least %lld, got %lld", name,
                                      (long long)least, (long long)size);
}

bool pointer_error(const char *name, const void *pointer, size_t alignment) {
    if (!pointer) return set_error(MY_LIB_ERROR_NULL_POINTER, "%s: expected an array, got NULL", name);
    return set_error(MY_LIB_ERROR_UNALIGNED_POINTER, "%s: expected an address that is a multiple of %zu, got %p", name,
                     alignment, pointer);
}

bool check_workspace(const void *workspace, size_t workspace_size, size_t needed) {
    if (needed == SIZE_MAX) return false;
    if (workspace_size < needed)
        return set_error(MY_LIB_ERROR_WORKSPACE_TOO_SMALL, "workspace_size: expected at least %zu bytes, got %zu",
                         needed, workspace_size);
    if (!workspace && needed)
        return set_error(MY_LIB_ERROR_NULL_POINTER, "workspace: expected %zu bytes, got NULL", needed);
    return true;
}

}  // namespace my_lib
