"""torchthaw/legacy/structs.py: the TH and THC structs that old headers may name, and how they cross to C."""

import keyword

from ..build import crossing, glue
from ..build.cffi_names import model

# Real -> (DLPack code, bits)
REALS = {
    "Double": (2, 64), "Float": (2, 32), "Long": (0, 64), "Int": (0, 32), "Short": (0, 16), "Char": (0, 8),
    "Byte": (1, 8),
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


def struct(type):
    """(thaw_kind, DLPack code, bits) of a pointer to one of the structs, or None."""
    if isinstance(type, model.PointerType) and isinstance(type.totype, model.StructType):
        return CPU.get(type.totype.name) or CUDA.get(type.totype.name)
    return None


class Function(glue.Function):
    """A C function whose tensors are TH structs; everything else crosses as cffi has it."""

    call = "call_th"

    @staticmethod
    def parameter(ffi, type, name):
        found = struct(type)
        if found:
            kind, code, bits = found
            return crossing.Parameter(type, name, kind, "0", code, bits)
        if isinstance(type, model.PointerType):
            return crossing.Parameter(type, name, "THAW_HANDLE")
        return crossing.parameter(ffi, type, name)

    @staticmethod
    def crossing_of_result(ffi, type):
        found = struct(type)
        if found:
            return found
        kind = crossing.result_kind(ffi, type)
        return "THAW_CFFI" if kind == "THAW_TEXT" else kind, 0, 0

    @property
    def doc(self):
        """As cffi's own functions have it, below a signature line with the header's names for the parameters."""
        parameters = [type.get_c_name() for type in self.type.args] + ["..."] * self.type.ellipsis
        declaration = self.type.result.get_c_name(f" {self.name}({', '.join(parameters) or 'void'})") + ";"
        names = ", ".join(each.name + "_" * keyword.iskeyword(each.name) for each in self.parameters)
        return declaration if self.type.ellipsis else f"{self.name}({names})\n--\n\n{declaration}"


class ExactFunction(Function):
    """The same where C can tell how a tensor lies in its storage."""

    @staticmethod
    def parameter(ffi, type, name):
        found = Function.parameter(ffi, type, name)
        return found._replace(flags="THAW_EXACT") if found.kind.endswith("_TENSOR") else found
