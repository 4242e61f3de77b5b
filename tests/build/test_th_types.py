"""tests/build/test_th_types.py: th=True: TH and THC types in headers, without torchthaw.legacy and without patches."""

import os
import subprocess
import sys

import pytest
import torch

import torchthaw
from support import SRC, bridge_probe
from support.messages import names
from torchthaw.base import config
from torchthaw.extension import cuda

pytestmark = pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")

HEADER = """
#include <TH/TH.h>
THFloatTensor *twice(THFloatTensor *input);
void grow(THFloatTensor *tensor, long count);
double sum(THFloatStorage *storage, float from);
int first(const int *values, THFloatTensor *tensor);
long product(const long *values, long count);
const char *name(void);
"""
SOURCE = """
#include "folds.h"
THFloatTensor *twice(THFloatTensor *input) {
    THFloatTensor *output = THFloatTensor_new();
    THFloatTensor_mul(output, input, 2);
    return output;
}
void grow(THFloatTensor *tensor, long count) {
    THArgCheck(count >= 0, 2, "expected no negative count, got %ld", count);
    THFloatTensor_resize1d(tensor, count);
}
double sum(THFloatStorage *storage, float from) {
    for (ptrdiff_t i = 0; i < storage->size; ++i) from += storage->data[i];
    return from;
}
int first(const int *values, THFloatTensor *tensor) { return values[0] + (int)THFloatTensor_get1d(tensor, 0); }
long product(const long *values, long count) { return count ? values[0] * product(values + 1, count - 1) : 1; }
const char *name(void) { return "folds"; }
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    folder = tmp_path_factory.mktemp("th_types")
    (folder / "folds.h").write_text(HEADER)
    (folder / "folds.c").write_text(SOURCE)
    return folder


def extension(folder, **options):
    return torchthaw.create_extension(
        "_ext.folds", "folds.h", ["folds.c"], relative_to=folder / "build.py", **{"th": True, **options}
    )


@pytest.fixture(scope="module")
def folds(project):
    extension(project).build()
    return bridge_probe.load(project / "_ext" / "folds", "folds")


# Without the legacy half

FRESH = """
import sys
import torch, torch.autograd.variable

OWNERS = (
    torch, torch.Tensor, torch.autograd, torch.autograd.Function, torch.autograd.function.FunctionCtx,
    torch.autograd.function.BackwardCFunction, torch.autograd.Variable, torch.autograd.variable, torch.nn.Module,
    torch.nn.functional, torch.utils,
)
before = [dict(vars(owner)) for owner in OWNERS]

def changed():
    return sorted({
        name for owner, old in zip(OWNERS, before) for name in {*old, *vars(owner)}
        if old.get(name) is not vars(owner).get(name)
    })

import torchthaw
torchthaw.create_extension("_ext.folds", "folds.h", ["folds.c"], relative_to="build.py", th=True).build()
from _ext import folds
tensor = torch.arange(3.0)
assert folds.twice(tensor).tolist() == [0, 2, 4] and folds.sum(tensor.storage(), 1.0) == 4
folds.grow(tensor, 5)
try:
    folds.grow(tensor, -1)
except torch.FatalError:
    assert tensor.shape == (5,)
