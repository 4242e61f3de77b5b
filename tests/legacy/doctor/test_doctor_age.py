# tests/legacy/doctor/test_doctor_age.py: rules for old Python and PyTorch are off for code that cannot be that old, and
# the last line says so.
import json

import pytest

from support.doctor_project import applied, findings, project  # noqa: F401
from torchthaw.cli import main

# What each rule finds in code that may be of any age. `xrange` fails in every Python 3.
OLD = """import torch
import torch.nn.functional as F
n = x.size(2) / 2
i = torch.arange(0, n)
y = F.dropout(x)
m = torch.load('m.pth')
z = F.grid_sample(x, grid)
for k in xrange(3): pass
"""
ALL = {"integer-quotient", "arange", "dropout", "torch-load", "align-corners", "python2-name"}
PYTHON2, BEFORE_1 = {"integer-quotient"}, {"arange", "dropout", "torch-load"}

# (a file of the project, its text, the rules that it switches off, what the last line says)
NEWER = [
    ("b.py", "s = f'{x}'", PYTHON2, "b.py:1 has an f-string"),
    ("b.py", "\ndef f(x: int): pass", PYTHON2, "b.py:2 has a type hint"),
    ("b.py", "x: int = 3", PYTHON2, "b.py:1 has a type hint"),
    ("b.py", "y = a @ b", PYTHON2, "b.py:1 has @ as an operator"),
    ("setup.py", "setup(python_requires='>=3.6')", PYTHON2, "setup.py:1 asks for Python 3.6"),
    ("setup.py", "setup(python_requires='>=3.8')", ALL, "setup.py:1 asks for Python 3.8"),
    ("pyproject.toml", '[project]\nrequires-python = ">=3.10"', ALL, "pyproject.toml:2 asks for Python 3.10"),
    ("b.py", "if (n := f()): pass", ALL, "b.py:1 has :="),
    ("b.py", "match x:\n    case 1: pass", ALL, "b.py:1 has match"),
    ("b.py", "from torch.cuda.amp import autocast", BEFORE_1 | {"align-corners"}, "b.py:1 has torch.cuda.amp"),
    ("requirements.txt", "numpy\ntorch>=1.1", BEFORE_1, "requirements.txt:2 has torch>=1.1"),
    ("b.cpp", "#include <torch/extension.h>", BEFORE_1, "b.cpp:1 has torch/extension.h"),
]  # fmt: skip


def rules(folder):
    return {finding.rule for finding in findings(folder) if finding.effect != "works" and finding.rule in ALL}


@pytest.mark.parametrize("name, text, off, why", NEWER, ids=[text.strip()[:30] for _, text, _, _ in NEWER])
def test_rules_are_off_for_newer_code(project, capsys, name, text, off, why):
    folder = project({"a.py": OLD, name: text + "\n"})
    assert rules(folder) == ALL - off | {"python2-name"}
    main(["doctor", str(folder)])
    last = capsys.readouterr().out.splitlines()[-1]
    assert f"are off, {len(off - {'python2-name'})} note" in last and last.endswith(f": {why}")


def test_rules_that_would_say_nothing_are_not_named(project, capsys):
    main(["doctor", str(project({"b.py": "s = f'{x}'\n"}))])
    assert "are off" not in capsys.readouterr().out


@pytest.mark.parametrize(
    "text", ["s = 'f{x}'  # f'{x}' := torch.cuda.amp", "setup(python_requires='>=2.7')", "d = {x: y}; g = lambda: 3"]
)
def test_every_rule_is_on_for_code_of_any_age(project, capsys, text):
    folder = project({"a.py": OLD, "b.py": text + "\n"})
    assert rules(folder) == ALL
    main(["doctor", str(folder)])
    assert "are off" not in capsys.readouterr().out


def test_every_rule_is_on_for_projects_of_torch_utils_ffi(project):
    build = "from torch.utils.ffi import create_extension\nprint(f'{3}')\n"
    assert rules(project({"a.py": OLD, "build.py": build, "b.cpp": "#include <torch/extension.h>\n"})) == ALL


def test_a_comparison_of_types_stays_as_it_is_where_it_was_false_already(project):
    text = "old = type(torch.Tensor()) == torch.FloatTensor\n"
    assert [finding.rule for finding in findings(project({"a.py": text}))] == ["type-comparison"]
    folder = project({"a.py": text, "b.cpp": "#include <torch/extension.h>\n"})
    assert findings(folder, "a.py") == [] and applied(folder) == {}


def test_json_says_which_rules_are_off(project, capsys):
    main(["doctor", str(project({"a.py": OLD, "b.py": "s = f'{x}'\n"})), "--json"])
    off = "rules for Python 2 are off, 1 note left out: b.py:1 has an f-string"
    assert json.loads(capsys.readouterr().out)["off"] == off
