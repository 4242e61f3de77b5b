"""torchthaw/base/requirement.py: wheels with an FFIExtension require the torchthaw that built them, or a later one.

An entry point of setuptools, which calls it for every project: it imports nothing that takes long.
"""

import re
import sys

from .config import __version__


def requirement():
    """As ``install_requires`` has it: an extension loads in every later version until the next major one."""
    major, minor = __version__.split(".")[:2]
    return f"torchthaw<{int(major) + 1},>={major}.{minor}"


def is_missing(distribution):
    """Whether a setuptools Distribution has an FFIExtension and does not require torchthaw."""
    module = sys.modules.get("torchthaw.extension.build_ext")
    if module is None or not any(isinstance(each, module.FFIExtension) for each in distribution.ext_modules or ()):
        return False
    return not any(re.match(r"\s*torchthaw(?![\w.-]*\w)", each, re.IGNORECASE) for each in _given(distribution))


def add(distribution):
    """Adds the requirement to a Distribution that needs it and lacks it."""
    if is_missing(distribution):
        distribution.install_requires = [*_given(distribution), requirement()]


def _given(distribution):
    given = distribution.install_requires or []
    return given.splitlines() if isinstance(given, str) else list(given)
