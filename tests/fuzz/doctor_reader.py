"""tests/fuzz/doctor_reader.py: the files of a legacy project, as `torchthaw doctor` reads them.

Any files give a report for each of them and a diff, in time. None of them is executed or written. Certain edits leave
Python that parses, and lead to a text of which the doctor has no more certain edits to make.
"""

import ast
import json
import sys
import warnings

import guided
from hypothesis import given, strategies as st

from torchthaw.doctor import apply, report
from torchthaw.doctor.examine import Examination
from torchthaw.doctor.project import kind
from torchthaw.doctor.reading import commands
from torchthaw.doctor.rules import PYTHON, C

WORDS = [
    "print ", "print 'a'\n", "exec ", "raise E, 'x'\n", "except E, e:", "`x`", "<>", "0777", "10L", "ur''", "lambda (a, b): a",
    "async", "async=True", ".cuda(async=True)", "Variable(", "volatile=True", ".data[0]", "import urllib2\n", "xrange(",
    "from torch.utils.ffi import create_extension\n", "ffi = create_extension('_ext.a', headers=['a.h'], sources=['a.c'])\n",
    "headers += ['b.h']\n", "if torch.cuda.is_available():\n", "=== build.py\n", "=== src/a.c\n", "=== src/a.h\n", "=== m.py\n",
    "=== Makefile\n", "=== k.cu\n", "=== a.o\n", "# -*- coding: latin-1 -*-\n", "# coding: utf-16\n", "\\xef\\xbb\\xbf", "\0", "\r", "\f",
    "THFloatTensor_data(", "THFloatTensor *x", "THTensor_(fill)(", "THCState *state = at::globalContext().getTHCState();\n",
    "#include <TH/TH.h>\n", "#include <THC/THC.h>\n", "AT_CHECK(", "x.type()", "x.data<float>()", "AT_DISPATCH_FLOATING_TYPES(",
    "#ifdef __cplusplus\n", "#endif\n", "#pragma omp parallel\n", "class F(Function):\n    def forward(self, x):\n        return x\n",
    "try:\n", "def f(", "    ", "\t", '"""', "'''", "\\\n", "(" * 20, "[" * 20, "f'{x!r:>{w}}'", "typedef ", "->storage->data", "# ",
    "torch.autograd.Variable", "nn.functional.upsample(", "model.load_state_dict(", "np.int", "x.size(0) / 2", ".masked_select(a == b)",
]  # fmt: skip


def check(data):
    with guided.project(guided.files(data, "build.py")) as folder:
        with guided.only_reads(folder):
            examination = Examination(folder)
            examine_reports(examination)
            apply.diff(examination)
        examine_edits(examination, folder)


def examine_reports(examination):
    """Every file that says something about a project is named, and so is what its report tells."""
    named = {report.path for report in examination.reports}
    for path in examination.project.files:
        if path.relative_to(examination.project.root).as_posix() not in named:
            raise guided.Broken(f"expected a report of {path}, got those of {sorted(named)}")
    json.dumps(report.as_json(".", examination.reports, None))
    report.as_text(".", examination.reports, commands.build_command(examination), None)
    for each in examination.reports:
        lines = each.text.count("\n") + 1 if each.text is not None else 0
        for finding in each.findings:
            if not 0 <= finding.line <= lines:
                raise guided.Broken(f"expected a line of {each.path}, which has {lines}, got {finding}")


def examine_edits(examination, folder):
    """What --apply writes parses, and is all that it would write."""
    sources = {file.relative_to(folder).as_posix(): file for file in examination.project.files}
    changed, failed, *_ = apply.write(examination)
    if failed and any("changed since" in why or "invalid syntax" in why for why in failed.values()):
        raise guided.Broken(f"expected edits that can be written, got {failed}")
    again = Examination(folder)
    for each in again.reports:
        file = sources.get(each.path)
        if file is None or each.path not in changed:
            continue
        if kind(file) == PYTHON:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ast.parse(file.read_bytes())
        if kind(file) in (PYTHON, C) and each.edited is not None and each.edited != each.text:
            raise guided.Broken(f"expected no more edits of {each.path}, got {each.edited!r} of {each.text!r}")


# ---- Projects that are sensible -------------------------------------------------------------------------------------

NAMES = st.sampled_from(["x", "y", "self", "torch", "data", "async", "F", "Variable", "np"])
VALUES = st.recursive(
    st.one_of(NAMES, st.sampled_from(["1", "2.5", "0777", "10L", "'text'", "u'é'", "None", "`x`", "x <> y", "[]", "{}"])),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "/", "%", "==", "and", "<>"]), inner).map(" ".join),
        inner.map("({})".format), st.tuples(NAMES, inner).map(lambda pair: f"{pair[0]}({pair[1]})"),
        inner.map("f(a, async={})".format), inner.map("x.data[{}]".format), inner.map("lambda (a, b): {}".format),
        inner.map("Variable({}, volatile=True)".format), inner.map("x.size({}) / 2".format), inner.map("[{}]".format),
    ), max_leaves=5,
)  # fmt: skip
SIMPLE = st.one_of(
    VALUES, VALUES.map("print {}".format), VALUES.map("return {}".format), VALUES.map("raise E, {}".format), VALUES.map("exec {}".format),
    st.tuples(NAMES, VALUES).map(" = ".join), st.tuples(NAMES, VALUES).map(" += ".join), VALUES.map("assert {}, 'no'".format),
    st.sampled_from(["pass", "import urllib2", "from torch.utils.ffi import create_extension", "print >>sys.stderr, x",
                     "from .._ext import a", "import torch.utils.ffi as ffi", "global x", "del x", "print", "# note"]),
    VALUES.map("create_extension('_ext.a', headers=[{}], sources=['src/a.c'])".format),
)  # fmt: skip


@st.composite
def blocks(draw, depth=0):
    """Lines of Python 2 or 3."""
    lines, indent = [], "    " * depth
    for _ in range(draw(st.integers(1, 3))):
        head = draw(st.sampled_from(["", "", "", "if", "for", "def", "class", "try", "while"])) if depth < 3 else ""
        if not head:
            lines.append(indent + draw(SIMPLE))
            continue
        value = draw(VALUES)
        lines.append(indent + {
            "if": f"if {value}:", "for": f"for x in {value}:", "def": f"def f(self, x, (a, b)=({value}, 1), async=None):",
            "class": "class F(Function):", "try": "try:", "while": f"while {value}:",
        }[head])  # fmt: skip
        lines += draw(blocks(depth + 1))
        if head == "try":
            lines += [f"{indent}except (E, F), e:", f"{indent}    print e"]
    return lines


@given(blocks(), st.sampled_from(["\n", "\r\n", "\r"]), st.sampled_from(["utf-8", "latin-1", "utf-8-sig"]))
def generated(lines, ending, encoding):
    """The same for projects in Python 2 and 3."""
    check(ending.join([*lines, ""]).encode(encoding))


if __name__ == "__main__":
    sys.exit(guided.main(__file__))
