"""tests/support/sanitized.py: Python with a sanitizer, in which the bridge and the extensions have it too."""

import hashlib
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support import ROOT, SRC, TESTS
from torchthaw.base import config, toolchain
from torchthaw.extension import ninja

PACKAGE = SRC / "torchthaw"
BUILD = ROOT / "build" / "sanitize"
ADDRESS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]

SOURCES = (".c", ".cc", ".cpp", ".cu")
PARTS = ("table.c", "onnxruntime.c", "jax.c")  # of src/torchthaw/export, which are in files such as my_lib_table.c

# What stands for a compiler: see compilers().
WRAPPER = """#!/bin/sh
unset LD_PRELOAD
for word; do
    case $word in *.c | *.cc | *.cpp | *.cu) sha256sum -- "$word" ;; esac
done >> {record}
exec {real} "$@" {flags}
"""

# Shells crash with ThreadSanitizer in them, and the compiler is slow: what Python starts is as it always is.
PRELUDE = f"""
import os
import sys
from pathlib import Path
from torchthaw.base import config

del os.environ["LD_PRELOAD"]
config.prefix = lambda: Path(sys.argv[1])
sys.path.insert(0, {str(TESTS)!r})
"""

RUN = (
    PRELUDE
    + """
import pytest
raise SystemExit(pytest.main(["-q", "-x", "-s", "-p", "no:cacheprovider", *sys.argv[2:]]))
"""
)

# The variables of run() where programs have the sanitizers from their start, and Python has none.
PROGRAMS = {"LD_PRELOAD": "", "ASAN_OPTIONS": ""}

# Those that start processes, which would be another bridge's, and those that count what the sanitizers keep.
LEFT_OUT = (
    "all_of_this_through_attributes", "another_device", "printed", "until_the_end", "c_may_wait", "forked",
    "first_tensor_brings", "leave_nothing_behind", "recursion_budget", "nothing_is_leaked", "example_of_the_readme",
    "memory_does_not_grow", "nothing_is_registered", "without_the_c_functions", "without_pytorch", "buffers_alone",
    "cffi_s_table", "without_numpy", "asked_for_once",
)  # fmt: skip
OTHER_TESTS = " and ".join(f"not {name}" for name in LEFT_OUT)


def run_time(name):
    """The path of a sanitizer's shared library, which must be loaded before Python."""
    path = subprocess.run(
        [*toolchain.cxx_compiler(), f"-print-file-name={name}"], capture_output=True, text=True, check=True
    ).stdout.strip()
    if not os.path.isabs(path):
        pytest.skip(f"{toolchain.cxx_compiler()[0]} has no {name}")
    return path


def record(preset):
    """The file to which compilers() adds a line for each source that is compiled: the digest of its content, and its path."""
    return ROOT / "build" / preset / "compiled.txt"


def by_cmake(build):
    """The sources that CMake's target ``all`` compiles with AddressSanitizer."""
    listed = subprocess.run(
        [toolchain.tool("ninja"), "-C", build, "-t", "commands", "all"], capture_output=True, text=True, check=True
    ).stdout
    lines = (shlex.split(line) for line in listed.splitlines() if "-fsanitize=address" in line)
    words = [word for line in lines if "-fno-sanitize=all" not in line for word in line]
    return {Path(word) for word in words if word.endswith(SOURCES)}


def by_tests(preset, files):
    """Those of ``files`` that compilers() wrote down: tests compile copies of some, and files that have the text of others."""
    digests, names = zip(*(line.split(None, 1) for line in record(preset).read_text().splitlines()))
    parts = {PACKAGE / "export" / part for part in PARTS if any(name.endswith(f"_{part}") for name in names)}
    return {file for file in files if file in parts or hashlib.sha256(file.read_bytes()).hexdigest() in digests}


def compilers(folder, sanitize, preset):
    """The variables with which whatever is compiled has the flags ``sanitize``, by whichever name the compiler is called.

    Programs of these names stand before the others on PATH. They add the flags, and write the sources into record().
    The compiler itself is as it always is: a sanitizer makes it slow.
    """
    programs = folder / "bin"
    programs.mkdir()
    for command, *names in ((toolchain.c_compiler(), "cc", "gcc"), (toolchain.cxx_compiler(), "c++", "g++")):
        real = shlex.join([shutil.which(command[0]), *command[1:]])
        for name in names:
            text = WRAPPER.format(real=real, flags=shlex.join(sanitize), record=shlex.quote(str(record(preset))))
            (programs / name).write_text(text)
            (programs / name).chmod(0o755)
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    return {"PATH": path, "CC": str(programs / "cc"), "CXX": str(programs / "c++")}


def build_bridge(folder, compilers):
    """Builds _bridge in ``folder``/lib, beside the libraries that are there."""
    flags = [
        "-std=c++17", "-O1", "-g1", "-fPIC", "-fno-omit-frame-pointer", "-DPy_LIMITED_API=0x030A0000",
        f"-I{toolchain.python_include()}", f"-I{PACKAGE}",
    ]  # fmt: skip
    sources = {path: [] for part in ("bridge", "legacy") for path in sorted((PACKAGE / part).rglob("*.cpp"))}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in compilers.items():
            patch.setenv(name, value)
        (folder / "build.ninja").write_text(ninja.shared_object("lib/_bridge.abi3.so", sources, flags, []))
        ninja.run(folder)


def python(folder, preset, sanitize, preload, **variables):
    """(script, *arguments) -> what became of the script in a process where all that is built has ``sanitize``.

    ``preset``: CMake's, whose libraries are taken. ``preload``: the libraries that are loaded before Python, in this order.
    """
    built = ROOT / "build" / preset / "lib"
    if not (built / "libth.so.1").exists():
        raise FileNotFoundError(f"{built}: expected the build of `cmake --preset {preset}`, got none")
    (folder / "lib").mkdir()
    for library in built.iterdir():
        # libmy_lib is the one that operators of PyTorch call, whose bits tests compare; the preset's has tests in C.
        is_compared = library.name.startswith("libmy_lib.")
        (folder / "lib" / library.name).symlink_to(config.libdir() / library.name if is_compared else library)
    wrapped = compilers(folder, sanitize, preset)
    build_bridge(folder, wrapped)
    environment = {
        **os.environ,
        **wrapped,
        "LD_PRELOAD": " ".join(preload),
        "PYTHONMALLOC": "malloc",  # Python's own allocator would hide what becomes of its objects
        "PYTHONPATH": str(SRC),
        "TORCHTHAW_CACHE": str(folder / "cache"),
        **variables,
    }

    def run(script, *arguments, **more):
        command = [sys.executable, "-c", script, folder, *arguments]
        return subprocess.run(command, capture_output=True, text=True, env={**environment, **more}, cwd=ROOT)

    run.folder, run.preload = folder, environment["LD_PRELOAD"]
    return run
