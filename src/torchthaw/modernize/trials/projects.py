"""torchthaw/modernize/trials/projects.py: built copies of the old and the new project, and jobs in them."""

import contextlib
import os
import shutil
import stat
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from ...base import child
from ...extension.progress import COUNT, Progress
from ...legacy import requested

LEFT_OUT = {".git", ".hg", ".svn", "__pycache__"}
LARGEST_FILE = 100 << 20  # bytes; weights and data are not needed
SECONDS_OF_BUILD = 900
SECONDS_OF_JOB = 1800
MOST_PRINTED = 256 << 20  # bytes
STEPS = {"find": "looking for arguments of the Functions"}  # what a job is called, if not by its calls
CHILD = "torchthaw.modernize.trials.child"
# Each call has one thread, which makes forks safe, and sees memory that was not set as other numbers on each side.
ENVIRONMENT = {"OMP_NUM_THREADS": "1", "PYTORCH_NVML_BASED_CUDA_CHECK": "1"}


class Built(NamedTuple):
    """A built copy. paths: what stands in sys.path; error: why it could not be built, or ""."""

    folder: Path
    paths: tuple
    is_old: bool
    error: str = ""


class Copies:
    """Copies of both projects of one Result, in a temporary folder, each built when it is first needed."""

    def __init__(self, result):
        self.result = result
        self.folder = Path(tempfile.mkdtemp(prefix="torchthaw-modernize-"))
        self.made = {}
        self.variables = {"TORCHTHAW_CACHE": os.fspath(self.folder / "cache")}  # the user's keeps nothing of this

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def new(self):
        """The new project, built in place by its setup.py, once."""
        if "new" not in self.made:
            folder, error = self._copy(self.result.folder, "new")
            words = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
            with step("building the new project"):
                error = error or command(folder, words, **self.variables)
            paths = (os.path.normpath(folder / root) for root in [*self.result.roots, "."])
            self.made["new"] = Built(folder, tuple(dict.fromkeys(paths)), False, error)
        return self.made["new"]

    def old(self):
        """The old project with the doctor's certain edits, built by its own build files, once."""
        if "old" not in self.made:
            folder, error = self._copy(self.result.project, "old")
            if not error:
                with step("building the old project"):
                    torchthaw(folder, "doctor", ".", "--apply")  # without Python 2 it can be called at all
                    error = self._build_old(folder)
            self.made["old"] = Built(folder, tuple(dict.fromkeys(self._roots(folder))), True, error)
        return self.made["old"]

    def _copy(self, source, name):
        """(a copy that can be written to, why it is not complete or "")"""
        folder, error = self.folder / name / source.name, ""
        try:
            shutil.copytree(source, folder, symlinks=True, ignore=_left_out)
        except OSError as raised:  # a file that may not be read
            error = f"copy of {source}: {raised}"
        for path in [folder, *folder.rglob("*")]:
            if not path.is_symlink():
                path.chmod(path.stat().st_mode | (stat.S_IRWXU if path.is_dir() else stat.S_IRUSR | stat.S_IWUSR))
        return folder, error

    def _build_old(self, folder):
        """Why it cannot be built, or ""."""
        error = ""
        for build_file in self.result.build_files:
            path = folder / build_file
            error = torchthaw(path.parent, "run", path.name, **self.variables) or error
        missing = [name for name in self.result.old_extensions if not _product(folder, name)]
        if missing and not error:  # package=True leaves the build to setup.py
            for setup in dict.fromkeys([folder / "setup.py", *((folder / each).parent / "setup.py"
                                                              for each in self.result.build_files)]):  # fmt: skip
                if setup.exists():
                    words = "run", "setup.py", "-q", "build_ext", "--inplace"
                    error = torchthaw(setup.parent, *words, **self.variables)
        missing = [name for name in missing if not _product(folder, name)]
        return (error or f"the build made no {missing[0]}") if missing or error else ""

    def _roots(self, folder):
        """The folders that the old project's modules are imported from."""
        old = {new: old for old, new in self.result.modules.items()}
        for each in self.result.functions:
            parts = old.get(each.module, each.module).split(".")
            path = Path(each.path).with_suffix("").parts
            path = path[:-1] if path[-1] == "__init__" else path
            if list(path[-len(parts) :]) == parts:
                yield os.fspath(folder.joinpath(*path[: len(path) - len(parts)]))
        yield os.fspath(folder)
        for name in self.result.old_extensions:
            product = _product(folder, name)
            if product:
                yield os.fspath(product.parents[name.count(".") + 1])


