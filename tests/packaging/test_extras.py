"""tests/packaging/test_extras.py: what torchthaw installs, and which extra installs the rest where a part of it is used."""

import os
import re
import subprocess
import sys

import pytest

from support import ROOT, SRC
from support.messages import names
from torchthaw.base import extras
from torchthaw.doctor import python2

TEXT = (ROOT / "pyproject.toml").read_text()


def packages_of(field):
    """The packages of a list in pyproject.toml."""
    return set(re.findall(r'"([\w.-]+(?:\[\w+\])?)', re.search(rf"^{field} = \[(.*)\]$", TEXT, re.MULTILINE)[1]))


@pytest.mark.parametrize("field, packages", [
    ("dependencies", {"cffi", "ninja"}),
    ("legacy", {"fissix", "scipy-openblas32"}),
    ("modernize", {"torchthaw[legacy]", "libcst", "setuptools", "tomlkit"}),
])  # fmt: skip
def test_what_is_installed(field, packages):
    assert packages_of(field) == packages


def test_a_package_that_is_there():
    assert extras.require("cffi", "legacy").__name__ == "cffi"


def test_a_missing_package_names_its_extra():
    with pytest.raises(
        ImportError, match=r"package nothing_here, found none; pip install 'torchthaw\[legacy\]'"
    ) as raised:
        extras.require("nothing_here", "legacy")
    assert raised.value.name == "nothing_here"


def test_a_broken_package_says_what_is_broken(tmp_path, monkeypatch):
    """As after an upgrade that left a package behind without one that it needs."""
    (tmp_path / "left_behind.py").write_text("import nothing_here\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ImportError, match=r"left_behind, .*'nothing_here'.* pip install 'torchthaw\[modernize\]'"):
        extras.require("left_behind", "modernize")


def test_python_2_without_fissix(monkeypatch):
    monkeypatch.setitem(sys.modules, "fissix", None)
    assert python2.translate("print 1\n") is None


def command(*words):
    """What the command line does where neither extra is installed."""
    hide = "import sys; sys.modules.update(fissix=None, libcst=None, tomlkit=None); import torchthaw.cli as cli; "
    return subprocess.run(
        [sys.executable, "-c", f"{hide}sys.exit(cli.main({words!r}))"], cwd=ROOT, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(SRC)},
    )  # fmt: skip


@pytest.mark.parametrize("options", [(), ("--json",), ("--diff",)])
def test_the_doctor_names_its_extra_where_python_2_is_read(options, tmp_path):
    """The rest is read without it: the Python 2 alone is listed as what Python 3 cannot parse."""
    done = command("doctor", "examples/legacy/script", *options)
    assert (done.returncode, done.stderr) == (0, "")
    (tmp_path / "a.py").write_text("print 1\n")
    (tmp_path / "a.cpp").write_text("int f();\n")
    done = command("doctor", str(tmp_path), *options)
    assert done.returncode == 1 or options == ("--diff",)
    assert re.search(names("fissix", "torchthaw[legacy]", "Python 2"), done.stderr) and done.stderr.count("\n") == 1


@pytest.mark.slow
def test_the_list_of_patches_needs_no_extra():
    done = command("doctor", "--patches")
    assert done.returncode == 0, done.stderr


def test_modernize_names_its_extra():
    done = command("modernize", "--check", "examples/legacy/script")
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert "pip install 'torchthaw[modernize]'" in done.stderr
