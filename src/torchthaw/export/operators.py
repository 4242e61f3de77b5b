"""torchthaw/export/operators.py: the operators of an annotated header, as every host needs them."""

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ..base import emitter
from ..header import matching, reading

# What an operator finds out by itself.
OWN = "workspace", "workspace_size", "stream"


@dataclass
class Operator:
    """functions: its description.Functions, that of its name first; the parameters of all have the same names."""

    name: str
    functions: list

    @property
    def parameters(self):
        return self.functions[0].parameters

    @property
    def inputs(self):
        """The parameters that a host gives, in C's order."""
        return [each for each in self.parameters if each.kind not in OWN and not each.source and not each.is_output]

    @property
    def outputs(self):
        """The arrays that it writes, in C's order."""
        return [each for each in self.parameters if each.kind == "array" and each.is_written]

    @property
    def comment(self):
        return self.functions[0].made.comment

    @property
    def obstacle(self):
        """Why a host that computes on the CPU, and allocates all outputs, cannot have it; or None."""
        first = self.functions[0]
        if first.device != "cpu":
            return "it computes on a GPU"
        if not first.is_functional:
            return "its outputs have no shapes, or nothing is read"
        if any(each.dtype is None for each in first.parameters if each.kind == "array"):
            return "an array has no dtype"
        return None

    def dtypes(self, name):
        """Those that the functions take for a parameter, in their order; [None] for any."""
        found = [each.dtype for function in self.functions for each in function.parameters if each.name == name]
        return [*dict.fromkeys(found)]


@dataclass
class Operators:
    """Those of a header, in order of name. left_out: (name, reason) of the other annotated functions with arrays.

    stem: the header's name, with which C's names of generated files begin. error_message: a C function, or None.
    """

    header: Any
    stem: str
    operators: list
    left_out: list
    error_message: Any
    num_threads: Any  # the same: what limits the threads of a call
    pairs: list  # of pairs.Pair

    @property
    def usable(self):
        """Those without an obstacle; ValueError where there is none."""
        found = [each for each in self.operators if each.obstacle is None]
        if not found:
            raise ValueError(f"{self.header}: expected an operator whose outputs have shapes, on the CPU, got none")
        return found

    @cached_property
    def enumerators(self):
        """{(operator, None or a parameter of it): its name in C's enums}; names that differ in capitals alone differ in it."""
        rows = [(each.name, None) for each in self.operators]
        rows += [(each.name, parameter.name) for each in self.operators for parameter in each.parameters]
        names = [f"{self.stem}_{f'{name}_{parameter}' if parameter else f'TABLE_{name}'}" for name, parameter in rows]
        return dict(zip(rows, emitter.enumerators(names)))

    @property
    def unusable(self):
        """The others, each a comment of C."""
        return "".join(f"/* Left out: {each.name}: {each.obstacle}. */\n" for each in self.operators if each.obstacle)

    @property
    def usable_pairs(self):
        """The Pairs of usable operators, each with its results: (output, None or the number of an entry).

        That number counts from the end where it is negative.
        """
        usable = {each.name for each in self.usable}
        for pair in self.pairs:
            outputs = matching.outputs(pair.forward)
            results = [(name, entry(index, outputs[name])) for name, index in pair.results]
            if pair.forward.name in usable and all(each is not False for _, each in results):
                yield pair, results


def read(header, include_dirs=(), define_flags=()):
    """The Operators of a header, a path; errors as in reading.read(), and ValueError for a header without any."""
    module = reading.read(header, include_dirs, define_flags).module
    found, left_out = {}, []
    for function in sorted(module.functions, key=lambda each: each.name != each.operator):
        reason = obstacle(function)
        if reason is None:
            found.setdefault(function.operator, []).append(function)
        elif function.is_annotated and any(each.is_array for each in function.parameters):
            left_out.append((function.name, reason))
    if not found:
        raise ValueError(f"{header}: expected functions of arrays with words of torchthaw/annotate.h, got none")
    if re.search(r'["\\\n\r]', Path(header).name):
        raise ValueError(
            f"{header}: expected a file name that C can include, got one with a quote, backslash or line end"
        )
    stem = emitter.c_identifier(Path(header).stem)
    operators = [Operator(name, found[name]) for name in sorted(found)]
    return Operators(Path(header), stem, operators, left_out, module.error_message, module.num_threads, module.pairs)


def obstacle(function):
    """Why a description.Function is no operator of other hosts, or None."""
    if not function.is_annotated:
        return "it has no word of torchthaw/annotate.h"
    kinds = {*(each.kind for each in function.parameters)}
    known = {"array", "sizes", "integer", "float", "bool", *OWN}
    if kinds - known or not function.made.direct:
        return "it has a parameter that is neither an array nor a number"
    if "array" not in kinds:
        return "it has no array"
    if function.made.result not in ("THAW_VOID", "THAW_INT32"):
        return "its result is neither void nor int"
    return None


def entry(index, output):
    """A number for ``seq_len - 1``, where seq_len is the output's first size; False for what is no such number."""
    if index is None or re.fullmatch(r"\d+", index):
        return index and int(index)
    first = next((shape["dims"][0] for shape in output.shapes if shape.get("dims")), None)
    said = re.fullmatch(r"(\w+) - (\d+)", index)
    return -int(said[2]) if said and said[1] == first and int(said[2]) > 0 else False
