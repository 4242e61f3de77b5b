"""tests/packaging/test_check.py: `python -m torchthaw check`: a project beside several versions of PyTorch.

The versions are wheels of tests/support/other_torch.py; pip gets the other packages from its index.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from support import ROOT, SRC, other_torch
from torchthaw import cli
from torchthaw.check import cells, environments, project, steps, tables
from torchthaw.check.cells import Row

TEST = """
import torch, adding

def test_sum():
    assert adding.add(torch.ones(2), torch.ones(2)).tolist() == [2, 2]

def test_something_that_a_version_lacks():
    assert torch.cat
"""
PURE = 'from setuptools import setup\nsetup(name="adding", version="1.0", py_modules=["adding"])\n'


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder for the project, a cache whose environments all tests use, and wheels: torch 2.97.0 lacks something."""
    made = tmp_path_factory.mktemp("check")
    (made / "wheels").mkdir()
    for version, fault in (("2.10.0+of.tests", ""), ("2.97.0", "del torch.cat")):
        other_torch.wheel(made / "wheels", version, fault)
    return made


@pytest.fixture
def folder(place):
    """A project of plain Python, in a folder whose name has a space."""
    made = place / "a project"
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir()
    (made / "setup.py").write_text(PURE)
    (made / "adding.py").write_text("import torch\nadd = torch.add\n")
    (made / "test_adding.py").write_text(TEST)
    return made


def command(folder, *words, **environment):
    found = " ".join(filter(None, [os.environ.get("PIP_FIND_LINKS"), str(folder.parent / "wheels")]))
    variables = {
        "PYTHONPATH": str(SRC), "TORCHTHAW_CACHE": str(folder.parent / "cache"), "PIP_FIND_LINKS": found,
    }  # fmt: skip
    environment = {**os.environ, **variables, **environment}
    environment.pop("TORCH_INDEX", None)
    words = [sys.executable, "-m", "torchthaw", "check", *words]
    return subprocess.Popen(
        words, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def check(folder, *words, **environment):
    """(exit status, what it printed, what it said of its steps)"""
    process = command(folder, *words, **environment)
    out, err = process.communicate(timeout=600)
    return process.returncode, out, err


@pytest.mark.slow
def test_each_version_has_its_row_and_a_second_run_keeps_them(folder):
    words = "--torch", "2.10.0,2.97.0,2.96.0", "--format", "json", "pytest", "-q"
    status, out, err = check(folder, *words)
    right, broken, absent = json.loads(out)
    assert status == 1, err
    assert (right["build"], right["test"], right["error"]) == ("passed", "passed", ""), err
    assert right["torch_found"] == "2.10.0+of.tests" and right["test_seconds"] > 0
    assert (broken["build"], broken["test"]) == ("passed", "failed")
    assert "test_something_that_a_version_lacks" in broken["error"] and "cat" in open(broken["log"]).read()
    assert (absent["environment"], absent["build"]) == ("no wheel", "not run") and "2.96.0" in absent["error"]

    again = check(folder, *words)
    assert again[0] == 1 and again[2].count("as before") == 2 and again[2].count("makes") == 1, again[2]
    kept = json.loads(again[1])
    assert [row["environment"] for row in kept] == ["kept", "kept", "no wheel"]
    assert [{**row, "environment": 0} for row in kept[:2]] == [{**row, "environment": 0} for row in (right, broken)]

    (folder / "test_adding.py").write_text(TEST.replace("assert torch.cat", "pass"))
    status, out, err = check(folder, "--torch", "2.97.0", "pytest", "-q")
    assert status == 0 and "as before" not in err and "makes" not in err, err
    assert "2.97.0" in out and "passed" in out and "in full" not in out


@pytest.mark.slow
def test_a_build_that_fails_is_shown(folder):
    (folder / "setup.py").write_text(
        "from setuptools import Extension, setup\nsetup(ext_modules=[Extension('a', ['a.c'])])\n"
    )
    (folder / "a.c").write_text("#include <nowhere.h>\n")
    status, out, err = check(folder, "--torch", "2.10.0", "--with", "pytest")
    assert status == 1 and re.search(r"a\.c:1:.*nowhere\.h", out.partition("in full")[0]), out
    assert "builds" in err and "log.txt" in out


@pytest.mark.slow
def test_an_interrupted_check_goes_on_where_it_was(folder):
    (folder / "test_adding.py").write_text(
        "import os, time, torch\ndef test():\n    while torch.__version__ == '2.97.0' and not os.path.exists(os.environ['GO']):\n"
        "        open(os.environ['GO'] + '.waits', 'w').close()\n        time.sleep(.1)\n"
    )
    go = folder.parent / "go"
    process = command(folder, "--torch", "2.10.0,2.97.0", "pytest", "-q", GO=str(go))
    while not go.with_name("go.waits").exists() and process.poll() is None:
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=600)
    assert process.returncode == 130 and "interrupted" in err, err
    assert "2.10.0" in out and "2.97.0" not in out
    go.touch()
    status, out, err = check(folder, "--torch", "2.10.0,2.97.0", "pytest", "-q", GO=str(go))
    assert status == 0 and err.count("as before") == 1 and "makes" not in err, err