print(changed(), [name for name in ("torchthaw.legacy.run.patches", "torch.utils.ffi") if name in sys.modules])
import torchthaw.legacy
torchthaw.legacy.install()
print("data" in changed(), "creator" in changed(), "torchthaw.legacy.run.patches" in sys.modules)
"""


def fresh(folder, source):
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", source], cwd=folder, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(SRC)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.slow
def test_neither_the_legacy_half_nor_patches(project):
    """And what would show them does, once torch.utils.ffi is imported."""
    assert fresh(project, FRESH) == ["[] []", "True True True"]


# What functions take and give


@pytest.mark.slow
def test_tensors_and_storages(folds):
    tensor = torch.arange(3.0)
    assert folds.twice(tensor).tolist() == [0, 2, 4]
    assert folds.sum(tensor.storage(), 1.5) == 4.5
    folds.grow(tensor, 4)
    assert tensor.shape == (4,) and tensor[:3].tolist() == [0, 1, 2]


@pytest.mark.slow
def test_errors_of_th(folds):
    with pytest.raises(torch.FatalError, match=names("negative", "count", "-1")):
        folds.grow(torch.ones(1), -1)
    with pytest.raises(TypeError, match="struct THFloatTensor"):
        folds.twice(torch.ones(1, dtype=torch.double))


@pytest.mark.slow
def test_other_arguments_of_such_functions_are_as_cffi_has_them(folds):
    assert folds.first([4, 5], torch.ones(1)) == 5
    with pytest.raises(TypeError):
        folds.first(torch.ones(1, dtype=torch.int32), torch.ones(1))
    with pytest.raises(TypeError):
        folds.twice(input=torch.ones(1))


@pytest.mark.slow
def test_functions_without_th_types_are_as_always(folds):
    values = torch.tensor([2, 3, 7])
    assert folds.product(values, 3) == folds.product(count=3, values=values) == 42 and folds.name() == "folds"
    assert folds.product.__doc__ == "long product(const long *values, long count)"
    assert folds.twice.__doc__ == "THFloatTensor *twice(THFloatTensor *input)"
    assert folds.__all__ == ["first", "grow", "name", "product", "sum", "twice"]


def test_without_th_its_types_are_unknown(project, monkeypatch):
    monkeypatch.delenv("CPATH", raising=False)  # torchthaw.legacy, which other tests import, names the headers there
    with pytest.raises(Exception, match="TH/TH.h"):
        extension(project, th=False).build()


# How it is built


def generated(folder, **options):
    made = extension(folder, **options)
    made.write_c(folder / "generated.c")
    return (folder / "generated.c").read_text()


def test_storages_are_exact_where_code_can_tell(tmp_path):
    (tmp_path / "folds.h").write_text("void grow(THFloatTensor *tensor, long count);\n")
    (tmp_path / "folds.c").write_text('#include "inner.h"\n')
    (tmp_path / "inner.h").write_text("/* nothing yet */\n")
    facts = extension(tmp_path).facts()
    assert ", THAW_EXACT, (int)offsetof(" not in generated(tmp_path)
    (tmp_path / "inner.h").write_text("#define OFFSET(t) ((t)->storageOffset)\n")
    assert ", THAW_EXACT, (int)offsetof(" in generated(tmp_path)
    assert extension(tmp_path).facts() != facts, "the next build writes the file anew"


@pytest.mark.slow
@pytest.mark.parametrize("way", ["extra_compile_args", "CPATH"])
def test_a_header_from_elsewhere_sees_what_pytorch_has(tmp_path, monkeypatch, way):
    (tmp_path / "folds.h").write_text("long count(THFloatTensor *tensor);\n")
    (tmp_path / "folds.c").write_text(
        "#include <TH/TH.h>\n#include <inner.h>\nlong count(THFloatTensor *tensor) { return COUNT(tensor); }\n"
    )
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "inner.h").write_text("#define COUNT(tensor) ((long)(tensor)->storage->size)\n")
    options = {}
    if way == "CPATH":
        monkeypatch.setenv("CPATH", str(tmp_path / "elsewhere"))
    else:
        options["extra_compile_args"] = [f"-I{tmp_path}/elsewhere"]
    extension(tmp_path, **options).build()
    assert fresh(tmp_path, "import torch; from _ext import folds; print(folds.count(torch.ones(10)[2:4]))") == ["10"]


def test_without_libth(project, monkeypatch, tmp_path):
    monkeypatch.setattr(config, "libdir", lambda: tmp_path)
    with pytest.raises(FileNotFoundError, match=rf"^{tmp_path}/libth\.so\.1 .*`make th`"):
        extension(project).ninja_text([])


SETUP = """
import torchthaw
from setuptools import setup

setup(
    name="folds", version="1.0", packages=["folds"],
    ext_modules=[torchthaw.FFIExtension("folds.native", headers=["folds.h"], sources=["folds.c"], th=True)],
    cmdclass={"build_ext": torchthaw.BuildExtension.with_options(use_ninja=USE_NINJA)},
)
"""


@pytest.mark.slow
@pytest.mark.parametrize("use_ninja", [True, False], ids=["ninja", "setuptools"])
def test_in_a_package(tmp_path, use_ninja):
    (tmp_path / "folds.h").write_text(HEADER)
    (tmp_path / "folds.c").write_text(SOURCE)
    (tmp_path / "setup.py").write_text(SETUP.replace("USE_NINJA", repr(use_ninja)))
    (tmp_path / "folds").mkdir()
    (tmp_path / "folds" / "__init__.py").touch()
    done = subprocess.run(
        [sys.executable, "setup.py", "-q", "build_ext", "--inplace"], cwd=tmp_path, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(SRC)},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    code = "import sys, torch; from folds.native import twice; print(twice(torch.ones(2)).tolist())"
    assert fresh(tmp_path, code + "; print('torchthaw.legacy.run.patches' in sys.modules)") == ["[2.0, 2.0]", "False"]


def has_thc():
    try:
        return cuda.toolkit() and config.library("thc")
    except FileNotFoundError:
        return None


@pytest.mark.slow
@pytest.mark.skipif(not has_thc(), reason="no nvcc, or libthc was not built")
def test_types_of_thc(tmp_path, monkeypatch):
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", "7.5")
    (tmp_path / "folds.h").write_text("long count(THCudaTensor *tensor);\nlong count_on_cpu(THFloatTensor *tensor);\n")
    (tmp_path / "folds.c").write_text("""
#include <THC/THC.h>
extern THCState *state;
long count(THCudaTensor *tensor) { return THCudaTensor_nElement(state, tensor); }
long count_on_cpu(THFloatTensor *tensor) { return THFloatTensor_nElement(tensor); }
""")
    extension(tmp_path, with_cuda=True).build()
    code = """
import torch
from _ext import folds
print(folds.count_on_cpu(torch.ones(3)))
try:
    folds.count(torch.ones(3))
except TypeError as error:
    print("expected a CUDA tensor, got one on the CPU" in str(error))
"""
    assert fresh(tmp_path, code) == ["3", "True"]
