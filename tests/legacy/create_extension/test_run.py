# tests/legacy/create_extension/test_run.py: the import finder, and the commands run, enable and disable.
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import torchthaw
from support.messages import names
from torchthaw.legacy.run import command_enable

SRC = Path(torchthaw.__file__).parents[1]
IMPORT = "from torch.utils.ffi import create_extension, _wrap_function"


def python(*arguments, **variables):
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, env={**os.environ, **variables})


def test_a_second_install_changes_nothing():
    code = "import sys, torchthaw.legacy as old; old.install(); before = [*sys.meta_path]; old.install(); "
    code += "print(before == sys.meta_path, 'torch' in sys.modules, 'cffi' in sys.modules)"
    result = python("-c", code, PYTHONPATH=str(SRC))
    assert result.stdout.split() == ["True", "False", "False"], result.stderr


@pytest.mark.slow
def test_run_reaches_the_script_and_its_children(tmp_path):
    script = tmp_path / "build.py"
    script.write_text(
        f"{IMPORT}\nimport subprocess, sys, os\n"
        f"subprocess.run([sys.executable, '-c', '{IMPORT}; print(1)'], check=True)\n"
        "print(sys.argv[1:], __name__, sys.path[0] == os.path.dirname(__file__))\n"
        "subprocess.run('echo \"#include <TH/TH.h>\" | gcc -fsyntax-only -xc - && echo found', shell=True)\n"
    )
    result = python("-u", "-m", "torchthaw", "run", str(script), "--flag", "2", PYTHONPATH=str(SRC))
    assert result.stdout.splitlines() == ["1", "['--flag', '2'] __main__ True", "found"], result.stderr


TELL = f"{IMPORT}; import sys; print(sys.argv, repr(sys.path[0]), sys.flags.optimize)"


@pytest.mark.slow
@pytest.mark.parametrize("words, given, argv", [
    (["-c", TELL, "--flag", "-c", "two words"], "", ["-c", "--flag", "-c", "two words"]),
    (["-", "-u", "two words"], TELL, ["-", "-u", "two words"]),
], ids=["-c", "-"])  # fmt: skip
def test_run_of_code(tmp_path, words, given, argv):
    """The arguments, the search path and the exit status are what python itself gives the code."""
    command = [sys.executable, "-O", "-m", "torchthaw", "run", *words]
    environment = {**os.environ, "PYTHONPATH": str(SRC)}
    result = subprocess.run(command, cwd=tmp_path, input=given, capture_output=True, text=True, env=environment)
    assert result.stdout == f"{argv} '' 1\n", result.stderr
    failing = [sys.executable, "-m", "torchthaw", "run", "-c", "raise SystemExit(3)"]
    assert subprocess.run(failing, cwd=tmp_path, env=environment).returncode == 3


@pytest.mark.slow
def test_run_keeps_the_sitecustomize_of_the_environment(tmp_path):
    """Python imports one only, and that of torchthaw stands before it."""
    (tmp_path / "sitecustomize.py").write_text("import builtins\nbuiltins.customized = 'by its own'\n")
    paths = os.pathsep.join([str(SRC), str(tmp_path)])
    result = python("-m", "torchthaw", "run", "-c", f"{IMPORT}; print(customized)", PYTHONPATH=paths)
    assert result.stdout == "by its own\n", result.stderr


@pytest.mark.slow
def test_run_of_a_shell_script(tmp_path):
    script = tmp_path / "make.sh"
    script.write_text(f"python -c '{IMPORT}; import sys; print(sys.executable)'\necho \"$1\"\nexit 3\n")
    result = python("-m", "torchthaw", "run", str(script), "two words", PYTHONPATH=str(SRC), PATH=os.defpath)
    assert result.returncode == 3, result.stderr
    assert result.stdout.splitlines() == [os.path.join(os.path.dirname(sys.executable), "python"), "two words"]


def test_run_without_the_file():
    result = python("-m", "torchthaw", "run", "absent.py", PYTHONPATH=str(SRC))
    assert result.returncode == 1 and re.search(names("Python", "shell", "'absent.py'"), result.stderr)