@pytest.mark.slow
def test_a_build_by_a_command_and_a_limit_of_time(folder):
    words = "--torch", "2.10.0", "--build", "echo made > made.txt", "--format", "json"
    status, out, err = check(folder, *words, "python", "-c", "print(open('made.txt').read())")
    assert status == 0, out + err
    status, out, err = check(folder, "--seconds", "5", *words, "sleep", "600")
    (row,) = json.loads(out)
    assert status == 1 and row["test"] == "failed" and "5 s" in row["error"]
    assert not (folder / "made.txt").exists()


def test_wrong_options_are_named(folder):
    status, _, err = check(folder, "--build", "make")
    assert status == 2 and "COMMAND" in err
    status, _, err = check(folder, "--torch", ",", "pytest")
    assert status == 2 and "--torch" in err
    status, _, err = check(folder, "--run", "--portable")
    assert status == 2 and "--portable" in err


def test_a_python_that_is_not_there_is_a_row(folder):
    status, out, err = check(folder, "--python", "3.99", "--format", "json", PATH="/nowhere")
    (row,) = json.loads(out)
    assert status == 1 and row["environment"] == "failed" and "3.99" in row["error"]


# ---- the first error -------------------------------------------------------------------------------------------------

LOGS = {
    "a compiler, in the frame of pip": (
        "  error: subprocess-exited-with-error\n  × Building wheel for a (pyproject.toml) did not run successfully.\n"
        "  In file included from b.h:1,\n  a.cpp:3:10: fatal error: x.h: No such file or directory\n"
        "  RuntimeError: Error compiling objects for extension\n  error: Failed building wheel for a", "a.cpp:3:10: fatal error",
    ),
    "nvcc": ('k.cu(12): error: class "cudaDeviceProp" has no member "clockRate"\n1 error detected', "k.cu(12): error"),
    "pytest": (
        "E   AssertionError\n=== short test summary info ===\nFAILED tests/test_a.py::test_b - AssertionError: 1 != 2\n1 failed",
        "FAILED tests/test_a.py::test_b",
    ),
    "unittest": (
        "E\n======\nERROR: test (unittest.loader._FailedTest.test)\nImportError: Failed to import test module: test\n"
        "ModuleNotFoundError: No module named 'tqdm'\nRan 1 test in 0.000s\nFAILED (errors=1)", "No module named 'tqdm'",
    ),
    "a loader": (
        "Traceback (most recent call last):\nImportError: /a/_C.so: undefined symbol: _ZN2at3addE", "undefined symbol: _ZN2at3addE"
    ),
    "a linker": ("x.o: in function `f':\nx.cpp:(.text+0x5): undefined reference to `g'\ncollect2: error: ld returned 1", "reference to `g'"),
    "Python": ("Traceback (most recent call last):\n  File\nModuleNotFoundError: No module named 'torch'\nlater", "No module named 'torch'"),
    "nothing that is known": ("first\nlast words\n\n", "last words"),
}  # fmt: skip


@pytest.mark.parametrize("name", LOGS)
def test_the_first_error_is_the_one_that_tells_most(name):
    text, told = LOGS[name]
    assert told in steps.first_error(text.splitlines())


def test_nothing_printed_is_no_error():
    assert steps.first_error([]) == ""


