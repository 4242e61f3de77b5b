/* bindings/r/src/mylib.c: what R calls: checks types and shapes, and passes R's own arrays to the _f64 functions.
 *
 * A shape here is R's `dim`, or the length of a vector: the sizes of my_lib.h in reverse, and so the same memory. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <R.h>
#include <Rinternals.h>
#include <R_ext/Rdynload.h>

#include "my_lib.h"

/* ---- Errors ---- */

/* Signals a condition with the classes NAME_OF_CODE, my_lib_error and error, and the fields code and name. */
static NORET void fail(int code, const char *format, ...)
{
    char message[1000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);

    const char *fields[] = {"message", "call", "code", "name", ""};
    const char *name = my_lib_error_name(code);
    SEXP condition = PROTECT(mkNamed(VECSXP, fields));
    SET_VECTOR_ELT(condition, 0, mkString(message));
    SET_VECTOR_ELT(condition, 2, ScalarInteger(code));
    SET_VECTOR_ELT(condition, 3, mkString(name));
    const char *classes[] = {name, "my_lib_error", "error", "condition"};
    SEXP class = PROTECT(allocVector(STRSXP, 4));
    for (int i = 0; i < 4; ++i) SET_STRING_ELT(class, i, mkChar(classes[i]));
    setAttrib(condition, R_ClassSymbol, class);
    eval(PROTECT(lang2(install("stop"), condition)), R_BaseEnv);
    error("%s", message); /* not reached: stop() does not return */
}

static void check(int status)
{
    if (!status) fail(my_lib_last_error_code(), "%s", my_lib_last_error_message());
}

/* ---- Shapes ---- */

typedef struct {
    int ndim;
    int64_t sizes[3];
} Shape;

#define SHAPE(...) ((Shape){sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), {__VA_ARGS__}})

static int ndim_of(SEXP array)
{
    SEXP dim = getAttrib(array, R_DimSymbol);
    return isNull(dim) ? 1 : LENGTH(dim);
}

static int64_t size_of(SEXP array, int i)
{
    SEXP dim = getAttrib(array, R_DimSymbol);
    return isNull(dim) ? XLENGTH(array) : INTEGER(dim)[i];
}

/* Adds a size to a text that may be cut, such as "(2, 3)" or "(2,)". */
static void add_size(char text[200], int i, int ndim, int64_t size)
{
    size_t used = strlen(text);
    snprintf(text + used, 200 - used, "%s%lld%s", i ? ", " : "(", (long long)size,
             i + 1 < ndim ? "" : ndim == 1 ? ",)" : ")");
}

static const char *text_of(SEXP array, char text[200])
{
    text[0] = 0;
    for (int i = 0; i < ndim_of(array); ++i) add_size(text, i, ndim_of(array), size_of(array, i));
    return text;
}

static const char *type_of(SEXP array)
{
    return isFactor(array) ? "a factor" : type2char(TYPEOF(array));
}

static void expect_shape(SEXP array, const char *name, Shape shape)
{
    int is_equal = ndim_of(array) == shape.ndim;
    for (int i = 0; is_equal && i < shape.ndim; ++i) is_equal = size_of(array, i) == shape.sizes[i];
    if (is_equal) return;
    char expected[200] = "", got[200];
    for (int i = 0; i < shape.ndim; ++i) add_size(expected, i, shape.ndim, shape.sizes[i]);
    fail(MY_LIB_ERROR_SHAPE_MISMATCH, "%s: expected shape %s, got %s", name, expected, text_of(array, got));
}

static void expect_like(SEXP array, const char *name, SEXP like)
{
    int ndim = ndim_of(like), is_equal = ndim_of(array) == ndim;
    for (int i = 0; is_equal && i < ndim; ++i) is_equal = size_of(array, i) == size_of(like, i);
    char expected[200], got[200];
    if (!is_equal)
        fail(MY_LIB_ERROR_SHAPE_MISMATCH, "%s: expected shape %s, got %s", name, text_of(like, expected),
             text_of(array, got));
}

static void expect_ndim(SEXP array, const char *name, int ndim)
{
    char got[200];
    if (!isNumeric(array))
        fail(MY_LIB_ERROR_INVALID_VALUE, "%s: expected a numeric array, got %s", name, type_of(array));
    if (ndim_of(array) != ndim)
        fail(MY_LIB_ERROR_SHAPE_MISMATCH, "%s: expected %d dimensions, got shape %s", name, ndim, text_of(array, got));
}
#define EXPECT_NDIM(array, ndim) expect_ndim(array, #array, ndim)

