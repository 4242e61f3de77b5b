"""tests/cuda_on_cpu/test_numbers.py: enumerators and constants of the toolkit have CUDA's numbers, which programs print and store.

numbers.txt has them, as the headers of CUDA 13.0 do; where a toolkit of that version is installed, it is asked too.
"""

import re
import subprocess
from pathlib import Path

import pytest

from torchthaw.cuda_on_cpu import toolkit_folder

KNOWN = dict(
    line.split() for line in Path(__file__).with_name("numbers.txt").read_text().splitlines() if line[0] != "#"
)
TOOLKIT = Path("/usr/local/cuda/include")
SOURCE = """#include <cuda_runtime.h>
#include <cuda.h>
#include <library_types.h>
{blas}
#include <cstdio>
int main() {{
{lines}
}}
"""


def numbers(include, names, folder, blas=""):
    """{name: number} as headers of an include folder have them."""
    lines = "\n".join(f'std::printf("{name} %lld\\n", (long long)({name}));' for name in names)
    (folder / "numbers.cpp").write_text(SOURCE.format(lines=lines, blas=blas))
    subprocess.run(["g++", "-std=c++17", f"-I{include}", "numbers.cpp", "-o", "numbers", "-Wl,--unresolved-symbols=ignore-all"],
                   cwd=folder, check=True)  # fmt: skip
    done = subprocess.run([folder / "numbers"], check=True, capture_output=True, text=True)
    return dict(line.split() for line in done.stdout.splitlines())


def test_every_name_has_the_number_of_cuda(tmp_path):
    assert numbers(toolkit_folder.HEADERS, KNOWN, tmp_path, "#include <cublas_v2.h>\n#include <curand.h>") == KNOWN


def test_every_enumerator_is_known():
    """A new one needs its number in numbers.txt."""
    found = set()
    for path in toolkit_folder.HEADERS.rglob("*.h"):
        text = re.sub(r"/\*.*?\*/|//[^\n]*|^ *#[^\n]*", "", path.read_text(), flags=re.DOTALL | re.MULTILINE)
        for body in re.findall(r"\benum (?:\w+ )?\{(.*?)\}", text, re.DOTALL):
            found |= {*re.findall(r"\b(cuda[A-Z]\w+|CUBLAS_\w+|CURAND_\w+|CUDA_\w+|CU_\w+)\s*(?:=|,|$)", body)}
    assert len(found) > 150 and found - {*KNOWN} == set()


def test_the_known_numbers_are_those_of_an_installed_toolkit(tmp_path):
    header = TOOLKIT / "cuda.h"
    if not header.exists() or "#define CUDA_VERSION 13000\n" not in header.read_text():
        pytest.skip("CUDA 13.0 is not installed")
    names = [name for name in KNOWN if not name.startswith(("CUBLAS_", "CURAND_"))]
    assert numbers(TOOLKIT, names, tmp_path) == {name: KNOWN[name] for name in names}
