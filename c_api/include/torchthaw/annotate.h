/* torchthaw/annotate.h: what a C prototype does not say by itself. Plain C99 and C++, no dependency.
 *
 * Each word below stands behind a parameter's name or before a function. For a compiler it is nothing. torchthaw reads
 * it when it builds a Python module of the header, checks each call by it, and makes PyTorch operators of the functions;
 * a word that does not fit its function is an error then, with file and line.
 *
 *     THAW_STATUS
 *     int linear_forward(const float *input  THAW_SHAPE(batch, in_features),
 *                        const float *weight THAW_SHAPE(out_features, in_features),
 *                        const float *bias   THAW_SHAPE(out_features) THAW_NULLABLE,
 *                        int64_t batch, int64_t in_features, int64_t out_features,
 *                        float *output       THAW_SHAPE(batch, out_features));
 *
 * A function with any of these words is annotated, and then all of it is meant: an array that is not const is an output,
 * of which nothing is read; only THAW_NULLABLE arrays, and those without elements, may be NULL; an output overlaps no
 * other array. docs/reference/annotations.md has an example of each. */
#ifndef TORCHTHAW_ANNOTATE_H
#define TORCHTHAW_ANNOTATE_H

#include <stdint.h>

/* An array of these is a tensor of torch.bfloat16 or torch.float16; any other uint16_t is an integer. */
typedef uint16_t thaw_bfloat16;
typedef uint16_t thaw_float16;

#if !defined(THAW_READS_ANNOTATIONS) /* defined by torchthaw alone, which finds the words in the preprocessed text */

/* ---- Behind the name of a parameter that is an array ----------------------------------------------------------------
 *
 * Several shapes on one array must all hold. */

/* The sizes, the fastest last: integer expressions of numbers, the function's integer parameters, + - * / and
 * parentheses, `/` of numbers that are not negative. THAW_SHAPE() is one element without a dimension. */
#define THAW_SHAPE(...)

/* The shape that two parameters say, `const int64_t *shape, int64_t ndim`; this makes `shape` an array of ndim sizes. */
#define THAW_LIKE(shape, ndim)

/* The shape that two shapes have together by PyTorch's rules of broadcasting. */
#define THAW_BROADCAST(shape1, ndim1, shape2, ndim2)

/* May be NULL. */
#define THAW_NULLABLE

/* Of an array that is not const: it is read and written. */
#define THAW_INOUT

/* Of an output: it may be the very same array as one of these parameters. */
#define THAW_ALIAS(...)

/* Of a `void *`: scratch memory. `size` is the parameter with its bytes; `call` says how many suffice, as
 * f_workspace_size(batch, features): a function that returns size_t, and SIZE_MAX for impossible sizes, and parameters
 * of this function, which its own parameters have the order of. */
#define THAW_WORKSPACE(size, call)

/* Of an output: the function that computes the gradient reads it, and nobody else. It is no result in Python. */
#define THAW_SAVED

/* Of an array of a THAW_BACKWARD_OF: of which array of the base it is the gradient, where its name is not grad_ or d_
 * and the name of that array. h[n - 1] is an entry of an output, which is a result of its own then. */
#define THAW_GRADIENT_OF(array)

/* Of an output of a THAW_BACKWARD_OF: it equals this array, the gradient of an output of the base. PyTorch gets that one
 * in its place, and nothing is computed. */
#define THAW_EQUALS(array)

/* ---- Before a function ------------------------------------------------------------------------------------------- */

/* It returns an int, 0 for failure. */
#define THAW_STATUS

/* It is the function `base` for other elements or another device: their parameters have the same names and, but for the
 * elements of arrays, the same types; `void *stream` may follow at the end. What is annotated of `base` holds here as
 * well, where this function's own words do not say otherwise. An included header may declare `base`. */
#define THAW_VARIANT_OF(base)

/* It computes the gradient of the function `base`, and PyTorch differentiates that one by it. An array that is read is
 * one of `base`, by the same name, or the gradient of an output; one that is written is the gradient of an input.
 * Numbers have the same names. `base` may have this word, too: then this computes the second derivative. */
#define THAW_BACKWARD_OF(base)

/* It computes the tangents of the function `base`, for forward mode: it writes tangent_y for each output y. It reads
 * tangent_x of inputs x, and arrays and numbers of `base` by the same names. */
#define THAW_TANGENT_OF(base)

/* The words below are of a function that has a THAW_BACKWARD_OF, and hold for that one as well. */

/* All arrays have one shape, and an element depends on those of the same place alone. */
#define THAW_ELEMENTWISE

/* Entries along the size of this name are independent. What has no such size is the same for all of them; the gradient
 * of such an input is a sum over them. */
#define THAW_BATCH(size)

/* What torch.autocast does with the inputs: `lower` converts them to its dtype, `float32` to that one, and `widest` to
 * the widest among them. */
#define THAW_AUTOCAST(rule)

/* Before `const char *f(void)`: the text of the calling thread's last failure. */
#define THAW_ERROR_MESSAGE

/* Before `int f(void)`: the code of that failure. The codes listed are a RuntimeError in Python, all others a
 * ValueError. */
#define THAW_ERROR_CODE(...)

/* Before `int f(int num_threads)`: how many threads a call from the calling thread may use; 0 for no such limit. It
 * returns the limit before. A host with threads of its own sets it around each call. */
#define THAW_NUM_THREADS

#endif

#endif /* TORCHTHAW_ANNOTATE_H */
