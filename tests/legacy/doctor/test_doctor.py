# tests/legacy/doctor/test_doctor.py: `python -m torchthaw doctor`: Python 2, symbols of TH, what it prints and answers.
import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from support import SRC
from support.doctor_project import findings, project  # noqa: F401
from torchthaw.cli import main
from torchthaw.doctor import python_files, symbols
from torchthaw.doctor.examine import examine
from torchthaw.doctor.reading import tree
from torchthaw.doctor.rules import CHECK, EDIT, WORKS
from torchthaw.doctor.rules.rule import TreeRule

PYTHON2 = [
    ("print 'a', x", "print('a', x)"),
    ("print >>f, x,", "print(x, end=' ', file=f)"),
    ("print", None),
    ("print('%d' % x), y", "print(('%d' % x), y)"),
    ("exec code in space", "exec(code, space)"),
    ("raise ValueError, 'no'", "raise ValueError('no')"),
    ("if a <> b: pass", "if a != b: pass"),
    ("s = `x`", "s = repr(x)"),
    ("mode = 0755", "mode = 0o755"),
    ("n = 10L", "n = 10"),
]


@pytest.mark.parametrize("line, after", PYTHON2, ids=[line for line, _ in PYTHON2])
def test_python2_syntax(project, line, after):
    text = f"# a comment\n{line}\nprint 'the end'\n"
    found = findings(project({"a.py": text}))
    assert {finding.rule for finding in found} == {"python2-syntax"}
    edits = {finding.line: finding.after for finding in found}
    assert edits[3] == "print('the end')"
    assert edits[2] == (after or "print()")
    ast.parse(edits[2])


def test_python2_except_and_tuple_parameters(project):
    text = "try:\n    pass\nexcept (IOError, OSError), error:\n    print error\n\ndef f(a, (b, c)):\n    return b\n"
    found = findings(project({"a.py": text}))
    assert found[0].line == 3 and found[0].after == "except (IOError, OSError) as error:"
    assert any(finding.line == 6 for finding in found)


def test_async_in_a_python2_file(project):
    found = findings(project({"a.py": "x = x.cuda(async=True)\nprint x.cuda(async=False), async_x\n"}))
    assert [(finding.line, finding.rule) for finding in found] == [
        (1, "async-keyword"), (2, "async-keyword"), (2, "python2-syntax"),
    ]  # fmt: skip
    assert found[2].after == "print(x.cuda(non_blocking=False), async_x)"


def test_no_python_at_all(project):
    found = findings(project({"a.py": "x = 1\n{% if jinja %}\n"}))
    assert [(finding.line, finding.rule, finding.effect) for finding in found] == [(2, "syntax", EDIT)]
    assert found[0].message.startswith("Python 3 cannot parse this: ")


def test_unreadable_bytes(project):
    folder = project({
        "latin.py": b"# caf\xe9\nx = xrange(3)\n", "bom.py": b"\xef\xbb\xbfx = 1\n", "empty.py": b"", "null.py": b"\0",
    })  # fmt: skip
    rules = {report.path: [finding.rule for finding in report.findings] for report in examine(folder)}
    assert rules == {"latin.py": ["encoding", "python2-name"], "bom.py": [], "empty.py": [], "null.py": ["syntax"]}


def test_unknown_symbols(project):
    folder = project({
        "src/a.c": "void f(THFloatTensor *t) {\n"
        "  THFloatTensor_resize2d(t, 1, 2); THTensor_(fill)(t, 1); THAlloc(3); THFloatTensor_copyCuda(s, t, t);\n"
        "  THFloatTensor_newContigous(t);\n"
        "  THFloatTensor_nDimensionLegacyAll(t);\n"
        "  THTensor_(frobnicate)(t);\n"
        "  THIntTensor_sigmoid(t, t);\n"
        "  THCudaFloatTensor_zero(state, t);\n"
        "  THNN_FloatAbs_updateOutput(0, t, t);\n"
        "  THFloatTensor_mine(t); MY_(x)(t); THFloatTensor_newContigous(t);\n}\n",
        "src/a.h": "#define TH_MINE(x) x\nstatic void THFloatTensor_mine(THFloatTensor *t) { TH_MINE(t); }\n",
    })  # fmt: skip
    found = findings(folder)
    assert {finding.rule for finding in found} == {"unknown-symbol"}
    assert [(finding.line, finding.message.split(":")[0]) for finding in found] == [
        (3, "THFloatTensor_newContigous"), (4, "THFloatTensor_nDimensionLegacyAll"), (5, "THTensor_(frobnicate)"),
        (6, "THIntTensor_sigmoid"), (7, "THCudaFloatTensor_zero"), (8, "THNN_FloatAbs_updateOutput"),
    ]  # fmt: skip
    assert found[0].after == "THFloatTensor_newContiguous(t);" and found[1].after == "THFloatTensor_nDimension(t);"
    assert found[2].after is None
    assert found[4].after == "THCudaTensor_zero(state, t);"


