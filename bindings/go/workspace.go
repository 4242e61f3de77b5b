// bindings/go/workspace.go: scratch memory, reused by later calls.

package mylib

// #include "my_lib.h"
import "C"

import (
	"sync"
	"unsafe"
)

var workspaces = sync.Pool{New: func() any { return new([]byte) }}

// withWorkspace calls function with a workspace of at least needed bytes. SIZE_MAX, for sizes that C refuses, gets
// none.
func withWorkspace(needed C.size_t, function func(workspace unsafe.Pointer, size C.size_t) C.int) C.int {
	if needed == 0 || needed == ^C.size_t(0) {
		return function(nil, 0)
	}
	workspace := workspaces.Get().(*[]byte)
	defer workspaces.Put(workspace)
	if C.size_t(len(*workspace)) < needed {
		*workspace = make([]byte, needed)
	}
	return function(unsafe.Pointer(&(*workspace)[0]), C.size_t(len(*workspace)))
}
