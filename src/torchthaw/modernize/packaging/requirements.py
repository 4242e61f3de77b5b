"""torchthaw/modernize/packaging/requirements.py: lists of packages, with those that PyTorch and torchthaw of today need."""

import re

# What torchthaw brings, or PyTorch does.
NOT_NEEDED = {"cffi", "pytorch", "torch", "setuptools", "pip"}
SETUPTOOLS = "setuptools>=77.0.3"  # the first that takes a licence by its SPDX name
OLDEST_PYTHON = (3, 10)
OLD_PYTHON = re.compile(r"Programming Language :: Python :: (?:2\b.*|3\.\d)$")  # classifiers of older ones


def name_of(requirement):
    """The name in ``Torch_Vision[all]>=1``, as packages are compared: ``torch-vision``."""
    return re.sub(r"[-_.]+", "-", re.match(r"\s*([\w.-]*)", requirement)[1]).lower()


def kept(requirements, needed):
    """Those of ``requirements`` that still count beside ``needed``, which has other versions of some of them."""
    gone = NOT_NEEDED | {name_of(each) for each in needed}
    return [each for each in requirements if name_of(each) not in gone]


def python_versions(given):
    """``requires-python`` for a package on torchthaw: the limits of ``given`` that allow no older Python than it does."""
    lower, others = [], []
    for clause in given.split(","):
        parsed = re.fullmatch(r"\s*(<=?|>=?|!=|==|~=)\s*(\d+(?:\.\d+)*)(?:\.\*)?\s*", clause)
        version = tuple(map(int, parsed[2].split("."))) if parsed else ()
        if version > OLDEST_PYTHON or version == OLDEST_PYTHON and parsed[1] not in ("<", "!="):
            (others if parsed[1] in ("<", "<=", "!=") else lower).append(clause.strip())
    return ",".join([*(lower or [">=" + ".".join(map(str, OLDEST_PYTHON))]), *others])
