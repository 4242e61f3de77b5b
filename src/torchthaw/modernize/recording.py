"""torchthaw/modernize/recording.py: what the build files of a project give create_extension and setup.

A file whose arguments can be found by reading it is not run. Another one is run in a copy of the project, in a process
of its own with a recording create_extension, once as on a machine without CUDA and once as on one with it.
"""

import ast
import contextlib
import functools
import json
import os
import re
import shlex
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from ..base import child
from ..base.writing import write as write_file
from ..doctor import python2
from ..doctor.project import is_python
from ..doctor.reading.tree import TooDeep
from . import literal
from .project import Refused
from .recorder import CREATE_EXTENSION
from .remarks import Remark

RECORDER = Path(__file__).with_name("recorder.py")
PRINTED = "printed"
MOST_PRINTED = 16 << 20  # bytes
SECONDS_OF_IMPORTS = 120
STARTS = re.compile(r"^(?:os\.system|(?:subprocess\.)?(?:call|check_call|check_output|run|Popen))$")


class Given(NamedTuple):
    """One call of create_extension. arguments: by name, as they were given. base, cwd: the folders that its relative
    paths start from, that of the build file and the current one; relative to the project. root: its place then.
    """

    line: int
    arguments: dict
    base: str
    cwd: str
    root: Path


class Recording(NamedTuple):
    """Of one file. cpu, cuda: the calls of create_extension as without CUDA and with it. setup: the keywords of setup,
    or None. commands: what it starts. was_run: whether it was run.
    """

    path: str
    cpu: list
    cuda: list
    setup: dict | None
    commands: list
    was_run: bool


def find(project, chosen=()):
    """The paths of the Python files that call create_extension; those of ``chosen`` alone where it names some."""
    for name in chosen:
        if name not in project.files:
            raise Refused(f"--build: expected a file of the project, relative to it, got {name!r}")
    found = [name for name in project.files if is_python(name) and _builds(project.text(name))]
    found = [name for name in found if name in chosen] if chosen else found
    if not found:
        of = f"--build: {chosen[0]}" if chosen else "PROJECT"
        raise Refused(
            f"{of}: expected a build file, a Python file that calls create_extension of torch.utils.ffi, found none"
        )
    return found


def _builds(source):
    text = source.text if source else ""
    return bool(
        re.search(r"\bcreate_extension\s*\(", text) and re.search(r"\butils\.ffi\b|\butils\s+import\s+ffi\b", text)
    )


def record(project, path, remarks, limit, may_run=True):
    """The Recording of a build file or setup.py.

    Raises literal.NeedsRun where it must be run and may not be; Refused where it fails, or runs for more than
    ``limit`` seconds.
    """
    try:
        return _read(project, path)
    except literal.NeedsRun as error:
        error.path = path
        if not may_run:
            raise
        why = error
    recording = run(project, path, limit, remarks)
    message = f"its arguments are computed ({why}): it was run in a copy, with a create_extension that only records"
    remarks.append(Remark(path, why.line, "build-run", message, "done"))
    return recording


def _read(project, path):
    text = python3(project.text(path).text)
    if text is None:
        raise Refused(f"{path}: expected Python, got text that neither Python 3 nor Python 2 can parse")
    file = project.root / path
    try:
        cpu, cuda = (literal.calls(text, file, has_cuda) for has_cuda in (False, True))
    except (SyntaxError, TooDeep) as error:
        raise Refused(f"{path}: expected Python that can be parsed: {error}") from None
    cpu["create_extension"], cuda["create_extension"] = _built(
        *(each["create_extension"] for each in (cpu, cuda)), lambda call: (call.line, call.is_built)
    )
    given = [[_given(project.root, file.parent, call.line, _named(call)) for call in each["create_extension"]]
             for each in (cpu, cuda)]  # fmt: skip
    setup = next(iter(cuda["setup"]), None)
    return Recording(path, *given, None if setup is None else dict(setup), list(_commands(text)), False)


