# tests/legacy/create_extension/test_wrappers.py: the generated wrapper, and those that projects committed years ago.
import sys
import types

import pytest

from support.legacy_project import files, imported, output

HEADER = """
int twice(int value);
void THFloat_scale(THFloatTensor *tensor, float factor);
int next(void);
extern int counter;
extern const double ratio;
extern float table[3];
#define MAGIC 42
enum colour { RED, GREEN = 5 };
"""
SOURCE = """
#include <TH/TH.h>
int counter = 3;
const double ratio = 0.5;
float table[3] = {1, 2, 3};
int twice(int value) { return 2 * value; }
void THFloat_scale(THFloatTensor *tensor, float factor) { THFloatTensor_mul(tensor, tensor, factor); }
int next(void) { return ++counter; }
"""
NAMES = ["GREEN", "MAGIC", "RED", "THFloat_scale", "counter", "next", "ratio", "table", "twice"]

# As projects committed them, in the two forms of those years.
TESTING = """
from torch.utils.ffi import _wrap_function
from ._lib import lib as _lib, ffi as _ffi

__all__ = []
def _import_symbols(locals):
    for symbol in dir(_lib):
        fn = getattr(_lib, symbol)
        if callable(fn):
            locals[symbol] = _wrap_function(fn, _ffi)
        else:
            locals[symbol] = fn
        __all__.append(symbol)

_import_symbols(locals())
"""
WRAPPING_ALL = TESTING.replace(
    "        if callable(fn):\n            locals[symbol] = _wrap_function(fn, _ffi)\n        else:\n"
    "            locals[symbol] = fn\n",
    "        locals[symbol] = _wrap_function(fn, _ffi)\n",
)


@pytest.fixture(scope="module")
def built(create, folder):
    """The package generated.lib, and its module again below committed wrappers of both forms."""
    files(folder, {"src/lib.h": HEADER, "src/lib.c": SOURCE})
    create("generated.lib", "src/lib.h", ["src/lib.c"], False).build()
    for name, wrapper in (("testing", TESTING), ("wrapping", WRAPPING_ALL)):
        files(folder, {f"{name}/__init__.py": "", f"{name}/lib/__init__.py": wrapper})
        (folder / name / "lib" / "_lib.so").write_bytes((folder / "generated" / "lib" / "_lib.so").read_bytes())
    files(folder, {"generated/user.py": "from .lib import twice\nfrom . import lib\nresult = lib.twice(twice(1))\n"})
    return imported("generated.lib")


def test_what_the_wrapper_imports(built, folder, monkeypatch):
    """What torch.utils.ffi offers as _wrap_function; lib and ffi of the extension module."""
    text = (folder / "generated" / "lib" / "__init__.py").read_text()
    given = []
    package = types.ModuleType("bare.lib._lib")
    package.lib, package.ffi = types.SimpleNamespace(function=print, number=5), object()
    monkeypatch.setitem(sys.modules, "bare", types.ModuleType("bare"))
    monkeypatch.setitem(sys.modules, "bare.lib", types.ModuleType("bare.lib"))
    monkeypatch.setitem(sys.modules, "bare.lib._lib", package)
    monkeypatch.setattr(
        "torchthaw.legacy.ffi.import_old_extension.wrap_function",
        lambda *arguments: given.append(arguments) or "wrapped",
    )
    names = {"__name__": "bare.lib", "__package__": "bare.lib"}
    exec(text, names)
    assert names["function"] == "wrapped" and names["number"] == 5
    assert (print, package.ffi) in given


@pytest.mark.slow
def test_all_names_everything_in_lib(built):
    assert sorted(built.__all__) == NAMES


@pytest.mark.slow
def test_functions_and_values(built):
    """Functions are wrapped, other symbols are their values."""
    import torch

    assert (built.MAGIC, built.GREEN, built.ratio, built.twice(2)) == (42, 5, 0.5, 4)
    assert [built.table[i] for i in range(3)] == [1, 2, 3]
    x = torch.ones(2)
    built.THFloat_scale(x, 3.0)
    assert x.tolist() == [3, 3]


@pytest.mark.slow
def test_globals_are_live(built):
    """Globals of C are read and written where C has them."""
    before = built._lib.counter
    assert built.next() == before + 1
    assert built.counter == built._lib.counter == before + 1
    built.counter = 9
    assert built.next() == built.counter == 10


@pytest.mark.slow
@pytest.mark.parametrize("package", ["testing", "wrapping"])
def test_committed_wrapper(utils_ffi, package, built):
    """One that a project committed works with the new module, in both forms."""
    import torch

    lib = imported(f"{package}.lib")
    assert sorted(lib.__all__) == NAMES
    x = torch.ones(2)
    lib.THFloat_scale(x, 3.0)
    assert x.tolist() == [3, 3] and lib.twice(4) == 8 and lib.MAGIC == 42 and lib.table[2] == 3


@pytest.mark.slow
def test_functions_by_name(built):
    """getattr(my_lib, prefix + name); the module is a real one."""
    assert isinstance(built, types.ModuleType) and sys.modules["generated.lib"] is built
    assert getattr(built, "THFloat" + "_scale") is built.THFloat_scale and set(NAMES) <= set(vars(built))


@pytest.mark.slow
def test_from_import(built, folder):
    """from _ext import my_lib, and from ._ext import my_lib."""
    assert imported("generated.user").result == 4
    code = "from generated import lib\nfrom generated.lib import *\nprint(lib.twice(1), twice(2), MAGIC)\n"
    assert output(folder, code) == "2 4 42\n"
