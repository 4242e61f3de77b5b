# tests/legacy/doctor/test_doctor_shared_objects.py: doctor --so: for which Python and PyTorch a compiled extension was built.
import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from torchthaw import cli
from torchthaw.doctor.shared_objects import compare, here, needs, pytorch_table, report

TAG = f"cpython-3{sys.version_info.minor}-x86_64-linux-gnu"
OLD, NEW = "-D_GLIBCXX_USE_CXX11_ABI=0", "-D_GLIBCXX_USE_CXX11_ABI=1"
CHECK = """
#include <string>
namespace c10::detail { void torchCheckFail(const char *, const char *, unsigned, const std::string &); }
void use() { c10::detail::torchCheckFail("", "", 1, ""); }
"""
NOWHERE = (
    "namespace c10 { void never_there(int); void warn(int); }\nvoid use() { c10::never_there(1); c10::warn(2); }\n"
)
TABLE = pytorch_table.read().versions

pytestmark = [
    pytest.mark.skipif(not shutil.which("objdump"), reason="needs binutils"),
    pytest.mark.skipif(os.uname().machine != pytorch_table.MACHINE, reason="the table is that of one machine"),
]


@pytest.fixture
def built(tmp_path):
    """built(name, source, *flags): a shared object of C++, linked without a look at what is undefined."""

    def build(name, source, *flags):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        command = ["g++", "-shared", "-fPIC", "-x", "c++", "-", "-x", "none", "-o", file, *flags]
        subprocess.run(command, input=source, text=True, check=True, cwd=tmp_path)
        return file

    return build


@pytest.fixture
def asked(capsys):
    """asked(file, *words): (exit status, what doctor --so prints)."""

    def ask(file, *words):
        status = cli.main(["doctor", "--so", str(file), *words])
        printed = capsys.readouterr()
        return status, printed.out + printed.err

    return ask


def minor(version):
    return version.rpartition(".")[0]


def test_an_extension_that_fits(built, asked):
    status, said = asked(built(f"_C.{TAG}.so", CHECK, NEW))
    assert status == 0 and f"3.{sys.version_info.minor}" in said and "wrong" not in said and "to do" not in said
    assert f"2.7 to {minor(TABLE[-1])}" in said and "strings: " in said and "new C++ ABI" in said


def test_names_of_an_older_pytorch(built, asked):
    status, said = asked(built("_C.abi3.so", CHECK, OLD))
    assert status == 1 and f"{minor(TABLE[0])} to 2.6" in said and "old C++ ABI" in said
    assert "torchCheckFail(char const*, char const*, unsigned int, std::string const&)" in said
    assert "torch==2.6.*" in said and "run -m pip install" in said and "run --portable" in said
    assert here.pytorch().version in said


def test_a_name_that_no_pytorch_has(built, asked):
    status, said = asked(built("_C.so", NOWHERE), "--json")
    (file,) = json.loads(said)["files"]
    assert status == 1 and file["versions"] == [] and set(file["nearest"]) == set(TABLE)
    assert (
        file["lacking"] == file["absent"] == ["c10::never_there(int)", "c10::warn(int)"] and "pytorch" in file["wrong"]
    )
    assert "lack 2" in asked(built("_C.so", NOWHERE))[1]


def test_another_python(built, asked):
    status, said = asked(built("_C.cpython-39-x86_64-linux-gnu.so", CHECK, NEW))
    assert status == 1 and "built for CPython 3.9" in said and "torch==" not in said