# ---- the copy of the project -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_clone", [True, False])
def test_a_copy_lacks_what_builds_leave(tmp_path, is_clone):
    source = tmp_path / "source"
    for name in ("a/b.py", "build/x.o", "made/y.o", "c.egg-info/z"):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(name)
    (source / "link").symlink_to("a/b.py")
    (source / "broken").symlink_to("nowhere")
    os.mkfifo(source / "pipe")
    if is_clone:
        (source / ".gitignore").write_text("made\n")
        subprocess.run(["git", "init", "-q"], cwd=source, check=True)
    project.copy(source, tmp_path / "to")
    found = {
        os.path.relpath(path, tmp_path / "to") for path in (tmp_path / "to").rglob("*") if ".git/" not in str(path)
    }
    left = {"made", "made/y.o"} if is_clone else {"build", "build/x.o", "c.egg-info", "c.egg-info/z"}
    others = {"build", "build/x.o", "c.egg-info", "c.egg-info/z", "made", "made/y.o"} - left
    own = {".git", ".gitignore"} if is_clone else set()
    assert found == {"a", "a/b.py", "link", "broken"} | others | own


def test_a_digest_changes_with_names_modes_and_contents(tmp_path):
    (tmp_path / "a").write_text("1")
    (tmp_path / ".git").mkdir()
    digests = [project.digest(tmp_path)]
    (tmp_path / ".git" / "index").write_text("changes often")
    assert project.digest(tmp_path) == digests[0]
    for change in (
        lambda: (tmp_path / "a").write_text("2"),
        lambda: (tmp_path / "a").chmod(0o755),
        lambda: (tmp_path / "a").rename(tmp_path / "b"),
        lambda: (tmp_path / "a").symlink_to("b"),
    ):
        change()
        digests.append(project.digest(tmp_path))
    assert len({*digests}) == 5


# ---- what is run -----------------------------------------------------------------------------------------------------


@pytest.fixture
def ran(monkeypatch, tmp_path):
    """The commands of checks in environments that are not made; ``pip wheel`` makes a wheel with one module."""
    commands = []

    def run(words, log, *, seconds, cwd, env):
        words = [*map(str, words)]
        commands.append((Path(env["VIRTUAL_ENV"]).parent.name, words[1:], env))
        if "wheel" in words:
            folder = Path(words[words.index("--wheel-dir") + 1])
            folder.mkdir(exist_ok=True)
            with zipfile.ZipFile(folder / "halves-1.0-py3-none-any.whl", "w") as archive:
                archive.writestr("halves/__init__.py", "")
                archive.writestr("halves/_C.abi3.so", "")
                archive.writestr("halves-1.0.dist-info/x.py", "")
        return ["setuptools>=70", "torch>=2", "torchthaw[portable]", "numpy"] if cells.REQUIREMENTS in words else [""]

    def make(self, log, seconds):
        whole(self.folder, self.torch)
        facts = {
            "torch": self.torch,
            "python": "3.11.7",
            "asked": [self.torch, self.python, self.index, *self.packages],
        }
        self.stamp.write_text(json.dumps(facts))

    monkeypatch.setattr(steps, "run", run)
    monkeypatch.setattr(environments.Environment, "make", make)
    monkeypatch.setenv("TORCHTHAW_CACHE", str(tmp_path / "cache"))
    (tmp_path / "source").mkdir()
    monkeypatch.chdir(tmp_path / "source")

    def main(*words, status=0):
        commands.clear()
        assert cli.main(["check", *words]) == status
        return list(commands)

    return main


def pips(commands):
    """(environment, what pip is asked, whether it is asked by torchthaw run) of each call of pip."""
    found = [(place, words) for place, words, _ in commands if words[:1] == ["-m"]]
    return [
        (place.removesuffix("-python-3.11"), words[words.index("pip") + 1], "run" in words) for place, words in found
    ]


def test_a_wheel_is_built_with_the_environment_s_own_pytorch_and_imported(ran):
    commands = ran("--torch", "2.10.0", "--python", "3.11")
    assert pips(commands) == [
        ("torch-2.10.0", "install", False), ("torch-2.10.0", "wheel", False),
        ("torch-2.10.0", "uninstall", False), ("torch-2.10.0", "install", False),
    ]  # fmt: skip
    _, required, built, *_, (_, imported, _) = (words for words in commands)
    assert required[1][2:] == ["install", "setuptools>=70", "torchthaw[portable]", "numpy"]
    assert "--no-build-isolation" in built[1] and "PYTHONPATH" not in built[2]
    assert imported[-1:] == ["halves"] and "import" in imported[2]


