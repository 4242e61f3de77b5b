"""tests/support/modernize.py: runs modernize in this process on small projects, with stand-ins for what comes after."""

import json
import subprocess
import sys
import types
from typing import NamedTuple

import pytest

from torchthaw import modernize
from torchthaw.cli import main
from torchthaw.extension import cuda
from torchthaw.modernize.comparison import Comparison
from torchthaw.modernize.python import convert

HEADER = "int twice(THFloatTensor *input, THFloatTensor *output);\n"
SOURCE = """#include <TH/TH.h>

int twice(THFloatTensor *input, THFloatTensor *output)
{
  THFloatTensor_resizeAs(output, input);
  THFloatTensor_mul(output, input, 2);
  return 1;
}
"""
BUILD = """from torch.utils.ffi import create_extension

ffi = create_extension("_ext.twice", headers=["src/twice.h"], sources=["src/twice.c"], relative_to=__file__)
if __name__ == "__main__":
    ffi.build()
"""
FUNCTION = """from _ext import twice


def double(input):
    output = input.new()
    twice.twice(input, output)
    return output
"""
SCRIPT = {
    "build.py": BUILD, "src/twice.h": HEADER, "src/twice.c": SOURCE, "functions/__init__.py": "",
    "functions/double.py": FUNCTION,
}  # fmt: skip


def has_toolkit():
    try:
        cuda.toolkit()
    except FileNotFoundError:
        return False
    return True


@pytest.fixture
def parts(monkeypatch):
    """Stand-ins for the conversion of Python, the tests, the comparison and the hints: {name: module}."""
    made = {}
    for name, content in {
        "python": {"convert": convert}, "generated_tests": {"write": lambda result: []},
        "comparison": {"compare": lambda result: Comparison([])}, "replacements": {"hints": lambda result: []},
    }.items():  # fmt: skip
        made[name] = types.ModuleType(f"{modernize.__name__}.{name}")
        vars(made[name]).update(content)
        monkeypatch.setitem(sys.modules, made[name].__name__, made[name])
        monkeypatch.setattr(modernize, name, made[name], raising=False)
    return made


@pytest.fixture
def command(parts, capfd, tmp_path):
    """command(project, option, …) -> Done; the result is the folder ``result`` beside, unless --output is given."""

    def run(project, *options):
        options = [str(option) for option in options]
        if "--output" not in options and "--check" not in options:
            options += ["--output", str(tmp_path / "result")]
        status = main(["modernize", str(project), *options])
        return Done(status, *capfd.readouterr(), tmp_path / "result")

    return run


class Done(NamedTuple):
    status: int
    out: str
    err: str
    result: object

    @property
    def json(self):
        return json.loads(self.out)

    def remarks(self, rule):
        """[(path, line, message, kind)] of one rule, of --json."""
        return [
            (each["path"], each["line"], each["message"], each["kind"])
            for each in self.json["remarks"] if each["rule"] == rule
        ]  # fmt: skip


def write(folder, files):
    """Writes {path: text or bytes} below ``folder``."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def names(folder):
    """The relative paths of all files below ``folder``."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def state(folder):
    """What must not change of a project: names, kinds, contents, modes and times."""
    return {
        path.relative_to(folder).as_posix(): (
            path.lstat().st_mode, path.lstat().st_mtime_ns, path.read_bytes() if path.is_file() else None
        )
        for path in [folder, *folder.rglob("*")]
    }  # fmt: skip


def table(folder):
    """pyproject.toml as the tools read it."""
    tomllib = pytest.importorskip("tomllib")  # from Python 3.11 on
    return tomllib.loads((folder / "pyproject.toml").read_text())


def packages(folder):
    """What setuptools finds to put into a wheel: (packages, distribution name, version)."""
    code = (
        "import json, setuptools.dist as d, setuptools.config.pyprojecttoml as p; x = d.Distribution();"
        "x.parse_config_files(); print(json.dumps([sorted(x.packages), x.get_name(), x.get_version()]))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])
