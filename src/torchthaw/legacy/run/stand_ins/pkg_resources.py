"""torchthaw/legacy/run/stand_ins/pkg_resources.py: the module pkg_resources as setup scripts use it: versions, what is
installed, files of packages.

setuptools 82 has no pkg_resources. Installed packages are those of importlib.metadata.
"""

import importlib
import os
import re
from importlib import metadata

import setuptools  # noqa: F401  # makes its own copy of packaging importable where none is installed
from packaging.requirements import Requirement
from packaging.version import parse as parse_version

packaging = importlib.import_module("packaging")


class ResolutionError(Exception):
    """Of a requirement, ``req``."""


class DistributionNotFound(ResolutionError):
    @property
    def req(self):
        return self.args[0]

    def __str__(self):
        return f"The {str(self.req)!r} distribution was not found"


class VersionConflict(ResolutionError):
    @property
    def dist(self):
        return self.args[0]

    @property
    def req(self):
        return self.args[1]

    def __str__(self):
        return f"{self.dist} is installed but {self.req} is required"


class Distribution:
    """An installed package."""

    def __init__(self, found):
        self._found = found
        self.project_name = found.metadata["Name"]
        self.version = found.version

    @property
    def key(self):
        return _key(self.project_name)

    @property
    def parsed_version(self):
        return parse_version(self.version)

    @property
    def location(self):
        return os.fspath(self._found.locate_file(""))

    def requires(self, extras=()):
        environments = [{"extra": extra} for extra in ("", *extras)]
        found = [Requirement(line) for line in self._found.requires or ()]
        return [each for each in found if not each.marker or any(map(each.marker.evaluate, environments))]

    def __str__(self):
        return f"{self.project_name} {self.version}"


class WorkingSet:
    """All that is installed; what comes first in sys.path counts."""

    @property
    def by_key(self):
        found = [Distribution(each) for each in metadata.distributions() if each.metadata["Name"]]
        return {each.key: each for each in reversed(found)}

    def __iter__(self):
        return iter(self.by_key.values())


working_set = WorkingSet()


def _key(name):
    return re.sub(r"[^A-Za-z0-9.]+", "-", name).lower()


def parse_requirements(lines):
    """The Requirement of each line of a text, or of several; comments and empty lines are left out."""
    for line in lines.splitlines() if isinstance(lines, str) else lines:
        line = re.split(r"(?:^|\s)#", line)[0].strip()
        if line:
            yield Requirement(line)


def get_distribution(name):
    """The installed package of a requirement. Raises DistributionNotFound or VersionConflict."""
    requirement = name if isinstance(name, Requirement) else Requirement(name)
    try:
        found = Distribution(metadata.distribution(requirement.name))
    except metadata.PackageNotFoundError:
        raise DistributionNotFound(requirement, None) from None
    if not requirement.specifier.contains(found.version, prereleases=True):
        raise VersionConflict(found, requirement)
    return found


def require(*requirements):
    """The installed packages of requirements, each text or several; what they require themselves is not looked at."""
    texts = [each for one in requirements for each in ([one] if isinstance(one, str) else one)]
    wanted = [each for text in texts for each in parse_requirements(text)]
    return [get_distribution(each) for each in wanted if not each.marker or each.marker.evaluate()]


def resource_filename(package, name):
    """The path of a file beside a package's modules."""
    module = importlib.import_module(package)
    return os.path.join(os.path.dirname(module.__file__), *name.split("/"))


def resource_exists(package, name):
    return os.path.exists(resource_filename(package, name))


def resource_string(package, name):
    with open(resource_filename(package, name), "rb") as file:
        return file.read()