/* ---- Arrays ---- */

/* The elements of an array that C reads: R's own doubles, or a copy of integers. */
static const double *elements(SEXP array, const char *name)
{
    if (!isNumeric(array)) /* false for factors */
        fail(MY_LIB_ERROR_INVALID_VALUE, "%s: expected a numeric array, got %s", name, type_of(array));
    R_xlen_t count = XLENGTH(array);
    if (count == 0) return NULL; /* R's own pointer would not be aligned */
    if (TYPEOF(array) == REALSXP) return REAL(array);
    const int *integers = INTEGER(array);
    double *copy = (double *)R_alloc(count, sizeof(double));
    for (R_xlen_t i = 0; i < count; ++i) copy[i] = integers[i] == NA_INTEGER ? NA_REAL : integers[i];
    return copy;
}

static const double *readable(SEXP array, const char *name, Shape shape)
{
    const double *data = elements(array, name);
    expect_shape(array, name, shape);
    return data;
}
#define READ(array, ...) readable(array, #array, SHAPE(__VA_ARGS__))
#define READ_IF_GIVEN(array, ...) (isNull(array) ? NULL : READ(array, __VA_ARGS__))

static SEXP new_array(Shape shape)
{
    double count = 1;
    for (int i = 0; i < shape.ndim; ++i) count *= (double)shape.sizes[i];
    SEXP array = PROTECT(allocVector(REALSXP, (R_xlen_t)count));
    if (shape.ndim > 1) {
        SEXP dim = PROTECT(allocVector(INTSXP, shape.ndim));
        for (int i = 0; i < shape.ndim; ++i) INTEGER(dim)[i] = (int)shape.sizes[i];
        setAttrib(array, R_DimSymbol, dim);
        UNPROTECT(1);
    }
    UNPROTECT(1);
    return array;
}

static SEXP new_array_like(SEXP like)
{
    SEXP array = PROTECT(allocVector(REALSXP, XLENGTH(like)));
    setAttrib(array, R_DimSymbol, getAttrib(like, R_DimSymbol));
    UNPROTECT(1);
    return array;
}

/* What the caller said of an output. */
enum wish { NEW, ABSENT, GIVEN };

static enum wish wish_of(SEXP array, const char *name, int is_needed)
{
    if (TYPEOF(array) == REALSXP) return GIVEN;
    if (isLogical(array) && XLENGTH(array) == 1 && LOGICAL(array)[0] != NA_LOGICAL) {
        if (LOGICAL(array)[0]) return NEW;
        if (!is_needed) return ABSENT;
    }
    fail(MY_LIB_ERROR_INVALID_VALUE, "%s: expected TRUE%s or an array of doubles, got %s", name,
         is_needed ? "" : ", FALSE", isLogical(array) ? "another logical value" : type_of(array));
}

static double *elements_to_write(SEXP array)
{
    return XLENGTH(array) ? REAL(array) : NULL;
}

/* The elements of an output: of the array given, of a new one for TRUE, or NULL for FALSE. *array becomes what the
 * function returns. Protects it: one UNPROTECT for each call. */
static double *writable(SEXP *array, const char *name, int is_needed, Shape shape)
{
    enum wish wish = wish_of(*array, name, is_needed);
    if (wish == GIVEN) expect_shape(*array, name, shape);
    *array = PROTECT(wish == GIVEN ? *array : wish == NEW ? new_array(shape) : R_NilValue);
    return wish == ABSENT ? NULL : elements_to_write(*array);
}
#define WRITE(array, ...) writable(&array, #array, 1, SHAPE(__VA_ARGS__))
#define WRITE_IF_WANTED(array, ...) writable(&array, #array, 0, SHAPE(__VA_ARGS__))

static double *writable_like(SEXP *array, const char *name, int is_needed, SEXP like)
{
    enum wish wish = wish_of(*array, name, is_needed);
    if (wish == GIVEN) expect_like(*array, name, like);
    *array = PROTECT(wish == GIVEN ? *array : wish == NEW ? new_array_like(like) : R_NilValue);
    return wish == ABSENT ? NULL : elements_to_write(*array);
}

