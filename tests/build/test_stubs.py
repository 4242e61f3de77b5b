"""tests/build/test_stubs.py: the .pyi beside an extension, and the comments of headers, which become docstrings."""

import ast
import importlib
import inspect
import shutil
import textwrap

import pytest

import torchthaw
from _ext import my_lib
from support import ROOT
from support.legacy_project import output
from torchthaw.header import comments


def functions(text):
    """name -> its definitions, and the names of the values."""
    found, values = {}, set()
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef):
            found.setdefault(node.name, []).append(node)
        elif isinstance(node, ast.AnnAssign):
            values.add(node.target.id)
    return found, values


def names(definition):
    arguments = definition.args
    return [each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]


def types(definition):
    arguments = definition.args
    every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    return {each.arg: ast.unparse(each.annotation) if each.annotation else "" for each in every}


def optional(definition):
    given = zip(definition.args.kwonlyargs, definition.args.kw_defaults)
    return {each.arg for each, default in given if default is not None}


STUB = ROOT / "_ext" / "my_lib" / "__init__.pyi"


def test_a_stub_has_the_names_of_its_module():
    found, values = functions(STUB.read_text())
    assert {*found, *values} == set(my_lib.__all__)
    assert all(isinstance(getattr(my_lib, name), int) for name in values - {"functions"})


def test_its_functions_take_what_the_module_takes():
    found, _ = functions(STUB.read_text())
    for name, definitions in found.items():
        for definition in definitions:
            assert names(definition) == list(inspect.signature(getattr(my_lib, name)).parameters), name


def test_types_and_what_may_be_left_out():
    found, _ = functions(STUB.read_text())
    full, short, made = found["lltm_forward"]
    assert not optional(full)
    assert optional(made) == optional(short) | {"new_h", "new_cell", "gates"} and ast.unparse(made.returns) == "Any"
    assert optional(short) == {"batch", "input_size", "state_size", "workspace", "workspace_size"}
    assert types(full) == {
        **dict.fromkeys(["input", "weights", "bias", "old_h", "old_cell"], "_Array"),
        **dict.fromkeys(["batch", "input_size", "state_size", "workspace_size"], "int"),
        "new_h": "_Output", "new_cell": "_Output", "gates": "_Output | None", "workspace": "_Output | None",
    }  # fmt: skip
    (version,) = found["my_lib_version"]
    assert ast.unparse(version.returns) == "str | None" and ast.unparse(full.returns) == "int"
    assert types(found["my_lib_add_forward"][0])["shape1"] == "_Sizes"


def test_docstrings_say_what_the_header_says():
    found, _ = functions(STUB.read_text())
    for definition in found["lltm_forward"]:
        doc = ast.get_docstring(definition)
        assert doc.startswith("int lltm_forward(const float *input, ")
        assert "\n\n[a_i, a_o, a_c] = [old_h, input] weights^T + bias\n  input gate i" in doc
        assert "\nweights: float32 (3 * state_size, state_size + input_size)\n" in doc
        assert doc.endswith("\ngates: float32 (batch, 3 * state_size), written, may be None")
    doc = ast.get_docstring(found["my_lib_add_forward"][0])
    assert "input2: float32 of shape shape2 and of shape shape1\n" in doc
    assert doc.endswith("written, may be the same tensor as input1 or input2")


def test_what_has_derivatives():
    """The arguments of the operator, and as many results; a nullable array behind which all have defaults has one."""
    classes = {each.name: each for each in ast.parse(STUB.read_text()).body if isinstance(each, ast.ClassDef)}
    pairs = {each.target.id: ast.unparse(each.annotation) for each in classes["_functions"].body[1:]}
    assert pairs == {
        name: f"_functions_{name}"
        for name in ("add", "batch_norm2d", "cube", "linear", "lltm", "lltm_sequence", "mul_constant", "scale_add")
    }
    calls = {
        name: next(each for each in classes[f"_functions_{name}"].body if getattr(each, "name", "") == "__call__")
        for name in pairs
    }
    call = calls["linear"]
    assert types(call) == {"_self": "", "input": "_Tensor", "weight": "_Tensor", "bias": "_Tensor | None"}
    assert (len(call.args.defaults), ast.unparse(call.returns)) == (1, "_Tensor")
    assert types(calls["batch_norm2d"]) == {"_self": "", "input": "_Tensor", "eps": "float"}
    results = {name: ast.unparse(each.returns) for name, each in calls.items()}
    assert results["lltm"] == "tuple[_Tensor, _Tensor]" and results["cube"] == "_Tensor"
    assert results["lltm_sequence"] == "tuple[_Tensor, _Tensor, _Tensor]"
    assert "new_cell = old_cell + c * i" in ast.get_docstring(calls["lltm"])
    assert ast.get_docstring(calls["lltm"]).endswith("\nnew_cell: (batch, state_size)")


def test_python_functions_have_the_comment_too():
    assert "new_cell = old_cell + c * i" in my_lib.lltm_forward.__doc__
    assert "new_cell = old_cell + c * i" in my_lib.lltm_forward_f64.__doc__
    assert my_lib.lltm_forward.__doc__.startswith("int lltm_forward(")


