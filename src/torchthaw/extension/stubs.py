"""torchthaw/extension/stubs.py: the .pyi of an extension, by which editors know its functions, their types and shapes."""

import keyword
import textwrap

from ..header.description import STRUCTS

FILE = "__init__.pyi"

HEAD = '''"""{name}: what {headers} declares. Made by torchthaw with the extension."""

from collections.abc import Callable as _Callable
from collections.abc import Sequence as _Sequence
from typing import Any
from typing import Protocol as _Protocol
from typing import TypeVar as _TypeVar
from typing import overload as _overload

from cffi import FFI as _FFI  # type: ignore[import-untyped, unused-ignore]
from torch import Tensor as _Tensor
from torch.autograd import Function as _Function
from typing_extensions import Buffer as _Buffer

class _Exporter(_Protocol):
    def __dlpack_device__(self) -> Any: ...

_Output = _Tensor | _Buffer | _Exporter | _FFI.CData
_Array = _Output | _Sequence[Any]
_Sizes = _Sequence[int] | _Output
_Pointer = _FFI.CData | bytes | _Tensor
_Formula = _TypeVar("_Formula", bound=_Callable[..., Any])
'''

# Of a module with pairs: what each is, and ``functions``, which has them.
PAIR = """
class _functions_{name}:
    Function: type[_Function]
    operator: Any

    def __call__({parameters}) -> {result}:
{doc}
    def check(_self, *inputs: Any) -> None: ...
    def formula(_self, function: _Formula) -> _Formula: ...
"""
FUNCTIONS = '''
class _functions:
    """What has derivatives: see torchthaw/annotate.h."""

{names}

functions: _functions
'''
TYPES = {
    "integer": "int", "float": "float", "bool": "bool", "workspace_size": "int", "handle": "_Pointer | None",
    "workspace": "_Output | None", "stream": "int | None", "cffi": "Any", "th_tensor": "_Tensor",
    "thc_tensor": "_Tensor", "th_storage": "Any", "thc_storage": "Any",
}  # fmt: skip
GIVEN = {"array": "_Tensor", "integer": "int", "float": "float", "bool": "bool", "sizes": "_Sequence[int]"}
RESULTS = {
    "THAW_VOID": "None", "THAW_BOOL": "bool", "THAW_FLOAT": "float", "THAW_DOUBLE": "float",
    "THAW_TEXT": "str | None", "THAW_TH_TENSOR": "_Tensor", "THAW_THC_TENSOR": "_Tensor",
}  # fmt: skip


def text(name, module, constants):
    """The stub of the package ``name``. module: its description.Module; constants: the names of its other values."""
    head = HEAD.format(name=name, headers=", ".join(module.headers))
    values = "".join(f"{each}: {type}\n" for each, type in constants if not keyword.iskeyword(each))
    functions = [_function(each) for each in module.functions if not keyword.iskeyword(each.name)]
    return "\n".join([head, *([values] if values else []), *functions, *_pairs(module)])


def _pairs(module):
    """``functions``, of the pairs that are no second derivatives."""
    pairs = [each for each in module.pairs if not each.is_second]
    names = "\n".join(f"    {each.name}: _functions_{each.name}" for each in pairs)
    return [*map(_pair, pairs), FUNCTIONS.format(names=names)] if pairs else []


def _pair(pair):
    arrays = [each for each in pair.forward.parameters if each.kind == "array" and each.name not in pair.saved]
    shapes = "\n".join(f"{each.name}: {each.shape_text}" for each in arrays if "(" in each.shape_text)
    doc = _escaped("\n\n".join(filter(None, [pair.forward.made.comment, shapes])))
    result = ", ".join(["_Tensor"] * len(pair.results))
    if len(pair.results) > 1:
        result = f"tuple[{result}]"
    doc, parameters = textwrap.indent(f'"""{doc}\n"""', " " * 8), _listed(["_self", *_inputs(pair.forward)])
    return PAIR.format(name=pair.name, doc=doc, result=result, parameters=parameters)