/* list(name = array, ...); NAMES ends with "". */
static SEXP named(const char **names, SEXP *arrays)
{
    SEXP list = PROTECT(mkNamed(VECSXP, names));
    for (int i = 0; i < LENGTH(list); ++i) SET_VECTOR_ELT(list, i, arrays[i]);
    UNPROTECT(1);
    return list;
}
#define NAMES(...) ((const char *[]){__VA_ARGS__, ""})
#define ARRAYS(...) ((SEXP[]){__VA_ARGS__})

/* Bytes that R frees when the call has ended. */
static void *workspace(size_t size)
{
    if (size == SIZE_MAX) check(0);
    return size ? R_alloc(size, 1) : NULL;
}

/* ---- The library ---- */

static SEXP version(void)
{
    return mkString(my_lib_version());
}

static SEXP build_info(void)
{
    return mkString(my_lib_build_info());
}

static SEXP set_num_threads(SEXP count)
{
    if (!isNumeric(count) || XLENGTH(count) != 1)
        fail(MY_LIB_ERROR_INVALID_VALUE, "count: expected one number, got %s of length %lld", type_of(count),
             (long long)xlength(count));
    double value = asReal(count);
    if (!(value >= -INT_MAX && value <= INT_MAX && value == (int)value))
        fail(MY_LIB_ERROR_INVALID_VALUE, "count: expected an integer, got %g", value);
    check(my_lib_set_num_threads((int)value));
    return R_NilValue;
}

static SEXP num_threads(void)
{
    return ScalarInteger(my_lib_get_num_threads());
}

/* ---- Addition: shapes have been compared here, so that C sees a vector ---- */

static SEXP add_forward(SEXP input1, SEXP input2, SEXP output)
{
    const double *a = elements(input1, "input1"), *b = elements(input2, "input2");
    expect_like(input2, "input2", input1);
    double *c = writable_like(&output, "output", 1, input1);
    int64_t count = XLENGTH(input1);
    check(my_lib_add_forward_f64(a, &count, 1, b, &count, 1, c));
    UNPROTECT(1);
    return output;
}

static SEXP add_backward(SEXP grad_output, SEXP grad_input1, SEXP grad_input2)
{
    const double *a = elements(grad_output, "grad_output");
    double *b = writable_like(&grad_input1, "grad_input1", 0, grad_output);
    double *c = writable_like(&grad_input2, "grad_input2", 0, grad_output);
    int64_t count = XLENGTH(grad_output);
    check(my_lib_add_backward_f64(a, &count, 1, b, c));
    SEXP result = named(NAMES("grad_input1", "grad_input2"), ARRAYS(grad_input1, grad_input2));
    UNPROTECT(2);
    return result;
}

/* ---- Linear ---- */

static SEXP linear_forward(SEXP input, SEXP weight, SEXP bias, SEXP output)
{
    EXPECT_NDIM(input, 2);
    EXPECT_NDIM(weight, 2);
    const int64_t in_features = size_of(input, 0), batch = size_of(input, 1), out_features = size_of(weight, 1);
    const double *x = READ(input, in_features, batch), *w = READ(weight, in_features, out_features);
    const double *b = READ_IF_GIVEN(bias, out_features);
    double *y = WRITE(output, out_features, batch);
    size_t size = my_lib_linear_forward_workspace_size_f64(batch, in_features, out_features);
    check(my_lib_linear_forward_f64(x, w, b, batch, in_features, out_features, y, workspace(size), size));
    UNPROTECT(1);
    return output;
}

static SEXP linear_backward(SEXP grad_output, SEXP input, SEXP weight, SEXP grad_input, SEXP grad_weight,
                            SEXP grad_bias)
{
    EXPECT_NDIM(grad_output, 2);
    if (!isNull(input)) EXPECT_NDIM(input, 2);
    if (!isNull(weight)) EXPECT_NDIM(weight, 2);
    const int64_t out_features = size_of(grad_output, 0), batch = size_of(grad_output, 1);
    /* without input and weight only grad_bias is possible */
    const int64_t in_features = !isNull(input) ? size_of(input, 0) : !isNull(weight) ? size_of(weight, 0) : 0;
    const double *gy = READ(grad_output, out_features, batch), *x = READ_IF_GIVEN(input, in_features, batch);
    const double *w = READ_IF_GIVEN(weight, in_features, out_features);
    double *gx = WRITE_IF_WANTED(grad_input, in_features, batch);
    double *gw = WRITE_IF_WANTED(grad_weight, in_features, out_features);
    double *gb = WRITE_IF_WANTED(grad_bias, out_features);
    if (isNull(weight) && !isNull(grad_input))
        fail(MY_LIB_ERROR_NULL_POINTER, "weight: expected an array, which grad_input needs, got NULL");
    if (isNull(input) && !isNull(grad_weight))
        fail(MY_LIB_ERROR_NULL_POINTER, "input: expected an array, which grad_weight needs, got NULL");
    size_t size = my_lib_linear_backward_workspace_size_f64(batch, in_features, out_features);
    check(my_lib_linear_backward_f64(gy, x, w, batch, in_features, out_features, gx, gw, gb, workspace(size), size));
    SEXP result = named(NAMES("grad_input", "grad_weight", "grad_bias"), ARRAYS(grad_input, grad_weight, grad_bias));
    UNPROTECT(3);
    return result;
}

