"""torchthaw/legacy/doctor/rules/c.py: C and C++ on TH and THC."""

from .rule import C, CHECK, EDIT, rule

MALLOC = "up to 0.4.0 it was cudaError_t THCudaMalloc(state, void **pointer, size)"
INCLUDES_TH = r"#\s*include\s*[<\"](?:THC?/)?THC?\w*\.h"

RULES = [
    rule(
        "aten", EDIT, C, r"\bat::\w+|\bAT_(?:ERROR|ASSERT|CHECK|DISPATCH_\w+)\b",
        "ATen is not part of it: use TH, or port to torch.utils.cpp_extension",
    ),
    rule(
        "cpp-extension", EDIT, C, r"#\s*include\s*[<\"](?:torch|c10|pybind11)/",
        "PyTorch's C++ headers are not part of it: build with torch.utils.cpp_extension",
    ),
    rule(
        "0.4.1", EDIT, C,
        r"(\b\w[\w ]*\*+\s*)(\w+)\s*=\s*(?:\([^()]*\)\s*)?THCudaMalloc\(\s*(\w+)\s*,\s*([^;]+)\)(?=\s*;)",
        MALLOC, r"\1\2; THCudaMalloc(\3, (void **)&\2, \4)",
    ),
    rule(
        "0.4.1", EDIT, C,
        r"(?<![*\w])(?<!\*\s)(\w[\w.>\[\]-]*)\s*=\s*(?:\([^()]*\)\s*)?THCudaMalloc\(\s*(\w+)\s*,\s*([^;,]+)\)(?=\s*;)",
        MALLOC, r"THCudaMalloc(\2, (void **)&\1, \3)",
    ),
    rule("0.4.1", EDIT, C, r"->\s*dim_\b", "up to 0.4.0 the field was nDimension", "->nDimension"),
    *[
        rule("0.4.1", EDIT, C, pattern, "up to 0.4.0 tensors are plain structs", edit, given=INCLUDES_TH)
        for pattern, edit in (
            (r"->\s*dim\(\)", "->nDimension"), (r"->\s*(size|stride)\(([^()]+)\)", r"->\1[\2]"),
            (r"->\s*(size|stride)s\(\)", r"->\1"), (r"->\s*is_empty\(\)", "->nDimension == 0"),
        )
    ],
    rule(
        "process-exit", CHECK, C, r"\bexit\s*\(\s*(?:-?\d+|EXIT_\w+)\s*\)",
        "ends the Python process, as it always did",
    ),
]  # fmt: skip