@pytest.mark.parametrize("words, message", [
    ([], names("FILE", "-m", "-c", "-", "nothing")),
    (["-m"], names("-m", "module", "nothing")),
    (["-c"], names("-c", "code", "nothing")),
    (["-x", "build.py"], names("FILE", "-m", "-c", "'-x'", "options", "torchthaw")),
])  # fmt: skip
def test_run_names_what_is_missing(words, message):
    result = python("-m", "torchthaw", "run", *words, PYTHONPATH=str(SRC))
    assert result.returncode == 2 and re.search(message, result.stderr.splitlines()[-1])


def test_help_says_what_may_be_left_out():
    printed = python("-m", "torchthaw", "run", "--help", PYTHONPATH=str(SRC)).stdout
    for form in ("FILE", "-m MODULE", "-c CODE", "-", "pip", "python"):
        assert f"run {form} [ARGUMENT ...]" in printed


# The script is Python's own business


@pytest.fixture
def run(tmp_path):
    """A function: `python -m torchthaw run WORDS…` in a folder with these files; the finished process."""

    def run(*words, files=(), **variables):
        for name, text in dict(files).items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        environment = {**os.environ, "PYTHONPATH": str(SRC), "TORCHTHAW_CACHE": str(tmp_path / "cache"), **variables}
        command = [sys.executable, "-m", "torchthaw", "run", *words]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=environment)

    return run


MM = "import torch\n\ndef product():\n    return torch.mm(torch.ones(2), torch.ones(2))\n\nproduct()\n"


@pytest.mark.parametrize("source, error", [
    (MM, "self must be a matrix"),
    ("open('absent')\n", "FileNotFoundError: [Errno 2] No such file or directory: 'absent'"),
    ("1 +\n", "SyntaxError: invalid syntax"),
], ids=["mm", "open", "syntax"])  # fmt: skip
def test_a_failing_script_has_the_traceback_of_python(run, tmp_path, source, error):
    result = run("failing.py", files={"failing.py": source})
    plain = subprocess.run([sys.executable, "failing.py"], cwd=tmp_path, capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (1, plain.stderr)
    assert error in result.stderr.splitlines()[-1] and 'failing.py", line' in result.stderr
    assert "torchthaw" not in result.stderr and "runpy" not in result.stderr


@pytest.mark.parametrize("source, code, printed", [
    ("raise SystemExit(7)", 7, ""), ("raise SystemExit", 0, ""), ("raise SystemExit('why')", 1, "why\n"),
    ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", -signal.SIGTERM, ""),
])  # fmt: skip
def test_exit_codes_pass(run, source, code, printed):
    result = run("leave.py", files={"leave.py": source})
    assert (result.returncode, result.stderr) == (code, printed)


@pytest.mark.parametrize("words, source", [
    (["wait.py"], "import time\nprint('ready', flush=True)\ntime.sleep(60)\n"),
    (["wait.sh"], "echo ready\nexec sleep 60\n"),
])  # fmt: skip
def test_an_interrupt_passes(tmp_path, words, source):
    (tmp_path / words[0]).write_text(source)
    # A shell that runs the tests in the background has them ignore the signal, and so does what they start.
    listening = (
        "import os, signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "os.execv(sys.argv[1], sys.argv[1:])"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", listening, sys.executable, "-m", "torchthaw", "run", *words], cwd=tmp_path,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(SRC)},
    )  # fmt: skip
    with process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        printed = process.communicate(timeout=60)[1]
    assert process.returncode == -signal.SIGINT
    assert "torchthaw" not in printed and printed.count("Traceback") == words[0].count(".py")


# Modules


PACKAGE = {"tool/__init__.py": "", "tool/__main__.py": f"{IMPORT}\nimport sys\nprint(__package__, sys.argv[1:])\n"}


