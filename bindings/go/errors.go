// bindings/go/errors.go: the error values, and the call that makes them.

package mylib

// #include "my_lib.h"
import "C"

import "runtime"

// Code says why a function failed.
type Code int

// The codes of my_lib.h.
const (
	Success           Code = C.MY_LIB_SUCCESS
	NullPointer       Code = C.MY_LIB_ERROR_NULL_POINTER
	UnalignedPointer  Code = C.MY_LIB_ERROR_UNALIGNED_POINTER
	InvalidSize       Code = C.MY_LIB_ERROR_INVALID_SIZE
	SizeOverflow      Code = C.MY_LIB_ERROR_SIZE_OVERFLOW
	ShapeMismatch     Code = C.MY_LIB_ERROR_SHAPE_MISMATCH
	InvalidValue      Code = C.MY_LIB_ERROR_INVALID_VALUE
	WorkspaceTooSmall Code = C.MY_LIB_ERROR_WORKSPACE_TOO_SMALL
)

// String is the name of the code in C, such as "MY_LIB_ERROR_SHAPE_MISMATCH".
func (c Code) String() string {
	return C.GoString(C.my_lib_error_name(C.int(c)))
}

// Error is the failure of a function of this package.
type Error struct {
	Code    Code
	Message string // names the argument, what was expected and what came
}

func (e *Error) Error() string {
	return e.Message
}

// call runs a C function that returns 1 for success, and reads the reason of a failure. The reason belongs to the OS
// thread: without the lock, the goroutine could continue on another thread between the two calls.
func call(function func() C.int) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if function() == 1 {
		return nil
	}
	return &Error{Code(C.my_lib_last_error_code()), C.GoString(C.my_lib_last_error_message())}
}