def test_table_of_symbols():
    table = symbols.table()
    for name in (
        "THFloatTensor_data", "THTensor_(data)", "THCudaTensor_resize4d", "THCudaDoubleTensor_fill", "THCTensor_(fill)",
        "THCState_getCurrentStream", "THArgCheck", "TH_TENSOR_APPLY2", "THFloatStorage_copyCuda", "THBlas_(gemm)",
        "THHalfTensor_newClone",
    ):  # fmt: skip
        assert name in table, name
    for name in ("THCudaFloatTensor_data", "THIntTensor_sigmoid", "THHalfTensor_cadd", "THFloatTensor_"):
        assert name not in table, name


def test_aten(project):
    unused = findings(project({"a.cpp": "#include <ATen/ATen.h>\nint f() { return 1; }\n"}))
    assert [(finding.rule, finding.effect) for finding in unused] == [("aten-include", WORKS)]
    beside = {"b.c": "#include <TH/TH.h>\n"}  # so that torch.utils.ffi may build both
    used = findings(
        project({"a.cpp": "#include <ATen/ATen.h>\nint f(at::Tensor t) { return 1; }\n", **beside}), "a.cpp"
    )
    assert [(finding.rule, finding.effect) for finding in used] == [("aten", EDIT)]


def test_hint_for_debug(project):
    flat = "float f(THFloatTensor *t) { return THFloatTensor_data(t)[3]; }\n"
    asks = "float f(THFloatTensor *t) { t = THFloatTensor_newContiguous(t); return THFloatTensor_data(t)[3]; }\n"
    found = findings(project({"flat.c": flat, "asks.c": asks}))
    assert [finding.rule for finding in found] == ["strides"] and "TORCHTHAW_DEBUG=1" in found[0].message


BUILD = """
from torch.utils.ffi import create_extension
ffi = create_extension('_ext.a', headers=['src/a.h'], sources=['src/a.c'], extra_objects=[
    'src/a_cuda.cu.o',
    'src/lost.cu.o',
    os.path.join(here, 'kept.o')])
"""


def test_compiled_objects(project):
    folder = project({
        "build.py": BUILD, "src/a.h": "", "src/a.c": "", "src/a_cuda.cu": "", "kept.o": b"\x7fELF",
        "src/a_cuda.cu.o": b"\x7fELF",
        "_ext/a/_a.so": b"\x7fELF", "lib/libb.a": b"!<arch>", "lib/libc.so.1.2": b"\x7fELF",
    })  # fmt: skip
    found = findings(folder, "build.py")
    assert [(finding.line, finding.effect, finding.message.split(" ")[0].rstrip(":")) for finding in found] == [
        (3, WORKS, "torch.utils.ffi"), (4, WORKS, "src/a_cuda.cu.o"), (5, EDIT, "src/lost.cu.o"),
    ]  # fmt: skip
    found = [(report.path, finding) for report in examine(folder) for finding in report.findings]
    binaries = {path: finding.effect for path, finding in found if finding.rule == "binary"}
    assert binaries == {
        "kept.o": WORKS, "src/a_cuda.cu.o": WORKS, "_ext/a/_a.so": WORKS, "lib/libb.a": CHECK, "lib/libc.so.1.2": WORKS,
    }  # fmt: skip


def test_binaries_of_this_build(project):
    found = findings(project({"_new.so": b"\x7fELF..torchthaw.bridge._bridge.api_1..", "_old.so": b"\x7fELF"}))
    assert [finding.message.split(";")[0] for finding in found] == [
        "built by torchthaw", "compiled for another Python or PyTorch",
    ]  # fmt: skip


def test_a_fault_in_one_file_leaves_the_report_of_the_others(project, monkeypatch):
    def fail(tree, project):
        return [tree.code.index("never")] if "here" in tree.code else []

    monkeypatch.setattr(python_files, "TREE_RULES", [TreeRule("bad", EDIT, "", fail), *python_files.TREE_RULES])
    folder = project({"a.py": "here = 1\n", "b.py": "xrange(3)\n"})
    found = {report.path: [(each.effect, each.rule) for each in report.findings] for report in examine(folder)}
    assert found == {"a.py": [(CHECK, "unreadable")], "b.py": [(EDIT, "python2-name")]}


def test_expressions_of_f_strings_whose_position_is_wrong_are_left_out(monkeypatch):
    """Before Python 3.12 an expression may be said to be in another place of its f-string."""
    text = 'x = f"a / b {  a / b} {c / d}"\n'
    module = ast.parse(text)
    wrong = next(node for node in ast.walk(module) if isinstance(node, ast.BinOp))
    wrong.col_offset, wrong.end_col_offset = 6, 11
    monkeypatch.setattr(tree, "parse", lambda given: module if given == text else ast.parse(given))
    read = tree.Tree(text)
    assert [read.source(node) for node in read.all(ast.BinOp)] == ["c / d"]
    assert read.code.split() == ["x", "=", "c", "/", "d"]


