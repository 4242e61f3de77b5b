"""tests/packaging/test_config.py: the command line, the paths it prints, and what importing torchthaw does not do."""

import ctypes
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import torchthaw
from support import ROOT, SRC
from support.cuda_toolkit import toolkit_or_skip
from support.messages import names
from torchthaw.base import cache, config


def run(*arguments, code=0, **environment):
    result = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, cwd=ROOT, env={"PATH": "", **environment}
    )
    assert code is None or result.returncode == code, result.stderr
    return result


def command(*arguments, code=0):
    return run("-m", "torchthaw", *arguments, code=code)


def test_paths():
    options = ["--includes", "--my-lib-includes", "--libdir", "--libmy-lib", "--cmakedir"]
    includes, my_lib_includes, libdir, library, cmakedir = map(Path, command("config", *options).stdout.splitlines())
    assert (includes / "TH" / "TH.h").is_file() and (my_lib_includes / "my_lib.h").is_file()
    assert library.parent == libdir and ctypes.CDLL(str(library)).my_lib_abi_version() == 1
    assert (cmakedir / "torchthawConfig.cmake").is_file()


@pytest.mark.parametrize("option, functions", [
    ("--libmy-lib-cuda", ("my_lib_add_forward_cuda", "my_lib_cuda_prepare")), ("--libth", ("THFloatTensor_new",)),
    ("--libthc", ("THCudaTensor_new", "state")),
])  # fmt: skip
def test_paths_of_libraries(option, functions):
    if option != "--libth":
        toolkit_or_skip()
    library = ctypes.CDLL(command("config", option).stdout.rstrip())
    assert all(hasattr(library, name) for name in functions)


@pytest.mark.parametrize("name, command", [
    ("my_lib", "python ffi_build.py"), ("th", "make th"), ("thc", "make th` where nvcc is found"),
])  # fmt: skip
def test_a_library_that_is_not_there(monkeypatch, tmp_path, name, command):
    monkeypatch.setattr(config, "libdir", lambda: tmp_path)
    (tmp_path / config.BRIDGE).touch()
    with pytest.raises(FileNotFoundError, match=rf"lib{name}\.so\.1 does not exist; run `{command}"):
        config.library(name)


def test_a_source_tree_that_is_not_built_says_so(tmp_path):
    """As in src/ of a clone: Python imports what is in the current folder."""
    made = shutil.ignore_patterns("__pycache__")
    for name in ("src/torchthaw", "c_api/my_lib", "c_api/include"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=made)
    said = (
        f"torchthaw is imported from {tmp_path}, a source tree that is not built: run `make th` there, or start Python in "
        "another folder, where an installed torchthaw is found"
    )
    for words in (["-c", "import torchthaw.bridge"], ["-m", "torchthaw", "config", "--libth"]):
        done = subprocess.run([sys.executable, *words], cwd=tmp_path / "src", capture_output=True, text=True)
        assert done.returncode == 1 and done.stderr.splitlines()[-1].endswith(said), done.stderr


def test_a_reader_that_has_enough_is_no_error():
    """As head, which closes the pipe."""
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "torchthaw", "config", "--libth"], stdout=write, stderr=subprocess.PIPE
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (1, b"")


def test_config_without_options():
    assert "expected one or more of --includes, --my-lib-includes, --libdir" in command("config", code=2).stderr


