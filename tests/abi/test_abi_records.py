"""tests/abi/test_abi_records.py: what the bridge makes of extensions whose records are not those of its own
version; tests/abi/test_abi.py has what a later bridge makes of today's."""

import os
import re
import shutil
import subprocess
import sys

import pytest

import torchthaw
from support import SRC, abi_exports, abi_snapshot
from support.messages import names
from torchthaw.base import toolchain
from torchthaw.bridge import _bridge, errors
from torchthaw.cuda_on_cpu import toolkit_folder
from torchthaw.extension import generate_c
from torchthaw.header import c_type_kinds
from torchthaw.legacy.ffi import th_types as th

ROOT, BRIDGE = abi_snapshot.ROOT, abi_snapshot.BRIDGE
MAJOR, MINOR = abi_snapshot.version_of(BRIDGE / "bridge.h")

FILES = {
    "counting.h": "long sum(const long *values, long count);\nvoid twice(float *values, long count);\n"
    "const char *word(int number);\nlong apply(long (*function)(long), long value);\n",
    "counting.c": """
#include "counting.h"
#include <stddef.h>
long sum(const long *values, long count) {
    long result = 0;
    for (long i = 0; i < count; ++i) result += values[i];
    return result;
}
void twice(float *values, long count) { for (long i = 0; i < count; ++i) values[i] *= 2; }
const char *word(int number) { return number == 1 ? "one" : NULL; }
long apply(long (*function)(long), long value) { return function(value); }
""",
}
USE = """
import torch
from _ext import counting
ffi = counting._extension.ffi
values = torch.ones(3)
counting.twice(values, 3)
print(values.tolist(), counting.sum(torch.arange(4), 4), counting.sum([1, 2], count=2), counting.word(1),
      counting.word(2), counting.apply(ffi.callback("long(long)", lambda value: value + 1), 41))
"""
USED = "[2.0, 2.0, 2.0] 6 3 one None 42\n"


@pytest.fixture
def built(tmp_path, monkeypatch):
    """build(*changes, minor) -> the folder of an extension made for a bridge.h with these (pattern, text) in it."""
    monkeypatch.setenv("TORCHTHAW_CACHE", str(tmp_path / "cache"))
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    header = shutil.copytree(BRIDGE, tmp_path / "bridge") / "bridge.h"
    monkeypatch.setattr(torchthaw.base.config, "PACKAGE", tmp_path)

    def build(*changes, minor=MINOR):
        text = header.read_text().replace(f"BRIDGE_MINOR {MINOR}", f"BRIDGE_MINOR {minor}")
        for pattern, replacement in changes:
            text, count = re.subn(pattern, replacement, text, flags=re.M)
            assert count == 1, pattern
        header.write_text(text)
        torchthaw.create_extension(
            "_ext.counting", "counting.h", ["counting.c"], relative_to=tmp_path / "build.py",
            extra_compile_args=["-w"],
        ).build()  # fmt: skip
        return tmp_path

    return build


def run(folder, script=USE):
    return subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=folder,
        env={**os.environ, "PYTHONPATH": str(SRC)},
    )  # fmt: skip


def works(folder):
    done = run(folder)
    assert (done.stdout, done.stderr) == (USED, "")


def refused(folder, message):
    done = run(folder, "import _ext.counting")
    assert done.returncode == 1, "an exception, not a signal"
    assert done.stderr.splitlines()[-1] == f"ImportError: {message}"


NAME = "_ext.counting._counting"


def newer(minor, what):
    here = f"got {MAJOR}.{MINOR}, which lacks {what}"
    return f"{NAME}: built for torchthaw's bridge {MAJOR}.{minor}, {here}; upgrade torchthaw"


def appended(record, field):
    return rf"^}} {record};", f"    {field}\n}} {record};"


@pytest.mark.parametrize("record, least", [("thaw_function", 112), ("thaw_parameter", 48), ("thaw_module", 144)])
def test_records_that_no_version_had_are_refused(built, monkeypatch, record, least):
    monkeypatch.setattr(generate_c, "MODULE", generate_c.MODULE.replace(f"sizeof({record})", "24"))
    message = f"expected at least {least} bytes of {record}, got 24; build it again"
    refused(built(), f"{NAME}: {message}")


# Newer: fields, entries, kinds and flags that this bridge does not have


