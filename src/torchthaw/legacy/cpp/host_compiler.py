"""torchthaw/legacy/cpp/host_compiler.py: a g++ that nvcc takes, where the one that it would take is too new for it."""

import functools
import os
import re
import shutil

from ...base import child, config
from ...base.errors import BuildError

LIMIT = re.compile(r"#\s*if\s+__GNUC__\s*>\s*(\d+)\s+#\s*error\s+--\s+unsupported GNU version")
NAMED = "-ccbin", "--compiler-bindir"
ALLOWED = "-allow-unsupported-compiler", "--allow-unsupported-compiler"


def flags(words, toolkit):
    """(flags, changes): what nvcc needs besides ``words`` to find a g++ of a version that it takes, and a line about it.

    Nothing where a compiler is named, in ``words`` or in NVCC_CCBIN.
    """
    is_named = any(word.startswith(NAMED) for word in words) or os.environ.get("NVCC_CCBIN")
    if config.cuda_is_cpu() or is_named or any(word in ALLOWED for word in words):
        return [], []
    most, now = newest(toolkit), version("gcc")
    if not most or not now or now <= most:
        return [], []
    told = f"gcc {now} is too new for nvcc {toolkit.version}, which takes {most} at most"
    for number in range(most, 6, -1):
        if found := shutil.which(f"g++-{number}"):
            return ["-ccbin", found], [f"{told}: {found} compiles the host's code"]
    return [], [f"{told}; install an older one beside it (Debian: apt install g++-{most}), and nvcc is told to take it"]


def newest(toolkit):
    """The newest major version of gcc that a toolkit takes; None where its headers say none."""
    try:
        text = (toolkit.include / "crt" / "host_config.h").read_text("utf-8", "replace")
    except OSError:
        return None
    found = LIMIT.search(text)
    return int(found[1]) if found else None


@functools.cache
def version(compiler):
    """The major version of a compiler of GNU; None where it is none, or not there."""
    try:
        said = child.answer([compiler, "-dumpversion"], check=False, seconds=30)
    except (OSError, BuildError):
        return None
    found = re.match(r"\d+", said.out)
    return int(found[0]) if found and not said.status else None
