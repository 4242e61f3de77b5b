"""tests/legacy/create_extension/test_run_same.py: what builds without `run` builds with it, and to the same thing."""

import os
import subprocess
import sys

import pytest

from support import SRC
from torchthaw.legacy.run import compiler_launchers

# As much of an nvcc as a build script asks.
NVCC = """#!/bin/sh
case "$*" in
*--version*) echo "Cuda compilation tools, release 13.0, V13.0.1" ;;
*--list-gpu-code*) printf 'sm_75\\nsm_80\\n' ;;
*--dryrun*) echo "#$ TOP={root}" >&2 ;;
*) echo called > called ;;
esac
"""
CHOICES = ("CUDA_HOME", "CUDA_PATH", "TORCH_CUDA_ARCH_LIST", "TORCHTHAW_BUILD_CUDA", "TORCHTHAW_CUDA", "CUDACXX")
CALLS = """
import subprocess
try:
    found = subprocess.call(["nvcc", "--version"]) == 0
except OSError:
    found = False
"""
# Expressions of build scripts, with what comes before them.
PROBES = {
    "call": (CALLS, "found"),
    "which": ("import shutil", "shutil.which('nvcc')"),
    "shell": ("import os", "os.system('command -v nvcc >/dev/null') == 0"),
    "CUDA_HOME": ("import os", "os.environ.get('CUDA_HOME')"),
    "CUDA_HOME of PyTorch": ("from torch.utils.cpp_extension import CUDA_HOME", "CUDA_HOME"),
    "is_available": ("import torch\nfrom setuptools import setup", "torch.cuda.is_available()"),
}
PROBES = {
    name: f"{before}\nopen('answer', 'w').write('CUDA' if {asked} else 'CPU')\n"
    for name, (before, asked) in PROBES.items()
}
PROBES["is_available"] += "def build(): setup()\n"  # it is a build script
SCRIPT = "echo {} > answer\n"


@pytest.fixture
def packages(tmp_path):
    """A folder of Python packages with an nvcc in nvidia's, as pip installs it, which is on no PATH."""
    root = tmp_path / "packages" / "nvidia" / "cu13"
    for folder in ("bin", "include", "lib"):
        (root / folder).mkdir(parents=True)
    (root / "bin" / "nvcc").write_text(NVCC.format(root=root))
    (root / "bin" / "nvcc").chmod(0o755)
    return tmp_path / "packages"


