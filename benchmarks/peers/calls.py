"""benchmarks/peers/calls.py: the C loop over three tensors, and what cffi alone makes of it."""

import importlib.util
from pathlib import Path

BUILD = Path(__file__).resolve().parents[2] / "build" / "benchmarks"
HEADER = "void add_loop(const float *input1, const float *input2, float *output, int64_t n);"
SOURCE = """
#include <stdint.h>

void add_loop(const float *input1, const float *input2, float *output, int64_t n) {
    for (int64_t i = 0; i < n; ++i) output[i] = input1[i] + input2[i];
}
"""


def plain_cffi():
    """(ffi, lib) of a cffi API-mode module with ``add_loop``, compiled once."""
    return compiled("plain_cffi", HEADER, SOURCE)


def compiled(name, header, source):
    """(ffi, lib) of a cffi API-mode module."""
    import cffi

    ffi = cffi.FFI()
    ffi.cdef(header)
    ffi.set_source(f"benchmarks_{name}", source, extra_compile_args=["-O3"])
    path = ffi.compile(tmpdir=str(BUILD / name))
    specification = importlib.util.spec_from_file_location(f"benchmarks_{name}", path)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module.ffi, module.lib


def utils_ffi():
    """What a wrapper of PyTorch 0.3 did around a call: tensors, by their types, become pointers to TH structs.

    The C function takes three of these and leaves them alone.
    """
    import torch

    ffi, lib = compiled(
        "utils_ffi",
        "typedef struct THFloatTensor THFloatTensor;"
        "int take(THFloatTensor *input1, THFloatTensor *input2, THFloatTensor *output);",
        "typedef struct THFloatTensor THFloatTensor;"
        "int take(THFloatTensor *input1, THFloatTensor *input2, THFloatTensor *output) { return 1; }",
    )
    structs = {torch.Tensor: "THFloatTensor"}  # PyTorch 0.3 had one type for each dtype
    tensors, storages = {torch.Tensor, torch.nn.Parameter}, {torch.TypedStorage, torch.UntypedStorage}
    function = lib.take

    def is_tensor(value):
        return type(value) in tensors

    def is_storage(value):
        return type(value) in storages

    def call(*args, **kwargs):
        args = tuple(
            ffi.cast(structs.get(type(arg), "void") + " *", arg._cdata) if is_tensor(arg) or is_storage(arg) else arg
            for arg in args
        )
        result = function(*args, **kwargs)
        return result if not isinstance(result, ffi.CData) else ffi.typeof(result)

    return call
