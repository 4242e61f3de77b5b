"""torchthaw/doctor/rules/aten.py: C++ and CUDA on ATen of PyTorch 0.4 to 1.10, and what it is called today.

The headers of torchthaw_aten serve these names, but for those that are ``gone``. The edits make a source compile without
them; what they write is there since PyTorch 1.11, mutable_data() of a storage since 2.1.
"""

import ast
import re
from typing import NamedTuple

from ...legacy.cpp import aten_names, cxx_standard
from ..findings import Edit
from .rule import ARGUMENTS, WORKS, Found, TreeRule

SERVED = "compiles under torchthaw"
STAYS = "compiles, and is deprecated"
ALONE = "is in no header of PyTorch, and CMake takes no other"


class Old(NamedTuple):
    """A name that is old, or a use of one.

    pattern: its group ``name``, where there is one, is what the project may define itself; else that is ``name``. Its
        group ``storage`` is a variable that must hold a storage, ``tensor`` one that must not.
    edit: replacement for the match, as in re.sub; None where none is certain. today: what to write instead.
    include: the header that the edit needs. stays: PyTorch has it still. gone: the PyTorch since which nobody has it, nor
        torchthaw. unless, given: text in which it is another library's; text without which it is not PyTorch's.
    """

    name: str
    pattern: re.Pattern
    edit: str | None
    today: str
    include: str | None = None
    stays: bool = False
    gone: str | None = None
    unless: re.Pattern = re.compile(r"(?!)")
    given: re.Pattern = re.compile(r"")


class Gone(NamedTuple):
    """A pattern of names that nobody has, what to say of them, and what is certain to do the same."""

    pattern: re.Pattern
    message: str
    edit: str | None


def old(name, pattern, edit, today, include=None, stays=False, gone=None):
    return Old(name, re.compile(pattern, re.MULTILINE), edit, today, include, stays, gone)


def renamed(name, today, include=None):
    return old(name, rf"(?<![\w.]){name}\b", today, today, include)


def without_state(name, today, include=None):
    """A call whose first argument is the THCState, which goes."""
    return old(name, rf"\b{name}\(\s*{STATE}\s*(?:,\s*|(?=\)))", f"{today}(", today, include)


STATE = r"[\w:]+(?:\(\)\.\w+\(\))?"
ARGUMENT = ARGUMENTS.replace("[^()]", "[^(),;]", 1)  # one of a call
TYPES = r"\((?:\s*(?:\w+::)*(?:ScalarType::\w+|k[A-Z]\w*)\s*,)*"  # the first arguments of some AT_DISPATCH_...
BEFORE_STATEMENT = r"(?:[;{})]|\belse\b|^[ \t]*#[^\n]*\n)[\s\\]*"
# What a member is taken of: names, calls and indices.
CALLED = r"(?:\((?:[^();]|\([^();]*\))*\)|\[[^\[\];]*\])*"
VARIABLE = r"(?<![\w.:)\]])(?<!->)"  # before its name
OBJECT = rf"{VARIABLE}\w[\w:]*{CALLED}(?:(?:\.|->)\w+{CALLED})*?"
TYPE = r"(?:const\s+)?[\w:]+(?:<[\w:]+>)?"
# The arguments of AT_PRIVATE_CASE_TYPE in a macro, after the name that was the first from 1.10 on.
CASE = rf"([\w:]+)\s*,\s*({TYPE})\s*,\s*__VA_ARGS__\s*\)"
CASE_TODAY = r"case \1: { using scalar_t = \2; return __VA_ARGS__(); }"
IN_CASE = "case at::kFloat: { using scalar_t = float; return ...(); }"
FACTORY = r"\b((?:at|torch)::(?:zeros|ones|empty|rand|randn))\(\s*"
OTHER_FACTORY = r"\b(?:at|torch)::(?:full|arange|range|eye|linspace|logspace|randint|randperm)\(\s*"
BACKEND = r"(?:at|torch)::(CPU|CUDA)\(((?:\w+::)?k\w+)\)"
SIZES = rf"(\{{[^{{}};]*\}}|{ARGUMENT})\s*\)"
# CUDA made ready by a statement, which needs no THC; as a value it was the THCState.
READY = rf"{BEFORE_STATEMENT}(?:{OBJECT}(?:\.|->))?lazyInitCUDA\(\)(?=\s*;)"
ALLOCATOR = "c10::cuda::CUDACachingAllocator"
# Macros of glog's names, which PyTorch had until 1.12.
CHECKS = {"EQ": "==", "NE": "!=", "LE": "<=", "LT": "<", "GE": ">=", "GT": ">"}
# Another library that has them is included; that of a folder that is empty, such as a submodule's, cannot be looked into.
OF_GLOG = re.compile(
    r"#\s*include\s*[<\"](?!(?:c10|torch|ATen|caffe2)/)[^>\"\n]*(?:glog|logging|dmlc|check)[^>\"\n]*[>\"]",
    re.IGNORECASE,
)
OF_C10 = re.compile(r"#\s*include\s*[<\"](?:c10|torch|ATen|caffe2)/|\b(?:at|torch|c10)::")
CONTEXT, EXCEPTION, MEMORY = "ATen/cuda/CUDAContext.h", "c10/cuda/CUDAException.h", "c10/cuda/CUDACachingAllocator.h"

