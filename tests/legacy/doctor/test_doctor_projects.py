# tests/legacy/doctor/test_doctor_projects.py: what the doctor says of whole small projects, each line of it and nothing
# else.
import pytest

from support.doctor_project import project  # noqa: F401
from torchthaw.doctor.examine import examine

# A training script of 2017 in Python 2, with what looks like findings in comments and strings.
TRAINING = {
    "train.py": '''
"""loss.data[0] and x.cuda(async=True) are what this was about: print x"""
import torch, cPickle
from torch.autograd import Variable

for epoch in xrange(3):  # xrange, .iteritems()
    x = Variable(batch.cuda(async=True), volatile=True)
    total += loss.data[0] * x.size(0)
    print "epoch %d: %.3f" % (epoch, total / len(loader))
    hits += (output.max(1)[1] == y).sum().data[0]
    first = batch.data[0][1]
    print("xrange(3); print x; loss.data[0]")
''',
}  # fmt: skip
TRAINED = {
    "train.py:2 edit python2-name": "import torch, pickle as cPickle",
    "train.py:5 edit python2-name": "for epoch in range(3):  # xrange, .iteritems()",
    "train.py:6 edit async-keyword": "x = Variable(batch.cuda(non_blocking=True), volatile=True)",
    "train.py:6 works volatile": None,
    "train.py:7 edit data-index": "total += loss.item() * x.size(0)",
    "train.py:8 edit python2-syntax": 'print("epoch %d: %.3f" % (epoch, total / len(loader)))',
    "train.py:9 edit data-index": "hits += (output.max(1)[1] == y).sum().item()",
}

# Beam search with whole numbers and a few things that PyTorch changed without a word.
BEAM = {
    "beam.py": '''
import torch
import torch.nn.functional as F

class Beam(object):
    def advance(self, scores):
        best, best_ids = scores.view(-1).topk(self.size)
        parents = best_ids / scores.size(1)
        mean = scores.sum() / 2  # ids / 2
        rows = torch.arange(0, self.size)
        if self.done.size():
            raise ValueError
        if type(scores) == torch.FloatTensor:
            scores.mul(self.mask, out=scores)
        half = scores.size(1) / 2
        normed = scores / scores.norm(2, 1).expand_as(scores) + scores / scores.sum(1).expand_as(scores)
        return F.grid_sample(normed, self.grid), F.grid_sample(normed, self.grid, align_corners=True)
''',
}  # fmt: skip
BEAMED = {
    "beam.py:7 mode integer-division": "parents = best_ids // scores.size(1)",
    "beam.py:9 mode arange": None,
    "beam.py:10 check empty-tensor": "if self.done.numel():",
    "beam.py:12 edit type-comparison": "if isinstance(scores, torch.FloatTensor):",
    "beam.py:13 mode method-out": None,
    "beam.py:14 check integer-quotient": "half = scores.size(1) // 2",
    "beam.py:15 mode keepdim": None,
    "beam.py:16 mode align-corners": None,
}

# A CPU operator that reads its tensors as flat arrays, and throws inside of a loop of threads.
FLAT = {
    "build.py": '''
from torch.utils.ffi import create_extension
ffi = create_extension('_ext.crop', headers=['src/crop.h'], sources=['src/crop.c'], relative_to=__file__)
if __name__ == '__main__':
    ffi.build()
''',
    "src/crop.h": "int crop(THFloatTensor *image, THFloatTensor *output, int top, int left);\n",
    "src/crop.c": '''
#include <TH/TH.h>
/* THFloatTensor_newContiguous(image) would be safe; THFooTensor_bar(image) would not. */
int crop(THFloatTensor *image, THFloatTensor *output, int top, int left)
{
  float *from = THFloatTensor_data(image), *to = THFloatTensor_data(output);
  THArgCheck(top >= 0, 3, "THError(x)");
#pragma omp parallel for
  for (long y = 0; y < output->size[0]; y++)
    for (long x = 0; x < output->size[1]; x++) {
      if (y + top >= image->size[0]) THError("row %ld is outside", y + top);
      to[y * output->size[1] + x] = from[(y + top) * image->size[1] + x + left];
    }
  if (left < 0) exit(1);
  THError("never inside of the loop");
  return 1;
}
''',
    "crop.py": "from _ext import crop\ncrop.crop(image, top, 1)\ncrop.crop(image, output, 1, 2)\ncrop.crop(*three)\n",
}  # fmt: skip
FLATTENED = {
    "build.py:2 works create_extension": None,
    "crop.py:2 check argument-count": None,
    "src/crop.c:5 check strides": None,
    "src/crop.c:10 works parallel-error": None,
    "src/crop.c:13 check process-exit": None,
}

