# tests/legacy/semantics/test_private_names.py: private names of PyTorch stand in one file, and the loss of any of them
# costs little.
import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

import torchthaw
from support import ROOT, SRC, TESTS
from torchthaw.bridge import private_names
from torchthaw.bridge.private_names import NAMES
from torchthaw.legacy.run import patches

PACKAGE = Path(torchthaw.__file__).parent  # a checkout's, or a wheel's

# Where PyTorch's private names are: those that begin with one underscore.
OWNERS = (
    torch, torch._C, torch._C._functorch, torch.Tensor, torch.UntypedStorage, torch.TypedStorage, torch.cuda,
    torch.autograd, torch.autograd.graph, torch.autograd.function, torch.autograd.Function, torch.autograd.Variable,
    torch.jit, torch.jit._builtins, torch._jit_internal, torch.nn.Module, torch.nn.Parameter, torch.nn.functional,
    torch.utils, torch.testing,
)  # fmt: skip
PRIVATE = {name for owner in OWNERS for name in dir(owner) if re.match("_[^_]", name)} | {
    "_untyped_storage",  # of every TypedStorage, set when it is made
    "_initializing",  # of a module's spec: Python's
}
# Names without an underscore that are in the table.
LISTED = {private.path.rpartition(".")[2] for private in NAMES.values()} - PRIVATE
# Of classes that are not PyTorch's: of named tuples, and of onnxscript's operators, how many outputs there are.
OTHERS = {"_replace", "_fields", "_outputs"}


def private_in_python(text):
    """The private names of PyTorch that Python code asks for: by attribute, import, string or keyword."""
    found = set()
    tree = ast.parse(text)
    own = {each.name for each in ast.walk(tree) if isinstance(each, (ast.FunctionDef, ast.ClassDef))}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            of_self = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
            found |= {node.attr} & (LISTED if of_self else LISTED | PRIVATE)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            module = getattr(node, "module", None) or ""
            if not getattr(node, "level", 0):
                parts = [*module.split("."), *(part for each in node.names for part in each.name.split("."))]
                found |= set(parts) & (LISTED | PRIVATE)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found |= {node.value} & PRIVATE
        elif isinstance(node, ast.keyword) and re.match("_[^_]", node.arg or ""):
            found.add(node.arg)
    return found - OTHERS - own


def private_in_cpp(text):
    return set(re.findall(r'"(\w+)"', text)) & (PRIVATE | LISTED)


@pytest.mark.parametrize(
    "code, found",
    [
        ("torch._C.x", {"_C"}), ("from torch._C import x", {"_C"}), ("import torch._jit_internal", {"_jit_internal"}),
        ("getattr(x, '_base')", {"_base"}), ("x._cdata", {"_cdata"}), ("f(_internal=True)", {"_internal"}),
        ("storage._untyped_storage", {"_untyped_storage"}), ("torch.cuda._lazy_call(f)", {"_lazy_call"}),
        ("from torch.autograd.function import BackwardCFunction", {"BackwardCFunction"}),
        ("from . import _register\nself._base\nx._replace(a=1)\ntorch.autograd.Function", set()),
    ],
)  # fmt: skip
def test_the_search_finds(code, found):
    assert private_in_python(code) == found


def test_the_search_finds_in_cpp():
    assert private_in_cpp('set(type, "_base"); f("is_conj", "is_batchedtensor")') == {"_base", "is_batchedtensor"}


# torch_c.py has the names that TORCHTHAW_CUDA=cpu gives PyTorch; it relies on none of them.
FILES = sorted(path for path in PACKAGE.rglob("*.py") if path.name not in ("private_names.py", "torch_c.py"))
FUNCTIONS = sorted((ROOT / "functions").glob("*.py"))


@pytest.mark.parametrize("path", [*FILES, *FUNCTIONS], ids=lambda path: f"{path.parent.name}/{path.name}")
def test_python_files_name_nothing_private(path):
    assert private_in_python(path.read_text()) == set()


PORTABLE = PACKAGE / "portable" / "include" / "portable" / "pytorch.h"


def test_cpp_files_name_nothing_private():
    # The device of cuda_on_cpu computes operators, some of which have such names; PyTorch calls it. Portable extensions
    # have a table of their own.
    left_out = {"cuda_on_cpu", "portable"}
    files = [path for path in [*PACKAGE.rglob("*.cpp"), *PACKAGE.rglob("*.h")] if not left_out & {*path.parts}]
    if PACKAGE.parent != SRC:
        pytest.skip("a wheel has no C++ sources")
    assert len(files) > 10
    assert {path.name: private_in_cpp(path.read_text()) for path in files if private_in_cpp(path.read_text())} == {}


