// bindings/go/cmd/my-lib-check/raw.go: calls of C itself, with arguments that the package refuses or chooses.

package main

// #cgo pkg-config: my_lib
// #include "my_lib.h"
import "C"

import (
	"runtime"

	"torchthaw.org/mylib"
)

func raw(function func() C.int) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if function() == 1 {
		return nil
	}
	return &mylib.Error{
		Code:    mylib.Code(C.my_lib_last_error_code()),
		Message: C.GoString(C.my_lib_last_error_message()),
	}
}

func rawLinearForward(batch, inFeatures, outFeatures int) error {
	return raw(func() C.int {
		return C.my_lib_linear_forward(nil, nil, nil, C.int64_t(batch), C.int64_t(inFeatures), C.int64_t(outFeatures),
			nil, nil, 0)
	})
}

// rawLLTMForward gives no workspace.
func rawLLTMForward(in tensors, batch, inputSize, stateSize int) error {
	data := func(t *mylib.Tensor) *C.float { return (*C.float)(&t.Data[0]) }
	h, cell := mylib.New(batch, stateSize), mylib.New(batch, stateSize)
	return raw(func() C.int {
		return C.lltm_forward(data(in[0]), data(in[1]), data(in[2]), data(in[3]), data(in[4]),
			C.int64_t(batch), C.int64_t(inputSize), C.int64_t(stateSize), data(h), data(cell), nil, nil, 0)
	})
}
