"""torchthaw/extension/record.py: what a build was made of, by content, so that the next one knows whether to build."""

import hashlib
import json
import os
import subprocess
from pathlib import Path
from typing import NamedTuple

from ..base import toolchain


class Record(NamedTuple):
    """What one product was made of.

    facts: the options, flags and generated files, as text.
    compilers: the toolchain.identity() of each, and what they read of the environment.
    objects: for each object the files that its compiler read, ``{path: digest}``, and with None those that it would
        read in place of one of them if they were there.
    """

    facts: str
    compilers: list
    objects: dict

    def holds(self, facts, compilers):
        """Whether a build would give the same product now."""
        return (self.facts, self.compilers) == (facts, compilers) and not self.outdated()

    def outdated(self):
        """The objects of which some file has other content now."""
        return [name for name, files in self.objects.items() if any(digest(path) != files[path] for path in files)]

    def write(self, path):
        temporary = path.with_name(f".{path.name}.{os.getpid()}")
        temporary.write_text(json.dumps(self._asdict()))
        os.replace(temporary, path)


def read(path):
    """The Record in a file; None without one that can be read."""
    try:
        return Record(**json.loads(path.read_text()))
    except (FileNotFoundError, ValueError, TypeError):
        return None


def of(folder, facts, compilers, started, searched):
    """The Record of what ninja just built in ``folder``.

    A file that was written or moved there since ``started``, as time.time_ns() has it, may not be what the compiler
    read: it counts as one that has other content now. searched: the header_folders.Folders of the build.
    """
    command = [toolchain.tool("ninja"), "-C", os.fspath(folder), "-t", "deps"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
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
    absent = {name: dict.fromkeys(_first_to_come(files, searched)) for name, files in objects.items()}
    return Record(facts, compilers, {name: {**files, **absent[name]} for name, files in objects.items()})


def _first_to_come(files, searched):
    """The paths where nothing is, and where a file, or a folder of files, may hide one of ``files`` from the compiler.

    A header is looked for beside the file that includes it, then in the folders of the build, then in the compilers'.
    """
    beside = {os.path.dirname(path) for path in files if not any(map(Path(path).is_relative_to, searched.own))}
    given = {*map(os.fspath, searched.given), *beside}
    folders = {*given, *map(os.fspath, searched.own)}
    names = {path[len(folder) + 1 :] for path in files for folder in folders if path.startswith(folder + os.sep)}
    return {_first_absent(folder, name) for folder in given for name in names} - {None}


def _first_absent(folder, name):
    """The path of the first part of ``name`` that is not in ``folder``; None where all are."""
    for part in name.split(os.sep):
        folder = os.path.join(folder, part)
        if not os.path.exists(folder):
            return folder
    return None


def digest(path):
    """The digest of a file's content; None where there is nothing, or nothing that can be read."""
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except IsADirectoryError:
        return "a folder"
    except OSError:
        return None
