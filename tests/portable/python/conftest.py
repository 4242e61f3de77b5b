# tests/portable/python/conftest.py: each probe built twice, with the portable headers and with PyTorch's pybind11.
import hashlib
import importlib.util
import os
import shlex
import subprocess
import sysconfig
from pathlib import Path
from types import SimpleNamespace

import pytest

from torchthaw.base import cache
from torchthaw.portable import headers

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
PORTABLE = ROOT / "src/torchthaw/portable"
HEADERS = PORTABLE / "include/portable/python"
RUNTIME = PORTABLE / "runtime/python"
# What an extension without tensors includes of the names of pybind11.
FORWARDED = {
    name: "python/module.h" if own == "python/pybind11.h" else own
    for own, names in headers.NAMES.items()
    for name in names
    if name.startswith("pybind11/")
}
HIDDEN = ["-fvisibility=hidden", "-fvisibility-inlines-hidden", "-fno-gnu-unique"]
BASE = ["g++", "-std=c++17", "-O1", "-fPIC", "-I" + sysconfig.get_paths()["include"], *HIDDEN]


def hash_of(*files, more=""):
    found = hashlib.sha256(more.encode())
    for file in files:
        found.update(Path(file).read_bytes())
    return found.hexdigest()[:16]


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, shlex.join(map(str, command)) + "\n" + done.stderr[-6000:]


class Builder:
    """Compiles runtime, probes and oracles into a folder that later sessions use again."""

    def __init__(self, folder, python_include=None):
        self.folder = folder
        self.base = [*BASE, "-Wall", "-Wextra"]
        self.version = hash_of(*sorted(HEADERS.rglob("*.h")), more=" ".join(self.base) + str(FORWARDED))
        self.forwards = folder / "forwards"
        for name, own in FORWARDED.items():
            file, text = self.forwards / name, f"#pragma once\n#include <portable/{own}>\n"
            file.parent.mkdir(parents=True, exist_ok=True)
            if not file.exists() or file.read_text() != text:
                file.write_text(text)

    def once(self, path, *command):
        """The product of a command that ends with -o PRODUCT, made by one process for all."""
        with cache.locked(path.with_name(f"{path.name}.lock")):
            if not path.exists():
                made = path.with_name(f"{path.name}.part")
                run([*command, "-o", made])
                made.rename(path)
        return path

    def compile(self, source, name, *options):
        path = self.folder / f"{name}-{hash_of(source, more=self.version + str(options))}.o"
        includes = ["-I" + str(PORTABLE / "include"), "-I" + str(self.forwards)]
        return self.once(path, *self.base, "-DPy_LIMITED_API=0x030a0000", *options, *includes, "-c", source)

    def runtime(self):
        return [self.compile(file, "runtime_" + file.stem) for file in sorted(RUNTIME.glob("*.cpp"))]

    def portable(self, probe):
        objects = [
            self.compile(HERE / f"{probe}.cpp", probe, f"-DTORCH_EXTENSION_NAME=portable_{probe}"),
            *self.runtime(),
        ]
        folder = self.folder / hash_of(*objects)
        folder.mkdir(exist_ok=True)
        exports = PORTABLE / "exports.map"
        path = folder / f"portable_{probe}.abi3.so"
        linked = [f"-Wl,--version-script={exports}", "-Wl,--gc-sections", *objects, "-ldl"]
        return self.once(path, "g++", "-shared", *linked)

    def oracle(self, probe):
        torch = Path(importlib.util.find_spec("torch").origin).parent
        source = HERE / f"{probe}.cpp"
        folder = self.folder / hash_of(source, torch / "version.py", more=" ".join(BASE))
        folder.mkdir(exist_ok=True)
        path = folder / f"oracle_{probe}.so"
        name = f"-DTORCH_EXTENSION_NAME=oracle_{probe}"
        return self.once(path, *BASE, "-w", name, f"-I{torch / 'include'}", "-shared", source)


def load(path):
    name = path.name.split(".")[0]
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def builder():
    folder = Path(os.environ["TORCHTHAW_CACHE"]) / "portable_python"
    folder.mkdir(parents=True, exist_ok=True)
    return Builder(folder)


@pytest.fixture(scope="session")
def build(builder):
    """build("functions") -> .ours and .theirs, two modules of one source."""
    built = {}

    def build(probe):
        if probe not in built:
            built[probe] = SimpleNamespace(ours=load(builder.portable(probe)), theirs=load(builder.oracle(probe)))
        return built[probe]

    return build


def outcome(call):
    """What a call gives: its value, or the type of its error."""
    try:
        return ("value", call())
    except Exception as error:
        return ("error", type(error).__name__)


@pytest.fixture(scope="session")
def agree():
    """agree(probe, call, show=repr): call(module) has the same value, or error type, in both builds."""

    def agree(probe, call, show=repr):
        def shown(module):
            kind, found = outcome(lambda: call(module))
            text = show(found) if kind == "value" else found
            return kind, text.replace("oracle_", "portable_")

        ours, theirs = shown(probe.ours), shown(probe.theirs)
        assert ours == theirs
        return ours

    return agree