# A CUDA operator with everything that nvcc lost: intrinsics, architectures, folders, objects that a script makes.
CUDA = {
    "build.py": '''
import os, torch
from torch.utils.ffi import create_extension
here = os.path.dirname(os.path.realpath(__file__))
objects = ['src/roi_kernel.cu.o', 'src/nms_kernel.cu.o', '/usr/local/cuda-8.0/lib64/libcudart.so']
ffi = create_extension('_ext.roi', headers=['src/roi.h', 'src/roi_cuda.h'], sources=['src/roi.c'], with_cuda=True,
                       extra_objects=[os.path.join(here, name) for name in objects])
''',
    "make.sh": '''
#!/bin/sh
# nvcc -arch=sm_20 was for the old card
CUDA=/usr/local/cuda-8.0
$CUDA/bin/nvcc -c -o roi.cu.o src/roi_kernel.cu -gencode arch=compute_52,code=sm_52 -gencode arch=compute_90,code=sm_90
python2 build.py
''',
    "src/roi.h": "int roi(THFloatTensor *image, THLongTensor *boxes);\n",
    "src/roi_cuda.h": "int roi_cuda(THCudaTensor *image, THCudaLongTensor *boxes, THCudaTensor *out);\n",
    "src/roi.c": '#include <THC/THC.h>\nextern THCState *state;\n/* cudaThreadSynchronize() */\n',
    "src/roi_kernel.cu": '''
#include <THC/THC.h>
#include "roi.h"  // texture<float>
texture<float, 2> image;
__device__ double atomicAdd(double *address, double value) { return 0; }
__global__ void roi(float *x) {
  float v = __shfl_down(x[0], 16);
  if (__any(v > 0)) x[0] = __shfl(v, 0, 32);
}
void launch() {
  cudaThreadSynchronize();
  if (cudaGetLastError() != cudaSuccess) printf("use cudaThreadExit()");
}
''',
}  # fmt: skip
CUDA_GONE = {
    "build.py:4 edit object": None,
    "build.py:4 works cuda-folder": None,
    "build.py:4 works object": None,
    "build.py:5 works create_extension": None,
    "make.sh:3 check cuda-folder": None,
    "make.sh:4 check gpu-architecture":
        "$CUDA/bin/nvcc -c -o roi.cu.o src/roi_kernel.cu -gencode arch=compute_75,code=sm_75 "
        "-gencode arch=compute_90,code=sm_90",
    "make.sh:4 check nvcc-path":
        "nvcc -c -o roi.cu.o src/roi_kernel.cu -gencode arch=compute_52,code=sm_52 -gencode arch=compute_90,code=sm_90",
    "make.sh:5 edit python2-command": "python build.py",
    "src/roi_kernel.cu:3 edit removed-cuda": None,
    "src/roi_kernel.cu:4 edit atomic-add": None,
    "src/roi_kernel.cu:6 check warp-intrinsic": "float v = __shfl_down_sync(0xffffffff, x[0], 16);",
    "src/roi_kernel.cu:7 check warp-intrinsic __shfl": "if (__any(v > 0)) x[0] = __shfl_sync(0xffffffff, v, 0, 32);",
    "src/roi_kernel.cu:7 check warp-intrinsic __any": "if (__any_sync(0xffffffff, v > 0)) x[0] = __shfl(v, 0, 32);",
    "src/roi_kernel.cu:10 works renamed-cuda": None,
}  # fmt: skip

