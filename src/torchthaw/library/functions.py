"""torchthaw/library/functions.py: a module's C functions, as its header describes them; read from JSON."""

import json
from functools import cached_property
from typing import NamedTuple

from ..base import emitter

# What a tensor is in C, and what a schema calls a plain value.
TH_TENSORS = "th_tensor", "thc_tensor"
TENSORS = "array", *TH_TENSORS
VALUES = {"integer": "SymInt", "float": "float", "bool": "bool", "sizes": "SymInt[]"}
# What an operator finds out by itself.
OWN = "workspace", "workspace_size", "stream"


class Parameter(NamedTuple):
    """A parameter of a C function; the fields are those of the description."""

    name: str
    kind: str
    ctype: str = ""
    dtype: str | None = None
    written: bool = False
    inout: bool = False
    nullable: bool = False
    shapes: tuple = ()
    aliases: tuple = ()
    source: tuple | None = None
    size: str | None = None
    call: tuple | None = None
    argument: str = ""  # its name in schemas and in Python

    @property
    def is_tensor(self):
        return self.kind in TENSORS

    @property
    def is_written(self):
        """TH's tensors are not const, so any of them may be."""
        return self.written or self.kind in TH_TENSORS

    @property
    def is_output(self):
        """Whether nothing of it is read."""
        return self.kind == "array" and self.written and not self.inout

    @property
    def is_given(self):
        """Whether the operator has it as an argument."""
        return not self.source and self.kind not in OWN


class Function:
    """A C function, and what Python calls for it.

    header: the names of the module's headers. module: the extension's module. trampoline: its function for Python.
    """

    def __init__(self, described, header, module, trampoline):
        self.header, self.module, self.trampoline = header, module, trampoline
        self.name, self.operator = described["name"], described["operator"]
        self.result, self.is_status = described["result"], described["status"]
        self.device, self.callable = described["device"], described["callable"]
        self.backward_of = described["backward_of"]
        # Whether a call by keywords may leave out all that it writes; how one call serves a batch: header/folding.py.
        self.makes_outputs, self.fold = described.get("makes_outputs", False), described.get("fold")
        self.comment = described.get("doc", "").partition("\n\n")[2]  # the header's, behind the declaration
        self.is_annotated = described["annotated"]
        arguments = emitter.python_names([row["name"] for row in described["parameters"]], emitter.OF_SCHEMAS)
        self.parameters = [self._parameter(row, arguments) for row in described["parameters"]]

    def _parameter(self, row, arguments):
        found = Parameter(**{key: row[key] for key in row if key in Parameter._fields}, argument=arguments[row["name"]])
        # Without annotations, nothing says that C does not read what it writes.
        return found._replace(inout=found.written and (found.inout or not self.is_annotated))

    def argument_of(self, name):
        """The name that the parameter ``name`` has in schemas and in Python."""
        return next(each.argument for each in self.parameters if each.name == name)

    @cached_property
    def tensors(self):
        return [each for each in self.parameters if each.is_tensor]

    @cached_property
    def given(self):
        """The parameters that the operator's overload ``out`` has."""
        return [each for each in self.parameters if each.is_given]

    @cached_property
    def written(self):
        """What the overload ``default`` returns, in C's order."""
        return [each for each in self.tensors if each.is_written]

    @cached_property
    def ranges(self):
        """{integer parameter: (its least value, its largest one, its C type)}"""
        ffi, found = self.module.ffi, {}
        for each in self.parameters:
            if each.kind == "integer":
                bits = 8 * ffi.sizeof(each.ctype)
                is_signed = int(ffi.cast(each.ctype, -1)) < 0
                least, most = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if is_signed else (0, 2**bits - 1)
                found[each.name] = least, most, f"{'u' * (not is_signed)}int{bits}_t"
        return found

    @property
    def dtypes(self):
        """That of each tensor, by name; None for ``void *``."""
        return [each.dtype for each in self.tensors]

    @property
    def file(self):
        """The extension's."""
        return self.module.__file__

    @property
    def origin(self):
        """Where the function is declared, for messages."""
        return f"{self.header} of {self.file}"

    @property
    def inputs(self):
        """The parameters of the overload ``default``."""
        return [each for each in self.given if not each.is_output]

    @property
    def optional(self):
        """The names of the inputs that a caller may leave out: nullable arrays behind which nothing must be given."""
        found = []
        for each in reversed(self.inputs):
            if not (each.is_tensor and each.nullable):
                break
            found.append(each.name)
        return found

    @cached_property
    def obstacle(self):
        """Why PyTorch cannot have the function as an operator, or None."""
        if self.name in emitter.OF_OPERATORS:
            return "its name is a word of Python or PyTorch, so that no graph's code can name its operator"
        if not self.callable:
            return "it is variadic, or has a parameter or result that only cffi can convert"
        for each in self.parameters:
            if not each.is_tensor and each.kind not in VALUES and each.kind not in OWN:
                return f"its parameter {each.name} ({each.ctype}) is neither an array nor a number"
        if not self.tensors:
            return "it has no array, and may give another result at each call"
        if self.result not in ("void", "int"):
            return f"it returns {self.result}, and an operator can give its result in tensors only"
        if not self.written:
            return "it writes no array, so that a graph would drop the call: its result, and what else it does"
        return None

    @property
    def is_functional(self):
        """Whether an operator can allocate all that the function writes: the shapes are known, and there is a tensor
        that says dtype and device."""
        reads = any(each.is_tensor and not each.nullable for each in self.inputs)
        known = all(each.shapes if each.is_output else not each.nullable for each in self.written)
        return self.is_annotated and bool(self.written) and reads and known and not self.is_th

    @property
    def is_th(self):
        """Whether its tensors are TH's structs, which C may resize."""
        return any(each.kind in TH_TENSORS for each in self.tensors)


def read(module, trampolines):
    """The Functions of an extension's module; one without a trampoline, {name: function for Python}, is left out."""
    described = json.loads(module.description)
    header = ", ".join(described["headers"])
    rows = (row for row in described["functions"] if row["name"] in trampolines)
    return [Function(row, header, module, trampolines[row["name"]]) for row in rows]


def pairs(module):
    """The rows of the description that join a forward and its backward."""
    return json.loads(module.description).get("pairs", ())
