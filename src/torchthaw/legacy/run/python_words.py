"""torchthaw/legacy/run/python_words.py: ``run python …`` and ``run pip …`` as the words that follow this Python."""

import os
import re
import sys
from itertools import takewhile

# What follows these words is Python's own business.
OF_PYTHON = {"-m": "the name of a module or package", "-c": "Python code", "-": None}
VERSIONS = ("", "3", f"3.{sys.version_info.minor}")
NAMES = {f"python{version}": [] for version in VERSIONS} | {f"pip{version}": ["-m", "pip"] for version in VERSIONS}

ISOLATION = "--no-build-isolation"
BUILDING = ("install", "wheel")
BUILD_FILES = ("setup.py", "pyproject.toml")


def of(words):
    """``words`` as those that follow ``python``; None where the first is a script. A file called pip is a script."""
    if words[0] in OF_PYTHON:
        return _without_isolation(words)
    if words[0] in NAMES and not os.path.isfile(words[0]):
        return _without_isolation([*NAMES[words[0]], *words[1:]])
    return None


def _without_isolation(words):
    """Has pip build sources with the packages of this Python: an isolated build has neither PyTorch nor PYTHONPATH."""
    options = list(takewhile(lambda word: word.startswith("-") and word not in OF_PYTHON, words))
    position = next((index for index, word in enumerate(words) if word in BUILDING), len(words))
    before, after = words[: position + 1], words[position + 1 :]
    if words[len(options) :][:2] != ["-m", "pip"] or ISOLATION in words or not any(map(_is_source, after)):
        return words
    print(
        f"torchthaw: run: pip {words[position]} {ISOLATION}: an isolated build has neither PyTorch nor torchthaw; "
        "compilers may take minutes, and pip shows what they print only with -v",
        file=sys.stderr,
        flush=True,
    )
    return [*before, ISOLATION, *after]


def _is_source(word):
    """Whether pip would build this argument: a project's folder, an archive of it, or a repository."""
    path = re.sub(r"^-e|^--editable=|\[[^]]*\]$", "", word)
    archive = path.endswith((".tar.gz", ".zip")) or "git+" in path
    return archive or any(os.path.isfile(os.path.join(path, name)) for name in BUILD_FILES)
