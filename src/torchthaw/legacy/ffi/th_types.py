"""torchthaw/legacy/ffi/th_types.py: the TH and THC types that headers may name: how they cross to C, headers and libraries."""

import functools

from ...base import config
from ...extension import cuda, generate_c, nvidia_packages
from ...header import c_type_kinds, cdef
from ...header.cffi_names import model
from . import storage_semantics

# Real -> (DLPack code, bits)
REALS = {
    "Double": (c_type_kinds.FLOAT, 64), "Float": (c_type_kinds.FLOAT, 32), "Long": (c_type_kinds.INT, 64),
    "Int": (c_type_kinds.INT, 32), "Short": (c_type_kinds.INT, 16), "Char": (c_type_kinds.INT, 8), "Byte": (c_type_kinds.UINT, 8),
}  # fmt: skip
KINDS = "Tensor", "Storage"

# Name -> (thaw_kind, DLPack code, bits)
CPU = {f"TH{real}{kind}": (f"THAW_TH_{kind.upper()}", *dtype) for real, dtype in REALS.items() for kind in KINDS}
CUDA = {
    f"THCuda{'' if real == 'Float' else real}{kind}": (f"THAW_THC_{kind.upper()}", *dtype)
    for real, dtype in REALS.items()
    for kind in KINDS
}

# Half has no name for headers; its structs exist so that a half tensor is refused by its type.
CDEF = "".join(f"typedef struct {name} {name};\n" for name in [*CPU, *CUDA])
CDEF += "".join(f"struct {prefix}Half{kind};\n" for prefix in ("TH", "THCuda") for kind in KINDS)


# What the package of an extension runs before it loads that.
OPENS = """from torchthaw.legacy.loading import open_libraries as _open_libraries

_open_libraries()
"""


def prologue(with_cuda):
    """What generated C begins with; ``with_cuda`` adds THC."""
    return "#include <stdbool.h>\n#include <TH/TH.h>\n" + ("#include <THC/THC.h>\n" if with_cuda else "")


def include_dirs(with_cuda):
    """The folders of TH's headers; ``with_cuda`` adds THC's."""
    include = config.includes()
    return [include, include / "TH", *([include / "THC"] if with_cuda else [])]


def late_include_flags(with_cuda):
    """THCUNN's folder, to be searched after all others: its common.h must not hide a project's file of that name."""
    return ["-idirafter", str(config.includes() / "THCUNN")] if with_cuda else []


def struct(type):
    """(thaw_kind, DLPack code, bits) of a pointer to one of the structs, or None."""
    if isinstance(type, model.PointerType) and isinstance(type.totype, model.StructType):
        return CPU.get(type.totype.name) or CUDA.get(type.totype.name)
    return None


class Function(generate_c.Function):
    """A C function whose tensors are TH structs; everything else crosses as cffi has it.

    exact: whether it sees storages as PyTorch has them, see storage_semantics.py.
    """

    call = "call_th"

    def __init__(self, *function, exact):
        self.flags_of_tensors = "THAW_EXACT" if exact else "0"
        super().__init__(*function)

    def parameter(self, ffi, type, name, element=""):
        found = struct(type)
        if found:
            kind, code, bits = found
            flags = self.flags_of_tensors if kind.endswith("_TENSOR") else "0"
            return c_type_kinds.Parameter(type, name, kind, flags, code, bits)
        if isinstance(type, model.PointerType):
            is_const = type.quals & model.Q_CONST
            return c_type_kinds.Parameter(type, name, "THAW_HANDLE", "0" if is_const else "THAW_WRITTEN")
        return c_type_kinds.parameter(ffi, type, name, element)

    @staticmethod
    def crossing_of_result(ffi, type):
        found = struct(type)
        if found:
            return found
        kind = c_type_kinds.result_kind(ffi, type)
        return "THAW_CFFI" if kind == "THAW_TEXT" else kind, 0, 0


def libraries(with_cuda):
    """The paths of libthc and libth."""
    return [config.library(name) for name in (["thc", "th"] if with_cuda else ["th"])]


def math_libraries(extension):
    """cuBLAS and its kin for C of old projects, which calls them and does not name them; other code is not linked.

    The loader searches the toolkit's folder where anything calls them.
    """
    toolkit = extension.cuda.toolkit if extension.cuda else None
    if not toolkit:
        return []
    found = {path: path.parent for path in toolkit.math_libraries}  # library -> where the loader finds it
    found |= {path: path.resolve().parent for path in nvidia_packages.libraries(toolkit, cuda.MATH)}
    if not found:
        return []
    options = extension.options
    own = cdef.included(options["sources"], options["include_dirs"])
    is_called = any(map(cuda.calls_math, [*own, *(extension.base / path for path in options["extra_objects"])]))
    folders = dict.fromkeys(f"-Wl,-rpath,{folder}" for folder in found.values()) if is_called else []
    return [*folders, "-Wl,--push-state,--as-needed", *found, "-Wl,--pop-state"]


def is_exact(extension):
    """Whether the C of an Extension sees storages as PyTorch has them: see storage_semantics.py."""
    options, given = extension.options, extension.options["extra_compile_args"]
    sources, objects = extension.sources_of_objects()
    return storage_semantics.is_exact(
        [*options["headers"], *options["sources"], *sources], options["include_dirs"],
        [*extension.define_flags(), *given["cxx"], *given["nvcc"]],
        [*objects, *(f"-l{library}" for library in options["libraries"]), *options["extra_link_args"]],
        [extension.cuda.toolkit.include] if extension.cuda else [],
    )  # fmt: skip


facts = is_exact  # what generated code depends on besides the headers


def kind(extension):
    """What makes a Function of each C function: those without TH structs are as in every other extension."""
    exact = is_exact(extension)

    def function(ffi, name, type, *described):
        with_structs = any(map(struct, [*type.args, type.result]))
        made = functools.partial(Function, exact=exact) if with_structs else generate_c.Function
        return made(ffi, name, type, *described)

    return function
