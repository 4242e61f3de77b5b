"""torchthaw/doctor/project.py: the files of a legacy project, read once."""

import ast
import os
import re
from functools import cached_property
from pathlib import Path

from ..base import reading
from . import age, headers, symbols
from .reading.source import C_TOKENS, PYTHON_TOKENS, blank
from .reading.textfile import LEFT_OVER, TextFile, Unreadable
from .reading.tree import TooDeep, Tree
from .rules import CYTHON, PYTHON, SHELL, C

PYTHON_FILES = {".py"}
CYTHON_FILES = {".pyx", ".pxd", ".pxi"}
C_FILES = {".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".cu", ".cuh"}
SHELL_FILES = {".sh", ".bash", ".cmake", ".mk"}
SHELL_NAMES = {"Makefile", "makefile", "GNUmakefile", "CMakeLists.txt"}
BINARIES = {".so", ".o", ".pyd", ".a", ".dylib"}
OURS = b"torchthaw.bridge"  # in every extension that this torch.utils.ffi built
MOST_OF_BINARY = 256 << 20  # bytes of a file that is looked into for that
LEFT_OVER_NAME = re.compile(rf"{re.escape(LEFT_OVER)}[a-z0-9_]{{8}}")  # as mkstemp makes them
SKIPPED = {"__pycache__", "node_modules", "site-packages"}

PROTOTYPE = re.compile(r"\b(\w+)\s*\(([^(){};]*\bTH\w*(?:Tensor|Storage)\b[^(){};]*)\)\s*;")
METHOD = re.compile(r"^[ \t]+def (\w+)\(", re.MULTILINE)
FUNCTION = re.compile(r"\bdef (\w+)\(")
# What PyTorch has since 0.4.0.
SINCE_04 = re.compile(
    r"\btorch\.(?:no_grad|enable_grad|set_grad_enabled|device|tensor|cuda\.amp)\b|\balign_corners\b|"
    r"\bcpp_extension\b|\.interpolate\("
)
CALLABLE = re.compile(r"\b(?:def|class)\s+(\w+)\s*(\((?:[^()]|\([^()]*\))*\))?")
INCLUDE = re.compile(r'#\s*include\s*[<"]([^>"\n]+)[>"]')


def kind(path):
    """PYTHON, C, SHELL, CYTHON, "binary", or None for a file that is passed over, such as one that is called ``.py``."""
    name = os.path.basename(path)
    suffix = os.path.splitext(name)[1]
    if name in SHELL_NAMES or suffix in SHELL_FILES:
        return SHELL
    if suffix in BINARIES or re.search(r"[^.].*\.so\.\d+(\.\d+)*$", name):
        return "binary"
    if suffix in CYTHON_FILES:
        return CYTHON
    return PYTHON if suffix in PYTHON_FILES else C if suffix in C_FILES else None


def is_python(path):
    return kind(path) == PYTHON


def files_below(path):
    """(files, errors, left_over): those below ``path`` that say something about a project, in order; what os.walk could
    not read; what an --apply that was killed left. ``path`` itself if it is no folder."""
    if not path.is_dir():
        return [path], [], []
    found, errors, left_over = [], [], []
    for folder, names, members in os.walk(path, onerror=errors.append):
        names[:] = sorted(name for name in names if name not in SKIPPED and not name.startswith("."))
        found += [Path(folder, member) for member in sorted(members) if kind(member)]
        left_over += [Path(folder, member) for member in sorted(members) if LEFT_OVER_NAME.fullmatch(member)]
    return found, errors, left_over


def named_files(folder, names):
    """The files that names in a file of ``folder`` are, resolved; without those that are not there, and those with a
    character that no path can have.
    """
    return {(folder / name).resolve() for name in names if os.path.exists(folder / name)}


def without_text(file, text):
    """The code of a C or Python file with its comments and strings blanked."""
    return blank(text, C_TOKENS if kind(file) == C else PYTHON_TOKENS, ("comment", "string"))


def _beside(path, text):
    """{C or PYTHON: the code of the files in the folder of ``path``, and of what it includes from others}."""
    found = {}
    for file in {*path.parent.iterdir(), *(path.parent / name for name in INCLUDE.findall(text))} - {path}:
        if kind(file) in (C, PYTHON):
            try:
                root = path.parent if reading.is_inside(file, path.parent) else file.parent
                code = without_text(file, TextFile(file, kind(file) == PYTHON, root).text)
                found.setdefault(kind(file), []).append(code)
            except Unreadable:
                pass
    return found


class Project:
    """The files at ``path`` and their texts; OSError where ``path`` is not there.

    chosen: the files to read, where these are not all that say something about a project.
    sources: {file: TextFile}. binaries: {file: whether this torch.utils.ffi built it}.
    unreadable: {file or folder: why it is passed over}. parts: {package: its modules that are imported as parts of it
        alone}, which implicit_imports.py finds.
    """

    def __init__(self, path, chosen=None):
        path = Path(path)
        if not os.path.lexists(path):
            raise FileNotFoundError(f"expected a folder or a file, got {str(path)!r}, which does not exist")
        self.root = path if path.is_dir() else path.parent
        self.files, errors, self.left_over = files_below(path) if chosen is None else (chosen, [], [])
        self.unreadable = {Path(error.filename): f"it cannot be read: {error.strerror}" for error in errors}
        self.sources, self.binaries, self.parts, self._classes, self._trees = {}, {}, {}, {}, {}
        # A file that is named alone may be a link.
        self._limit = self.root if path.is_dir() else Path(os.path.realpath(path)).parent
        for file in self.files:
            try:
                if kind(file) == "binary":
                    self.binaries[file] = reading.contains(file, OURS, MOST_OF_BINARY, self._limit)
                else:
                    self.sources[file] = TextFile(file, kind(file) == PYTHON, self._limit)
            except Unreadable as error:
                self.unreadable[file] = str(error)
        self.texts = {file: source.text for file, source in self.sources.items()}
        # C and Python code without comments and strings.
        self.code = {
            file: blank(text, C_TOKENS, ("comment", "string")) for file, text in self.texts.items() if kind(file) == C
        }
        self.python = {file: without_text(file, text) for file, text in self.texts.items() if kind(file) == PYTHON}
        # A single file's names may come from those beside it.
        beside = {} if path.is_dir() else _beside(path, self.texts.get(path, ""))
        self._all_c = [*self.code.values(), *beside.get(C, ())]
        self._all_python = [*self.python.values(), *beside.get(PYTHON, ())]

    def settings(self, name):
        """The text of a file of settings in its folder, such as setup.cfg; None without one that can be read."""
        try:
            return TextFile(self.root / name, False, self._limit).text
        except Unreadable:
            return None

    @cached_property
    def headers(self):
        """What cffi reads of its headers, a headers.Headers."""
        return headers.Headers(self)

    @cached_property
    def age(self):
        """How old its code can be, an age.Age."""
        return age.of(self)

    @cached_property
    def own_names(self):
        """What its C code defines or declares itself."""
        return symbols.Names(self._all_c)

    @cached_property
    def methods(self):
        """The names of the methods that its classes define."""
        return set().union(*(METHOD.findall(code) for code in self._all_python))

    @cached_property
    def functions(self):
        """The names of the functions and methods that it defines."""
        return set().union(*(FUNCTION.findall(code) for code in self._all_python))

    def classes(self, name):
        """[(Tree, node)] of the classes by a name that its Python files define."""
        if name not in self._classes:
            having = [file for file, code in self.python.items() if re.search(rf"\bclass {name}\b", code)]
            trees = [tree for tree in map(self.tree, having) if tree]
            self._classes[name] = [
                (tree, each) for tree in trees for each in tree.all(ast.ClassDef) if each.name == name
            ]
        return self._classes[name]

    def tree(self, file):
        """The Tree of a file as it is; None where Python 3 cannot read it."""
        if file not in self._trees:
            try:
                self._trees[file] = Tree(self.texts[file])
            except (SyntaxError, TooDeep):
                self._trees[file] = None
        return self._trees[file]

    @cached_property
    def is_for_04(self):
        """Whether it uses what came with PyTorch 0.4.0 or later."""
        return any(SINCE_04.search(code) for code in self._all_python)

    @cached_property
    def takes_async(self):
        """The names of its functions with a parameter ``async``, and of the classes in their files."""
        found = set()
        for code in self._all_python:
            callables = CALLABLE.findall(code)
            named = {name for name, parameters in callables if re.search(r"\basync\b", parameters)}
            if "__init__" in named:
                named |= set(re.findall(r"\bclass (\w+)", code))
            found |= named
        return found

    @cached_property
    def modules(self):
        """The names of its modules and packages, without folders."""
        python = [file for file in self.files if kind(file) == PYTHON]
        return {file.stem for file in python} | {file.parent.name for file in python if file.parent != self.root}

    def has_file(self, name):
        """Whether one of its files has a path that ends with ``name``, such as ``torch/own.h``."""
        return Path(name).parts in self._endings

    @cached_property
    def _endings(self):
        """The ends of the paths of its files, as parts."""
        paths = [file.relative_to(self.root).parts for file in self.files]
        return {parts[start:] for parts in paths for start in range(len(parts))}

    @cached_property
    def _by_name(self):
        """{name without folders: the C files that have it}."""
        found = {}
        for file in self.code:
            found.setdefault(file.name, []).append(file)
        return found

    def reached(self, files):
        """These C files, and those of the project that they include, at any depth."""
        found, left = set(), list(files)
        while left:
            file = left.pop()
            if file not in found and file in self.code:
                found.add(file)
                left += [each for name in INCLUDE.findall(self.code[file]) for each in self._included(file, name)]
        return found

    def _included(self, file, name):
        """The file that ``name`` is beside ``file``; else those with a path that ends with it, as -I may name any."""
        beside = Path(os.path.normpath(file.parent / name))
        if beside in self.code:
            return [beside]
        parts = tuple(part for part in Path(name).parts if part not in ("..", "."))
        return [each for each in self._by_name.get(Path(name).name, ()) if each.parts[-len(parts) :] == parts]

    @cached_property
    def parameter_counts(self):
        """{C function with tensors, declared in a header: how many parameters it has}, where that is one number."""
        counts = {}
        for file, code in self.code.items():
            if file.suffix == ".h":
                for name, parameters in PROTOTYPE.findall(code):
                    counts.setdefault(name, set()).add(parameters.count(",") + 1)
        return {name: min(count) for name, count in counts.items() if len(count) == 1}

    @cached_property
    def extension_names(self):
        """The names that create_extension is given, without the packages above the last: ``_ext.nms``."""
        named = (
            name for text in self.texts.values() for name in re.findall(r"create_extension\(\s*['\"]([\w.]+)", text)
        )
        return {".".join(name.split(".")[-2:]) for name in named}
