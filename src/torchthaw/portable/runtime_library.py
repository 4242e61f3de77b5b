"""torchthaw/portable/runtime_library.py: what each portable extension is linked with: our runtime, stubs of PyTorch's.

Each is made once for a compiler and its flags, and kept in the cache.
"""

import os
import re
import shutil
from pathlib import Path

from ..base import cache, child, config, toolchain
from ..extension import ninja
from . import flags, headers, operators

RUNTIME = config.PACKAGE / "portable" / "runtime"
ARCHIVE = "libtorchthaw_portable.a"
# Undefined weak names of an extension are looked for in these libraries of PyTorch when it is loaded.
STUBS = "torch_cpu", "c10", "torch_python"
# Weak references alone, such as those to hooks, take no file out of an archive. Functions that nothing calls are left out.
WHOLE = "-Wl,--gc-sections", "-Wl,--whole-archive"
# Files of the runtime that a call needs are compiled for speed; the others, two thirds of its code, for size.
FAST = {"boxed", "calls", "dispatcher", "instances", "python_tensors", "pytorch", "tensor", "tensors", "values"}
USUAL = "g++"  # what setuptools calls
EXPORTS = Path(__file__).with_name("exports.map")  # what a portable extension lets others see


def runtime(extra):
    """Makes the static library of the files in RUNTIME, unless it is there; its path.

    extra: the flags of a project that it needs too, as flags.of_all().
    """
    sources, folders = sorted(RUNTIME.rglob("*.cpp")), headers.include_paths()

    def fill(folder):
        work = folder / "work"
        work.mkdir()
        operators.write(work / "operators", sources, folders)
        words = ["-I", str(work / "operators"), *_words(extra)]
        text = ninja.shared_object("unused", {source: _level(source) for source in sources}, words, [])
        ninja.write_if_changed(work / "build.ninja", text)
        ninja.run(work, objects(text), text="compiling the runtime of portable extensions, once", tells_pipes=True)
        child.answer(["ar", "rcsD", folder / ARCHIVE, *(work / name for name in objects(text))])
        shutil.rmtree(work)

    return cache.made_once(*_place(extra), fill) / ARCHIVE


def archive(extra):
    """Where runtime() puts the library, by its content."""
    return cache.root().joinpath(*_place(extra)) / ARCHIVE


def objects(text):
    """The objects that a build.ninja makes."""
    return re.findall(r"^build (\S+\.o): ", text, re.MULTILINE)


def _place(extra):
    """The folder of the library in the cache: its kind, its key."""
    read = sorted(path for root in (RUNTIME, headers.OWN) for path in root.rglob("*") if path.is_file())
    content = [(path.name, _content(path)) for path in [*read, Path(operators.__file__), Path(__file__)]]
    identity = toolchain.identity(_by_one_name(toolchain.cxx_compiler()))
    return "portable", "runtime-" + cache.digest(repr([identity, _words(extra), content]))


def _by_one_name(compiler):
    """CMake calls /usr/bin/c++ what setuptools calls g++: where these are one program, one library serves both.

    A program of another name, such as ccache, may be both and start two compilers.
    """
    program, usual = (os.path.realpath(shutil.which(name) or name) for name in (compiler[0], USUAL))
    is_same = program == usual and USUAL in os.path.basename(program)
    return [USUAL, *compiler[1:]] if is_same else compiler


def _level(source):
    return () if source.stem in FAST else ("-Os",)


def _words(extra):
    folders = (f"-I{folder}" for folder in headers.include_paths())
    return [*flags.common(), *flags.cxx(), flags.STANDARD, *folders, *extra]


def stubs():
    """The folder of empty libraries with the names of PyTorch's."""
    compiler = toolchain.c_compiler()
    key = cache.digest(repr([toolchain.identity(compiler), STUBS]))

    def fill(folder):
        for name in STUBS:
            file = f"lib{name}.so"
            words = ["-shared", "-nostdlib", f"-Wl,-soname,{file}", "-x", "c", "/dev/null", "-o", folder / file]
            child.answer([*compiler, *words])

    return cache.made_once("portable", f"stubs-{key}", fill)


def link_flags(extra):
    """The linker's words: the runtime library, the stubs, and what keeps every name but PyInit_ inside.

    runtime() must make the library before the link.
    """
    folder = stubs()
    return [
        *WHOLE, str(archive(extra)), "-Wl,--no-whole-archive", f"-L{folder}", "-Wl,--no-as-needed", *(f"-l{name}" for name in STUBS), "-Wl,--as-needed",
        "-ldl", "-Wl,--exclude-libs,ALL", f"-Wl,--version-script={EXPORTS}", *flags.openmp(), *extra,
    ]  # fmt: skip


def _content(path):
    """The digest of a file's content, which the runtime library is made of."""
    return cache.digest(path.read_bytes().decode("utf-8", "surrogateescape"))
