"""benchmarks/legacy_calls.py: a call of old C code with TH tensors

``my_lib_add_forward`` of examples/legacy on 25 floats, from Python through its generated wrapper to libth and back.
"casts of torch.utils.ffi" is what PyTorch 0.3 did for each argument, around a C function that does nothing; the tensors
themselves were TH structs then. Where the output is resized, each call makes a new, empty one. Minima over the rounds.
"""

import importlib
import sys
from pathlib import Path

import torch

import torchthaw  # noqa: F401, which makes torch.utils.ffi

from .harness import Outcome, compare, statement
from .peers import calls, loops

SAMPLE = Path(__file__).resolve().parents[1] / "examples" / "legacy" / "script" / "src"
CHECK = """
#include <TH/TH.h>

void check(THFloatTensor *input) {
  THArgCheck(THFloatTensor_nDimension(input) == 4, 1, "expected 4 dimensions");
}
"""


def sample():
    """The extension of examples/legacy/script, with one more function, which refuses what has not 4 dimensions."""
    from torchthaw.legacy.ffi.create import create_extension

    folder = calls.BUILD / "legacy"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "check.h").write_text("void check(THFloatTensor *input);\n")
    (folder / "check.c").write_text(CHECK)
    create_extension(
        "benchmarks_legacy", [str(SAMPLE / "my_lib.h"), "check.h"], [str(SAMPLE / "my_lib.c"), "check.c"],
        verbose=False, relative_to=str(folder / "build.py"),
    ).build()  # fmt: skip
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    return importlib.import_module("benchmarks_legacy")


def measure(effort):
    legacy = sample()
    outcome = Outcome()
    a, b, output = torch.randn(5, 5), torch.randn(5, 5), torch.empty(5, 5)
    names = dict(f=legacy.my_lib_add_forward, add=torch.add, empty=torch.empty, a=a, b=b, output=output)
    adding = [
        statement("torchthaw", "f(a, b, output)", **names),
        statement("torch.add(out=)", "add(a, b, out=output)", **names),
        statement("casts of torch.utils.ffi", "f(a, b, output)", **{**names, "f": calls.utils_ffi()}),
    ]
    if loops.installed("tvm-ffi"):
        adding.append(statement("tvm-ffi", "f(a, b, output)", **{**names, "f": loops.load("tvm-ffi")}))
    else:
        outcome.notes.append("tvm-ffi left out: not installed")
    resizing = [
        statement("torchthaw", "f(a, b, empty(0))", **names),
        statement("torch.add(out=)", "add(a, b, out=empty(0))", **names),
    ]
    refused = "try: check(a)\nexcept RuntimeError: pass"
    failing = [statement("torchthaw", refused, check=legacy.check, a=a, RuntimeError=torch.FatalError)]
    for case, contenders in (
        ("my_lib_add_forward", adding),
        ("my_lib_add_forward, output resized", resizing),
        ("error in C, caught", failing),
    ):
        outcome.groups.append(compare("legacy_calls", case, "5, 5", contenders, effort, statistic="minimum"))
    return outcome
