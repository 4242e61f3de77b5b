# tests/legacy/modernize/test_modernize_comparison.py: old and new projects called with the same inputs.
"""What both give is compared here for projects written by hand, in one of which something is wrong."""

import contextlib
import io
import shutil
import subprocess
import sys
import types

import pytest
import torch

from support import modernized
from support.legacy_project import files
from torchthaw.modernize import comparison, generated_tests
from torchthaw.modernize.remarks import FunctionClass
from torchthaw.modernize.trials import calling, choosing, equality, listening, projects, survey, target

pytestmark = pytest.mark.timeout(3000)  # builds, and processes that import PyTorch, beside other jobs


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    """(the Result, the Remarks about its tests, {function: (outcome, detail)})."""
    result = modernized.write(tmp_path_factory.mktemp("projects"))
    with contextlib.redirect_stderr(io.StringIO()) as told:
        remarks = generated_tests.write(result)
        rows = comparison.compare(result).rows
    calls = [f"modernize: calls of the {side} project's Functions" for side in ("old", "new", "old")]
    assert told.getvalue().splitlines() == [
        "modernize: building the new project", "modernize: looking for arguments of the Functions",
        "modernize: building the old project", *calls,
    ]  # fmt: skip
    assert [row.function for row in rows] == [*modernized.CASES, "toy_fill"]
    return result, remarks, {row.function: row[1:] for row in rows}


EQUAL = "3 sets of inputs: outputs and gradients equal bit for bit"
ROWS = {
    "Square": ("equal", EQUAL),
    "Scale": ("equal", EQUAL),  # an instance Function, with the argument of its __init__
    "Wrong": ("different", "input 1: output 1: 216 of 216 elements differ, by up to "),
    "Expanded": ("different", "input 1: gradient of the sum for argument 1: "),
    "Straight": ("equal", EQUAL),  # as wrong as it was
    "Unset": ("not compared", "the old one gives other numbers each time: it uses memory that it did not set"),
    "Leaves": ("not compared", "(with float32 (2, 3, 6, 6): ended the process with status 3)"),
    "Crashes": ("not compared", "(with float32 (2, 3, 6, 6): crashed (SIGSEGV))"),
    "Take": ("equal", "1 set of inputs: outputs equal bit for bit"),  # places that only the script knows
    "toy_fill": ("equal", "1 set of inputs: outputs equal bit for bit"),  # a C function that a script calls itself
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ROWS)
def test_outcomes(compared, name):
    outcome, detail = compared[2][name]
    assert outcome == ROWS[name][0] and ROWS[name][1] in detail


class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, by):
        return x * by

    @staticmethod
    def backward(ctx, grad):
        return grad, None


@pytest.mark.parametrize("is_of_c", [False, True])
def test_calls_of_apply_are_noted(monkeypatch, is_of_c):
    """From PyTorch 2.15 on, apply is a class method of C, as the one that Function's own hides before."""
    found = [vars(each)["apply"] for each in torch.autograd.Function.__mro__ if "apply" in vars(each)]
    of_c = next(each for each in found if isinstance(each, types.ClassMethodDescriptorType))
    monkeypatch.setattr(torch.autograd.Function, "apply", of_c if is_of_c else found[0])
    calls = listening.Calls({(F.__module__, "F")})
    calls.listen_to_functions()
    x = torch.ones(2, requires_grad=True)
    assert F.apply(x, 3).tolist() == [3, 3] and F.apply(x, 3).grad_fn is not None
    ((noted, by),) = calls.functions[F.__module__, "F"]
    assert noted.tolist() == [1, 1] and by == 3


class OldStyle:
    """As an instance Function: what it was made with, and then called with."""

    def __init__(self, k, *args, **kwargs):
        self.made = k, args, kwargs

    def forward(self, x):
        return x

    def __call__(self, *inputs):
        return [*self.made, *inputs]


class NewStyle(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, k, args=(), kwargs=()):
        return x * (k + sum(args) + len(dict(kwargs)))


def test_constants_of_any_number():
    """The new one's tuple and dict are the old one's arguments, and such calls can be noted and tried."""
    each = FunctionClass("a", "F", ("x",), ("k", "*args", "**kwargs"), (), "a.py", 1)
    result = modernized.Result(None, None, "", (), (), (), {}, [each], [])
    (found,) = target.of_result(result)
    assert found.constants == 3 and found.stars == ("", "*", "**")
    found = target.Target(*found)
    x = torch.ones(2)
    assert calling.apply(found, OldStyle, [x, 1, (2, 3), {"by": 4}]) == [1, (2, 3), {"by": 4}, x]
    assert calling.apply(found, OldStyle, [x, 1, (), ()]) == [1, (), {}, x]
    assert calling.apply(found, NewStyle, [x, 1, (2, 3), {"by": 4}]).tolist() == [7, 7]
    assert listening.storable([x, 1, (2, 3), {"by": 4}]) and not listening.storable([{"by": object()}])
    tried = list(choosing.candidates(found, NewStyle))
    assert {values[2] for values in tried} >= {(), (2,), (2, 2)} and {values[3] for values in tried} == {()}