NAMES = [
    renamed("AT_CHECK", "TORCH_CHECK"),
    renamed("CAFFE2_API", "TORCH_API"),
    old("IntList", r"\b(at|torch|c10)::IntList\b", r"\1::IntArrayRef", "at::IntArrayRef", stays=True),
    old(
        "AT_DISPATCH_ALL_TYPES_AND_HALF", r"\bAT_DISPATCH_ALL_TYPES_AND_HALF\((?!\s*TYPE\b)",
        "AT_DISPATCH_ALL_TYPES_AND(at::ScalarType::Half, ", "AT_DISPATCH_ALL_TYPES_AND(at::ScalarType::Half, ...)",
    ),
    old(
        "x.type() in AT_DISPATCH_...",
        rf"\b(?P<name>AT_DISPATCH_\w+)({TYPES}\s*{ARGUMENT}(?:\.|->))type\(\)(?=\s*,)",
        r"\1\2scalar_type()", "x.scalar_type()",
    ),
    old(
        "x.type().is_cuda()", r"(\.|->)type\(\)\s*\.\s*(is_cuda|is_sparse)\(\)", r"\1\2()", "x.is_cuda()",
        stays=True,
    ),
    old(
        "x.type().scalarType()", r"(\.|->)type\(\)\s*\.\s*scalarType\(\)", r"\1scalar_type()", "x.scalar_type()",
        stays=True,
    ),
    old(
        "x.storage().data<T>()",
        rf"({OBJECT}(?:\.|->)storage\(\)|{VARIABLE}(?P<storage>\w+))"
        rf"\s*(\.|->)\s*(?:unsafe_)?data\s*<\s*({TYPE})\s*>\s*\(\s*\)",
        r"static_cast<\4 *>(\1\3mutable_data())", "static_cast<T *>(x.storage().mutable_data())", gone="2.1",
    ),
    old(
        "x.data<T>()",
        rf"({VARIABLE}(?P<tensor>\w+)\s*)?(?<!storage\(\))(\.|->)\s*(template\s+)?(?P<name>data)(\s*<[^;(){{}}]*>\s*\(\s*\))",
        r"\1\3\4data_ptr\6", "x.data_ptr<T>()", stays=True,
    ),
    old(
        "at::zeros(type, sizes)", rf"{FACTORY}{BACKEND}\s*,\s*{SIZES}", r"\1(\4, at::device(at::k\2).dtype(\3))",
        "at::zeros(sizes, at::device(at::kCUDA).dtype(...))", gone="1.0",
    ),
    old(
        "at::zeros(x.type(), sizes)", rf"{FACTORY}({OBJECT})(\.|->)type\(\)\s*,\s*{SIZES}", r"\1(\4, \2\3options())",
        "at::zeros(sizes, x.options())", gone="1.0",
    ),
    old(
        "at::zeros(x.type().toScalarType(...), sizes)",
        rf"{FACTORY}({OBJECT})(\.|->)type\(\)\s*\.\s*toScalarType(\((?:\w+::)*k?\w+\))\s*,\s*{SIZES}",
        r"\1(\5, \2\3options().dtype\4)", "at::zeros(sizes, x.options().dtype(...))", gone="1.0",
    ),
    old(
        "at::full(type, ...)", rf"{OTHER_FACTORY}(?:{BACKEND}|{OBJECT}(?:\.|->)type\(\))\s*,", None,
        "the same call with options as its last argument: at::full(sizes, value, x.options())", gone="1.0",
    ),
    old(
        "torch::CPU(...) or torch::CUDA(...)", rf"{BACKEND}(?=\s*\))",
        r"at::device(at::k\1).dtype(\2)", "at::device(at::kCUDA).dtype(...)", stays=True,
    ),
    old("AT_PRIVATE_CASE_TYPE", rf"\bAT_PRIVATE_CASE_TYPE\(\s*{CASE}", CASE_TODAY, IN_CASE),
    old("AT_PRIVATE_CASE_TYPE", rf"\bAT_PRIVATE_CASE_TYPE\(\s*#?\w+\s*,\s*{CASE}", CASE_TODAY, IN_CASE, gone="1.13"),
    old("AT_PRIVATE_CASE_TYPE", rf"\bAT_PRIVATE_CASE_TYPE\((?!\s*(?:#?\w+\s*,\s*)?{CASE})", None, IN_CASE, gone="1.13"),
    renamed("AT_WARN", "TORCH_WARN"),
    renamed("THCudaCheck", "C10_CUDA_CHECK", EXCEPTION),
    renamed("THCudaCheckWarn", "C10_CUDA_CHECK_WARN", EXCEPTION),
    renamed("THCublasCheck", "TORCH_CUDABLAS_CHECK", "ATen/cuda/Exceptions.h"),
    renamed("THCusparseCheck", "TORCH_CUDASPARSE_CHECK", "ATen/cuda/Exceptions.h"),
    renamed("THCCeilDiv", "at::ceil_div", "ATen/ceil_div.h"),
    renamed("THCRoundUp", "at::round_up", "ATen/ceil_div.h"),
    old(
        "THCudaMalloc", rf"\bTHCudaMalloc\(\s*{STATE}\s*,\s*(?={ARGUMENT}\))", f"{ALLOCATOR}::raw_alloc(",
        f"{ALLOCATOR}::raw_alloc(size)", MEMORY,
    ),
    old(
        "THCudaFree", rf"({BEFORE_STATEMENT})THCudaFree\(\s*{STATE}\s*,\s*(?={ARGUMENT}\)\s*;)",
        rf"\1{ALLOCATOR}::raw_delete(", f"{ALLOCATOR}::raw_delete(pointer)", MEMORY,
    ),
    without_state("THCState_getCurrentStream", "at::cuda::getCurrentCUDAStream", CONTEXT),
    without_state("THCState_getCurrentStreamOnDevice", "at::cuda::getCurrentCUDAStream", CONTEXT),
    without_state("THCState_getCurrentDeviceProperties", "at::cuda::getCurrentDeviceProperties", CONTEXT),
    without_state("THCState_getDeviceProperties", "at::cuda::getDeviceProperties", CONTEXT),
    without_state("THCState_getCurrentBlasHandle", "at::cuda::getCurrentCUDABlasHandle", CONTEXT),
    without_state("THCState_getCurrentSparseHandle", "at::cuda::getCurrentCUDASparseHandle", CONTEXT),
    without_state("THCState_getNumDevices", "c10::cuda::device_count", "c10/cuda/CUDAFunctions.h"),
    without_state("THCudaMemGetInfo", "cudaMemGetInfo"),
    old("THCudaMalloc", rf"\bTHCudaMalloc\(\s*{STATE}\s*,(?!\s*{ARGUMENT}\))", None, f"{ALLOCATOR}::raw_alloc(size)"),
    old(
        "THCudaFree", r"(?:\bTHCudaCheck\(\s*|[=?:]\s*|\breturn\s+)THCudaFree\(", None,
        f"{ALLOCATOR}::raw_delete(pointer)",
    ),
    old("lazyInitCUDA", READY, None, "lazyInitDevice(at::kCUDA), since PyTorch 2.6", stays=True),
    old(
        "lazyInitCUDA", rf"(?:[=?,(]|(?<!:):(?!:)|\breturn\b)\s*(?:{OBJECT}(?:\.|->))?lazyInitCUDA\(\)", None,
        "nothing: PyTorch makes CUDA ready itself",
    ),
    old("getTHCState", r"\bgetTHCState\(\)", None, "nothing: no function takes a THCState"),
    old("THCNumerics", r"\bTHCNumerics\b", None, "operators and functions of the type itself"),
    old("THCThrustAllocator", r"\bTHCThrustAllocator\b", None, "at::cuda::ThrustAllocator, which takes no argument"),
    old("THCudaBlas", aten_names.HERE.pattern, None, "cuBLAS on at::cuda::getCurrentCUDABlasHandle()"),
    old("THCAssertSameGPU", r"\bTHCAssertSameGPU\(", None, "TORCH_CHECK(condition, message)"),
    old("THArgCheck", r"\bTHArgCheck\(", None, "TORCH_CHECK(condition, parts of a message)"),
    old("THError", r"\bTHError\(", None, "TORCH_CHECK(false, parts of a message)"),
    renamed("THAssert", "TORCH_CHECK"),
    old("THAssertMsg", r"\bTHAssertMsg\(", None, "TORCH_CHECK(condition, parts of a message)"),
    old("THAlloc", r"\bTH(?:Re)?[aA]lloc\(", None, "std::vector, or std::malloc with a check"),
    old("THFree", r"\bTHFree\(", None, "std::free, for memory of std::malloc"),
    old("THMin", r"\bTHM(?:in|ax)\(", None, "std::min and std::max, for two values of one type"),
    *[
        old(
            f"CHECK_{name}", rf"\bD?CHECK_{name}\(\s*({ARGUMENT})\s*,\s*({ARGUMENT})\)(?=\s*;)",
            rf"TORCH_CHECK((\1) {sign} (\2))", f"TORCH_CHECK(a {sign} b)",
        )._replace(unless=OF_GLOG, given=OF_C10)
        for name, sign in CHECKS.items()
    ],
    old(
        "CHECK_EQ", rf"\bD?CHECK_(?:(?:{'|'.join(CHECKS)})\(\s*{ARGUMENT}\s*,\s*{ARGUMENT}\)\s*<<|NOTNULL\()", None,
        "TORCH_CHECK(condition, parts of a message)",
    )._replace(unless=OF_GLOG, given=OF_C10),
]  # fmt: skip

