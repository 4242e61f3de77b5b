// bindings/go/tensor.go: arrays with shapes, and the checks that C cannot make.

package mylib

// #include "my_lib.h"
import "C"

import (
	"fmt"
	"strings"
	"unsafe"
)

// Tensor is an array of float32 in row-major order. Shape has its sizes, the last one is the fastest; with no sizes it
// is a scalar, one element. Data has as many elements as the sizes multiply to, and may be nil where this is 0.
type Tensor struct {
	Data  []float32
	Shape []int
}

// New allocates a tensor of zeros. Sizes that are negative or too large panic, as they do in make.
func New(shape ...int) *Tensor {
	return &Tensor{make([]float32, elements(shape)), shape}
}

// elements multiplies the sizes. A negative size and a product that overflows are refused by C, which gets the sizes.
func elements(shape []int) int {
	count := 1
	for _, size := range shape {
		count *= size
	}
	return count
}

// data is the address that C gets; &t.Data[0] would panic for an empty slice.
func (t *Tensor) data() *C.float {
	if t == nil || len(t.Data) == 0 {
		return nil
	}
	return (*C.float)(&t.Data[0])
}

// shape has the sizes as C takes them: int is int64_t on the platforms that my_lib.h accepts.
func (t *Tensor) shape() (*C.int64_t, C.int64_t) {
	if len(t.Shape) == 0 {
		return nil, 0
	}
	return (*C.int64_t)(unsafe.Pointer(&t.Shape[0])), C.int64_t(len(t.Shape))
}

// checks compares tensors with what a function expects; the first failure stays in err.
type checks struct{ err error }

func (c *checks) fail(code Code, format string, arguments ...any) {
	if c.err == nil {
		c.err = &Error{code, fmt.Sprintf(format, arguments...)}
	}
}

// full wants a tensor whose slice has the elements of its shape.
func (c *checks) full(name string, t *Tensor) bool {
	if t != nil && len(t.Data) == elements(t.Shape) {
		return true
	}
	c.notFull(name, t)
	return false
}

func (c *checks) notFull(name string, t *Tensor) {
	if t == nil {
		c.fail(NullPointer, "%s: expected a tensor, got nil", name)
	} else {
		c.fail(ShapeMismatch, "%s: expected %d elements for shape %s, got %d",
			name, elements(t.Shape), text(t.Shape), len(t.Data))
	}
}

// sizes wants a tensor of so many sizes, none of them negative, and returns them.
func (c *checks) sizes(name string, t *Tensor, ndim int) []int {
	if c.full(name, t) {
		if len(t.Shape) != ndim {
			c.fail(ShapeMismatch, "%s: expected %d sizes, got shape %s", name, ndim, text(t.Shape))
		}
		for _, size := range t.Shape {
			if size < 0 {
				c.fail(InvalidSize, "%s: expected sizes >= 0, got shape %s", name, text(t.Shape))
			}
		}
	}
	if c.err != nil {
		return make([]int, ndim)
	}
	return t.Shape
}

// want wants a tensor of this shape.
func (c *checks) want(name string, t *Tensor, shape ...int) {
	if c.full(name, t) && !equal(t.Shape, shape) {
		c.fail(ShapeMismatch, "%s: expected shape %s, got %s", name, text(shape), text(t.Shape))
	}
}

func equal(a, b []int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// may is want for a tensor that may be left out.
func (c *checks) may(name string, t *Tensor, shape ...int) {
	if t != nil {
		c.want(name, t, shape...)
	}
}

// text is a shape as libmy_lib writes it: (2, 3), (5,), ().
func text(shape []int) string {
	sizes := make([]string, len(shape))
	for i, size := range shape {
		sizes[i] = fmt.Sprint(size)
	}
	if len(shape) == 1 {
		return "(" + sizes[0] + ",)"
	}
	return "(" + strings.Join(sizes, ", ") + ")"
}
