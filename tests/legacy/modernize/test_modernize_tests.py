# tests/legacy/modernize/test_modernize_tests.py: arguments that Functions work with, found in processes of their own.
"""The Functions here are PyTorch alone, so that nothing is compiled; those of test_modernize_comparison.py call C."""

import subprocess
import sys

import pytest
import torch

from support import modernized
from support.legacy_project import files
from torchthaw.modernize import generated_tests
from torchthaw.modernize.remarks import FunctionClass
from torchthaw.modernize.trials import projects, survey
from torchthaw.modernize.trials.target import Target, of_result, snake

pytestmark = pytest.mark.timeout(3000)

FUNCTIONS = '''
import time
import torch
import torch.nn.functional as F
from torch.autograd import Function


class Plain(Function):
    """Gradients by PyTorch, of what compute() gives."""

    @classmethod
    def apply_to(cls, ctx, *arguments):
        with torch.enable_grad():
            ctx.inputs = [
                x.detach().requires_grad_(x.is_floating_point()) if torch.is_tensor(x) else x for x in arguments
            ]
            ctx.outputs = cls.compute(*ctx.inputs)
        return ctx.outputs.detach()

    @staticmethod
    def backward(ctx, grad_output):
        wanted = [x for x in ctx.inputs if torch.is_tensor(x) and x.requires_grad]
        found = iter(torch.autograd.grad(ctx.outputs, wanted, grad_output, True, allow_unused=True))
        return tuple(next(found) if torch.is_tensor(x) and x.requires_grad else None for x in ctx.inputs)


class RoIPool(Plain):
    @staticmethod
    def forward(ctx, features, rois, pooled_height, pooled_width, spatial_scale):
        return RoIPool.apply_to(ctx, features, rois, pooled_height, pooled_width, spatial_scale)

    @staticmethod
    def compute(features, rois, pooled_height, pooled_width, spatial_scale):
        assert features.dim() == 4 and rois.dim() == 2 and rois.size(1) == 5, "expected images and boxes"
        assert isinstance(pooled_height, int) and isinstance(pooled_width, int)
        images = [int(row[0]) for row in rois]
        boxes = [(row[1:] * spatial_scale).long().tolist() for row in rois.detach()]
        parts = [features[image, :, y1:y2 + 1, x1:x2 + 1] for image, (x1, y1, x2, y2) in zip(images, boxes)]
        return torch.stack([F.adaptive_max_pool2d(part, (pooled_height, pooled_width)) for part in parts])


class DeformConv(Plain):
    @staticmethod
    def forward(ctx, input, offset, weight, bias=None, stride=1, padding=0):
        return DeformConv.apply_to(ctx, input, offset, weight, bias, stride, padding)

    @staticmethod
    def compute(input, offset, weight, bias, stride, padding):
        output = F.conv2d(input, weight, bias, stride, padding)
        assert offset.shape == (output.size(0), 18, *output.shape[2:]), "offset has another shape"
        return output + offset.sum(1, keepdim=True)


class Pool(Plain):
    @staticmethod
    def forward(ctx, input, kernel_size, stride):
        return Pool.apply_to(ctx, input, kernel_size, stride)

    @staticmethod
    def compute(input, kernel_size, stride):
        return F.max_pool2d(input, kernel_size, stride)


class GatherPoints(Plain):
    @staticmethod
    def forward(ctx, features, idx):
        return GatherPoints.apply_to(ctx, features, idx)

    @staticmethod
    def compute(features, idx):
        assert features.dim() == 3 and idx.dtype == torch.int32 and idx.dim() == 2
        return torch.gather(features, 2, idx.long()[:, None].expand(-1, features.size(1), -1))


class Loss(Plain):
    @staticmethod
    def forward(ctx, input, target, size_average=True):
        return Loss.apply_to(ctx, input, target, size_average)

    @staticmethod
    def compute(input, target, size_average):
        assert target.dtype == torch.int64
        loss = F.cross_entropy(input.float() if input.dtype == torch.float64 else input, target, reduction="sum")
        return loss / len(target) if size_average else loss


class Nms(Function):
    @staticmethod
    def forward(ctx, dets, threshold):
        assert dets.dim() == 2 and dets.size(1) == 5 and bool((dets[:, 2] > dets[:, 0]).all())
        return (dets[:, 4] > threshold * 0).nonzero().squeeze(1)


class Nested(Function):
    """Writes into its input."""

    @staticmethod
    def forward(ctx, input):
        ctx.mark_dirty(input)
        return input.mul_(3)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * 3


class Clock(Function):
    @staticmethod
    def forward(ctx, input):
        return input * (time.perf_counter_ns() % 1009)


class Infinite(Function):
    @staticmethod
    def forward(ctx, input):
        return input / 0


class Many(Function):
    """Any number of tensors."""

    @staticmethod
    def forward(ctx, *inputs):
        ctx.count = len(inputs)
        return sum(inputs)

    @staticmethod
    def backward(ctx, grad_output):
        return (grad_output,) * ctx.count


class Method(Function):
    def forward(self, input):
        return input


class OnlyFromScript(Plain):
    @staticmethod
    def forward(ctx, input, mode):
        return OnlyFromScript.apply_to(ctx, input, mode)

    @staticmethod
    def compute(input, mode):
        assert mode == "cube" and input.shape == (7, 1, 2)
        return input ** 3
'''
# A script in the way of the time, one of pytest, and one that fails.
SCRIPTS = {
    "tests/test.py": """
import torch
from field.functions import OnlyFromScript
if __name__ == "__main__":
    OnlyFromScript.apply(torch.ones(7, 1, 2), "cube")
    raise SystemExit(1)
""",
    "tests/test_unit.py": """
import torch
import field
def test_one():
    field.functions.OnlyFromScript.apply(torch.ones(7, 1, 2).double(), "cube")
def test_two():
    assert False
""",
    "tests/test_wrong.py": "raise ImportError('no such thing')\n",
}
# Function: constants, and the shapes of the tensors that it must get, or a part of the reason why there are none.
EXPECTED = {
    "RoIPool": (3, [(2, 3, 8, 8), (4, 5)]),
    "DeformConv": (2, [(2, 3, 6, 6), (2, 18, 4, 4), (5, 3, 3, 3), (5,)]),
    "Pool": (2, [(2, 3, 6, 6)]),
    "GatherPoints": (0, [(2, 3, 8), (2, 4)]),
    "Loss": (1, [(4, 6), (4,)]),
    "Nms": (1, [(4, 5)]),
    "Nested": (0, [(2, 3, 6, 6)]),
    "Many": (0, [(2, 3, 6, 6), (2, 3, 6, 6)]),
    "OnlyFromScript": (1, [(7, 1, 2)]),
    "Clock": (0, "with float32 (2, 3, 6, 6): ValueError: two calls give different results: output 1: "),
    "Infinite": (0, "with float32 (2, 3, 6, 6): ValueError: an output or gradient is not finite"),
    "Method": (0, "its forward is still a method of instances"),
    "Absent": (0, "AttributeError: module 'field.functions' has no attribute 'Absent'"),
}
GRADCHECKS = {
    "RoIPool": "float64", "DeformConv": "float64", "Pool": "float64", "GatherPoints": "float64", "Many": "float64",
    "OnlyFromScript": "float64", "Loss": "float32", "Nms": None, "Nested": None,
}  # fmt: skip


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """{function: its row}"""
    folder = tmp_path_factory.mktemp("field")
    files(folder, {"field/__init__.py": "from . import functions\n", "field/functions.py": FUNCTIONS, **SCRIPTS})
    targets = [Target("field.functions", "functions", name, name, count) for name, (count, _) in EXPECTED.items()]
    job = {"kind": "find", "targets": [list(each) for each in targets], "extensions": {}}
    scripts = [str(folder / path) for path in sorted(SCRIPTS)]
    found = projects.ask(projects.Built(folder, (str(folder),), False), {**job, "scripts": scripts})
    return {target[2]: row for target, row in found}


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPECTED)
def test_arguments(rows, name):
    _, expected = EXPECTED[name]
    row = rows[name]
    if isinstance(expected, str):
        assert not row["cases"] and expected in row["reason"]
    else:
        assert row["cases"], row["reason"]
        assert [tuple(each.shape) for each in row["cases"][0] if torch.is_tensor(each)] == expected


