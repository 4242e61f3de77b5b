"""bindings/tools.py: which commands this machine has."""

import functools
import os
import shutil
import subprocess

# What a command is asked for its version with, where that is not --version.
VERSION = {"go": "version", "java": "-version", "javac": "-version", "luajit": "-v", "zig": "version"}
SECONDS = 60


@functools.cache
def is_there(command, path=None):
    """Whether a command is found and says its version; one with a "/" is a file that must exist.

    rustup's rustc is found, and fails, where no toolchain is installed for this user.
    """
    if "/" in command:
        return os.path.exists(command)
    found = shutil.which(command, path=path)
    try:
        return bool(found) and subprocess.run(
            [found, VERSION.get(command, "--version")], capture_output=True, stdin=subprocess.DEVNULL, timeout=SECONDS
        ).returncode == 0  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return False
