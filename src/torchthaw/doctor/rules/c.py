"""torchthaw/doctor/rules/c.py: C and C++ on TH and THC."""

from .rule import ARGUMENTS, C_TEXT, CHECK, EDIT, C, rule

MALLOC = "up to 0.4.0 it was cudaError_t THCudaMalloc(state, void **pointer, size)"
# One argument, and the rest of a statement.
ARGUMENT = ARGUMENTS.replace("[^()]", "[^(),;]", 1).removesuffix("?")
TENSOR = r"TH\w*Tensor\s*\*"

RULES = [
    rule(
        "aten", EDIT, C, r"\bat::\w+|\bAT_(?:ERROR|ASSERT|CHECK|DISPATCH_\w+)\b",
        "ATen is not part of it: use TH, or port to torch.utils.cpp_extension", legacy=True,
    ),
    rule(
        "cpp-extension", EDIT, C, r"#\s*include\s*[<\"](?P<include>(?:torch|c10|pybind11)/[^>\"\n]*)",
        "PyTorch's C++ headers are not part of it: build with torch.utils.cpp_extension", legacy=True,
    ),
    rule(
        "0.4.1", EDIT, C,
        r"(\b(?!else\b|return\b|do\b)[A-Za-z_][\w ]{0,80}\*+\s*)(\w+)\s*=\s*(?:\([^()]*\)\s*)?"
        rf"THCudaMalloc\(\s*(\w+)\s*,\s*({ARGUMENT})\)(?=\s*;)",
        MALLOC, r"\1\2; THCudaMalloc(\3, (void **)&\2, \4)", legacy=True,
    ),
    rule(
        "0.4.1", EDIT, C,
        rf"((?:^|[;{{}})]|\belse)[ \t]*)(\w[\w.>\[\]-]*)\s*=\s*(?:\([^()]*\)\s*)?"
        rf"THCudaMalloc\(\s*(\w+)\s*,\s*({ARGUMENT})\)(?=\s*;)",
        MALLOC, r"\1THCudaMalloc(\3, (void **)&\2, \4)", legacy=True,
    ),
    *[
        rule("0.4.1", EDIT, C, rf"\b(?P<of>\w+){pattern}", "up to 0.4.0 tensors are plain structs",
             rf"\1{edit}", of=TENSOR, legacy=True)
        for pattern, edit in (
            (r"->\s*dim_\b", "->nDimension"), (r"->\s*dim\(\)", "->nDimension"),
            (r"->\s*(size|stride)\(([^()]+)\)", r"->\2[\3]"), (r"->\s*(size|stride)s\(\)(?=\s*\[)", r"->\2"),
            (r"->\s*is_empty\(\)(?=\s*(?:[);]|&&|\|\|))", "->nDimension == 0"),
        )
    ],
    *[
        rule("cpp-in-c", EDIT, kind, pattern, message, files=(".c",), inside=r"__cplusplus|__CUDACC__")
        for kind, pattern, message in (
            (C, r"^[ \t]*template\s*<", "a template: a .c file is compiled as C; give it the suffix .cpp or .cu"),
            (C, r"\bthrust::\w+|#\s*include\s*<thrust/", "Thrust needs nvcc; give the file the suffix .cu"),
            (
                C, r"\bstd::\w+|^[ \t]*using\s+namespace\b|^[ \t]*namespace\s+\w*\s*\{|"
                r"#\s*include\s*<(?:vector|string|iostream|algorithm|map|memory|cmath|cstdio|cstdlib|cstring)>",
                "C++: a .c file is compiled as C; give it the suffix .cpp",
            ),
            (C_TEXT, r"^[ \t]*extern\s*\"C\"", "C++: a .c file needs no extern \"C\", and C has none"),
            (C, r"<<\s*<.*>>\s*>|\b__global__\b", "CUDA code needs nvcc; give the file the suffix .cu"),
        )
    ],
    rule(
        "process-exit", CHECK, C, r"\bexit\s*\(\s*(?:-?\d+|EXIT_\w+)\s*\)",
        "ends the Python process, as it always did",
    ),
]  # fmt: skip
