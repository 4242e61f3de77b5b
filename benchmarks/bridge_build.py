"""benchmarks/bridge_build.py: the build of a C loop over three tensors

From the source to the result of the first call, for each way in which "bridge_calls" calls it: once in a process of its
own, in an empty folder. What a program has imported before is not timed; nanobind is compiled as its documentation says
for a build without CMake. Then the size of what was built, without symbols for debuggers.
"""

import json
import subprocess
import sys
import tempfile

from .harness import Group, Outcome, Spread
from .peers import loops


def build(name):
    """{"seconds": ..., "bytes": ...}"""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.peers.loops", name, folder], capture_output=True, text=True
        )
    if done.returncode:
        raise RuntimeError(f"{name}: the build failed\n{done.stdout}{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def measure(effort):
    chosen = [name for name in loops.BINDINGS if name not in effort.without]
    built = {name: build(name) for name in chosen if loops.installed(name)}
    outcome = Outcome(notes=[f"{name} left out: not installed" for name in chosen if name not in built])
    for case, key, unit in (("source to first call", "seconds", "s"), ("size of the library", "bytes", "B")):
        results = {name: Spread(*[found[key]] * 3) for name, found in built.items()}
        outcome.groups.append(Group("bridge_build", case, "add", results, unit=unit, statistic="exact"))
    return outcome
