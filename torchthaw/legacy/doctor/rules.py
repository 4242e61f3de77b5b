"""torchthaw/legacy/doctor/rules.py: what to look for in a legacy project, one row each."""

import re
from typing import NamedTuple

# What a finding asks of the reader.
EDIT = "edit"  # the source must change
MODE = "mode"  # runs unchanged with an item of the legacy semantics, or after the edit
CHECK = "check"  # runs, and may compute something else: look at it
WORKS = "works"  # runs; said because it is what one would worry about

# Kinds of files; a rule of PYTHON_TEXT or SHELL sees strings, the others neither strings nor comments.
PYTHON, PYTHON_TEXT, C, SHELL = "python", "python text", "c", "shell"


class Rule(NamedTuple):
    name: str
    effect: str
    kind: str
    pattern: re.Pattern
    message: str
    edit: str | None = None  # replacement for the match, as in re.sub
    item: str | None = None  # of the legacy semantics


def _rule(name, effect, kind, pattern, message, edit=None, item=None):
    return Rule(name, effect, kind, re.compile(pattern), message, edit, item)


def _renamed(name, kind, pairs, message):
    """An EDIT rule for each pair (pattern, replacement)."""
    return [_rule(name, EDIT, kind, pattern, message, edit) for pattern, edit in pairs]


NUMBER = r"(?:loss|err|error|cost|acc|accuracy|norm|correct|total|dist)"
GONE_LINALG = {
    "gesv": "torch.linalg.solve (arguments swapped)", "gels": "torch.linalg.lstsq", "lstsq": "torch.linalg.lstsq",
    "symeig": "torch.linalg.eigh", "eig": "torch.linalg.eig", "potrf": "torch.linalg.cholesky",
    "potri": "torch.cholesky_inverse", "potrs": "torch.cholesky_solve", "trtrs": "torch.linalg.solve_triangular",
    "btrifact": "torch.linalg.lu_factor", "btrisolve": "torch.linalg.lu_solve", "rfft": "torch.fft.rfft",
    "irfft": "torch.fft.irfft", "ifft": "torch.fft.ifft", "fft": "torch.fft.fft",
    "matrix_rank": "torch.linalg.matrix_rank",
}  # fmt: skip

MALLOC = "up to 0.4.0 it was cudaError_t THCudaMalloc(state, void **pointer, size)"