def test_version_is_the_same_everywhere():
    assert command("--version").stdout == f"torchthaw {torchthaw.__version__}\n"
    header = (ROOT / "c_api" / "include" / "my_lib.h").read_text()
    assert ".".join(re.findall(r"#define MY_LIB_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header)) == torchthaw.__version__
    assert f"Version: {torchthaw.__version__}\n" in (ROOT / "build" / "c_api" / "th" / "th.pc").read_text()
    assert 'dynamic = ["version", "readme"]' in (ROOT / "pyproject.toml").read_text()  # test_wheel.py has what it reads


def test_help():
    shown = command("--help").stdout
    assert "config" in shown and "--version" in shown
    assert "--libmy-lib" in command("config", "--help").stdout


def test_no_command_lists_all():
    assert command(code=2).stderr == command("--help").stdout


@pytest.mark.slow
def test_help_of_each_command_says_what_it_does():
    found = re.findall(r"^    ([a-z]+)(?: |$)", command("--help").stdout, re.MULTILINE)
    assert {"config", "enable", "disable", "bindings", "nvcc", "run"} <= set(found)
    for name in found:
        shown = run("-m", "torchthaw", name, "--help", code=None).stdout  # nvcc's own may not be there
        usage, description = shown.split("\n\n")[:2]
        assert usage.startswith(f"usage: python -m torchthaw {name}")
        assert re.match(r"[A-Z]\w+s\b.*\.$", description, re.DOTALL), shown


def test_help_of_nvcc_is_the_launcher_s_then_nvcc_s(tmp_path):
    nvcc = tmp_path / "cuda" / "bin" / "nvcc"
    nvcc.parent.mkdir(parents=True)
    nvcc.write_text("#!/bin/sh\necho Cuda compilation tools, release 12.9, V12.9.41 of $1\n")
    nvcc.chmod(0o755)
    shown = run("-m", "torchthaw", "nvcc", "--help", CUDA_HOME=str(tmp_path / "cuda"), PATH="/usr/bin:/bin").stdout
    assert shown.startswith("usage: python -m torchthaw nvcc") and shown.endswith("V12.9.41 of --help\n")


def test_the_script_torchthaw_is_the_same():
    """What pip makes of [project.scripts], from any folder."""
    module, name = re.search(r'^torchthaw = "([\w.]+):(\w+)"$', (ROOT / "pyproject.toml").read_text(), re.M).groups()
    script = f"import sys; from {module} import {name}; sys.argv[:1] = ['/bin/torchthaw']; sys.exit({name}())"
    assert run("-c", script, "config", "--includes").stdout == command("config", "--includes").stdout
    assert run("-c", script, "config", "--help").stdout.startswith("usage: torchthaw config")


def test_import_brings_nothing_along():
    modules = "{'torch', 'cffi', 'ninja', 'setuptools', 'subprocess', 'argparse'}"
    source = f"import sys; import torchthaw; print(*{modules} & set(sys.modules))"
    assert run("-c", source).stdout.split() == []


def test_import_is_quick():
    """It reads one small file of ours, and nothing else that a Python without site-packages has not read."""
    source = (
        f"import sys, os; sys.path.insert(0, {str(SRC)!r}); before = {{*sys.modules}}; import torchthaw; "
        "print(*sorted({*sys.modules} - before))"
    )
    assert run("-I", "-S", "-c", source).stdout.split() == ["torchthaw"]


def test_free_threaded_python_gets_a_clear_error():
    result = run("-c", "import sys; sys.abiflags = 't'; import torchthaw", code=1)
    version = sys.version.split()[0]
    assert result.stderr.splitlines()[-1] == (
        f"ImportError: torchthaw needs CPython 3.10 or newer with the GIL: this free-threaded build ({version}t) "
        "has no limited API, for which torchthaw builds extensions"
    )


def test_unknown_attribute():
    with pytest.raises(AttributeError, match="module 'torchthaw' has no attribute 'nothing'"):
        torchthaw.nothing


def test_cache_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("TORCHTHAW_CACHE", str(tmp_path / "a"))
    assert cache.root() == tmp_path / "a"
    monkeypatch.delenv("TORCHTHAW_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "b"))
    assert cache.root() == tmp_path / "b" / "torchthaw"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache.root() == tmp_path / ".cache" / "torchthaw"


@pytest.mark.parametrize(
    "word, meant", [("doctr", "doctor"), ("modernise", "modernize"), ("enabel", "enable"), ("zzz", None)]
)
def test_an_unknown_command_has_a_suggestion(word, meant):
    said = command(word, "x", code=2).stderr.splitlines()[-1]
    assert re.search(names("COMMAND", "expected", "got", word), said)
    assert ("did you mean" in said) == bool(meant) and (meant is None or re.search(names(f"mean {meant}"), said))


@pytest.mark.parametrize("name", ["config", "enable", "disable", "doctor", "modernize", "bindings", "export"])
def test_an_unknown_option_shows_the_usage_of_its_command(name):
    words = {"modernize": ["x"], "bindings": ["rust", "x"], "export": ["jax", "x"]}.get(name, [])
    said = command(name, "--nope", *words, code=2).stderr
    assert said.startswith(f"usage: python -m torchthaw {name} ") and re.search(names("--nope"), said.splitlines()[-1])


@pytest.mark.parametrize("words", [("export", "onnxruntime"), ("export", "table"), ("bindings", "rust"), ("run",)])
@pytest.mark.parametrize("path, what", [("nope.h", "does not exist"), (os.sep, "regular file")])
def test_a_file_that_is_missing_is_named(words, path, what):
    said = command(*words, path, code=1).stderr
    assert said.count("\n") == 1 and re.search(names("expected", "got", what), said) and repr(path) in said


def test_the_help_names_what_the_commands_are_for():
    shown = " ".join(command("--help").stdout.split())
    assert re.search(names("C++", "CUDA", "torch.utils.cpp_extension", "torch.utils.ffi"), shown)
