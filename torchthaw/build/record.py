"""torchthaw/build/record.py: what a build was made of, by content, so that the next one knows whether to build."""

import hashlib
import json
import os
import subprocess
from pathlib import Path
from typing import NamedTuple

from . import toolchain


class Record(NamedTuple):
    """What one product was made of.

    facts: the options, flags and generated files, as text.
    compilers: the toolchain.identity() of each.
    objects: for each object the files that its compiler read, ``{path: digest}``.
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


def of(folder, facts, compilers, started):
    """The Record of what ninja just built in ``folder``.

    A file that was written or moved there since ``started``, as time.time_ns() has it, may not be what the compiler
    read: it counts as one that has other content now.
    """
    command = [toolchain.tool("ninja"), "-C", os.fspath(folder), "-t", "deps"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    objects, current = {}, None
    for line in text.splitlines():
        if line.startswith("    "):
            path = Path(folder, line[4:])
            if folder not in path.parents:  # what is generated there follows from the facts
                known = path.exists() and path.stat().st_ctime_ns <= started
                objects[current][os.fspath(path)] = digest(path) if known else "written meanwhile"
        elif line and ": #deps" in line:
            current = line.partition(": #deps")[0]
            objects[current] = {}
    return Record(facts, compilers, objects)


def digest(path):
    """The digest of a file's content; None without the file."""
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError:
        return None
