# tests/test_doctor.py: `python -m torchthaw doctor`, rule by rule and over whole projects.
import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from torchthaw.cli import main
from torchthaw.legacy.doctor import symbols
from torchthaw.legacy.doctor.examine import examine
from torchthaw.legacy.doctor.rules import CHECK, EDIT, MODE, RULES, WORKS

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def project(tmp_path):
    """write({relative path: text}) makes the project and returns its folder."""

    def write(files):
        for name, content in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return tmp_path

    return write


def findings(folder, name=None):
    return [finding for report in examine(folder) if name in (None, report.path) for finding in report.findings]


# (file, line, rule, effect, the edited line or None)
EXAMPLES = [
    ("a.py", "for i in xrange(3): pass", "python2-name", EDIT, "for i in range(3): pass"),
    ("a.py", "x, y = xrange(3), xrange(44)", "python2-name", EDIT, "x, y = range(3), range(44)"),
    ("a.py", "name = raw_input('?')", "python2-name", EDIT, "name = input('?')"),
    ("a.py", "t = unicode(s)", "python2-name", EDIT, "t = str(s)"),
    ("a.py", "isinstance(s, basestring)", "python2-name", EDIT, "isinstance(s, str)"),
    ("a.py", "for k, v in d.iteritems(): pass", "python2-name", EDIT, "for k, v in d.items(): pass"),
    ("a.py", "for v in d.itervalues(): pass", "python2-name", EDIT, "for v in d.values(): pass"),
    ("a.py", "for k in d.iterkeys(): pass", "python2-name", EDIT, "for k in d.keys(): pass"),
    ("a.py", "if self.d.has_key(k): pass", "python2-name", EDIT, "if k in self.d: pass"),
    ("a.py", "batch = iterator.next()", "python2-name", EDIT, "batch = next(iterator)"),
    ("a.py", "import cPickle as pickle", "python2-name", EDIT, "import pickle"),
    ("a.py", "import cPickle", "python2-name", EDIT, "import pickle as cPickle"),
    ("a.py", "import Queue", "python2-name", EDIT, "import queue as Queue"),
    ("a.py", "import ConfigParser", "python2-name", EDIT, "import configparser as ConfigParser"),
    ("a.py", "from StringIO import StringIO", "python2-name", EDIT, "from io import StringIO"),
    ("a.py", "import urllib2", "python2-name", EDIT, "import urllib.request as urllib2"),
    ("a.py", "from itertools import izip", "python2-name", EDIT, "izip = zip"),
    ("a.py", "for a, b in itertools.izip(x, y): pass", "python2-name", EDIT, "for a, b in zip(x, y): pass"),
    ("a.py", "m = itertools.imap(f, x)", "python2-name", EDIT, "m = map(f, x)"),
    ("a.py", "t = time.clock()", "python2-name", EDIT, "t = time.perf_counter()"),
    ("a.py", "s = inspect.getargspec(f)", "python2-name", EDIT, "s = inspect.getfullargspec(f)"),
    ("a.py", "isinstance(x, collections.Iterable)", "python2-name", EDIT, "isinstance(x, collections.abc.Iterable)"),
    ("a.py", "from collections import Iterable", "python2-name", EDIT, "from collections.abc import Iterable"),
    ("a.py", "m = x.astype(np.int)", "numpy-name", EDIT, "m = x.astype(int)"),
    ("a.py", "m = numpy.zeros(3, numpy.bool)", "numpy-name", EDIT, "m = numpy.zeros(3, bool)"),
    ("a.py", "x = x.cuda(async=True)", "async-keyword", EDIT, "x = x.cuda(non_blocking=True)"),
    ("a.py", "n = x.size(2) / 2", "integer-quotient", CHECK, "n = x.size(2) // 2"),
    ("a.py", "n = len(x) / 2", "integer-quotient", CHECK, "n = len(x) // 2"),
    ("a.py", "total += loss.data[0]", "data-index", EDIT, "total += loss.item()"),
    ("a.py", "print(self.loss_G.data[0])", "data-index", EDIT, "print(self.loss_G.item())"),
    ("a.py", "total += x.sum().data[0]", "data-index", EDIT, "total += x.sum().item()"),
    ("a.py", "y = x.data[0]", "data-index-maybe", MODE, "y = x.item()"),
    ("a.py", "x, _ = torch.gesv(b, a)", "removed-linalg", EDIT, None),
    ("a.py", "x, _ = torch.gels(b, a)", "removed-linalg", EDIT, None),
    ("a.py", "x, _ = torch.lstsq(b, a)", "removed-linalg", EDIT, None),
    ("a.py", "w, v = torch.symeig(a)", "removed-linalg", EDIT, None),
    ("a.py", "w, v = torch.eig(a)", "removed-linalg", EDIT, None),
    ("a.py", "u = torch.potrf(a)", "removed-linalg", EDIT, None),
    ("a.py", "u = torch.potri(a)", "removed-linalg", EDIT, None),
    ("a.py", "u = torch.potrs(b, a)", "removed-linalg", EDIT, None),
    ("a.py", "u = torch.trtrs(b, a)", "removed-linalg", EDIT, None),
    ("a.py", "u = torch.btrifact(a)", "removed-linalg", EDIT, None),
    ("a.py", "u = torch.btrisolve(b, a)", "removed-linalg", EDIT, None),
    ("a.py", "f = torch.rfft(x, 2)", "removed-linalg", EDIT, None),
    ("a.py", "f = torch.irfft(x, 2)", "removed-linalg", EDIT, None),
    ("a.py", "f = torch.ifft(x, 2)", "removed-linalg", EDIT, None),
    ("a.py", "f = torch.fft(x, 2)", "removed-linalg", EDIT, None),
    ("a.py", "n = torch.matrix_rank(x)", "removed-linalg", EDIT, None),
    ("a.py", "from torch.legacy import nn", "removed-module", EDIT, None),
    ("a.py", "from torch.nn._functions.thnn import auto", "removed-module", EDIT, None),
    ("a.py", "from torch.utils.trainer import Trainer", "removed-module", EDIT, None),
    ("a.py", "x.masked_copy_(m, y)", "removed-method", EDIT, "x.masked_scatter_(m, y)"),
    ("a.py", "y = x.cinv()", "removed-method", EDIT, "y = x.reciprocal()"),
    ("a.py", "keep = 1 - (x > 3)", "mask-arithmetic", EDIT, "keep = ~(x > 3)"),
    ("a.py", "from torch._six import string_classes", "torch-six", MODE, None),
    ("a.py", "x.mul(y, out=z)", "mul-out", MODE, None),
    ("a.py", "y = F.grid_sample(x, grid)", "grid-sample", MODE, None),
    ("a.py", "i = torch.arange(0, n)", "arange", MODE, None),
    ("a.py", "y = x / x.sum(1).expand_as(x)", "keepdim", MODE, None),
    ("a.py", "y = x.index((i, j))", "tensor-index", MODE, None),
    ("a.py", "for d in torch.testing.get_all_dtypes(): pass", "all-dtypes", MODE, None),
    ("a.py", "self.i = nn.Parameter(torch.LongTensor(3))", "integer-parameter", MODE, None),
    ("a.py", "m = torch.load('m.pth')", "torch-load", CHECK, None),
    ("a.py", "ffi = create_extension('_ext.a', [], [])", "create_extension", WORKS, None),
    ("a.py", "from torch.utils.ffi import _wrap_function", "wrapper", WORKS, None),
    ("a.py", "class Add(torch.autograd.Function): pass", "instance-function", WORKS, None),
    ("a.py", "x = Variable(x, volatile=True)", "volatile", WORKS, None),
    ("a.py", "y.backward(retain_variables=True)", "retain_variables", WORKS, None),
    ("a.py", "f = y.creator", "creator", WORKS, None),
    ("a.py", "from torch.utils.cpp_extension import load", "cpp-extension", CHECK, None),
    ("a.py", "flags = ['-arch=sm_52']", "gpu-architecture", WORKS, None),
    ("a.py", "include = ['/usr/local/cuda-8.0/include']", "cuda-folder", WORKS, None),
    ("a.sh", "nvcc -c a.cu -arch=sm_35", "gpu-architecture", EDIT, "nvcc -c a.cu -arch=sm_75"),
    ("Makefile", "CUDA = /usr/local/cuda-9.0", "cuda-folder", CHECK, None),
    ("a.cpp", "at::Tensor f();", "aten", EDIT, None),
    ("a.cpp", "#include <torch/torch.h>", "cpp-extension", EDIT, None),
    ("a.c", "T *p = (T *)THCudaMalloc(state, 4 * n);", "0.4.1", EDIT, "T *p; THCudaMalloc(state, (void **)&p, 4 * n);"),
    ("a.c", "  p = THCudaMalloc(state, n);", "0.4.1", EDIT, "THCudaMalloc(state, (void **)&p, n);"),
    ("a.c", "n = t->dim_;", "0.4.1", EDIT, "n = t->nDimension;"),
    ("a.cu", "x = __shfl_down(x, 1);", "shuffle", EDIT, "x = __shfl_down_sync(0xffffffff, x, 1);"),
    ("a.cu", "x = __shfl(x, 1);", "shuffle", EDIT, "x = __shfl_sync(0xffffffff, x, 1);"),
    ("a.cu", "b = __ballot(x > 0);", "shuffle", EDIT, "b = __ballot_sync(0xffffffff, x > 0);"),
    ("a.cu", "cudaThreadSynchronize();", "removed-cuda", EDIT, "cudaDeviceSynchronize();"),
    ("a.cu", "cudaThreadExit();", "removed-cuda", EDIT, "cudaDeviceReset();"),
    ("a.cu", "cudaThreadSetLimit(l, 4);", "removed-cuda", EDIT, "cudaDeviceSetLimit(l, 4);"),
    ("a.cu", "cudaThreadSetCacheConfig(c);", "removed-cuda", EDIT, "cudaDeviceSetCacheConfig(c);"),
    ("a.cu", "texture<float, 2> image;", "removed-cuda", EDIT, None),
    ("a.cu", "cudaConfigureCall(g, b);", "removed-cuda", EDIT, None),
    ("a.cu", "k = properties.clockRate;", "removed-cuda", EDIT, None),
    ("a.c", "exit(-1);", "process-exit", CHECK, None),
]  # fmt: skip


