// bindings/go/cmd/my-lib-check/threads.go: results and errors of goroutines that call at once.

package main

import (
	"errors"
	"fmt"

	"torchthaw.org/mylib"
)

func threads([]string) error {
	const goroutines, rounds, failures, size = 8, 20, 1000, 256
	results := make(chan error)
	for g := 1; g <= goroutines; g++ {
		go func(g int) {
			for i := 0; i < rounds; i++ {
				if err := round(g, failures, size); err != nil {
					results <- err
					return
				}
			}
			results <- nil
		}(g)
	}
	for g := 0; g < goroutines; g++ {
		if err := <-results; err != nil {
			return err
		}
	}
	fmt.Println("threads", goroutines*rounds*(2+failures))
	return nil
}

// round makes one large call, one small call and many that fail, whose numbers and shapes are those of goroutine g.
func round(g, failures, size int) error {
	product, err := mylib.LinearForward(filled(1, size, size), filled(float32(g), size, size), nil)
	if err != nil {
		return err
	}
	for i, value := range product.Data {
		if value != float32(g*size) {
			return fmt.Errorf("linear %d: expected %d, got %v", i, g*size, value)
		}
	}
	sum, err := mylib.AddForward(filled(float32(g), 25), filled(1, 25))
	if err != nil || sum.Data[24] != float32(g+1) {
		return fmt.Errorf("add: expected %d, got %v, %v", g+1, sum, err)
	}
	one, other, output := mylib.New(1, g), mylib.New(2, g), mylib.New(1, g)
	expected := fmt.Sprintf("input2: expected shape (1, %d), got (2, %d)", g, g)
	for i := 0; i < failures; i++ {
		err := mylib.AddForwardInto(one, other, output)
		var failure *mylib.Error
		if !errors.As(err, &failure) || failure.Code != mylib.ShapeMismatch || failure.Message != expected {
			return fmt.Errorf("expected %q, got %v", expected, err)
		}
	}
	return nil
}