/* ---- LLTM ---- */

static SEXP r_lltm_forward(SEXP input, SEXP weights, SEXP bias, SEXP old_h, SEXP old_cell, SEXP new_h, SEXP new_cell,
                           SEXP gates)
{
    EXPECT_NDIM(input, 2);
    EXPECT_NDIM(old_h, 2);
    const int64_t input_size = size_of(input, 0), batch = size_of(input, 1), state_size = size_of(old_h, 0);
    const double *x = READ(input, input_size, batch), *h = READ(old_h, state_size, batch);
    const double *w = READ(weights, state_size + input_size, 3 * state_size), *b = READ(bias, 3 * state_size);
    const double *c = READ(old_cell, state_size, batch);
    double *to_h = WRITE(new_h, state_size, batch), *to_c = WRITE(new_cell, state_size, batch);
    double *to_gates = WRITE_IF_WANTED(gates, 3 * state_size, batch);
    size_t size = lltm_forward_workspace_size_f64(batch, input_size, state_size);
    check(lltm_forward_f64(x, w, b, h, c, batch, input_size, state_size, to_h, to_c, to_gates, workspace(size), size));
    SEXP result = named(NAMES("new_h", "new_cell", "gates"), ARRAYS(new_h, new_cell, gates));
    UNPROTECT(3);
    return result;
}

static SEXP r_lltm_backward(SEXP grad_h, SEXP grad_cell, SEXP new_cell, SEXP gates, SEXP input, SEXP old_h,
                            SEXP weights, SEXP d_input, SEXP d_weights, SEXP d_bias, SEXP d_old_h, SEXP d_old_cell)
{
    EXPECT_NDIM(input, 2);
    EXPECT_NDIM(old_h, 2);
    const int64_t input_size = size_of(input, 0), batch = size_of(input, 1), state_size = size_of(old_h, 0);
    const double *x = READ(input, input_size, batch), *h = READ(old_h, state_size, batch);
    const double *w = READ(weights, state_size + input_size, 3 * state_size);
    const double *gh = READ(grad_h, state_size, batch), *gc = READ(grad_cell, state_size, batch);
    const double *c = READ(new_cell, state_size, batch), *g = READ(gates, 3 * state_size, batch);
    double *dx = WRITE_IF_WANTED(d_input, input_size, batch);
    double *dw = WRITE_IF_WANTED(d_weights, state_size + input_size, 3 * state_size);
    double *db = WRITE_IF_WANTED(d_bias, 3 * state_size), *dh = WRITE_IF_WANTED(d_old_h, state_size, batch);
    double *dc = WRITE_IF_WANTED(d_old_cell, state_size, batch);
    size_t size = lltm_backward_workspace_size_f64(batch, input_size, state_size);
    check(lltm_backward_f64(gh, gc, c, g, x, h, w, batch, input_size, state_size, dx, dw, db, dh, dc, workspace(size),
                            size));
    SEXP result = named(NAMES("d_input", "d_weights", "d_bias", "d_old_h", "d_old_cell"),
                        ARRAYS(d_input, d_weights, d_bias, d_old_h, d_old_cell));
    UNPROTECT(5);
    return result;
}

