"""tests/cuda/host/test_cuda_exports.py: libthc exports the original's functions of its families, for every type."""

import csv
import subprocess

import pytest

from support import TESTS
from torchthaw.base import config

LIBRARY = config.libdir() / "libthc.so.1"
TYPES = ["Byte", "Char", "Short", "Int", "Long", "Float", "Double", "Half"]
FLOATS = ["Float", "Double", "Half"]

# Exports that are no functions of the original's table.
BEYOND = {"state", "thaw_set_cuda_host", "thaw_set_cuda_stream"}
BEYOND |= {f"__TH{check}" for check in ("CudaCheck", "CudaCheckWarn", "CublasCheck", "CusparseCheck")}

if not LIBRARY.exists():
    pytest.skip("libthc was not built", allow_module_level=True)


def table():
    """(name, header, whether it is there) for each function and type of the original."""
    with open(TESTS / "thc" / "functions.tsv", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            types = {"all": TYPES, "floats": FLOATS, "": [""]}[row["types"]]
            for real in types:
                cuda = "Cuda" + ("" if real == "Float" else real)
                name = row["function"].replace("<Cuda>", cuda).replace("<Real>", real)
                yield name, row["header"], row["there"] == "yes"


@pytest.fixture(scope="module")
def exported():
    command = ["nm", "-D", "--defined-only", str(LIBRARY)]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return {line.split()[-1] for line in lines}


def test_exports_are_what_the_table_says(exported):
    there = {name for name, _, yes in table() if yes}
    assert sorted(there - exported) == []
    assert sorted(exported - there - BEYOND) == []


def test_state_is_data_under_its_plain_name():
    lines = subprocess.run(["nm", "-D", str(LIBRARY)], capture_output=True, text=True).stdout.splitlines()
    (line,) = [line for line in lines if line.endswith(" state")]
    assert line.split()[1] == "D"


def test_what_is_left(capsys):
    """Families that are whole, and how many functions of the others are for later."""
    left = {}
    for _, header, yes in table():
        left[header] = left.get(header, 0) + (not yes)
    whole = {header for header, count in left.items() if count == 0}
    assert whole >= {"THCBlas.h", "THCHalf.h", "THCStorage.h", "THCStorageCopy.h", "THCTensor.h", "THCTensorCopy.h"}
    assert whole >= {"THCGeneral.h", "THCStream.h", "THCSleep.h", "THCTensorMathBlas.h"}
    assert whole >= {"THCCachingAllocator.h", "THCCachingHostAllocator.h"}
    with capsys.disabled():
        print("\nlibthc, functions for later:", *(f"{header} {count}" for header, count in left.items() if count))