@pytest.mark.slow
def test_the_projects_are_left_as_they_are(compared):
    """But for the tests in the new one."""
    result = compared[0]
    names = {path.relative_to(result.project).as_posix() for path in result.project.rglob("*") if path.is_file()}
    assert names == {"build.py", "functions/__init__.py", "functions/toys.py", "src/toy.c", "src/toy.h", "test.py"}
    assert sorted(path.name for path in result.folder.iterdir()) == ["setup.py", "src", "tests", "toy"]


# Tests of the new project


RECORDED = ["recorded_values"] * 3
TESTS = {
    "test_square.py": ["gradients", "operator", "operator", *RECORDED],
    "test_scale.py": ["gradients", "operator", *RECORDED],
    "test_expanded.py": ["gradients", "operator"],
    "test_straight.py": RECORDED,  # its operators are those of others
    "test_take.py": ["operator", "recorded_values"],
    "test_toy_fill.py": ["recorded_values"],
    "test_unset.py": ["operator"],
    "test_wrong.py": [],
}


@pytest.fixture(scope="module")
def new(compared):
    """The built copy of the new project, with its tests."""
    folder = survey.copies(compared[0]).new().folder
    shutil.copytree(compared[0].folder / "tests", folder / "tests", dirs_exist_ok=True)
    return folder


