/* c_api/include/my_lib.h: the manual of libmy_lib, a plain C99 ABI for neural-network operators. */

#ifndef MY_LIB_H
#define MY_LIB_H

#if !defined(__linux__) || !(defined(__x86_64__) || defined(__aarch64__))
#error "my_lib supports Linux on x86-64 (tested) and aarch64 (compiles); this is another platform"
#endif

#include <stddef.h>
#include <stdint.h>

#include "torchthaw/annotate.h"

#if defined(__cplusplus)
extern "C" {
#endif

/*
 * Introduction
 * ============
 *
 * Each operator is a pair of C functions, such as `my_lib_linear_forward` and `my_lib_linear_backward`, on arrays that
 * the caller owns. (Those of the LLTM begin with `lltm_`.) The library depends on nothing but the C run-time (and,
 * when the process has one, an OpenMP run-time that it shares); no tensor type, no Python, no allocator crosses this
 * boundary.
 *
 * The rules below hold for every function; a function's own comment names only what differs.
 *
 * Types      `float` is the element type of the plain name; the same name ending in `_f64` takes `double` and
 *            is otherwise identical, and so are those ending in `_bf16` and `_f16`, which some operators have, for
 *            thaw_bfloat16 and thaw_float16. Sizes and `ndim` are `int64_t`; `shape` is `const int64_t *` with
 *            `ndim` entries; `workspace_size` is in bytes.
 * 16 bits    thaw_bfloat16 is the upper half of a float, thaw_float16 is IEEE 754 binary16. Inputs are converted
 *            to float, everything in between is float, and each output is rounded once: to nearest, ties to even,
 *            overflow to infinity, a NaN to a NaN. On the CPU paths `avx512_bf16` and `amx_bf16` subnormal
 *            bfloat16 numbers and sums may count as zero in a matrix product.
 * Words      THAW_SHAPE(batch, in_features) behind a parameter's name is its shape; THAW_LIKE names the parameters
 *            that say it. These and the other words, which torchthaw/annotate.h explains, are nothing for a C
 *            compiler. A THAW_VARIANT_OF a function has the shapes and rules of that function.
 * Layout     Arrays are contiguous and row-major: the last size in a written shape is the fastest. Each is
 *            aligned to its element. `ndim` 0 is a scalar: one element, and `shape` may be NULL.
 * Empty      A size may be 0. An array without elements may be NULL.
 * Memory     The library allocates nothing and keeps nothing: outputs and workspace come from the caller, and
 *            may be freed as soon as the call returned.
 * Outputs    are overwritten, never accumulated into. Every gradient output may be NULL: it is then neither
 *            computed nor paid for.
 * Aliasing   An elementwise function may be given one of its inputs as its output, the very same pointer.
 *            Any other overlap of an output with another argument is undefined.
 * Workspace  `<function>_workspace_size` takes the sizes of the call and returns the bytes that suffice for
 *            any number of threads and any alignment of `workspace`; 0 means that NULL will do. A larger
 *            workspace is accepted. Contents are scratch: undefined before and after. For sizes that are
 *            negative or whose arrays would not fit in memory it returns SIZE_MAX and sets the error.
 * Errors     Functions that return `int` return 1 for success and 0 for failure; after a failure
 *            my_lib_last_error_code() and my_lib_last_error_message() tell why, and no output was written.
 *            NaN and infinities are ordinary values, not errors.
 * Threads    Every function may be called from any number of threads at once. Inside, large calls are shared
 *            among the threads of OpenMP (see my_lib_set_num_threads()); results do not depend on how many,
 *            bit for bit. After fork() a child computes serially.
 */

/* ------------------------------------------------------------------------------------------------------------
 * Version
 *
 * The library follows semantic versioning. Within one major version functions are only added; no name, argument
 * list, constant or meaning changes. The major version is the ABI version and the number in the SONAME
 * (libmy_lib.so.1). Each function's comment names the version that introduced it.
 * --------------------------------------------------------------------------------------------------------- */

#define MY_LIB_VERSION_MAJOR 1
#define MY_LIB_VERSION_MINOR 0
#define MY_LIB_VERSION_PATCH 0

#if defined(MY_LIB_BUILD)
#define MY_LIB_API __attribute__((visibility("default")))
#else
#define MY_LIB_API
#endif

/* The ABI of the loaded library. A client compiled against this header works with it when the result equals the
 * header's MY_LIB_VERSION_MAJOR. Since 1.0.0. */
MY_LIB_API int my_lib_abi_version(void);

/* The version of the loaded library, "major.minor.patch". Static storage. Since 1.0.0. */
MY_LIB_API const char *my_lib_version(void);

/* One line about the loaded library: its version, the CPU path in use (`portable`, `avx2`, `avx512` or, for
 * bfloat16, `avx512_bf16` or `amx_bf16`: the best one this CPU has, or the one that the environment variable
 * MY_LIB_CPU names; `none` where MY_LIB_CPU names one that this CPU lacks, so that every operator fails: the line then
 * ends with that error's text) and the OpenMP run-time it shares.
 * Static storage. Since 1.0.0. */
MY_LIB_API const char *my_lib_build_info(void);

/* ------------------------------------------------------------------------------------------------------------
 * Errors
 *
 * Code and message belong to the calling thread. A success leaves both as they were, as with errno: they mean
 * something only after a function reported failure.
 * --------------------------------------------------------------------------------------------------------- */

/* One row per error: X(name, code, description). Codes are never reused or renumbered; rows are only added. */
#define MY_LIB_ERROR_LIST(X) \
    X(MY_LIB_SUCCESS, 0, "no error") \
    X(MY_LIB_ERROR_NULL_POINTER, 1, "a pointer that is needed is NULL") \
    X(MY_LIB_ERROR_UNALIGNED_POINTER, 2, "an array is not aligned to its element") \
    X(MY_LIB_ERROR_INVALID_SIZE, 3, "a size is outside its range") \
    X(MY_LIB_ERROR_SIZE_OVERFLOW, 4, "an array of these sizes does not fit in memory") \
    X(MY_LIB_ERROR_SHAPE_MISMATCH, 5, "two shapes differ that must be equal") \
    X(MY_LIB_ERROR_INVALID_VALUE, 6, "a number is outside its range") \
    X(MY_LIB_ERROR_WORKSPACE_TOO_SMALL, 7, "the workspace is smaller than its workspace_size function said") \
    X(MY_LIB_ERROR_NO_GPU, 8, "this machine has no usable GPU") \
    X(MY_LIB_ERROR_CUDA, 9, "CUDA or cuBLAS failed") \
    X(MY_LIB_ERROR_NOT_PREPARED, 10, "my_lib_cuda_prepare must come before a stream is captured")

enum my_lib_error {
#define MY_LIB_ERROR_ENUMERATOR(name, code, description) name = code,
    MY_LIB_ERROR_LIST(MY_LIB_ERROR_ENUMERATOR)
#undef MY_LIB_ERROR_ENUMERATOR
    MY_LIB_ERROR_FORCE_INT = 0x7fffffff /* keeps the enum as wide as int */
};

/* The code (enum my_lib_error) of the calling thread's last failure; MY_LIB_SUCCESS before any. Since 1.0.0. */
THAW_ERROR_CODE(MY_LIB_ERROR_NO_GPU, MY_LIB_ERROR_CUDA, MY_LIB_ERROR_NOT_PREPARED)
MY_LIB_API int my_lib_last_error_code(void);

/* The message of the calling thread's last failure, such as `input2: expected shape (5, 5), got (5, 4)`; "" before
 * any. The text lies in a buffer of the thread and changes with its next failure. Since 1.0.0. */
THAW_ERROR_MESSAGE
MY_LIB_API const char *my_lib_last_error_message(void);

/* The name of a code, such as "MY_LIB_ERROR_SHAPE_MISMATCH", or "MY_LIB_ERROR_UNKNOWN". Static storage.
 * Since 1.0.0. */
MY_LIB_API const char *my_lib_error_name(int code);

/* What a code means, in words, or "unknown error code". Static storage. Since 1.0.0. */
MY_LIB_API const char *my_lib_error_description(int code);

/* Sets both for the calling thread, so that a library which extends this one fails in the same way; returns 0. The
 * text is copied, and cut if it is very long; NULL counts as "". Since 1.0.0. */
MY_LIB_API int my_lib_set_last_error(int code, const char *message);

/* ------------------------------------------------------------------------------------------------------------
 * Threads
 * --------------------------------------------------------------------------------------------------------- */

/* Sets how many threads a call may use, in the whole process: a positive number, or 0 (the initial value) to
 * follow the shared OpenMP run-time, whose count torch.set_num_threads() and OMP_NUM_THREADS set. A negative
 * number is MY_LIB_ERROR_INVALID_VALUE. Since 1.0.0. */
THAW_STATUS
MY_LIB_API int my_lib_set_num_threads(int num_threads);

/* Sets how many threads a call from the calling thread may use, below what my_lib_set_num_threads() gives all: a
 * positive number, or 0 or less (the initial value) for no limit of this thread. Returns the limit before, 0 for none.
 * For hosts that divide their work among threads themselves. Since 1.0.0. */
THAW_NUM_THREADS
MY_LIB_API int my_lib_limit_threads(int num_threads);

/* How many threads a large call from this thread may use now; at least 1. Since 1.0.0. */
MY_LIB_API int my_lib_get_num_threads(void);

/* ------------------------------------------------------------------------------------------------------------
 * Elementwise operators
 *
 * All arrays of a call have the given shape. Outputs may be an input (see Aliasing above), unless said otherwise.
 * Each element is computed in the element type with IEEE arithmetic; `constant` is rounded to it first.
 * --------------------------------------------------------------------------------------------------------- */

/* output = input1 + input2.
 * Shapes that differ are MY_LIB_ERROR_SHAPE_MISMATCH; there is no broadcasting. Since 1.0.0. */
THAW_STATUS THAW_ELEMENTWISE THAW_AUTOCAST(widest)
MY_LIB_API int my_lib_add_forward(
    const float *input1 THAW_LIKE(shape1, ndim1),
    const int64_t *shape1, int64_t ndim1,
    const float *input2 THAW_LIKE(shape2, ndim2) THAW_LIKE(shape1, ndim1),
    const int64_t *shape2, int64_t ndim2,
    float *output       THAW_LIKE(shape1, ndim1) THAW_ALIAS(input1, input2));
THAW_VARIANT_OF(my_lib_add_forward)
MY_LIB_API int my_lib_add_forward_f64(const double *input1, const int64_t *shape1, int64_t ndim1,
                                      const double *input2, const int64_t *shape2, int64_t ndim2, double *output);

/* grad_input1 = grad_output, grad_input2 = grad_output.
 * Passes grad_output through, as the chain rule asks. (The sample of the old extension-ffi tutorial filled
 * grad_input with ones, which is right only behind a plain sum.) Since 1.0.0. */
THAW_STATUS THAW_BACKWARD_OF(my_lib_add_forward)
MY_LIB_API int my_lib_add_backward(
    const float *grad_output THAW_LIKE(shape, ndim),
    const int64_t *shape, int64_t ndim,
    float *grad_input1       THAW_LIKE(shape, ndim) THAW_NULLABLE THAW_ALIAS(grad_output) THAW_EQUALS(grad_output),
    float *grad_input2       THAW_LIKE(shape, ndim) THAW_NULLABLE THAW_ALIAS(grad_output) THAW_EQUALS(grad_output));
THAW_VARIANT_OF(my_lib_add_backward)
MY_LIB_API int my_lib_add_backward_f64(const double *grad_output, const int64_t *shape, int64_t ndim,
                                       double *grad_input1, double *grad_input2);

/* output = 2 * input1 + input2.
 * Shapes that differ are MY_LIB_ERROR_SHAPE_MISMATCH. Since 1.0.0. */
THAW_STATUS THAW_ELEMENTWISE THAW_AUTOCAST(widest)
MY_LIB_API int my_lib_scale_add_forward(
    const float *input1 THAW_LIKE(shape1, ndim1),
    const int64_t *shape1, int64_t ndim1,
    const float *input2 THAW_LIKE(shape2, ndim2) THAW_LIKE(shape1, ndim1),
    const int64_t *shape2, int64_t ndim2,
    float *output       THAW_LIKE(shape1, ndim1) THAW_ALIAS(input1, input2));
THAW_VARIANT_OF(my_lib_scale_add_forward)
MY_LIB_API int my_lib_scale_add_forward_f64(const double *input1, const int64_t *shape1, int64_t ndim1,
                                            const double *input2, const int64_t *shape2, int64_t ndim2,
                                            double *output);

/* grad_input1 = 2 * grad_output, grad_input2 = grad_output.
 * At most one of the outputs may be grad_output itself. Since 1.0.0. */
THAW_STATUS THAW_BACKWARD_OF(my_lib_scale_add_forward)
MY_LIB_API int my_lib_scale_add_backward(
    const float *grad_output THAW_LIKE(shape, ndim),
    const int64_t *shape, int64_t ndim,
    float *grad_input1       THAW_LIKE(shape, ndim) THAW_NULLABLE THAW_ALIAS(grad_output),
    float *grad_input2       THAW_LIKE(shape, ndim) THAW_NULLABLE THAW_ALIAS(grad_output) THAW_EQUALS(grad_output));
THAW_VARIANT_OF(my_lib_scale_add_backward)
MY_LIB_API int my_lib_scale_add_backward_f64(const double *grad_output, const int64_t *shape, int64_t ndim,
                                             double *grad_input1, double *grad_input2);

/* output = input * constant. Since 1.0.0. */
THAW_STATUS THAW_ELEMENTWISE
MY_LIB_API int my_lib_mul_constant_forward(
    const float *input THAW_LIKE(shape, ndim),
    const int64_t *shape, int64_t ndim, double constant,
    float *output      THAW_LIKE(shape, ndim) THAW_ALIAS(input));
THAW_VARIANT_OF(my_lib_mul_constant_forward)
MY_LIB_API int my_lib_mul_constant_forward_f64(const double *input, const int64_t *shape, int64_t ndim,
                                               double constant, double *output);

/* grad_input = grad_output * constant. Since 1.0.0. */
THAW_STATUS THAW_BACKWARD_OF(my_lib_mul_constant_forward)
MY_LIB_API int my_lib_mul_constant_backward(
    const float *grad_output THAW_LIKE(shape, ndim),
    const int64_t *shape, int64_t ndim, double constant,
    float *grad_input        THAW_LIKE(shape, ndim) THAW_NULLABLE THAW_ALIAS(grad_output));
THAW_VARIANT_OF(my_lib_mul_constant_backward)
MY_LIB_API int my_lib_mul_constant_backward_f64(const double *grad_output, const int64_t *shape, int64_t ndim,
                                                double constant, double *grad_input);

/* output = input^3, derivative = 3 * input^2, each computed as (input * input) * input and (3 * input) * input.
 * `derivative` may be NULL. At most one of the outputs may be `input` itself. Since 1.0.0. */
THAW_STATUS THAW_ELEMENTWISE
MY_LIB_API int my_lib_cube_forward(
    const float *input THAW_LIKE(shape, ndim),
    const int64_t *shape, int64_t ndim,
    float *output      THAW_LIKE(shape, ndim) THAW_ALIAS(input),
    float *derivative  THAW_LIKE(shape, ndim) THAW_NULLABLE THAW_SAVED THAW_ALIAS(input));
THAW_VARIANT_OF(my_lib_cube_forward)
MY_LIB_API int my_lib_cube_forward_f64(const double *input, const int64_t *shape, int64_t ndim, double *output,
                                       double *derivative);

/* grad_input = grad_output * 3 * input^2 + grad_derivative * 6 * input: the gradient through both outputs.
 * `grad_derivative` may be NULL and then counts as zero. Since 1.0.0. */
THAW_STATUS THAW_BACKWARD_OF(my_lib_cube_forward)
MY_LIB_API int my_lib_cube_backward(
    const float *grad_output     THAW_LIKE(shape, ndim),
    const float *grad_derivative THAW_LIKE(shape, ndim) THAW_NULLABLE,
    const float *input           THAW_LIKE(shape, ndim),
    const int64_t *shape, int64_t ndim,
    float *grad_input            THAW_LIKE(shape, ndim) THAW_NULLABLE
                                 THAW_ALIAS(grad_output, grad_derivative, input));
THAW_VARIANT_OF(my_lib_cube_backward)
MY_LIB_API int my_lib_cube_backward_f64(const double *grad_output, const double *grad_derivative,
                                        const double *input, const int64_t *shape, int64_t ndim,
                                        double *grad_input);

/* ------------------------------------------------------------------------------------------------------------
 * Linear
 * --------------------------------------------------------------------------------------------------------- */

/* output = input weight^T + bias. `bias` may be NULL and then counts as zero. Since 1.0.0. */
THAW_STATUS THAW_BATCH(batch) THAW_AUTOCAST(lower)
MY_LIB_API int my_lib_linear_forward(
    const float *input  THAW_SHAPE(batch, in_features),
    const float *weight THAW_SHAPE(out_features, in_features),
    const float *bias   THAW_SHAPE(out_features) THAW_NULLABLE,
    int64_t batch, int64_t in_features, int64_t out_features,
    float *output       THAW_SHAPE(batch, out_features),
    void *workspace     THAW_WORKSPACE(workspace_size,
                            my_lib_linear_forward_workspace_size(batch, in_features, out_features)),
    size_t workspace_size);
THAW_VARIANT_OF(my_lib_linear_forward)
MY_LIB_API int my_lib_linear_forward_f64(
    const double *input, const double *weight, const double *bias,
    int64_t batch, int64_t in_features, int64_t out_features, double *output,
    void *workspace     THAW_WORKSPACE(workspace_size,
                            my_lib_linear_forward_workspace_size_f64(batch, in_features, out_features)),
    size_t workspace_size);
MY_LIB_API size_t my_lib_linear_forward_workspace_size(int64_t batch, int64_t in_features, int64_t out_features);
MY_LIB_API size_t my_lib_linear_forward_workspace_size_f64(int64_t batch, int64_t in_features,
                                                           int64_t out_features);

/* The same with 16-bit elements. Since 1.0.0. */
THAW_VARIANT_OF(my_lib_linear_forward)
MY_LIB_API int my_lib_linear_forward_bf16(
    const thaw_bfloat16 *input, const thaw_bfloat16 *weight, const thaw_bfloat16 *bias,
    int64_t batch, int64_t in_features, int64_t out_features, thaw_bfloat16 *output,
    void *workspace     THAW_WORKSPACE(workspace_size,
                            my_lib_linear_forward_workspace_size_bf16(batch, in_features, out_features)),
    size_t workspace_size);
THAW_VARIANT_OF(my_lib_linear_forward)
MY_LIB_API int my_lib_linear_forward_f16(
    const thaw_float16 *input, const thaw_float16 *weight, const thaw_float16 *bias,
    int64_t batch, int64_t in_features, int64_t out_features, thaw_float16 *output,
    void *workspace     THAW_WORKSPACE(workspace_size,
                            my_lib_linear_forward_workspace_size_f16(batch, in_features, out_features)),
    size_t workspace_size);
MY_LIB_API size_t my_lib_linear_forward_workspace_size_bf16(int64_t batch, int64_t in_features,
                                                            int64_t out_features);
MY_LIB_API size_t my_lib_linear_forward_workspace_size_f16(int64_t batch, int64_t in_features,
                                                           int64_t out_features);

/* grad_input  = grad_output weight
 * grad_weight = grad_output^T input
 * grad_bias   = sum of grad_output over batch
 * `weight` is needed only for grad_input, `input` only for grad_weight; otherwise either may be NULL.
 * Since 1.0.0. */
THAW_STATUS THAW_BACKWARD_OF(my_lib_linear_forward)
MY_LIB_API int my_lib_linear_backward(
    const float *grad_output THAW_SHAPE(batch, out_features),
    const float *input       THAW_SHAPE(batch, in_features) THAW_NULLABLE,
    const float *weight      THAW_SHAPE(out_features, in_features) THAW_NULLABLE,
    int64_t batch, int64_t in_features, int64_t out_features,
    float *grad_input        THAW_SHAPE(batch, in_features) THAW_NULLABLE,
    float *grad_weight       THAW_SHAPE(out_features, in_features) THAW_NULLABLE,
    float *grad_bias         THAW_SHAPE(out_features) THAW_NULLABLE,
    void *workspace          THAW_WORKSPACE(workspace_size,
                                 my_lib_linear_backward_workspace_size(batch, in_features, out_features)),
    size_t workspace_size);
THAW_VARIANT_OF(my_lib_linear_backward)
MY_LIB_API int my_lib_linear_backward_f64(
    const double *grad_output, const double *input, const double *weight,
    int64_t batch, int64_t in_features, int64_t out_features,
    double *grad_input, double *grad_weight, double *grad_bias,
    void *workspace          THAW_WORKSPACE(workspace_size,
                                 my_lib_linear_backward_workspace_size_f64(batch, in_features, out_features)),
    size_t workspace_size);
MY_LIB_API size_t my_lib_linear_backward_workspace_size(int64_t batch, int64_t in_features, int64_t out_features);
MY_LIB_API size_t my_lib_linear_backward_workspace_size_f64(int64_t batch, int64_t in_features,
                                                            int64_t out_features);

/* The same with 16-bit elements. Since 1.0.0. */
THAW_VARIANT_OF(my_lib_linear_backward)
MY_LIB_API int my_lib_linear_backward_bf16(
    const thaw_bfloat16 *grad_output, const thaw_bfloat16 *input, const thaw_bfloat16 *weight,
    int64_t batch, int64_t in_features, int64_t out_features,
    thaw_bfloat16 *grad_input, thaw_bfloat16 *grad_weight, thaw_bfloat16 *grad_bias,
    void *workspace          THAW_WORKSPACE(workspace_size,
                                 my_lib_linear_backward_workspace_size_bf16(batch, in_features, out_features)),
    size_t workspace_size);
THAW_VARIANT_OF(my_lib_linear_backward)
MY_LIB_API int my_lib_linear_backward_f16(
    const thaw_float16 *grad_output, const thaw_float16 *input, const thaw_float16 *weight,
    int64_t batch, int64_t in_features, int64_t out_features,
    thaw_float16 *grad_input, thaw_float16 *grad_weight, thaw_float16 *grad_bias,
    void *workspace          THAW_WORKSPACE(workspace_size,
                                 my_lib_linear_backward_workspace_size_f16(batch, in_features, out_features)),
    size_t workspace_size);
MY_LIB_API size_t my_lib_linear_backward_workspace_size_bf16(int64_t batch, int64_t in_features,
                                                             int64_t out_features);
MY_LIB_API size_t my_lib_linear_backward_workspace_size_f16(int64_t batch, int64_t in_features,
                                                            int64_t out_features);

/* ------------------------------------------------------------------------------------------------------------
 * Batch normalisation over images, with training statistics and without an affine part
 *
 * Ioffe and Szegedy, "Batch Normalization: Accelerating Deep Network Training by Reducing Internal Covariate
 * Shift", 2015. This form takes the unbiased variance and adds eps outside the square root.
 * --------------------------------------------------------------------------------------------------------- */

/* With n = batch * height * width and sums over the n values x of one channel:
 *   mean   = sum(x) / n
 *   std    = sqrt(sum((x - mean)^2) / (n - 1))
 *   output = (x - mean) / (std + eps)
 * Sums are accumulated in double, in two passes: the mean first, then the squares around it.
 * All outputs are needed; output may be input. A channel whose values are all equal gives std 0 and output 0
 * (NaN when eps is 0). n = 1 has no variance: MY_LIB_ERROR_INVALID_SIZE. n = 0 has no elements: mean and std
 * become NaN. A negative or NaN eps is MY_LIB_ERROR_INVALID_VALUE. Since 1.0.0. */
THAW_STATUS THAW_BATCH(channels)
MY_LIB_API int my_lib_batch_norm2d_forward(
    const float *input THAW_SHAPE(batch, channels, height, width),
    int64_t batch, int64_t channels, int64_t height, int64_t width, double eps,
    float *output      THAW_SHAPE(batch, channels, height, width) THAW_ALIAS(input),
    float *mean        THAW_SHAPE(channels) THAW_SAVED,
    float *std         THAW_SHAPE(channels) THAW_SAVED);
THAW_VARIANT_OF(my_lib_batch_norm2d_forward)
MY_LIB_API int my_lib_batch_norm2d_forward_f64(const double *input, int64_t batch, int64_t channels,
                                               int64_t height, int64_t width, double eps, double *output,
                                               double *mean, double *std);

/* The gradient of output above with respect to input, through the statistics as well. `mean` and `std` are those
 * that forward gave, s = std + eps, g = grad_output:
 *   grad_input = (g - sum(g) / n) / s - (x - mean) * sum(g * (x - mean)) / ((n - 1) * std * s^2)
 * Where std is 0 the second term is 0 / 0; it is then taken as 0, its limit as the values of the channel approach
 * one another, so that the gradient of a constant channel is finite for eps > 0:
 *   grad_input = (g - sum(g) / n) / eps
 * grad_input may be grad_output or input. Errors as in forward. Since 1.0.0. */
THAW_STATUS THAW_BACKWARD_OF(my_lib_batch_norm2d_forward)
MY_LIB_API int my_lib_batch_norm2d_backward(
    const float *grad_output THAW_SHAPE(batch, channels, height, width),
    const float *input       THAW_SHAPE(batch, channels, height, width),
    const float *mean        THAW_SHAPE(channels),
    const float *std         THAW_SHAPE(channels),
    int64_t batch, int64_t channels, int64_t height, int64_t width, double eps,
    float *grad_input        THAW_SHAPE(batch, channels, height, width) THAW_NULLABLE THAW_ALIAS(grad_output, input));
THAW_VARIANT_OF(my_lib_batch_norm2d_backward)
MY_LIB_API int my_lib_batch_norm2d_backward_f64(const double *grad_output, const double *input, const double *mean,
                                                const double *std, int64_t batch, int64_t channels,
                                                int64_t height, int64_t width, double eps, double *grad_input);

/* ------------------------------------------------------------------------------------------------------------
 * LLTM: one step
 *
 * The "long long-term memory" cell of PyTorch's C++-extension tutorial: an LSTM without a forget gate, whose
 * candidate is an ELU (Clevert, Unterthiner and Hochreiter 2015, alpha = 1).
 *
 * Columns of `weights` act on [old_h, input], in this order. Rows of `weights`, and columns of `gates`, come in
 * three blocks of state_size: input gate, output gate, candidate. `gates` are those after activation.
 * --------------------------------------------------------------------------------------------------------- */

/* [a_i, a_o, a_c] = [old_h, input] weights^T + bias
 *   input gate i = sigmoid(a_i)     output gate o = sigmoid(a_o)     candidate c = elu(a_c)
 *   new_cell = old_cell + c * i     new_h = tanh(new_cell) * o       gates = [i, o, c]
 * `gates` is what backward needs; NULL when there will be no backward. Since 1.0.0. */
THAW_STATUS THAW_BATCH(batch) THAW_AUTOCAST(lower)
MY_LIB_API int lltm_forward(
    const float *input    THAW_SHAPE(batch, input_size),
    const float *weights  THAW_SHAPE(3 * state_size, state_size + input_size),
    const float *bias     THAW_SHAPE(3 * state_size),
    const float *old_h    THAW_SHAPE(batch, state_size),
    const float *old_cell THAW_SHAPE(batch, state_size),
    int64_t batch, int64_t input_size, int64_t state_size,
    float *new_h          THAW_SHAPE(batch, state_size),
    float *new_cell       THAW_SHAPE(batch, state_size),
    float *gates          THAW_SHAPE(batch, 3 * state_size) THAW_NULLABLE THAW_SAVED,
    void *workspace       THAW_WORKSPACE(workspace_size,
                              lltm_forward_workspace_size(batch, input_size, state_size)),
    size_t workspace_size);
THAW_VARIANT_OF(lltm_forward)
MY_LIB_API int lltm_forward_f64(
    const double *input, const double *weights, const double *bias, const double *old_h, const double *old_cell,
    int64_t batch, int64_t input_size, int64_t state_size, double *new_h, double *new_cell, double *gates,
    void *workspace       THAW_WORKSPACE(workspace_size,
                              lltm_forward_workspace_size_f64(batch, input_size, state_size)),
    size_t workspace_size);
MY_LIB_API size_t lltm_forward_workspace_size(int64_t batch, int64_t input_size, int64_t state_size);
MY_LIB_API size_t lltm_forward_workspace_size_f64(int64_t batch, int64_t input_size, int64_t state_size);

/* The same with 16-bit elements: new_h is computed from the new cell before that is rounded. Since 1.0.0. */
THAW_VARIANT_OF(lltm_forward)
MY_LIB_API int lltm_forward_bf16(
    const thaw_bfloat16 *input, const thaw_bfloat16 *weights, const thaw_bfloat16 *bias,
    const thaw_bfloat16 *old_h, const thaw_bfloat16 *old_cell,
    int64_t batch, int64_t input_size, int64_t state_size,
    thaw_bfloat16 *new_h, thaw_bfloat16 *new_cell, thaw_bfloat16 *gates,
    void *workspace       THAW_WORKSPACE(workspace_size,
                              lltm_forward_workspace_size_bf16(batch, input_size, state_size)),
    size_t workspace_size);
THAW_VARIANT_OF(lltm_forward)
MY_LIB_API int lltm_forward_f16(
    const thaw_float16 *input, const thaw_float16 *weights, const thaw_float16 *bias,
    const thaw_float16 *old_h, const thaw_float16 *old_cell,
    int64_t batch, int64_t input_size, int64_t state_size,
    thaw_float16 *new_h, thaw_float16 *new_cell, thaw_float16 *gates,
    void *workspace       THAW_WORKSPACE(workspace_size,
                              lltm_forward_workspace_size_f16(batch, input_size, state_size)),
    size_t workspace_size);
MY_LIB_API size_t lltm_forward_workspace_size_bf16(int64_t batch, int64_t input_size, int64_t state_size);
MY_LIB_API size_t lltm_forward_workspace_size_f16(int64_t batch, int64_t input_size, int64_t state_size);

/* With grad_h and grad_cell the gradients of new_h and new_cell, and t = tanh(new_cell):
 *   d_old_cell = grad_cell + grad_h * o * (1 - t^2)
 *   d_a = [d_old_cell * c * i * (1 - i),  grad_h * t * o * (1 - o),  d_old_cell * i * (c > 0 ? 1 : c + 1)]
 *   [d_old_h, d_input] = d_a weights     d_weights = d_a^T [old_h, input]     d_bias = sum of d_a over batch
 * `new_cell` and `gates` are what forward gave. `input` and `old_h` are read for d_weights alone, `weights` for d_input
 * and d_old_h alone: C may give NULL where they are not. Since 1.0.0. */
THAW_STATUS THAW_BACKWARD_OF(lltm_forward)
MY_LIB_API int lltm_backward(
    const float *grad_h    THAW_SHAPE(batch, state_size) THAW_GRADIENT_OF(new_h),
    const float *grad_cell THAW_SHAPE(batch, state_size) THAW_GRADIENT_OF(new_cell),
    const float *new_cell  THAW_SHAPE(batch, state_size),
    const float *gates     THAW_SHAPE(batch, 3 * state_size),
    const float *input     THAW_SHAPE(batch, input_size),
    const float *old_h     THAW_SHAPE(batch, state_size),
    const float *weights   THAW_SHAPE(3 * state_size, state_size + input_size),
    int64_t batch, int64_t input_size, int64_t state_size,
    float *d_input         THAW_SHAPE(batch, input_size) THAW_NULLABLE,
    float *d_weights       THAW_SHAPE(3 * state_size, state_size + input_size) THAW_NULLABLE,
    float *d_bias          THAW_SHAPE(3 * state_size) THAW_NULLABLE,
    float *d_old_h         THAW_SHAPE(batch, state_size) THAW_NULLABLE,
    float *d_old_cell      THAW_SHAPE(batch, state_size) THAW_NULLABLE,
    void *workspace        THAW_WORKSPACE(workspace_size,
                               lltm_backward_workspace_size(batch, input_size, state_size)),
    size_t workspace_size);
THAW_VARIANT_OF(lltm_backward)
MY_LIB_API int lltm_backward_f64(
    const double *grad_h, const double *grad_cell, const double *new_cell, const double *gates,
    const double *input, const double *old_h, const double *weights,
    int64_t batch, int64_t input_size, int64_t state_size,
    double *d_input, double *d_weights, double *d_bias, double *d_old_h, double *d_old_cell,
    void *workspace        THAW_WORKSPACE(workspace_size,
                               lltm_backward_workspace_size_f64(batch, input_size, state_size)),
    size_t workspace_size);
MY_LIB_API size_t lltm_backward_workspace_size(int64_t batch, int64_t input_size, int64_t state_size);
MY_LIB_API size_t lltm_backward_workspace_size_f64(int64_t batch, int64_t input_size, int64_t state_size);

/* The same with 16-bit elements; `new_cell` and `gates` are those that forward rounded. Since 1.0.0. */
THAW_VARIANT_OF(lltm_backward)
MY_LIB_API int lltm_backward_bf16(
    const thaw_bfloat16 *grad_h, const thaw_bfloat16 *grad_cell, const thaw_bfloat16 *new_cell,
    const thaw_bfloat16 *gates, const thaw_bfloat16 *input, const thaw_bfloat16 *old_h, const thaw_bfloat16 *weights,
    int64_t batch, int64_t input_size, int64_t state_size,
    thaw_bfloat16 *d_input, thaw_bfloat16 *d_weights, thaw_bfloat16 *d_bias,
    thaw_bfloat16 *d_old_h, thaw_bfloat16 *d_old_cell,
    void *workspace        THAW_WORKSPACE(workspace_size,
                               lltm_backward_workspace_size_bf16(batch, input_size, state_size)),
    size_t workspace_size);
THAW_VARIANT_OF(lltm_backward)
MY_LIB_API int lltm_backward_f16(
    const thaw_float16 *grad_h, const thaw_float16 *grad_cell, const thaw_float16 *new_cell,
    const thaw_float16 *gates, const thaw_float16 *input, const thaw_float16 *old_h, const thaw_float16 *weights,
    int64_t batch, int64_t input_size, int64_t state_size,
    thaw_float16 *d_input, thaw_float16 *d_weights, thaw_float16 *d_bias,
    thaw_float16 *d_old_h, thaw_float16 *d_old_cell,
    void *workspace        THAW_WORKSPACE(workspace_size,
                               lltm_backward_workspace_size_f16(batch, input_size, state_size)),
    size_t workspace_size);
MY_LIB_API size_t lltm_backward_workspace_size_bf16(int64_t batch, int64_t input_size, int64_t state_size);
MY_LIB_API size_t lltm_backward_workspace_size_f16(int64_t batch, int64_t input_size, int64_t state_size);

/* ------------------------------------------------------------------------------------------------------------
 * LLTM: a sequence of steps
 *
 * Equal to seq_len calls of the single step, each fed with the state of the one before, and faster: the input's
 * share of all steps is one matrix product, and so are the gradients of the weights.
 *
 * `h` and `cell` are the state after each step, `old_h` and `old_cell` that before the first.
 * --------------------------------------------------------------------------------------------------------- */

/* h[t], cell[t], gates[t] = the single step of input[t], h[t-1], cell[t-1]; h[-1] = old_h, cell[-1] = old_cell.
 * `gates` may be NULL when there will be no backward. Since 1.0.0. */
THAW_STATUS THAW_BATCH(batch) THAW_AUTOCAST(lower)
MY_LIB_API int lltm_sequence_forward(
    const float *input    THAW_SHAPE(seq_len, batch, input_size),
    const float *weights  THAW_SHAPE(3 * state_size, state_size + input_size),
    const float *bias     THAW_SHAPE(3 * state_size),
    const float *old_h    THAW_SHAPE(batch, state_size),
    const float *old_cell THAW_SHAPE(batch, state_size),
    int64_t seq_len, int64_t batch, int64_t input_size, int64_t state_size,
    float *h              THAW_SHAPE(seq_len, batch, state_size),
    float *cell           THAW_SHAPE(seq_len, batch, state_size) THAW_SAVED,
    float *gates          THAW_SHAPE(seq_len, batch, 3 * state_size) THAW_NULLABLE THAW_SAVED,
    void *workspace       THAW_WORKSPACE(workspace_size,
                              lltm_sequence_forward_workspace_size(seq_len, batch, input_size, state_size)),
    size_t workspace_size);
THAW_VARIANT_OF(lltm_sequence_forward)
MY_LIB_API int lltm_sequence_forward_f64(
    const double *input, const double *weights, const double *bias, const double *old_h, const double *old_cell,
    int64_t seq_len, int64_t batch, int64_t input_size, int64_t state_size,
    double *h, double *cell, double *gates,
    void *workspace       THAW_WORKSPACE(workspace_size,
                              lltm_sequence_forward_workspace_size_f64(seq_len, batch, input_size, state_size)),
    size_t workspace_size);
MY_LIB_API size_t lltm_sequence_forward_workspace_size(int64_t seq_len, int64_t batch, int64_t input_size,
                                                       int64_t state_size);
MY_LIB_API size_t lltm_sequence_forward_workspace_size_f64(int64_t seq_len, int64_t batch, int64_t input_size,
                                                           int64_t state_size);

/* The same with 16-bit elements. h[t] and cell[t] are rounded as they are stored, and the next step starts from
 * these, as it does in seq_len calls of the single step. Since 1.0.0. */
THAW_VARIANT_OF(lltm_sequence_forward)
MY_LIB_API int lltm_sequence_forward_bf16(
    const thaw_bfloat16 *input, const thaw_bfloat16 *weights, const thaw_bfloat16 *bias,
    const thaw_bfloat16 *old_h, const thaw_bfloat16 *old_cell,
    int64_t seq_len, int64_t batch, int64_t input_size, int64_t state_size,
    thaw_bfloat16 *h, thaw_bfloat16 *cell, thaw_bfloat16 *gates,
    void *workspace       THAW_WORKSPACE(workspace_size,
                              lltm_sequence_forward_workspace_size_bf16(seq_len, batch, input_size, state_size)),
    size_t workspace_size);
THAW_VARIANT_OF(lltm_sequence_forward)
MY_LIB_API int lltm_sequence_forward_f16(
    const thaw_float16 *input, const thaw_float16 *weights, const thaw_float16 *bias,
    const thaw_float16 *old_h, const thaw_float16 *old_cell,
    int64_t seq_len, int64_t batch, int64_t input_size, int64_t state_size,
    thaw_float16 *h, thaw_float16 *cell, thaw_float16 *gates,
    void *workspace       THAW_WORKSPACE(workspace_size,
                              lltm_sequence_forward_workspace_size_f16(seq_len, batch, input_size, state_size)),
    size_t workspace_size);
MY_LIB_API size_t lltm_sequence_forward_workspace_size_bf16(int64_t seq_len, int64_t batch, int64_t input_size,
                                                            int64_t state_size);
MY_LIB_API size_t lltm_sequence_forward_workspace_size_f16(int64_t seq_len, int64_t batch, int64_t input_size,
                                                           int64_t state_size);

/* Back-propagation through time. `grad_h` is the gradient of every h[t]; `grad_last_h` and `grad_last_cell` are
 * further gradients of h[seq_len - 1] and cell[seq_len - 1], and either may be NULL, which counts as zero.
 * `h`, `cell` and `gates` are what forward gave. `old_cell` is not read, and `input`, `h` and `old_h` are read for
 * d_weights alone: C may give NULL where they are not. With seq_len 0 the gradients of the last state pass through to
 * d_old_h and d_old_cell, and d_weights and d_bias are zero. Since 1.0.0. */
THAW_STATUS THAW_BACKWARD_OF(lltm_sequence_forward)
MY_LIB_API int lltm_sequence_backward(
    const float *grad_h         THAW_SHAPE(seq_len, batch, state_size),
    const float *grad_last_h    THAW_SHAPE(batch, state_size) THAW_NULLABLE THAW_GRADIENT_OF(h[seq_len - 1]),
    const float *grad_last_cell THAW_SHAPE(batch, state_size) THAW_NULLABLE THAW_GRADIENT_OF(cell[seq_len - 1]),
    const float *cell           THAW_SHAPE(seq_len, batch, state_size),
    const float *gates          THAW_SHAPE(seq_len, batch, 3 * state_size),
    const float *input          THAW_SHAPE(seq_len, batch, input_size),
    const float *h              THAW_SHAPE(seq_len, batch, state_size),
    const float *old_h          THAW_SHAPE(batch, state_size),
    const float *old_cell       THAW_SHAPE(batch, state_size),
    const float *weights        THAW_SHAPE(3 * state_size, state_size + input_size),
    int64_t seq_len, int64_t batch, int64_t input_size, int64_t state_size,
    float *d_input              THAW_SHAPE(seq_len, batch, input_size) THAW_NULLABLE,
    float *d_weights            THAW_SHAPE(3 * state_size, state_size + input_size) THAW_NULLABLE,
    float *d_bias               THAW_SHAPE(3 * state_size) THAW_NULLABLE,
    float *d_old_h              THAW_SHAPE(batch, state_size) THAW_NULLABLE,
    float *d_old_cell           THAW_SHAPE(batch, state_size) THAW_NULLABLE,
    void *workspace             THAW_WORKSPACE(workspace_size,
                                    lltm_sequence_backward_workspace_size(seq_len, batch, input_size, state_size)),
    size_t workspace_size);
THAW_VARIANT_OF(lltm_sequence_backward)
MY_LIB_API int lltm_sequence_backward_f64(
    const double *grad_h, const double *grad_last_h, const double *grad_last_cell, const double *cell,
    const double *gates, const double *input, const double *h, const double *old_h, const double *old_cell,
    const double *weights, int64_t seq_len, int64_t batch, int64_t input_size, int64_t state_size,
    double *d_input, double *d_weights, double *d_bias, double *d_old_h, double *d_old_cell,
    void *workspace             THAW_WORKSPACE(workspace_size,
                                    lltm_sequence_backward_workspace_size_f64(seq_len, batch, input_size, state_size)),
    size_t workspace_size);
MY_LIB_API size_t lltm_sequence_backward_workspace_size(int64_t seq_len, int64_t batch, int64_t input_size,
                                                        int64_t state_size);
MY_LIB_API size_t lltm_sequence_backward_workspace_size_f64(int64_t seq_len, int64_t batch, int64_t input_size,
                                                            int64_t state_size);

/* The same with 16-bit elements. What flows from step to step, and the sums over steps, are not rounded in
 * between, as they would be in calls of the single step. Since 1.0.0. */
THAW_VARIANT_OF(lltm_sequence_backward)
MY_LIB_API int lltm_sequence_backward_bf16(
    const thaw_bfloat16 *grad_h, const thaw_bfloat16 *grad_last_h, const thaw_bfloat16 *grad_last_cell,
    const thaw_bfloat16 *cell, const thaw_bfloat16 *gates, const thaw_bfloat16 *input, const thaw_bfloat16 *h,
    const thaw_bfloat16 *old_h, const thaw_bfloat16 *old_cell, const thaw_bfloat16 *weights,
    int64_t seq_len, int64_t batch, int64_t input_size, int64_t state_size,
    thaw_bfloat16 *d_input, thaw_bfloat16 *d_weights, thaw_bfloat16 *d_bias,
    thaw_bfloat16 *d_old_h, thaw_bfloat16 *d_old_cell,
    void *workspace             THAW_WORKSPACE(workspace_size,
                                    lltm_sequence_backward_workspace_size_bf16(seq_len, batch, input_size, state_size)),
    size_t workspace_size);
THAW_VARIANT_OF(lltm_sequence_backward)
MY_LIB_API int lltm_sequence_backward_f16(
    const thaw_float16 *grad_h, const thaw_float16 *grad_last_h, const thaw_float16 *grad_last_cell,
    const thaw_float16 *cell, const thaw_float16 *gates, const thaw_float16 *input, const thaw_float16 *h,
    const thaw_float16 *old_h, const thaw_float16 *old_cell, const thaw_float16 *weights,
    int64_t seq_len, int64_t batch, int64_t input_size, int64_t state_size,
    thaw_float16 *d_input, thaw_float16 *d_weights, thaw_float16 *d_bias,
    thaw_float16 *d_old_h, thaw_float16 *d_old_cell,
    void *workspace             THAW_WORKSPACE(workspace_size,
                                    lltm_sequence_backward_workspace_size_f16(seq_len, batch, input_size, state_size)),
    size_t workspace_size);
MY_LIB_API size_t lltm_sequence_backward_workspace_size_bf16(int64_t seq_len, int64_t batch, int64_t input_size,
                                                             int64_t state_size);
MY_LIB_API size_t lltm_sequence_backward_workspace_size_f16(int64_t seq_len, int64_t batch, int64_t input_size,
                                                            int64_t state_size);

#if defined(__cplusplus)
}
#endif

#endif /* MY_LIB_H */