def test_portable_files_name_what_their_table_has():
    if PACKAGE.parent != SRC:
        pytest.skip("a wheel has no C++ sources")
    table = PORTABLE.read_text()
    listed = {name for path in re.findall(r"^//   ([\w.]+)  ", table, re.M) for name in path.split(".")}
    files = [*(PACKAGE / "portable").rglob("*.cpp"), *(PACKAGE / "portable").rglob("*.h")]
    named = {path.name: private_in_cpp(path.read_text()) - listed for path in files}
    assert {name: found for name, found in named.items() if found} == {}


def test_the_table_is_complete():
    """Every row is a name of today's PyTorch, as far as it has CUDA, and says all there is to say."""
    assert private_names.missing() == {}
    for name, private in NAMES.items():
        assert re.match(r"2\.\d+", private.since) and private.use and private.without and callable(private.works), name


def test_a_module_that_is_being_imported(tmp_path, monkeypatch):
    """Its own code sees that it is; where Python has no such attribute, every module counts as imported."""
    asks = "import sys\nfrom torchthaw.bridge.private_names import is_being_imported\n"
    (tmp_path / "half_imported.py").write_text(f"{asks}meanwhile = is_being_imported(sys.modules[__name__])\n")
    monkeypatch.syspath_prepend(tmp_path)
    import half_imported

    monkeypatch.delitem(sys.modules, "half_imported")
    assert half_imported.meanwhile is True
    assert not private_names.is_being_imported(half_imported)
    for spec in ({"__spec__": SimpleNamespace(name="x")}, {"__spec__": None}, {}):
        assert private_names.is_being_imported(SimpleNamespace(**spec)) is False


def test_every_name_has_a_user():
    text = "\n".join(path.read_text() for path in [*FILES, *FUNCTIONS])
    unused = {name for name in NAMES if f'"{name}"' not in text}
    assert unused == {"_input_metadata", "_raw_saved_tensors"}  # by private_attributes()
    assert 'private_attributes("torch.autograd.Function")' in text


