# tests/legacy/doctor/test_doctor_rules.py: each rule of `python -m torchthaw doctor` by what it finds, and lines that
# none finds.
import ast

import pytest

from support.doctor_project import applied, findings, project  # noqa: F401
from torchthaw.legacy.doctor.project import Project
from torchthaw.legacy.doctor.rules import CHECK, EDIT, MODE, PATTERNS, TREE_RULES, WORKS
from torchthaw.legacy.doctor.tree import Tree

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
    ("a.py", "if d.has_key('a') or e.has_key(\"b\"): pass", "python2-name", EDIT, "if 'a' in d or \"b\" in e: pass"),
    ("a.py", "batch = iterator.next()", "python2-name", EDIT, "batch = next(iterator)"),
    ("a.py", "for v in d.itervalues(): n = v", "python2-name", EDIT, "for v in d.values(): n = v"),
    ("a.py", "import cPickle as pickle", "python2-name", EDIT, "import pickle"),
    ("a.py", "import cPickle", "python2-name", EDIT, "import pickle as cPickle"),
    ("a.py", "import Queue", "python2-name", EDIT, "import queue as Queue"),
    ("a.py", "import ConfigParser", "python2-name", EDIT, "import configparser as ConfigParser"),
    ("a.py", "from StringIO import StringIO", "python2-name", EDIT, "from io import StringIO"),
    ("a.py", "import urllib2", "python2-name", EDIT, "import urllib.request as urllib2"),
    ("a.py", "from itertools import izip", "python2-name", EDIT, "izip = zip"),
    ("a.py", "from itertools import chain, izip", "python2-name", EDIT, "from itertools import chain; izip = zip"),
    (
        "a.py", "from collections import OrderedDict, Mapping", "python2-name", EDIT,
        "from collections import OrderedDict; from collections.abc import Mapping",
    ),
    ("a.py", "for a, b in itertools.izip(x, y): pass", "python2-name", EDIT, "for a, b in zip(x, y): pass"),
    ("a.py", "m = itertools.imap(f, x)", "python2-name", EDIT, "m = map(f, x)"),
    ("a.py", "t = time.clock()", "python2-name", EDIT, "t = time.perf_counter()"),
    ("a.py", "s = inspect.getargspec(f)", "python2-name", EDIT, "s = inspect.getfullargspec(f)"),
    ("a.py", "isinstance(x, collections.Iterable)", "python2-name", EDIT, "isinstance(x, collections.abc.Iterable)"),
    ("a.py", "from collections import Iterable", "python2-name", EDIT, "from collections.abc import Iterable"),
    ("a.py", "m = x.astype(np.int)", "library-name", EDIT, "m = x.astype(int)"),
    ("a.py", "m = numpy.zeros(3, numpy.float)", "library-name", EDIT, "m = numpy.zeros(3, float)"),
    ("a.py", "c = unichr(9)", "python2-name", EDIT, "c = chr(9)"),
    ("a.py", "n = long(3) + x.long().sum()", "python2-name", EDIT, "n = int(3) + x.long().sum()"),
    ("a.py", "whole = isinstance(n, (int, long))", "python2-name", EDIT, "whole = isinstance(n, int)"),
    ("a.py", "execfile('a.py')", "python2-name", EDIT, "exec(open('a.py').read())"),
    ("a.py", "first = d.keys()[0]", "python2-name", EDIT, "first = list(d.keys())[0]"),
    ("a.py", "first = zip(a, b)[0]", "python2-name", EDIT, "first = list(zip(a, b))[0]"),
    ("a.py", "from urllib import urlretrieve", "python2-name", EDIT, "from urllib.request import urlretrieve"),
    ("a.py", "urllib.urlretrieve(url)", "python2-name", EDIT, "urllib.request.urlretrieve(url)"),
    ("a.py", "n = sys.maxint", "python2-name", EDIT, "n = sys.maxsize"),
    ("a.py", "c = yaml.load(open(name))", "library-name", EDIT, "c = yaml.safe_load(open(name))"),
    ("a.py", "t = transforms.Scale(256)", "library-name", EDIT, "t = transforms.Resize(256)"),
    ("a.py", "t = transforms.RandomSizedCrop(9)", "library-name", EDIT, "t = transforms.RandomResizedCrop(9)"),
    ("a.py", "image = scipy.misc.imread(name)", "library-name", EDIT, None),
    ("a.py", "x = x.cuda(async=True)", "async-keyword", EDIT, "x = x.cuda(non_blocking=True)"),
    ("a.py", "n = x.size(2) / 2", "integer-quotient", CHECK, "n = x.size(2) // 2"),
    ("a.py", "n = len(x) / 2", "integer-quotient", CHECK, "n = len(x) // 2"),
    ("a.py", "total += loss.data[0]", "data-index", EDIT, "total += loss.item()"),
    ("a.py", "print(self.loss_G.data[0])", "data-index", EDIT, "print(self.loss_G.item())"),
    ("a.py", "total += x.sum().data[0]", "data-index", EDIT, "total += x.sum().item()"),
    ("a.py", "x = loss.data.cpu()[0]", "data-index", EDIT, "x = loss.item()"),
    ("a.py", "x = loss.data.cpu().numpy()[0]", "data-index", EDIT, "x = loss.item()"),
    ("a.py", "rows = best_ids / width", "integer-division", MODE, "rows = best_ids // width"),
    ("a.py", "y = x.long() / 2", "integer-division", MODE, "y = x.long() // 2"),
    ("a.py", "from b import toLongTensor\nstep = toLongTensor(2, 3)\ny = (size - step) / step",
     "integer-division", MODE, "y = (size - step) // step"),
    ("a.py", "y = torch.LongTensor([4, 5]).div(2)", "integer-division", MODE, None),
    ("a.py", "topk_indices /= width", "integer-division", MODE, "topk_indices //= width"),
    ("a.py", "if self.buffer.size(): pass", "empty-tensor", CHECK, "if self.buffer.numel(): pass"),
    ("a.py", "if not (x and y.size()): pass", "empty-tensor", CHECK, "if not (x and y.numel()): pass"),
    ("a.py", "assert out.dim() == 0", "empty-tensor", CHECK, "assert out.numel() == 0"),
    ("a.py", "ok = type(x) == torch.FloatTensor", "type-comparison", EDIT, "ok = isinstance(x, torch.FloatTensor)"),
    ("a.py", "x, lu = b.gesv(a)", "removed-linalg", EDIT, None),
    ("a.py", "from torch.utils.serialization import load_lua", "removed-module", EDIT, None),
    ("a.py", "keep = 1 - x.eq(3)", "mask-arithmetic", EDIT, "keep = ~x.eq(3)"),
    ("a.py", "y = F.upsample(x, mode='bilinear')", "align-corners", CHECK, None),
    ("a.py", "y = torch.IntTensor([1]).requires_grad_()", "integer-gradient", MODE, None),
    ("a.py", "x = F.dropout(x)", "dropout", CHECK, None),
    ("a.py", "i = Variable(torch.LongTensor(3), requires_grad=True)", "integer-gradient", MODE, None),
    ("a.py", "setup(cffi_modules=['build.py:ffi'])", "cffi_modules", WORKS, None),
    ("a.py", "pointer = ffi.cast('THFloatTensor *', x._cdata)", "cdata", EDIT, None),
    ("a.py", "objects = [os.path.join(lib, 'libTHC.so.1')]", "torch-library", EDIT, None),
    ("a.sh", "g++ -L$T/lib -l:libATen.so a.o", "torch-library", EDIT, None),
    ("a.sh", "python2.7 build.py", "python2-command", EDIT, "python build.py"),
    ("CMakeLists.txt", "include_directories(${PY}/torch/lib/include/TH)", "torch-headers", CHECK, None),
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
    ("a.py", "keep = 1 - (x > 3)", "mask-arithmetic", CHECK, "keep = ~(x > 3)"),
    ("a.py", "from torch._six import string_classes", "torch-six", MODE, None),
    ("a.py", "x.mul(y, out=z)", "method-out", MODE, None),
    ("a.py", "y = F.grid_sample(x, grid)", "align-corners", MODE, None),
    ("a.py", "i = torch.arange(0, n)", "arange", MODE, None),
    ("a.py", "from torch.nn.functional import *\ny = affine_grid(theta, size)", "align-corners", MODE, None),
    ("a.py", "def g(x, *args):\n    return nn.functional.grid_sample(x, *args)", "align-corners", MODE, None),
    ("a.py", "self.up = nn.Upsample(scale_factor=4, mode='bilinear')", "align-corners", CHECK, None),
    ("a.py", "n = f(torch.arange(n).shape, torch.arange(n).T)", "arange", MODE, None),
    ("a.py", "offset = torch.arange(0, n) * boxes.size(1)", "arange", MODE, None),
    ("a.py", "y = f(torch.arange(n)).long()", "arange", MODE, None),
    ("a.py", "y = x[f(torch.arange(n))] + torch.arange(1, n).mean().long()", "arange", MODE, None),
    ("a.py", "y = x / x.sum(1).expand_as(x)", "keepdim", MODE, None),
    ("a.py", "y = x / torch.sum(x, 1).expand_as(x)", "keepdim", MODE, None),
    ("a.py", "y = x / torch.sqrt(torch.sum(x ** 2, 1)).expand_as(x)", "keepdim", MODE, None),
    ("a.py", "norm = (torch.sum(x.pow(2), 1) + eps).sqrt()\ny = x / norm.expand_as(x)", "keepdim", MODE, None),
    ("a.py", "y = x / torch.sum(x, 1).repeat(1, x.size(1))", "keepdim", MODE, None),
    ("a.py", "y = torch.squeeze(torch.sum(x, 1), 1)", "keepdim", MODE, None),
    ("a.py", "y = torch.sum(x, 1).clamp(min=1e-6)\nz = x / y.expand(3, 4)", "keepdim", MODE, None),
    ("a.py", "crit = nn.MSELoss()\nd = crit(x, y)\nprint(d.data[0])", "data-index", EDIT, "print(d.item())"),
    ("a.py", "d = torch.nn.L1Loss(size_average=True)(x, y)\nn += d.data[0]", "data-index", EDIT, "n += d.item()"),
    ("a.py", "d = a + 0.1 * b\nd.backward()\nn += d.data[0]", "data-index", EDIT, "n += d.item()"),
    ("a.py", "nll.backward()\nn += nll.data.cpu().numpy()[0]", "data-index", EDIT, "n += nll.item()"),
    ("a.py", "class A:\n    def __init__(self): self.crit = nn.BCELoss()\n"
             "    def f(self, x, y):\n        d = self.crit(x, y)\n        return d.data[0]",
     "data-index", EDIT, "return d.item()"),
    ("a.py", "cost.backward()\nvalue = cost.data\nn += value[0]", "data-index", EDIT, "n += value.item()"),
    ("a.py", "class A:\n    def __init__(self):\n        self.own = None\n        self.own = torch.LongTensor(3)\n"
             "        self.own = self.own.cuda()\n    def rows(self): return self.own / 2",
     "integer-division", MODE, "def rows(self): return self.own // 2"),
    ("a.py", "class A(nn.Module):\n    def __init__(self):\n        self.register_buffer('own', torch.arange(3).long())\n"
             "    def rows(self): return self.own / 2", "integer-division", MODE, "def rows(self): return self.own // 2"),
    ("a.py", "beam.own = torch.LongTensor(3)\nbeam.own = beam.own.view(-1)\nn = beam.own / 2", "integer-division", MODE,
     "n = beam.own // 2"),
    ("a.pyx", "import numpy as np\nx = np.zeros(3, dtype=np.int)", "library-name", EDIT, "x = np.zeros(3, dtype=np.int_)"),
    ("a.pyx", "x = numpy.empty(3, numpy.object)", "library-name", EDIT, "x = numpy.empty(3, numpy.object_)"),
    ("a.pyx", "x = np.empty(3, np.complex)", "library-name", EDIT, "x = np.empty(3, np.complex128)"),
    ("a.pyx", "import numpy as np\nDTYPE = np.float", "library-name", EDIT, "DTYPE = np.float64"),
    ("a.py", "y = x.index((i, j))", "tensor-index", MODE, None),
    ("a.py", "for d in torch.testing.get_all_dtypes(): pass", "all-dtypes", MODE, None),
    ("a.py", "self.i = nn.Parameter(torch.LongTensor(3))", "integer-gradient", MODE, None),
    ("a.py", "m = torch.load('m.pth')", "torch-load", CHECK, None),
    ("a.py", "ffi = create_extension('_ext.a', [], [])", "create_extension", WORKS, None),
    ("a.py", "from torch.utils.ffi import _wrap_function", "wrapper", WORKS, None),
    ("a.py", "from torchthaw.legacy.loading import bind as _bind", "wrapper", WORKS, None),
    ("a.py", "class Add(torch.autograd.Function): pass", "instance-function", WORKS, None),
    ("a.py", "x = Variable(x, volatile=True)", "volatile", WORKS, None),
    ("a.py", "y.backward(retain_variables=True)", "retain_variables", WORKS, None),
    ("a.py", "f = y.creator", "creator", WORKS, None),
    ("a.py", "from torch.utils.cpp_extension import load", "cpp-extension", WORKS, None),
    (
        "a.py", "from torch.utils.cpp_extension import load; load(extra_cflags=['-O2', '-std=c++11'])", "cpp-standard",
        WORKS, "from torch.utils.cpp_extension import load; load(extra_cflags=['-O2'])",
    ),
    ("a.py", "flags = ['-arch=sm_52']", "gpu-architecture", WORKS, None),
    ("a.py", "include = ['/usr/local/cuda-8.0/include']", "cuda-folder", WORKS, None),
    ("a.sh", "nvcc -c a.cu -arch=sm_35", "gpu-architecture", CHECK, "nvcc -c a.cu -arch=sm_75"),
    ("Makefile", "CUDA = /usr/local/cuda-9.0", "cuda-folder", CHECK, None),
    ("a.cpp", "at::Tensor f();", "aten", EDIT, None),
    ("a.cpp", "#include <torch/torch.h>", "cpp-extension", EDIT, None),
    ("a.c", "T *p = (T *)THCudaMalloc(state, 4 * n);", "0.4.1", EDIT, "T *p; THCudaMalloc(state, (void **)&p, 4 * n);"),
    ("a.c", "p = (T *)THCudaMalloc(state, n);", "0.4.1", EDIT, "THCudaMalloc(state, (void **)&p, n);"),
    ("a.cpp", "#include <c10/util/Half.h>", "cpp-extension", EDIT, None),
    ("a.cu", "THCudaTensor *t;\nn = t->size(1);", "0.4.1", EDIT, "n = t->size[1];"),
    ("a.c", "void f(THFloatTensor *t) {\nn = t->dim();", "0.4.1", EDIT, "n = t->nDimension;"),
    ("a.cc", "THTensor *s, *t;\np = t->sizes()[0];", "0.4.1", EDIT, "p = t->size[0];"),
    ("a.cc", "THTensor *t;\nb = t->is_empty();", "0.4.1", EDIT, "b = t->nDimension == 0;"),
    ("a.cu", "exit(EXIT_FAILURE);", "process-exit", CHECK, None),
    ("a.cu", "cudaPointerAttributes a;\nm = a.memoryType;", "removed-cuda", EDIT, "m = a.type;"),
    ("a.cu", "struct f : public thrust::unary_function<int, int> {", "removed-cuda", EDIT, "struct f {"),
    ("a.cu", "__device__ double atomicAdd(double *p, double v) {", "atomic-add", EDIT, None),
    ("a.c", "THTensor *t;\nn = t->dim_;", "0.4.1", EDIT, "n = t->nDimension;"),
    ("a.cu", "x = __shfl_down(x, 1);", "warp-intrinsic", CHECK, "x = __shfl_down_sync(0xffffffff, x, 1);"),
    ("a.cu", "x = __shfl(x, 1);", "warp-intrinsic", CHECK, "x = __shfl_sync(0xffffffff, x, 1);"),
    ("a.cu", "b = __ballot(x > 0);", "warp-intrinsic", CHECK, "b = __ballot_sync(0xffffffff, x > 0);"),
    ("a.cu", "cudaThreadSynchronize();", "renamed-cuda", WORKS, None),
    ("a.cu", "cudaThreadExit();", "renamed-cuda", WORKS, None),
    ("a.c", "cublasSgemm(handle, 'n', 'n');", "toolkit-library", WORKS, None),
    ("a.cu", "curandGenerateUniform (generator, x, n);", "toolkit-library", WORKS, None),
    ("a.cu", "cudaThreadSetLimit(l, 4);", "renamed-cuda", WORKS, None),
    ("a.cu", "cudaThreadSetCacheConfig(c);", "renamed-cuda", WORKS, None),
    ("a.cu", "texture<float, 2> image;", "removed-cuda", EDIT, None),
    ("a.cu", "cudaConfigureCall(g, b);", "removed-cuda", EDIT, None),
    ("a.cu", "cudaDeviceProp properties;\nk = properties.clockRate;", "removed-cuda", EDIT, None),
    ("a.c", "exit(-1);", "process-exit", CHECK, None),
    ("a.sh", "virtualenv -p python2.7 env", "python2-command", CHECK, None),
    ("a.c", "template <typename T> T f(T x);", "cpp-in-c", EDIT, None),
    ("a.c", "#include <thrust/sort.h>", "cpp-in-c", EDIT, None),
    ("a.c", "#include <vector>", "cpp-in-c", EDIT, None),
    ("a.c", 'extern "C" int f(int);', "cpp-in-c", EDIT, None),
    ("a.c", "kernel<<<1, 2>>>(x);", "cpp-in-c", EDIT, None),
    ("a.c", "kernel << <1, 2 >> >(x);", "cpp-in-c", EDIT, None),
    ("a.cu", 'asm("shfl.up.b32 %0, %1, 1, 0;");', "warp-intrinsic", EDIT, None),
    ("a.cu", "__device__ half atomicAdd(half *p, half v) { }", "atomic-add", EDIT, None),
    *[
        ("a.cu", f"cusparse{name}(handle);", "removed-cuda", EDIT, None)
        for name in (
            "Scsrmm2", "Dcsrmv", "Xcsrgemm2Nnz", "CreateSolveAnalysisInfo", "Scsrsm2_solve", "Scsr2csc", "Dcsr2dense",
            "Sdense2csr", "Dcsrgeam", "Sdoti", "Sgthr", "Ssctr", "Saxpyi", "Sroti", "Scsrilu0", "Scsric0", "Sgtsv",
        )
    ],
]  # fmt: skip


