"""torchthaw/modernize/writing.py: the new project's files, written as a whole or not at all, or as a diff."""

import contextlib
import difflib
import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import NamedTuple

from ..base.printing import diff_name
from ..base.writing import write as write_file
from .project import Refused


class Content(NamedTuple):
    """A file of the new project. old: its path in the old one, or None for a new file."""

    data: bytes
    is_program: bool = False
    old: str | None = None


def output_folder(project, given):
    """Where the result goes: ``given``, else beside the project; Refused where something is there."""
    folder = Path(os.path.abspath(given or project.root.with_name(f"{project.root.name}-modernized")))
    real = Path(os.path.realpath(folder))
    if real.is_relative_to(project.root):
        raise Refused(f"--output: expected a folder outside of PROJECT, which is only read, got {str(folder)!r}")
    if folder.is_dir():
        names = sorted(os.listdir(folder))
        if names:
            more = f" and {len(names) - 1} more" if len(names) > 1 else ""
            expected = "--output: expected a folder that is empty or not there"
            raise Refused(f"{expected}, got {str(folder)!r}, which has {names[0]}{more}")
    elif os.path.lexists(folder):
        raise Refused(f"--output: expected a folder, got {str(folder)!r}, which is a file")
    return folder


@contextlib.contextmanager
def written(contents, folder):
    """Writes {path: Content} below a folder beside ``folder``, and gives that; it becomes ``folder`` at the end of the
    block, in one step. After an exception, also one of Ctrl-C, nothing is there.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        made = temporary / folder.name  # mkdtemp's own folder is for this user alone
        made.mkdir()
        for name, content in contents.items():
            path = made / name
            path.parent.mkdir(parents=True, exist_ok=True)
            write_file(path, content.data)
            if content.is_program:
                path.chmod(path.stat().st_mode | 0o111)
        yield made
        os.rename(made, folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def diff(project, contents):
    """A diff, in bytes, from the old project to the new one, as git writes and applies it."""
    parts, seen = [], set()
    for name in sorted(contents):
        content = contents[name]
        old = project.files[content.old].data() if content.old else b""
        seen.add(content.old)
        if content.old is None:
            parts += _file(name, name, b"new file mode %b\n" % _mode(content))
            parts += _changes("/dev/null", f"b/{name}", old, content.data)
        elif content.old != name or old != content.data:
            moved = (b"rename from %b\nrename to %b\n" % (diff_name(content.old), diff_name(name))
                     if content.old != name else b"")  # fmt: skip
            parts += _file(content.old, name, moved) + _changes(f"a/{content.old}", f"b/{name}", old, content.data)
    for name in project.files:
        if name not in seen:
            parts += _file(name, name, b"deleted file mode %b\n" % _mode(project.files[name]))
            parts += _changes(f"a/{name}", "/dev/null", project.files[name].data(), b"")
    return b"".join(parts)


def _mode(file):
    return b"100755" if file.is_program else b"100644"


def _file(old, new, what):
    return [b"diff --git %b %b\n" % (diff_name(f"a/{old}"), diff_name(f"b/{new}")), what]


def _changes(before, after, old, new):
    if old == new:
        return []
    names = [diff_name(name) for name in (before, after)]
    if b"\0" in old + new:
        return [b"Binary files %b and %b differ\n" % tuple(names)]
    lines = [re.findall(rb"[^\n]*\n|[^\n]+", data) for data in (old, new)]
    return [
        line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n"
        for line in difflib.diff_bytes(difflib.unified_diff, *lines, *names)
    ]


def changed_lines(old, new):
    """(removed, added): how many lines two texts do not share."""
    removed = added = 0
    for what, first, last, new_first, new_last in difflib.SequenceMatcher(
        None, old.splitlines(), new.splitlines(), autojunk=False
    ).get_opcodes():
        if what != "equal":
            removed, added = removed + last - first, added + new_last - new_first
    return removed, added
