# tests/test_doctor_truth.py: an edit that the doctor demands is needed and right; each row a case that once was not.
import pytest
from doctor_project import applied, places, project  # noqa: F401

# A build file for src/a.h and src/a.c.
BUILD = (
    "from torch.utils.ffi import create_extension\n"
    "ffi = create_extension('_ext.a', headers=['src/a.h'], sources=['src/a.c'])\n"
    "ffi.build()\n"
)
BUILT = {"build.py:2 works create_extension"}
A = {"build.py": BUILD, "src/a.h": "int f(THFloatTensor *x);\n", "src/a.c": "\n"}

# name: (files, the findings, what --apply makes of the files that it changes)
C_NAMES = {
    "a function that the project declares": (
        {
            "own.h": "void THFloatTensor_own(THFloatTensor *);\nextern \"C\" TH_API long THCudaTensor_mine(THCState *s);\n",
            "a.c": "void f(THFloatTensor *t) { THFloatTensor_own(t); THCudaTensor_mine(s); }\n",
        }, set(), {},
    ),
    "generic sources": (
        {
            "generic/own.c": "void THTensor_(own)(THTensor *t) { THTensor_(zero)(t); }\n",
            "generic/own.h": "TH_API void THTensor_(declared)(THTensor *t, long n);\n",
            "a.c": "void f() { THFloatTensor_own(t); THTensor_(own)(t); THDoubleTensor_declared(t, 1); }\n",
        }, set(), {},
    ),
    "names that macros paste": (
        {
            "own.h": "#define OWN(T) void TH##T##Tensor_pasted(TH##T##Tensor *t)\n",
            "a.c": "void f() { THFloatTensor_pasted(t); }\n",
        }, set(), {},
    ),
    "a variable that holds a function": ({"a.c": "void (*THFloat_callback)(int);\nvoid f() { THFloat_callback(1); }\n"}, set(), {}),
    "a call is no declaration": (
        {"a.c": "int f(THFloatTensor *t) {\n  return THFloatTensor_own(t);\n}\n"}, {"a.c:2 edit unknown-symbol"}, {},
    ),
    "a declaration in the line of a call": (
        {"a.c": "int f(THFloatTensor *t) {\n  int n = 2; THFloatTensor_own(t);\n}\n"}, {"a.c:2 edit unknown-symbol"}, {},
    ),
    "every use of a name of 0.4.1 is renamed": (
        {"a.c": "int f(THFloatTensor *t) {\n  g(THFloatTensor_nDimensionLegacyAll(t));\n"
                "  return THFloatTensor_nDimensionLegacyAll(t);\n}\n"},
        {"a.c:2 edit unknown-symbol", "a.c:3 edit unknown-symbol"},
        {"a.c": "int f(THFloatTensor *t) {\n  g(THFloatTensor_nDimension(t));\n  return THFloatTensor_nDimension(t);\n}\n"},
    ),
    "a similar name is a suggestion": (
        {"a.c": "void f(THFloatTensor *t) { THFloatTensor_newContigous(t); }\n"}, {"a.c:1 edit unknown-symbol"}, {},
    ),
    "members of the project's own classes": (
        {"a.cpp": "#include <TH/TH.h>\nint L::f() { return this->dim_ + layer->dim() + list->size(1) + data->is_empty(); }\n"},
        set(), {},
    ),
    "members of tensors": (
        {"a.cpp": "int f(THFloatTensor *a, THFloatTensor *b) {\n  return a->dim_ + b->dim() + a->size(1 + 1) + b->sizes()[0];\n}\n"},
        {"a.cpp:2 edit 0.4.1"},
        {"a.cpp": "int f(THFloatTensor *a, THFloatTensor *b) {\n"
                  "  return a->nDimension + b->nDimension + a->size[1 + 1] + b->size[0];\n}\n"},
    ),
    "sizes as a list of ATen": ({"a.cpp": "int f(THFloatTensor *a) { return a->sizes().size(); }\n"}, set(), {}),
    "two pointers in one declaration": (
        {"a.c": "void f() {\n  float *a = (float *)THCudaMalloc(s, 4), *b = 0;\n}\n"}, set(), {},
    ),
    "THCudaMalloc in all its places": (
        {"a.c": "void f() {\n  float *a = (float *)THCudaMalloc(s, n * sizeof(float));\n  if (n) p->a = THCudaMalloc(s, g(n, 2));\n"
                "  else *q = THCudaMalloc(s, 4);\n}\n"},
        {"a.c:2 edit 0.4.1", "a.c:3 edit 0.4.1"},
        {"a.c": "void f() {\n  float *a; THCudaMalloc(s, (void **)&a, n * sizeof(float));\n"
                "  if (n) THCudaMalloc(s, (void **)&p->a, g(n, 2));\n  else *q = THCudaMalloc(s, 4);\n}\n"},
    ),
    "a header torch/own.h of the project": (
        {"include/torch/own.h": "int f(int);\n", "a.cpp": "#include <torch/own.h>\n#include <torch/torch.h>\n"},
        {"a.cpp:2 edit cpp-extension"}, {},
    ),
    "files that cpp_extension builds": (
        {
            "new/setup.py": "from torch.utils.cpp_extension import CUDAExtension\nCUDAExtension('n', ['src/n.cpp'])\n",
            "new/src/n.cpp": "#include <torch/extension.h>\nvoid f(at::Tensor t) { AT_CHECK(t->dim()); }\n",
            "new/src/n.cuh": "at::Tensor g();\n",
            "old/build.py": BUILD, "old/src/a.h": "int f(int x);\n", "old/src/a.c": "void f(at::Tensor t) {}\n",
        },
        {"new/setup.py:1 check cpp-extension", "old/build.py:2 works create_extension", "old/src/a.c:1 edit aten"}, {},
    ),
    "both kinds of build files in one folder": (
        {
            **A, "setup.py": "from torch.utils import cpp_extension\ncpp_extension.CppExtension('n', ['src/n.cpp'])\n",
            "src/n.cpp": "at::Tensor f();\n", "src/other.cpp": "at::Tensor f();\n",
        },
        {*BUILT, "setup.py:1 check cpp-extension", "src/other.cpp:1 edit aten"}, {},
    ),
}  # fmt: skip

