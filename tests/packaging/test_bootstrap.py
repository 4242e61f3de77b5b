# tests/packaging/test_bootstrap.py: what a fresh machine sees: one line for what it lacks, else the right packages in
# order.
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support import ROOT

TOOLS = ["sh", "dirname", "uname", "cat", "head", "grep", "sed", "mktemp", "rm", "ln"]

# Stands for the venv module and for the environment it makes: logs the calls of pip, which fail if a test asks for it.
FAKE_VENV = """
import pathlib, sys
if __name__ == "__main__":
    environment = pathlib.Path(sys.argv[-1])
    (environment / "bin").mkdir(parents=True, exist_ok=True)
    (environment / f"lib/python3.{sys.version_info[1]}/site-packages").mkdir(parents=True, exist_ok=True)
    with open("log", "a") as log: print("venv", *sys.argv[1:], file=log)
    python = environment / "bin" / "python"
    python.write_text('''#!/bin/sh
case "$*" in
    *"import torch"*) [ -e torch-is-there ] ;;
    "-m pip"*--ignore-installed*) echo "$@" >> log ;;
    "-m compileall"*) echo "$@" > compiled ;;
    "-m pip"*) echo "$@" >> log; [ ! -e pip-fails ] || exit 1; cd "$(dirname "$0")"; ln -sf python cmake; ln -sf python ninja ;;
esac
''')
    python.chmod(0o755)
"""


class Machine:
    """A checkout with nothing but .ci/, and a PATH that holds what a test puts there."""

    def __init__(self, folder):
        self.checkout = folder / "checkout"
        self.bin = folder / "bin"
        self.shims = folder / "shims"
        for path in (self.checkout, self.bin, self.shims):
            path.mkdir()
        shutil.copytree(ROOT / ".ci", self.checkout / ".ci")
        for tool in TOOLS:
            self.command(tool, f'exec {shutil.which(tool)} "$@"')
        for compiler in ("cc", "c++"):
            self.command(compiler, f'PATH={os.environ["PATH"]} exec {shutil.which(compiler)} "$@"')
        self.command("python3", f'PYTHONPATH={self.shims} exec {sys.executable} "$@"')
        self.module("venv", FAKE_VENV)
        self.module("torch", "raise ImportError")

    def command(self, name, script):
        path = self.bin / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def module(self, name, text):
        (self.shims / f"{name}.py").write_text(text)

    def bootstrap(self, level="demo", **environment):
        return subprocess.run(
            ["/bin/sh", str(self.checkout / ".ci" / "bootstrap"), level],
            cwd=self.checkout,
            capture_output=True,
            text=True,
            timeout=60,
            env={"PATH": str(self.bin), "HOME": str(self.checkout), **environment},
        )

    def log(self):
        """The calls made since the last look, an environment's and pip's."""
        path = self.checkout / "log"
        lines = path.read_text().splitlines() if path.exists() else []
        path.unlink(missing_ok=True)
        return lines


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


def refused(result):
    """The one line that a refusal consists of."""
    assert result.returncode == 1, result.stderr
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("torchthaw: ")
    return line


def test_no_python(machine):
    (machine.bin / "python3").unlink()
    line = refused(machine.bootstrap())
    assert "needs Python 3.10 or newer (there is none on PATH)" in line
    assert "apt-get install python3 python3-venv python3-dev" in line


@pytest.mark.slow
def test_python_too_old_is_passed_over_for_a_newer_one(machine):
    machine.command("python3", "echo 3.9.2")
    assert "needs Python 3.10 or newer (python3 is 3.9.2)" in refused(machine.bootstrap())
    machine.command("python3.12", f'PYTHONPATH={machine.shims} exec {sys.executable} "$@"')
    result = machine.bootstrap()
    assert result.returncode == 0
    assert "making .venv with python3.12" in result.stderr


def test_named_python_does_not_run(machine):
    line = refused(machine.bootstrap(PYTHON="python3.77"))
    assert "PYTHON=python3.77 does not run" in line


def test_free_threaded_python(machine):
    machine.module("sitecustomize", "import sysconfig; sysconfig.get_config_var = {'Py_GIL_DISABLED': 1}.get")
    assert "free-threaded" in refused(machine.bootstrap())


def test_no_venv_module(machine):
    machine.module("venv", "raise ImportError")
    line = refused(machine.bootstrap())
    assert "lacks its venv module; get it: apt-get install python3.{}-venv".format(sys.version_info.minor) in line


