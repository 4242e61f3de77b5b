"""benchmarks/peers/autograd.py: mul_constant, add and lltm around the same C functions, differentiable in several ways."""

from types import SimpleNamespace

import torch

from torchthaw.bridge import private_names

from .eager import lltm_cell
from .extension import HERE, load_from

ROOT = HERE.parents[1]
OPERATORS = "mul_constant", "add", "lltm"


def torchthaw():
    from functions.add import add
    from functions.lltm import lltm
    from functions.mul_constant import mul_constant

    return SimpleNamespace(mul_constant=mul_constant, add=add, lltm=lltm)


def pybind11():
    return load_from(
        HERE / "autograd.cpp", "benchmarks_autograd", ROOT / "build" / "benchmarks" / "autograd",
        flags=["-idirafter", str(ROOT / "c_api" / "include")],  # it has an ATen/ATen.h for old projects
        extra_ldflags=[f"-L{ROOT / 'build' / 'lib'}", "-lmy_lib", f"-Wl,-rpath,{ROOT / 'build' / 'lib'}"],
    )  # fmt: skip


def cpp_operator():
    """Called without the frame of their Python object, as torchthaw calls the operators of C."""
    pybind11()
    overloads = {name: getattr(torch.ops.benchmarks_autograd, name).default for name in OPERATORS}
    if private_names.has("direct_call"):
        call = private_names.attribute("direct_call")
        overloads = {name: getattr(overload, call) for name, overload in overloads.items()}
    return SimpleNamespace(**overloads)


def function():
    from . import function

    return function


def custom_op():
    from . import custom_op

    return custom_op


def pytorch():
    return SimpleNamespace(mul_constant=torch.mul, add=torch.add, lltm=lltm_cell)


# Way -> what makes it: an object with the functions OPERATORS.
WAYS = {
    "torchthaw": torchthaw, "C++ operator": cpp_operator, "pybind11": pybind11, "Function": function,
    "custom_op": custom_op, "PyTorch": pytorch,
}  # fmt: skip