def _inputs(function):
    """The parameters of a function's operator that returns new tensors."""
    rows, default = [], " = ..."
    given = [each for each in function.parameters if each.kind in GIVEN and not each.source and not each.is_output]
    for each in reversed(given):
        default *= each.is_nullable
        name = each.name + "_" * keyword.iskeyword(each.name)
        rows.append(f"{name}: {GIVEN[each.kind]}{' | None' * each.is_nullable}{default}")
    return rows[::-1]


def _function(function):
    """Its definition, one more where parameters may be left out, and one where a call makes all of the outputs."""
    kind = function.made.result
    result = RESULTS.get(kind) or ("int" if "INT" in kind else "Any")
    if kind == "THAW_TEXT" and not function.made.direct:
        result = "Any"  # cffi leaves it a pointer
    doc = textwrap.indent(f'"""{_escaped(_doc(function))}\n"""', "    ")
    rows = [(_parameters(function, False, False), result)]
    if function.made.direct and any(map(_may_be_left_out, function.parameters)):
        rows.append((_parameters(function, True, False), result))
    if function.makes_outputs:
        rows.append((_parameters(function, True, True), "Any"))
    head = "@_overload\n" if len(rows) > 1 else ""
    return "\n".join(f"{head}def {function.name}({_listed(row)}) -> {given}:\n{doc}\n" for row, given in rows)


def _listed(rows):
    """Parameters, on one line if they fit, else on one each."""
    line = ", ".join(rows)
    return line if len(line) <= 80 else "\n" + "".join(f"    {row},\n" for row in rows)


def _may_be_left_out(parameter):
    """Whether the bridge finds its value by itself."""
    return bool(getattr(parameter, "source", None)) or parameter.kind in ("workspace", "workspace_size")


def _parameters(function, some_left_out, no_outputs):
    """The parameters as Python has them; those behind the first that may be left out by keyword then."""
    rows, are_keywords = [], False
    for parameter in function.parameters:
        is_made = no_outputs and parameter.kind == "array" and parameter.is_output
        is_optional = is_made or (some_left_out and _may_be_left_out(parameter))
        if is_optional and not are_keywords:
            rows.append("*")
            are_keywords = True
        default = " = ..." if is_optional or parameter.kind == "stream" else ""
        rows.append(f"{parameter.name}: {_type(function, parameter)}{default}")
    if not function.made.named:
        rows = [row for row in rows if row != "*"]
        rows = [f"_{i}: {row.partition(': ')[2]}" for i, row in enumerate(rows)] + ["/"] * bool(rows)
    return [*rows, "*more: Any"] if function.made.type.ellipsis else rows


def _type(function, parameter):
    if parameter.kind not in ("array", "sizes"):
        return TYPES[parameter.kind]
    is_output = parameter.is_written and function.is_annotated
    name = "_Sizes" if parameter.kind == "sizes" else "_Output" if is_output else "_Array"
    return f"{name} | None" if parameter.is_nullable or not function.is_annotated else name


def _doc(function):
    """The declaration, the header's comment, and what each tensor must be."""
    tensors = [each for each in function.parameters if each.kind in ("array", *STRUCTS.values())]
    lines = [f"{each.name}: {_words(each)}" for each in tensors]
    declaration, _, comment = function.made.text.partition("\n\n")
    declaration = textwrap.fill(declaration, 110, subsequent_indent="    ", break_long_words=False)
    return "\n\n".join(part for part in (declaration, comment, "\n".join(lines)) if part)


def _words(parameter):
    """dtype, shape and rules of a tensor."""
    rules = ["read and written"] if parameter.is_inout else ["written"] if parameter.is_written else []
    if parameter.aliases:
        rules.append(f"may be the same tensor as {' or '.join(parameter.aliases)}")
    if parameter.is_nullable:
        rules.append("may be None")
    return ", ".join([f"{parameter.dtype or 'any dtype'} {parameter.shape_text}".strip(), *rules])


def _escaped(text):
    return text.replace("\\", "\\\\").replace('"""', r"\"\"\"")