PYTHON_NAMES = {
    "async=async": (
        {"a.py": "def f(x, async=False):\n    return x.cuda(async=async)\n\nf(x, async=True)\n"},
        {"a.py:1 edit async-keyword", "a.py:2 edit async-keyword", "a.py:4 edit async-keyword"},
        {"a.py": "def f(x, non_blocking=False):\n    return x.cuda(non_blocking=non_blocking)\n\nf(x, non_blocking=True)\n"},
    ),
    "async of a function in another file": (
        {"a.py": "def send(x, async):\n    return x.cuda(0, async)\n", "b.py": "send(x, async=True)\n"},
        {"a.py:1 edit async-keyword", "a.py:2 edit async-keyword", "b.py:1 edit async-keyword"},
        {"a.py": "def send(x, non_blocking):\n    return x.cuda(0, non_blocking)\n", "b.py": "send(x, non_blocking=True)\n"},
    ),
    "async of a library": ({"a.py": "client.send(x, async=True)\nprint x\n"},
                           {"a.py:1 edit async-keyword", "a.py:2 edit python2-syntax"}, {}),
    "async def": ({"a.py": "async def f():\n    async with g() as x:\n        async for y in x: pass\n"}, set(), {}),
    "the doctor's own cure for cPickle": ({"a.py": "import pickle as cPickle\nimport queue as Queue\n"}, set(), {}),
    "modules of Python 2": (
        {"a.py": "import os, cPickle, Queue as q\nimport urllib2, ConfigParser\nfrom Queue import Queue\nimport cPickle as pickle\n"},
        {f"a.py:{line} edit python2-name" for line in (1, 2, 3, 4)},
        {"a.py": "import os, pickle as cPickle, queue as q\nimport urllib.request as urllib2, configparser as ConfigParser\n"
                 "from queue import Queue\nimport pickle\n"},
    ),
    "a module of the project": ({"Queue.py": "", "a.py": "import Queue\nfrom Queue import put\n"}, set(), {}),
    "imports with another for Python 3": (
        {"a.py": "try:\n    import cPickle as pickle\nexcept ImportError:\n    import pickle\n"
                 "try:\n    import queue\nexcept ImportError:\n    import Queue as queue\n"
                 "import sys\nif sys.version_info[0] == 2:\n    import cPickle\n    text = unicode\nelse:\n    import pickle\n"
                 "try:\n    from scipy.misc import imread\nexcept (ImportError, AttributeError):\n    imread = None\n"
                 "try:\n    text = unicode\nexcept NameError:\n    text = str\n"
                 "number = long if sys.version_info < (3,) else int\n"},
        set(), {},
    ),
    "an error that something else catches": (
        {"a.py": "try:\n    import cPickle\nexcept ValueError:\n    pass\n"}, {"a.py:2 edit python2-name"},
        {"a.py": "try:\n    import pickle as cPickle\nexcept ValueError:\n    pass\n"},
    ),
    "StringIO may be meant for bytes": (
        {"a.py": "from cStringIO import StringIO\nimport StringIO as s\n"},
        {"a.py:1 edit python2-name", "a.py:2 edit python2-name"}, {},
    ),
    "has_key of the project's own class": (
        {
            "registry.py": "class Registry(object):\n    def has_key(self, key):\n        return key in self.table\n"
                           "    def get(self, key):\n        return self.has_key(key)\n",
            "a.py": "from registry import Registry\nr = Registry()\nr.has_key('a')\nunknown.has_key('a')\nd = {}\nd.has_key('a')\n",
        },
        {"a.py:4 check python2-name", "a.py:6 edit python2-name"},
        {"a.py": "from registry import Registry\nr = Registry()\nr.has_key('a')\nunknown.has_key('a')\nd = {}\n'a' in d\n"},
    ),
    "has_key among operators": (
        {"a.py": "a = not d.has_key(k)\nb = d[0].e.has_key(k) == True\nc = f(x).d.has_key(a or b)\nif d.has_key(\n    k): pass\n"
                 "e = (d or {}).has_key(k)\n"},
        {f"a.py:{line} edit python2-name" for line in (1, 2, 3, 4, 6)},
        {"a.py": "a = k not in d\nb = (k in d[0].e) == True\nc = (a or b) in f(x).d\nif (k in d): pass\n"
                 "e = k in (d or {})\n"},
    ),
    "next of iterators and of own classes": (
        {"a.py": "batch = iter(loader).next()\nx = d[0].it.next()\n", "b.py": "x = it.next()\n"},
        {"a.py:1 edit python2-name", "a.py:2 edit python2-name", "b.py:1 edit python2-name"},
        {"a.py": "batch = next(iter(loader))\nx = next(d[0].it)\n", "b.py": "x = next(it)\n"},
    ),
    "next of a list that the project links": (
        {"a.py": "class Node:\n    def next(self):\n        return self.tail\n", "b.py": "x = node.next()\n"},
        {"b.py:1 check python2-name"}, {},
    ),
    "methods of the project": (
        {"a.py": "class Net:\n    def potrf(self): pass\n    def cinv(self): pass\n\nNet().potrf()\nNet().cinv()\n"},
        set(), {},
    ),
    "a parameter that is called reduce": (
        {"a.py": "class Loss:\n    def __init__(self, reduce=True):\n        self.reduce = reduce\n"}, set(), {},
    ),
    "reduce needs its import": (
        {"a.py": '"""About."""\nfrom __future__ import print_function\nimport os\nn = reduce(f, x) + reduce(g, x)\n'},
        {"a.py:3 edit python2-name"},
        {"a.py": '"""About."""\nfrom __future__ import print_function\nfrom functools import reduce\nimport os\n'
                 "n = reduce(f, x) + reduce(g, x)\n"},
    ),
    "reduce above a decorator": (
        {"a.py": "@f\ndef g(x): return reduce(f, x)\n"}, {"a.py:1 edit python2-name"},
        {"a.py": "from functools import reduce\n@f\ndef g(x): return reduce(f, x)\n"},
    ),
    "names of six and of the project": (
        {
            "compat.py": "xrange = range\n", "a.py": "from compat import *\nfor i in xrange(3): pass\n",
            "b.py": "from six.moves import *\nfor i in xrange(3): pass\n",
            "c.py": "from .compat import unicode\nx = unicode(3)\n",
        }, set(), {},
    ),
    "long in tuples": (
        {"a.py": "isinstance(n, (int, long, float)), isinstance(n, (int, long)), x.long(), torch.long\n"},
        {"a.py:1 edit python2-name"},
        {"a.py": "isinstance(n, (int, int, float)), isinstance(n, int), x.long(), torch.long\n"},
    ),
    "urllib with its import": (
        {"a.py": "import urllib, os\nurllib.urlretrieve(a, b)\nurllib.quote(c)\n", "b.py": "urllib.urlopen(a)\n"},
        {"a.py:1 edit python2-name", "a.py:2 edit python2-name", "a.py:3 edit python2-name", "b.py:1 edit python2-name"},
        {"a.py": "import urllib.parse, urllib.request, os\nurllib.request.urlretrieve(a, b)\nurllib.parse.quote(c)\n"},
    ),
    "names that moved among others": (
        {"a.py": "from itertools import izip as zip, izip_longest, chain\nfrom itertools import izip\n"
                 "from collections import Mapping as M, deque\nfrom time import clock, time\n"
                 "from itertools import (chain,\n    izip)\n"},
        {f"a.py:{line} edit python2-name" for line in (1, 2, 3, 4, 5)},
        {"a.py": "from itertools import zip_longest as izip_longest, chain\nizip = zip\n"
                 "from collections.abc import Mapping as M; from collections import deque\n"
                 "from time import perf_counter as clock, time\nfrom itertools import (chain,\n    izip)\n"},
    ),
    "names through another name of their module": (
        {"a.py": "import itertools as it\nfor a in it.izip(x, y): pass\n"}, {"a.py:2 edit python2-name"},
        {"a.py": "import itertools as it\nfor a in zip(x, y): pass\n"},
    ),
    "what is indexed": (
        {"a.py": "a = x[0].d.keys()[0]\nb = pool.map(f, x)[0]\nc = zip(f(a), g(b))[0]\nn = len(filter(f, x))\n"
                 "e = d.items()[0][1]\n"},
        {f"a.py:{line} edit python2-name" for line in (1, 3, 4, 5)},
        {"a.py": "a = list(x[0].d.keys())[0]\nb = pool.map(f, x)[0]\nc = list(zip(f(a), g(b)))[0]\nn = len(list(filter(f, x)))\n"
                 "e = list(d.items())[0][1]\n"},
    ),
    "execfile with its spaces": (
        {"a.py": "execfile(f(a), g, h)\n"}, {"a.py:1 edit python2-name"}, {"a.py": "exec(open(f(a)).read(), g, h)\n"},
    ),
    "getargspec unpacked": (
        {"a.py": "a, b, c, d = inspect.getargspec(f)\nx = inspect.getargspec(f).args\n"},
        {"a.py:1 edit python2-name", "a.py:2 edit python2-name"},
        {"a.py": "a, b, c, d = inspect.getargspec(f)\nx = inspect.getfullargspec(f).args\n"},
    ),
    "transforms and misc of the project": (
        {
            "transforms.py": "class Scale: pass\n", "misc.py": "",
            "a.py": "import transforms\nfrom utils import misc\nt = transforms.Scale(3)\nmisc.imshow(x)\n"
                    "from lib import transforms as T\nT.Scale(3)\n",
        }, set(), {},
    ),
    "transforms of torchvision": (
        {"a.py": "import torchvision.transforms as T\nt = T.Scale(3)\n"}, {"a.py:2 edit library-name"},
        {"a.py": "import torchvision.transforms as T\nt = T.Resize(3)\n"},
    ),
    "yaml with a loader": ({"a.py": "import yaml\nyaml.load(f, yaml.Loader)\nyaml.load(f, Loader=L)\nyaml.load(f, **k)\n"}, set(), {}),
    "a C function called decode": (
        {
            **A, "src/a.h": "int decode(THFloatTensor *x, int n);\n",
            "a.py": "from _ext import a\ntext = b'x'.decode('utf-8')\ncodec.decode(x, y, z)\na.decode(x)\na.decode(x, 1)\n",
            "functions/a.py": "", "b.py": "from functions import a\na.decode(1)\n",
        },
        {*BUILT, "a.py:4 check argument-count"}, {},
    ),
    "tabs as Python 2 counted them": (
        {"a.py": "def f(x):\n        if x:\n\t    return '''\n\ttab'''\n"}, {"a.py:3 edit python2-syntax"},
        {"a.py": "def f(x):\n        if x:\n            return '''\n\ttab'''\n"},
    ),
    "a form feed is no line": (
        {"a.py": "x = 1\n\x0c\nprint x\nfor i in xrange(3): pass\n"},
        {"a.py:3 edit python2-syntax", "a.py:4 edit python2-name"},
        {"a.py": "x = 1\n\x0c\nprint(x)\nfor i in range(3): pass\n"},
    ),
    "scripts": (
        {"a.sh": "python2 build.py\nA=1 && python2.7 x.py\nvirtualenv -p python2.7 env\nexport X=/usr/lib/python2.7/site-packages\n"
                 "/usr/bin/python2 build.py\n", "Makefile": "PYTHON ?= python2\nall:\n\tpython2 setup.py build\n"},
        {"a.sh:1 edit python2-command", "a.sh:2 edit python2-command", "a.sh:3 check python2-command",
         "a.sh:5 check python2-command", "Makefile:1 edit python2-command", "Makefile:3 edit python2-command"},
        {"a.sh": "python build.py\nA=1 && python x.py\nvirtualenv -p python2.7 env\nexport X=/usr/lib/python2.7/site-packages\n"
                 "/usr/bin/python2 build.py\n", "Makefile": "PYTHON ?= python\nall:\n\tpython setup.py build\n"},
    ),
}  # fmt: skip

