"""torchthaw/doctor/shared_objects/needs.py: what a shared object needs, as nm and objdump list it."""

import os
import re
import shutil
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from ...base import child
from ...base.errors import BuildError
from ...extension import symbols

# _C.cpython-310-x86_64-linux-gnu.so, _C.cpython-313t-x86_64-linux-gnu.so, _C.abi3.so
TAG = re.compile(r"\.(?:cpython-3(?P<only>\d+t?)|(?P<stable>)abi3)[\w-]*\.so$")
# A wheel's name ends with the tags of Python, its ABI and the platform. Of the stable ABI, Python's tag is the oldest.
WHEEL = re.compile(r"-(?:cp3(?P<stable>\d+)[\w.]*-abi3|[\w.]+-cp3(?P<only>\d+t?))-[\w.]+\.whl$")
SEGMENT = re.compile(r"^ +(NEEDED|RUNPATH|RPATH) +(.+)$", re.MULTILINE)
VERSION = re.compile(r"^ +0x[0-9a-f]+ 0x[0-9a-f]+ \d+ (\w+)_(\d+(?:\.\d+)*)$", re.MULTILINE)
MACHINES = {3: "i686", 21: "ppc64le", 22: "s390x", 62: "x86_64", 183: "aarch64", 243: "riscv64"}  # of the file's head
SHARED = re.compile(r"\.so(\.\d+)*$")
SECONDS, MEMORY, OUTPUT = 60, 4 << 30, 256 << 20  # of nm and objdump
MOST = 8 << 30  # bytes of the shared objects of a wheel


class Needs(NamedTuple):
    """What a shared object needs.

    name: the file's name, or its path in the wheel. file: where it lies. machine: such as "x86_64". libraries: the files
    that the loader looks for, and folders: where before the usual ones. versions: the highest of each kind, such as
    {"GLIBC": "2.34"}. names: what must be defined elsewhere and is not bound to a version of a library.
    """

    name: str
    file: Path
    machine: str
    libraries: tuple[str, ...]
    folders: tuple[str, ...]
    versions: dict[str, str]
    names: frozenset[str]


@contextmanager
def read(path: str) -> Iterator[tuple[str, list[Needs]]]:
    """(python, the Needs of a shared object, or of each in a wheel), while the files of a wheel are there.

    python: "3.10"; "3.13t" without the GIL; "3.9 and later" or "3 and later" of the stable ABI; "" where no name says it.
    OSError or BuildError where the file cannot be read.
    """
    for tool in ("nm", "objdump"):
        if not shutil.which(tool):
            raise BuildError(f"expected the program {tool}, which the package binutils has, found none")
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise BuildError(f"expected a shared object or a wheel, got {path!r}, which is no file")
    name = os.path.basename(path)
    if not name.endswith(".whl"):
        yield _python(TAG.search(name)), [_read(Path(path).absolute(), name)]
        return
    with tempfile.TemporaryDirectory() as folder:
        files = _unpacked(path, folder)
        tags = {_python(TAG.search(name)) for name, _ in files} - {""}
        yield _python(WHEEL.search(name)) or min(tags, default=""), [_read(file, name) for name, file in files]


def _unpacked(wheel, folder):
    """[(path in the wheel, file below folder)] of its shared objects."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            found = [entry for entry in archive.infolist() if SHARED.search(entry.filename) and not entry.is_dir()]
            size = sum(entry.file_size for entry in found)
            if size > MOST:
                raise BuildError(f"expected at most {MOST} bytes of shared objects in a wheel, got {size} in {wheel!r}")
            return [(entry.filename, Path(archive.extract(entry, folder))) for entry in found]
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, zlib.error) as error:
        raise BuildError(f"expected a wheel, got {wheel!r}: {error}") from error


def _python(tag):
    if tag is None:
        return ""
    if tag["only"]:
        return f"3.{tag['only']}"
    return f"{'.'.join(filter(None, ('3', tag['stable'])))} and later"


def _read(file, name):
    shown = _said("objdump", "-f", "-p", file)
    if "DYNAMIC" not in shown:
        raise BuildError(f"expected a shared object, got {name!r}, which has no table of dynamic symbols")
    segments = SEGMENT.findall(shown)
    folders = [folder for kind, text in segments if kind != "NEEDED" for folder in text.split(":")]
    with open(file, "rb") as start:
        machine = int.from_bytes(start.read(20)[18:], "little")
    return Needs(
        name, file, MACHINES.get(machine, f"the machine {machine} of ELF"),
        tuple(text for kind, text in segments if kind == "NEEDED"), tuple(folders),
        _highest(VERSION.findall(shown)), frozenset(_undefined(file)),
    )  # fmt: skip


def _highest(found):
    highest = {}
    for kind, version in found:
        highest[kind] = max(highest.get(kind, version), version, key=numbers)
    return highest


def numbers(version: str) -> list[int]:
    """What versions are compared by."""
    return [int(part) for part in re.findall(r"\d+", version)]


def _undefined(file):
    words = [line.split() for line in _said("nm", "-D", "--undefined-only", "--format=posix", file).splitlines()]
    return [name for name, kind, *_ in words if kind == "U" and "@" not in name]


def defined(file: Path) -> set[str]:
    """The names that a library has for others."""
    listed = _said("nm", "-D", "--defined-only", "--format=posix", file)
    return {line.split(None, 1)[0].partition("@")[0] for line in listed.splitlines()}


def _said(*command):
    """What a tool says of a file, which may be made to harm it."""
    done = child.run(command, seconds=SECONDS, memory=MEMORY, output=OUTPUT, env={**os.environ, "LC_ALL": "C"})
    if done.ended_by or done.status:
        said = done.err.decode(errors="replace").strip().splitlines() or ["it failed"]
        raise BuildError(
            f"expected a shared object: {f'{command[0]} needs {done.ended_by}' if done.ended_by else said[-1]}"
        )
    return done.out.decode(errors="replace")


def readable(names: list[str]) -> list[str]:
    return symbols.readable(names) if names else []
