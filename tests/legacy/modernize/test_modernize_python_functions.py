# tests/legacy/modernize/test_modernize_python_functions.py: instance Functions made static: what old_project/ computes
# under torchthaw's legacy Functions is what the converted project computes on PyTorch alone.
import ast
import json
import os
import pickle
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("libcst")

from support import SRC  # noqa: E402
from torchthaw.modernize.python import convert  # noqa: E402

OLD = Path(__file__).parent / "old_project"
MODULES = {"layers": "new.layers", "layers.kinds": "new.layers.kinds", "layers.native": "new.layers.native",
           "layers.any_number": "new.layers.any_number", "layers.families": "new.layers.families",
           "_ext.fake": "new._ext.fake"}  # fmt: skip
PROGRAM = """
import json, sys
if {legacy}:
    import torch, torchthaw.legacy
    torchthaw.legacy.install()
sys.path.insert(0, {folder!r})
import use
found = {{}}
for name, case in use.CASES.items():
    try:
        found[name] = [tensor.tolist() for tensor in case()]
    except Exception as error:
        found[name] = f"{{type(error).__name__}}: {{error}}"
print(json.dumps(found))
assert {legacy} or "torchthaw" not in sys.modules
"""
NAMES = [name for file in ("use.py", "values.py")
         for name in re.findall(r"^def (of_\w+)", (OLD / file).read_text(), re.MULTILINE)]  # fmt: skip
SEMANTICS = "integer_division,scalar_index,torch_six,align_corners"  # what the old project needs to run unchanged


