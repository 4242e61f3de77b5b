"""torchthaw/doctor/implicit_imports.py: imports in a package of what lies beside the file, where Python 2 looked
first.
"""

import os
import re
import sys

from .findings import Edit
from .matching import Hit
from .reading import search_paths
from .rules import CHECK, EDIT

IMPORT = re.compile(r"^(\s*)(?:from (\w+)((?:\.\w+)*) import\b|import (\w+)(?=\s*(?:$|\bas\b)))")
# Dots, module and names of one import; or the modules of the other.
ANY = re.compile(
    r"^[ \t]*(?:from[ \t]+(\.*)[ \t]*([\w.]*)[ \t]+import\b[ \t]*(\([^)]*\)|[^\n;]*)|import[ \t]+([^\n;]+))",
    re.MULTILINE,
)
# Libraries that no module beside a file stands for, whatever its name.
LIBRARIES = {"torch", "torchvision", "numpy", "scipy"}
ABSOLUTE = re.compile(r"^from __future__ import\b.*\babsolute_import\b", re.MULTILINE)
SCRIPT = re.compile(r"\A#!|\b__name__\s*==\s*['\"]__main__")
MESSAGE = "in a package Python 3 needs the dot"
OTHERWISE = f"{MESSAGE}; without it only scripts started in this folder find it"


def hits(text, code, project, file, guarded):
    """A Hit for each such import; certain where the file is only ever a part of its package.

    guarded: the spans of imports whose error is caught.
    """
    for name, edit in _implicit(text, code, project, file):
        beside = any(os.path.exists(file.parent / each) for each in (f"{name}.py", f"{name}/__init__.py"))
        caught = any(start <= edit.start < end for start, end in guarded)
        if beside and not caught and not project.age.python and file.stem in _of_package(project, file.parent):
            yield Hit(edit.start, EDIT, "implicit-import", MESSAGE, (edit,), True)
        else:
            yield Hit(edit.start, CHECK, "implicit-import", OTHERWISE, (edit,))


def _implicit(text, code, project, file):
    """(name, the edit that makes it explicit) of each import of what lies beside the file."""
    package = file.parent / "__init__.py"
    if not package.exists() or ABSOLUTE.search(code) or search_paths.may_add(text, code, file.parent):
        return
    if package in project.python and search_paths.may_add(project.texts[package], project.python[package], file.parent):
        return
    outside = {path.stem if path.is_file() else path.name for path in project.root.iterdir()}
    packages = {folder.name for folder in file.parents}
    position = 0
    for line in code.split("\n"):
        match = IMPORT.match(line)
        name = match and (match[2] or match[4])
        start, position = position, position + len(line) + 1
        if not name or name in {"__main__", file.stem} | LIBRARIES | packages | sys.stdlib_module_names:
            continue
        if name in outside and file.parent != project.root:
            continue
        if os.path.exists(file.parent / f"{name}.py") or os.path.isdir(file.parent / name):
            new = f"from .{name}{match[3]} import" if match[2] else f"from . import {name}"
            yield name, Edit(start + match.end(1), start + match.end(), new)


def _of_package(project, folder):
    """The modules of a package that are only ever imported as its parts: no scripts, nor what scripts import."""
    if folder not in project.parts:
        project.parts[folder] = _parts(project, folder) if folder != project.root else set()
    return project.parts[folder]


def _parts(project, folder):
    files = {file.stem: file for file in project.python if file.parent == folder}
    beside = {
        name: {each for each, _ in _implicit(project.texts[file], project.python[file], project, file)}
        for name, file in files.items()
    }
    explicit, alone, every = _imported(project, folder)
    parts = _closure({"__init__", *explicit}, beside)
    scripts = {name for name, file in files.items() if SCRIPT.search(project.texts[file])}
    return parts - _closure(alone | scripts | files.keys() - parts, every) | {"__init__"}


def _closure(names, beside):
    """These modules and those that they import from beside them, at any depth."""
    found, left = set(), list(names)
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += beside.get(name, ())
    return found


def _imported(project, folder):
    """(the modules of a package that files import as its parts, the names that files elsewhere import alone, {module of
    the package: the names that it imports alone})."""
    parts, alone, every = set(), set(), {}
    for file, code in project.python.items():
        for dots, module, names, modules in ANY.findall(code):
            if modules:
                named = [each.split()[0] for each in modules.split(",") if each.strip()]
            else:
                named = [f"{module}.{name}".strip(".") for name in re.findall(r"\w+", names) or [""]]  # "": all
            for path in (each.split(".") for each in named):
                if dots:
                    base = [*file.parents][min(len(dots), len(file.parents)) - 1]
                    parts |= {name for place, name in enumerate(path) if base.joinpath(*path[:place]) == folder}
                    continue
                parts |= {name for package, name in zip(path, path[1:]) if package == folder.name}
                own = {file.parent / f"{path[0]}.py", file.parent / path[0] / "__init__.py"}
                if file.parent == folder:
                    every.setdefault(file.stem, set()).add(path[0])
                elif not own & project.python.keys():
                    alone.add(path[0])
    return parts, alone, every
