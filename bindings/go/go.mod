// bindings/go/go.mod: the module of the Go binding.
module torchthaw.org/mylib

go 1.19
