// bindings/go/mylib.go: the package's documentation, versions and threads.

// Package mylib calls the neural-network operators of libmy_lib. The manual of each function, with its shapes and its
// formula, is the header my_lib.h, whose names appear here without the prefix my_lib.
//
// Arrays are of type *Tensor: a slice of float32 in row-major order, and its shape. C works on the slice itself,
// without a copy. A nil *Tensor is an argument that is left out: a bias, or a gradient that is not wanted. Each
// function has a form that ends in Into and writes into tensors of the caller, and one that allocates its results.
//
// A failure is an *Error. All functions may be called from any number of goroutines at once.
package mylib

// #cgo pkg-config: my_lib
// #include "my_lib.h"
import "C"

// Version is the version of the loaded library, such as "1.0.0".
func Version() string {
	return C.GoString(C.my_lib_version())
}

// BuildInfo is one line about the loaded library: version, CPU path and OpenMP run-time.
func BuildInfo() string {
	return C.GoString(C.my_lib_build_info())
}

// SetNumThreads sets how many threads a call may use, in the whole process; 0 follows the OpenMP run-time. OpenMP keeps
// one team for each OS thread that calls, so a program that calls from many goroutines is best served by 1.
func SetNumThreads(n int) error {
	return call(func() C.int { return C.my_lib_set_num_threads(C.int(n)) })
}

// NumThreads is how many threads a large call may use now.
func NumThreads() int {
	return int(C.my_lib_get_num_threads())
}