EVERYTHING = '''
#include <stdbool.h>
#include <stdint.h>
#define SIDES 4
enum unit { METRE, FOOT = 3 };
typedef struct { double x; } point;
extern const int version;
extern const double scale;

/* Fills "values" \\n with """x""". */
int fill(float *values, const int64_t *shape, bool twice, double value, void *any, const char *text, point *where);
float sum(const double *, int);
const char *name(enum unit unit);
void print(int count, ...);
int lambda(int from, int count);
int none(void);
'''


def test_every_c_type_has_one(tmp_path, monkeypatch):
    monkeypatch.setenv("TORCHTHAW_CACHE", str(tmp_path / "cache"))
    (tmp_path / "every.h").write_text(EVERYTHING)
    (tmp_path / "every.c").write_text(
        '#include "every.h"\nconst int version = 1;\nconst double scale = 2;\n'
        "int fill(float *v, const int64_t *s, bool t, double x, void *a, const char *c, point *w) { return 1; }\n"
        "float sum(const double *v, int n) { return 0; }\nconst char *name(enum unit unit) { return 0; }\n"
        "void print(int count, ...) { }\nint lambda(int a, int b) { return 0; }\nint none(void) { return 0; }\n"
    )
    made = torchthaw.create_extension("stubbed.every", "every.h", ["every.c"], relative_to=tmp_path / "x")
    made.build()
    text = (tmp_path / "stubbed" / "every" / "__init__.pyi").read_text()
    found, values = functions(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    module = importlib.import_module("stubbed.every")
    assert {*found, *values, "lambda"} == set(module.__all__)  # a keyword is no name for Python
    assert values == {"SIDES", "METRE", "FOOT", "version", "scale"}
    assert types(found["fill"][0]) == {
        "values": "_Array | None", "shape": "_Sizes | None", "twice": "bool", "value": "float",
        "any": "_Array | None", "text": "_Pointer | None", "where": "_Pointer | None",
    }  # fmt: skip
    assert ast.get_docstring(found["fill"][0]).split("\n\n")[1] == r'Fills "values" \n with """x""".'
    assert types(found["sum"][0]) == {"_0": "_Array | None", "_1": "int"}
    assert len(found["sum"][0].args.posonlyargs) == 2
    assert ast.unparse(found["name"][0].returns) == "Any" and types(found["name"][0]) == {"unit": "Any"}
    assert found["print"][0].args.vararg.arg == "more"
    assert found["none"][0].args.args == []


def test_beside_what_load_built(tmp_path):
    torchthaw.load_inline(
        "doubled", c_sources="int doubled(int value) { return 2 * value; }", functions={"doubled": "Twice."},
        build_directory=tmp_path,
    )  # fmt: skip
    found, _ = functions((tmp_path / "doubled.pyi").read_text())
    assert types(found["doubled"][0]) == {"value": "int"}
    assert ast.get_docstring(found["doubled"][0]).endswith("Twice.")


@pytest.mark.slow
def test_in_a_package_of_an_old_project(tmp_path):
    shutil.copytree(ROOT / "examples" / "legacy" / "script" / "src", tmp_path / "src")
    shutil.copy(ROOT / "examples" / "legacy" / "script" / "build.py", tmp_path)
    output(tmp_path, "import build; build.ffi.build()", PYTHONWARNINGS="ignore")
    found, _ = functions((tmp_path / "_ext" / "my_lib" / "__init__.pyi").read_text())
    assert set(found) == {"my_lib_add_forward", "my_lib_add_backward"}
    assert types(found["my_lib_add_forward"][0]) == dict.fromkeys(["input1", "input2", "output"], "_Tensor")


# Comments


@pytest.mark.parametrize("header, expected", [
    ("/* One. */\nint f(void);", {"f": "One."}),
    ("/** One.\n  *  Two.\n  */\nint f(void);", {"f": "One.\n Two."}),
    ("// One.\n// Two.\nint f(void);", {"f": "One.\nTwo."}),
    ("// Other.\n\n// One.\nint f(void);", {"f": "One."}),
    ("/* One. */\n\nint f(void);", {}),
    ("/* One. */\nint f(void);\nint g(void);\n\nint h(void);", {"f": "One.", "g": "One."}),
    ("/* One. */\nint f(void); /* Not of g. */\nint g(void);", {"f": "One."}),
    ('#ifdef __cplusplus\nextern "C" {\n#endif\n/* One. */\nint f(void);\n}', {"f": "One."}),
    ("/* One. */\nTHAW_STATUS\nAPI(x) int f(int n /* of them */);", {"f": "One."}),
    ("/* One. */\nTHAW_VARIANT_OF(f) THAW_STATUS int g(float *x THAW_SHAPE(f(3)));", {"g": "One."}),
    ("/* One. */\nstatic inline int f(void) { g(); return 0; }\n/* Two. */\nint g(void);", {"f": "One.", "g": "Two."}),
    ("/* No function. */\ntypedef int (*f)(void);\nint x = 3;", {}),
    ("/* of s */\nstruct s { int (*f)(void); };\nint h(void);", {}),
])  # fmt: skip
def test_the_comment_above_a_function(header, expected):
    assert comments.of(textwrap.dedent(header), {"f", "g", "h"}) == expected
