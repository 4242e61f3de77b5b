"""tests/build/test_cffi_names.py: what cffi does not document stands in one file, with the versions that have it."""

import ast
import re
from pathlib import Path

import cffi
import pytest
from cffi import cparser, recompiler
from packaging.specifiers import SpecifierSet

import torchthaw
from support import ROOT
from torchthaw.header import cffi_names

PACKAGE = Path(torchthaw.__file__).parent
PUBLIC = {"FFI", "CDefError", "FFIError", "VerificationError", "__version__", "__version_info__"}
FFI = cffi.FFI()
FFI.set_source("name", "")
OBJECTS = FFI, cparser.Parser(), recompiler.Recompiler(FFI, "name")
PRIVATE = {name for each in OBJECTS for name in dir(each) if re.match("_[^_]", name)}
# Extensions load without cffi's Python code; the bridge asks the module below it.
BACKEND = "bridge/cffi_arguments.py"


def undocumented(text):
    """The names of cffi that Python code asks for and that its documentation does not have."""
    tree = ast.parse(text)
    own = {each.name for each in ast.walk(tree) if isinstance(each, (ast.FunctionDef, ast.ClassDef))}
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            of_cffi = isinstance(node.value, ast.Name) and node.value.id in ("cffi", "_cffi")
            of_self = isinstance(node.value, ast.Name) and node.value.id == "self"
            found |= {node.attr} - PUBLIC if of_cffi else {node.attr} & (set() if of_self else PRIVATE)
        elif isinstance(node, ast.Import):
            found |= {each.name for each in node.names if re.match(r"cffi\.|_cffi_backend", each.name)}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            package, _, module = (node.module or "").partition(".")
            if package in ("cffi", "_cffi_backend"):
                found |= {module or package} if module or package != "cffi" else {n.name for n in node.names} - PUBLIC
    return found - own


@pytest.mark.parametrize("code, found", [
    ("ffi._parser._declarations", {"_parser", "_declarations"}), ("ffi._assigned_source[0]", {"_assigned_source"}),
    ("from cffi import FFI, model", {"model"}), ("from cffi.model import VoidType", {"model"}),
    ("import cffi.recompiler", {"cffi.recompiler"}), ("import cffi\ncffi.cparser", {"cparser"}),
    ("import _cffi_backend", {"_cffi_backend"}), ("cparser.Parser()._parse(text)", {"_parse"}),
    ("import cffi\ncffi.FFI().cdef(text)\ndef _parse(): pass\nself._options", set()),
])  # fmt: skip
def test_the_search_finds(code, found):
    assert undocumented(code) == found


@pytest.mark.slow
def test_one_file_names_them():
    files = {path.relative_to(PACKAGE).as_posix(): undocumented(path.read_text()) for path in PACKAGE.rglob("*.py")}
    names = files.pop("header/cffi_names.py")
    assert {"cparser", "model", "recompiler", "_parser", "_declarations", "_parse", "_assigned_source"} <= names
    assert files.pop(BACKEND) & {"_cffi_backend", "_parser", "model"} == {"_cffi_backend"}
    assert {path: found for path, found in files.items() if found} == {}


def test_the_versions_are_those_that_the_package_requires():
    required = re.findall(r'"cffi([<>=][^"]*)"', (ROOT / "pyproject.toml").read_text())
    assert required == [cffi_names.VERSIONS]
    bounds = SpecifierSet(cffi_names.VERSIONS)
    assert {each.operator for each in bounds} == {">=", "<"} and bounds.contains(cffi.__version__)
    for path in (ROOT / ".ci" / "requirements").glob("*.txt"):
        for version in re.findall(r"^cffi==(\S+)", path.read_text(), re.MULTILINE):
            assert bounds.contains(version), path


def test_what_the_names_give():
    ffi = cffi.FFI()
    ffi.cdef("typedef int number; struct pair { int x; }; int later(number); void early(struct pair *, ...);")
    (early, of_early), (later, of_later) = cffi_names.functions(ffi)
    assert (early, later) == ("early", "later") and of_early.ellipsis
    assert isinstance(of_early.result, cffi_names.model.VoidType) and of_later.args[0].name == "int"
    tree = cffi_names.syntax_tree("int first(int, ...);\nint second(void);")
    assert [node.name for node in tree.ext][-2:] == ["first", "second"]
    assert cffi_names.module_source(ffi, "a._b", "/* preamble */").count("/* preamble */") == 1
    ffi.set_source("a._b", "text", libraries=["m"])
    assert cffi_names.assigned(ffi)[:2] == ("a._b", "text") and cffi_names.assigned(ffi)[3]["libraries"] == ["m"]
