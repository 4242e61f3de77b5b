// bindings/go/lltm.go: lltm_forward and lltm_backward, one step, and lltm_sequence_forward and lltm_sequence_backward.

package mylib

// #include "my_lib.h"
import "C"

import "unsafe"

// lltmSizes are the sizes of one call. What has a value for each step has the sizes of lead and one more: (batch, ...)
// for one step, (seq_len, batch, ...) for a sequence.
type lltmSizes struct {
	lead                        []int
	batch, inputSize, stateSize int
}

func (s lltmSizes) shape(last int) []int {
	return append(s.lead[:len(s.lead):len(s.lead)], last)
}

func (s lltmSizes) c() (seqLen, batch, inputSize, stateSize C.int64_t) {
	return C.int64_t(s.lead[0]), C.int64_t(s.batch), C.int64_t(s.inputSize), C.int64_t(s.stateSize)
}

func (c *checks) lltm(ndim int, input, weights, oldH *Tensor) (s lltmSizes) {
	sizes := c.sizes("input", input, ndim)
	s = lltmSizes{sizes[:ndim-1], sizes[ndim-2], sizes[ndim-1], c.sizes("old_h", oldH, 2)[1]}
	c.want("weights", weights, 3*s.stateSize, s.stateSize+s.inputSize)
	c.want("old_h", oldH, s.batch, s.stateSize)
	return s
}

func (c *checks) lltmForward(ndim int, input, weights, bias, oldH, oldCell *Tensor) lltmSizes {
	s := c.lltm(ndim, input, weights, oldH)
	c.want("bias", bias, 3*s.stateSize)
	c.want("old_cell", oldCell, s.batch, s.stateSize)
	return s
}

func (c *checks) lltmGradients(s lltmSizes, g LLTMGradients) {
	c.may("d_input", g.Input, s.shape(s.inputSize)...)
	c.may("d_weights", g.Weights, 3*s.stateSize, s.stateSize+s.inputSize)
	c.may("d_bias", g.Bias, 3*s.stateSize)
	c.may("d_old_h", g.OldH, s.batch, s.stateSize)
	c.may("d_old_cell", g.OldCell, s.batch, s.stateSize)
}

// LLTMStates are the results of the forward functions. One step gives H and Cell (batch, state_size) and
// Gates (batch, 3 * state_size), a sequence gives those of each step, (seq_len, batch, ...). Only backward needs Gates;
// nil where not wanted.
type LLTMStates struct{ H, Cell, Gates *Tensor }

func (s lltmSizes) newStates() LLTMStates {
	return LLTMStates{New(s.shape(s.stateSize)...), New(s.shape(s.stateSize)...), New(s.shape(3 * s.stateSize)...)}
}

// LLTMGradients are the gradients of the inputs, in their shapes; nil where not wanted.
type LLTMGradients struct{ Input, Weights, Bias, OldH, OldCell *Tensor }

func (s lltmSizes) newGradients() LLTMGradients {
	return LLTMGradients{
		New(s.shape(s.inputSize)...), New(3*s.stateSize, s.stateSize+s.inputSize), New(3 * s.stateSize),
		New(s.batch, s.stateSize), New(s.batch, s.stateSize),
	}
}

// LLTMForward computes one step of input (batch, input_size), weights (3 * state_size, state_size + input_size),
// bias (3 * state_size), oldH and oldCell (batch, state_size).
func LLTMForward(input, weights, bias, oldH, oldCell *Tensor) (LLTMStates, error) {
	var c checks
	s := c.lltmForward(2, input, weights, bias, oldH, oldCell)
	if c.err != nil {
		return LLTMStates{}, c.err
	}
	states := s.newStates()
	return states, LLTMForwardInto(input, weights, bias, oldH, oldCell, states)
}

// LLTMForwardInto is LLTMForward into tensors of the caller.
func LLTMForwardInto(input, weights, bias, oldH, oldCell *Tensor, states LLTMStates) error {
	var c checks
	s := c.lltmForward(2, input, weights, bias, oldH, oldCell)
	c.want("new_h", states.H, s.batch, s.stateSize)
	c.want("new_cell", states.Cell, s.batch, s.stateSize)
	c.may("gates", states.Gates, s.batch, 3*s.stateSize)
	if c.err != nil {
		return c.err
	}
	_, batch, inputSize, stateSize := s.c()
	return call(func() C.int {
		return withWorkspace(C.lltm_forward_workspace_size(batch, inputSize, stateSize),
			func(workspace unsafe.Pointer, size C.size_t) C.int {
				return C.lltm_forward(input.data(), weights.data(), bias.data(), oldH.data(), oldCell.data(),
					batch, inputSize, stateSize, states.H.data(), states.Cell.data(), states.Gates.data(), workspace, size)
			})
	})
}

func (c *checks) lltmBackward(gradH, gradCell, newCell, gates, input, oldH, weights *Tensor) lltmSizes {
	s := c.lltm(2, input, weights, oldH)
	c.want("grad_h", gradH, s.batch, s.stateSize)
	c.want("grad_cell", gradCell, s.batch, s.stateSize)
	c.want("new_cell", newCell, s.batch, s.stateSize)
	c.want("gates", gates, s.batch, 3*s.stateSize)
	return s
}

// LLTMBackward returns all five gradients of one step. gradH and gradCell are the gradients of H and Cell, newCell and
// gates are what forward gave.
func LLTMBackward(gradH, gradCell, newCell, gates, input, oldH, weights *Tensor) (LLTMGradients, error) {
	var c checks
	s := c.lltmBackward(gradH, gradCell, newCell, gates, input, oldH, weights)
	if c.err != nil {
		return LLTMGradients{}, c.err
	}
	gradients := s.newGradients()
	return gradients, LLTMBackwardInto(gradH, gradCell, newCell, gates, input, oldH, weights, gradients)
}

