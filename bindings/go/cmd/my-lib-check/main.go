// bindings/go/cmd/my-lib-check/main.go: the binding's test program, whose arguments docs/languages.md describes.

// my-lib-check tests the Go binding of libmy_lib.
package main

import (
	"fmt"
	"math"
	"os"
	"time"

	"torchthaw.org/mylib"
)

var tasks = map[string]func(arguments []string) error{
	"vectors": vectors,
	"marks":   marks,
	"threads": threads,
	"time":    timeAdd,
	"train":   train,
	"version": func([]string) error { fmt.Println("version", mylib.Version()); return nil },
}

func main() {
	err := fmt.Errorf("usage: my-lib-check vectors DIR | marks | threads | time | train | version")
	if len(os.Args) > 1 && tasks[os.Args[1]] != nil {
		err = tasks[os.Args[1]](os.Args[2:])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// filled is a tensor whose elements are all value.
func filled(value float32, shape ...int) *mylib.Tensor {
	t := mylib.New(shape...)
	for i := range t.Data {
		t.Data[i] = value
	}
	return t
}

// timeAdd prints the time of one add of 25 elements: the minimum over short loops, in nanoseconds.
func timeAdd([]string) error {
	const loops, calls = 1000, 1000
	input1, input2, output := filled(1, 25), filled(2, 25), mylib.New(25)
	least := math.Inf(1)
	for i := 0; i < loops; i++ {
		start := time.Now()
		for j := 0; j < calls; j++ {
			if err := mylib.AddForwardInto(input1, input2, output); err != nil {
				return err
			}
		}
		least = math.Min(least, float64(time.Since(start).Nanoseconds())/calls)
	}
	fmt.Printf("time %.1f\n", least)
	return nil
}