def _commands(text):
    """The commands that a build file starts, where it has them as they are."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and node.args and STARTS.search(ast.unparse(node.func)):
            with contextlib.suppress(ValueError, TypeError):
                words = ast.literal_eval(node.args[0])
                yield words if isinstance(words, str) else shlex.join(words)


@functools.cache
def python3(text):
    """``text``, translated where it is Python 2; None where it is neither."""
    with contextlib.suppress(TooDeep):
        if python2.parse_error(text) is None:
            return text
        translated = python2.translate(python2.without_tabs(text))
        if translated is not None and python2.parse_error(translated) is None:
            return translated
    return None


def _built(cpu, cuda, look):
    """The calls as without CUDA and with it, but for those that ``build()`` is called of on the other side alone.

    look: gives the line of a call, and whether ``build()`` is called of its result.
    """
    sides = [cpu, cuda]
    built = [{line for line, is_built in map(look, calls) if is_built} for calls in sides]
    return [
        [call for call in calls if look(call)[0] in mine or look(call)[0] not in others]
        for calls, mine, others in zip(sides, built, reversed(built))
    ]


def _named(call):
    """The arguments of a literal.Call by name."""
    most = len(CREATE_EXTENSION)
    for name in call:
        if not isinstance(name, str) and name not in range(most):
            raise Refused(
                f"line {call.line}: create_extension: expected at most {most} arguments by position, and names"
            )
    return {CREATE_EXTENSION[name] if isinstance(name, int) else name: value for name, value in call.items()}


def _given(root, cwd, line, arguments):
    relative_to = arguments.pop("relative_to", ".")
    if not isinstance(relative_to, (str, os.PathLike)) or "\0" in os.fspath(relative_to):
        raise Refused(f"line {line}: relative_to: expected a path, got {relative_to!r}")
    base = os.path.dirname(os.path.join(cwd, relative_to)) if relative_to != "." else cwd
    relative = [os.path.relpath(os.path.realpath(folder), os.path.realpath(root)) for folder in (base, cwd)]
    if any(folder.startswith("..") for folder in relative):
        raise Refused(f"line {line}: relative_to: expected a file of the project, got {relative_to!r}")
    return Given(line, arguments, *("" if folder == "." else folder for folder in relative), Path(root))


# Running


def run(project, path, limit, remarks=()):
    """The Recording of a file that is run, twice, in a copy of the project.

    remarks: gets one where it fails as on a machine without CUDA, or as on one with it.
    """
    with tempfile.TemporaryDirectory(prefix="torchthaw-modernize-") as folder:
        roots = [Path(folder, has_cuda, project.root.name) for has_cuda in "01"]
        for root in roots:
            _copy(project, root)
        found = [each | {"root": root} for each, root in zip(_recorded(roots, path, limit), roots)]
        errors = [each["error"] for each in found]
        calls = [each["create_extension"] for each in found]
        if (errors[0] and errors[1]) or not (calls[0] or calls[1] or found[1]["setup"]):
            said = _printed(roots)
            why = (
                f"it ended with {errors[1] or errors[0]}"
                if any(errors)
                else "it called neither create_extension nor setup" + (f", and printed {said[-1]!r}" if said else "")
            )
            raise Refused(f"{path}: expected a build file that can be run here; {why}")
        calls = _built(*calls, lambda call: (call["line"], call["built"]))
        for each, kept in zip(found, calls):
            each["create_extension"] = kept
        given = [
            [_given(each["root"], call["cwd"], call["line"], _known(path, call)) for call in each["create_extension"]]
            for each in found
        ]
        given = [[call._replace(arguments=_within(call.arguments, call.root, project.root), root=project.root)
                  for call in calls] for calls in given]  # fmt: skip
    for error, where in zip(errors, ("without CUDA", "with CUDA")):
        if error and isinstance(remarks, list):
            message = f"{where} it ended with {error}; what it builds so may be missing in the new setup.py"
            remarks.append(Remark(path, 0, "build-run", message, "look"))
    setup = next((each["setup"][0]["arguments"] for each in reversed(found) if each["setup"]), None)
    setup = None if setup is None else {name: value for name, value in setup.items() if not _is_unknown(value)}
    commands = dict.fromkeys(
        command.replace(os.fspath(each["root"]), ".") for each in reversed(found) for command in each["commands"]
    )
    return Recording(path, *given, setup, list(commands), True)


def _copy(project, root):
    """The files of the project, with Python that Python 3 can parse."""
    for name, file in project.files.items():
        target = root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        data = file.data()
        source = project.text(name) if is_python(name) else None
        translated = python3(source.text) if source else None
        if translated is not None and (translated != source.text or not source.declared):
            data = translated.encode("utf-8" if not source.declared else source.encoding)
        write_file(target, data)
        target.chmod(0o755 if file.is_program else 0o644)


def _recorded(roots, path, limit):
    """What recorder.py writes down for a file in each of two copies: as without CUDA, and as with it."""
    results = [root.parent / "recorded.json" for root in roots]
    jobs = [(root / path, has_cuda, result) for root, has_cuda, result in zip(roots, "01", results)]
    command = [sys.executable, RECORDER, str(limit), *(word for job in jobs for word in job)]
    # The recorder ends each of the two after ``limit`` seconds; the imports before them take longer than most.
    done = child.run(
        command, seconds=2 * limit + SECONDS_OF_IMPORTS, output=MOST_PRINTED, cwd=jobs[0][0].parent,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    write_file(roots[0].parent / PRINTED, done.out + done.err)
    for result in results:
        found = json.loads(result.read_text("utf-8", "surrogateescape")) if result.exists() else None
        if found is None:
            lines = _printed(roots)
            last = done.ended_by or (lines[-1] if lines else f"exit status {done.status}")
            raise Refused(f"{path}: expected a build file that can be run here; it ended with {last}")
        if "late" in found:
            expected = f"expected a build file that ends within {limit:g} seconds"
            raise Refused(f"{path}: {expected}; it did not; --time-limit sets another limit")
        yield found


def _printed(roots):
    """The lines that a build file printed in its copies."""
    return (roots[0].parent / PRINTED).read_text("utf-8", "replace").strip().splitlines()


def _known(path, call):
    for name, value in call["arguments"].items():
        if _is_unknown(value):
            raise Refused(
                f"{path}: line {call['line']}: {name}: expected text, numbers and lists, got {_unknown(value)}"
            )
    return call["arguments"]


def _is_unknown(value):
    return _unknown(value) is not None


def _unknown(value):
    """What stands for a value that JSON cannot hold, anywhere in ``value``; None where all is known."""
    if isinstance(value, dict):
        if list(value) == ["unknown"]:
            return value["unknown"]
        value = list(value.values())
    return next(filter(None, map(_unknown, value)), None) if isinstance(value, list) else None


def _within(value, old, new):
    """``value`` with the paths of the copy ``old`` as those of the project."""
    if isinstance(value, str):
        return value.replace(os.path.realpath(old), os.fspath(new)).replace(os.fspath(old), os.fspath(new))
    if isinstance(value, list):
        return [_within(each, old, new) for each in value]
    if isinstance(value, dict):
        return {name: _within(each, old, new) for name, each in value.items()}
    return value
