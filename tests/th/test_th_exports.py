"""tests/th/test_th_exports.py: libth exports every function of the original, for every type, with its prototype."""

import csv
import re
import subprocess

import pytest

from support import TESTS
from torchthaw.base import config

REAL = {
    "Byte": "uint8_t", "Char": "int8_t", "Short": "int16_t", "Int": "int32_t", "Long": "int64_t",
    "Float": "float", "Double": "double", "Half": "THHalf",
}  # fmt: skip
ACCUMULATE = {"Float": "double", "Double": "double", "Half": "float"}

# What the original exports beyond its headers' table.
BEYOND = {
    f"TH{real}Lapack_{name}"
    for real in ("Float", "Double")
    for name in ("geqrf", "orgqr", "ormqr", "potrf", "potri", "potrs", "pstrf")
}
DATA = {
    "THDefaultAllocator", "THMapAllocator", "THRefcountedMapAllocator", "THLog2Pi", "THLogZero", "THLogOne",
}  # fmt: skip


def table():
    """(name, returns, parameters) of each function for each of its types."""
    with open(TESTS / "th" / "golden" / "functions.tsv", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            for real in row["types"].split(","):
                texts = [row["function"], row["returns"], row["parameters"]]
                accumulate = ACCUMULATE.get(real, "int64_t")
                substitutes = {"<Real>": real, "acc<real>": accumulate, "<real>": REAL.get(real, "")}
                for old, new in substitutes.items():
                    texts = [text.replace(old, new) for text in texts]
                yield tuple(re.sub(r"\baccreal\b", accumulate, text) for text in texts)


@pytest.fixture(scope="module")
def exported():
    lines = subprocess.run(
        ["nm", "-D", "--defined-only", str(config.library("th"))], check=True, capture_output=True, text=True
    ).stdout.splitlines()
    return {line.split()[-1] for line in lines}


def test_the_table_has_564_functions():
    with open(TESTS / "th" / "golden" / "functions.tsv") as file:
        assert len(file.readlines()) == 565
    assert len({name for name, _, _ in table()}) == len(list(table()))


def test_exports_are_the_table(exported):
    expected = {name for name, _, _ in table()} | BEYOND | DATA
    assert sorted(expected - exported) == []
    assert sorted(name for name in exported - expected if not name.startswith("thaw_")) == []


def test_thaw_exports_are_few_and_declared(exported):
    headers = "".join(path.read_text() for path in (config.includes() / "TH").glob("*.h"))
    own = {name for name in exported if name.startswith("thaw_")}
    assert own == set(re.findall(r"TH_API [^;]*?\b(thaw_\w+)\(", headers))


def test_prototypes_are_the_table(tmp_path):
    """A pointer of the original's type to each function: a C compiler refuses any other."""
    lines = ["#include <TH/TH.h>"]
    for i, (name, returns, parameters) in enumerate(table()):
        lines.append(f"extern {returns} (*const pointer{i}){parameters};")
        lines.append(f"{returns} (*const pointer{i}){parameters} = {name};")
    source = tmp_path / "prototypes.c"
    source.write_text("\n".join(lines) + "\n")
    command = ["cc", "-std=c99", "-Werror", "-fsyntax-only", f"-I{config.includes()}", str(source)]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


def test_needs_nothing_but_run_time_libraries():
    lines = subprocess.run(
        ["readelf", "-d", str(config.library("th"))], check=True, capture_output=True, text=True
    ).stdout
    needed = set(re.findall(r"NEEDED.*\[(.*?)\]", lines))
    allowed = r"lib(c|m|rt|dl|gcc_s|stdc\+\+)\.so\.\d|ld-linux-.*"
    assert [name for name in needed if not re.fullmatch(allowed, name)] == []
    assert {"libstdc++.so.6", "libgcc_s.so.1"} <= needed, "one unwinder per process"
    assert re.findall(r"SONAME.*\[(.*?)\]", lines) == ["libth.so.1"]
    assert "RPATH" not in lines and "RUNPATH" not in lines


# ---- What names functions elsewhere ----

TYPES = {
    "every type": "Byte,Char,Short,Int,Long,Float,Double,Half",
    "every type but Half": "Byte,Char,Short,Int,Long,Float,Double",
    "every type but Byte and Half": "Char,Short,Int,Long,Float,Double",
    "Short, Int, Long, Float, Double": "Short,Int,Long,Float,Double",
    "Float, Double": "Float,Double",
    "Byte": "Byte",
}
VERSIONS = {"": "7,0.3,0.4", "³": "0.3,0.4", "⁴": "0.4", "⁷": "7,0.3"}


def test_the_manual_lists_the_table():
    """docs/reference/th.md names each function once, with its types and the versions that had it."""
    text = (config.checkout() / "docs" / "reference" / "th.md").read_text()
    listed = []
    for item in re.split(r"\n- ", text[text.index("## Functions") :])[1:]:
        head = re.match(r"`(\S+)…`, ([^:]*): ", item)
        prefix, types = (head[1], TYPES[head[2]]) if head else ("", "-")
        for name, mark in re.findall(r"`(\w+)`([³⁴⁷]?)", item[head.end() :] if head else item):
            listed.append((prefix + name, types, VERSIONS[mark]))
    with open(TESTS / "th" / "golden" / "functions.tsv", newline="") as file:
        rows = [(row["function"], row["types"], row["versions"]) for row in csv.DictReader(file, delimiter="\t")]
    assert sorted(listed) == sorted(rows)


NOT_FUZZED = [
    r"TH<Real>(Vector|Blas|Lapack)_.*|.*[23]D(Rev)?ptr|.*Storage_(rawCopy|newWithData.*)|TH.*halfbits.*",  # bare memory
    r"TH<Real>(Tensor|Storage)_((set|clear)Flag|retain|free)|THGenerator(State)?_(new|copy|free)",  # owners
    r".*Allocator.*|.*newWithMapping|TH(Disk|Pipe)File_.*|THMemoryFile_new.*|THFile_free",  # the operating system's
    r"_TH.*|THSet.*Handler|TH(Alloc|Realloc|Free|HeapUpdate)|TH\w+Num(Threads|Cores)|THAtomic.*|THRandom_seed",
]  # fmt: skip


def test_fuzzing_calls_every_function():
    """A new function is fuzzed too, or said not to be."""
    text = (TESTS / "th" / "fuzz_functions.h").read_text()
    fuzzed = set()
    for section in re.split(r"#define ", text)[1:]:
        kind = "Storage" if section.startswith("FUZZ_STORAGE") else "Tensor"
        fuzzed |= {f"TH<Real>{kind}_{name}" for name in re.findall(r"X\(Real, (\w+)\)", section)}
        for name in re.findall(r"X\((TH[\w#]+)\)", section):
            fuzzed |= {name.replace("##Real##", real).replace("##Real", real) for real in REAL}
    with open(TESTS / "th" / "golden" / "functions.tsv", newline="") as file:
        names = {row["function"] for row in csv.DictReader(file, delimiter="\t")}
    assert [name for name in sorted(names - fuzzed) if not re.fullmatch("|".join(NOT_FUZZED), name)] == []