@pytest.mark.parametrize("file, line, rule, effect, after", EXAMPLES, ids=[f"{e[2]}-{e[1][:30]}" for e in EXAMPLES])
def test_rule(project, file, line, rule, effect, after):
    found = [finding for finding in findings(project({file: f"\n{line}\n"})) if finding.rule == rule]
    assert [(finding.line, finding.effect, finding.before) for finding in found] == [(2, effect, line.strip())]
    assert found[0].after == after
    if after and file.endswith(".py"):
        ast.parse(after)


def test_every_rule_has_an_example():
    for rule in RULES:
        matching = [line for file, line, name, effect, _ in EXAMPLES if (name, effect) == (rule.name, rule.effect)]
        assert any(rule.pattern.search(line) for line in matching), rule


# What looks like a finding and is none.
INNOCENT = [
    ("a.py", "# loss.data[0], x.cuda(async=True)"),
    ("a.py", "s = 'xrange(3) loss.data[0] async=True'"),
    ("a.py", 's = """\nprint x\nloss.data[0]\n"""'),
    ("a.py", "n = x.size(2) // 2"),
    ("a.py", "n = loss / x.size(0)"),
    ("a.py", "myxrange(3)"),
    ("a.py", "x = np.int64(3) + np.float32(2) + np.float_power(1, 2)"),
    ("a.py", "y = F.grid_sample(x, grid, align_corners=True)"),
    ("a.py", "i = torch.arange(0, n).float() + torch.arange(n, dtype=torch.float) + torch.arange(0.5, 2)"),
    ("a.py", "m = torch.load('m.pth', weights_only=False)"),
    ("a.py", "torch.mul(x, y, out=z)"),
    ("a.py", "f = torch.fft.rfft(x)"),
    ("a.py", "w = torch.linalg.eig(a)"),
    ("a.py", "print('a', 1, end='')"),
    ("a.py", "print('a', 1)"),
    ("a.py", "async def f(): pass"),
    ("a.py", "flags = ['-arch=sm_80', '-gencode', 'arch=compute_90,code=sm_90']"),
    ("a.sh", "# nvcc -arch=sm_35"),
    ("a.c", "/* at::Tensor THFooTensor_bar(x) exit(-1) */ // __shfl(x)"),
    ("a.c", 'char *s = "at::Tensor __shfl(x) THFooTensor_bar(x)";'),
    ("a.c", "cudaError_t e = THCudaMalloc(state, (void **)&p, 4);"),
    ("a.cu", "x = __shfl_down_sync(0xffffffff, x, 1);"),
    ("a.cu", "cudaLaunchKernel(f, g, b, a, 0, s);"),
    ("a.c", "static THFloatTensor (*make)(int); THTensor_ (fill)(t, 1);"),
    ("a.c", "THFloatTensor *my_own(THFloatTensor *t); THTensor *(*make)(THTensor *);"),
]