@pytest.mark.parametrize("file, line, rule, effect, after", EXAMPLES, ids=[f"{e[2]}-{e[1][:30]}" for e in EXAMPLES])
def test_rule(project, file, line, rule, effect, after):
    *_, last = lines = line.split("\n")
    folder = project({file: f"\n{line}\n"})
    found = [finding for finding in findings(folder) if finding.rule == rule]
    assert [(finding.line, finding.effect, finding.before) for finding in found] == [
        (1 + len(lines), effect, last.strip())
    ]
    assert found[0].after == after
    if after and file.endswith(".py"):
        ast.parse(after)
    written = applied(folder)
    assert (file in written) == found[0].certain
    if found[0].certain:
        assert after in written[file].decode()


def test_every_rule_has_an_example(project):
    for rule in PATTERNS:
        matching = [line for file, line, name, effect, _ in EXAMPLES if (name, effect) == (rule.name, rule.effect)]
        assert any(rule.pattern.search(line.split("\n")[-1]) and rule.holds_for(line) for line in matching), rule
    a_project = Project(project({"src/a.h": "int crop(THFloatTensor *x);\n"}))
    for rule in TREE_RULES:
        lines = [line for _, line, name, effect, _ in EXAMPLES if (name, effect) == (rule.name, rule.effect)]
        lines += {"argument-count": ["from _ext import a\na.crop(x, 2)"]}.get(rule.name, [])
        assert any(list(rule.find(Tree(line), a_project)) for line in lines), rule


