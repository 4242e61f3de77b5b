// bindings/go/cmd/my-lib-check/vectors.go: every case and every error of bindings/vectors.

package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"torchthaw.org/mylib"
)

type tensors = []*mylib.Tensor

// An operator in both forms; arrays in the order of the C prototype, nil where absent.
type operator struct {
	into func(in, out tensors) error
	new  func(in tensors) (tensors, error)
}

var operators = map[string]operator{
	"add_forward": {
		func(in, out tensors) error { return mylib.AddForwardInto(in[0], in[1], out[0]) },
		func(in tensors) (tensors, error) { o, err := mylib.AddForward(in[0], in[1]); return tensors{o}, err },
	},
	"add_backward": {
		func(in, out tensors) error {
			return mylib.AddBackwardInto(in[0], mylib.AddGradients{Input1: out[0], Input2: out[1]})
		},
		func(in tensors) (tensors, error) {
			g, err := mylib.AddBackward(in[0])
			return tensors{g.Input1, g.Input2}, err
		},
	},
	"linear_forward": {
		func(in, out tensors) error { return mylib.LinearForwardInto(in[0], in[1], in[2], out[0]) },
		func(in tensors) (tensors, error) {
			o, err := mylib.LinearForward(in[0], in[1], in[2])
			return tensors{o}, err
		},
	},
	"linear_backward": {
		func(in, out tensors) error {
			return mylib.LinearBackwardInto(in[0], in[1], in[2],
				mylib.LinearGradients{Input: out[0], Weight: out[1], Bias: out[2]})
		},
		func(in tensors) (tensors, error) {
			g, err := mylib.LinearBackward(in[0], in[1], in[2])
			return tensors{g.Input, g.Weight, g.Bias}, err
		},
	},
	"lltm_forward": {
		func(in, out tensors) error {
			return mylib.LLTMForwardInto(in[0], in[1], in[2], in[3], in[4], lltmStates(out))
		},
		func(in tensors) (tensors, error) {
			s, err := mylib.LLTMForward(in[0], in[1], in[2], in[3], in[4])
			return tensors{s.H, s.Cell, s.Gates}, err
		},
	},
	"lltm_backward": {
		func(in, out tensors) error {
			return mylib.LLTMBackwardInto(in[0], in[1], in[2], in[3], in[4], in[5], in[6],
				lltmGradients(out))
		},
		func(in tensors) (tensors, error) {
			g, err := mylib.LLTMBackward(in[0], in[1], in[2], in[3], in[4], in[5], in[6])
			return tensors{g.Input, g.Weights, g.Bias, g.OldH, g.OldCell}, err
		},
	},
	"lltm_sequence_forward": {
		func(in, out tensors) error {
			return mylib.LLTMSequenceForwardInto(in[0], in[1], in[2], in[3], in[4], lltmStates(out))
		},
		func(in tensors) (tensors, error) {
			s, err := mylib.LLTMSequenceForward(in[0], in[1], in[2], in[3], in[4])
			return tensors{s.H, s.Cell, s.Gates}, err
		},
	},
	"lltm_sequence_backward": {
		func(in, out tensors) error {
			return mylib.LLTMSequenceBackwardInto(in[0], in[1], in[2], in[3], in[4], in[5], in[6], in[7], in[8], in[9],
				lltmGradients(out))
		},
		func(in tensors) (tensors, error) {
			g, err := mylib.LLTMSequenceBackward(in[0], in[1], in[2], in[3], in[4], in[5], in[6], in[7], in[8], in[9])
			return tensors{g.Input, g.Weights, g.Bias, g.OldH, g.OldCell}, err
		},
	},
}

func lltmStates(out tensors) mylib.LLTMStates {
	return mylib.LLTMStates{H: out[0], Cell: out[1], Gates: out[2]}
}

func lltmGradients(out tensors) mylib.LLTMGradients {
	return mylib.LLTMGradients{Input: out[0], Weights: out[1], Bias: out[2], OldH: out[3], OldCell: out[4]}
}

// Where Shape is null the argument is absent.
type array struct {
	Name  string
	Shape *[]int
}

