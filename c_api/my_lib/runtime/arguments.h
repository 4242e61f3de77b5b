// c_api/my_lib/runtime/arguments.h: the checks with which every entry point begins.
//
// Each check returns true, or sets the error and returns false. An entry point joins them with && in the order of
// its parameters and touches no output before all of them passed. Names are those of the public header.
#pragma once

#include "runtime/errors.h"

namespace my_lib {

// The product of `sizes`, as *count: 1 for no sizes, 0 as soon as one of them is 0. Every size must be >= 0 and the
// product times `element_size` at most INT64_MAX.
bool count_elements(const char *name, const int64_t *sizes, int64_t ndim, size_t element_size, int64_t *count);

// The same for an array whose sizes are written out: check_array_size<float>("weights", {out, in}, &count).
template <typename T, int64_t ndim>
bool check_array_size(const char *name, const int64_t (&sizes)[ndim], int64_t *count = nullptr) {
    int64_t ignored;
    return count_elements(name, sizes, ndim, sizeof(T), count ? count : &ignored);
}

// A shape parameter: ndim >= 0, `shape` not NULL unless ndim is 0, each size >= 0, no overflow.
bool check_shape(const char *name, const int64_t *shape, int64_t ndim, size_t element_size, int64_t *count);

// Two checked shapes are equal; `name` is the parameter that is wrong if they are not.
bool check_same_shape(const char *name, const int64_t *shape, int64_t ndim, const int64_t *expected,
                      int64_t expected_ndim);

// A single size: at least `least`.
bool check_size(const char *name, int64_t size, int64_t least = 0);

[[gnu::cold]] bool pointer_error(const char *name, const void *pointer, size_t alignment);

// An array that may be NULL: when it is not, it is aligned to its element.
template <typename T> inline bool check_optional(const char *name, const T *pointer) {
    if (__builtin_expect(reinterpret_cast<uintptr_t>(pointer) % alignof(T) == 0, true)) return true;
    return pointer_error(name, pointer, alignof(T));
}

// An array that is needed, unless it has no elements.
template <typename T> inline bool check_array(const char *name, const T *pointer, int64_t count) {
    if (__builtin_expect(pointer == nullptr && count != 0, false)) return pointer_error(name, pointer, alignof(T));
    return check_optional(name, pointer);
}

// workspace_size >= needed, and a workspace that is not NULL unless needed is 0. SIZE_MAX, what a workspace_size
// function returns for impossible sizes, has set its error already.
bool check_workspace(const void *workspace, size_t workspace_size, size_t needed);

}  // namespace my_lib