@pytest.mark.slow
def test_cases_of_scripts_come_first_and_random_ones_follow(rows):
    cases = rows["OnlyFromScript"]["cases"]
    assert [case[0].dtype for case in cases] == [torch.float32, torch.float64, torch.float32, torch.float32]
    assert bool((cases[0][0] == 1).all()) and not torch.equal(cases[2][0], cases[3][0])
    assert {case[1] for case in cases} == {"cube"} and rows["OnlyFromScript"]["recorded"]
    assert len(rows["Pool"]["cases"]) == 3 and not rows["Pool"]["recorded"]


@pytest.mark.slow
@pytest.mark.parametrize("name", GRADCHECKS)
def test_gradchecks(rows, name):
    found = rows[name]["gradcheck"]
    assert (found and found["settings"]["dtype"]) == GRADCHECKS[name], rows[name]["why"]
    assert bool(found) != bool(rows[name]["why"]) and not rows[name]["reason"]


# Calls in processes of their own

ISOLATED = """
import ctypes, os, sys, time
import torch
from torchthaw.modernize.trials.isolated import each, isolated

def wait():
    time.sleep(60)

def work():
    while True:
        pass

def fail():
    raise KeyError("the key")

value = {"a": [torch.ones(2), 1.5, "text", None]}
for call in [lambda: value, fail, lambda: os._exit(7), lambda: ctypes.string_at(8), wait, work]:
    print(*isolated(call, 1), sep=" | ")
isolated(lambda: print("printed"), 1)

def try_one(item):
    return work() if item == 1 else os._exit(5) if item == 2 else item == 4

print([(item, *answer) for item, answer in each(try_one, range(9), 1, 60)])
print(len([None for _ in each(lambda item: sum(range(10**7)) * 0, range(99), 9, 1)]) < 99)
"""