# A variable that holds a storage.
STORAGES = re.compile(
    rf"\b(?:auto(?:\s*&\s*|\s+)(?P<variable>\w+)\s*=\s*{OBJECT}(?:\.|->)storage\(\)(?=\s*;)|Storage(?:\s*&\s*|\s+)(?P<typed>\w+))"
)
# The declaration of a variable, whatever it holds: its name after a type.
DECLARED = (
    r"(?:\b(?!(?:return|else|throw|case|delete|new)\b)\w+|>)(?:\s*[&*]+\s*|\s+)(?P<variable>{})\b(?=\s*[=;,(){{:])"
)
# A variable that holds a type, and its use.
TYPED = re.compile(
    rf"\b(?P<const>const\s+)?auto(?:(?P<and>\s*&\s*)|\s+)(?P<variable>\w+)\s*=\s*{OBJECT}(?:\.|->)(?P<type>type)\(\)(?=\s*;)"
)
DISPATCHED = re.compile(rf"\b(?P<name>AT_DISPATCH_\w+){TYPES}\s*(?P<variable>\w+)(?=\s*,)")

# A state that nothing refers to: a declaration of it, with its line.
STATES = re.compile(
    rf"^[ \t]*(?:extern\s+)?THCState\s*\*\s*(?P<state>\w+)(?:\s*=\s*{STATE})?\s*;[ \t]*(?:\n|$)", re.MULTILINE
)

