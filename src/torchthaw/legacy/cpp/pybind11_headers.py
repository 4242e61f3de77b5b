"""torchthaw/legacy/cpp/pybind11_headers.py: PyTorch's pybind11, before a project's own copy that this Python is too new for.

Python 3.11 hides frames, which pybind11 before 2.10 reads: "invalid use of incomplete type 'PyFrameObject'".
"""

import re
import sys
from pathlib import Path

from ...base import cache, installed_torch

PYTHON, NEEDED = (3, 11), (2, 10)
FILES = ("pybind11/detail/common.h", "pybind11/common.h")
VERSION = re.compile(r"^#\s*define\s+PYBIND11_VERSION_(?:MAJOR|MINOR)\s+(\d+)", re.MULTILINE)


def before(folders):
    """(folders, changes): what a compiler is to search before its ``folders`` of headers, and a line about it.

    Both are empty where the first pybind11 in ``folders`` compiles with this Python, or where PyTorch has no newer one.
    """
    folder, version = next(((each, of(each)) for each in folders if of(each)), ("", NEEDED))
    if sys.version_info < PYTHON or version >= NEEDED:
        return [], []
    for own in installed_torch.include()[:1]:
        newer = of(own)
        if newer >= NEEDED:
            made = cache.layout("pybind11", {}, {"pybind11": own / "pybind11"})
            given, found, python = (".".join(map(str, each)) for each in (version, newer, PYTHON))
            return [made], [f"{folder}: pybind11 {given} is for Python before {python}; PyTorch's own {found} instead"]
    return [], []


def of(folder):
    """The version of the pybind11 in a folder of headers, such as (2, 10); () where there is none."""
    for name in FILES:
        try:
            return tuple(map(int, VERSION.findall(Path(folder, name).read_text("utf-8", "replace"))))
        except OSError:
            continue
    return ()
