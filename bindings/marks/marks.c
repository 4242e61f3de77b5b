/* bindings/marks/marks.c: a stand-in for libmy_lib that shows whether a binding passes the caller's own arrays.
 *
 *     cc -shared -fPIC marks.c -I INCLUDE -L LIB -Wl,--no-as-needed -lmy_lib -Wl,-rpath,LIB -o libmarks.so
 *
 * Its functions compute nothing: each writes MARK into element 0 of every array argument, inputs too, and returns 1. An
 * array that the binding copied on the way does not show it afterwards. Arrays must have elements, or be NULL. The
 * workspace is left alone. Every other function is libmy_lib's, which this library needs: so it serves as a preloaded
 * library (LD_PRELOAD) and as the file that a program loads (MY_LIB). */
#include "my_lib.h"

#define MARK 1234.5
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* What every function does with its arrays of TYPE. */
#define MARK_ALL(TYPE, ...) \
    const TYPE *arrays[] = {__VA_ARGS__}; \
    for (size_t i = 0; i < COUNT(arrays); ++i) \
        if (arrays[i]) *(TYPE *)arrays[i] = (TYPE)MARK; \
    return 1

/* The four functions for one element type; SUFFIX is that of their names. */
#define DEFINE(TYPE, SUFFIX) \
    MY_LIB_API int my_lib_add_forward##SUFFIX(const TYPE *input1, const int64_t *shape1, int64_t ndim1, \
                                              const TYPE *input2, const int64_t *shape2, int64_t ndim2, \
                                              TYPE *output) { \
        (void)shape1, (void)ndim1, (void)shape2, (void)ndim2; \
        MARK_ALL(TYPE, input1, input2, output); \
    } \
    MY_LIB_API int my_lib_linear_forward##SUFFIX(const TYPE *input, const TYPE *weight, const TYPE *bias, \
                                                 int64_t batch, int64_t in_features, int64_t out_features, \
                                                 TYPE *output, void *workspace, size_t workspace_size) { \
        (void)batch, (void)in_features, (void)out_features, (void)workspace, (void)workspace_size; \
        MARK_ALL(TYPE, input, weight, bias, output); \
    } \
    MY_LIB_API int lltm_forward##SUFFIX(const TYPE *input, const TYPE *weights, const TYPE *bias, const TYPE *old_h, \
                                        const TYPE *old_cell, int64_t batch, int64_t input_size, int64_t state_size, \
                                        TYPE *new_h, TYPE *new_cell, TYPE *gates, void *workspace, \
                                        size_t workspace_size) { \
        (void)batch, (void)input_size, (void)state_size, (void)workspace, (void)workspace_size; \
        MARK_ALL(TYPE, input, weights, bias, old_h, old_cell, new_h, new_cell, gates); \
    } \
    MY_LIB_API int lltm_sequence_forward##SUFFIX( \
        const TYPE *input, const TYPE *weights, const TYPE *bias, const TYPE *old_h, const TYPE *old_cell, \
        int64_t seq_len, int64_t batch, int64_t input_size, int64_t state_size, TYPE *h, TYPE *cell, TYPE *gates, \
        void *workspace, size_t workspace_size) { \
        (void)seq_len, (void)batch, (void)input_size, (void)state_size, (void)workspace, (void)workspace_size; \
        MARK_ALL(TYPE, input, weights, bias, old_h, old_cell, h, cell, gates); \
    }

DEFINE(float, )
DEFINE(double, _f64)