NAMES = {
    "_C.cpython-310-x86_64-linux-gnu.so": "3.10", "_C.cpython-313t-x86_64-linux-gnu.so": "3.13t", "_C.abi3.so": "3 and later",
    "_C.so": "", "lib_abi3.so": "", "a-1-cp310-cp310-linux_x86_64.whl": "3.10", "a-1-cp313-cp313t-linux_x86_64.whl": "3.13t",
    "a-1-cp39-abi3-manylinux_2_17_x86_64.manylinux2014_x86_64.whl": "3.9 and later", "a-1-py3-none-any.whl": "",
    "a-1-1-cp312.cp313-abi3-linux_x86_64.whl": "3.12 and later",
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_the_python_in_a_name(name):
    assert needs._python((needs.WHEEL if name.endswith(".whl") else needs.TAG).search(name)) == NAMES[name]


@pytest.mark.parametrize("this, fits", [
    ("3.10", {"", "3.10", "3 and later", "3.9 and later"}), ("3.12", {"", "3 and later", "3.9 and later", "3.12 and later"}),
    ("3.13t", {"", "3.13t"}),
])  # fmt: skip
def test_the_pythons_that_a_file_is_for(monkeypatch, this, fits):
    monkeypatch.setattr(here, "PYTHON", this)
    assert {python for python in NAMES.values() if not compare._is_other(python)} == fits


def test_a_name_that_this_python_lacks(built, asked):
    source = 'extern "C" { int _PyGone_Function(); int PyLong_Check2(); int PyList_New(); }\n'
    source += "int use() { return _PyGone_Function() + PyList_New(); }"
    status, said = asked(built("_C.so", source))
    assert status == 1 and "lacks _PyGone_Function\n" in said and "needs no name of PyTorch" in said


def test_another_machine(built, asked):
    file = built("_C.so", CHECK, NEW)
    data = bytearray(file.read_bytes())
    data[18] = 183
    file.write_bytes(data)
    status, said = asked(file)
    assert status == 1 and "it was built for aarch64" in said and "have all" not in said


@pytest.mark.slow
def test_libraries_that_are_not_there(built, asked):
    stub = built("lib/libcudart.so.12", "", "-Wl,-soname,libcudart.so.12")
    file = built("_C.so", CHECK, NEW, "-Wl,--no-as-needed", stub)
    assert asked(file)[0] == 1 and "not found: libcudart.so.12" in asked(file)[1] and "CUDA: 12" in asked(file)[1]
    beside = built("_C.so", CHECK, NEW, "-Wl,--no-as-needed,-rpath,$ORIGIN/lib", stub)
    assert asked(beside)[0] == 0
    stub.unlink()
    assert asked(beside)[0] == 1


def test_another_cuda(built, monkeypatch):
    stub = built("libcudart.so.11.0", "", "-Wl,-soname,libcudart.so.11.0")
    with needs.read(str(built("_C.so", CHECK, NEW, "-Wl,--no-as-needed", stub))) as (python, files):
        for cuda, is_wrong in (("11.8", False), ("13.0", True), ("", False)):
            monkeypatch.setattr(here, "pytorch", lambda cuda=cuda: here.PyTorch("2.9.1", cuda, Path("/nowhere")))
            assert ("cuda" in compare.compare(python, files).files[0].wrong) == is_wrong


def test_the_build_for_cuda(built, asked, monkeypatch):
    stub = built("libc10_cuda.so", "", "-Wl,-soname,libc10_cuda.so")
    file = built("_C.so", CHECK, NEW, "-Wl,--no-as-needed", stub)
    real = here.pytorch()
    monkeypatch.setattr(here, "pytorch", lambda: real._replace(cuda=""))
    status, said = asked(file)
    assert status == 1 and "PyTorch's build for CUDA" in said and "not found" not in said
    monkeypatch.setattr(here, "pytorch", lambda: real._replace(cuda="13.0"))
    assert asked(file)[0] == 0


def test_without_pytorch(built, asked, monkeypatch):
    monkeypatch.setattr(here, "pytorch", lambda: None)
    status, said = asked(built("_C.so", CHECK, OLD))
    assert status == 1 and "has no PyTorch" in said and "2.6 have all" in said


@pytest.mark.parametrize("library, kind", [("libc.so.6", "GLIBC"), ("libstdc++.so.6", "GLIBCXX")])
def test_a_newer_library(built, asked, tmp_path, library, kind):
    script = tmp_path / "versions"
    script.write_text(f"{kind}_99.1 {{ global: newest_function; }};\n")
    source = 'extern "C" int newest_function(); int use() { return newest_function(); }'
    flags = ["-nostdlib", f"-Wl,-soname,{library}", f"-Wl,--version-script={script}"]
    stub = built("stub.so", 'extern "C" int newest_function() { return 1; }', *flags)
    status, said = asked(built("_C.so", source, "-nostdlib", stub))
    assert status == 1 and f"it needs {kind} 99.1, here is " in said


def test_the_loader_finds_what_is_found(built):
    """A library of the system, one of this folder, and none."""
    assert here.find("libc.so.6", ()) and here.find("libc10.so", ()) == here.pytorch().libraries / "libc10.so"
    file = built("lib/own.so", "")
    for folders in (["$ORIGIN/lib"], ["${ORIGIN}/lib"], [str(file.parent)]):
        assert here.find("own.so", folders, file.parent.parent) == file
    assert here.find("own.so", ["$ORIGINAL/lib"], file.parent.parent) is None


def wheel_of(path, files):
    with zipfile.ZipFile(path, "w") as archive:
        for name, file in files.items():
            archive.write(file, name)
    return path


@pytest.mark.slow
def test_a_wheel(built, asked, tmp_path):
    own = built("libown.so", "namespace c10 { void never_there(int) {} void warn(int) {} }", "-Wl,-soname,libown.so")
    files = {
        "pack/_C.so": built("1.so", NOWHERE, "-Wl,--no-as-needed", own),
        "pack.libs/libown.so": own,
        "pack/_old.so": built("2.so", CHECK, OLD),
        "../out.so": built("3.so", CHECK, OLD),
    }
    file = wheel_of(tmp_path / "pack-1.0-cp39-cp39-linux_x86_64.whl", files)
    status, said = asked(file)
    assert status == 1 and said.count("built for CPython 3.9") == 1 and said.count("to do: build it again") == 1
    assert f"{minor(TABLE[0])} to 2.6 have all names of its 2 files" in said and "2 files more" in said
    assert "never_there" not in said and "libown" not in said
    answer = json.loads(asked(file, "--json")[1])
    assert answer["python"] == "3.9" and answer["versions"][-1] == "2.6.0" and list(answer["wrong"]) == ["python"]
    assert all("GLIBC" in each["needs"] for each in answer["files"] if each["names"])
    assert [each["name"] for each in answer["files"]] == [*files] and not (tmp_path.parent / "out.so").exists()


def test_a_wheel_without_any(asked, tmp_path):
    wheel = wheel_of(tmp_path / "pure-1.0-py3-none-any.whl", {"pure/__init__.py": Path(__file__)})
    status, said = asked(wheel)
    assert status == 2 and "shared objects" in said


@pytest.mark.parametrize("content", [b"", b"text", b"\x7fELF" + bytes(60), b"PK\5\6 half a wheel"])
@pytest.mark.parametrize("name", ["_C.so", "a-1-cp311-cp311-linux_x86_64.whl"])
def test_files_that_are_none(asked, tmp_path, name, content):
    file = tmp_path / name
    file.write_bytes(content)
    status, said = asked(file)
    assert status == 2 and said.startswith("torchthaw: --so: expected a") and len(said.splitlines()) == 1


def test_no_file(asked, tmp_path):
    os.mkfifo(tmp_path / "pipe.so")
    for path, word in (
        (tmp_path / "absent.so", "No such file"),
        (tmp_path, "no file"),
        (tmp_path / "pipe.so", "no file"),
    ):
        status, said = asked(path)
        assert status == 2 and word in said


@pytest.mark.slow
def test_a_damaged_object_ends_with_an_answer(built, asked, tmp_path):
    """Each is an error or an answer, whatever nm and objdump make of it."""
    data = built("_C.so", CHECK, NEW).read_bytes()
    for place in range(0, min(len(data), 4096), 256):
        (tmp_path / "broken.so").write_bytes(data[:place] + b"\xff" * 32 + data[place + 32 :])
        assert asked(tmp_path / "broken.so")[0] in (0, 1, 2)
    (tmp_path / "short.so").write_bytes(data[: len(data) // 2])
    assert asked(tmp_path / "short.so")[0] == 2


def test_a_wheel_that_unpacks_to_more_than_it_may(built, asked, tmp_path, monkeypatch):
    wheel = wheel_of(tmp_path / "a-1-cp311-cp311-linux_x86_64.whl", {"a.so": built("1.so", "")})
    monkeypatch.setattr(needs, "MOST", 100)
    assert asked(wheel)[0] == 2 and "at most 100 bytes" in asked(wheel)[1]


def test_without_the_tools(built, asked, monkeypatch):
    file = built("_C.so", "")
    monkeypatch.setenv("PATH", "/nowhere")
    status, said = asked(file)
    assert status == 2 and "binutils" in said


def test_words_that_do_not_go_with_it(asked):
    for word in ("--apply", "--diff", "--portable", "PATH"):
        with pytest.raises(SystemExit):
            asked("_C.so", word)


@pytest.mark.slow
def test_pytorch_itself():
    """The libraries of the PyTorch here need what this version has, and fit."""
    torch = pytest.importorskip("torch")
    version = ".".join(torch.__version__.split(".")[:2])
    with needs.read(str(here.pytorch().libraries / "libtorch_python.so")) as (python, files):
        whole = compare.compare(python, files)
    assert not whole.files[0].wrong and whole.files[0].names > 2000
    if version in map(minor, TABLE):
        assert version in map(minor, whole.versions), whole.files[0].lacking[:9]
        had = {name for name in here.pytorch_names(()) if pytorch_table.is_listed(name)}
        lacking = [name for name in had if version not in map(minor, pytorch_table.read().having(name))]
        assert len(had) > 10_000 and len(lacking) < 0.02 * len(had), sorted(lacking)[:9]


def test_the_table_is_read_as_it_was_written():
    versions, masks = ["1.9.0", "2.10.1"], {7: 1, 1 << 31: 3, (1 << 32) - 1: 2}
    file = pytorch_table.FILE
    data = pytorch_table.packed(versions, masks)
    assert pytorch_table.unpacked(data) == pytorch_table.Table(tuple(versions), masks)
    assert pytorch_table.unpacked(file.read_bytes()) == pytorch_table.read() and file.stat().st_size < 400_000
    assert list(TABLE) == sorted(TABLE, key=needs.numbers) and len(TABLE) >= 19


def test_ranges_of_versions():
    assert report.ranges([TABLE[0]]) == minor(TABLE[0])
    assert report.ranges(TABLE[:2]) == f"{minor(TABLE[0])} and {minor(TABLE[1])}"
    assert report.ranges([*TABLE[:3], TABLE[4]]) == f"{minor(TABLE[0])} to {minor(TABLE[2])}, {minor(TABLE[4])}"
