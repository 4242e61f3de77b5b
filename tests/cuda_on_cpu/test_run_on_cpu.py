"""tests/cuda_on_cpu/test_run_on_cpu.py: the processes that `run` starts with TORCHTHAW_CUDA=cpu, and those of a check."""

import os
import re
import subprocess
import sys

import pytest

from support import SRC
from support.messages import names

FACTS = (
    "import ctypes, os, sys; print(hasattr(ctypes.CDLL(None), '__asan_init'), sys.flags.optimize, *sys.argv[1:], "
    "*(os.environ.get(name) for name in ('LD_PRELOAD', 'ASAN_OPTIONS')), sep='|')"
)


def run(*words, stdin="", cwd=None, **variables):
    given = {name: value for name, value in os.environ.items() if name not in ("LD_PRELOAD", "ASAN_OPTIONS")}
    return subprocess.run(
        [sys.executable, "-m", "torchthaw", "run", *map(str, words)], capture_output=True, text=True, input=stdin, cwd=cwd,
        env={**given, "PYTHONPATH": str(SRC), "TORCHTHAW_CUDA": "cpu", **variables},
    )  # fmt: skip


@pytest.mark.slow
def test_programs_find_the_toolkits_libraries_by_name():
    code = "import ctypes, os; ctypes.CDLL('libcublas.so.13').cublasCreate_v2; print(os.environ['LD_LIBRARY_PATH'])"
    once = run("-c", code, LD_LIBRARY_PATH="/some/folder")
    assert once.returncode == 0, once.stderr
    folder, given = once.stdout.strip().split(os.pathsep)
    assert given == "/some/folder" and os.path.exists(os.path.join(folder, "libcudart.so"))
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-m', 'torchthaw', 'run', '-c', {code!r}])"
    twice = run("-c", code, LD_LIBRARY_PATH="/some/folder")
    assert twice.stdout == once.stdout  # no folder two times


@pytest.mark.parametrize("given", ["", "-1", "3"])
def test_what_hides_cards_does_not_hide_the_device(given):
    made = run("-c", "import os; print(os.environ['CUDA_VISIBLE_DEVICES'])", CUDA_VISIBLE_DEVICES=given)
    assert made.stdout == "0\n", made.stderr


@pytest.mark.slow
@pytest.mark.parametrize("how", ["code", "file", "stdin", "shell"])
def test_python_of_a_check_has_the_sanitizer_and_its_own_arguments(how, tmp_path):
    (tmp_path / "facts.py").write_text(FACTS)
    (tmp_path / "facts.sh").write_text('cat - > /dev/null\npython facts.py "$@"\n')
    words, stdin = {
        "code": (["-c", FACTS], ""), "file": (["facts.py"], ""), "stdin": (["-"], FACTS), "shell": (["facts.sh"], "x"),
    }[how]  # fmt: skip
    made = run(*words, "a b", "-c", stdin=stdin, cwd=tmp_path, TORCHTHAW_CUDA_CHECK="1", PYTHONOPTIMIZE="1")
    assert made.stdout == "True|1|a b|-c|None|detect_leaks=0\n", made.stderr


@pytest.mark.slow
def test_what_was_preloaded_stays(tmp_path):
    (tmp_path / "other.c").write_text("int of_this_test;")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", "other.so", "other.c"], cwd=tmp_path, check=True)
    code = FACTS + "; ctypes.CDLL(None).of_this_test"
    given = {"LD_PRELOAD": str(tmp_path / "other.so"), "ASAN_OPTIONS": "exitcode=3"}
    made = run("-c", code, TORCHTHAW_CUDA_CHECK="1", **given)
    assert made.stdout == f"True|0|{given['LD_PRELOAD']}|detect_leaks=0:exitcode=3\n", made.stderr
    made = run("-c", code, **given)
    assert made.stdout == f"False|0|{given['LD_PRELOAD']}|exitcode=3\n", made.stderr


def test_a_compiler_without_the_sanitizer_is_named(tmp_path):
    compiler = tmp_path / "compiler"
    compiler.write_text("#!/bin/sh\necho ${1#*=}\n")
    compiler.chmod(0o755)
    made = run("-c", "pass", TORCHTHAW_CUDA_CHECK="1", CXX=str(compiler))
    assert made.returncode == 1
    for word in ("TORCHTHAW_CUDA_CHECK", "libasan", str(compiler)):
        assert word in made.stderr, made.stderr


@pytest.mark.parametrize("version, cuda, words", [
    ("2.7.0+cu118", "11.8", ["a PyTorch for CPUs", "2.7.0+cu118"]),
    ("2.4.0", None, ["PyTorch 2.7", "2.4.0"]),
])  # fmt: skip
def test_a_pytorch_that_cannot_have_the_device_is_one_line(version, cuda, words, tmp_path):
    torch, script = tmp_path / "packages" / "torch", tmp_path / "script.py"
    torch.mkdir(parents=True)
    (torch / "__init__.py").write_text("raise AssertionError('imported')\n")
    (torch / "version.py").write_text(f"__version__ = {version!r}\ncuda = {cuda!r}\nhip = None\n")
    script.write_text("import torch\n")
    result = run(script, PYTHONPATH=os.pathsep.join([str(torch.parent), str(SRC)]))
    (line,) = result.stderr.splitlines()
    assert result.returncode == 1 and re.search(names("TORCHTHAW_CUDA", *words), line), result