# Half of it was moved to PyTorch 0.4.1 and 1.0.
LATER = {
    "src/gather.cpp": '''
#include <THC/THC.h>
#include <vector>
// at::Tensor x; t->dim()
extern "C" int gather(THCState *state, THCudaTensor *t) {
  std::vector<int> sizes; auto *list = &sizes;
  long n = THCudaTensor_nDimensionLegacyNoScalars(state, t) + t->dim() + t->size(1) + list->size();
  float *buffer = (float *)THCudaMalloc(state, n * sizeof(float));
  return t->dim_;
}
''',
    "src/aten.cpp": "#include <ATen/ATen.h>\nat::Tensor f(at::Tensor t) { AT_CHECK(t.dim() == 2); return t; }\n",
    "src/unused.cpp": "#include <ATen/ATen.h>\n#include <TH/TH.h>\nint two() { return 2; }\n",
    "modern/setup.py": "from torch.utils.cpp_extension import BuildExtension\n",
    "modern/src/op.cpp": "#include <torch/extension.h>\nat::Tensor f(at::Tensor t) { return t; }\n",
}  # fmt: skip
LATER_THAN_04 = {
    "modern/setup.py:1 works cpp-extension": None,
    "src/aten.cpp:2 edit aten": None,
    "src/gather.cpp:6 edit 0.4.1":
        "long n = THCudaTensor_nDimension(state, t) + t->nDimension + t->size[1] + list->size();",
    "src/gather.cpp:6 edit unknown-symbol":
        "long n = THCudaTensor_nDimension(state, t) + t->nDimension + t->size[1] + list->size();",
    "src/gather.cpp:7 edit 0.4.1": "float *buffer; THCudaMalloc(state, (void **)&buffer, n * sizeof(float));",
    "src/gather.cpp:8 edit 0.4.1": "return t->nDimension;",
    "src/unused.cpp:1 works aten-include": None,
}  # fmt: skip

# Generic code with a slip in a name, and names of its own that look like TH's.
GENERIC = {
    "src/robust.c": '''
#include <TH/TH.h>
#define robust_(NAME) TH_CONCAT_3(robust_, Real, NAME)
#define THTwice(x) ((x) * 2)
static THFloatTensor *THFloatTensor_mine(THFloatTensor *t) { return t; }
#include "generic/robust.c"
#include "THGenerateFloatTypes.h"
''',
    "src/generic/robust.c": '''
void robust_(forward)(THTensor *x, THTensor *y)
{
  THTensor_(resizeAs)(y, x);
  THTensor *c = THTensor_(newContigous)(x);
  THTensor_(sigmoidd)(THTwice(y), c);
  THFloatTensor_mine(0); THIntTensor_sigmoid(0, 0);
  TH_TENSOR_APPLY2(real, x, real, y, *y_data = *x_data;);
}
''',
}  # fmt: skip
GENERIC_SLIPS = {
    "src/generic/robust.c:4 edit unknown-symbol": "THTensor *c = THTensor_(newContiguous)(x);",
    "src/generic/robust.c:5 edit unknown-symbol": "THTensor_(sigmoid)(THTwice(y), c);",
    "src/generic/robust.c:6 edit unknown-symbol": None,
}

# Headers that cffi cannot take, one that the preprocessor makes good, and one that is no build file's business.
HEADERS = {
    "build.py": '''
from torch.utils.ffi import create_extension
# headers=['src/commented.h']
ffi = create_extension('_ext.a', headers=['src/api.h', 'src/stream.h', 'src/twice.h', 'src/guarded.h'], sources=[])
''',
    "other/build.py": '''
from torch.utils.ffi import create_extension
ffi = create_extension('_ext.b', ['one.h', 'same.h'], [])
''',
    "src/api.h": "int before(int);\nTH_API int exported(THFloatTensor *x);\n",
    "src/stream.h": "/* launches */\nint launch(THCudaTensor *x, cudaStream_t stream);\n",
    "src/twice.h": "int same(THFloatTensor *x);\n\nint same(THFloatTensor *x);\n",
    "src/guarded.h": "#ifndef GUARDED\n#define GUARDED\n#include <TH/TH.h>\nint guarded(THFloatTensor *x);\n#endif\n",
    "src/commented.h": "class NotForC;\n",
    "src/kernel.h": "template <class T> class NotForC;\n",
    "other/one.h": "int one(THFloatTensor *x);\n",
    "other/same.h": "int one(THFloatTensor *x);\n",
}  # fmt: skip
HEADERS_READ = {
    "build.py:3 works create_extension": None,
    "other/build.py:2 edit header": None,
    "other/build.py:2 works create_extension": None,
    "src/api.h:2 edit header": "int exported(THFloatTensor *x);",
    "src/stream.h:2 edit header": None,
    "src/twice.h:3 edit header": None,
}

