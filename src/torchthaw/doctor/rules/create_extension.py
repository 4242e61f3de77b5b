"""torchthaw/doctor/rules/create_extension.py: the Python side of a C extension."""

from .find_values import calls_of_c
from .rule import CHECK, EDIT, PYTHON, PYTHON_TEXT, WORKS, TreeRule, rule

NO_LIBRARY = "PyTorch has no such library today; `python -m torchthaw config --libth` names ours"

RULES = [
    rule("create_extension", WORKS, PYTHON, r"\bcreate_extension\(", "torch.utils.ffi builds it again"),
    rule("cffi_modules", WORKS, PYTHON, r"\bcffi_modules\s*=", "setup.py builds it again"),
    rule(
        "wrapper", WORKS, PYTHON, r"\bimport\b.*\b_wrap_function\b|\btorchthaw\.legacy\.loading\s+import\b",
        "a generated wrapper, which works and is written anew by the build",
    ),
    rule(
        "instance-function", WORKS, PYTHON, r"^class\s+\w+\s*\([^()]*\bFunction\s*\)",
        "a Function; instances can be called again",
    ),
    rule(
        "cdata", EDIT, PYTHON, r"(?<!self)\._cdata\b",
        "the address of no TH struct today; pass the tensor itself to a wrapped function",
        unless=r"\bself\._cdata\s*=(?!=)",
    ),
    rule(
        "cpp-extension", WORKS, PYTHON, r"\btorch\.utils(?:\.cpp_extension\b|\s+import\b.*\bcpp_extension\b)",
        "torch.utils.cpp_extension works; under `run` it compiles sources that are as old as PyTorch 0.4",
    ),
    rule(
        "inline-source", CHECK, PYTHON, r"\bload_inline\(",
        "C++ in strings is not read; `run` compiles it as it does files, and in a file the doctor reads it",
    ),
    TreeRule("argument-count", CHECK, "", calls_of_c),
    rule("torch-library", EDIT, PYTHON_TEXT, r"\blib(?:TH|THC|THNN|THCUNN|ATen)\.so\b", NO_LIBRARY),
    rule(
        "gpu-architecture", WORKS, PYTHON_TEXT, r"\b(?:arch|gencode)\b[^#\n]*\b(?:sm|compute)_(?:[1-6]\d|70|72)\b",
        "nvcc 13 has no such architecture, and stops; under `run` the build takes those that it has; without it leave the "
        "flag out, and PyTorch names the card's",
    ),
    rule(
        "gpu-architecture", CHECK, PYTHON_TEXT, r"TORCH_CUDA_ARCH_LIST\b[^#\n]*?[\"'; =](?:[1-6]\.\d|7\.[02])\b",
        "nvcc 13 has no architecture before 7.5, and PyTorch passes on what this variable names",
    ),
    rule("cuda-folder", WORKS, PYTHON_TEXT, r"/(?:usr/local|opt)/cuda[-\w.]*", "the build looks for CUDA where it is"),
]  # fmt: skip