@pytest.mark.parametrize("file, text", INNOCENT, ids=[text[:40] for _, text in INNOCENT])
def test_no_false_alarm(project, file, text):
    assert findings(project({file: text + "\n"})) == []


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
    assert found[2].after == "print(x.cuda(async=False), async_x)"


def test_no_python_at_all(project):
    found = findings(project({"a.py": "x = 1\n{% if jinja %}\n"}))
    assert [(finding.line, finding.rule, finding.effect) for finding in found] == [(2, "syntax", EDIT)]
    assert found[0].message.startswith("Python 3 cannot parse this: ")


def test_unreadable_bytes(project):
    folder = project({
        "latin.py": b"# caf\xe9\nx = xrange(3)\n", "bom.py": b"\xef\xbb\xbfx = 1\n", "empty.py": b"", "null.py": b"\0",
    })  # fmt: skip
    rules = {report.path: [finding.rule for finding in report.findings] for report in examine(folder)}
    assert rules == {"latin.py": ["python2-name"], "bom.py": [], "empty.py": [], "null.py": ["syntax"]}


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
    used = findings(project({"a.cpp": "#include <ATen/ATen.h>\nint f(at::Tensor t) { return 1; }\n"}))
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
        "build.py": BUILD, "src/a_cuda.cu": "", "kept.o": b"\x7fELF", "src/a_cuda.cu.o": b"\x7fELF",
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