VALUES = {
    "percent": (
        {"a.py": "for i, x in enumerate(loader):\n    print(100. * i / len(loader))\n    log(100. * batch_idx / len(x))\n"},
        set(), {},
    ),
    "sums of numbers": (
        {"a.py": "total = 0\nfor x in y:\n    total += loss(x)\nprint(total / len(y))\nprint(1.0 / x.size(0), int(x.size(0) / 2))\n"},
        set(), {},
    ),
    "integers in Python 2": (
        {"a.py": "b, c, h, w = x.size()\nn = h / 2 + (w - 1) / 2\nm = x.size(1) * 3 / 2\n",
         "b.py": "from __future__ import division\nn = len(x) / 2\n"},
        {"a.py:2 check integer-quotient", "a.py:3 check integer-quotient"}, {},
    ),
    "tensors of integers": (
        {"a.py": "size = torch.LongTensor([7, 9])\nout = (size - k) / stride + 1\nsize /= 2\nhalf = 1 / size\n"
                 "best, where = x.topk(5)\nrow = where.view(-1) / width\nmean = best / 2\nx.long().cuda().div_(2)\n"
                 "self.at = x.max(1)[1]\ny = self.at / 4\nz = torch.zeros(3, dtype=torch.long) / 2\n"},
        {f"a.py:{line} mode integer-division" for line in (2, 3, 4, 6, 8, 10, 11)}, {},
    ),
    "tensors of other numbers": (
        {"a.py": "x = torch.LongTensor(3).float()\ny = x / 2\nids = [1]\npath /= 2\nidx = 0.5\nz = idx / 3\n"
                 "w = indices.float() / 3\nv = (x.long() // 2) + x.numel() * 0.5 / 2\n"},
        set(), {},
    ),
    "integers that require grad": (
        {"a.py": "x = torch.LongTensor(3)\nx.requires_grad_()\ny = x.cuda()\ny.requires_grad = True\nx.long().requires_grad_(True)\n"
                 "z = torch.zeros(3, dtype=torch.int32, requires_grad=True)\n"
                 "x.requires_grad_(False)\nx.float().requires_grad_()\nf = torch.zeros(3)\nf.requires_grad_()\n"},
        {f"a.py:{line} mode integer-gradient" for line in (2, 4, 5, 6)}, {},
    ),
    "keepdim of 0.1": (
        {"a.py": "mean = x.mean(1)\ny = x - mean.expand_as(x)\nz = x / torch.sum(x, 1).expand_as(x)\n"
                 "w = x / x.pow(2).sum(1).sqrt().expand_as(x)\n_, best = torch.max(x, 1)\nb = best.squeeze(1)\n"
                 "n = (x.norm(2, 1) + 1e-8).expand(3, 4)\ntop = x.data.max(1)[1][0][0]\n"},
        {f"a.py:{line} mode keepdim" for line in (2, 3, 4, 6, 7, 8)}, {},
    ),
    "dimensions that are there": (
        {"a.py": "y = x - x.mean(0).expand_as(x)\nz = x.sum(1, True).expand_as(x)\nw = x.sum(1, keepdim=True).expand_as(x)\n"
                 "v = x.sum(1).unsqueeze(1).expand_as(x)\nu = x.sum(1).squeeze()\nt = x.max(y).expand_as(x)\ns = x.sum().expand_as(x)\n"},
        set(), {},
    ),
    "masks": (
        {"a.py": "a = 1 - x.eq(3).float()\nb = 1 - (x > 0).float()\nc = 1 - x.gt(0)\nd = 2 + 1 - x.gt(0)\ne = (1 - (x > 3)) * y\n"
                 "t = torch.zeros(3)\nf = 1 - (t > 0)\nm = t.ne(0)\ng = y * (1 - m)\nh = 1 - m.float()\nn = 1 - (x.numpy() > 3)\n"},
        {"a.py:3 edit mask-arithmetic", "a.py:5 check mask-arithmetic", "a.py:7 edit mask-arithmetic",
         "a.py:9 edit mask-arithmetic", "a.py:11 check mask-arithmetic"},
        {"a.py": "a = 1 - x.eq(3).float()\nb = 1 - (x > 0).float()\nc = ~x.gt(0)\nd = 2 + 1 - x.gt(0)\ne = (1 - (x > 3)) * y\n"
                 "t = torch.zeros(3)\nf = ~(t > 0)\nm = t.ne(0)\ng = y * (~m)\nh = 1 - m.float()\nn = 1 - (x.numpy() > 3)\n"},
    ),
    "numbers and rows": (
        {"a.py": "a = errD_real.data[0] + self.loss1.data.cpu()[0]\nb = losses.data[0]\nc = terror.data[0]\n"
                 "d = F.cross_entropy(x, y).data[0]\ne = net(x).data[0]\nf = (loss1 + 2 * loss2).data[0]\n"
                 "g = x.pow(2).sum().data[0]\nh = self.criterion(x, y, reduce=False).data[0]\nnorm = x.norm()\ni = norm.data[0]\n"},
        {*(f"a.py:{line} edit data-index" for line in (1, 4, 6, 7, 10)),
         *(f"a.py:{line} mode data-index-maybe" for line in (2, 3, 5, 8))},
        {"a.py": "a = errD_real.item() + self.loss1.item()\nb = losses.data[0]\nc = terror.data[0]\n"
                 "d = F.cross_entropy(x, y).item()\ne = net(x).data[0]\nf = (loss1 + 2 * loss2).item()\n"
                 "g = x.pow(2).sum().item()\nh = self.criterion(x, y, reduce=False).data[0]\nnorm = x.norm()\ni = norm.item()\n"},
    ),
    "types of tensors": (
        {"a.py": "a = type(x) != torch.FloatTensor and type(x.data) is torch.cuda.LongTensor\nb = type(x) == torch.Tensor\n"},
        {"a.py:1 edit type-comparison"},
        {"a.py": "a = not isinstance(x, torch.FloatTensor) and isinstance(x.data, torch.cuda.LongTensor)\n"
                 "b = type(x) == torch.Tensor\n"},
    ),
}  # fmt: skip