# Headers: what includes them today, and whether that holds while names of TH or THC are left.
INCLUDES = {
    "THC/THC.h": (CONTEXT, False), "THC/THCGeneral.h": (CONTEXT, False), "THC/THCBlas.h": (CONTEXT, False),
    "THC/THCAtomics.cuh": ("ATen/cuda/Atomic.cuh", True),
    "THC/THCDeviceUtils.cuh": ("ATen/cuda/DeviceUtils.cuh", False),
    "THC/THCNumerics.cuh": ("ATen/cuda/NumericLimits.cuh", False),
    "THC/THCThrustAllocator.cuh": ("ATen/cuda/ThrustAllocator.h", False),
    "TH/TH.h": ("ATen/ATen.h", False), "TH/THGeneral.h": ("ATen/ATen.h", False),
}  # fmt: skip
# Their names without a folder: builds up to PyTorch 1.10 had -I for include/TH and include/THC.
BARE = {name.rpartition("/")[2]: name for name in INCLUDES}
OF_FOLDERS = re.compile(r"(?:TH|THC|THNN|THCUNN|THCS?)/")
NO_HEADER = "neither PyTorch nor torchthaw has this header for an extension of torch.utils.cpp_extension"
OF_TH = re.compile(r"\bTH(?:C?[A-Z][a-z]|C[A-Z]{2}|C?_)\w*|\blazyInitCUDA\b|\bgetTHCState\b")