@pytest.mark.parametrize("words", [["pytest", "-q"], ["--", "pytest", "-q"]])
def test_the_command_runs_in_the_copy(ran, words):
    *_, (_, arguments, env) = ran("--torch", "2.10.0", "--python", "3.11", *words)
    assert arguments == ["-q"] and "torch-2.10.0" in env["VIRTUAL_ENV"]


def test_run_builds_with_this_torchthaw_alone(ran):
    commands = ran("--torch", "2.10.0", "--python", "3.11", "--run")
    assert [by_run for _, what, by_run in pips(commands) if what == "wheel"] == [True]
    (built,) = (each for each in commands if "wheel" in each[1])
    assert os.listdir(built[2]["PYTHONPATH"]) == ["torchthaw"] and "--portable" not in built[1]
    (required,) = (words for _, words, _ in commands if "numpy" in words)
    assert required[2:] == ["install", "setuptools>=70", "numpy"]


def test_one_portable_wheel_is_built_beside_the_newest_and_installed_everywhere(ran):
    words = "--portable", "--python", "3.11", "--torch", "2.4.1,newest,2.10.0"
    commands = ran(*words)
    assert [each for each in pips(commands) if each[1] == "wheel"] == [("torch-newest", "wheel", True)]
    installed = [
        (place, words[-1]) for place, words, _ in commands if words[2:3] == ["install"] and "numpy" not in words
    ]
    assert [place.split("-")[1] for place, _ in installed] == ["newest", "2.10.0", "2.4.1"]
    assert len({str(wheel) for _, wheel in installed}) == 1
    assert pips(ran(*words)) == []  # what there is a result of
    assert len([each for each in pips(ran(*words, "--again")) if each[1] == "wheel"]) == 1


def test_the_wheel_is_there_for_a_check_that_another_row_would_have_built(ran):
    """The first row of the second check is kept, and had the wheel of the newest; another source has another wheel."""
    ran("--portable", "--python", "3.11", "--torch", "2.10.0,newest")
    commands = ran("--portable", "--python", "3.11", "--torch", "2.10.0,2.4.1")
    assert pips(commands)[-1] == ("torch-2.4.1", "install", False) and "wheel" not in [
        what for _, what, _ in pips(commands)
    ]
    Path("new.py").write_text("1\n")
    assert ("torch-2.4.1", "wheel", True) in pips(ran("--portable", "--python", "3.11", "--torch", "2.4.1"))


def test_a_portable_wheel_that_cannot_be_built_is_tried_once(ran, monkeypatch, capsys):
    run = steps.run

    def fails(words, *arguments, **options):
        found = run(words, *arguments, **options)
        if "wheel" in words:
            Path(words[words.index("--wheel-dir") + 1], "halves-1.0-py3-none-any.whl").unlink()
            raise steps.StepError("planted")
        return found

    monkeypatch.setattr(steps, "run", fails)
    commands = ran("--portable", "--python", "3.11", "--torch", "newest,2.4.1", status=1)
    assert [what for _, what, _ in pips(commands)] == ["install", "wheel"]
    first, second = capsys.readouterr().out.splitlines()[1:3]
    assert first.endswith("planted") and "wheel" in second


def test_a_failure_of_one_builder_says_nothing_of_another(ran, monkeypatch):
    """PyTorch 2.4.1 builds no wheel for all; beside 2.10.0, which does, its row is run again."""
    run = steps.run

    def fails(words, *arguments, **options):
        found = run(words, *arguments, **options)
        if "wheel" in words and "torch-2.4.1" in str(words[0]):
            Path(words[words.index("--wheel-dir") + 1], "halves-1.0-py3-none-any.whl").unlink()
            raise steps.StepError("planted")
        return found

    monkeypatch.setattr(steps, "run", fails)
    ran("--portable", "--python", "3.11", "--torch", "2.4.1", status=1)
    assert pips(ran("--portable", "--python", "3.11", "--torch", "2.4.1", status=1)) == []
    commands = ran("--portable", "--python", "3.11", "--torch", "2.4.1,2.10.0")
    assert ("torch-2.10.0", "wheel", True) in pips(commands) and pips(commands)[-1] == ("torch-2.4.1", "install", False)