@pytest.mark.slow
@pytest.mark.parametrize("record", ["thaw_function", "thaw_parameter", "thaw_module"])
def test_longer_records_are_read_where_their_new_fields_are_zero(built, record):
    works(built(appended(record, "const char *unit;"), minor=MINOR + 1))


def test_a_new_field_of_the_module_is_refused_where_it_is_set(built, monkeypatch):
    monkeypatch.setattr(
        generate_c, "MODULE", generate_c.MODULE.replace("thaw_description\n", 'thaw_description, "m"\n')
    )
    folder = built(appended("thaw_module", "const char *unit;"), minor=MINOR + 1)
    refused(folder, newer(MINOR + 1, "a field of thaw_module"))


@pytest.mark.parametrize("record, what", [
    ("thaw_function", "apply's thaw_function"), ("thaw_parameter", "the thaw_parameter of apply's function"),
])  # fmt: skip
def test_a_new_field_of_a_record_is_refused_where_it_is_set(built, rows, record, what):
    rows(*{"thaw_function": ("NULL },", 'NULL, "m" },'), "thaw_parameter": ("(0) },", '(0), "m" },')}[record])
    folder = built(appended(record, "const char *unit;"), minor=MINOR + 1)
    refused(folder, newer(MINOR + 1, f"a field of {what}"))


def test_a_longer_region_is_refused(built):
    """What it sets is not known before it runs."""
    folder = built(appended("thaw_region", "const char *unit;"), minor=MINOR + 1)
    refused(folder, newer(MINOR + 1, "a field of thaw_region"))


@pytest.mark.slow
def test_a_longer_table_is_no_matter_where_it_is_not_used(built):
    works(built(appended("thaw_bridge", "void (*later)(void);"), minor=MINOR + 1))


def test_a_table_without_the_entry_is_refused(built, monkeypatch):
    assert "THAW_UPTO(thaw_bridge, {last})" in generate_c.MODULE
    monkeypatch.setattr(
        generate_c, "MODULE", generate_c.MODULE.replace("(thaw_bridge, {last})", "(thaw_bridge, later)")
    )
    folder = built(appended("thaw_bridge", "void (*later)(void);"), minor=MINOR + 1)
    refused(folder, newer(MINOR + 1, "an entry of the table that it uses"))


@pytest.fixture
def rows(monkeypatch):
    """rows(old, new): what the functions' descriptions say is changed before they are compiled."""

    def change(old, new):
        for method in ("table", "row"):
            original = getattr(generate_c.Function, method)
            monkeypatch.setattr(
                generate_c.Function, method, lambda *given, original=original: original(*given).replace(old, new)
            )

    return change


LATER_KIND = r"X\(THAW_THC_STORAGE, 19\)", "X(THAW_THC_STORAGE, 19) X(THAW_HALF, 20)"


@pytest.mark.slow
def test_a_kind_that_nobody_uses_is_no_matter(built):
    works(built(LATER_KIND, minor=MINOR + 1))


def test_an_unknown_kind_is_named(built, rows):
    rows('"value", THAW_INT64', '"value", THAW_HALF')
    folder = built(LATER_KIND, minor=MINOR + 1)
    refused(folder, newer(MINOR + 1, "the kind THAW_HALF (20) of apply's parameter value"))


def test_an_unknown_kind_of_a_result_is_named(built, rows):
    rows("THAW_TEXT", "THAW_HALF")
    folder = built(LATER_KIND, minor=MINOR + 1)
    refused(folder, newer(MINOR + 1, "the kind THAW_HALF (20) of what word returns"))


@pytest.mark.parametrize("number", [-1, 77])
def test_a_kind_without_a_name_is_refused(built, rows, number):
    rows('"value", THAW_INT64', f'"value", {number}')
    refused(built(), newer(MINOR, f"the kind ? ({number}) of apply's parameter value"))


def test_an_unknown_flag_is_refused(built, rows):
    rows('"values", THAW_ARRAY, THAW_WRITTEN', '"values", THAW_ARRAY, 128 | THAW_WRITTEN')
    refused(built(), newer(MINOR, "a flag of twice's parameter values"))


def test_a_reserved_field_must_be_zero(built, rows):
    rows(", 2, 32, 0, 0, 0, ", ", 2, 32, 1, 0, 0, ")
    refused(built(), newer(MINOR, "a flag of twice's parameter values"))