type testCase struct {
	Name, Function, File string
	Rtol, Atol           float64
	Inputs, Outputs      []array
}

type testError struct {
	Name, Function string
	Code           int
	CodeName       string `json:"code_name"`
	Text           string
	Sizes          map[string]int
	Inputs         []array
}

func vectors(arguments []string) error {
	if len(arguments) != 1 {
		return fmt.Errorf("usage: my-lib-check vectors DIR")
	}
	var index struct {
		Cases  []testCase
		Errors []testError
	}
	text, err := os.ReadFile(filepath.Join(arguments[0], "index.json"))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &index); err != nil {
		return err
	}
	for _, each := range index.Cases {
		if err := each.check(arguments[0]); err != nil {
			return fmt.Errorf("%s: %w", each.Name, err)
		}
	}
	for _, each := range index.Errors {
		if err := each.check(); err != nil {
			return fmt.Errorf("%s: %w", each.Name, err)
		}
	}
	fmt.Println("vectors", len(index.Cases))
	fmt.Println("errors", len(index.Errors))
	return nil
}

func (c testCase) check(folder string) error {
	content, err := os.ReadFile(filepath.Join(folder, c.File))
	if err != nil {
		return err
	}
	numbers := bytes.NewReader(content)
	in, err := read(c.Inputs, numbers)
	if err != nil {
		return err
	}
	expected, err := read(c.Outputs, numbers)
	if err != nil {
		return err
	}
	if numbers.Len() != 0 {
		return fmt.Errorf("%d bytes of %s are left", numbers.Len(), c.File)
	}
	run, found := operators[c.Function]
	if !found {
		return fmt.Errorf("no function %s", c.Function)
	}
	out, all := make(tensors, len(expected)), true
	for i, each := range expected {
		if each == nil {
			all = false
			continue
		}
		out[i] = filled(float32(math.NaN()), each.Shape...)
	}
	if err := run.into(in, out); err != nil {
		return err
	}
	if err := c.compare(out, expected); err != nil || !all {
		return err
	}
	if out, err = run.new(in); err != nil {
		return err
	}
	return c.compare(out, expected)
}

func (c testCase) compare(out, expected tensors) error {
	for i, each := range expected {
		if each == nil {
			continue
		}
		for j, value := range each.Data {
			got, want := float64(out[i].Data[j]), float64(value)
			if !(math.Abs(got-want) <= c.Atol+c.Rtol*math.Abs(want)) {
				return fmt.Errorf("%s[%d]: expected %v, got %v", c.Outputs[i].Name, j, want, got)
			}
		}
	}
	return nil
}

func read(arrays []array, numbers *bytes.Reader) (tensors, error) {
	found := make(tensors, len(arrays))
	for i, each := range arrays {
		if each.Shape == nil {
			continue
		}
		found[i] = mylib.New(*each.Shape...)
		if err := binary.Read(numbers, binary.LittleEndian, found[i].Data); err != nil {
			return nil, fmt.Errorf("%s: %w", each.Name, err)
		}
	}
	return found, nil
}

func (e testError) check() error {
	var err error
	in := make(tensors, len(e.Inputs))
	for i, each := range e.Inputs {
		in[i] = mylib.New(*each.Shape...)
	}
	switch e.Name {
	case "add_forward-shapes":
		_, err = operators[e.Function].new(in)
	case "linear_forward-negative":
		err = rawLinearForward(e.Sizes["batch"], e.Sizes["in_features"], e.Sizes["out_features"])
	case "lltm_forward-workspace":
		err = rawLLTMForward(in, e.Sizes["batch"], e.Sizes["input_size"], e.Sizes["state_size"])
	default:
		return fmt.Errorf("unknown")
	}
	var failure *mylib.Error
	if !errors.As(err, &failure) {
		return fmt.Errorf("expected an error, got %v", err)
	}
	if int(failure.Code) != e.Code || failure.Code.String() != e.CodeName || failure.Error() != e.Text {
		return fmt.Errorf("expected %d %s %q, got %d %s %q", e.Code, e.CodeName, e.Text,
			int(failure.Code), failure.Code, failure)
	}
	return nil
}