static SEXP r_lltm_sequence_forward(SEXP input, SEXP weights, SEXP bias, SEXP old_h, SEXP old_cell, SEXP h, SEXP cell,
                                    SEXP gates)
{
    EXPECT_NDIM(input, 3);
    EXPECT_NDIM(old_h, 2);
    const int64_t input_size = size_of(input, 0), batch = size_of(input, 1), seq_len = size_of(input, 2);
    const int64_t state_size = size_of(old_h, 0);
    const double *x = READ(input, input_size, batch, seq_len), *h0 = READ(old_h, state_size, batch);
    const double *w = READ(weights, state_size + input_size, 3 * state_size), *b = READ(bias, 3 * state_size);
    const double *c0 = READ(old_cell, state_size, batch);
    double *to_h = WRITE(h, state_size, batch, seq_len), *to_c = WRITE(cell, state_size, batch, seq_len);
    double *to_gates = WRITE_IF_WANTED(gates, 3 * state_size, batch, seq_len);
    size_t size = lltm_sequence_forward_workspace_size_f64(seq_len, batch, input_size, state_size);
    check(lltm_sequence_forward_f64(x, w, b, h0, c0, seq_len, batch, input_size, state_size, to_h, to_c, to_gates,
                                    workspace(size), size));
    SEXP result = named(NAMES("h", "cell", "gates"), ARRAYS(h, cell, gates));
    UNPROTECT(3);
    return result;
}

static SEXP r_lltm_sequence_backward(SEXP grad_h, SEXP grad_last_h, SEXP grad_last_cell, SEXP cell, SEXP gates,
                                     SEXP input, SEXP h, SEXP old_h, SEXP old_cell, SEXP weights, SEXP d_input,
                                     SEXP d_weights, SEXP d_bias, SEXP d_old_h, SEXP d_old_cell)
{
    EXPECT_NDIM(input, 3);
    EXPECT_NDIM(old_h, 2);
    const int64_t input_size = size_of(input, 0), batch = size_of(input, 1), seq_len = size_of(input, 2);
    const int64_t state_size = size_of(old_h, 0);
    const double *x = READ(input, input_size, batch, seq_len), *h0 = READ(old_h, state_size, batch);
    const double *w = READ(weights, state_size + input_size, 3 * state_size), *c0 = READ(old_cell, state_size, batch);
    const double *gh = READ(grad_h, state_size, batch, seq_len), *hs = READ(h, state_size, batch, seq_len);
    const double *cs = READ(cell, state_size, batch, seq_len), *gs = READ(gates, 3 * state_size, batch, seq_len);
    const double *gh_last = READ_IF_GIVEN(grad_last_h, state_size, batch);
    const double *gc_last = READ_IF_GIVEN(grad_last_cell, state_size, batch);
    double *dx = WRITE_IF_WANTED(d_input, input_size, batch, seq_len);
    double *dw = WRITE_IF_WANTED(d_weights, state_size + input_size, 3 * state_size);
    double *db = WRITE_IF_WANTED(d_bias, 3 * state_size), *dh = WRITE_IF_WANTED(d_old_h, state_size, batch);
    double *dc = WRITE_IF_WANTED(d_old_cell, state_size, batch);
    size_t size = lltm_sequence_backward_workspace_size_f64(seq_len, batch, input_size, state_size);
    check(lltm_sequence_backward_f64(gh, gh_last, gc_last, cs, gs, x, hs, h0, c0, w, seq_len, batch, input_size,
                                     state_size, dx, dw, db, dh, dc, workspace(size), size));
    SEXP result = named(NAMES("d_input", "d_weights", "d_bias", "d_old_h", "d_old_cell"),
                        ARRAYS(d_input, d_weights, d_bias, d_old_h, d_old_cell));
    UNPROTECT(5);
    return result;
}

/* ---- Registration ---- */

static const R_CallMethodDef METHODS[] = {
    {"version", (DL_FUNC)version, 0},
    {"build_info", (DL_FUNC)build_info, 0},
    {"set_num_threads", (DL_FUNC)set_num_threads, 1},
    {"num_threads", (DL_FUNC)num_threads, 0},
    {"add_forward", (DL_FUNC)add_forward, 3},
    {"add_backward", (DL_FUNC)add_backward, 3},
    {"linear_forward", (DL_FUNC)linear_forward, 4},
    {"linear_backward", (DL_FUNC)linear_backward, 6},
    {"lltm_forward", (DL_FUNC)r_lltm_forward, 8},
    {"lltm_backward", (DL_FUNC)r_lltm_backward, 12},
    {"lltm_sequence_forward", (DL_FUNC)r_lltm_sequence_forward, 8},
    {"lltm_sequence_backward", (DL_FUNC)r_lltm_sequence_backward, 15},
    {NULL, NULL, 0},
};

void R_init_mylib(DllInfo *library)
{
    R_registerRoutines(library, NULL, METHODS, NULL, NULL);
    R_useDynamicSymbols(library, FALSE);
    R_forceSymbols(library, TRUE);
}