def run(folder, legacy):
    program = PROGRAM.format(legacy=legacy, folder=str(folder))
    environment = {**os.environ, "PYTHONPATH": str(SRC), "TORCHTHAW_LEGACY_SEMANTICS": SEMANTICS}
    warnings = [] if legacy else ["-W", "error::FutureWarning", "-W", "error::DeprecationWarning:new"]
    done = subprocess.run(
        [sys.executable, *warnings, "-c", program], cwd=folder, env=environment,
        capture_output=True, text=True, timeout=280,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def converted():
    texts = {path.relative_to(OLD).as_posix(): path.read_text() for path in OLD.rglob("*.py")
             if path.parent.name != "_ext"}  # fmt: skip
    return convert(texts, MODULES)


@pytest.fixture(scope="module")
def new_folder(converted, tmp_path_factory):
    folder = tmp_path_factory.mktemp("converted")
    texts, _, _ = converted
    for path, text in texts.items():
        place = folder / (f"new/{path}" if "/" in path else path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    shutil.copytree(OLD / "_ext", folder / "new" / "_ext")
    return folder


@pytest.fixture(scope="module")
def results(new_folder):
    return run(OLD, True), run(new_folder, False)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_numbers_are_the_same(results, name):
    old, new = results
    assert isinstance(old[name], list), old[name]
    assert new[name] == old[name]


@pytest.mark.slow
def test_nothing_is_left_to_look_at(converted):
    _, remarks, _ = converted
    assert [remark for remark in remarks if remark.kind == "look"] == []
    assert {remark.kind for remark in remarks} == {"done"}


@pytest.mark.slow
def test_lines_of_remarks_are_those_of_the_old_file(converted):
    _, remarks, _ = converted
    for name in ("Plain", "Scale", "Largest", "InPlace"):
        lines = (OLD / "layers/kinds.py").read_text().split("\n")
        line = next(number for number, line in enumerate(lines, 1) if line.startswith(f"class {name}("))
        assert any(each.path == "layers/kinds.py" and each.line == line and each.rule == "instance-function"
                   and each.message.startswith(f"{name}:") for each in remarks)  # fmt: skip


@pytest.mark.slow
def test_functions_are_described(converted):
    _, _, functions = converted
    found = {each.name: each for each in functions}
    scale = found["Scale"]
    assert (scale.module, scale.tensors, scale.constants) == (
        "new.layers.kinds", ("input",), ("factor", "bias", "squared"))  # fmt: skip
    assert (scale.path, scale.line) == ("layers/kinds.py", 16)
    assert found["Largest"].constants == ("input_",) and found["Many"].tensors == ("*inputs",)
    assert found["NativeScale"].calls == found["StaticScale"].calls == ("scale_forward", "scale_backward")
    assert found["StaticScale"].tensors == ("input", "factor") and found["StaticScale"].constants == ()
    assert found["Half"].constants == scale.constants and found["HandsOn"].constants == ("k",)
    assert found["Polynomial"].constants == ("scale", "*args", "**kwargs") and found["Ignores"].constants == ("k",)
    assert found["Joined"].tensors == ("*args",) and found["Joined"].constants == ("*args_", "**options")
    assert not {"Inner", "Below"} & found.keys()  # nobody else can call them


@pytest.mark.slow
def test_modules_can_be_pickled(new_folder):
    """A kept instance is its constants or apply, which can; a lambda could not."""
    program = "import pickle, sys, use; net = use.Net(2); del net.listed; sys.stdout.buffer.write(pickle.dumps(net))"
    environment = {**os.environ, "PYTHONPATH": str(new_folder)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, timeout=280)
    assert done.returncode == 0, done.stderr
    assert pickle.PROTO in done.stdout


@pytest.mark.slow
def test_what_calls_c_has_no_second_derivative(converted):
    """Both styles; gradients are made contiguous where the instance had them so, and no more than that."""
    native, kinds = converted[0]["layers/native.py"], converted[0]["layers/kinds.py"]
    assert native.count("    @staticmethod\n    @once_differentiable\n    def backward(ctx, grad_output):\n") == 2
    assert native.count("from torch.autograd.function import once_differentiable\n") == 1
    assert native.count("grad_output = grad_output.contiguous()") == 1 and "contiguous" not in kinds


@pytest.mark.parametrize("body, names", [
    ("grad = grad.contiguous()\n    back(grad, other)", ["other"]),
    ("'the gradient'\n    n = 1\n    grad = grad.contiguous()\n    return grad, other", ["other"]),
    ("back(grad)\n    grad = grad.contiguous()", ["grad"]),
    ("if grad.is_cuda:\n        grad = grad.contiguous()\n    back(grad)", ["grad"]),
    ("grad = grad.contiguous().view(-1)\n    back(grad)", ["grad"]),
])  # fmt: skip
def test_gradients_that_are_contiguous_already(body, names):
    from torchthaw.modernize.python.gradients import raw_gradients

    (function,) = ast.parse(f"def backward(self, grad, other):\n    {body}\n").body
    assert raw_gradients(function) == names


BACKWARD = """from torch.autograd import Function


class Scale(Function):
    def __init__(self, factor):
        self.factor = factor

    def forward(self, x, y):
        return x * self.factor + y

    def backward(self, grad):
        {}


def scale(x, y):
    return Scale(2)(x, y)
"""


@pytest.mark.parametrize("before, after", [
    ("return grad, grad", "return grad, grad, None"),
    ("return grad, grad, None, None", "return grad, grad, None"),
    ("return None", "return None, None, None"),
    ("return", "return None, None, None"),
    ("pass", "return None, None, None"),
    ("print(grad)", "print(grad)\n        return None, None, None"),
    ("if grad.dim():\n            return grad, grad\n        else:\n            raise ValueError(grad)",
     "if grad.dim():\n            return grad, grad, None\n        else:\n            raise ValueError(grad)"),
    ("if grad.dim():\n            return grad, grad",
     "if grad.dim():\n            return grad, grad, None\n        return None, None, None"),
    ("with open('a'):\n            return grad, grad", "with open('a'):\n            return grad, grad, None"),
    ("def of(part):\n            return part\n        return of(grad), (lambda: grad)()",
     "def of(part):\n            return part\n        return of(grad), (lambda: grad)(), None"),
    ("parts = [grad, grad]\n        return parts", "parts = [grad, grad]\n        return (*parts, None)"),
    ("return tuple(map(abs, (grad, grad)))", "return (*tuple(map(abs, (grad, grad))), None)"),
])  # fmt: skip
def test_backward_returns_none_for_each_constant(before, after):
    """And where it ends without a return; a function inside it returns what it did."""
    texts, _, _ = convert({"a.py": BACKWARD.format(before)}, {})
    assert f"def backward(ctx, grad):\n        {after}\n\n\ndef scale" in texts["a.py"]


def test_a_tuple_that_backward_returns_at_two_places():
    body = "grads = (grad,)\n        if grad.dim():\n            return grads\n        return grads"
    texts, _, _ = convert({"a.py": BACKWARD.replace(", y", "").replace(" + y", "").format(body)}, {})
    assert texts["a.py"].count("return (*grads, None)") == 2


def test_names_that_ctx_has():
    from torchthaw.legacy.ffi.function import READ_ONLY
    from torchthaw.modernize.python import methods

    assert {name for name in READ_ONLY if not name.startswith("_")} == methods.READ_ONLY


@pytest.mark.slow
def test_comments_and_layout_stay(converted):
    texts, _, _ = converted
    kinds, use = texts["layers/kinds.py"], texts["use.py"]
    assert kinds.startswith("# One Function for each way in which its state came about.\n")
    assert "        # What the input is multiplied by.\n        # It is squared\n        ctx.factor = factor\n" in kinds
    assert "ctx.factor = factor ** 2  # where asked for\n" in kinds
    assert "        x,  # the first\n        y,\n" in use and "2,  # the factor" in use


IN_A_FOLDER = {
    "script/functions/add.py": """from torch.autograd import Function
from _ext import fake


class Add(Function):
    def forward(self, input1, input2):
        return fake.add(input1, input2)

    def backward(self, grad):
        return grad, grad
""",
    "script/modules/add.py": "from functions.add import Add\n\n\ndef add(x, y):\n    return Add()(x, y)\n",
}


@pytest.mark.parametrize("another", [{}, {"package/functions/add.py": IN_A_FOLDER["script/functions/add.py"]}],
                         ids=["alone", "another"])  # fmt: skip
def test_calls_by_a_name_that_starts_in_the_folder_of_the_build(another):
    """As in a folder script/ with its build.py, where ``functions`` and ``_ext`` are imported from."""
    modules = {"functions.add": "new.functions.add", "modules.add": "new.modules.add", "_ext.fake": "new._ext.fake",
               "script.functions.add": "new.functions.add", "script.modules.add": "new.modules.add",
               "script._ext.fake": "new._ext.fake"}  # fmt: skip
    texts, _, functions = convert({**IN_A_FOLDER, **another}, modules)
    assert texts["script/modules/add.py"] == (
        "from new.functions.add import Add\n\n\ndef add(x, y):\n    return Add.apply(x, y)\n"
    )
    assert ("new.functions.add", "Add") in [(each.module, each.name) for each in functions]