CUDA = {
    "inline PTX": (
        {"a.cu": 'asm("shfl.up.b32 %0, %1, 1, 0;" : "=r"(x));\nasm volatile("shfl.sync.up.b32 %0;");\n// shfl.up.b32\n'
                 '#if CUDA_VERSION < 9000\nasm("shfl.down.b32 %0;");\n#endif\nasm("vote.ballot.b32 %0, p;");\n'},
        {"a.cu:1 edit warp-intrinsic", "a.cu:7 edit warp-intrinsic"}, {},
    ),
    "atomicAdd of the project": (
        {"a.cu": "__device__ half atomicAdd(half *address, half value) { return value; }\n"
                 "__device__ inline void atomicAdd(__half2* address, __half2 val)\n{\n}\n"
                 "#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600\n#else\n"
                 "__device__ double atomicAdd(double *p, double v) { return v; }\n#endif\n"
                 "void f() { atomicAdd((double *)x, y); atomicAdd(p, half(2)); }\n"
                 "__device__ float atomicAdd(float2 *p, float2 v) { }\n"},
        {"a.cu:1 edit atomic-add", "a.cu:2 edit atomic-add"}, {},
    ),
    "atomicAdd of doubles beside code for some cards": (
        {"a.cu": "#if __CUDA_ARCH__ > 300\n#endif\n__device__ double atomicAdd(double *p, double v) { return v; }\n"},
        {"a.cu:3 edit atomic-add"}, {},
    ),
    "cuSPARSE": (
        {"a.cu": "cusparseScsrmm2(h, n);\ncusparseDcsrmv(h);\ncusparseXcsrgeamNnz(h);\ncusparseCreateHybMat(&m);\n"
                 "cusparseXcoo2csr(h);\ncusparseSgtsv2(h);\ncusparseSpMM(h);\ncusparseScsrgeam2(h);\n"
                 "#if CUDART_VERSION < 11000\ncusparseScsrmm(h);\n#endif\n"},
        {f"a.cu:{line} edit removed-cuda" for line in (1, 2, 3, 4)}, {},
    ),
    "own names like those of CUDA": (
        {"a.cu": "if (texture < 3 && x > 2) n = my.clockRate + other->memoryType;\n"}, set(), {},
    ),
    "bases of thrust": (
        {"a.cu": "struct f : public thrust::unary_function<thrust::tuple<int, int>, int> {\n};\n"
                 "struct g : thrust::binary_function<int, int, int>, other {\n};\n"},
        {"a.cu:1 edit removed-cuda"},
        {"a.cu": "struct f {\n};\nstruct g : thrust::binary_function<int, int, int>, other {\n};\n"},
    ),
    "bases of thrust whose types are used": (
        {"a.cu": "struct f : public thrust::unary_function<int, int> {\n};\nf::result_type x;\n"}, set(), {},
    ),
}  # fmt: skip

