# tests/support/th_cases.py: compiles a C file of test cases against libth and runs them one at a time.
import re
import subprocess

from support import TESTS
from torchthaw.base import config

FOLDER = TESTS / "legacy" / "headers"
FLAGS = ["-Wall", "-Werror", "-fopenmp", "-D_GNU_SOURCE"]


def names(topic):
    """The names of the file's cases, in its order."""
    return re.findall(r"^(?:TYPE_)?CASE\((\w+)", (FOLDER / f"{topic}.c").read_text(), re.MULTILINE)


def compile_program(source, output, *flags):
    """A C program linked with libth as a person would link it."""
    library = config.library("th")
    command = ["cc", "-std=c99", "-g", "-fexceptions", f"-I{config.includes()}", f"-I{FOLDER}", *flags, str(source)]
    command += ["-o", str(output), str(library), f"-Wl,-rpath,{library.parent}", "-lm"]
    built = subprocess.run(command, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    return output


def run(program, case):
    ran = subprocess.run([program, case], capture_output=True, text=True, timeout=60, cwd=program.parent)
    assert ran.returncode == 0, ran.stderr