def test_folders_that_are_no_part_of_the_project(project):
    code = "xrange(3)"
    folder = project({".git/a.py": code, "__pycache__/a.py": code, "notes.txt": code, "b.py": "x = 1\n"})
    os.symlink(folder, folder / "loop")
    assert [report.path for report in examine(folder)] == ["b.py"]


GOOD = "from torch.utils.ffi import create_extension\nffi = create_extension('_ext.a', headers=[], sources=[])\n"
BAD = GOOD + "open('ran', 'w')\nprint loss.data[0]\n"


def test_exit_status(project, capsys):
    folder = project({"build.py": GOOD})
    assert main(["doctor", str(folder)]) == 0
    out = capsys.readouterr().out
    assert "build.py: works" in out and "nothing has to be edited: python -m torchthaw run build.py" in out
    project({"build.py": BAD})
    assert main(["doctor", str(folder)]) == 1
    out = capsys.readouterr().out
    assert "build.py: 2 to edit" in out
    assert "      - print loss.data[0]\n      + print(loss.data[0])\n" in out
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
    assert build["findings"][1] == {
        "line": 4, "effect": "edit", "rule": "data-index", "item": "scalar_index",
        "message": "a loss has no dimension today, and no index; or set TORCHTHAW_LEGACY_SEMANTICS=scalar_index",
        "before": "print loss.data[0]", "after": "print loss.item()",
    }  # fmt: skip


def test_patches(capsys, monkeypatch):
    from torchthaw.legacy import patches, semantics

    monkeypatch.setenv("TORCHTHAW_NO_PATCH", "creator")
    assert main(["doctor", "--patches"]) == 0
    lines = capsys.readouterr().out.splitlines()
    names = [entry[0] for entry in patches.listing() + semantics.SEMANTICS.listing()]
    assert [line.split()[0] for line in lines if line.startswith(" ")] == names
    assert [line.split()[0] for line in lines if line.endswith("(off)")] == ["creator"]
    monkeypatch.setenv("TORCHTHAW_NO_PATCH", "creators")
    assert main(["doctor", "--patches"]) == 2
    assert "TORCHTHAW_NO_PATCH: name: expected one of instance_functions, " in capsys.readouterr().err


def test_command_needs_no_torch(project):
    folder = project({"torch.py": "raise SystemExit('imported')\n", "a.py": "import torch\n"})
    command = [sys.executable, "-m", "torchthaw", "doctor", str(folder / "a.py")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)])}
    result = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith("a.py: works\n")
