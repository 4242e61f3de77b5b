"""torchthaw/doctor/rules/scripts.py: shell scripts, Makefiles and CMake files."""

from .create_extension import NO_LIBRARY
from .rule import CHECK, EDIT, SHELL, WORKS, rule

# Scripts that build CUDA code themselves.
NVCC = r"\b(?i:nvcc)\b|\bCUDA_NVCC_FLAGS\b|\bCMAKE_CUDA_"
FOLDER = r"/(?:usr/local|opt)/cuda[-\w.]*"
OTHER_NVCC = "under `run`, the first nvcc on PATH accepts flags that CUDA removed; "

RULES = [
    rule(
        "cpp-standard", WORKS, SHELL,
        r"\bCMAKE_CXX_STANDARD\s+(?:98|11|14|17)\b|\bCXX_STANDARD\s+(?:98|11|14|17)\b|-std=(?:c|gnu)\+\+(?:11|14|17)\b",
        "PyTorch's headers need C++17, since 2.14 C++20; `run` has CMake take the newer one; without it write 20",
        given=r"\b(?i:find_package)\s*\(\s*(?:Torch|Caffe2)\b",
    ),
    rule(
        "gpu-architecture", CHECK, SHELL, r"\b(sm|compute)_(?:[1-6]\d|70|72)\b",
        "today's nvcc has no such architecture; that of `python -m torchthaw run FILE.sh` takes those it has", r"\1_75",
        given=NVCC,
    ),
    rule(
        "cuda-folder", CHECK, SHELL, rf"{FOLDER}(?![-\w.]|/bin/nvcc\b)", "CUDA may be elsewhere; see CUDA_HOME", given=NVCC,
    ),
    rule(
        "nvcc-path", CHECK, SHELL, rf"(?:{FOLDER}|\$[({{]?(?!CUDA_(?:HOME|PATH)\b)\w+[)}}]?)/bin/nvcc\b",
        f"{OTHER_NVCC}this line calls the toolkit's nvcc", "nvcc",
    ),
    rule(
        "nvcc-path", CHECK, SHELL, rf"\bPATH\s*[?:]?=\s*[\"']?{FOLDER}/bin\b",
        f"{OTHER_NVCC}this line puts the toolkit's nvcc before it", given=NVCC,
    ),
    rule(
        "torch-headers", CHECK, SHELL, r"\btorch/lib/include\b",
        "PyTorch has no TH headers there: start the script from `python -m torchthaw run`, "
        "or name the folder that `python -m torchthaw config --includes` prints",
    ),
    rule("torch-library", EDIT, SHELL, r"\blib(?:TH|THC|THNN|THCUNN|ATen)\.so\b", NO_LIBRARY),
    rule(
        "python2-command", EDIT, SHELL,
        r"((?:^@?|[;&|(]|\b(?:exec|sudo|time|env|then|do|else)\b|^\w+\s*[?:]?=)[ \t]*)python2(?:\.\d)?(?=\s|$)",
        "PyTorch has no Python 2 today", r"\1python",
    ),
    rule(
        "python2-command", CHECK, SHELL, r"(?<=[\w/-])[ \t/]python2(?:\.\d)?(?=\s|$)", "PyTorch has no Python 2 today",
    ),
]  # fmt: skip
