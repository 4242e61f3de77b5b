"""torchthaw/check/steps.py: runs one command of a check, keeps what it prints, and finds its first error."""

import os
import re
import shlex

from ..base import child, writing

OUTPUT = 256 * child.MEGABYTE
# What pip and unittest print around an error, and what follows from an error before it.
FRAME = re.compile(
    r"subprocess-exited-with-error|metadata-generation-failed|did not run successfully|Failed building wheel|"
    r"Failed to build|command .* failed with exit (code|status)|ninja: build stopped|^Traceback|returned non-zero exit status|"
    r"This error originates from a subprocess|^make.*\bError \d+$|Error compiling objects|"
    r"^FAILED \((errors|failures)=|^ImportError: Failed to import test module"
)
# The kinds of errors, the most telling first: of a compiler, of pytest, of the loader, of a linker, of Python, of others.
KINDS = [
    re.compile(pattern)
    for pattern in (
        r".*?[:(]\d+[:)].*\berror\b[:\s]", r"^(FAILED|ERROR) \S+.*", r".*undefined symbol.*", r".*undefined reference to.*",
        r"^[\w.]*(Error|Exception|Interrupt)\b.*", r"(?i)^(fatal )?error\b.*",
    )
]  # fmt: skip


class StepError(Exception):
    """A command failed: its first error."""


def run(words, log, *, seconds, cwd, env):
    """Runs a command; the file ``log`` gets it and what it prints. Raises StepError."""
    lines = []
    with writing.naming(log), open(log, "a", encoding="utf-8", errors="backslashreplace") as file:

        def keep(line):
            lines.append(line)
            print(line, file=file, flush=True)

        print("$", shlex.join(map(os.fspath, words)), file=file, flush=True)
        try:
            done = child.run(words, seconds=seconds, output=OUTPUT, cwd=cwd, env=env, on_line=keep)
        except FileNotFoundError as error:
            print(error, file=file)
            raise StepError(str(error)) from None
    if done.ended_by:
        raise StepError(f"ended by {done.ended_by}")
    if done.status:
        raise StepError(first_error(lines).replace(f"{cwd}{os.sep}", "") or f"exit status {done.status}")
    return lines


def first_error(lines):
    """The line that says best what went wrong: the first of the most telling kind, else the last one; "" without any."""
    said = [line.strip() for line in lines if line.strip() and not FRAME.search(line)]
    for kind in KINDS:
        found = next(filter(kind.match, said), None)
        if found:
            return found
    return said[-1] if said else ""
