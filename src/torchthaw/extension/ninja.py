"""torchthaw/extension/ninja.py: compiles and links one shared object with ninja; parallel and incremental."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from ..base import toolchain, writing
from ..base.errors import BuildError
from . import ninja_paths, symbols
from .ninja_paths import escape
from .progress import Progress

# Suffix -> (rule, compiler). Anything else in `sources` is an error.
RULES = {".c": "c", ".cc": "cxx", ".cpp": "cxx", ".cxx": "cxx", ".C": "cxx", ".cu": "cuda"}
DEVICE_LINK = "device_link.o"

UNDEFINED = (
    "{target}: undefined symbols: {names}. Expected them in the sources, in extra_objects, or in a library that "
    f"libraries or extra_link_args names; {symbols.LEFT_OPEN} among extra_link_args leaves them to what the program "
    "makes global by then (ctypes.RTLD_GLOBAL){hints}"
)


def write_if_changed(path, text):
    """Writes ``text`` unless the file holds it already, so that ninja sees no change where there is none."""
    if not path.exists() or path.read_text("utf-8", "surrogateescape") != text:
        writing.write(path, text)


def shared_object(output, sources, compile_flags, link_flags, objects=(), cuda=None):
    """The text of a build.ninja that makes the shared object ``output``; the rest as in program()."""
    # Its own symbols come before those of the same name that another library made global.
    return program(output, sources, compile_flags, ["-shared", "-Wl,-Bsymbolic", *link_flags], objects, cuda)


def hardening(link_flags):
    """The linker's flags that make the loader fill in all addresses at once, then protect them: RELRO and BIND_NOW.

    Symbols that the build leaves open may be there later, for callers that load with RTLD_LAZY: RELRO alone then.
    """
    return ["-Wl,-z,relro", *([] if symbols.LEFT_OPEN in link_flags else ["-Wl,-z,now"])]


def program(output, sources, compile_flags, link_flags, objects=(), cuda=None):
    """The text of a build.ninja that makes ``output`` from ``sources``.

    ``sources`` maps each source to its own extra flags. ``compile_flags`` are those of C and C++; ``cuda``, a
    ``torchthaw.extension.cuda.Build``, has those of CUDA. The C++ driver links when any source is C++ or CUDA.
    """
    lines, made, rules = _compile(sources, compile_flags, cuda)
    if cuda:
        link_flags = [*link_flags, *cuda.link]
        made = _device_link(lines, made, objects, cuda)
    linker = toolchain.cxx_compiler() if cuda or "cxx" in rules else toolchain.c_compiler()
    lines += ["rule link", f"  command = {words(linker)} $in {words(link_flags)} -o $out"]
    lines.append(f"build {escape(output)}: link {' '.join(map(escape, [*made, *objects]))}")
    return "\n".join([ninja_paths.DEFINED, *lines]) + "\n"


def cuda_objects(sources, cuda):
    """The objects of device code that program() makes: of the CUDA ``sources``, and of the link of device code."""
    made = [_object(index, source) for index, source in enumerate(sources) if RULES.get(Path(source).suffix) == "cuda"]
    return [*made, *([DEVICE_LINK] if cuda.device_link else [])]


def _compile(sources, compile_flags, cuda):
    """(lines, objects, rules): how each source is compiled, to what, and the rules that it takes."""
    known = [suffix for suffix, rule in RULES.items() if cuda or rule != "cuda"]
    rules = {}
    for source in sources:
        suffix = Path(source).suffix
        if suffix not in known:
            raise ValueError(f"sources: expected C or C++ files ({', '.join(known)}), got {str(source)!r}")
        rules[source] = RULES[suffix]
    used = set(rules.values())
    lines = []
    for rule in sorted(used):
        if rule == "cuda":
            command = cuda.compile
        else:
            compiler = toolchain.c_compiler() if rule == "c" else toolchain.cxx_compiler()
            command = [*compiler, *compile_flags]
        lines += [
            f"rule {rule}",
            f"  command = {words(command)} -MD -MF $out.d $flags -c $in -o $out",
            "  depfile = $out.d",
            "  deps = gcc",
        ]
    made = []
    for index, (source, flags) in enumerate(sources.items()):
        made.append(_object(index, source))
        lines += [f"build {escape(made[-1])}: {rules[source]} {escape(source)}", f"  flags = {words(flags)}"]
    return lines, made, used


def _object(index, source):
    """The object of a source; the index keeps two files of one name in different folders apart."""
    return f"{index}-{re.sub(r'[^A-Za-z0-9_.+-]', '_', Path(source).stem)}.o"


def _device_link(lines, made, objects, cuda):
    """Adds the linking of device code to ``lines`` where the build asks for it; the objects to link after that."""
    if not cuda.device_link:
        return made
    inputs = " ".join(map(escape, [*made, *objects]))
    lines += ["rule device_link", f"  command = {words(cuda.device_link)} $in {words(cuda.libraries)} -o $out"]
    lines.append(f"build {DEVICE_LINK}: device_link {inputs}")
    return [*made, DEVICE_LINK]


def words(arguments):
    """Shell words in a ninja file."""
    return shlex.join(map(str, arguments)).replace("$", "$$")


def run(folder, targets=(), verbose=False, explain=None, **progress):
    """Brings ``targets`` of the build.ninja in ``folder`` up to date. Raises BuildError.

    The error has the output of the compilers that failed as they printed it. ``verbose`` shows all output as it comes.
    On a terminal a line says how many of the steps are done, unless ``verbose``.
    ``explain``: what the BuildError says in place of a failure's output, a function of that; output waits for the end.
    ``MAX_JOBS`` bounds the number of parallel jobs. progress: what else Progress gets.
    """
    command = [toolchain.tool("ninja"), "-C", str(folder), *(["-v"] if verbose else [])]
    jobs = os.environ.get("MAX_JOBS")
    if jobs:
        if not jobs.isdecimal() or int(jobs) < 1:
            raise ValueError(f"MAX_JOBS: expected a positive integer, got {jobs!r}")
        command += ["-j", jobs]
    sys.stdout.flush()
    output = []
    with Progress(not verbose, **progress) as shown, subprocess.Popen(
        [*command, *targets], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", errors="backslashreplace",
        close_fds=False,  # the lock goes along
        env={**os.environ, "CCACHE_NODIRECT": "1"},  # else ccache overlooks a new header that comes before an old one
    ) as process:  # fmt: skip
        try:
            for line in process.stdout:
                output.append(line)
                shown.read(line)
                if verbose and not explain:
                    print(line, end="", flush=True)
        except BaseException:
            process.kill()
            raise
    if process.returncode and explain:
        raise BuildError(explain("".join(output)))
    if verbose and explain:
        print("".join(output), end="", flush=True)
    if process.returncode:
        failed = next((at for at, line in enumerate(output) if line.startswith("FAILED: ")), 0)
        words = "".join(output[failed:]).rstrip()
        raise BuildError(f"the build in {folder} failed with exit status {process.returncode}\n{words}")


def forget(folder):
    """Makes the next run() in ``folder`` compile and link everything anew.

    For what is made of files that ninja does not watch: archives, and headers in folders of the environment.
    """
    (folder / ".ninja_log").unlink(missing_ok=True)


def install(made, target, libraries=(), places=dict):
    """Puts the file ``made`` at ``target`` in one step; a process that has the old one loaded keeps it.

    Raises BuildError for a shared object with symbols that nothing known has; ``libraries`` as in symbols.missing().
    places: a function that finds out where headers declare functions, as ``{name: "path:line"}``.
    """
    if target.exists() and target.stat().st_mtime_ns == made.stat().st_mtime_ns:
        return
    missing = symbols.missing(made, libraries) if made.suffix == ".so" else []
    if missing:
        forget(made.parent)
        hints = "".join(f"\n{hint}" for hint in symbols.hints(made, missing, places()))
        raise BuildError(UNDEFINED.format(target=target, names=", ".join(symbols.readable(missing)), hints=hints))
    temporary = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        shutil.copy2(made, temporary)
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)
