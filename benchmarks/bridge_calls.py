"""benchmarks/bridge_calls.py: a call of a C function with tensors

Calls of C loops over 25 floats, where the loop is the smaller part. Statements
run as timeit runs them, arguments in local names; minima over the rounds, since
at this size every disturbance only adds. "plain cffi" casts the result of
``data_ptr()`` and checks nothing. "torchthaw, annotated" is the same function
whose header says the shapes; its calls are checked. "pybind11", "nanobind",
"stable ABI" (of PyTorch) and "tvm-ffi" are that loop bound in these ways. In
"my_lib_add_forward" the shapes are arguments too: at hand, asked for in the
call, or left out by a call with keywords. "three arrays of NumPy" are the same
functions again, with arrays; "plain cffi" takes their buffers, and pybind11 has
a function of its own, of py::array_t.
"""

import importlib
import sys

import numpy
import torch

from .harness import Outcome, compare, statement
from .peers import calls, loops

ANNOTATED = """#include <torchthaw/annotate.h>

void add_loop(const float *input1 THAW_SHAPE(n), const float *input2 THAW_SHAPE(n), float *output THAW_SHAPE(n),
              int64_t n);
"""


def annotated():
    """``add_loop`` of ``calls`` with its shapes in the header, built as a user would build an extension of their own."""
    import torchthaw

    folder = calls.BUILD / "annotated"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "add_loop.h").write_text(ANNOTATED)
    (folder / "add_loop.c").write_text(calls.SOURCE)
    torchthaw.create_extension(
        "benchmarks_annotated", headers=["add_loop.h"], sources=["add_loop.c"], relative_to=folder / "add_loop.h"
    ).build()
    sys.path.insert(0, str(folder))
    return importlib.import_module("benchmarks_annotated").add_loop


def measure(effort):
    from _ext import my_lib

    outcome = Outcome()
    # Nothing else holds these, a view either: PyTorch passes a tensor that is held twice to C in less time.
    a, b, output = torch.randn(25), torch.randn(25), torch.empty(25)
    ffi, lib = calls.plain_cffi()
    names = dict(a=a, b=b, output=output)
    contenders = [
        statement("torchthaw", "f(a, b, output, 25)", f=loops.load("torchthaw"), **names),
        statement("torchthaw, annotated", "f(a, b, output, 25)", f=annotated(), **names),
        statement(
            "plain cffi", "f(c(t, a.data_ptr()), c(t, b.data_ptr()), c(t, output.data_ptr()), 25)",
            f=lib.add_loop, c=ffi.cast, t=ffi.typeof("float *"), **names,
        ),
        statement("torch.add(out=)", "f(a, b, out=output)", f=torch.add, **names),
    ]  # fmt: skip
    for name in [name for name in loops.BINDINGS if name != "torchthaw" and name not in effort.without]:
        if loops.installed(name):
            contenders.append(statement(name, "f(a, b, output)", f=loops.load(name), **names))
        else:
            outcome.notes.append(f"{name} left out: not installed")
    minimum = dict(effort=effort, statistic="minimum")
    outcome.groups.append(compare("bridge_calls", "three tensors and a size", "25", contenders, **minimum))

    a, b, output = (numpy.ones(25, numpy.float32) for _ in range(3))
    names = dict(a=a, b=b, output=output)
    contenders = [
        statement("torchthaw", "f(a, b, output, 25)", f=loops.load("torchthaw"), **names),
        statement("torchthaw, annotated", "f(a, b, output, 25)", f=annotated(), **names),
        statement(
            "plain cffi", "f(m(t, a), m(t, b), m(t, output), 25)", f=lib.add_loop, m=ffi.from_buffer,
            t=ffi.typeof("float[]"), **names,
        ),
        statement("numpy.add(out=)", "f(a, b, out=output)", f=numpy.add, **names),
    ]  # fmt: skip
    for name, binding in (("pybind11", "pybind11, NumPy"), ("nanobind", "nanobind")):
        if name not in effort.without and loops.installed(binding):
            contenders.append(statement(name, "f(a, b, output)", f=loops.load(binding), **names))
    outcome.groups.append(compare("bridge_calls", "three arrays of NumPy and a size", "25", contenders, **minimum))

    a, b, output = torch.randn(5, 5), torch.randn(5, 5), torch.empty(5, 5)
    at_hand = "f(a, s, 2, b, s, 2, output)"
    names = dict(f=my_lib.my_lib_add_forward, a=a, b=b, s=a.shape, output=output)
    add = statement("torch.add(out=)", "f(a, b, out=output)", **{**names, "f": torch.add})
    for case, *calls_of_c in (
        ("shapes at hand", statement("torchthaw", at_hand, **names)),
        ("shapes asked for", statement("torchthaw", "f(a, a.shape, 2, b, b.shape, 2, output)", **names)),
        (
            "keywords without shapes", statement("torchthaw", "f(input1=a, input2=b, output=output)", **names),
            statement("shapes at hand", at_hand, **names),
        ),
    ):  # fmt: skip
        shaped = [*calls_of_c, add]
        outcome.groups.append(compare("bridge_calls", f"my_lib_add_forward, {case}", "5, 5", shaped, **minimum))
    return outcome
