"""benchmarks/hosts.py: the same C in other hosts

"2000 nodes" is an ONNX model that adds 25 numbers as often: nodes of my_lib,
of ONNX Runtime's Add, and of its Sin. The LLTM step makes its three outputs
anew, but for ONNX Runtime, whose memory is bound: torch.ops without
gradients, and NumPy's arrays. JAX runs in a process of its own, beside the same
formulas in jax.numpy; "gradient" has the gradients of all five arguments.
`make bench` installs JAX.
"""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy
import torch

from .harness import Contender, Group, Outcome, Spread, compare
from .peers import exported

ROOT = Path(__file__).resolve().parents[1]
JAX = ROOT / "build" / "hosts" / "jax"
BATCH, INPUT, STATE = SHAPE = 16, 32, 128


def check_same(name, found, expected):
    for one, other in zip(found, expected, strict=True):
        assert numpy.allclose(one, other, 1e-6, 1e-6), f"{name} differs from torch.ops"


def lltm(effort, has_onnxruntime):
    """A step in each host that this process can have."""
    from _ext import my_lib

    sizes = (BATCH, INPUT), (3 * STATE, STATE + INPUT), (3 * STATE,), (BATCH, STATE), (BATCH, STATE)
    tensors = [torch.randn(size) * 0.1 for size in sizes]
    arrays = dict(zip(("input", "weights", "bias", "old_h", "old_cell"), (x.numpy() for x in tensors)))
    contenders = [
        Contender("torch.ops", torch.no_grad()(lambda: torch.ops.my_lib.lltm_forward(*tensors))),
        Contender("NumPy", lambda: my_lib.lltm_forward(**arrays)),
    ]
    expected = [y.numpy() for y in contenders[0].call()]
    check_same("NumPy", contenders[1].call(), expected)
    if has_onnxruntime:
        from .peers import in_onnxruntime

        outputs = {"new_h": (BATCH, STATE), "new_cell": (BATCH, STATE), "gates": (BATCH, 3 * STATE)}
        outputs = {name: numpy.empty(shape, numpy.float32) for name, shape in outputs.items()}
        contenders.append(Contender("ONNX Runtime", in_onnxruntime.node("lltm_forward", arrays, outputs)))
        contenders[-1].call()
        check_same("ONNX Runtime", outputs.values(), expected)
    return compare("hosts", "LLTM step", ", ".join(map(str, SHAPE)), contenders, effort)


def in_jax(effort):
    """The groups of a process with JAX."""
    folder = exported.build("jax", "-isystem", str(JAX / "jaxlib" / "include"))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (ROOT, folder, JAX)))}
    command = [sys.executable, "-S", "-m", "benchmarks.peers.in_jax", json.dumps([SHAPE, effort.group_seconds])]
    done = subprocess.run(command, env=environment, cwd=ROOT, check=True, capture_output=True, text=True)
    groups = [Group(**row) for row in json.loads(done.stdout.splitlines()[-1])]
    for group in groups:
        group.results = {name: Spread(**each) for name, each in group.results.items()}
    return groups


def measure(effort):
    outcome = Outcome()
    has_onnxruntime = find_spec("onnxruntime") is not None
    if has_onnxruntime:
        from .peers import in_onnxruntime

        chains = [("torchthaw", "my_lib_add_forward", "my_lib"), ("Add", "Add", ""), ("Sin", "Sin", "")]
        contenders = [Contender(name, in_onnxruntime.chain(*operator)) for name, *operator in chains]
        outcome.groups.append(compare("hosts", "2000 nodes", "25", contenders, effort, statistic="minimum"))
    else:
        outcome.notes.append("ONNX Runtime left out: it has no release for this Python")
    outcome.groups.append(lltm(effort, has_onnxruntime))
    if (JAX / "jaxlib").is_dir():
        outcome.groups += in_jax(effort)
    else:
        outcome.notes.append("JAX left out: make bench installs it where this Python has a release")
    return outcome
