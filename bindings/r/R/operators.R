# bindings/r/R/operators.R: the operators. C checks the arguments (src/mylib.c); the manual is man/.

add_forward <- function(input1, input2, output = TRUE) .Call(C_add_forward, input1, input2, output)

add_backward <- function(grad_output, grad_input1 = TRUE, grad_input2 = TRUE)
  .Call(C_add_backward, grad_output, grad_input1, grad_input2)

linear_forward <- function(input, weight, bias = NULL, output = TRUE)
  .Call(C_linear_forward, input, weight, bias, output)

linear_backward <- function(grad_output, input = NULL, weight = NULL, grad_input = !is.null(weight),
                            grad_weight = !is.null(input), grad_bias = TRUE)
  .Call(C_linear_backward, grad_output, input, weight, grad_input, grad_weight, grad_bias)

lltm_forward <- function(input, weights, bias, old_h, old_cell, new_h = TRUE, new_cell = TRUE, gates = TRUE)
  .Call(C_lltm_forward, input, weights, bias, old_h, old_cell, new_h, new_cell, gates)

lltm_backward <- function(grad_h, grad_cell, new_cell, gates, input, old_h, weights, d_input = TRUE,
                          d_weights = TRUE, d_bias = TRUE, d_old_h = TRUE, d_old_cell = TRUE)
  .Call(C_lltm_backward, grad_h, grad_cell, new_cell, gates, input, old_h, weights, d_input, d_weights, d_bias,
        d_old_h, d_old_cell)

lltm_sequence_forward <- function(input, weights, bias, old_h, old_cell, h = TRUE, cell = TRUE, gates = TRUE)
  .Call(C_lltm_sequence_forward, input, weights, bias, old_h, old_cell, h, cell, gates)

lltm_sequence_backward <- function(grad_h, grad_last_h = NULL, grad_last_cell = NULL, cell, gates, input, h, old_h,
                                   old_cell, weights, d_input = TRUE, d_weights = TRUE, d_bias = TRUE,
                                   d_old_h = TRUE, d_old_cell = TRUE)
  .Call(C_lltm_sequence_backward, grad_h, grad_last_h, grad_last_cell, cell, gates, input, h, old_h, old_cell,
        weights, d_input, d_weights, d_bias, d_old_h, d_old_cell)