def test_no_ensurepip_as_on_debian(machine):
    machine.module("ensurepip", "raise ImportError")
    assert "lacks its venv module" in refused(machine.bootstrap())


def test_no_python_header(machine):
    machine.module("sitecustomize", f"import sysconfig; sysconfig.get_path = lambda name: '{machine.shims}'")
    line = refused(machine.bootstrap())
    assert "lacks Python.h; get it: apt-get install python3.{}-dev".format(sys.version_info.minor) in line


@pytest.mark.parametrize("compiler, what", [("cc", "no C compiler"), ("c++", "no C++ compiler")])
def test_no_compiler(machine, compiler, what):
    (machine.bin / compiler).unlink()
    line = refused(machine.bootstrap())
    assert what in line and "apt-get install" in line
    assert not (machine.checkout / ".venv").exists()


def test_compiler_without_its_headers(machine):
    machine.command("c++", "echo 'fatal error: string_view: No such file' >&2; exit 1")
    line = refused(machine.bootstrap())
    assert "c++ cannot build an empty C++17 program (fatal error: string_view: No such file)" in line


@pytest.mark.slow
def test_compiler_named_in_the_environment(machine):
    assert "no C compiler (missing-cc)" in refused(machine.bootstrap(CC="missing-cc"))
    machine.command("launcher", 'echo "$@" >> launched; exec "$@"')
    assert machine.bootstrap(CC="launcher cc").returncode == 0
    assert (machine.checkout / "launched").read_text().startswith("cc -std=c99")


def test_other_systems_are_told(machine):
    machine.command("uname", "[ $1 = -s ] && echo Darwin || echo arm64")
    assert refused(machine.bootstrap()).endswith("this is Darwin on arm64")


def test_exact_torch_comes_first_then_the_pins(machine):
    assert machine.bootstrap().returncode == 0
    venv, torch, packages = machine.log()
    assert venv == "venv --clear .venv"
    assert torch.endswith("-r .ci/requirements/torch.txt") and "--index-url" not in torch
    assert packages.endswith("--require-hashes -r .ci/requirements/locked/demo.txt")
    pins = (ROOT / ".ci/requirements/torch.txt").read_text().splitlines()
    assert [line for line in pins if not line.startswith("#")] == ["torch==2.13.0"]


def test_modules_are_compiled_on_all_cores(machine):
    """After pip, which would take one; PYTHONDONTWRITEBYTECODE does not keep it from that."""
    assert machine.bootstrap().returncode == 0
    assert [line for line in machine.log() if line.startswith("-m pip") and "--no-compile" not in line] == []
    assert (machine.checkout / "compiled").read_text() == "-m compileall -q -j 0 .venv/lib\n"


@pytest.mark.slow
def test_torch_index_serves_torch_alone(machine):
    machine.bootstrap(TORCH_INDEX="https://index.example/cpu")
    _, torch, packages = machine.log()
    assert "--index-url https://index.example/cpu" in torch
    assert "--index-url" not in packages


@pytest.mark.slow
@pytest.mark.parametrize(
    "version, reused", [("2.4.0", True), ("2.10.1+cpu", True), ("2.3.1", False), ("1.13.0", False)]
)
def test_importable_torch_is_reused_from_2_4_on(machine, version, reused):
    machine.module("torch", f"__version__ = '{version}'")
    if reused:
        (machine.checkout / "torch-is-there").touch()
    assert machine.bootstrap().returncode == 0
    log = machine.log()
    assert ("--system-site-packages" in log[0]) == reused
    assert any("torch.txt" in line for line in log) != reused


@pytest.mark.slow
def test_build_tools_of_an_outer_environment_are_installed_all_the_same(machine):
    machine.command("ln", "exit 0")  # pip finds them there, so .venv/bin has none
    assert machine.bootstrap().returncode == 0
    tools = machine.log()[-1]
    assert "--require-hashes --ignore-installed --no-deps -r .venv/build-tools.txt" in tools
    names = [line.split("==")[0] for line in (machine.checkout / ".venv/build-tools.txt").open() if "==" in line]
    assert names == ["cmake", "ninja"]


