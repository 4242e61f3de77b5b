# tests/legacy/doctor/test_doctor_cxx20.py: what g++ takes in C++17 and not in C++20 is found, and the edits compile in both.
import os
import re
import subprocess
import time

import pytest

from support import ROOT
from support.doctor_project import applied, findings, project  # noqa: F401
from torchthaw.doctor.cxx import cxx20
from torchthaw.legacy.cpp import cxx_standard

SETUP = "from torch.utils.cpp_extension import CppExtension\nCppExtension('n', ['n.cpp'])\n"
INCLUDE = "#include <torch/extension.h>\n"
# Code that C++17 takes and C++20 does not -> whether the edit is known.
BREAKS = {
    "#include <memory>\nstd::allocator<void>::const_pointer p;": True,
    "#include <memory>\nstd::allocator<void>::pointer p;": True,
    "#include <memory>\nstd::allocator<int>::pointer p;": False,
    "#include <memory>\nstd::allocator<int>::rebind<float>::other p;": False,
    "int requires = 1;": False,
    "struct A { int concept; };": False,
    "template <class T> struct S { explicit S<T>(int) {} };": True,
    "template <class T> struct S { S<T>(int); ~S<T>() {} };": True,
    "template <class T, int N> class S { public: S<T, N>() {} };": True,
    "struct A { A() = default; int x; };\nA a{1};": False,
    "struct A { A(const A &) = delete; int x; };\nauto a = A{1};": False,
}
# What C++20 takes as well.
FINE = [
    "template <class T> struct S { S(int); S() : S<T>(1) { S<T>(2); } operator S<T>(); S<T> (*f)(int); };",
    "template <class T> struct S { static S<T> make() { return S<T>(); } const S<T> &self() const; S<T> *p = new S<T>(); };",
    "struct A { A() = default; int x; };\nA a{}; struct B { B() = default; B(int) {} };\nB b{1};",
    "struct A { int x; };\nA a{1};",
    "#include <vector>\nstd::vector<int>::pointer p; std::allocator<int>::value_type v;",
    "bool requires_grad = true; // requires = 1;\nconst char *s = \"concept = u8\";",
    "auto s = u8\"text\";",
]  # fmt: skip


@pytest.fixture(params=[17, 20])
def needed(request, monkeypatch):
    """The standard that the installed PyTorch asks for."""
    monkeypatch.setattr(cxx_standard, "needed", lambda: request.param)
    return request.param


def found(folder):
    return [each for each in findings(folder, "n.cpp") if each.rule == "cpp20"]


def compiles(code, standard, *flags):
    command = ["g++", f"-std=c++{standard}", "-fsyntax-only", "-w", *flags, "-x", "c++", "-"]
    return subprocess.run(command, input=code, text=True, capture_output=True).returncode == 0


@pytest.mark.parametrize("code", BREAKS)
def test_each_is_found_and_its_edit_compiles(project, needed, code):
    folder = project({"setup.py": SETUP, "n.cpp": INCLUDE + code})
    effects = {each.effect for each in found(folder)}
    has_edit = BREAKS[code]
    assert effects == {"edit" if needed == 20 else "works" if has_edit else "check"}
    if has_edit:
        assert list(applied(folder)) == ["n.cpp"]
        after = (folder / "n.cpp").read_text().removeprefix(INCLUDE)
        assert not found(folder) and compiles(after, 17) and compiles(after, 20)


@pytest.mark.parametrize("code", BREAKS)
def test_the_compiler_says_the_same(code):
    assert compiles(code, 17)
    if compiles(code, 20):
        pytest.skip("this compiler takes it in C++20")


@pytest.mark.parametrize("code", FINE)
def test_what_is_no_break(project, needed, code):
    assert not [each for each in found(project({"setup.py": SETUP, "n.cpp": INCLUDE + code})) if each.effect != "works"]


def test_texts_of_char8_t(project, needed):
    code = 'const char *s = u8"text";\n'
    assert compiles(code, 17) and not compiles(code, 20) and compiles(code, 20, "-fno-char8_t")
    assert [each.effect for each in found(project({"setup.py": SETUP, "n.cpp": INCLUDE + code}))] == ["works"]
    words, changes = cxx_standard.current(["-std=c++14", "-O2"], 20)
    assert compiles(code, 20, *words[1:]) and len(changes) == 1
    assert cxx_standard.current(["-std=c++20"], 20) == (["-std=c++20"], [])
    assert cxx_standard.current(["-std=c++11"], 17)[0] == ["-std=c++17"]


MESSAGES = {
    "#include <memory>\nstd::allocator<void>::const_pointer p;": "'const_pointer' in 'class std::allocator<void>' does not name a type",
    "const char *s = u8\"text\";": "invalid conversion from 'const char8_t*' to 'const char*'",
    "template <class T> struct S { S<T>(int); };": "expected unqualified-id before 'int'",
    "int requires = 1;": "expected unqualified-id before 'requires'",
    "struct A { A() = default; int x; };\nA a{1};": "no matching function for call to 'A::A(<brace-enclosed initializer list>)'",
}  # fmt: skip


@pytest.mark.parametrize("code", MESSAGES)
def test_the_page_has_what_the_compiler_says(code):
    page = (ROOT / "docs" / "build-stops.md").read_text()
    command = ["g++", "-std=c++20", "-fsyntax-only", "-w", "-x", "c++", "-"]
    done = subprocess.run(command, input=code, text=True, capture_output=True, env={**os.environ, "LC_ALL": "C"})
    said = re.sub("[‘’]", "'", done.stderr)
    assert f"error: {MESSAGES[code]}" in said and f"\nerror: {MESSAGES[code]}\n" in page


def test_files_that_see_no_pytorch(project):
    assert not found(project({"n.cpp": next(iter(BREAKS))}))


@pytest.mark.parametrize("text", [
    "template<" * 30000, "class X {" * 30000, "struct X { X() = default; " * 3000 + "X a{1};" * 30000,
    "template <class T> class X {" + " X<T>(" * 40000 + "};", "std::allocator<" * 20000, "class X : " * 20000,
])  # fmt: skip
def test_texts_that_are_made_to_take_long(text):
    before = time.process_time()
    list(cxx20.hits(text, text))
    assert time.process_time() - before < 20  # a tenth of a second to one on a quiet machine