# What looks like a finding and is none.
INNOCENT = [
    ("a.py", "# loss.data[0], x.cuda(async=True)"),
    ("a.py", "s = 'xrange(3) loss.data[0] async=True'"),
    ("a.py", 's = """\nprint x\nloss.data[0]\n"""'),
    ("a.py", "x = batch.data[0][1] + batch.data[0].sum() + loss.data[0, 1]"),
    ("a.py", "weight.data[0] = 3; bias.data[0] += 1; loss.data[0] = 2"),
    ("a.py", "from six.moves import xrange, reduce\nfor i in xrange(3): reduce(f, x)"),
    ("a.py", "try:\n    basestring\nexcept NameError:\n    basestring = unicode = str\nunicode(3)"),
    ("a.py", "class A:\n    def next(self):\n        return self.next()"),
    ("a.py", "def affine_grid(theta, size):\n    return theta\ny = affine_grid(theta, size)"),
    ("a.py", "class A:\n    def affine_grid(self, size): return size\n    def f(self): return self.affine_grid(3)"),
    (
        "a.py",
        "class A:\n    def __init__(self):\n        self.sample = f\n        if new:\n"
        "            self.grid_sample = partial(F.grid_sample, align_corners=True)\n        else:\n"
        "            self.grid_sample = F.grid_sample\n    def f(self, x): return self.grid_sample(x, self.g)",
    ),
    ("a.py", "y = F.grid_sample(x, g, 'bilinear', 'zeros', True) + F.affine_grid(theta, size, False)"),
    ("a.py", "y = F.interpolate(x, scale_factor=2, mode='trilinear')"),
    ("a.py", "with torch.no_grad(): y = nn.Upsample(scale_factor=4, mode='bilinear')(x)"),
    ("a.py", "i = torch.arange(0, n).view(1, n).long(); j = Variable(torch.arange(n), requires_grad=False).int()"),
    ("a.py", "y = x[1 + torch.arange(n).view(-1, 1)] + (torch.arange(n) * 2).view(-1).type(torch.LongTensor)"),
    ("a.py", "y = x[torch.arange(n), 0] + x[torch.arange(n)] + torch.arange(n)[None].type_as(x) + torch.arange(0., n)"),
    ("a.py", "y = F.grid_sample(\n    x, f(g(grid), 2),\n    align_corners=True)"),
    ("a.py", "m = torch.load(\n    'm.pth', map_location=lambda storage, location: storage, weights_only=False,\n)"),
    ("a.py", "np.add(x, y, out=z); torch.add(x, y, out=z)"),
    ("a.py", "m = x.astype(np.bool)"),
    ("a.py", "from functools import reduce\nn = reduce(f, x) + functools.reduce(f, x)"),
    ("a.py", "class A:\n    def long(self): return self.long()"),
    ("a.py", "c = yaml.load(file, Loader=yaml.SafeLoader)"),
    ("a.py", "x = F.dropout(x, training=self.training)"),
    ("a.py", "y = F.interpolate(x, mode='nearest') + F.upsample(x, mode='bilinear', align_corners=True)"),
    ("a.py", "if x.size() == y.size(): n = x.size(0) > 3 and x.numel() == 0"),
    ("a.py", "assert x.dim() == 2"),
    ("a.py", "ok = type(x) == int or isinstance(x, torch.FloatTensor)"),
    ("a.py", "w, v = numpy.linalg.eig(a); y = np.fft.fft(x); z = scipy.linalg.lapack.potrf(a)"),
    ("a.py", "rows = indices // width; ids = x.long() * 2; path /= 2; mean = x.float() / 2"),
    ("a.py", "self._cdata = None"),
    ("a.sh", "python3 build.py; python build.py  # python2 build.py"),
    ("a.cu", "#if CUDART_VERSION >= 9000\nx = __shfl_sync(m, x, 1);\n#else\nx = __shfl(x, 1);\n#endif"),
    ("a.cu", "#if __CUDA_ARCH__ < 600\n__device__ double atomicAdd(double *p, double v) {}\n#endif"),
    ("a.cpp", "struct Image { int dim(); int size(int i); };\nint n = image->dim() + image->size(0);"),
    ("a.cpp", "copy.srcMemoryType = CU_MEMORYTYPE_HOST; kind.memoryType = 1;"),
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
    ("a.cu", "cudaLaunchKernel(f, g, b, a, 0, s); cublasHandle_t handle; // cublasSgemm(handle)"),
    ("a.c", "static THFloatTensor (*make)(int); THTensor_ (fill)(t, 1);"),
    ("a.cpp", "template <typename T> T THFoo_one(T x);\nint f() { return THFoo_one(3); }"),
    ("a.cpp", "std::vector<std::pair<int, float>> THFoo_two(int n);\nauto f() { return THFoo_two(3); }"),
    (
        "a.cpp",
        "[[nodiscard]] static int THFoo_three(int n = 3, std::function<int(int)> f = {});\nint n = THFoo_three();",
    ),
    ("a.cpp", "struct THFoo { explicit THFoo(int n) : n(n) {} int n; };\nint n = THFoo(3).n;"),
    ("a.cpp", "class A { int THFoo_four(int n) const noexcept { return n; } int f() { return THFoo_four(3); } };"),
    (
        "a.cpp",
        "auto THFoo_five(int n) -> std::vector<int>;\nauto THFoo_six = [](int n) { return THFoo_five(n); };\n"
        "int n = THFoo_six(3)[0];",
    ),
    ("a.cpp", '__attribute__((visibility("default"))) void THFoo_seven(int n);\nvoid f() { THFoo_seven(3); }'),
    ("Makefile", "PYTHONS = python2.7 python3.6\nWHEELS := python3.5 \\\n  python2.7 \\\n  python3.6"),
    ("a.sh", "PYTHONS=(\n  python2.7\n  python3.6\n)"),
    (
        "a.pyx",
        "import numpy as np\ncimport numpy as np\nctypedef np.int_t DTYPE_t  # np.int\nx = 'np.float' + np.int_(3)",
    ),
    ("a.c", "THFloatTensor *my_own(THFloatTensor *t); THTensor *(*make)(THTensor *);"),
]


@pytest.mark.parametrize("file, text", INNOCENT, ids=[text[:40] for _, text in INNOCENT])
def test_no_false_alarm(project, file, text):
    assert findings(project({file: text + "\n"})) == []