# What nobody has.
GONE = [
    Gone(
        re.compile(rf"(?<!\w)(?!{aten_names.HERE.pattern}\b)(?:{entry.pattern})"),
        f"PyTorch {entry.by} has it no more; use {entry.instead}",
        entry.edit,
    )
    for entry in aten_names.GONE
]
ELSEWHERE = re.compile(r"HIP|ROCM|XLA|MPS")  # in a condition: PyTorch for these has headers that others lack
# What is written for several PyTorchs already; also where a macro such as TORCH_1_6, of a setup.py, is not defined.
# TORCH_1_6_H is the guard of a header.
BY_VERSION = re.compile(
    r"VERSION|__has_include|\bAT_CHECK\b|\bTORCH_CHECK\b"
    r"|(?:\belse\b|\bifndef\b|!).*TORCH\w*?[0-2]_\d+(?!\d|\w*_H(?:PP)?_*\b)"
)

STANDARD = re.compile(r"-?-std=(?:c|gnu)\+\+(\w+)")


def old_standards(tree, project):
    """Older C++ standards than PyTorch's headers need, in a file that builds with torch.utils.cpp_extension."""
    if "cpp_extension" not in tree.code:
        return
    message = f"PyTorch's headers need C++{_needed()}, and its builds add that where no flag names another"
    for node in tree.all(ast.Constant):
        parent = tree.parents[node]
        if not isinstance(node.value, str) or isinstance(parent, ast.JoinedStr):
            continue
        edits, sure, value = (), False, node.value
        if isinstance(parent, ast.List):
            index = parent.elts.index(node)
            after = parent.elts[index + 1 : index + 2]
            parts = 1
            if value in ("-std", "--std") and after and isinstance(after[0], ast.Constant):
                value, parts = f"-std={after[0].value}", 2
            edits, sure = _without(tree, parent.elts, index, index + parts)
        elif _appends(tree, node):
            statement = tree.statement(node)
            edits, sure = (Edit(tree.start(statement), tree.end(statement), "pass"),), True
        if any(_is_old(word) for word in value.split()):
            whole = STANDARD.fullmatch(value)
            yield Found(
                node, edits if whole else (), sure, message=f"{message}; `run` replaces {value}" if whole else message
            )


def _needed():
    return cxx_standard.needed() or 17  # what the oldest PyTorch asks for that torchthaw supports


def _is_old(word):
    match = STANDARD.fullmatch(word)
    needed = _needed()
    return bool(match) and cxx_standard.STANDARDS.get(match[1], needed) < needed


def _appends(tree, node):
    """Whether a statement appends ``node`` to a list, and does nothing else."""
    call = tree.parents[node]
    is_call = isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "append"
    return is_call and isinstance(tree.parents[call], ast.Expr)


def _without(tree, parts, first, end):
    """(edits, whether they are sure) that take ``parts[first:end]`` out of a list."""
    if end < len(parts):
        start, stop = tree.start(parts[first]), tree.start(parts[end])
    else:
        start, stop = tree.end(parts[first - 1]) if first else tree.start(parts[first]), tree.end(parts[-1])
    return (Edit(start, stop, ""),), "#" not in tree.text[start:stop]


RULES = [
    TreeRule("cpp-standard", WORKS, "older than PyTorch's headers need", old_standards),
]