def test_what_torchthaw_needs_is_as_its_package_says():
    text = (ROOT / "pyproject.toml").read_text()
    assert all(f'"{package}"' in text for package in cells.OWN_PACKAGES)


def test_the_wheel_of_a_row_that_is_kept_is_there_for_another(ran):
    ran("--portable", "--python", "3.11", "--torch", "2.10.0")
    assert [what for _, what, _ in pips(ran("--portable", "--python", "3.11", "--torch", "2.4.1,2.10.0"))] == [
        "uninstall", "install",
    ]  # fmt: skip


# ---- environments and tables -----------------------------------------------------------------------------------------


def whole(folder, torch="2.10.0"):
    """The Environment of a folder that has what a whole one has."""
    made = environments.Environment(folder, torch, "3.11", None, ())
    made.executable.parent.mkdir(parents=True, exist_ok=True)
    made.executable.touch()
    made.stamp.write_text(json.dumps({"torch": "2.10.0", "python": "3.11.7", "asked": [torch, "3.11", None]}))
    return made


def test_an_environment_is_used_again_while_it_is_what_was_asked_for(tmp_path):
    made = whole(tmp_path)
    assert made.facts["torch"] == "2.10.0"
    assert not environments.Environment(tmp_path, "2.10.0", "3.11", "https://other", ()).facts
    assert not environments.Environment(tmp_path, "2.10.0", "3.11", None, ("numpy",)).facts
    made.executable.unlink()
    assert not made.facts


def test_the_newest_is_asked_for_again_after_a_day(tmp_path):
    made = whole(tmp_path, "newest")
    assert made.facts
    old = time.time() - 25 * 3600
    os.utime(made.stamp, (old, old))
    assert not made.facts
    whole(tmp_path)
    os.utime(made.stamp, (old, old))
    assert environments.Environment(tmp_path, "2.10.0", "3.11", None, ()).facts


def test_where_uv_cannot_install_pip_does(tmp_path, monkeypatch):
    calls = []

    def run(*words):
        calls.append([*map(str, words)])
        if words[0] == "/bin/uv":
            raise steps.StepError("no index")

    monkeypatch.setattr(environments.shutil, "which", lambda name: f"/bin/{name}")
    whole(tmp_path).install(run, ["torch"])
    assert [call[0] for call in calls] == ["/bin/uv", str(tmp_path / "bin" / "python")]
    assert calls[1][1:] == ["-m", "pip", "install", "torch"]


def test_processes_of_an_environment_see_its_programs_first_and_not_the_caller_s_modules(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "/caller")
    variables = whole(tmp_path).variables()
    assert variables["PATH"].startswith(f"{tmp_path}/bin:") and "PYTHONPATH" not in variables
    assert "PIP_CONSTRAINT" not in variables
    (tmp_path / "constraints.txt").write_text("torch==2.10.0\n")
    assert whole(tmp_path).variables()["PIP_CONSTRAINT"] == (tmp_path / "constraints.txt").as_uri()


ROWS = [
    Row("2.10.0", "3.10", "2.10.0+cpu", "3.10.13", "made", "passed", 12.3, "passed", 1.2),
    Row("newest", "3.11", "2.15.0", "3.11.7", "made", "failed", 3, error="a.cpp:1: error: a | b\x1b[2J", log="/log"),
]


def test_a_table_as_text():
    lines = tables.of(ROWS, "text").splitlines()
    assert lines[0].split() == ["torch", "Python", "environment", "build", "test", "first", "error"]
    assert lines[1].split() == ["2.10.0", "3.10.13", "made", "passed,", "12", "s", "passed,", "1", "s"]
    assert "2.15.0 (newest)" in lines[2] and lines[2].endswith("error: a | b\\x1b[2J")
    assert lines[-1].endswith("/log")


def test_a_table_as_markdown():
    lines = tables.of(ROWS, "markdown").splitlines()
    assert [line.replace("\\|", "").count("|") for line in lines] == [7] * 4 and "---" in lines[1]


def test_a_table_as_json_has_what_was_found():
    first, second = json.loads(tables.of(ROWS, "json"))
    assert first["torch_found"] == "2.10.0+cpu" and second["error"].startswith("a.cpp") and second["test"] == "not run"


def test_a_cell_without_a_wheel_of_pytorch_is_no_failure():
    assert not Row("2.4.1", "3.14", environment="no wheel").failed and ROWS[1].failed and not ROWS[0].failed