@pytest.mark.slow
def test_isolated_calls():
    words = [sys.executable, "-c", ISOLATED]
    done = subprocess.run(words, env=projects.environment(False), capture_output=True, text=True)
    assert done.stdout.splitlines() == [
        "{'a': [tensor([1., 1.]), 1.5, 'text', None]} | ",
        "None | KeyError: 'the key'",
        "None | ended the process with status 7",
        "None | crashed (SIGSEGV)",
        *["None | no result within 1 s"] * 2,
        "[(0, False, ''), (1, None, 'no result within 1 s'), (2, None, 'ended the process with status 5'), "
        "(3, False, ''), (4, True, ''), (5, False, ''), (6, False, ''), (7, False, ''), (8, False, '')]",
        "True",
    ], done.stderr


# Files

SNAKES = {"MaxPoolFunction": "max_pool_function", "ROIAlign": "roi_align", "_CTC": "ctc", "Conv2dFn": "conv2d_fn"}


@pytest.mark.parametrize("name", SNAKES)
def test_names_of_files(name):
    assert snake(name) == SNAKES[name]


def result_of(folder, *functions):
    made = [FunctionClass(module, name, ("x",), ("a", "b"), (), "f.py", 1) for module, name in functions]
    modules = {"f": "lib.f", "g": "lib.g"}
    return modernized.Result(folder, folder, "lib", ("lib.e",), ("e",), ("build.py",), modules, made, [])


def test_functions_of_one_name_have_files_of_their_own(tmp_path):
    functions = ("lib.f", "Add"), ("lib.g", "Add"), ("lib.g", "MyAdd"), ("lib.g", "My_Add")
    targets = of_result(result_of(tmp_path, *functions))
    assert [each.key for each in targets] == ["f_add", "g_add", "my_add", "my_add_"]
    assert [(each.old_module, each.constants) for each in targets] == [("f", 2), ("g", 2), ("g", 2), ("g", 2)]


def test_a_test_of_the_project_stays(tmp_path, monkeypatch):
    """The generated one has another name, and is written anew when values come."""
    files(tmp_path, {"tests/test_add.py": "# the project's own\n"})
    result = result_of(tmp_path, ("lib.f", "Add"))
    (target,) = of_result(result)
    settings = {"dtype": "float32", "eps": 1e-2, "atol": 1e-2, "rtol": 1e-2}
    case = [torch.ones(2), 3]
    row = {"cases": [case], "gradcheck": {"settings": settings, "arguments": case}, "why": "", "opchecks": {},
           "refused": [["add", "no"]], "recorded": True, "reason": ""}  # fmt: skip
    monkeypatch.setitem(survey._surveys, str(tmp_path), survey.Survey({target: row}, ""))
    (remark,) = generated_tests.write(result)
    assert remark[2:] == ("operator", "add: torch.library.opcheck refuses its operator: no", "hint")
    generated = tmp_path / "tests/test_add_generated.py"
    text = generated.read_text()
    assert "from lib.f import Add\n" in text and "test_recorded_values" not in text and "pytest" not in text
    value = {"outputs": [torch.ones(2)], "weights": [torch.ones(2)], "gradients": [torch.ones(2), None]}
    generated_tests.record(result, target, row, [value])
    assert "test_recorded_values" in generated.read_text()
    recorded = torch.load(tmp_path / "tests/recorded/add.pt", weights_only=True)
    assert [len(each["gradients"]) for each in recorded["cases"]] == [1]
    assert (tmp_path / "tests/test_add.py").read_text() == "# the project's own\n"
    assert max(map(len, generated.read_text().splitlines())) <= 120
    compile(generated.read_text(), "generated", "exec")