// LLTMBackwardInto writes the gradients that are wanted.
func LLTMBackwardInto(gradH, gradCell, newCell, gates, input, oldH, weights *Tensor, gradients LLTMGradients) error {
	var c checks
	s := c.lltmBackward(gradH, gradCell, newCell, gates, input, oldH, weights)
	c.lltmGradients(s, gradients)
	if c.err != nil {
		return c.err
	}
	_, batch, inputSize, stateSize := s.c()
	return call(func() C.int {
		return withWorkspace(C.lltm_backward_workspace_size(batch, inputSize, stateSize),
			func(workspace unsafe.Pointer, size C.size_t) C.int {
				return C.lltm_backward(gradH.data(), gradCell.data(), newCell.data(), gates.data(), input.data(),
					oldH.data(), weights.data(), batch, inputSize, stateSize, gradients.Input.data(),
					gradients.Weights.data(), gradients.Bias.data(), gradients.OldH.data(), gradients.OldCell.data(),
					workspace, size)
			})
	})
}

// LLTMSequenceForward computes the steps of input (seq_len, batch, input_size), each from the state of the one before.
func LLTMSequenceForward(input, weights, bias, oldH, oldCell *Tensor) (LLTMStates, error) {
	var c checks
	s := c.lltmForward(3, input, weights, bias, oldH, oldCell)
	if c.err != nil {
		return LLTMStates{}, c.err
	}
	states := s.newStates()
	return states, LLTMSequenceForwardInto(input, weights, bias, oldH, oldCell, states)
}

// LLTMSequenceForwardInto is LLTMSequenceForward into tensors of the caller.
func LLTMSequenceForwardInto(input, weights, bias, oldH, oldCell *Tensor, states LLTMStates) error {
	var c checks
	s := c.lltmForward(3, input, weights, bias, oldH, oldCell)
	c.want("h", states.H, s.shape(s.stateSize)...)
	c.want("cell", states.Cell, s.shape(s.stateSize)...)
	c.may("gates", states.Gates, s.shape(3*s.stateSize)...)
	if c.err != nil {
		return c.err
	}
	seqLen, batch, inputSize, stateSize := s.c()
	return call(func() C.int {
		return withWorkspace(C.lltm_sequence_forward_workspace_size(seqLen, batch, inputSize, stateSize),
			func(workspace unsafe.Pointer, size C.size_t) C.int {
				return C.lltm_sequence_forward(input.data(), weights.data(), bias.data(), oldH.data(), oldCell.data(),
					seqLen, batch, inputSize, stateSize, states.H.data(), states.Cell.data(), states.Gates.data(),
					workspace, size)
			})
	})
}

func (c *checks) lltmSequenceBackward(
	gradH, gradLastH, gradLastCell, cell, gates, input, h, oldH, oldCell, weights *Tensor,
) lltmSizes {
	s := c.lltm(3, input, weights, oldH)
	c.want("grad_h", gradH, s.shape(s.stateSize)...)
	c.may("grad_last_h", gradLastH, s.batch, s.stateSize)
	c.may("grad_last_cell", gradLastCell, s.batch, s.stateSize)
	c.want("cell", cell, s.shape(s.stateSize)...)
	c.want("gates", gates, s.shape(3*s.stateSize)...)
	c.want("h", h, s.shape(s.stateSize)...)
	c.want("old_cell", oldCell, s.batch, s.stateSize)
	return s
}

// LLTMSequenceBackward returns all five gradients of a sequence. gradH is the gradient of every step's H; gradLastH and
// gradLastCell are further gradients of the last state, and either may be nil. cell, gates and h are what forward gave.
func LLTMSequenceBackward(
	gradH, gradLastH, gradLastCell, cell, gates, input, h, oldH, oldCell, weights *Tensor,
) (LLTMGradients, error) {
	var c checks
	s := c.lltmSequenceBackward(gradH, gradLastH, gradLastCell, cell, gates, input, h, oldH, oldCell, weights)
	if c.err != nil {
		return LLTMGradients{}, c.err
	}
	gradients := s.newGradients()
	return gradients, LLTMSequenceBackwardInto(
		gradH, gradLastH, gradLastCell, cell, gates, input, h, oldH, oldCell, weights, gradients)
}

// LLTMSequenceBackwardInto writes the gradients that are wanted.
func LLTMSequenceBackwardInto(
	gradH, gradLastH, gradLastCell, cell, gates, input, h, oldH, oldCell, weights *Tensor, gradients LLTMGradients,
) error {
	var c checks
	s := c.lltmSequenceBackward(gradH, gradLastH, gradLastCell, cell, gates, input, h, oldH, oldCell, weights)
	c.lltmGradients(s, gradients)
	if c.err != nil {
		return c.err
	}
	seqLen, batch, inputSize, stateSize := s.c()
	return call(func() C.int {
		return withWorkspace(C.lltm_sequence_backward_workspace_size(seqLen, batch, inputSize, stateSize),
			func(workspace unsafe.Pointer, size C.size_t) C.int {
				return C.lltm_sequence_backward(gradH.data(), gradLastH.data(), gradLastCell.data(), cell.data(),
					gates.data(), input.data(), h.data(), oldH.data(), oldCell.data(), weights.data(),
					seqLen, batch, inputSize, stateSize, gradients.Input.data(), gradients.Weights.data(),
					gradients.Bias.data(), gradients.OldH.data(), gradients.OldCell.data(), workspace, size)
			})
	})
}