def _left_out(folder, names):
    """What is not copied: histories, huge files, pipes and sockets."""
    for name in names:
        path = os.path.join(folder, name)
        with contextlib.suppress(OSError):
            mode = os.lstat(path)
            is_kept = stat.S_ISDIR(mode.st_mode) or stat.S_ISLNK(mode.st_mode) or stat.S_ISREG(mode.st_mode)
            if name in LEFT_OUT or not is_kept or stat.S_ISREG(mode.st_mode) and mode.st_size > LARGEST_FILE:
                yield name


def _product(folder, name):
    """The library of an extension, wherever below the folder its package is."""
    *_, last = parts = name.split(".")
    return next(iter(sorted(folder.rglob("/".join([*parts, f"_{last}*.so"])))), None)


def environment(is_old):
    """The variables of processes that build or call a project."""
    paths = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path and path != requested.CHILDREN]
    given = {**os.environ, **ENVIRONMENT, "PYTHONPATH": os.pathsep.join([os.fspath(_own_folder()), *paths])}
    given.pop("TORCHTHAW_LEGACY_SEMANTICS", None)
    if is_old:
        given["TORCHTHAW_LEGACY_SEMANTICS"] = "1"
    return given


def _own_folder():
    """The folder that torchthaw is imported from."""
    return Path(__file__).resolve().parents[3]


def torchthaw(folder, *words, **variables):
    """Why ``python -m torchthaw WORDS…`` failed, or "". variables: of the environment."""
    return command(folder, [sys.executable, "-m", "torchthaw", *words], is_old=True, **variables)


def step(text):
    """The Progress of one of the long steps of modernize."""
    return Progress(text=f"modernize: {text}", tells_pipes=True)


def command(folder, words, is_old=False, seconds=SECONDS_OF_BUILD, shown="", read=None, **variables):
    """Runs a command in a folder; why it failed, or "".

    shown: the command in messages, if not as it is. read: gets each line that it prints.
    """
    shown, lines = shown or " ".join(["python", *words[1:]]), []

    def on_line(line):
        if read:
            read(line + "\n")
        if line.strip() and not COUNT.match(line):
            lines.append(line.strip())

    done = child.run(
        words,
        seconds=seconds,
        output=MOST_PRINTED,
        cwd=folder,
        env={**environment(is_old), **variables},
        on_line=on_line,
    )
    if done.ended_by.startswith("more than"):
        return f"{shown}: no end within {seconds} s" if done.ended_by.endswith(" s") else f"{shown}: {done.ended_by}"
    return f"{shown}: {_reason(lines) or f'exit status {done.status}'}" if done.status else ""


def _reason(lines):
    """The line that says most: an error of a compiler, of torchthaw or of Python, else the last one."""
    marks = "error:", "torchthaw:", "Error:"
    return next((line for mark in marks for line in lines if mark in line), lines[-1] if lines else "")


def ask(built, job, perturb=0):
    """The answer of ``child`` to a job in a built project. Raises RuntimeError if it gives none.

    perturb: glibc fills new memory with this byte, so that what C reads without having set it shows.
    """
    import torch  # the command line does without it

    folder = Path(tempfile.mkdtemp(dir=built.folder.parent))
    torch.save({**job, "is_old": built.is_old, "paths": list(built.paths)}, folder / "job")
    words = [sys.executable, "-m", CHILD, os.fspath(folder / "job"), os.fspath(folder / "answer")]
    if built.is_old:
        words[1:3] = ["-m", "torchthaw", "run", "-m", CHILD]
    variables = {"MALLOC_PERTURB_": str(perturb)} if perturb else {}
    shown = f"calls of the {'old' if built.is_old else 'new'} project's Functions"
    with step(STEPS.get(job["kind"], shown)) as progress:
        error = command(built.folder, words, built.is_old, SECONDS_OF_JOB, shown, progress.read, **variables)
    if error:
        raise RuntimeError(error)
    return torch.load(folder / "answer", weights_only=True)
