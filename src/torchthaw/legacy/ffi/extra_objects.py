"""torchthaw/legacy/ffi/extra_objects.py: the extra_objects of an old project: which to link, and which to make first."""

import contextlib
import os
import re
import sys
from pathlib import Path

from ... import cuda_on_cpu
from ...base import config, reading
from ...extension import BuildError, cuda, ninja

MOST = 64 << 20  # bytes of a script that is looked into


def places(base, given):
    """Where a relative path may be: below the current folder, below the build file's."""
    if os.path.isabs(given):
        return [Path(given)]
    here = Path.cwd() / given
    return [here] if base == Path.cwd() else [here, base / given]


def first_existing(base, given):
    found = places(base, given)
    return next((place for place in found if place.exists()), found[-1])


def readable(base, given):
    """(sources, others): the CUDA sources of those that have one beside them, and the names of the others."""
    sources = {name: next(filter(None, map(cuda.source_of, places(base, name))), None) for name in given}
    return [source for source in sources.values() if source], [name for name, source in sources.items() if not source]


def for_cpu(base, given):
    """The objects to link on the CPU: those of CUDA are left out, with one line about each."""
    found = []
    for name in given:
        path = first_existing(base, name)
        if not path.exists():
            if not _is_cuda_by_name(path):
                raise BuildError(f"extra_objects: expected a file, got {os.fspath(name)!r}; it was not built yet")
            _say(f"{name} is left out: it was not built, and it is CUDA code")
        elif path.suffix == ".o" and _is_for_gpus(path):
            _say(f"{name} is left out: it holds CUDA code, and this build is for the CPU")
        else:
            found.append(path)
    return found


def for_cuda(base, given, wanted):
    """(sources, objects): what nvcc has to compile, with one line about each, and what to link as it is.

    wanted: the architectures of this build. sources: {CUDA source: why it is compiled}.
    """
    sources, objects = {}, []
    for name in given:
        path = next((place for place in places(base, name) if place.exists()), None)
        why = _unfit(path, wanted) if path else "it was not built yet"
        source = next(filter(None, map(cuda.source_of, [path] if path else places(base, name))), None)
        if path and source and not why and source.stat().st_mtime > path.stat().st_mtime:
            why = "its source is newer"
        if not why:
            objects.append(cuda_on_cpu.library_for(path))
        elif source:
            sources[source] = f"{name} is made from {source.name}: {why}"
            _say(sources[source])
        else:
            hint = _hint(path or places(base, name)[-1])
            raise BuildError(f"extra_objects: expected a file to link, got {os.fspath(name)!r}; {why}{hint}")
    return sources, objects


def _hint(path):
    """What could make the object ``path`` anew, none of which is known to."""
    looked_for, others = ", ".join(map(str, cuda.sources_of(path))), cuda.likely_sources(path)
    hint = f", and there is no {looked_for}" if looked_for else ""
    return f"{hint}; build it again from {others[0]}" if others else hint


def compile_made(base, sources, state, verbose=False):
    """Compiles ``sources``, which for_cuda() found, in ``state``, where a build.ninja has them.

    The project's script should have compiled them, perhaps with flags of its own: where one fails, the BuildError says
    so, with the first error in place of all.
    """

    def explain(output):
        failed = output.partition("FAILED: ")[2]
        source = next((each for each in sources if str(each) in failed), next(iter(sources)))
        errors = [line.strip() for line in failed.splitlines() if re.search(r"\b(?:error|fatal)\s*:", line)]
        script = _script_of(base, source)
        flags = f"the flags of {script.name}" if script else "the flags of the project's script"
        cure = f"`python -m torchthaw run {script.name}`" if script else "that script"
        return f"{sources[source]}, without {flags}. Run {cure} first. The first error: {(errors or [failed])[0]}"

    if sources:
        ninja.run(state, [f"{source}^" for source in sources], verbose, explain)


def _script_of(base, source):
    """The project's script that compiles ``source``, as far as it names it; None without one."""
    for folder in dict.fromkeys([Path.cwd(), base, *source.parents[:2]]):
        for script in sorted(folder.glob("*.sh")):
            with contextlib.suppress(reading.Unreadable):
                if reading.contains(script, os.fsencode(source.name), MOST, folder):
                    return script
    return None


def _unfit(path, wanted):
    """Why an existing object cannot serve; None when it can."""
    if path.suffix not in (".o", ".cuo", ".obj"):
        return None
    if config.cuda_is_cpu() and _is_for_gpus(path):
        return "it holds code for GPUs, and this build is for CUDA on the CPU"
    if cuda.is_too_old(path):
        return "it was built by a CUDA that is too old"
    held = cuda.embedded(path)
    if held and not cuda.serves_any(held, wanted):
        return f"it holds code for {' '.join(held)}, and this build is for {' '.join(wanted)}"
    return None


def _is_for_gpus(path):
    return b"__cudaRegisterFatBinary" in path.read_bytes()


def _is_cuda_by_name(path):
    """Whether a missing object would come from nvcc: ``x.cu.o``, or ``x.o`` beside a ``x.cu`` or ``x_kernel.cu``."""
    return path.name.endswith((".cu.o", ".cuo")) or cuda.source_of(path) is not None


def _say(line):
    print(f"torchthaw: {line}", file=sys.stderr)