@pytest.mark.slow
def test_run_of_a_package(run):
    result = run("-m", "tool", "--version", "-m", "x", "--", files=PACKAGE)
    assert result.stdout == "tool ['--version', '-m', 'x', '--']\n", result.stderr


CASE = f"""
import unittest

class Case(unittest.TestCase):
    def test_import(self):
        {IMPORT}
"""


@pytest.mark.slow
@pytest.mark.parametrize("words, printed", [
    (["unittest", "-v", "test_case"], "Ran 1 test"), (["pytest", "-q", "-p", "no:cacheprovider"], "1 passed"),
])  # fmt: skip
def test_run_of_a_test_runner(run, words, printed):
    result = run("-m", *words, files={"test_case.py": CASE})
    assert result.returncode == 0 and printed in result.stdout + result.stderr, result.stderr


@pytest.mark.slow
def test_options_of_python_pass(run, tmp_path):
    """Whatever stands before -m torchthaw is Python's: here -W, and -m cProfile, which profiles the script."""
    (tmp_path / "warn.py").write_text("import sys, warnings\nprint(sys.warnoptions)\nwarnings.warn('w')\n")
    environment = {**os.environ, "PYTHONPATH": str(SRC), "TORCHTHAW_CACHE": str(tmp_path / "cache")}
    command = [sys.executable, "-W", "error", "-m", "torchthaw", "run", "warn.py"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=environment)
    assert result.stdout == "['error']\n" and "UserWarning: w" in result.stderr and result.returncode == 1
    command = [sys.executable, "-m", "cProfile", "-m", "torchthaw", "run", "warn.py"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=environment)
    assert "warn.py" in result.stdout and "cumtime" in result.stdout, result.stderr


@pytest.mark.parametrize("option", ["-E", "-S"])
def test_a_python_that_would_not_see_the_finder_is_named(tmp_path, option):
    (tmp_path / "build.py").write_text("")
    code = "import sys; sys.path.insert(0, sys.argv.pop(1)); sys.path += sys.argv.pop(1).split(':')\n"
    code += "from torchthaw.cli import main; sys.exit(main())"
    words = [sys.executable, option, "-c", code, str(SRC), ":".join(sys.path), "run", "build.py"]
    result = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert result.returncode == 1
    assert re.search(names("run", "Python", "PYTHONPATH", "site"), result.stderr)


# Kinds of scripts


SEEN = "import sys; assert 'torchthaw.legacy.run.finder' in sys.modules"
SHELL = f'echo "$1" "${{BASH_VERSION:+bash}}"; python -c "{SEEN}; print(1)"\n'
PYTHON = f"{SEEN}\nprint(sys.argv[1], sys.flags.optimize)\n"


@pytest.mark.parametrize("name, source, expected", [
    ("make.bash", SHELL, "two words bash\n1\n"),
    ("make", "#!/bin/sh\n" + SHELL, "two words bash\n1\n"),
    ("configure", "#! /bin/bash\n" + SHELL, "two words bash\n1\n"),
    ("install", "#!/usr/bin/env bash\n" + SHELL, "two words bash\n1\n"),
    ("strict.sh", "#!/bin/sh -e\nfalse\necho on\n", ""),
    ("build", "#!/usr/bin/python\n" + PYTHON, "two words 0\n"),
    ("build2", "#!/usr/bin/env python2.7\n" + PYTHON, "two words 0\n"),
    ("build3", "#!/usr/bin/env -S python3 -O\n" + PYTHON, "two words 1\n"),
    ("plain", PYTHON, "two words 0\n"),
    ("build.py", "#!/bin/sh\n" + PYTHON, "two words 0\n"),
    ("all.mk", "#!/usr/bin/env -S make -f\n%:\n\t@python -c \"" + SEEN + "; print(1)\"\n", "1\n"),
])  # fmt: skip
def test_the_first_line_says_what_runs_it(run, name, source, expected):
    if shutil.which("bash") is None or name == "all.mk" and shutil.which("make") is None:
        pytest.skip("no bash, or no make")
    result = run(name, "two words", files={name: source})
    assert result.stdout == expected, result.stderr
    assert result.returncode == (1 if name == "strict.sh" else 0)


