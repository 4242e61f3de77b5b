"""torchthaw/base/requirement.py: wheels with an FFIExtension require the torchthaw that built them, or a later one.

An entry point of setuptools, which calls it for every project: it imports nothing that takes long.
"""

import re
import sys
from pathlib import Path

from .config import __version__

PROJECT = re.compile(r"^\[project\][ \t]*(?:#[^\n]*)?$(.*?)(?=^\[|\Z)", re.MULTILINE | re.DOTALL)
DYNAMIC = re.compile(r"^dynamic\s*=\s*\[[^\]]*['\"]dependencies['\"]", re.MULTILINE)


def requirement(distribution):
    """As ``install_requires`` has it: an extension loads in every later version until the next major one.

    One with TH types also needs what ``torchthaw[legacy]`` installs.
    """
    major, minor = __version__.split(".")[:2]
    extra = "[legacy]" if any(each.given.get("th") for each in _extensions(distribution)) else ""
    return f"torchthaw{extra}<{int(major) + 1},>={major}.{minor}"


def is_missing(distribution):
    """Whether a setuptools Distribution has an FFIExtension and does not require torchthaw."""
    if not _extensions(distribution):
        return False
    return not any(re.match(r"\s*torchthaw(?![\w.-]*\w)", each, re.IGNORECASE) for each in _given(distribution))


def add(distribution):
    """Adds the requirement to a Distribution that needs it and lacks it."""
    if is_missing(distribution) and not _is_in_pyproject():
        distribution.install_requires = [*_given(distribution), requirement(distribution)]


def _is_in_pyproject():
    """Whether ``[project]`` of pyproject.toml says what the dependencies are: setuptools reads it after setup.py, warns
    about others, and forgets them."""
    try:
        text = Path("pyproject.toml").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    table = PROJECT.search(text)
    return bool(table) and not DYNAMIC.search(table[1])


def _extensions(distribution):
    """The FFIExtensions of a Distribution."""
    module = sys.modules.get("torchthaw.extension.build_ext")
    return [each for each in distribution.ext_modules or () if module and isinstance(each, module.FFIExtension)]


def _given(distribution):
    given = distribution.install_requires or []
    return given.splitlines() if isinstance(given, str) else list(given)
