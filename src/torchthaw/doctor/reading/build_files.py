"""torchthaw/doctor/reading/build_files.py: the headers, sources and objects that build files name."""

import ast
import os
import re
from pathlib import Path

from ..matching import Hit
from ..project import C_FILES, kind
from ..rules import CHECK, EDIT, PYTHON, SHELL, WORKS
from .build_calls import build_calls


class BuildFile:
    """A Python file that calls create_extension: its Tree and calls."""

    def __init__(self, project, file, tree):
        self.project, self.file, self.tree = project, file, tree
        self.calls = build_calls(tree)

    def place(self, name):
        """The file that a name in the build file is: relative to its folder, those above, or the project's."""
        folders = [self.file.parent, *self.file.parent.parents]
        folders = folders[: folders.index(self.project.root) + 1] if self.project.root in folders else folders[:1]
        return next((folder / name for folder in folders if os.path.exists(folder / name)), None)

    def files(self, argument):
        """The files that exist of what any call may be given for ``argument``."""
        names = {name for call in self.calls for files in call.lists[argument] for name, _ in files or ()}
        return {place.resolve() for place in map(self.place, names) if place}

    def hits(self):
        """What the calls name and is not there, objects, and headers that repeat each other."""
        for call in self.calls:
            yield from self._missing(call)
            yield from self._repeated(call)
        yield from self._objects()

    def _missing(self, call):
        for argument in ("headers", "sources"):
            alternatives = call.lists[argument]
            for name, node in {name: (name, node) for files in alternatives for name, node in files or ()}.values():
                if self.place(name) or Path(name).suffix not in C_FILES:
                    continue
                always = all(files is not None and name in dict(files) for files in alternatives)
                elsewhere = [file for file in self.project.files if file.name == Path(name).name]
                message = f"{argument}: {name} is not there"
                message += f"; {elsewhere[0].relative_to(self.project.root).as_posix()} is" if elsewhere else ""
                if self._is_made(Path(name).name):
                    message += " yet: a script of the project names it too, and may make it"
                    always = False
                yield Hit(self.tree.start(node), EDIT if always else CHECK, "missing-file", message)

    def _is_made(self, name):
        """Whether a script of the project names this file, or a Python file makes it by a command with ``-o``."""
        named = re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w.-])")
        made = re.compile(rf"-o\b[\s'\",]*[^\s'\"]*{named.pattern}")
        return any(
            (made if kind(file) == PYTHON else named).search(text)
            for file, text in self.project.texts.items() if kind(file) in (PYTHON, SHELL)
        )  # fmt: skip

    def _repeated(self, call):
        for files in call.lists["headers"]:
            headers = [place for place in (self.place(name) for name, _ in files or ()) if place]
            error_of = self.project.headers.error_of
            if len(headers) > 1 and not any(error_of([header]) for header in headers):
                match = re.search(r"multiple declarations of function (\w+)", error_of(headers) or "")
                if match:
                    message = f"two of its headers declare {match[1]}, or one is named twice"
                    yield Hit(self.tree.start(call.node), EDIT, "header", message)
                    return

    def _objects(self):
        """Compiled objects: each needs a source beside it, a script that makes it, or to be there."""
        names = {file.name for file in self.project.files}
        for node in self.tree.all(ast.Constant):
            name = node.value if isinstance(node.value, str) else ""
            if not name.endswith(".o") or len(name.split()) != 1:
                continue
            stem = Path(name).name.removesuffix(".o").removesuffix(".cu")
            by_nvcc = {f"{stem}.cu", f"{stem}_kernel.cu"}
            by_others = {stem, *(f"{stem}{suffix}" for suffix in C_FILES)}  # x.cpp.o of x.cpp
            if by_nvcc & names:
                message = "is built from its source when CUDA is there, and left out of a build for the CPU"
                yield Hit(self.tree.start(node), WORKS, "object", f"{name} {message}")
            elif not by_others & names and Path(name).name not in names and not self._is_made(Path(name).name):
                message = f"there is no source for it, such as {stem}.cu, and no object"
                yield Hit(self.tree.start(node), EDIT, "object", f"{name}: {message}")