def test_an_interpreter_that_is_not_there_is_named(run):
    result = run("build", files={"build": "#!/no/such/interpreter\n"})
    assert result.returncode == 1
    assert re.fullmatch(names("torchthaw", "build", "'/no/such/interpreter'") + ".*\n", result.stderr)


@pytest.mark.slow
def test_a_path_with_a_quote(run):
    """From the script to the headers that the generated C file includes."""
    files = {
        'a "b" é/twice.h': "#include <stdint.h>\nint twice(int value);\n",
        'a "b" é/twice.c': '#include "twice.h"\nint twice(int value) { return 2 * value; }\n',
        'a "b" é/build.py': f"{IMPORT}\nimport torchthaw\nfiles = 'twice.h', ['twice.c']\n"
        "create_extension('old', *files, relative_to=__file__).build()\n"
        "torchthaw.create_extension('new', *files, relative_to=__file__).build()\n"
        "import old, new\nprint(old.twice(2), new.twice(3))\n",
    }
    result = run('a "b" é/build.py', files=files)
    assert result.stdout.splitlines()[-1:] == ["4 6"], result.stderr


@pytest.mark.slow
def test_a_cache_that_cannot_be_written_is_named(run, tmp_path):
    """A script that builds nothing runs all the same; one that builds leaves nothing behind."""
    (tmp_path / "file").touch()
    files = {"build.py": f"{IMPORT}\nprint('begun', flush=True)\ncreate_extension('x.y', [], []).build()\n"}
    result = run("build.py", files=files, TORCHTHAW_CACHE=str(tmp_path / "file" / "cache"))
    named = "TORCHTHAW_CACHE", "folder", f"{tmp_path}/file/cache"
    assert result.stdout == "begun\n" and re.match(names("torchthaw", "run", *named), result.stderr)
    assert re.search(names("NotADirectoryError", *named), result.stderr.splitlines()[-1]), result.stderr
    assert not (tmp_path / "x").exists()


@pytest.mark.slow
def test_max_jobs_that_is_no_number_leaves_nothing_behind(run, tmp_path):
    files = {"build.py": f"{IMPORT}\ncreate_extension('x.y', [], []).build()\n"}
    result = run("build.py", files=files, MAX_JOBS="abc")
    assert re.search(names("ValueError", "MAX_JOBS", "'abc'"), result.stderr.splitlines()[-1])
    assert not (tmp_path / "x").exists()


@pytest.mark.slow
def test_enable_and_disable(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(command_enable.sysconfig, "get_path", lambda name: str(tmp_path))
    command_enable.enable()
    code = f"import site, sys; site.addsitedir({str(tmp_path)!r}); assert 'torch' not in sys.modules\n{IMPORT}"
    assert python("-c", code).returncode == 0
    command_enable.disable()
    assert list(tmp_path.iterdir()) == []
    assert "No module named 'torch.utils.ffi'" in python("-c", code).stderr


OLD_FUNCTION = """
import torch
from torch.autograd import Function, Variable

class Double(Function):
    def forward(self, x):
        return x * 2

    def backward(self, gradient):
        return gradient * 2

x = Variable(torch.ones(2), requires_grad=True)
Double()(x).sum().backward()
print(x.grad.tolist())
"""


@pytest.mark.slow
def test_old_functions_work_where_nobody_imports_torch_utils_ffi(tmp_path):
    """As in a project of torch.utils.cpp_extension. Without run, PyTorch is as it is."""
    script = tmp_path / "old.py"
    script.write_text(OLD_FUNCTION)
    result = python("-m", "torchthaw", "run", str(script), PYTHONPATH=str(SRC))
    assert result.stdout == "[2.0, 2.0]\n", result.stderr
    plain = python("-c", f"import torchthaw\n{OLD_FUNCTION}", PYTHONPATH=str(SRC))
    assert "Legacy autograd function" in plain.stderr
