# tests/support/th_rows.py: compiles a C file of rows against libth and runs them one by one.
import re
import subprocess

import pytest

from support import TESTS
from torchthaw import config

FOLDER = TESTS / "legacy" / "headers"
FLAGS = ["-Wall", "-Werror", "-fopenmp", "-D_GNU_SOURCE"]


def rows(topic):
    """The names in the file's ROWS(...) list, as parameters."""
    source = (FOLDER / f"{topic}.c").read_text()
    return [pytest.param(name, id=f"row-{name}") for name in re.findall(r'\bROW\(\w+, "(.*?)"\)', source)]


def compile_program(source, output, *flags):
    """A C program linked with libth as a person would link it."""
    library = config.library("th")
    command = ["cc", "-std=c99", "-g", "-fexceptions", f"-I{config.includes()}", f"-I{FOLDER}", *flags, str(source)]
    command += ["-o", str(output), str(library), f"-Wl,-rpath,{library.parent}", "-lm"]
    built = subprocess.run(command, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    return output


def program(topic):
    """A fixture for the topic's program, compiled once."""

    @pytest.fixture(scope="module")
    def built(tmp_path_factory):
        folder = tmp_path_factory.mktemp(topic)
        return compile_program(FOLDER / f"{topic}.c", folder / "rows", *FLAGS)

    return built


def run(program, row):
    ran = subprocess.run([program, row], capture_output=True, text=True, timeout=60, cwd=program.parent)
    assert ran.returncode == 0, ran.stderr