# A package whose modules find each other as Python 2 did.
PACKAGE = {
    "setup.py": "setup(name='ops', cffi_modules=['build.py:ffi'])\n",
    "ops/__init__.py": "from layers import Crop\nimport utils\nfrom ._ext import crop\nimport torch, json\n",
    "ops/layers.py": "import utils as u\nfrom functions.crop import CropFunction\nimport torch.nn\n# import utils\n",
    "ops/utils.py": "import json\n",
    "ops/json.py": "",
    "ops/functions/__init__.py": "",
    "ops/functions/crop.py": "from ..utils import x\nimport scripts\n",
    "ops/functions/scripts.py": "",
    "src/pool/__init__.py": "",
    "src/pool/pool.py": "",
    "src/pool/net.py": "from pool.data import images\n",
    "scripts/train.py": "from ops.layers import Crop\nimport plot\n",
    "scripts/plot.py": "",
}
PACKAGED = {
    "ops/__init__.py:1 edit implicit-import": "from .layers import Crop",
    "ops/__init__.py:2 edit implicit-import": "from . import utils",
    "ops/layers.py:1 edit implicit-import": "from . import utils as u",
    "ops/layers.py:2 edit implicit-import": "from .functions.crop import CropFunction",
    "setup.py:1 works cffi_modules": None,
}

# What was committed years ago: wrappers, libraries, objects.
COMMITTED = {
    "_ext/nms/__init__.py": "from torch.utils.ffi import _wrap_function\nfrom ._nms import lib as _lib, ffi as _ffi\n",
    "_ext/nms/_nms.so": b"\x7fELF",
    "src/nms.cu.o": b"\x7fELF",
    "lib/libhelper.a": b"!<arch>\n",
    ".git/hooks/pre.py": "print 'no part of it'\n",
    "__pycache__/old.py": "print 'no part of it'\n",
    "notes.txt": "print loss.data[0]\n",
}
COMMITTED_LONG_AGO = {
    "_ext/nms/__init__.py:1 works wrapper": None,
    "_ext/nms/_nms.so:0 works binary": None,
    "lib/libhelper.a:0 check binary": None,
    "src/nms.cu.o:0 works binary": None,
}

# A project that compiles with its own tools and links the libraries of PyTorch.
TOOLS = {
    "CMakeLists.txt": '''
# find_path(torch/lib/include)
include_directories(${SITE}/torch/lib/include ${SITE}/torch/lib/include/TH)
target_link_libraries(depth ${SITE}/torch/lib/libTH.so.1)
''',
    "Makefile": "NVCC = /opt/cuda/bin/nvcc -gencode=arch=compute_61,code=sm_61\nall:\n\tpython setup.py install\n",
    "depth.py": "handle = ffi.dlopen('libdepth.so')\nhandle.run(ffi.cast('THFloatTensor *', x._cdata))\n",
}  # fmt: skip
TOOLS_OF_ITS_OWN = {
    "CMakeLists.txt:2 check torch-headers": None,
    "CMakeLists.txt:3 edit torch-library": None,
    "Makefile:1 check gpu-architecture": "NVCC = /opt/cuda/bin/nvcc -gencode=arch=compute_75,code=sm_75",
    "Makefile:1 check nvcc-path": "NVCC = nvcc -gencode=arch=compute_61,code=sm_61",
    "depth.py:2 edit cdata": None,
}

