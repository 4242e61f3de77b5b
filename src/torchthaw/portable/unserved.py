"""torchthaw/portable/unserved.py: names of PyTorch and pybind11 that torchthaw's headers lack, from a compiler's messages."""

import re
from typing import NamedTuple

from ..base.errors import BuildError

NAMESPACE = r"(?:at|c10|c10d|torch|caffe2|pybind11|py|std)"
# What is declared without a namespace: macros, and the types and functions of TH and THC.
UNQUALIFIED = r"(?:(?:AT|TORCH|C10|CAFFE2?|PYBIND11|THC?|CUDA)_\w+|TH[A-Z]\w+|PYBIND11\w+)"
FOLDERS = r"(?:ATen|c10|c10d|caffe2|pybind11|torch|TH|THC|THCUNN|THNN)"
# gcc and clang: file:line:column: error: …; nvcc: file(line): error: …, or error #123: ….
ERROR = re.compile(
    r"^(?P<file>[^\s:(][^\n:(]*)(?::|\()(?P<line>\d+)(?:(?::\d+)?|\)): (?:fatal |catastrophic )?error(?: #[\w-]+)?: (?P<text>.*)$",
    re.MULTILINE,
)
# gcc puts the type of an object first: const struct at::Tensor, at::Tensor {aka class portable::Tensor}.
TYPE = rf"(?:(?:const|volatile|class|struct|union|enum|using) )*(?P<scope>{NAMESPACE}\b[\w:<>, ]*)[^‘’']*"
OPEN, CLOSE = "[‘']", "[’']"

FORMS = [re.compile(form) for form in (
    rf"{OPEN}(?P<name>~?\w+|operator[^’']+){CLOSE} is not a member of {OPEN}{TYPE}{CLOSE}",
    rf"{OPEN}(?P<name>\w+){CLOSE} has not been declared in {OPEN}{TYPE}{CLOSE}",
    rf"{OPEN}(?P<name>\w+){CLOSE} (?:in namespace|in (?:class|struct)) {OPEN}{TYPE}{CLOSE} does not name a ",
    rf"{OPEN}(?P<name>{NAMESPACE}(?:::\w+)+){CLOSE} has not been declared",
    rf"{OPEN}(?P<name>(?:at|c10|torch|pybind11)){CLOSE} (?:has not been declared|is not a)",
    rf"{OPEN}{TYPE}{CLOSE} has no member named {OPEN}(?P<name>~?\w+){CLOSE}",
    rf"{OPEN}(?P<name>{UNQUALIFIED}){CLOSE} (?:was not declared|has not been declared|does not name a|is not a)",
    rf"(?P<name>{FOLDERS}/[\w./+-]+): No such file or directory",
    rf"no (?:member|type|template|class) named {OPEN}(?P<name>[^’']+){CLOSE} in (?:namespace )?{OPEN}{TYPE}{CLOSE}",
    rf"(?:use of undeclared identifier|unknown type name|unknown class name) {OPEN}(?P<name>{UNQUALIFIED}){CLOSE}",
    rf"(?:use of undeclared identifier) {OPEN}(?P<name>(?:at|c10|torch|pybind11)){CLOSE}",
    rf"{OPEN}(?P<name>{FOLDERS}/[^’']+){CLOSE} file not found",
    rf'namespace "(?P<scope>{NAMESPACE}\b[\w:]*)" has no member(?: class)? "(?P<name>[^"]+)"',
    rf'(?:class|struct|enum|namespace) "(?P<scope>{NAMESPACE}\b[^"]*)" has no member(?: class)? "(?P<name>[^"]+)"',
    rf'identifier "(?P<name>{UNQUALIFIED})" is undefined',
    r'name followed by "::" must be a class or namespace name: "(?P<name>(?:at|c10|torch|pybind11))"',
    rf'cannot open source file "(?P<name>{FOLDERS}/[^"]+)"',
)]  # fmt: skip
# The name is there, and takes other arguments.
ARGUMENTS = [re.compile(form) for form in (
    rf"no matching (?:member )?function for call to {OPEN}(?P<name>{NAMESPACE}(?:::[\w<>~]+)+)\(",
    rf"too (?:many|few) arguments to function {OPEN}[^’'(]*?\b(?P<name>{NAMESPACE}(?:::\w+)+)\(",
)]  # fmt: skip

HOW = (
    "PyTorch's own headers may have it: `python -m torchthaw run` without --portable builds with them, and so does "
    "`run --portable=auto` where a name is not served"
)


class Found(NamedTuple):
    """A name that is not served; where it is used first; whether it is there with other arguments."""

    name: str
    file: str
    line: int
    is_there: bool = False

    def __str__(self):
        return f"{self.name} ({self.file}:{self.line})"


class NotServed(BuildError):
    """A source needs a name that torchthaw's headers lack. names: each Found, in the order of the compiler's errors."""

    def __init__(self, message, names):
        super().__init__(message)
        self.names = names


def found(output):
    """[Found], each name once, in what compilers printed: the errors of gcc, clang and nvcc in English."""
    names = {}
    for error in ERROR.finditer(output):
        for forms, is_there in ((FORMS, False), (ARGUMENTS, True)):
            match = next(filter(None, (form.search(error["text"]) for form in forms)), None)
            if match:
                name = _whole(match)
                names.setdefault(name, Found(name, error["file"], int(error["line"]), is_there))
                break
    return list(names.values())


def names_something(text):
    """Whether an error's text names something that the headers lack."""
    return any(form.search(text) for form in FORMS)


def message(names, output, notes=()):
    """The error's text: a line for each name, what to do, then the compiler's own words.

    notes: {name: what follows it}, as pytorch_headers.note() gives it.
    """
    lines = []
    for each in names:
        what = "with these arguments " if each.is_there else ""
        lines.append(
            f"{each.file}:{each.line}: {each.name} {what}is not served by torchthaw's headers{dict(notes).get(each.name, '')}"
        )
    return "\n".join([*lines, HOW, output])


def _whole(match):
    """The name with the namespace or the class that lacks it."""
    scope = match.groupdict().get("scope")
    if not scope:
        return match["name"]
    return f"{scope.strip()}::{match['name']}"
