"""benchmarks/bridge_calls.py: a call of a C function with tensors

Calls of C loops over 25 floats, where the loop is the smaller part. Statements
run as timeit runs them, arguments in local names; minima over the rounds, since
at this size every disturbance only adds. "plain cffi" casts the result of
``data_ptr()`` and checks nothing. "torchthaw, annotated" is the same function
whose header says the shapes; its calls are checked.
"""

import importlib
import sys

import torch

from .harness import Outcome, compare, statement
from .peers import calls, extension


PLAIN = f"#include <stdint.h>\n\n{calls.HEADER}\n"
ANNOTATED = """#include <torchthaw/annotate.h>

void add_loop(const float *input1 THAW_SHAPE(n), const float *input2 THAW_SHAPE(n), float *output THAW_SHAPE(n),
              int64_t n);
"""


def bridged(name, header):
    """``add_loop`` of ``calls``, built as a user would build an extension of their own."""
    import torchthaw

    folder = calls.BUILD / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "add_loop.h").write_text(header)
    (folder / "add_loop.c").write_text(calls.SOURCE)
    torchthaw.create_extension(
        f"benchmarks_{name}", headers=["add_loop.h"], sources=["add_loop.c"], relative_to=folder / "add_loop.h"
    ).build()
    sys.path.insert(0, str(folder))
    return importlib.import_module(f"benchmarks_{name}").add_loop


def measure(effort):
    from _ext import my_lib

    outcome = Outcome()
    # Nothing else holds these, a view either: PyTorch passes a tensor that is held twice to C in less time.
    a, b, output = torch.randn(25), torch.randn(25), torch.empty(25)
    ffi, lib = calls.plain_cffi()
    peers = extension.load()
    loops = [
        statement("torchthaw", "f(a, b, output, 25)", f=bridged("bridged", PLAIN), a=a, b=b, output=output),
        statement(
            "torchthaw, annotated", "f(a, b, output, 25)", f=bridged("annotated", ANNOTATED), a=a, b=b, output=output
        ),
        statement(
            "plain cffi", "f(c(t, a.data_ptr()), c(t, b.data_ptr()), c(t, output.data_ptr()), 25)",
            f=lib.add_loop, c=ffi.cast, t=ffi.typeof("float *"), a=a, b=b, output=output,
        ),
        statement("pybind11 loop", "f(a, b, output)", f=peers.add_loop, a=a, b=b, output=output),
        statement("pybind11 at::add_out", "f(a, b, output)", f=peers.add_out, a=a, b=b, output=output),
        statement("torch.add(out=)", "f(a, b, out=output)", f=torch.add, a=a, b=b, output=output),
    ]  # fmt: skip
    tvm = calls.tvm_ffi()
    if tvm:
        loops.append(statement("tvm-ffi loop", "f(a, b, output)", f=tvm, a=a, b=b, output=output))
    else:
        outcome.notes.append("tvm-ffi left out: not installed (pip install apache-tvm-ffi)")
    minimum = dict(effort=effort, statistic="minimum")
    outcome.groups.append(compare("bridge_calls", "three tensors and a size", "25", loops, **minimum))

    a, b, output = torch.randn(5, 5), torch.randn(5, 5), torch.empty(5, 5)
    for case, shapes in (
        ("my_lib_add_forward, shapes at hand", ("s", "s")),
        ("my_lib_add_forward, shapes asked for", ("a.shape", "b.shape")),
    ):
        shaped = [
            statement(
                "torchthaw", "f(a, {}, 2, b, {}, 2, output)".format(*shapes),
                f=my_lib.my_lib_add_forward, a=a, b=b, s=a.shape, output=output,
            ),
            statement("torch.add(out=)", "f(a, b, out=output)", f=torch.add, a=a, b=b, output=output),
        ]  # fmt: skip
        outcome.groups.append(compare("bridge_calls", case, "5, 5", shaped, **minimum))
    return outcome
