"""torchthaw/extension/record.py: what a build was made of, by content, so that the next one knows whether to build."""

import json
import os
from pathlib import Path
from typing import NamedTuple

from ..base import child, toolchain, writing
from . import unlisted
from .unlisted import digest


class Record(NamedTuple):
    """What one product was made of.

    facts: the options, flags and generated files, as text.
    compilers: the toolchain.identity() of each, and what they read of the environment.
    objects: for each object the files that its compiler read, ``{path: digest}``.
    looked_for: for each object where other files may hide these, see _looked_for().
    unlisted: for each object what its compiler does not list, ``[files, what unlisted.of() finds in them]``.
    folders: where the compilers run, and the folders that they look into.
    """

    facts: str
    compilers: list
    objects: dict
    looked_for: dict
    unlisted: dict
    folders: list

    def holds(self, facts, compilers):
        """Whether a build would give the same product now."""
        return (self.facts, self.compilers) == (facts, compilers) and not self.outdated()

    def outdated(self):
        """The objects of which some file has other content now, or is hidden by another one."""
        return [name for name in self.objects if self._has_changed(name)]

    def _has_changed(self, name):
        files, looked_for = self.objects[name], self.looked_for[name]
        if any(digest(path) != files[path] for path in files):
            return True
        sources, found = self.unlisted[name]
        if unlisted.UNKNOWN in found.values() or unlisted.of(sources, self.folders[1:], self.folders[0]) != found:
            return True
        names = {folder: set(below) for folder, below in looked_for["names"].items()}
        return any(_is_hidden(found, _found(folder, names)) for folder, found in looked_for["found"].items())

    def write(self, path):
        writing.write(path, json.dumps(self._asdict()))


def read(path):
    """The Record in a file; None without one that can be read."""
    try:
        return Record(**json.loads(path.read_text("utf-8")))
    except (FileNotFoundError, ValueError, TypeError):
        return None


def of(folder, facts, compilers, started, searched):
    """The Record of what ninja just built in ``folder``.

    A file that was written or moved there since ``started``, as time.time_ns() has it, may not be what the compiler
    read: it counts as one that has other content now. searched: the header_folders.Folders of the build.
    """
    text = child.answer([toolchain.tool("ninja"), "-C", folder, "-t", "deps"]).out
    objects, current = {}, None
    for line in text.splitlines():
        if line.startswith("    "):
            path = Path(os.path.normpath(folder / line[4:]))
            if folder not in path.parents:  # what is generated there follows from the facts
                known = path.exists() and path.stat().st_ctime_ns <= started
                objects[current][os.fspath(path)] = digest(path) if known else "written meanwhile"
        elif line and ": #deps" in line:
            current = line.partition(": #deps")[0]
            objects[current] = {}
    looked_for = {name: _looked_for(files, searched) for name, files in objects.items()}
    folders, not_listed = [*map(os.fspath, (folder, *searched.given))], {}
    for name, files in objects.items():
        sources = [path for path in files if not any(map(Path(path).is_relative_to, searched.own))]
        not_listed[name] = sources, unlisted.of(sources, folders[1:], folders[0])
    return Record(facts, compilers, objects, looked_for, not_listed, folders)


def _looked_for(files, searched):
    """What the compiler looked for when it read ``files``, and where each folder that it looked into has that.

    A header is looked for beside the file that includes it, then in the folders of the build, then in the compilers'.
    names: for each relative folder, "" first, what may be in it. found: for each folder, which of these names are there,
    by relative folder: a name that is missing is missing with all that is below it.
    """
    beside = {os.path.dirname(path) for path in files if not any(map(Path(path).is_relative_to, searched.own))}
    given = {*map(os.fspath, searched.given), *beside}
    folders = {*given, *map(os.fspath, searched.own)}
    names = {"": set()}
    for path in files:
        for folder in folders.intersection(map(os.fspath, Path(path).parents)):
            parts = path[len(folder) :].strip(os.sep).split(os.sep)
            for i, part in enumerate(parts):
                names.setdefault(os.sep.join(parts[:i]), set()).add(part)
    found = {folder: _found(folder, names) for folder in sorted(given)}
    return {"names": {folder: sorted(below) for folder, below in names.items()}, "found": found}


def _is_hidden(found, now):
    """Whether a folder has a name that it did not have."""
    return any(set(there).difference(found.get(relative, ())) for relative, there in now.items())


def _found(folder, names):
    """The ``names`` that are in a folder now; nothing for what is no folder."""
    found = {}
    waiting = [""]
    while waiting:
        relative = waiting.pop()
        wanted = names[relative]
        try:
            with os.scandir(os.path.join(folder, relative)) as entries:
                there = [entry for entry in entries if entry.name in wanted]
        except OSError:
            continue
        found[relative] = sorted(entry.name for entry in there if not entry.is_symlink() or os.path.exists(entry))
        waiting += {os.path.join(relative, name) for name in found[relative]}.intersection(names)
    return found