@pytest.fixture
def both(tmp_path, packages):
    """A function: (answer without `run`, answer with it) of a script that writes one."""
    project = tmp_path / "project"
    project.mkdir()

    def answer(words, given):
        environment = {name: value for name, value in os.environ.items() if name not in CHOICES}
        environment |= {"PATH": "/usr/bin:/bin", "TORCHTHAW_CACHE": str(tmp_path / "cache"), **given}
        environment["PYTHONPATH"] = os.pathsep.join([str(SRC), str(packages)])
        (project / "answer").unlink(missing_ok=True)
        done = subprocess.run(words, cwd=project, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return (project / "answer").read_text().strip()

    def run(name, text, **given):
        (project / name).write_text(text)
        plain = [sys.executable if name.endswith(".py") else "/bin/bash", name]
        return answer(plain, given), answer([sys.executable, "-m", "torchthaw", "run", name], given)

    return run


@pytest.mark.slow
@pytest.mark.parametrize("given", [{}, {"TORCHTHAW_BUILD_CUDA": "0"}, {"TORCHTHAW_NO_PATCH": "all"}], ids=str)
@pytest.mark.parametrize("probe", PROBES)
def test_a_build_script_that_asks_for_cuda_hears_the_same(both, probe, given):
    without, with_run = both("setup.py", PROBES[probe], **given)
    assert without == with_run


@pytest.mark.slow
@pytest.mark.parametrize("probe", ["call", "which", "shell"])
def test_an_nvcc_on_path_is_found_both_ways(both, packages, probe):
    path = f"{packages / 'nvidia' / 'cu13' / 'bin'}:/usr/bin:/bin"
    assert both("setup.py", PROBES[probe], PATH=path) == ("CUDA", "CUDA")


@pytest.mark.slow
@pytest.mark.parametrize("probe", ["call", "which", "CUDA_HOME", "CUDA_HOME of PyTorch", "is_available"])
def test_a_build_for_cuda_that_is_asked_for_finds_it(both, packages, probe):
    """PyTorch for CPUs has no CUDA_HOME of its own, whatever is set."""
    import torch

    expected = "CPU" if probe.endswith("PyTorch") and not torch.version.cuda else "CUDA"
    assert both("setup.py", PROBES[probe], TORCHTHAW_BUILD_CUDA="1")[1] == expected


@pytest.mark.slow
def test_cuda_home_asks_for_cuda_unless_the_switch_says_no(both, packages):
    home = str(packages / "nvidia" / "cu13")
    assert both("setup.py", PROBES["call"], CUDA_HOME=home)[1] == "CUDA"
    assert both("setup.py", PROBES["call"], CUDA_HOME=home, TORCHTHAW_BUILD_CUDA="0") == ("CPU", "CPU")


@pytest.mark.slow
@pytest.mark.parametrize("probe", [
    "if command -v nvcc >/dev/null; then nvcc -c x.cu; fi", "which nvcc && nvcc -c x.cu", "nvcc --version && A=CUDA",
    "if nvcc -c x.cu; then A=CUDA; fi", "nvcc -c x.cu || true", "hash nvcc 2>/dev/null && A=CUDA", "# nvcc -c x.cu",
    "echo with nvcc -c", "type -P nvcc > /dev/null && A=CUDA",
])  # fmt: skip
def test_a_shell_script_that_asks_for_nvcc_hears_the_same(both, probe):
    without, with_run = both("make.sh", f"A=CPU\n{probe}\n{SCRIPT.format('$A')}\ntrue")
    assert without == with_run == "CPU"


@pytest.mark.slow
@pytest.mark.parametrize("call", [
    "nvcc -c -o x.o x.cu -arch=sm_52", "cd . && nvcc -c x.cu", "  CC=g++ nvcc -c x.cu", "NVCC=nvcc\n$NVCC -c x.cu",
    "for f in x; do nvcc -c $f.cu; done",
])  # fmt: skip
def test_a_shell_script_that_calls_nvcc_finds_it(both, call):
    """Without `run` it stops there; here the end of the script says whether it did."""
    text = f"{call}\n{SCRIPT.format('$?')}"
    assert both("make.sh", text) == ("127", "0")


def test_what_names_torch_utils_ffi_builds_under_run_alone(both):
    text = "import shutil\nopen('answer', 'w').write(str(bool(shutil.which('nvcc'))))\n"
    assert both("build.py", "# from torch.utils.ffi import create_extension\n" + text) == ("False", "True")
    assert both("build.py", "# from torch.utils import ffi\n" + text) == ("False", "True")


@pytest.mark.parametrize("found", [False, True])
def test_cmake_is_pointed_at_a_toolkit_that_it_would_find(tmp_path, packages, monkeypatch, found):
    """Its modules look into the usual folder; the language CUDA asks PATH alone."""
    root = packages / "nvidia" / "cu13"
    for name in (*CHOICES, *compiler_launchers.OF_CMAKE):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setenv("TORCHTHAW_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(compiler_launchers, "USUAL", root if found else tmp_path / "none")
    monkeypatch.setattr(
        compiler_launchers.cuda, "toolkit", lambda: compiler_launchers.cuda.Toolkit(root / "bin" / "nvcc", root)
    )
    before = dict(os.environ)
    monkeypatch.setattr(os, "environ", environment := before.copy())
    compiler_launchers.put_in_place()
    assert (
        set(compiler_launchers.FOUND_BY_CMAKE) <= environment.keys()
        if found
        else not environment.keys() & compiler_launchers.OF_CMAKE
    )
    assert "CUDACXX" not in environment and environment["PATH"] == before["PATH"]