RULES = [
    # Python 2. Syntax itself is python2.py's.
    *_renamed("python2-name", PYTHON, [
        (r"\bxrange\(", "range("), (r"\braw_input\(", "input("), (r"\bunicode\(", "str("), (r"\bbasestring\b", "str"),
        (r"\.iteritems\(\)", ".items()"), (r"\.itervalues\(\)", ".values()"), (r"\.iterkeys\(\)", ".keys()"),
        (r"(\b[\w.]+)\.has_key\(([^()]+)\)", r"\2 in \1"), (r"(\b[\w.]+)\.next\(\)", r"next(\1)"),
        (r"\bimport cPickle as pickle\b", "import pickle"),
        (r"\bimport cPickle\b(?! as\b)", "import pickle as cPickle"),
        (r"\bimport Queue\b", "import queue as Queue"),
        (r"\bimport ConfigParser\b", "import configparser as ConfigParser"),
        (r"\bfrom StringIO import\b", "from io import"), (r"\bimport urllib2\b", "import urllib.request as urllib2"),
        (r"\bfrom itertools import izip\b", "izip = zip"), (r"\bitertools\.izip\(", "zip("),
        (r"\bitertools\.imap\(", "map("), (r"\btime\.clock\(\)", "time.perf_counter()"),
        (r"\binspect\.getargspec\(", "inspect.getfullargspec("),
        (r"\bcollections\.(Iterable|Mapping|Sequence|Callable|Container|Sized)\b", r"collections.abc.\1"),
        (r"\bfrom collections import (Iterable|Mapping|Sequence|Callable|Sized)$", r"from collections.abc import \1"),
    ], "Python 3 has another name for it"),
    *_renamed("numpy-name", PYTHON, [
        (r"\b(?:np|numpy)\.(int|float|bool|object|complex)(?![\w.])", r"\1"),
    ], "NumPy dropped its name for Python's type"),
    _rule(
        "async-keyword", EDIT, PYTHON, r"\basync\s*=(?!=)", "`async` is a keyword since Python 3.7", "non_blocking="
    ),
    _rule(
        "integer-quotient", CHECK, PYTHON, r"(\.size\(-?\d+\)|\.shape\[-?\d+\]|\blen\([\w.]+\))\s*/(?=\s*\d)",
        "`/` of integers gave an integer in Python 2", r"\1 //",
    ),
    # PyTorch
    _rule(
        "data-index", EDIT, PYTHON, rf"(\b[\w.]*{NUMBER}\w*|\))\.data\[0\]",
        "a loss has no dimension today, and no index; or set TORCHTHAW_LEGACY_SEMANTICS=scalar_index",
        r"\1.item()", "scalar_index",
    ),
    _rule(
        "data-index-maybe", MODE, PYTHON, rf"(?<![\w.])((?!\w*{NUMBER})(?:\w+\.)*\w+)\.data\[0\]",
        "if this is a single number, such as a loss, it has no index today", r"\1.item()", "scalar_index",
    ),
    *[
        _rule("removed-linalg", EDIT, PYTHON, rf"\btorch\.{name}\(", f"torch.{name} is gone; use {new}")
        for name, new in GONE_LINALG.items()
    ],
    _rule(
        "removed-module", EDIT, PYTHON,
        r"\b(?:import|from)\s+torch\.legacy\b|\btorch\.legacy\.",
        "torch.legacy is gone; use torch.nn",
    ),
    _rule(
        "removed-module", EDIT, PYTHON,
        r"\btorch\._thnn\b|\btorch\.nn\._functions\b|\btorch\.nn\.functions\b|\btorch\._C\._safe_call\b",
        "PyTorch's private back end is gone; call torch.nn.functional",
    ),
    _rule(
        "removed-module", EDIT, PYTHON,
        r"\btorch\.utils\.trainer\b|\btorch\.autograd\.stochastic_function\b",
        "this module is gone; there is no successor",
    ),
    _rule("removed-method", EDIT, PYTHON, r"\.masked_copy_\(", "its name is masked_scatter_ now", ".masked_scatter_("),
    _rule("removed-method", EDIT, PYTHON, r"\.cinv\(\)", "its name is reciprocal now", ".reciprocal()"),
    _rule(
        "mask-arithmetic", EDIT, PYTHON,
        r"\b1\s*-\s*(\([^()]*[<>=]=?[^()]*\))",
        "comparisons give booleans today, which have no `-`", r"~\1",
    ),
    _rule(
        "torch-six", MODE, PYTHON,
        r"\btorch\._six\b|\bfrom torch import _six\b",
        "torch._six is gone", None, "torch_six",
    ),
    _rule(
        "mul-out", MODE, PYTHON,
        r"(?<!torch)\.(?:mul|add|sub|div)\([^()]*\bout\s*=",
        "methods take no out= today", None, "method_out",
    ),
    _rule(
        "grid-sample", MODE, PYTHON,
        r"\b(?:grid_sample|affine_grid)\((?![^#]*align_corners)",
        "aligned the corners before 1.3; add align_corners=True", None, "align_corners",
    ),
    _rule(
        "arange", MODE, PYTHON,
        r"\btorch\.arange\((?![^#]*(?:dtype|out\s*=|\.\d|\.(?:long|float|int|double|type|cuda|to)\())",
        "gave floats for integers; add dtype=torch.float", None, "arange",
    ),
    _rule(
        "keepdim", MODE, PYTHON,
        r"\.(?:sum|mean|norm|max|min|std|var|prod)\(-?\d+\)\.expand_as\(",
        "kept the dimension in 0.1; add keepdim=True", None, "keepdim",
    ),
    _rule("tensor-index", MODE, PYTHON, r"\.index\(\(", "Tensor.index became indexing: x[...]", None, "tensor_index"),
    _rule(
        "all-dtypes", MODE, PYTHON,
        r"\bget_all_dtypes\b",
        "torch.testing.get_all_dtypes is gone", None, "all_dtypes",
    ),
    _rule(
        "integer-parameter", MODE, PYTHON,
        r"\bParameter\(\s*torch\.(?:Long|Int|Short|Char|Byte)Tensor\b(?![^#]*requires_grad\s*=\s*False)",
        "integers cannot require grad today; add requires_grad=False", None, "integer_requires_grad",
    ),
    _rule(
        "torch-load", CHECK, PYTHON,
        r"\btorch\.load\((?![^#]*weights_only)",
        "loads tensors only today; for a pickled model add weights_only=False",
    ),
    # The extension's Python side
    _rule("create_extension", WORKS, PYTHON, r"\bcreate_extension\(", "torch.utils.ffi builds it again"),
    _rule(
        "wrapper", WORKS, PYTHON,
        r"\bimport\b.*\b_wrap_function\b",
        "a generated wrapper, which works and is written anew by the build",
    ),
    _rule(
        "instance-function", WORKS, PYTHON,
        r"^class\s+\w+\s*\([^()]*\bFunction\s*\)",
        "a Function; instances can be called again",
    ),
    _rule("volatile", WORKS, PYTHON, r"\bvolatile\s*=\s*True", "volatile makes no graph, as it did"),
    _rule("retain_variables", WORKS, PYTHON, r"\bretain_variables\s*=", "still means retain_graph"),
    _rule("creator", WORKS, PYTHON, r"\.(?:creator|previous_functions)\b", "is there again"),
    _rule(
        "cpp-extension", CHECK, PYTHON,
        r"\btorch\.utils\.cpp_extension\b",
        "builds with PyTorch's own headers; torchthaw has no part in it",
    ),
    _rule(
        "gpu-architecture", WORKS, PYTHON_TEXT, r"\b(?:arch|gencode)\b[^#]*\b(?:sm|compute)_(?:[1-6]\d|70|72)\b",
        "today's nvcc has no such architecture; the build takes one that it has",
    ),
    _rule("cuda-folder", WORKS, PYTHON_TEXT, r"/(?:usr/local|opt)/cuda[-\w.]*", "the build looks for CUDA where it is"),
    # Scripts
    _rule(
        "gpu-architecture", EDIT, SHELL, r"\b(sm|compute)_(?:[1-6]\d|70|72)\b",
        "CUDA 13 begins at sm_75; not needed where the script only makes objects for the build file", r"\1_75",
    ),
    _rule("cuda-folder", CHECK, SHELL, r"/(?:usr/local|opt)/cuda[-\w.]*", "CUDA may be elsewhere; see CUDA_HOME"),
    # C and CUDA
    _rule(
        "aten", EDIT, C,
        r"\bat::\w+|\bAT_(?:ERROR|ASSERT|CHECK|DISPATCH_\w+)\b",
        "ATen is not part of it: use TH, or port to torch.utils.cpp_extension",
    ),
    _rule(
        "cpp-extension", EDIT, C,
        r"#\s*include\s*[<\"]torch/",
        "PyTorch's C++ headers are not part of it: build with torch.utils.cpp_extension",
    ),
    _rule(
        "0.4.1", EDIT, C,
        r"(\b\w[\w ]*\*+\s*)(\w+)\s*=\s*(?:\([^()]*\)\s*)?THCudaMalloc\(\s*(\w+)\s*,\s*([^;]+)\)(?=\s*;)",
        MALLOC, r"\1\2; THCudaMalloc(\3, (void **)&\2, \4)",
    ),
    _rule(
        "0.4.1", EDIT, C,
        r"(?<![*\w])(?<!\*\s)(\w[\w.>\[\]-]*)\s*=\s*(?:\([^()]*\)\s*)?THCudaMalloc\(\s*(\w+)\s*,\s*([^;,]+)\)(?=\s*;)",
        MALLOC, r"THCudaMalloc(\2, (void **)&\1, \3)",
    ),
    _rule("0.4.1", EDIT, C, r"->\s*dim_\b", "up to 0.4.0 the field was nDimension", "->nDimension"),
    _rule(
        "shuffle", EDIT, C,
        r"\b__shfl(_up|_down|_xor)?\(",
        "needs the mask of the threads that take part", r"__shfl\1_sync(0xffffffff, ",
    ),
    _rule(
        "shuffle", EDIT, C,
        r"\b__(ballot|any|all)\(",
        "needs the mask of the threads that take part", r"__\1_sync(0xffffffff, ",
    ),
    *_renamed("removed-cuda", C, [
        (r"\bcudaThreadSynchronize\b", "cudaDeviceSynchronize"), (r"\bcudaThreadExit\b", "cudaDeviceReset"),
        (r"\bcudaThreadSetLimit\b", "cudaDeviceSetLimit"),
        (r"\bcudaThreadSetCacheConfig\b", "cudaDeviceSetCacheConfig"),
    ], "CUDA 13 has no cudaThread functions"),
    _rule(
        "removed-cuda", EDIT, C,
        r"\btexture\s*<|\bcuda(?:Bind|Unbind)Texture\w*|\bcudaGetTextureReference\b",
        "texture references are gone; use texture objects (cudaCreateTextureObject)",
    ),
    _rule("removed-cuda", EDIT, C, r"\bcuda(?:ConfigureCall|SetupArgument|Launch)\s*\(", "use cudaLaunchKernel"),
    _rule(
        "removed-cuda", EDIT, C,
        r"(?<=[.>])(?:clockRate|memoryClockRate|deviceOverlap|kernelExecTimeoutEnabled)\b",
        "no field of cudaDeviceProp any more; ask cudaDeviceGetAttribute",
    ),
    _rule("process-exit", CHECK, C, r"\bexit\s*\(\s*-?\d+\s*\)", "ends the Python process, as it always did"),
]  # fmt: skip

# Hints that need more than one line: see examine.py.
DEBUG_HINT = (
    "reads tensors as flat arrays and never asks for strides; today more operations give transposed results: "
    "run once with TORCHTHAW_DEBUG=1"
)
