// bindings/go/mylib_test.go: examples, and the checks that C cannot make.

package mylib

import (
	"errors"
	"fmt"
	"testing"
)

func ExampleAddForward() {
	sum, err := AddForward(&Tensor{[]float32{1, 2, 3}, []int{3}}, &Tensor{[]float32{4, 5, 6}, []int{3}})
	fmt.Println(sum.Data, err)
	// Output: [5 7 9] <nil>
}

func ExampleError() {
	_, err := AddForward(New(2, 3), New(2, 4))
	var failure *Error
	if errors.As(err, &failure) {
		fmt.Println(failure.Code, failure)
	}
	// Output: MY_LIB_ERROR_SHAPE_MISMATCH input2: expected shape (2, 3), got (2, 4)
}

func TestErrors(t *testing.T) {
	state, gates := New(2, 3), New(2, 9)
	steps, stepGates := New(5, 2, 3), New(5, 2, 9)
	for message, call := range map[string]func() error{
		"input1: expected a tensor, got nil": func() error { return AddForwardInto(nil, New(3), New(3)) },
		"input2: expected 3 elements for shape (3,), got 2": func() error {
			return AddForwardInto(New(3), &Tensor{make([]float32, 2), []int{3}}, New(3))
		},
		"output: expected shape (), got (1,)": func() error { return AddForwardInto(New(), New(), New(1)) },
		"input1: expected sizes >= 0, got shape (-1, -3)": func() error {
			negative := &Tensor{make([]float32, 3), []int{-1, -3}}
			return AddForwardInto(negative, negative, negative)
		},
		"grad_output: expected at most 9223372036854775807 bytes, got shape (4294967296, 4294967296) of 4-byte " +
			"elements": func() error {
			_, err := AddBackward(&Tensor{nil, []int{1 << 32, 1 << 32}})
			return err
		},
		"input: expected sizes >= 0, got shape (-1, 1, -1)": func() error {
			_, err := LLTMSequenceForward(&Tensor{make([]float32, 1), []int{-1, 1, -1}}, New(6, 1), New(6), New(1, 2), New(1, 2))
			return err
		},
		"input: expected 2 sizes, got shape (6,)": func() error {
			return LinearForwardInto(New(6), New(4, 3), nil, New(2, 4))
		},
		"weight: expected shape (4, 3), got (4, 2)": func() error {
			return LinearForwardInto(New(2, 3), New(4, 2), nil, New(2, 4))
		},
		"bias: expected shape (4,), got (3,)": func() error {
			return LinearForwardInto(New(2, 3), New(4, 3), New(3), New(2, 4))
		},
		"output: expected shape (2, 4), got (4, 2)": func() error {
			return LinearForwardInto(New(2, 3), New(4, 3), nil, New(4, 2))
		},
		"weight: expected an array, got NULL": func() error {
			_, err := LinearBackward(New(2, 4), New(2, 3), nil)
			return err
		},
		"grad_bias: expected shape (4,), got (4, 1)": func() error {
			return LinearBackwardInto(New(2, 4), nil, nil, LinearGradients{Bias: New(4, 1)})
		},
		"weights: expected shape (9, 7), got (9, 3)": func() error {
			return LLTMForwardInto(New(2, 4), New(9, 3), New(9), state, state, LLTMStates{state, state, nil})
		},
		"gates: expected shape (2, 9), got (2, 3)": func() error {
			return LLTMBackwardInto(state, state, state, state, New(2, 4), state, New(9, 7), LLTMGradients{})
		},
		"cell: expected shape (5, 2, 3), got (2, 3)": func() error {
			return LLTMSequenceForwardInto(New(5, 2, 4), New(9, 7), New(9), state, state, LLTMStates{steps, state, nil})
		},
		"d_input: expected shape (5, 2, 4), got (2, 4)": func() error {
			return LLTMSequenceBackwardInto(steps, nil, nil, steps, stepGates, New(5, 2, 4), steps, state, state, New(9, 7),
				LLTMGradients{Input: New(2, 4)})
		},
		"new_cell: expected a tensor, got nil": func() error {
			return LLTMForwardInto(New(2, 4), New(9, 7), New(9), state, state, LLTMStates{state, nil, gates})
		},
		"num_threads: expected at least 0, got -1": func() error { return SetNumThreads(-1) },
	} {
		if err := call(); err == nil || err.Error() != message {
			t.Errorf("expected %q, got %v", message, err)
		}
	}
}

func TestEmpty(t *testing.T) {
	if _, err := AddForward(&Tensor{nil, []int{0, 5}}, New(0, 5)); err != nil {
		t.Error(err)
	}
	gradients, err := LinearBackward(New(0, 4), New(0, 3), New(4, 3))
	if err != nil || len(gradients.Weight.Data) != 12 {
		t.Error(gradients, err)
	}
}