# Old-style Functions and what Variables could do: all of it works.
FUNCTIONS = {
    "functions.py": '''
from torch.autograd import Function, Variable
class Scale(Function):
    def backward(self, grad_output):
        return grad_output * self.factor
class Shift(torch.autograd.Function): pass
y = Scale(3)(Variable(x, volatile=True)); y.backward(retain_variables=True)
print(y.creator, y.creator.previous_functions)
''',
}  # fmt: skip
FUNCTIONS_WORK = {
    "functions.py:2 works instance-function": None,
    "functions.py:6 works retain_variables": None,
    "functions.py:6 works volatile": None,
    "functions.py:7 works creator": None,
}

# Linear algebra, files and masks of other days.
NUMERICS = {
    "solve.py": '''
import numpy as np, torch, torch._six
solution, lu = torch.gesv(b, a)
u = a.potrf()
w, v = np.linalg.eig(a.numpy())
keep = 1 - (scores > 0.5)
far = 1 - scores.gt(0.5)
scores.masked_copy_(keep, other)
model = torch.load('model.pth')
weights = torch.load('w.pth', weights_only=False)
self.index = nn.Parameter(torch.LongTensor([1, 2]))
places = x.index((rows, columns))
mask = m.astype(np.int) & np.bool_(1)
legacy = torch.legacy.nn.Linear(2, 3)
x = F.dropout(x, 0.5) + F.dropout(x, training=True)
''',
}  # fmt: skip
NUMERICS_TODAY = {
    "solve.py:1 mode torch-six": None,
    "solve.py:2 edit removed-linalg": None,
    "solve.py:3 edit removed-linalg": None,
    "solve.py:5 check mask-arithmetic": "keep = ~(scores > 0.5)",
    "solve.py:6 edit mask-arithmetic": "far = ~scores.gt(0.5)",
    "solve.py:7 edit removed-method": "scores.masked_scatter_(keep, other)",
    "solve.py:8 check torch-load": None,
    "solve.py:10 mode integer-gradient": None,
    "solve.py:11 mode tensor-index": None,
    "solve.py:12 edit library-name": "mask = m.astype(int) & np.bool_(1)",
    "solve.py:13 edit removed-module": None,
    "solve.py:14 check dropout": None,
}

# Python that no version of Python can parse, and tabs among spaces.
BROKEN = {
    "template.py": "x = 1\n{% if jinja %}\n",
    "tabs.py": "def f(x):\n        if x:\n\t    return 1\n",
    "latin.py": b"# caf\xe9\nprint 'caf\xe9'\n",
}
BROKEN_SYNTAX = {
    "latin.py:1 edit encoding": None,
    "latin.py:2 edit python2-syntax": None,
    "tabs.py:3 edit python2-syntax": "return 1",
    "template.py:2 edit syntax": None,
}

PROJECTS = {
    "training": (TRAINING, TRAINED), "beam search": (BEAM, BEAMED), "flat arrays": (FLAT, FLATTENED),
    "cuda": (CUDA, CUDA_GONE), "later versions": (LATER, LATER_THAN_04), "generic": (GENERIC, GENERIC_SLIPS),
    "headers": (HEADERS, HEADERS_READ), "package": (PACKAGE, PACKAGED), "committed": (COMMITTED, COMMITTED_LONG_AGO),
    "tools": (TOOLS, TOOLS_OF_ITS_OWN), "functions": (FUNCTIONS, FUNCTIONS_WORK),
    "numerics": (NUMERICS, NUMERICS_TODAY), "broken": (BROKEN, BROKEN_SYNTAX),
}  # fmt: skip


def place(report, finding):
    return f"{report.path}:{finding.line} {finding.effect} {finding.rule}"


@pytest.mark.parametrize("name", PROJECTS)
def test_project(project, name):
    files, expected = PROJECTS[name]
    folder = project({path: text.lstrip("\n") if isinstance(text, str) else text for path, text in files.items()})
    found = [(place(report, finding), finding.after) for report in examine(folder) for finding in report.findings]
    # Of several findings of one rule in a line the key names the part that is edited.
    places = [key if key.count(" ") == 2 else key.rpartition(" ")[0] for key in expected]
    assert sorted({place for place, _ in found}) == sorted(set(places))
    for key, after in zip(places, expected.values()):
        assert after is None or (key, after) in found, [edit for place, edit in found if place == key]
