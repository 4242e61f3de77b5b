"""torchthaw/legacy/run/command_run.py: the command run: a script of a legacy project, with all that it looks for in place."""

import os
import shutil
import sys

from ... import cuda_on_cpu
from ...base import config, reading
from .. import requested
from . import cmake, compiler_launchers, cpath, python_words
from .python_words import OF_PYTHON

USAGE = """python -m torchthaw run FILE [ARGUMENT ...]
       python -m torchthaw run -m MODULE [ARGUMENT ...]
       python -m torchthaw run -c CODE [ARGUMENT ...]
       python -m torchthaw run - [ARGUMENT ...]
       python -m torchthaw run pip [ARGUMENT ...]
       python -m torchthaw run python [ARGUMENT ...]
       python -m torchthaw run --portable[=auto] FILE [ARGUMENT ...]"""
DESCRIPTION = """
Runs FILE, a Python file such as build.py, a shell script (.sh, .bash), or any script with a #! line; or a Python
module, Python code, or what standard input holds, as python -m, -c and - do. pip and python are those of this Python,
unless FILE is a file of that name. It and all that it starts find torch.utils.ffi, the headers and libraries of TH, and
nvcc.
With --portable, before FILE or what stands for it, torch.utils.cpp_extension builds C++ with torchthaw's own headers:
one file for every PyTorch >= 2.4. With --portable=auto, PyTorch's own headers build what these headers lack.
"""
PORTABLE = "--portable"
EXPECTED = "expected a Python file or a shell script"
OR = "-m and a module, -c and code, -, pip or python"
SHELLS = {"sh", "bash", "dash"}


def add_run(subcommands, help):
    # All that follows is the script's: nothing of it begins an option of ours.
    parser = subcommands.add_parser(
        "run", help=help, usage=USAGE,
        description=DESCRIPTION, add_help=False, prefix_chars="\0",
    )  # fmt: skip
    parser.add_argument(
        "words", metavar="FILE", nargs="...", help="the script, or -m, -c or - as for python; its arguments"
    )
    parser.set_defaults(run=lambda options: run(parser, options.words))


def run(parser, words):
    """Replaces this process by what ``python FILE ARGUMENTS…`` would run, or the same with -m, -c or -."""
    words, portable = _without_portable(parser, words)
    if not words:
        parser.error(f"FILE: {EXPECTED}, {OR}, got nothing")
    if words[0] in ("-h", "--help"):
        parser.print_help()
        return 0
    if len(words) == 1 and OF_PYTHON.get(words[0]):
        parser.error(f"{words[0]}: expected {OF_PYTHON[words[0]]}, got nothing")
    if words[0].startswith("-") and words[0] not in OF_PYTHON:
        parser.error(f"FILE: {EXPECTED}, {OR}, got {words[0]!r}; options of Python come before -m torchthaw")
    started = command(words)
    set_environment(words)
    if portable:
        os.environ["TORCHTHAW_PORTABLE"] = portable
    sys.stdout.flush()
    sys.stderr.flush()
    os.execvp(started[0], started)


def _without_portable(parser, words):
    """(words, value of TORCHTHAW_PORTABLE or None): ``--portable`` and ``--portable=auto`` stand before FILE."""
    option, equals, value = words[0].partition("=") if words else ("", "", "")
    if option != PORTABLE:
        return words, None
    if equals and value != "auto":
        parser.error(f"{PORTABLE}: expected no value or auto, got {value!r}")
    return words[1:], "auto" if equals else "1"


def command(words):
    """The words to execute. Raises FileNotFoundError."""
    python = [sys.executable, *_interpreter_options()]
    given = python_words.of(words)
    if given is not None:
        return [*python, *given]
    script = words[0]
    if not os.path.isfile(script):
        got = "which is no regular file" if os.path.exists(script) else "which does not exist"
        raise FileNotFoundError(f"run: {EXPECTED}, got {script!r}, {got}")
    try:
        first = reading.first_bytes(script, 4096).partition(b"\n")[0]  # Python and shells would wait for one that waits
    except reading.Unreadable as error:
        raise FileNotFoundError(f"run: {EXPECTED}, got {script!r}: {error}") from None
    interpreter = [] if script.endswith(".py") else _interpreter(first)
    name = os.path.basename(interpreter[0]) if interpreter else ""
    if name in SHELLS or not interpreter and script.endswith((".sh", ".bash")):
        # Scripts that name sh were often written for one that is bash.
        return [shutil.which("bash") or "sh", *interpreter[1:], *words]
    if not interpreter or name.startswith("python"):
        return [*python, *interpreter[1:], *words]
    if shutil.which(interpreter[0]) is None:
        raise FileNotFoundError(f"run: {script}: expected a #! line of a program that is there, got {interpreter[0]!r}")
    return [*interpreter, *words]


def _interpreter(first):
    """The words of a script's ``#!`` line, without ``env``; none where its first line is no such line."""
    if not first.startswith(b"#!"):
        return []
    words = os.fsdecode(first[2:]).split()
    if words and os.path.basename(words[0]) == "env":
        words = words[2:] if words[1:2] == ["-S"] else words[1:]
    return words


def _interpreter_options():
    """What stands between ``python`` and ``-m torchthaw``, such as ``-u`` or ``-m pdb``; Python takes it as it is."""
    given = sys.orig_argv[1 : len(sys.orig_argv) - len(sys.argv[1:])]
    return given[:-2] if given[-2:] == ["-m", "torchthaw"] else []


def set_environment(words=()):
    """What the script and the processes that it starts see: this Python, torch.utils.ffi, headers, libraries, nvcc.

    words: the script and its arguments.
    """
    if sys.flags.ignore_environment or sys.flags.no_site:
        raise RuntimeError("run: expected a Python that reads PYTHONPATH and imports site, got one with -E, -I or -S")
    prepend("PYTHONPATH", requested.CHILDREN)
    folder = os.path.dirname(sys.executable)
    if os.path.dirname(shutil.which("python") or "") != folder:
        prepend("PATH", folder, os.defpath)
    cpath.point_compilers_at_headers()
    if config.cuda_is_cpu():
        os.environ.update(cuda_on_cpu.environment())
        print(cuda_on_cpu.LINE, file=sys.stderr)
    try:
        cmake.point_at_headers()
        compiler_launchers.put_in_place(words)
    except OSError as error:  # the script may need neither
        print(f"torchthaw: run: {error}; CMake does not find TH, and nvcc is the toolkit's own", file=sys.stderr)


def prepend(variable, folder, default=""):
    """Puts a folder before those that an environment variable lists."""
    given = os.environ.get(variable) or default
    os.environ[variable] = os.pathsep.join([os.fspath(folder), given] if given else [os.fspath(folder)])
