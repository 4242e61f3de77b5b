"""torchthaw/doctor/shared_objects/compare.py: what a shared object needs, beside what is here and what each PyTorch has."""

import platform
import re
from typing import NamedTuple

from ...portable.symbols import OF_PYTORCH
from . import here, pytorch_table
from .needs import Needs, defined, numbers, readable

OF_PYTHON = re.compile(r"_?Py[A-Z_]\w*")
CUDA = re.compile(r"libcudart\.so\.(\d+)")
CUDA_OF_PYTORCH = re.compile(r"lib(?:c10|torch)_cuda\w*\.so")
OF_PYTORCH_FILE = re.compile(r"lib(?:c10|torch|shm|caffe2)\w*\.so")
NEW_STRING, OLD_STRING = "std::__cxx11::", re.compile(r"\bstd::(?:basic_string<char,|string\b)")


class Answer(NamedTuple):
    """What is said of one shared object.

    names: how many names of PyTorch it needs. versions: those of the table that have all of them; else nearest: those
    that lack fewest, and lacking: these names. strings: "new" or "old", the C++ ABI of its strings, or "". cuda: the
    major version of CUDA that it was linked with, or "". absent: the names that the PyTorch here lacks.
    wrong: {"machine" | "pytorch" | "cuda" | "libraries" | "glibc" | "names": why it does not load here}.
    """

    needs: Needs
    names: int
    versions: list[str]
    nearest: list[str]
    lacking: list[str]
    strings: str
    cuda: str
    absent: list[str]
    wrong: dict[str, str]


class Whole(NamedTuple):
    """What is said of a file or a wheel.

    python: as ``needs.read`` has it. versions: those that have all names of all files; files: the Answer of each.
    wrong: {"python": why no file loads here}, or nothing.
    """

    python: str
    versions: list[str]
    files: list[Answer]
    wrong: dict[str, str]


def compare(python: str, files: list[Needs]) -> Whole:
    """What is said of the shared objects of one wheel, or of one alone."""
    beside = {each.file.name: each.file for each in files}
    answers = [_answer(each, beside) for each in files]
    using = [set(answer.versions) for answer in answers if answer.names]
    versions = [
        version for version in pytorch_table.read().versions if using and all(version in each for each in using)
    ]
    wrong = {"python": f"it was built for CPython {python}, this is {here.PYTHON}"} if _is_other(python) else {}
    return Whole(python, versions, answers, wrong)


def _is_other(python):
    """Whether a file for these Pythons, as ``needs.read`` has them, is not for this one."""
    if python.endswith("later"):  # of the stable ABI, which Python without the GIL has not
        return here.PYTHON.endswith("t") or numbers(here.PYTHON) < numbers(python)
    return python not in ("", here.PYTHON)


def _answer(needs, beside):
    found = {
        library: beside.get(library) or here.find(library, needs.folders, needs.file.parent)
        for library in needs.libraries
    }
    own = {name for library in _own(found, needs, beside) for name in defined(library)}
    names = sorted(name for name in needs.names - own if OF_PYTORCH.match(name))
    listed = {name: pytorch_table.read().having(name) for name in names if pytorch_table.is_listed(name)}
    versions, nearest, lacking = _fitting(listed if needs.machine == pytorch_table.MACHINE else {})
    had = here.pytorch_names(needs.libraries) if names and here.pytorch() else set()
    absent = [name for name in names if name not in had] if had else []
    cuda = next((match[1] for match in map(CUDA.match, needs.libraries) if match), "")
    wrong = {
        "machine": _machine(needs), "pytorch": _pytorch(needs, names, absent), "cuda": _cuda(cuda),
        "libraries": _libraries(found), "glibc": _glibc(needs), "names": _of_python(needs.names - had - own),
    }  # fmt: skip
    return Answer(
        needs, len(names), versions, nearest, readable(lacking), _strings(readable(names)), cuda, readable(absent),
        {what: why for what, why in wrong.items() if why},
    )  # fmt: skip


def _own(found, needs, beside):
    """The files of the libraries that belong to the same wheel, or that the shared object's own folders have."""
    for library, file in found.items():
        if file and (library in beside or needs.file.parent in file.parents) and not OF_PYTORCH_FILE.match(library):
            yield file


def _fitting(listed):
    """(versions that have all names; else those that lack fewest, and which names)."""
    if not listed:
        return [], [], []
    all_versions = pytorch_table.read().versions
    lacked = {version: [name for name in listed if version not in listed[name]] for version in all_versions}
    fewest = min(map(len, lacked.values()))
    best = [version for version in all_versions if len(lacked[version]) == fewest]
    return ([], best, lacked[best[-1]]) if fewest else (best, [], [])


def _strings(names):
    """The ABI of std::string in names of PyTorch."""
    if any(NEW_STRING in name for name in names):
        return "new"
    return "old" if any(map(OLD_STRING.search, names)) else ""


def _machine(needs):
    this = platform.machine()
    return f"it was built for {needs.machine}, this is {this}" if needs.machine != this else ""


def _pytorch(needs, names, absent):
    there = here.pytorch()
    if there is None:
        return "this Python has no PyTorch" if names or any(map(OF_PYTORCH_FILE.match, needs.libraries)) else ""
    lacks = f"lacks {len(absent)} of the names that it needs"
    if any(map(CUDA_OF_PYTORCH.match, needs.libraries)) and not there.cuda:
        more = f", and {lacks}" if absent else ""
        return f"it needs PyTorch's build for CUDA; PyTorch {there.version} here is that for the CPU{more}"
    return f"PyTorch {there.version} here {lacks}" if absent else ""


def _cuda(cuda):
    there = here.pytorch()
    if not cuda or there is None or not there.cuda or there.cuda.partition(".")[0] == cuda:
        return ""
    return f"it was linked with CUDA {cuda}, PyTorch {there.version} here with CUDA {there.cuda}"


def _libraries(found):
    """Libraries that are not found. That PyTorch's and Python's own are missing is said in other words."""
    absent = [
        name for name, file in found.items()
        if file is None and not name.startswith("libpython") and not OF_PYTORCH_FILE.match(name)
    ]  # fmt: skip
    return f"not found: {', '.join(absent)}" if absent else ""


def _glibc(needs):
    """Versions of the C and the C++ library that are higher than those of this machine."""
    had = {"GLIBC": here.glibc()}
    had |= {kind: here.highest("libstdc++.so.6", kind) for kind in ("GLIBCXX", "CXXABI") if kind in needs.versions}
    return "; ".join(
        f"it needs {kind} {needs.versions[kind]}, here is {version}"
        for kind, version in had.items()
        if version and numbers(needs.versions.get(kind, "0")) > numbers(version)
    )


def _of_python(names):
    absent = sorted(name for name in names if OF_PYTHON.fullmatch(name) and not here.python_has(name))
    return f"Python {here.PYTHON} lacks {', '.join(absent)}" if absent else ""
