"""tests/export/test_export_of_any_name.py: any name and comment of C in what `export` writes; it compiles, is imported and right.

The programs of hosts run where `make hosts` has installed their packages.
"""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
from test_jax import VERSIONS as JAX
from test_onnxruntime import VERSIONS as ONNXRUNTIME

from support import ROOT, table_host
from torchthaw.base import emitter

# What C, the generated files, Python and JAX have for themselves.
OPERATORS = """
    sum filter map print type input range len dict tuple zip enumerate ctypes jax numpy operator functools dataclasses pathlib
    num_threads self cls a A table call text index argument lambda class None def True name OPERATORS PAIRS STEM
    _run _call _names _read _array _library _table _name _pair
""".split()
PARAMETERS = """
    self cls lambda class name type sum filter map _run outputs dict a A call text num_threads function jax numpy OPERATORS
    numbers given print input out
""".split()
COMMENT = 'Ends with "quotes", has """, \\N{nothing}, \\x and /\u00e9 \u202e, then "'


def header():
    text = "/* 2d.ops.h */\n#include <stdint.h>\n#include <torchthaw/annotate.h>\n"
    for name in OPERATORS:
        text += f"/* {COMMENT} */\nvoid {name}(const double *x THAW_SHAPE(n), int64_t n, double scale, double *y THAW_SHAPE(n));\n"
    for i, name in enumerate(PARAMETERS):
        text += f"""/* {COMMENT} */
void of_{i}_forward(const double *{name} THAW_SHAPE(n), int64_t n, double scale, double *y THAW_SHAPE(n));
THAW_BACKWARD_OF(of_{i}_forward)
void of_{i}_backward(const double *grad_y THAW_SHAPE(n), int64_t n, double scale, double *grad_{name} THAW_SHAPE(n));
"""
    return text


def source(text):
    """The functions that a header declares: the last array is the first, times ``scale``."""
    found = '#include "2d.ops.h"\n'
    for head in re.findall(r"void [^;]*;", re.sub(r"THAW_SHAPE\(\w+\)", "", text)):
        x, n, _, y = [each.split()[-1].strip("*") for each in head[head.index("(") + 1 : -2].split(",")]
        found += f"{head[:-1]} {{ for (int64_t i_ = 0; i_ < {n}; ++i_) {y}[i_] = scale * {x}[i_]; }}\n"
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the header, its source, and what is written for each host."""
    made = tmp_path_factory.mktemp("names")
    (made / "2d.ops.h").write_text(header(), "utf-8")
    (made / "2d.ops.c").write_text(source(header()))
    for host in ("table", "onnxruntime", "jax"):
        subprocess.run(
            [sys.executable, "-m", "torchthaw", "export", host, "2d.ops.h", "-D", 'GIVEN="*/ \\""'], cwd=made, check=True,
            env={**table_host.environment(), "PYTHONPATH": str(ROOT / "src")}, stdout=subprocess.DEVNULL,
        )  # fmt: skip
    return made


@pytest.mark.slow
def test_python_s_parser_reads_the_modules(folder):
    for name in ("_2d_ops_jax.py", "_2d_ops_onnx.py"):
        tree = ast.parse((folder / name).read_text("utf-8"))
        assert name in ast.get_docstring(tree)
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert functions  # those of the ONNX module


@pytest.mark.slow
def test_no_function_of_the_module_hides_what_the_module_uses(folder):
    """A name that is assigned twice is one of the header's and one of the module's own."""
    tree = ast.parse((folder / "_2d_ops_jax.py").read_text("utf-8"))
    defined = [node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
    assert len(defined) == len({*defined})
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    built_in = {name for name in defined if name in emitter.BUILT_IN & used}
    assert built_in == set()
    assert {"sum_", "filter_", "map_", "jax_", "lambda_"} <= {*defined}


@pytest.mark.slow
@pytest.mark.parametrize("what", ["table", "onnxruntime"])
def test_the_c_files_compile_without_a_warning(folder, what):
    flags = [each if what == "table" else each.replace("c99", "c11") for each in table_host.compiler("-c", "-fPIC")]
    assert all(each.isprintable() for each in (folder / f"_2d_ops_{what}.c").read_text("utf-8").replace("\n", ""))
    subprocess.run(
        [*flags, "-Wno-bidi-chars", f"-I{folder}", f"_2d_ops_{what}.c", "-o", f"{what}.o"], cwd=folder, check=True
    )


@pytest.mark.slow
@pytest.mark.skipif(not (JAX["newest"] / "jaxlib").is_dir(), reason="make hosts installs the packages of JAX")
def test_functions_of_any_name_in_jax(folder, tmp_path):
    command = [
        each.replace("c99", "c11") for each in table_host.compiler("-shared", "-fPIC", "-Wl,--no-undefined,-Bsymbolic")
    ]
    subprocess.run(
        [*command, "-Wno-bidi-chars", "-isystem", JAX["newest"] / "jaxlib" / "include", f"-I{folder}", folder / "_2d_ops_jax.c",
         folder / "_2d_ops_table.c", folder / "2d.ops.c", "-o", folder / "lib_2d_ops_jax.so"], check=True,
    )  # fmt: skip
    pairs = [f"of_{i}" for i, _ in enumerate(PARAMETERS)]
    code = f"""
import sys; sys.path.insert(0, {str(folder)!r})
import jax; jax.config.update("jax_enable_x64", True)
import _2d_ops_jax as module
x = jax.numpy.array([1.0, -2.0])
for name in {[*OPERATORS]!r}:
    function = getattr(module, name, None) if not hasattr(module, name + "_") else getattr(module, name + "_")
    assert function(x, 3.0).tolist() == [3, -6], name
    assert {COMMENT[:20]!r} in function.__doc__
for name in {pairs!r}:
    function = getattr(module, name)
    assert function(x, 3.0).tolist() == [3, -6], name
    assert jax.grad(lambda x: function(x, 3.0).sum())(x).tolist() == [3, 3], name
"""
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], capture_output=True, text=True,
        env={**table_host.environment(), "PYTHONPATH": str(JAX["newest"]), "PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.skipif(
    not (ONNXRUNTIME["newest"] / "onnxscript").is_dir(), reason="make hosts installs the packages of ONNX Runtime"
)
def test_schemas_of_any_name_in_onnx(folder):
    code = f"import sys; sys.path.insert(0, {str(folder)!r}); import _2d_ops_onnx as m; m.register(); print(len(m.schemas()))"
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], capture_output=True, text=True,
        env={**table_host.environment(), "PYTHONPATH": str(ONNXRUNTIME["newest"])},
    )  # fmt: skip
    assert (done.stdout, done.stderr) == (f"{len(OPERATORS) + 2 * len(PARAMETERS)}\n", "")


def test_a_file_name_that_c_cannot_include_is_refused(tmp_path):
    (tmp_path / 'a"b.h').write_text(Path(__file__).parent.joinpath("kinds.h").read_text())
    done = subprocess.run(
        [sys.executable, "-m", "torchthaw", "export", "table", 'a"b.h'], cwd=tmp_path, capture_output=True, text=True,
        env={**table_host.environment(), "PYTHONPATH": str(ROOT / "src")},
    )  # fmt: skip
    assert done.returncode == 1 and 'a"b.h' in done.stderr and "Traceback" not in done.stderr
