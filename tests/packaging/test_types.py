"""tests/packaging/test_types.py: the types of what is public, as `mypy --strict` sees them in a user's program."""

import importlib
import inspect
import re
import subprocess
import sys

import pytest

import torchthaw
from support import ROOT
from torchthaw.extension.arguments import ExtensionOptions

PUBLIC = "torchthaw", "torchthaw.extension", "torchthaw.legacy"

# Every public name, used as its page says. A line that mypy must refuse ends in "type: ignore"; with --strict, such a
# comment is an error where there is nothing to ignore.
PROGRAM = """
import os
from pathlib import Path

import torch
import torchthaw
import torchthaw.extension
from torch import Tensor
from torchthaw import legacy

HALVE = "void halve(const float *x, long n, float *y) { while (n--) y[n] = x[n] / 2; }"


def inline() -> object:
    module = torchthaw.load_inline("halving", HALVE, functions=["halve"], extra_cflags=["-O2"], ops="halving")
    torchthaw.load_inline("halving", c_sources=[HALVE], functions={"halve": "Half of x."}, with_cuda=None)
    return module.halve


def from_files(folder: Path) -> object:
    path: str = torchthaw.load("halving", folder / "halve.c", is_python_module=False, build_directory=folder)
    module = torchthaw.load("halving", [str(folder / "halve.c")], headers="halve.h", extra_include_paths=[folder])
    return module.halve(os.path.getsize(path))


def ahead(folder: Path) -> str:
    made: torchthaw.extension.Extension = torchthaw.create_extension(
        "package.halving", folder / "halve.h", ["halve.c"], __file__, th=True, define_macros=[("NDEBUG", None)],
        extra_compile_args={"cxx": ["-O2"], "nvcc": []}, libraries=["m"], include_dirs=(folder,), ops=None,
    )
    try:
        made.build()
    except torchthaw.BuildError as error:
        return str(error)
    return made.name + os.fspath(made.package) + os.fspath(made.target) + torchthaw.__version__


def setup() -> dict[str, object]:
    made = torchthaw.FFIExtension(
        "package.halving", headers=["halve.h"], sources=["halve.c"], th=False, include_dirs=[Path("include")],
        extra_compile_args={"cxx": ["-O2"]}, define_macros=[("NDEBUG", None)], ops="halving", relative_to=__file__,
    )
    command: type[torchthaw.BuildExtension] = torchthaw.BuildExtension.with_options(use_ninja=False)
    return {"ext_modules": [made], "cmdclass": {"build_ext": command}}


def derived() -> object:
    def twice(x: Tensor) -> Tensor:
        return 2 * x

    return torchthaw.differentiable(twice, lambda grads, *_: 2 * grads[0], twice, vmap="elementwise")(torch.ones(3))


def old() -> None:
    legacy.install()
    legacy.enable("arange", "keepdim")
    torchthaw.legacy.disable()


torchthaw.load_inline(3)  # type: ignore[arg-type]
torchthaw.load("halving")  # type: ignore[call-arg]
torchthaw.create_extension("halving", "halve.h", th="yes")  # type: ignore[arg-type]
torchthaw.FFIExtension("halving", 3)  # type: ignore[arg-type]
torchthaw.FFIExtension("halving", "halve.h", th="yes")  # type: ignore[arg-type]
torchthaw.FFIExtension("halving", "halve.h", include_dir=["include"])  # type: ignore[call-arg]
torchthaw.FFIExtension("halving", "halve.h", libraries=[3])  # type: ignore[list-item]
torchthaw.BuildExtension.with_options(use_ninja="no")  # type: ignore[arg-type]
legacy.enable(3)  # type: ignore[arg-type]
legacy.install("all")  # type: ignore[call-arg]
torchthaw.load_inlin("halving")  # type: ignore[attr-defined]
"""

USES_STUB = """
from torch import Tensor

import my_lib


def cubed(x: Tensor, y: Tensor) -> int:
    my_lib.my_lib_cube_forward(x, y, "6")  # type: ignore[call-overload]
    return my_lib.my_lib_add_forward(x, input2=y, output=y)


def derived(x: Tensor, weight: Tensor) -> Tensor:
    y: Tensor = my_lib.functions.linear(my_lib.functions.mul_constant(x, 2), weight=weight)
    last: tuple[Tensor, Tensor, Tensor] = my_lib.functions.lltm_sequence(x, weight, y, y, y)
    my_lib.functions.linear.check(x, weight, None)
    my_lib.functions.lltm(x)  # type: ignore[call-arg]
    my_lib.functions.linear(x, 3)  # type: ignore[arg-type]
    print(my_lib.functions.cube.Function, my_lib.functions.cube.operator)
    return last[2]


@my_lib.functions.cube.formula
def cube(x: Tensor) -> Tensor:
    return x


cube(3)  # type: ignore[arg-type]
"""


def names():
    """{(module, name)} of all that is public."""
    return {(module, name) for module in PUBLIC for name in importlib.import_module(module).__all__}


def strict(folder):
    """What mypy --strict prints of the program in ``folder``."""
    command = [sys.executable, "-m", "mypy", "--strict", "--python-version", "3.10", "program.py"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True).stdout


@pytest.mark.slow
def test_a_program_that_uses_all_that_is_public_passes_strictly(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "program.py").write_text(PROGRAM)
    assert strict(tmp_path) == "Success: no issues found in 1 source file\n"


@pytest.mark.slow
def test_the_stub_of_an_extension_passes_strictly(tmp_path):
    """That of my_lib, which uses all that stubs have; in the user's own folder, where mypy reports its errors."""
    pytest.importorskip("mypy")
    (tmp_path / "torch").mkdir()  # reading PyTorch's own types takes 15 s
    (tmp_path / "torch" / "__init__.pyi").write_text("class Tensor: ...\n")
    (tmp_path / "torch" / "autograd.pyi").write_text("class Function: ...\n")
    (tmp_path / "my_lib.pyi").write_text((ROOT / "_ext" / "my_lib" / "__init__.pyi").read_text())
    (tmp_path / "program.py").write_text(USES_STUB)
    assert strict(tmp_path) == "Success: no issues found in 1 source file\n"


def test_the_program_uses_all_that_is_public():
    assert names() and {name for _, name in names()} - set(re.findall(r"\w+", PROGRAM)) == set()


def test_an_extension_of_a_setup_script_has_the_options_of_create_extension():
    parameters = list(inspect.signature(torchthaw.create_extension).parameters.values())[3:]
    assert ExtensionOptions.__annotations__ == {each.name: each.annotation for each in parameters}


def test_every_public_function_has_types():
    """mypy is silent about a function of an installed package of which only a part has types."""
    for module, name in sorted(names()):
        found = getattr(importlib.import_module(module), name)
        functions = [found] if inspect.isfunction(found) else []
        if inspect.isclass(found):
            functions = [each for each in (found.__dict__.get("__init__"), found.__dict__.get("build")) if each]
        for function in functions:
            signature = inspect.signature(function)
            given = [each.annotation for each in signature.parameters.values() if each.name != "self"]
            assert inspect.Signature.empty not in (*given, signature.return_annotation), f"{module}.{name}"
