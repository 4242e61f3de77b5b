"""tests/build/test_odd_folders.py: a folder, a cache and a HOME whose names are no UTF-8, in locales with and without it."""

import os
import subprocess
import sys

import pytest

from support import SRC

HEADER = "int twice(int value);\n"
SOURCE = '#include "twice.h"\n/* \u00fc */\nint twice(int value) { return 2 * value; }\n'
ARRAYS = "#include <torchthaw/annotate.h>\nvoid add(const float *x THAW_SHAPE(n), float *y THAW_SHAPE(n), int n);\n"
OLD = """
from torch.utils.ffi import create_extension
create_extension("_ext.old", "twice.h", ["twice.c"], relative_to=__file__, verbose=False).build()
from _ext import old
print(old.twice(4))
"""
COMMANDS = {
    "load": ["-c", "import torchthaw\nprint(torchthaw.load('twice', 'twice.c', 'twice.h').twice(4))"],
    "load_inline": ["-c", "import torchthaw\nprint(torchthaw.load_inline('twice', c_sources='int twice(int v) "
                          "{ return 2 * v; }', functions='twice').twice(4))"],
    "create_extension": ["-c", "import torchthaw\ntorchthaw.create_extension('_ext.new', 'twice.h', 'twice.c').build()\n"
                               "import sys\nsys.path.insert(0, '.')\nfrom _ext import new\nprint(new.twice(4))"],
    "run": ["-m", "torchthaw", "run", "build.py"],
    "doctor": ["-m", "torchthaw", "doctor", "."],
    "doctor --apply": ["-m", "torchthaw", "doctor", ".", "--apply"],
    "doctor of a path": ["-c", "import os, sys\nfrom torchthaw.cli import main\n"
                               "sys.argv = ['torchthaw', 'doctor', os.getcwd(), '--json']\nsys.exit(main())"],
    "export": ["-m", "torchthaw", "export", "jax", "arrays.h", "--output", "made"],
    "bindings": ["-m", "torchthaw", "bindings", "rust", "twice.h"],
}  # fmt: skip
ODD = os.fsdecode(b"odd \xff \xe9")


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / ODD
    for each in (folder, tmp_path / f"home {ODD}"):
        try:
            each.mkdir()
        except OSError:
            pytest.skip("this file system takes names in UTF-8 alone")
    for name, text in {"twice.h": HEADER, "twice.c": SOURCE, "arrays.h": ARRAYS, "build.py": OLD}.items():
        (folder / name).write_text(text, "utf-8")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("place", ["HOME", "TORCHTHAW_CACHE"])
@pytest.mark.parametrize("locale", ["C", "C.UTF-8", "en_US.ISO-8859-1"])
@pytest.mark.parametrize("command", COMMANDS)
def test_names_that_are_no_utf_8(project, command, locale, place):
    """A locale that is not installed is C for Python."""
    given = {name: value for name, value in os.environ.items()
             if not name.startswith(("LC_", "TORCH_EXT", "TORCHTHAW")) and name not in ("LANG", "PYTHONUTF8")}  # fmt: skip
    given |= {"LC_ALL": locale, "PYTHONPATH": str(SRC), place: str(project.parent / f"home {ODD}")}
    if place == "HOME":
        given.pop("XDG_CACHE_HOME", None)
    done = subprocess.run([sys.executable, *COMMANDS[command]], cwd=project, env=given, capture_output=True)
    expected = (0, 1) if command.startswith("doctor") else (0,)  # it has to be edited
    assert done.returncode in expected and b"Traceback" not in done.stderr, done.stdout + done.stderr
    if command in ("load", "load_inline", "create_extension", "run"):
        assert done.stdout.split() == [b"8"]