def test_folders_that_are_no_part_of_the_project(project):
    code = "xrange(3)"
    folder = project({".git/a.py": code, "__pycache__/a.py": code, "notes.txt": code, "b.py": "x = 1\n"})
    os.symlink(folder, folder / "loop")
    assert [report.path for report in examine(folder)] == ["b.py"]


GOOD = "from torch.utils.ffi import create_extension\nffi = create_extension('_ext.a', headers=[], sources=[])\n"
BAD = GOOD + "open('ran', 'w')\nprint loss.data[0]\n"


def test_exit_status(project, capsys, monkeypatch):
    folder = project({"build.py": GOOD})
    monkeypatch.chdir(folder)
    assert main(["doctor", str(folder)]) == 0
    out = capsys.readouterr().out
    assert "build.py: works" in out and "nothing has to be edited: python -m torchthaw run build.py" in out
    project({"build.py": BAD})
    assert main(["doctor", str(folder)]) == 1
    out = capsys.readouterr().out
    assert "build.py: 2 to edit" in out
    assert "      - print loss.data[0]\n      + print(loss.item())\n" in out
    assert "1 file: 2 edits in 1 file, 0 to edit or run with legacy semantics, 0 to check" in out
    assert "TORCHTHAW_LEGACY_SEMANTICS=scalar_index" in out
    assert not (folder / "ran").exists() and not Path("ran").exists()
    assert main(["doctor", str(folder / "none")]) == 2
    assert f"PATH: expected a folder or a file, got '{folder / 'none'}'" in capsys.readouterr().err
    with pytest.raises(SystemExit) as usage:
        main(["doctor"])
    assert usage.value.code == 2


def test_what_works_is_said_once_in_a_file(project):
    folder = project({"build.py": GOOD + GOOD})
    assert [(finding.line, finding.rule) for finding in findings(folder)] == [(2, "create_extension")]


def test_one_file(project, capsys):
    assert main(["doctor", str(project({"a.py": "print 1\n", "b.py": "print 2\n"}) / "a.py")]) == 1
    out = capsys.readouterr().out
    assert "a.py: 1 to edit" in out and "b.py" not in out


def test_json(project, capsys):
    folder = project({"build.py": BAD, "a.c": "float *p = THFloatTensor_data(t);\n"})
    assert main(["doctor", str(folder), "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert answer["exit_status"] == 1 and answer["debug"] is True and answer["legacy_semantics"] == ["scalar_index"]
    assert answer["counts"] == {"edit": 2, "mode": 0, "check": 1, "works": 1}
    build = next(file for file in answer["files"] if file["path"] == "build.py")
    assert [finding["rule"] for finding in build["findings"]] == ["create_extension", "python2-syntax", "data-index"]
    assert build["findings"][2] == {
        "line": 4, "effect": "edit", "rule": "data-index", "item": "scalar_index",
        "message": "a loss has no dimension today, and no index; or set TORCHTHAW_LEGACY_SEMANTICS=scalar_index",
        "before": "print loss.data[0]", "after": "print(loss.item())", "certain": True,
    }  # fmt: skip


def test_patches(capsys, monkeypatch):
    from torchthaw.bridge import private_names
    from torchthaw.legacy.ffi import semantics
    from torchthaw.legacy.run import patches

    monkeypatch.setattr(private_names, "missing", dict)
    monkeypatch.setenv("TORCHTHAW_NO_PATCH", "creator")
    assert main(["doctor", "--patches"]) == 0
    lines = capsys.readouterr().out.splitlines()
    names = [entry[0] for entry in patches.listing() + semantics.SEMANTICS.listing()]
    assert [line.split()[0] for line in lines if line.startswith(" ")] == names
    assert [line.split()[0] for line in lines if line.endswith("(off)")] == ["creator"]
    monkeypatch.setattr(private_names, "missing", lambda: {"torch._C._gone": "a call of Python"})
    assert main(["doctor", "--patches"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "  torch._C._gone: a call of Python"
    assert main(["doctor", "--patches", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in found["patches"] + found["semantics"]] == names
    assert [row["name"] for row in found["patches"] if row["off"]] == ["creator"]
    assert found["private_names"] == [{"name": "torch._C._gone", "stands_in": "a call of Python"}]
    monkeypatch.setenv("TORCHTHAW_NO_PATCH", "creators")
    assert main(["doctor", "--patches"]) == 2
    assert "TORCHTHAW_NO_PATCH: name: expected one of instance_functions, " in capsys.readouterr().err


def test_command_needs_no_torch(project):
    folder = project({"torch.py": "raise SystemExit('imported')\n", "a.py": "import torch\n"})
    command = [sys.executable, "-m", "torchthaw", "doctor", str(folder / "a.py")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(SRC)])}
    result = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith("a.py: works\n")