def run_pytest(folder, *arguments):
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    done = subprocess.run(words, cwd=folder, env=projects.environment(False), capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.slow
def test_the_new_project_s_tests_pass(compared, new):
    names = {path.name for path in (new / "tests").glob("test_*.py")}
    assert names == {name for name, tests in TESTS.items() if tests}
    status, printed = run_pytest(new, "tests", "-rA")
    assert status == 0, printed
    passed = [line.removeprefix("PASSED tests/") for line in printed.splitlines() if line.startswith("PASSED")]
    for name, tests in TESTS.items():
        mine = [line.partition("::test_")[2].partition("[")[0] for line in passed if line.startswith(f"{name}::")]
        assert sorted(mine) == sorted(tests), name


@pytest.mark.slow
def test_they_fail_when_the_new_project_computes_something_else(new, tmp_path):
    copy = tmp_path / "toy"
    shutil.copytree(new, copy)
    module = copy / "toy/functions/toys.py"
    code = module.read_text()
    assert code.count("scaled(input, factor)\n") == 1
    module.write_text(code.replace("scaled(input, factor)\n", "scaled(input, factor + 1)\n"))
    status, printed = run_pytest(copy, "tests/test_scale.py", "-k", "gradients or recorded", "-rA")
    assert status == 1 and "FAILED tests/test_scale.py::test_gradients" in printed
    assert printed.count("FAILED tests/test_scale.py::test_recorded_values") == 3


@pytest.mark.slow
def test_precision_goes_by_what_the_c_library_has(compared):
    tests = compared[0].folder / "tests"
    assert "eps=1e-06" in (tests / "test_scale.py").read_text()
    assert "eps=0.01" in (tests / "test_square.py").read_text()
    assert "does not work with float64" in (tests / "test_square.py").read_text()


def about(remarks, word):
    return {(remark.kind, remark.line, remark.message) for remark in remarks if remark.message.startswith(word)}


@pytest.mark.slow
def test_what_has_no_test_is_to_be_looked_at(compared):
    ((kind, line, message),) = about(compared[1], "Leaves")
    assert (kind, line) == ("look", 7) and message.startswith("Leaves has no test: no arguments were found")
    assert message.endswith("write tests/test_leaves.py, with Leaves.apply")
    looks = {message for kind, _, message in about(compared[1], "Straight") if kind == "look"}
    assert len(looks) == 1 and "Straight has no gradcheck with float32 (2, 3, 6, 6): GradcheckError" in looks.pop()
    assert not about(compared[1], "Take: no script calls it") and about(compared[1], "Scale: no script calls it")


# Projects that cannot be built or called here


def test_commands(tmp_path):
    lines = []
    program = "import sys; print('[1/2] ', flush=True); print('b.c: error: no', file=sys.stderr); sys.exit(4)"
    error = projects.command(tmp_path, [sys.executable, "-c", program], shown="the build", read=lines.append)
    assert error == "the build: b.c: error: no" and lines == ["[1/2] \n", "b.c: error: no\n"]
    assert projects.command(tmp_path, [sys.executable, "-c", "print(1)"]) == ""
    quiet = [sys.executable, "-c", "print('[1/2] ', flush=True); raise SystemExit(3)"]
    assert projects.command(tmp_path, quiet, shown="it") == "it: exit status 3"
    late = [sys.executable, "-c", "import time; time.sleep(600)"]
    assert projects.command(tmp_path, late, seconds=1, shown="it") == "it: no end within 1 s"


def test_a_new_project_that_cannot_be_built(tmp_path):
    result = modernized.write(tmp_path, ["Square"])
    (result.folder / "setup.py").write_text("raise SystemExit('no setup')\n")
    (remark,) = generated_tests.write(result)
    assert remark.kind == "look" and remark.message.startswith("Square has no test: the new project cannot be built")
    assert remark.message.endswith("no setup") and (remark.path, remark.line) == ("functions/toys.py", 1)
    (row,) = comparison.compare(result).rows
    assert row[:2] == ("Square", "not compared") and row.detail.endswith("build_ext --inplace: no setup")
    assert not list(result.folder.glob("tests/test_*.py"))
    without_functions = result._replace(functions=[], folder=tmp_path / "other")
    shutil.copytree(result.folder, tmp_path / "other")
    (remark,) = generated_tests.write(without_functions)
    assert (remark.kind, remark.rule) == ("look", "new-build")
    assert remark.message.startswith("the new project cannot be built") and "no setup" in remark.message


def test_functions_for_gpus_alone(tmp_path, monkeypatch):
    """Nothing is built for them, and the report says what they need."""
    result = modernized.write(tmp_path, ["Square"])
    calls = "toy_square_cuda", "toy_slope_cuda"
    result = result._replace(functions=[result.functions[0]._replace(calls=calls)], gpu_functions=frozenset(calls))
    monkeypatch.setattr(projects, "command", lambda *words, **options: pytest.fail("it was built"))
    detail = "needs a GPU: of C it calls toy_square_cuda, toy_slope_cuda alone, and inputs are tried on the CPU"
    assert comparison.compare(result).rows == [("Square", "not compared", detail)]
    (remark,) = generated_tests.write(result)
    assert (remark.kind, remark.message.partition("; ")[0]) == ("look", f"Square has no test: {detail}")
    both = result._replace(gpu_functions=frozenset(calls[:1]))
    assert [each.gpu_calls for made in (result, both) for each in target.of_result(made)] == [calls, ()]


BROKEN = {
    "src/toy.c": ("#include <TH/TH.h>\nint toy_square(no_type x) {}\n", "unknown type name"),
    "build.py": ("from torch.utils.ffi import create_extension\n", "the build made no _ext.toy"),
}


@pytest.mark.slow
@pytest.mark.parametrize("path", BROKEN)
def test_an_old_project_that_cannot_be_built(tmp_path, path):
    result = modernized.write(tmp_path, ["Square"])
    text, reason = BROKEN[path]
    files(result.project, {path: text})
    assert reason in projects.Copies(result).old().error


@pytest.mark.slow
def test_rows_without_an_old_build(compared, monkeypatch):
    result = compared[0]
    broken = survey.copies(result).old()._replace(error="no compiler")
    monkeypatch.setitem(survey.copies(result).made, "old", broken)
    rows = {row.function: row[1:] for row in comparison.compare(result).rows}
    assert rows["Scale"] == ("not compared", "the old project cannot be built here: no compiler")
    assert rows["Leaves"] == compared[2]["Leaves"]


def test_the_old_project_may_be_python_2_and_read_only(tmp_path):
    result = modernized.write(tmp_path, ["Square"])
    files(result.project, {"functions/old.py": "print 'two'\n"})
    for path in [*result.project.rglob("*"), result.project]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    copies = projects.Copies(result)
    try:
        folder, error = copies._copy(result.project, "old")
        assert not error
        projects.torchthaw(folder, "doctor", ".", "--apply")
        assert (folder / "functions/old.py").read_text() == "print('two')\n"
        assert (result.project / "functions/old.py").read_text() == "print 'two'\n"
    finally:
        for path in [result.project, *result.project.rglob("*")]:
            path.chmod(0o755)


# Equality


NAN = float("nan")
VALUES = {
    "same": (torch.ones(2), torch.ones(2), ""),
    "nan in the same places": (torch.tensor([NAN, 1.0]), torch.tensor([NAN, 1.0]), ""),
    "nan": (torch.tensor([2.0, 1.0]), torch.tensor([NAN, 1.0]), "not the same elements are finite"),
    "rounding": (torch.tensor([1e3, 1.0]), torch.tensor([1e3, 1.00001]), ""),
    "numbers": (torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.5]), "1 of 2 elements differ, by up to 0.5"),
    "double": (torch.ones(1).double(), torch.ones(1).double() + 1e-6, "1 of 1 elements differ, by up to 1e-06"),
    "shape": (torch.ones(2), torch.ones(2, 1), "float32 (2,) became float32 (2, 1)"),
    "dtype": (torch.ones(2), torch.ones(2).long(), "float32 (2,) became int64 (2,)"),
    "integers": (torch.tensor([1, 2]), torch.tensor([1, 3]), "1 of 2 elements differ"),
    "none": (torch.ones(2), None, "float32 (2,) became None"),
    "plain numbers": (1, 2, "1 became 2"),
    "plain floats": (1.0, 1.0, ""),
}


@pytest.mark.parametrize("name", VALUES)
def test_difference(name):
    old, new, expected = VALUES[name]
    assert equality.difference(old, new)[0] == expected
