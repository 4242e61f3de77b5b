"""benchmarks/legacy_build.py: the build of an old project

The sources of examples/legacy/script, each time in a folder without anything of a build before, until the module is
imported; beside their port to C++ by ``torch.utils.cpp_extension.load``, which takes so long that it is timed once.
Minima.
"""

import itertools
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from unittest import mock

from . import legacy_calls
from .harness import Group, Outcome, summarise
from .peers import calls, extension

ROUNDS = 3


def build_old(folder):
    with mock.patch.object(calls, "BUILD", folder), mock.patch.dict("os.environ", TORCHTHAW_CACHE=str(folder)):
        sys.modules.pop("benchmarks_legacy", None)
        return legacy_calls.sample()


def build_ported(folder):
    return extension.load_from(Path(extension.HERE / "legacy_port.cpp"), "benchmarks_legacy_port", folder)


def seconds(build):
    with tempfile.TemporaryDirectory() as folder:
        start = perf_counter()
        build(Path(folder))
        return perf_counter() - start


def measure(effort):
    import torch.utils.cpp_extension  # noqa: F401

    import torchthaw.legacy

    torchthaw.legacy.install()

    samples = {"torchthaw": [seconds(build_old) for _ in itertools.repeat(None, ROUNDS)]}
    if "cpp_extension.load" not in effort.without:
        samples["cpp_extension.load"] = [seconds(build_ported)]
    results = summarise(samples, "minimum")
    return Outcome([Group("legacy_build", "sources to module", "add", results, statistic="minimum", rounds=ROUNDS)])