@pytest.mark.slow
def test_torch_of_an_outer_environment_is_reached(machine):
    machine.module("torch", "__version__ = '2.13.0'")
    machine.module("sitecustomize", "import sys; sys.prefix, sys.base_prefix = '/outer', '/usr'")
    assert machine.bootstrap().returncode == 0
    (pth,) = machine.checkout.glob(".venv/lib/python3.*/site-packages/outer_environment.pth")
    assert "site-packages" in pth.read_text()
    machine.module("sitecustomize", "import sys; sys.prefix = sys.base_prefix")
    (machine.checkout / ".venv" / "bin" / "python").unlink()
    assert machine.bootstrap().returncode == 0
    assert pth.read_text() == ""


def path_of_torchthaw(machine):
    """Where a Python with the site-packages of .venv, in another folder, finds torchthaw; none of its own helps it."""
    (packages,) = machine.checkout.glob(".venv/lib/python3.*/site-packages")
    code = f"import site; site.addsitedir({str(packages)!r}); import torchthaw; print(torchthaw.__path__[0])"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], cwd="/", capture_output=True, text=True)
    return Path(done.stdout.rstrip()) if done.returncode == 0 else done.stderr


@pytest.mark.slow
def test_torchthaw_is_importable_from_any_folder(machine):
    package = machine.checkout / "src" / "torchthaw"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    machine.bootstrap()
    assert path_of_torchthaw(machine) == package
    machine.log()
    (pth,) = machine.checkout.glob(".venv/lib/python3.*/site-packages/torchthaw-checkout.pth")
    pth.unlink()  # as in an environment that an earlier torchthaw made
    assert "No module named 'torchthaw'" in path_of_torchthaw(machine)
    assert machine.bootstrap().returncode == 0
    assert path_of_torchthaw(machine) == package and machine.log() == []


@pytest.mark.slow
def test_nothing_is_done_twice(machine):
    machine.bootstrap("test")
    assert len(machine.log()) == 3
    for level in ("test", "demo"):
        result = machine.bootstrap(level)
        assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
        assert machine.log() == []


@pytest.mark.slow
def test_changed_pins_are_installed_into_the_same_environment(machine):
    machine.bootstrap()
    machine.log()
    (machine.checkout / "torch-is-there").touch()
    with open(machine.checkout / ".ci/requirements/locked/demo.txt", "a") as pins:
        pins.write("six==1.17.0\n")
    assert machine.bootstrap().returncode == 0
    (packages,) = machine.log()
    assert "demo.txt" in packages


@pytest.mark.slow
@pytest.mark.parametrize("level", ["docs", "lint"])
def test_the_site_and_the_linters_have_an_environment_each(machine, level):
    """Neither torch nor the tests' packages come into it, and the tests' environment is not touched."""
    machine.module("torch", "__version__ = '2.13.0'")
    assert machine.bootstrap(level).returncode == 0
    venv, packages = machine.log()
    assert venv == f"venv --clear .venv-{level}" and packages.endswith(f"-r .ci/requirements/locked/{level}.txt")
    (pth,) = machine.checkout.glob(f".venv-{level}/lib/python3.*/site-packages/torchthaw-checkout.pth")
    assert (
        pth.read_text() == f"{machine.checkout}/src\n{machine.checkout}\n" and not (machine.checkout / ".venv").exists()
    )
    assert machine.bootstrap(level).stderr == "" and machine.log() == []
    machine.checkout = machine.checkout.rename(machine.checkout.with_name("moved"))
    machine.bootstrap(level)
    assert machine.log()[0] == f"venv --clear .venv-{level}"


@pytest.mark.slow
def test_moved_checkout_gets_a_new_environment(machine):
    machine.bootstrap()
    machine.log()
    machine.checkout = machine.checkout.rename(machine.checkout.with_name("moved"))
    assert machine.bootstrap().returncode == 0
    assert machine.log()[0].startswith("venv --clear")


@pytest.mark.slow
def test_failed_installation_is_tried_again(machine):
    (machine.checkout / "pip-fails").touch()
    result = machine.bootstrap()
    assert result.returncode == 1
    assert "torch==2.13.0 could not be installed (see above); another package index can be named" in result.stderr
    (machine.checkout / "pip-fails").unlink()
    machine.log()
    assert machine.bootstrap().returncode == 0
    assert len(machine.log()) == 2
    assert machine.bootstrap().stderr == ""


@pytest.mark.slow
def test_environment_that_make_did_not_make_is_kept(machine):
    machine.bootstrap()
    machine.log()
    (machine.checkout / ".venv" / ".pins-demo").unlink()
    assert machine.bootstrap().returncode == 0
    assert not any(line.startswith("venv") for line in machine.log())
