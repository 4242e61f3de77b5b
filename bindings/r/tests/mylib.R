# bindings/r/tests/mylib.R: types, shapes, wishes for outputs, and the messages of the errors.
library(mylib)

fails <- function(name, message, call) {
  condition <- tryCatch({ call; NULL }, error = identity)
  stopifnot(inherits(condition, "my_lib_error"), inherits(condition, name), condition$name == name,
            identical(conditionMessage(condition), message))
}
MISMATCH <- "MY_LIB_ERROR_SHAPE_MISMATCH"
VALUE <- "MY_LIB_ERROR_INVALID_VALUE"

a <- matrix(c(1, 2, 3, 4, 5, 6), 3, 2)
w <- matrix(c(2, 0, 1, 1, 1, 0, 0, 3, 1, 1, 2, 2), 3, 4)
stopifnot(identical(add_forward(a, a), 2 * a), identical(add_forward(a, matrix(1:6, 3, 2)), 2 * a))
stopifnot(identical(linear_forward(a, w, 1:4), t(w) %*% a + 1:4))
stopifnot(identical(add_forward(numeric(0), numeric(0)), numeric(0)))
gradients <- linear_backward(matrix(1, 4, 2), a, w, grad_bias = FALSE)
stopifnot(identical(gradients, list(grad_input = w %*% matrix(1, 4, 2), grad_weight = a %*% matrix(1, 2, 4),
                                    grad_bias = NULL)))
b <- matrix(0, 3, 2)
stopifnot(identical(add_forward(a, a, output = b), 2 * a), identical(b, 2 * a)) # in place

fails(MISMATCH, "input2: expected shape (3, 2), got (3, 4)", add_forward(a, w))
fails(MISMATCH, "output: expected shape (3, 2), got (6,)", add_forward(a, a, numeric(6)))
fails(VALUE, "input1: expected a numeric array, got character", add_forward("a", a))
fails(VALUE, "input1: expected a numeric array, got a factor", add_forward(factor("a"), a))
fails(VALUE, "output: expected TRUE or an array of doubles, got another logical value", add_forward(a, a, FALSE))
fails(VALUE, "grad_input1: expected TRUE, FALSE or an array of doubles, got integer", add_backward(a, 1:6))
fails(MISMATCH, "input: expected 2 dimensions, got shape (3,)", linear_forward(c(1, 2, 3), w))
fails(MISMATCH, "weight: expected shape (3, 2), got (2, 2)", linear_forward(a, matrix(0, 2, 2)))
fails(MISMATCH, "bias: expected shape (4,), got (3,)", linear_forward(a, w, numeric(3)))
fails("MY_LIB_ERROR_NULL_POINTER", "weight: expected an array, which grad_input needs, got NULL",
      linear_backward(a, grad_input = TRUE))
state <- matrix(0, 4, 3)
fails(MISMATCH, "old_cell: expected shape (4, 3), got (3, 4)",
      lltm_forward(matrix(0, 5, 3), matrix(0, 9, 12), numeric(12), state, t(state)))
fails(VALUE, "old_h: expected a numeric array, got NULL",
      lltm_forward(matrix(0, 5, 3), matrix(0, 9, 12), numeric(12), NULL, state))
fails(VALUE, "num_threads: expected at least 0, got -1", set_num_threads(-1))
fails(VALUE, "count: expected an integer, got 1.5", set_num_threads(1.5))
set_num_threads(1)
stopifnot(num_threads() == 1, startsWith(build_info(), "my_lib") || nzchar(build_info()))
set_num_threads(0)
