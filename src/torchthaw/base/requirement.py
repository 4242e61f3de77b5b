"""torchthaw/base/requirement.py: wheels with an FFIExtension require the torchthaw that built them, or a later one.

An entry point of setuptools, which calls it for every project: it imports nothing that takes long.
"""

import re
import sys

from .config import __version__


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
    if is_missing(distribution):
        distribution.install_requires = [*_given(distribution), requirement(distribution)]


def _extensions(distribution):
    """The FFIExtensions of a Distribution."""
    module = sys.modules.get("torchthaw.extension.build_ext")
    return [each for each in distribution.ext_modules or () if module and isinstance(each, module.FFIExtension)]


def _given(distribution):
    given = distribution.install_requires or []
    return given.splitlines() if isinstance(given, str) else list(given)
