"""torchthaw/doctor/portable.py: doctor --portable: whether torchthaw's own headers have what a C++ extension uses.

The project is read, neither built nor compiled: portable/served.py asks a compiler about the names alone.
"""

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from ..base.printing import one_line, shell_word
from ..portable import operators, project_flags, pytorch_headers, served, unserved
from .project import INCLUDE, Project
from .reading.source import conditions

OF_CUDA = (".cu", ".cuh")
ROOTS = ("at", "c10", "torch", "caffe2", "pybind11")
OF_PYTORCH = re.compile(rf"{unserved.FOLDERS}/")
# "namespace F = torch::nn::functional;"
ALIAS = re.compile(rf"\bnamespace\s+(\w+)\s*=\s*(?:::)?((?:{'|'.join(ROOTS)})(?:::\w+)*)\s*;")
MACRO = re.compile(r"\b(?:AT|TORCH|C10|CAFFE2|PYBIND11)_[A-Z]\w*\b")
DEFINED = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)
OPERATOR = re.compile(r"(?:\.|->|\b(?:at|torch)::)([a-z_]\w*)\s*\(")
DEVICE = re.compile("CUDA|CUDNN|HIP|ROCM|NVCC")
OLDEST = "2.4"


class Use(NamedTuple):
    """A name of PyTorch or pybind11, and where it is used first. since: the PyTorch that has an operator first, or ""."""

    name: str
    file: str
    line: int
    since: str = ""


class Answer(NamedTuple):
    """What is said of a project.

    files: how many files of C++ and CUDA use PyTorch. unseen: the files of CUDA, where no toolkit has the headers to look
        with. names: how many names they use. missing: those that are not served. newer: the operators that PyTorch 2.4 lacks. unread: {file: why it was passed over}.
    """

    files: int
    unseen: list[str]
    names: int
    missing: list[Use]
    newer: list[Use]
    unread: dict[str, str]

    @property
    def oldest(self) -> str:
        """The oldest PyTorch that has every operator that is called."""
        return max([OLDEST, *(use.since for use in self.newer)], key=lambda version: [*map(int, version.split("."))])


def examine(path: str) -> Answer:
    """Reads a project's folder, or one file. OSError where it is not there, ImportError without a PyTorch to build with."""
    project = Project(path)
    code, unseen = dict(project.code), []
    if not served.toolkit():
        unseen = [file for file in code if file.suffix in OF_CUDA]
        code = {file: _without_cuda(text) for file, text in code.items() if file not in unseen}
    hits = {file: list(_used(project, file, text)) for file, text in code.items()}
    hits = {file: found for file, found in hits.items() if found}
    macros = {name for text in code.values() for name in DEFINED.findall(text)}
    uses = {name: use for name, use in _first(project, code, hits).items() if name not in macros}
    missing = served.missing(uses)
    newer = operators.newer()
    calls = {file: [(at[1], at.start()) for at in OPERATOR.finditer(code[file]) if at[1] in newer] for file in hits}
    return Answer(
        len(hits), [_name(project, file) for file in unseen], len(uses), [use for name, use in uses.items() if name in missing],
        [use._replace(since=newer[name]) for name, use in _first(project, code, calls).items()],
        {_name(project, file): why for file, why in project.unreadable.items()},
    )  # fmt: skip


def report(path: str, answer: Answer) -> Iterator[str]:
    """The lines to print."""
    notes = pytorch_headers.note([use.name for use in answer.missing])
    for use in answer.missing:
        yield one_line(f"{use.file}:{use.line}: {use.name} is not served by torchthaw's headers{notes[use.name]}")
    for use in answer.newer:
        yield one_line(f"{use.file}:{use.line}: {use.name} is an operator of PyTorch {use.since} and later")
    for file, why in answer.unread.items():
        yield one_line(f"{file}: {why}")
    kept = answer.names - len(answer.missing)
    yield f"served: {kept} of {answer.names} names of PyTorch and pybind11, which {answer.files} of the files of C++ and CUDA use"
    if answer.unseen:
        more = f" and {len(answer.unseen) - 1} more" if len(answer.unseen) > 1 else ""
        yield one_line(f"not looked at: CUDA code, {answer.unseen[0]}{more}: no toolkit of CUDA is found here")
    yield f"PyTorch {answer.oldest} and later have every operator that is called"
    word = "--portable=auto" if answer.missing else "--portable"
    yield f"to build: cd {shell_word(path)} && python -m torchthaw run {word} pip wheel --no-deps ."


def as_json(path: str, answer: Answer) -> str:
    """The answer as one object."""
    uses = {name: [use._asdict() for use in getattr(answer, name)] for name in ("missing", "newer")}
    return json.dumps({"path": str(path), **answer._asdict(), **uses, "oldest": answer.oldest}, indent=2)


def _without_cuda(code):
    """``code`` with blanks in place of the parts that only a build for a GPU compiles."""
    for start, end, tests in conditions(code):
        if any(map(_needs_device, tests)):
            code = code[:start] + re.sub(r"[^\n]", " ", code[start:end]) + code[end:]
    return code


def _needs_device(test):
    """Whether a condition, such as ``ifdef WITH_CUDA`` or ``else ifndef WITH_CUDA``, holds in a build for a GPU alone."""
    is_else = test.startswith("else ")
    test = test.removeprefix("else ").split(" else ")[0]
    is_negated = test.startswith("ifndef") or "!" in test
    return bool(DEVICE.search(test)) and is_negated == is_else


def _used(project, file, code):
    """(name, place) of the headers, macros and qualified names of PyTorch and pybind11 in a file."""
    aliases = {"py": "pybind11", **dict(ALIAS.findall(code))}
    text = project.texts[file]
    for match in INCLUDE.finditer(text):
        is_code = code[match.start()] == "#"  # neither in a comment, nor for a GPU
        if is_code and OF_PYTORCH.match(match[1]) and not project.has_file(match[1]):
            yield match[1], match.start()
    for match in re.finditer(rf"(?<![\w:])(?:::)?\b({'|'.join({*ROOTS, *aliases})})((?:::[A-Za-z_]\w*)+)", code):
        yield f"{aliases.get(match[1], match[1])}{match[2]}", match.start()
    for match in MACRO.finditer(code):
        if match[0] not in project_flags.OWN_MACROS:
            yield match[0], match.start()


def _first(project, code, hits):
    """{name: its first Use} of {file: [(name, place)]}."""
    found = {}
    for file, places in hits.items():
        for name, at in sorted(places, key=lambda place: place[1]):
            found.setdefault(name, Use(name, _name(project, file), code[file].count("\n", 0, at) + 1))
    return found


def _name(project, file):
    return file.relative_to(project.root).as_posix()