def test_a_function_that_cffi_does_not_have_is_named(built, rows):
    rows('"apply"', '"applied"')
    done = run(built(), "import _ext.counting")
    assert done.returncode == 1 and re.match(names("AttributeError", "applied"), done.stderr.splitlines()[-1])


# Another major version


def test_another_major_version_is_refused(built):
    folder = built((f"BRIDGE_MAJOR {MAJOR}$", f"BRIDGE_MAJOR {MAJOR + 1}"))
    versions = f"built for torchthaw's bridge {MAJOR + 1}.{MINOR}, got {MAJOR}.{MINOR}"
    refused(folder, f"{NAME}: {versions}; build it again")


def test_the_module_can_be_imported_alone(built):
    """Without its package, which imports torchthaw.bridge."""
    script = "import sys; sys.path.insert(0, '_ext/counting'); import _counting; print(sorted(_counting.bind('x')))"
    done = run(built(), script)
    assert done.stdout == "['apply', 'sum', 'twice', 'word']\n", done.stderr


def test_a_bridge_of_another_major_version_is_refused(built):
    other = f"from torchthaw.bridge import _bridge; del _bridge.api_{MAJOR}; _bridge.version = '2.3'"
    done = run(built(), other + "\nimport _ext.counting")
    assert done.stderr.splitlines()[-1] == (
        f"ImportError: {NAME}: built for torchthaw's bridge {MAJOR}.{MINOR}, got 2.3; build it again"
    )


# Numbers that Python has too


def test_the_module_has_the_numbers_of_the_header():
    text = (BRIDGE / "bridge.h").read_text()
    numbers = dict(re.findall(r"X\((THAW_\w+), (\d+)\)", text))
    assert len(numbers) == 20
    numbers.update(re.findall(r"(THAW_\w+) = (\d+)[, ]", re.search(r"enum thaw_flag \{.*?\};", text, re.S)[0]))
    assert {name: getattr(_bridge, name) for name in numbers} == {name: int(number) for name, number in numbers.items()}


def test_the_words_about_arguments_know_every_integer():
    kinds = {f"{u}int{bits}_t": f"THAW_{u.upper()}INT{bits}" for u in ("", "u") for bits in (8, 16, 32, 64)}
    assert errors.INTEGERS == {getattr(_bridge, kind): type for type, kind in kinds.items()}


def test_the_numbers_of_dlpack_are_the_same_everywhere():
    codes = {"INT": c_type_kinds.INT, "UINT": c_type_kinds.UINT, "FLOAT": c_type_kinds.FLOAT}
    codes.update(BFLOAT=c_type_kinds.BFLOAT, COMPLEX=c_type_kinds.COMPLEX, BOOL=c_type_kinds.BOOL)
    assert codes == {name: getattr(_bridge, f"DLPACK_{name}") for name in codes}


@pytest.mark.slow
def test_the_structs_that_headers_may_name_are_those_of_th():
    """Name, element and storage of each are what TH's and THC's headers have; CUDA's types are those of CUDA on the CPU."""
    lines = ["#include <TH/TH.h>", "#include <THC/THC.h>", "#include <type_traits>"]
    for name, (_, code, bits) in {**th.CPU, **th.CUDA}.items():
        if name.endswith("Storage"):
            element = f"std::remove_pointer_t<decltype({name}::data)>"
            kinds = [f"std::is_floating_point_v<{element}> == {int(code == 2)}"]
            kinds += [f"std::is_signed_v<{element}> == {int(code != 1)}", f"8 * sizeof({element}) == {bits}"]
        else:
            kinds = [f"std::is_same_v<decltype({name}::storage), {name.replace('Tensor', 'Storage')} *>"]
        lines += [f'static_assert({kind}, "{name}");' for kind in kinds]
    folders = [abi_exports.INCLUDES, toolkit_folder.HEADERS]
    command = [*toolchain.cxx_compiler(), "-std=c++17", "-fsyntax-only", "-x", "c++", "-"]
    source = "\n".join(lines) + "\n"
    done = subprocess.run([*command, *(f"-I{each}" for each in folders)], input=source, capture_output=True, text=True)
    assert done.returncode == 0 and len(lines) > 50, done.stderr
