"""tests/support/foreign_python.py: Python's headers, for a compiler of another machine."""

import shutil
import sysconfig
from pathlib import Path

from torchthaw.base import toolchain


def headers(folder):
    """``folder``, with a copy of this Python's headers as a compiler for another machine of 64 bits reads them.

    Debian's pyconfig.h includes that of the machine that is compiled for, which is in a package of that machine. This
    machine's serves: the limited interface has no sizes. (Links would not do: gcc follows those of system headers.)
    """
    include = Path(toolchain.python_include())
    shutil.copytree(include, folder, dirs_exist_ok=True)
    own = include.parent / (sysconfig.get_config_var("MULTIARCH") or "") / include.name / "pyconfig.h"
    if own.exists():
        shutil.copy(own, folder)
    return folder
