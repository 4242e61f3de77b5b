"""torchthaw/build/ninja.py: compiles and links one shared object with ninja; parallel and incremental."""

import fcntl
import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

from . import toolchain

# Suffix -> (rule, compiler). Anything else in `sources` is an error.
RULES = {".c": "c", ".cc": "cxx", ".cpp": "cxx", ".cxx": "cxx", ".C": "cxx"}


class BuildError(RuntimeError):
    """A compiler or the linker failed; what it printed went to stderr."""


@contextmanager
def locked(folder):
    """Holds the exclusive right to write in ``folder``, among all processes."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / ".lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def write_if_changed(path, text):
    """Writes ``text`` unless the file holds it already, so that ninja sees no change where there is none."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def shared_object(output, sources, compile_flags, link_flags, objects=()):
    """The text of a build.ninja that makes ``output`` from ``sources``.

    ``sources`` maps each source to its own extra flags. The C++ driver links when any source is C++.
    """
    from ninja.ninja_syntax import Writer, escape_path
    from io import StringIO

    stream = StringIO()
    ninja = Writer(stream, width=119)
    cxx = any(RULES.get(Path(source).suffix) == "cxx" for source in sources)
    compilers = {"c": toolchain.c_compiler()}
    if cxx:
        compilers["cxx"] = toolchain.cxx_compiler()
    ninja.variable("ninja_required_version", "1.3")
    for rule, compiler in compilers.items():
        ninja.rule(
            rule, f"{words(compiler)} -MD -MF $out.d {words(compile_flags)} $flags -c $in -o $out",
            description="compile $in", depfile="$out.d", deps="gcc",
        )  # fmt: skip
    linker = compilers["cxx" if cxx else "c"]
    ninja.rule("link", f"{words(linker)} -shared $in {words(link_flags)} -o $out", description="link $out")
    made = []
    for index, (source, flags) in enumerate(sources.items()):
        source = Path(source)
        if source.suffix not in RULES:
            raise ValueError(f"sources: expected C or C++ files ({', '.join(RULES)}), got {str(source)!r}")
        # The index keeps two files of one name in different folders apart.
        name = f"{index}-{source.stem}.o"
        ninja.build(escape_path(name), RULES[source.suffix], escape_path(str(source)), variables={"flags": words(flags)})
        made.append(name)
    ninja.build(escape_path(output), "link", [escape_path(name) for name in [*made, *map(str, objects)]])
    return stream.getvalue()


def words(arguments):
    """Shell words for a ninja command."""
    import shlex

    return " ".join(shlex.quote(str(argument)) for argument in arguments).replace("$", "$$")


def run(folder, targets=(), verbose=False):
    """Brings ``targets`` of the build.ninja in ``folder`` up to date. Raises BuildError.

    The compiler's output is shown as it printed it: as it comes with ``verbose``, else only after a failure.
    ``MAX_JOBS`` bounds the number of parallel jobs.
    """
    command = [toolchain.tool("ninja"), "-C", str(folder), *(["-v"] if verbose else [])]
    jobs = os.environ.get("MAX_JOBS")
    if jobs:
        if not jobs.isdecimal() or int(jobs) < 1:
            raise ValueError(f"MAX_JOBS: expected a positive integer, got {jobs!r}")
        command += ["-j", jobs]
    sys.stdout.flush()
    result = subprocess.run(
        [*command, *targets], stdout=None if verbose else subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if result.returncode:
        print(result.stdout or "", end="", file=sys.stderr, flush=True)
        raise BuildError(f"the build in {folder} failed with exit status {result.returncode}")


def install(made, target):
    """Puts the file ``made`` at ``target`` in one step; a process that has the old one loaded keeps it."""
    if target.exists() and target.stat().st_mtime_ns == made.stat().st_mtime_ns:
        return
    temporary = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        shutil.copy2(made, temporary)
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)
