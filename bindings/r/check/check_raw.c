/* bindings/r/check/check_raw.c: for check.R: calls of the C functions that the package's functions would not make. */
#include <R.h>
#include <Rinternals.h>

#include "my_lib.h"

static SEXP last_error(int status)
{
    if (status) error("expected a failure, got success");
    const char *names[] = {"code", "name", "message", ""};
    SEXP list = PROTECT(mkNamed(VECSXP, names));
    SET_VECTOR_ELT(list, 0, ScalarInteger(my_lib_last_error_code()));
    SET_VECTOR_ELT(list, 1, mkString(my_lib_error_name(my_lib_last_error_code())));
    SET_VECTOR_ELT(list, 2, mkString(my_lib_last_error_message()));
    UNPROTECT(1);
    return list;
}

SEXP raw_linear_forward(SEXP batch, SEXP in_features, SEXP out_features)
{
    return last_error(my_lib_linear_forward_f64(NULL, NULL, NULL, asInteger(batch), asInteger(in_features),
                                                asInteger(out_features), NULL, NULL, 0));
}

SEXP raw_lltm_forward(SEXP input, SEXP weights, SEXP bias, SEXP old_h, SEXP old_cell, SEXP batch, SEXP input_size,
                      SEXP state_size)
{
    int elements = asInteger(batch) * asInteger(state_size);
    double *outputs = (double *)R_alloc(5 * elements, sizeof(double));
    return last_error(lltm_forward_f64(REAL(input), REAL(weights), REAL(bias), REAL(old_h), REAL(old_cell),
                                       asInteger(batch), asInteger(input_size), asInteger(state_size), outputs,
                                       outputs + elements, outputs + 2 * elements, NULL, 0));
}
