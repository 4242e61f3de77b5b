// bindings/go/add.go: my_lib_add_forward and my_lib_add_backward.

package mylib

// #include "my_lib.h"
import "C"

// AddForward returns input1 + input2, which have one shape.
func AddForward(input1, input2 *Tensor) (*Tensor, error) {
	var c checks
	if c.full("input1", input1); c.err != nil {
		return nil, c.err
	}
	output := New(input1.Shape...)
	return output, AddForwardInto(input1, input2, output)
}

// AddForwardInto writes input1 + input2 into output, which may be one of them.
func AddForwardInto(input1, input2, output *Tensor) error {
	var c checks
	if c.full("input1", input1) && c.full("input2", input2) {
		c.want("output", output, input1.Shape...)
	}
	if c.err != nil {
		return c.err
	}
	shape1, ndim1 := input1.shape()
	shape2, ndim2 := input2.shape()
	return call(func() C.int {
		return C.my_lib_add_forward(input1.data(), shape1, ndim1, input2.data(), shape2, ndim2, output.data())
	})
}

// AddGradients are the gradients of add; nil where not wanted.
type AddGradients struct{ Input1, Input2 *Tensor }

// AddBackward returns both gradients.
func AddBackward(gradOutput *Tensor) (AddGradients, error) {
	var c checks
	if c.full("grad_output", gradOutput); c.err != nil {
		return AddGradients{}, c.err
	}
	gradients := AddGradients{New(gradOutput.Shape...), New(gradOutput.Shape...)}
	return gradients, AddBackwardInto(gradOutput, gradients)
}

// AddBackwardInto writes the gradients that are wanted; each may be gradOutput.
func AddBackwardInto(gradOutput *Tensor, gradients AddGradients) error {
	var c checks
	if c.full("grad_output", gradOutput) {
		c.may("grad_input1", gradients.Input1, gradOutput.Shape...)
		c.may("grad_input2", gradients.Input2, gradOutput.Shape...)
	}
	if c.err != nil {
		return c.err
	}
	shape, ndim := gradOutput.shape()
	return call(func() C.int {
		return C.my_lib_add_backward(gradOutput.data(), shape, ndim, gradients.Input1.data(), gradients.Input2.data())
	})
}
