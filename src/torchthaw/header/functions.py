"""torchthaw/header/functions.py: the C functions of a header, and how each parameter and result crosses to Python."""

import keyword

from . import c_type_kinds, cffi_names


class Function:
    """One C function."""

    parameter = staticmethod(c_type_kinds.parameter)
    described = None  # its description.Function, once that is made
    comment = ""  # the header's

    @staticmethod
    def crossing_of_result(ffi, type):
        """(thaw_kind, DLPack code, bits); the latter two of TH structs only."""
        return c_type_kinds.result_kind(ffi, type), 0, 0

    def __init__(self, ffi, name, type, declaration, names, elements=()):
        names, elements = ([*given] + [None] * (len(type.args) - len(given)) for given in (names, elements))
        self.name, self.type, self.declaration = name, type, declaration
        self.parameters = [
            self.parameter(ffi, argument, given or f"argument{index + 1}", element or "")
            for index, (argument, given, element) in enumerate(zip(type.args, names, elements))
        ]
        self.named = all(given and not keyword.iskeyword(given) for given in names[: len(type.args)])
        self.result, self.result_code, self.result_bits = self.crossing_of_result(ffi, type.result)
        # cffi alone knows how to make the arguments of f(int, ...), and values of the kind THAW_CFFI.
        kinds = [self.result, *(each.kind for each in self.parameters)]
        self.direct = not type.ellipsis and "THAW_CFFI" not in kinds

    @property
    def text(self):
        """The C declaration and the header's comment."""
        return f"{self.declaration}\n\n{self.comment}" if self.comment else self.declaration

    @property
    def doc(self):
        """The text, below a signature line that inspect understands where every parameter has a name."""
        if not self.named or self.type.ellipsis:
            return self.text
        names = ", ".join(each.name for each in self.parameters)
        return f"{self.name}({names})\n--\n\n{self.text}"


def read(ffi, signatures, kind=Function):
    """The functions that ``ffi`` declares, in order of name; ``signatures`` as from cdef.signatures()."""
    return [kind(ffi, name, type, *signatures.get(name, (name, []))[:3]) for name, type in cffi_names.functions(ffi)]