OLD_HEADER = """
int twice(THFloatTensor *input, THFloatTensor *output);
THFloatStorage *storage_of(THFloatTensor *tensor);
float sum(THFloatStorage *storage);
"""
OLD = """
#include <TH/TH.h>

int twice(THFloatTensor *input, THFloatTensor *output) {
    THFloatTensor_resizeAs(output, input);
    THFloatTensor_mul(output, input, 2);
    return 1;
}

THFloatStorage *storage_of(THFloatTensor *tensor) {
    THFloatStorage_retain(tensor->storage);
    return tensor->storage;
}

float sum(THFloatStorage *storage) {
    float sum = 0;
    for (ptrdiff_t i = 0; i < storage->size; ++i) sum += storage->data[i];
    return sum;
}
"""
NEW = """
void fill(float *tensor, int count, float value) {
    for (int i = 0; i < count; ++i) tensor[i] = value;
}
"""


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    folder = tmp_path_factory.mktemp("names")
    (folder / "old.h").write_text(OLD_HEADER)
    (folder / "old.c").write_text(OLD)
    (folder / "new.h").write_text("void fill(float *tensor, int count, float value);\n")
    (folder / "new.c").write_text(NEW)
    (folder / "build.py").write_text(
        "import torchthaw.legacy\n"
        "torchthaw.legacy.install()\n"
        "from torch.utils.ffi import create_extension\n"
        "create_extension('_ext.old', ['old.h'], ['old.c'], relative_to=__file__).build()\n"
        "torchthaw.create_extension('_ext.new', ['new.h'], ['new.c'], relative_to=__file__).build()\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(SRC), "TORCHTHAW_CACHE": str(folder / "cache")}
    for name in ("TORCHTHAW_NO_PATCH", "TORCHTHAW_LEGACY_SEMANTICS"):
        environment.pop(name, None)

    def run(*command):
        command = [sys.executable, "-W", "ignore", *map(str, command)]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run("-m", "torchthaw", "run", folder / "build.py")
    return json.loads(run(TESTS / "support" / "breaking_names.py", folder))


# What does not work without a name: patches that are not available, and projects. All else goes on.
COSTS = {
    "without_subclasses": ({"volatile"}, {"volatile"}),
    "variable_class": ({"volatile"}, {"volatile"}),
    "find_builtin": (set(), {"script"}),
    "register_builtin": (set(), {"script"}),
    "boolean_dispatched": (set(), {"script"}),
}
# PyTorch itself needs the first for the second: torch._check_value asks whether a tensor is a transform's.
SHARED = {"is_batchedtensor": "check_value", "is_gradtrackingtensor": "check_value"}
WITHOUT_CUDA = not torch.backends.cuda.is_built()


def test_stand_ins_for_cuda(monkeypatch):
    """Those for names that a PyTorch without CUDA does not have."""
    current, asked = [0], []
    monkeypatch.setattr(torch.cuda, "current_device", lambda: current[0])
    monkeypatch.setattr(torch.cuda, "set_device", lambda device: current.__setitem__(0, device))
    monkeypatch.setattr(torch.cuda, "current_stream", lambda device: SimpleNamespace(cuda_stream=4096 + device))
    exchange, stream = (NAMES[name].stand_in() for name in ("exchange_device", "current_raw_stream"))
    assert (exchange(2), exchange(1), current) == (0, 2, [1])
    assert stream(3) == 4099
    when_ready = NAMES["when_cuda_is_ready"].stand_in()
    for ready in (False, True):
        monkeypatch.setattr(torch.cuda, "is_initialized", lambda: ready)
        when_ready(lambda: asked.append(ready))
    assert asked == [True]


@pytest.mark.slow
@pytest.mark.parametrize("how", ["deleted", "replaced"])
@pytest.mark.parametrize("name", NAMES)
def test_without_a_name(answers, name, how):
    if WITHOUT_CUDA and name in ("current_raw_stream", "exchange_device"):
        pytest.skip("this PyTorch has no CUDA, so it never has these")
    answer = answers[f"{name} {how}"]
    assert "import" not in answer, answer["import"]
    refused, broken = COSTS.get(name, (set(), set()))
    path = NAMES[name].path
    projects = answer["projects"]
    assert len(projects) == 7
    assert {project for project, why in projects.items() if why} == broken, "\n".join(projects.values())
    why = f"it has no {path}" if how == "deleted" else f"its {path} is not what it was"
    assert answer["unavailable"] == dict.fromkeys(refused, why)
    assert answer["warnings"] == [
        f"torchthaw: the patch {patch!r} is not available with PyTorch {torch.__version__} ({why}). "
        f"This will not work: {patches.PATCHES.patches[patch].restores}"
        for patch in sorted(refused)
    ]
    missing = {path: NAMES[name].without}
    if name in SHARED:
        answer["missing"].pop(NAMES[SHARED[name]].path, None)
    assert answer["missing"] == missing


ANYWHERE = """
import sys
import torch
from torchthaw.bridge import private_names
with eval(sys.argv[1]):
    for name in ("increment_version", "view_base", "typed_storage", "is_zerotensor", "transform_level"):
        assert private_names.get(name) is private_names.find(private_names.NAMES[name].path), name
"""


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["torch.inference_mode()", "torch.no_grad()", "torch.device('meta')"])
def test_the_trials_pass_in_any_mode(mode):
    """What is asked for first inside a mode is chosen for good."""
    done = subprocess.run([sys.executable, "-c", ANYWHERE, mode], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


MANGLED = [private.path.partition(":")[2] for private in NAMES.values() if ":" in private.path]


def test_the_page_lists_the_mangled_names():
    page = (ROOT / "docs" / "internals" / "abi.md").read_text()
    assert len(MANGLED) == 6 and [name for name in MANGLED if f"`{name}`" not in page] == []
    sources = [path for path in PACKAGE.rglob("*") if path.suffix in (".py", ".cpp", ".h") and path != PORTABLE]
    assert {name for path in sources for name in re.findall(r"\b_ZN\w+", path.read_text())} == {*MANGLED}


SWITCHED = """
import torch
from torchthaw.bridge import private_names
from torchthaw.bridge import pytorch
from _ext import my_lib

names = [name for name, private in private_names.NAMES.items() if ":" in private.path]
print(any(map(private_names.has, names)), pytorch.mode_count()[0], *pytorch.body_functions()[1:])
print(*pytorch.gradient_functions())
x, y = torch.ones(3), torch.empty(3)
version = y._version
my_lib.my_lib_add_forward(input1=x, input2=x, output=y)
print(y.tolist(), y._version - version, torch.ops.my_lib.my_lib_add_forward(x, x).tolist())
"""


@pytest.mark.slow
def test_the_switch_for_mangled_names():
    environment = {**os.environ, "TORCHTHAW_NO_MANGLED_NAMES": "1"}
    done = subprocess.run([sys.executable, "-c", SWITCHED], cwd=ROOT, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["False 0 0 0 0 0", "0 0", "[2.0, 2.0, 2.0] 1 [2.0, 2.0, 2.0]"]
    environment["TORCHTHAW_NO_MANGLED_NAMES"] = "yes"
    done = subprocess.run([sys.executable, "-c", SWITCHED], cwd=ROOT, capture_output=True, text=True, env=environment)
    assert "TORCHTHAW_NO_MANGLED_NAMES: expected 0 or 1, got 'yes'" in done.stderr
