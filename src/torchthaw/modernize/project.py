"""torchthaw/modernize/project.py: the files of an old project, which are only read."""

import os
import re
import stat
from pathlib import Path
from typing import NamedTuple

from ..base import reading
from ..doctor.project import is_python
from ..doctor.reading.textfile import TextFile, Unreadable
from .remarks import Remark

# What tools leave, and what a version control keeps.
SKIPPED = {
    ".git", ".hg", ".svn", ".bzr", "__pycache__", ".venv", ".tox", ".nox", ".eggs", ".pytest_cache", ".mypy_cache",
    ".ipynb_checkpoints", "node_modules", "site-packages",
}  # fmt: skip
BYTECODE = (".pyc", ".pyo")
MOST = 100 << 20  # bytes of a file that the new project has, too


class Refused(RuntimeError):
    """Why a project is not modernized: ``argument: what was expected, what came``. Nothing was written."""


class File(NamedTuple):
    """path: where it is read. is_program: it may be executed."""

    path: Path
    is_program: bool
    root: Path

    def data(self):
        return reading.read_bytes(self.path, MOST, self.root)


class Project:
    """The files below ``path``; Refused where that is no folder.

    root: the folder, without links in its path. files: {path relative to it, with /: File}, sorted.
    remarks: a Remark of kind "look" for each file that is left out because it is no file of this project.
    """

    def __init__(self, path):
        if not os.path.isdir(path):
            got = "which is a file" if os.path.exists(path) else "which does not exist"
            raise Refused(f"PROJECT: expected the folder of a project, got {str(path)!r}, {got}")
        self.root = Path(path).resolve()
        self.files, self.remarks, self._texts = {}, [], {}
        self._walk(self.root, "", [self.root])
        self.files = dict(sorted(self.files.items()))

    def _walk(self, folder, prefix, above):
        """Adds the files of one folder. ``above``: the real folders on the way to it, so that no link is a cycle."""
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            self._leave_out(prefix.rstrip("/"), f"it cannot be read: {error.strerror}")
            return
        for entry in entries:
            name, real = prefix + entry.name, Path(os.path.realpath(entry.path))
            if entry.name in SKIPPED or entry.name.endswith((*BYTECODE, ".egg-info")):
                continue
            if entry.is_symlink() and not self._is_inside(name, entry, real, above):
                continue
            if entry.is_dir():
                if not is_built(real):
                    self._walk(real, f"{name}/", [*above, real])
            elif entry.is_file():
                self._add(name, real)
            else:
                self._leave_out(name, "it is no regular file")

    def _is_inside(self, name, entry, real, above):
        """Whether a symbolic link leads to a file or folder of the project; its content is taken then."""
        target = os.readlink(entry.path)
        if not real.exists():
            self._leave_out(name, f"a symbolic link to {target}, which is not there")
        elif not real.is_relative_to(self.root):
            self._leave_out(name, f"a symbolic link to {target}, outside of the project; copy what it needs")
        elif real in above:
            self._leave_out(name, f"a symbolic link to {target}, a folder that it is in")
        else:
            message = f"a symbolic link to {target}: the result has what it leads to"
            self.remarks.append(Remark(name, 0, "symlink", message, "done"))
            return True
        return False

    def _add(self, name, real):
        try:
            reading.check(real, MOST, self.root)
            self.files[name] = File(real, bool(os.stat(real).st_mode & stat.S_IXUSR), self.root)
        except Unreadable as error:
            self._leave_out(name, str(error))

    def _leave_out(self, name, why):
        self.remarks.append(Remark(name, 0, "left-out", why, "look"))

    def text(self, name):
        """The TextFile of a file; None where it cannot be read as one."""
        if name not in self._texts:
            try:
                self._texts[name] = TextFile(self.files[name].path, is_python(name), self.root)
            except Unreadable:
                self._texts[name] = None
        return self._texts[name]

    def relative(self, path):
        """The path of a file or folder relative to the root, with /, ``""`` for the root; None outside of it."""
        path = os.path.normpath(self.root / path)
        if not os.path.lexists(path):
            path = Path(path)
        elif not Path(path).is_relative_to(self.root):
            path = Path(os.path.realpath(path))
        inside = Path(path)
        if not inside.is_relative_to(self.root):
            return None
        found = inside.relative_to(self.root).as_posix()
        return "" if found == "." else found

    def below(self, folder):
        """The paths of the files in a folder and below it."""
        prefix = f"{folder}/" if folder else ""
        return [name for name in self.files if name.startswith(prefix)]

    def has_folder(self, folder):
        return not folder or any(name.startswith(f"{folder}/") for name in self.files)


def is_built(folder):
    """Whether a folder ``build`` or ``dist`` is what setup.py makes."""
    names = [entry.name for entry in os.scandir(folder)] if os.access(folder, os.R_OK) else []
    if folder.name == "build":
        return any(re.match(r"(?:lib|temp|bdist)(?:\.|$)", name) for name in names)
    return (
        folder.name == "dist" and bool(names) and all(name.endswith((".whl", ".egg", ".gz", ".zip")) for name in names)
    )
