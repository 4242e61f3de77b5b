"""tests/support/foreign_python.py: Python's headers, for a compiler of another machine."""

import shutil
import sysconfig
from pathlib import Path

from torchthaw.base import toolchain


def headers(folder):
    """``folder``, with a copy of this Python's headers as a compiler for another machine of 64 bits reads them.

    Debian's pyconfig.h includes a file for each machine, and only the file for this machine is installed. The copy has
    that file as its pyconfig.h: the limited interface does not depend on sizes. Links fail: gcc resolves them.
    """
    include = Path(toolchain.python_include())
    shutil.copytree(include, folder, dirs_exist_ok=True)
    own = include.parent / (sysconfig.get_config_var("MULTIARCH") or "") / include.name / "pyconfig.h"
    if own.exists():
        shutil.copy(own, folder)
    return folder
