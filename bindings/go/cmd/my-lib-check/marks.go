// bindings/go/cmd/my-lib-check/marks.go: whether C gets the arrays themselves.

package main

import (
	"fmt"

	"torchthaw.org/mylib"
)

// mark is what the stand-in of bindings/marks writes into element 0 of every array that it gets, inputs too.
const mark = 1234.5

// marks calls the stand-in; the mark would not be seen in an array of which C got a copy.
func marks([]string) error {
	const steps, batch, features, width = 5, 2, 3, 4
	calls := map[string][2][][]int{
		"add_forward":    {{{batch, features}, {batch, features}}, {{batch, features}}},
		"linear_forward": {{{batch, features}, {width, features}, {width}}, {{batch, width}}},
		"lltm_forward": {
			{{batch, features}, {3 * width, width + features}, {3 * width}, {batch, width}, {batch, width}},
			{{batch, width}, {batch, width}, {batch, 3 * width}},
		},
		"lltm_sequence_forward": {
			{{steps, batch, features}, {3 * width, width + features}, {3 * width}, {batch, width}, {batch, width}},
			{{steps, batch, width}, {steps, batch, width}, {steps, batch, 3 * width}},
		},
	}
	count := 0
	for name, shapes := range calls {
		var arrays [2]tensors
		for i := range arrays {
			for _, shape := range shapes[i] {
				arrays[i] = append(arrays[i], mylib.New(shape...))
			}
		}
		if err := operators[name].into(arrays[0], arrays[1]); err != nil {
			return err
		}
		for i, each := range append(arrays[0], arrays[1]...) {
			if each.Data[0] != mark {
				return fmt.Errorf("%s: array %d: expected %v, got %v", name, i, mark, each.Data[0])
			}
			count++
		}
	}
	fmt.Println("marks", count)
	return nil
}
