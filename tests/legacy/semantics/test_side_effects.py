"""tests/legacy/semantics/test_side_effects.py: what torchthaw changes in a process is what docs/reference/side-effects.md
lists, and only where that was asked for."""

import json
import os
import re
import subprocess
import sys

import pytest

from support import ROOT, SRC
from torchthaw.legacy.run import finder, patches

# What a fresh process has, before and after a step. With PyTorch its classes, too.
SNAPSHOT = """
import json, os, sys

kept = []

def state():
    found = {
        "meta_path": [getattr(each, "__module__", "") + "." + getattr(each, "__name__", "") for each in sys.meta_path],
        "environment": [f"{name}={value}" for name, value in os.environ.items()],
        "unraisablehook": [id(sys.unraisablehook)],
        "path": [folder for folder in sys.path if "setuptools" not in folder],  # which adds one of its own
    }
    if "torch" in sys.modules:
        import torch
        from torch.utils import cpp_extension
        owners = torch.Tensor, torch.autograd.Function, type(torch.autograd.Function), torch.autograd, torch.cuda
        owners += torch.autograd.Variable, type(torch.autograd.Variable), cpp_extension, cpp_extension.BuildExtension
        for owner in owners:
            kept.append([*vars(owner).values()])  # so that no other object gets the id
            found[owner.__name__] = [f"{name} {id(value)}" for name, value in vars(owner).items()]
    return found

before = state()
exec(sys.argv[1])
after = state()
changed = {part: [each for each in after[part] if each not in before[part]] for part in before if before[part] != after[part]}
print(changed, file=sys.stderr)
print(json.dumps([sorted(changed), changed.get("meta_path", []), "torch.utils.ffi" in sys.modules]))
"""
WITH_TORCH = "import torch\nfrom torch.utils import cpp_extension\ntorch.cuda\n"
EVERY_MODULE = "\n".join(
    [
        "import importlib, pkgutil, torchthaw",
        "left_out = '__main__', 'activate', 'torch_utils_ffi', 'children', '.trials.', 'recorder', 'torch_six', '.lib'",
        "left_out += ('jax_module',)  # a part of the modules that are written, which run where JAX is",
        "for each in pkgutil.walk_packages(torchthaw.__path__, 'torchthaw.'):",
        "    if not any(word in each.name for word in left_out): importlib.import_module(each.name)",
    ]
)
INSTALL = "import torchthaw.legacy; torchthaw.legacy.install()"


def changed(step, with_torch=True, run=(), **environment):
    """(the parts that a step changed, new entries of sys.meta_path, whether torch.utils.ffi is imported)

    run: what stands between ``python`` and the code.
    """
    code = (WITH_TORCH if with_torch else "") + SNAPSHOT
    # An earlier test of this process may have installed the patches, whose CPATH a child would inherit.
    given = {name: value for name, value in os.environ.items() if not name.startswith(("TORCHTHAW_NO", "CPATH"))}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", *run, "-c", code, step], capture_output=True, text=True, cwd=ROOT,
        env={**given, "PYTHONPATH": str(SRC), **environment},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("with_torch", [False, True])
@pytest.mark.parametrize("step", [
    "import torchthaw", "import torchthaw.legacy, torchthaw.legacy.run.finder, torchthaw.cli", EVERY_MODULE,
    "import torchthaw; torchthaw.create_extension, torchthaw.load_inline, torchthaw.FFIExtension",
], ids=["torchthaw", "legacy", "every module", "names"])  # fmt: skip
def test_an_import_changes_nothing(step, with_torch):
    assert changed(step, with_torch) == [[], [], False]


@pytest.mark.slow
def test_an_extension_with_types_of_th_changes_no_class(tmp_path):
    (tmp_path / "sum.h").write_text("double total(THDoubleTensor *x);\n")
    source = "#include <TH/TH.h>\ndouble total(THDoubleTensor *x) { return THDoubleTensor_sumall(x); }\n"
    (tmp_path / "sum.c").write_text(source)
    (tmp_path / "build.py").write_text(
        "import torchthaw\nfrom torchthaw.legacy.ffi.create import create_extension\n"
        "create_extension('old', 'sum.h', ['sum.c'], False, relative_to=__file__).build()\n"
        "torchthaw.create_extension('new', 'sum.h', ['sum.c'], th=True, relative_to=__file__).build()\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(SRC), "TORCHTHAW_CACHE": str(tmp_path / "cache")}
    built = subprocess.run([sys.executable, "build.py"], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert built.returncode == 0, built.stdout + built.stderr
    step = "import old, new\nassert old.total(torch.ones(3).double()) == new.total(torch.ones(3).double()) == 3"
    parts, finders, _ = changed(step, PYTHONPATH=os.pathsep.join([str(SRC), str(tmp_path)]))
    assert parts == ["meta_path"] and finders == ["torchthaw.base.import_hook.Finder"]


@pytest.mark.slow
def test_install_changes_what_the_page_lists():
    page = (ROOT / "docs" / "reference" / "side-effects.md").read_text()
    parts, finders, _ = changed(INSTALL, TORCHTHAW_BUILD_CUDA="1")
    assert {"meta_path", "environment", "Tensor", "Function", "torch.cuda"} <= {*parts}
    assert {"torch.utils.cpp_extension", "BuildExtension"} <= {*parts} and "unraisablehook" not in parts
    assert {f"`{finder}`" for finder in finders} == {*re.findall(r"`torchthaw\.[\w.]+\.Finder`", page)}


def test_before_torch_is_imported_install_adds_finders_alone():
    assert changed(INSTALL, with_torch=False)[0] == ["meta_path"]


RUN = ("-m", "torchthaw", "run")
MODULES = (
    "import setuptools, pkg_resources, numpy.distutils.misc_util; from numpy.distutils.system_info import get_info"
)


@pytest.mark.slow
@pytest.mark.parametrize("step, parts", [(MODULES, []), (MODULES + "; get_info('blas')", ["environment"])])
def test_stand_ins_change_what_the_page_lists(tmp_path, step, parts):
    page = (ROOT / "docs" / "reference" / "side-effects.md").read_text()
    (tmp_path / "numpy").mkdir()
    (tmp_path / "numpy" / "__init__.py").touch()
    step += "; assert {name for name in os.environ if {**os.environ}[name] != given.get(name)} <= {'CPATH', 'LDFLAGS'}"
    given = {"PYTHONPATH": os.pathsep.join([str(SRC), str(tmp_path)]), "PKG_CONFIG": "none"}
    given["TORCHTHAW_CACHE"] = str(tmp_path / "cache")
    assert changed("given = {**os.environ}; " + step, with_torch=False, run=RUN, **given) == [parts, [], False]
    assert all(f"`{name}`" in page for name in [*finder.STAND_INS, "CPATH", "LDFLAGS"])


def test_under_run_the_last_finder_is_last():
    step = "assert [each.__name__ for each in sys.meta_path if 'torchthaw' in each.__module__][2:] == ['LastFinder']; "
    step += "assert sys.meta_path[-1].__name__ == 'LastFinder'"
    assert changed(step, with_torch=False, run=RUN) == [[], [], False]


@pytest.mark.slow
def test_without_patches_classes_stay():
    assert changed(INSTALL, TORCHTHAW_NO_PATCH="all")[0] == ["environment", "meta_path"]


def test_the_page_names_patches_that_there_are():
    page = (ROOT / "docs" / "reference" / "side-effects.md").read_text()
    named = {*re.findall(r"TORCHTHAW_NO_PATCH=(\w+)", page)}
    assert named and named <= {name for name, _, _ in patches.listing()}
