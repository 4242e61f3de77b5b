// bindings/go/linear.go: my_lib_linear_forward and my_lib_linear_backward.

package mylib

// #include "my_lib.h"
import "C"

import "unsafe"

type linearSizes struct{ batch, inFeatures, outFeatures int }

func (s linearSizes) c() (batch, inFeatures, outFeatures C.int64_t) {
	return C.int64_t(s.batch), C.int64_t(s.inFeatures), C.int64_t(s.outFeatures)
}

func (c *checks) linearForward(input, weight, bias *Tensor) (s linearSizes) {
	sizes := c.sizes("input", input, 2)
	s = linearSizes{sizes[0], sizes[1], c.sizes("weight", weight, 2)[0]}
	c.want("weight", weight, s.outFeatures, s.inFeatures)
	c.may("bias", bias, s.outFeatures)
	return s
}

// LinearForward returns input weight^T + bias (batch, out_features), of input (batch, in_features),
// weight (out_features, in_features) and bias (out_features), which may be nil.
func LinearForward(input, weight, bias *Tensor) (*Tensor, error) {
	var c checks
	s := c.linearForward(input, weight, bias)
	if c.err != nil {
		return nil, c.err
	}
	output := New(s.batch, s.outFeatures)
	return output, LinearForwardInto(input, weight, bias, output)
}

// LinearForwardInto is LinearForward into an output of the caller.
func LinearForwardInto(input, weight, bias, output *Tensor) error {
	var c checks
	s := c.linearForward(input, weight, bias)
	c.want("output", output, s.batch, s.outFeatures)
	if c.err != nil {
		return c.err
	}
	batch, inFeatures, outFeatures := s.c()
	return call(func() C.int {
		return withWorkspace(C.my_lib_linear_forward_workspace_size(batch, inFeatures, outFeatures),
			func(workspace unsafe.Pointer, size C.size_t) C.int {
				return C.my_lib_linear_forward(input.data(), weight.data(), bias.data(), batch, inFeatures, outFeatures,
					output.data(), workspace, size)
			})
	})
}

// LinearGradients are the gradients of linear, in the shapes of its inputs; nil where not wanted.
type LinearGradients struct{ Input, Weight, Bias *Tensor }

func (c *checks) linearBackward(gradOutput, input, weight *Tensor, gradients LinearGradients) (s linearSizes) {
	sizes := c.sizes("grad_output", gradOutput, 2)
	s.batch, s.outFeatures = sizes[0], sizes[1]
	for _, t := range []*Tensor{input, weight, gradients.Input, gradients.Weight} {
		if t != nil && len(t.Shape) == 2 {
			s.inFeatures = t.Shape[1]
			break
		}
	}
	c.may("input", input, s.batch, s.inFeatures)
	c.may("weight", weight, s.outFeatures, s.inFeatures)
	c.may("grad_input", gradients.Input, s.batch, s.inFeatures)
	c.may("grad_weight", gradients.Weight, s.outFeatures, s.inFeatures)
	c.may("grad_bias", gradients.Bias, s.outFeatures)
	return s
}

// LinearBackward returns all three gradients.
func LinearBackward(gradOutput, input, weight *Tensor) (LinearGradients, error) {
	var c checks
	s := c.linearBackward(gradOutput, input, weight, LinearGradients{})
	if c.err != nil {
		return LinearGradients{}, c.err
	}
	gradients := LinearGradients{New(s.batch, s.inFeatures), New(s.outFeatures, s.inFeatures), New(s.outFeatures)}
	return gradients, LinearBackwardInto(gradOutput, input, weight, gradients)
}

// LinearBackwardInto writes the gradients that are wanted. Only that of the weight needs input, and only that of the
// input needs weight; otherwise either may be nil.
func LinearBackwardInto(gradOutput, input, weight *Tensor, gradients LinearGradients) error {
	var c checks
	s := c.linearBackward(gradOutput, input, weight, gradients)
	if c.err != nil {
		return c.err
	}
	batch, inFeatures, outFeatures := s.c()
	return call(func() C.int {
		return withWorkspace(C.my_lib_linear_backward_workspace_size(batch, inFeatures, outFeatures),
			func(workspace unsafe.Pointer, size C.size_t) C.int {
				return C.my_lib_linear_backward(gradOutput.data(), input.data(), weight.data(), batch, inFeatures, outFeatures,
					gradients.Input.data(), gradients.Weight.data(), gradients.Bias.data(), workspace, size)
			})
	})
}