BUILDS = {
    "templates and Thrust in C": (
        {
            "build.py": BUILD.replace("['src/a.c']", "['src/a.c', 'src/b.c', 'src/c.c', 'src/d.c']"), "src/a.h": "int f(int x);\n",
            "src/a.c": "template <typename T> T f(T x) { return x; }\n", "src/b.c": "#include <thrust/sort.h>\n",
            "src/c.c": '#ifdef __cplusplus\nextern "C" {\n#endif\nint g(int x) { return x; }\n',
            "src/d.c": 'extern "C" int f(int x) { std::vector<int> y; return 1; }\n',
            "src/unused.c": "template <typename T> T f(T x);\n", "src/generic/k.c": "template <typename T> T f(T x);\n",
            "src/k.cu": '#include "generic/k.c"\n', "src/e.cpp": "template <typename T> T f(T x);\n",
        },
        {*BUILT, "src/a.c:1 edit cpp-in-c", "src/b.c:1 edit cpp-in-c", "src/d.c:1 edit cpp-in-c",
         "src/unused.c:1 check cpp-in-c"}, {},
    ),
    "files that are not there": (
        {
            "build.py": "from torch.utils.ffi import create_extension\nimport os, torch\nheaders = ['src/a.h']\n"
                        "if torch.cuda.is_available():\n    headers += ['src/cuda.h']\n"
                        "here = os.path.dirname(__file__)\n"
                        "create_extension('_ext.a', headers=headers, sources=[os.path.join(here, 'src', 'a.c'), 'src/gone.c'])\n",
            "src/a.c": "\n", "src/a.h": "\n",
        },
        {"build.py:5 check missing-file", "build.py:7 edit missing-file", "build.py:7 works create_extension"}, {},
    ),
    "files that a script makes": (
        {"build.py": BUILD, "make.sh": "python generate.py > src/a.c\ncp a.h.in src/a.h\n"},
        {*BUILT, "build.py:2 check missing-file"}, {},
    ),
    "two calls are no list": (
        {
            "build.py": "from torch.utils.ffi import create_extension\n"
                        "create_extension('_ext.a', headers=['src/a.h'], sources=[])\n"
                        "create_extension('_ext.b', headers=['src/b.h'], sources=[])\n",
            "src/a.h": "int f(int x);\n", "src/b.h": "int f(int x);\n",
        },
        BUILT, {},
    ),
    "two branches are no list": (
        {
            "build.py": "from torch.utils.ffi import create_extension\nif cuda:\n    headers = ['src/b.h']\nelse:\n"
                        "    headers = ['src/a.h']\ncreate_extension('_ext.a', headers, [])\n",
            "src/a.h": "int f(int x);\n", "src/b.h": "int f(int x);\n",
        },
        {"build.py:6 works create_extension"}, {},
    ),
    "a branch that repeats": (
        {
            "build.py": "from torch.utils.ffi import create_extension\nheaders = ['src/a.h']\nif cuda:\n"
                        "    headers += ['src/b.h']\ncreate_extension('_ext.a', headers, [])\n",
            "src/a.h": "int f(int x);\n", "src/b.h": "int f(int x);\n",
        },
        {"build.py:5 edit header", "build.py:5 works create_extension"}, {},
    ),
    "objects that the build makes or finds": (
        {
            "build.py": "from torch.utils.ffi import create_extension\nimport os\n"
                        "os.system('nvcc -c -o src/made.cu.o kernels.cu')\n"
                        "create_extension('_ext.a', [], [], extra_objects=['src/nms.cu.o', 'src/x.cpp.o', 'src/y.o', 'src/made.cu.o',\n"
                        "    'src/script.o', 'src/lost.cu.o'])\n",
            "src/nms_kernel.cu": "\n", "src/x.cpp": "\n", "src/y.c": "\n", "make.sh": "g++ -c many.cpp -o src/script.o\n",
        },
        {"build.py:4 works create_extension", "build.py:4 works object", "build.py:5 edit object"}, {},
    ),
}  # fmt: skip

CASES = {**C_NAMES, **PYTHON_NAMES, **VALUES, **CUDA, **BUILDS}


@pytest.mark.parametrize("name", CASES)
def test_case(project, name):
    files, expected, edited = CASES[name]
    folder = project(files)
    assert places(folder) == expected
    assert {path: data.decode() for path, data in applied(folder).items()} == edited
