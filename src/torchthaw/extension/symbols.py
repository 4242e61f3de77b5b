"""torchthaw/extension/symbols.py: the symbols that a shared object needs and that nothing known has."""

import ctypes
import os
import re
import shlex
import shutil

from ..base import child, toolchain
from . import cuda
from .ninja_paths import unescape

# In extra_link_args: the linker's own flag for symbols that something else in the process will have.
LEFT_OPEN = "-Wl,-z,undefs"
# The linker names what is undefined, as the objects spell it.
STRICT = ["-Wl,-z,defs", "-Wl,--warn-unresolved-symbols", "-Wl,--no-demangle"]


def missing(made, libraries=()):
    """The symbols that nothing has which is known to be there when the shared object ``made`` is loaded; sorted.

    Known are: what the linker found in the libraries that the build names; ``libraries``, files to look into besides;
    and what this process sees globally: Python, libc, and what PyTorch or the user opened with RTLD_GLOBAL, such as
    PyTorch's CUDA runtime. ``made`` lies in the folder of the build.ninja that links it. None are missing where the
    link has LEFT_OPEN, or where this toolchain cannot tell.
    """
    known = [ctypes.CDLL(None), *(ctypes.CDLL(os.fspath(library)) for library in libraries)]
    names = [name for name in _undefined(made) if not any(_has(library, name) for library in known)]
    return _unresolved(made, names) if names else []


def is_in_process(name):
    """Whether this process has a symbol of this name for everybody, as it has those of the C library."""
    return _has(ctypes.CDLL(None), name)


def readable(names):
    """The names as C++ has them."""
    if not shutil.which("c++filt"):
        return names
    return child.answer(["c++filt"], input="\n".join(names)).out.splitlines()


def hints(made, names, places):
    """What is known of undefined symbols: ``f: x.h:3 declares it, …``. places: {name: path:line} of declarations."""
    found = []
    for name in names:
        said = [f"{places[name]} declares it"] if name in places else []
        said += [
            f'{source} defines {other}, a function of C++: put extern "C" before it, or include its header inside '
            'extern "C" { }'
            for source, other in _in_cxx(made, name)
        ]
        if said:
            found.append(f"{name}: {', and '.join(said)}")
    found += _too_old(made, [name for name in names if name in cuda.OLD_LAUNCH])
    return [*found, *_of_the_toolkit(names)]


def _of_the_toolkit(names):
    """A line for each function of the toolkit's libraries, which builds with types of TH link where it has them."""
    of = {name: re.match(rf"(?:{'|'.join(cuda.MATH)})(?=[A-Z])", name) for name in names}
    return [
        f"{name}: a function of {match[0]}, which the CUDA toolkit lacks, or which has it no more; with_cuda=True "
        f"links it, in old projects and with th=True, where the toolkit has it (of pip's packages, nvidia-{match[0]}); "
        "other extensions name it in libraries"
        for name, match in of.items() if match
    ]  # fmt: skip


def _too_old(made, names):
    """What of the files that ``made`` is linked of has launches of an old CUDA, and what makes it anew."""
    if not names:
        return []
    line = re.search(
        rf"^build {re.escape(made.name)}: link (.*)$",
        (made.parent / "build.ninja").read_text("utf-8", "surrogateescape"),
        re.M,
    )
    linked = re.findall(r"(?:\$.|\S)+", line[1]) if line else []
    found = []
    for path in (made.parent / unescape(each) for each in linked):
        if path.is_file() and cuda.is_too_old(path):
            sources = cuda.likely_sources(path)
            again = f"from {sources[0]}" if sources else "from its source"
            found.append(f"{', '.join(names)}: {path} was built by a CUDA before 9.2; build it again {again}")
    return found or [f"{', '.join(names)}: calls that nvcc wrote before CUDA 9.2; what has them must be built again"]


def _in_cxx(made, name):
    """(source, declaration) of each function of C++ that the objects of ``made`` define, and that has this name."""
    if not shutil.which("nm") or not shutil.which("c++filt"):
        return []
    found = []
    for object, source in re.findall(
        r"^build (\S+\.o): \w+ (.+)$", (made.parent / "build.ninja").read_text("utf-8", "surrogateescape"), re.M
    ):
        listed = child.answer(["nm", "--defined-only", "--format=posix", object], cwd=made.parent, check=False).out
        mangled = [line.split()[0] for line in listed.splitlines() if line.startswith("_Z")]
        for other in readable(mangled) if mangled else ():
            if re.search(rf"(?:^|::|\s){name}(?:<[^()]*>)?\(", other):
                found.append((unescape(source), other))
    return found


def _undefined(made):
    """What is undefined, and neither weak nor bound to a version of a library, as all of libc, libm, libstdc++ is."""
    if not shutil.which("nm"):
        return []
    listed = child.answer(["nm", "-D", "--undefined-only", "--format=posix", made], check=False).out
    words = [line.split() for line in listed.splitlines()]
    return sorted(name for name, kind, *_ in words if kind == "U" and "@" not in name)


def _has(library, name):
    try:
        return bool(library[name])
    except AttributeError:
        return False


def _unresolved(made, names):
    """Those of ``names`` that the linker does not find either: it is run again, and asked to name them."""
    ninja = [toolchain.tool("ninja"), "-C", made.parent, "-t", "commands", made.name]
    link = child.answer(ninja).out.splitlines()[-1]
    if LEFT_OPEN in shlex.split(link):
        return []
    again = made.with_name(f".{made.name}.strict")
    command = f"{link} {shlex.join([*STRICT, '-o', again.name])}"
    try:
        result = child.answer(["/bin/sh", "-c", command], cwd=made.parent, check=False)
    finally:
        again.unlink(missing_ok=True)
    if result.status:
        return []  # a linker that does not know these flags
    said = set(re.findall(r"[\w.$@]+", result.err))
    return [name for name in names if name in said]
