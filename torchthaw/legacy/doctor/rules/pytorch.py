"""torchthaw/legacy/doctor/rules/pytorch.py: what PyTorch took away or changed."""

from .rule import ARGUMENTS, CHECK, EDIT, MODE, PYTHON, PYTHON_TEXT, WORKS, renamed, rule

NUMBER = r"(?:loss|err|error|cost|acc|accuracy|norm|correct|total|dist)"
# A single number is what is taken by [0] here, not a row, and not what is assigned to.
ELEMENT = r"\[0\](?![ ]*(?:[\[.(]|[-+*/]?=(?!=)))"
INTEGERS = r"torch\.(?:cuda\.)?(?:Long|Int|Short|Char|Byte)Tensor\b"

GONE_LINALG = {
    "gesv": "torch.linalg.solve (arguments swapped)", "gels": "torch.linalg.lstsq", "lstsq": "torch.linalg.lstsq",
    "symeig": "torch.linalg.eigh", "eig": "torch.linalg.eig", "potrf": "torch.linalg.cholesky",
    "potri": "torch.cholesky_inverse", "potrs": "torch.cholesky_solve", "trtrs": "torch.linalg.solve_triangular",
    "btrifact": "torch.linalg.lu_factor", "btrisolve": "torch.linalg.lu_solve", "rfft": "torch.fft.rfft",
    "irfft": "torch.fft.irfft", "ifft": "torch.fft.ifft", "fft": "torch.fft.fft",
    "matrix_rank": "torch.linalg.matrix_rank",
}  # fmt: skip
# Those that no other library's modules or objects have.
GONE_METHODS = {name for name in GONE_LINALG if name not in ("eig", "lstsq", "matrix_rank") and "fft" not in name}

RULES = [
    rule("async-keyword", EDIT, PYTHON, r"\basync\s*=(?!=)", "`async` is a keyword since Python 3.7", "non_blocking="),
    rule(
        "data-index", EDIT, PYTHON, rf"(\b[\w.]*{NUMBER}\w*|\))\.data(?:\.cpu\(\))?{ELEMENT}",
        "a loss has no dimension today, and no index; or set TORCHTHAW_LEGACY_SEMANTICS=scalar_index",
        r"\1.item()", "scalar_index",
    ),
    rule(
        "data-index", EDIT, PYTHON, rf"(\b[\w.]*{NUMBER}\w*|\))\.data(?:\.cpu\(\))?\.numpy\(\){ELEMENT}",
        "a loss has no dimension today, and no index", r"\1.item()",
    ),
    rule(
        "data-index-maybe", MODE, PYTHON,
        rf"(?<![\w.])((?!self\.data\b)(?!\w*{NUMBER})(?:\w+\.)*\w+)\.data(?:\.cpu\(\))?{ELEMENT}",
        "if this is a single number, such as a loss, it has no index today", r"\1.item()", "scalar_index",
    ),
    rule(
        "integer-division", MODE, PYTHON,
        rf"(\.(?:long|int|short|byte)\(\)|\b{INTEGERS}\([^()]*\)|\b\w*(?:indices|indexes|inds|idx|ids)\b)\s*/(?![/=])",
        "integers divided by integers give fractions today", r"\1 //", "integer_division",
    ),
    rule(
        "integer-division", MODE, PYTHON, rf"(\.(?:long|int|short|byte)\(\)|\b{INTEGERS}\([^()]*\))\.div_?\(",
        "integers divided by integers give fractions today, and div_ of them raises", None, "integer_division",
    ),
    rule(
        "integer-division", MODE, PYTHON, r"\b(\w*(?:indices|indexes|inds|idx|ids))\s*/=(?!=)",
        "`/=` of a tensor of integers raises today", r"\1 //=", "integer_division",
    ),
    rule(
        "empty-tensor", CHECK, PYTHON, r"\b((?:el)?if|while|and|or|not)\s+([\w.]+)\.size\(\)(?=\s*(?::|\)|and\b|or\b))",
        "the size of an empty tensor was () and false; it is (0,) today", r"\1 \2.numel()",
    ),
    rule(
        "empty-tensor", CHECK, PYTHON, r"\b([\w.]+)\.dim\(\)\s*(==|!=|>)\s*0\b",
        "an empty tensor had no dimension, and has one today", r"\1.numel() \2 0",
    ),
    rule(
        "type-comparison", EDIT, PYTHON,
        r"\btype\(([\w.]+)\)\s*(?:==|is)\s*(torch\.(?:cuda\.)?\w+Tensor)\b",
        "type(x) is torch.Tensor for every tensor today", r"isinstance(\1, \2)",
    ),
    *[
        rule("removed-linalg", EDIT, PYTHON, rf"{owner}\.{name}\(", f"{name} is gone; use {new}")
        for name, new in GONE_LINALG.items()
        for owner in [r"(?<!linalg)(?<!lapack)" if name in GONE_METHODS else r"\btorch"]
    ],
    rule(
        "removed-module", EDIT, PYTHON, r"\b(?:import|from)\s+torch\.legacy\b|\btorch\.legacy\.",
        "torch.legacy is gone; use torch.nn",
    ),
    rule(
        "removed-module", EDIT, PYTHON,
        r"\btorch\._thnn\b|\btorch\.nn\._functions\b|\btorch\.nn\.functions\b|\btorch\._C\._safe_call\b",
        "PyTorch's private back end is gone; call torch.nn.functional",
    ),
    rule(
        "removed-module", EDIT, PYTHON, r"\btorch\.utils\.trainer\b|\btorch\.autograd\.stochastic_function\b",
        "this module is gone; there is no successor",
    ),
    rule("removed-module", EDIT, PYTHON, r"\bload_lua\b", "it is gone; torchfile.load reads Torch7's files"),
    *renamed("removed-method", PYTHON, [
        (r"\.masked_copy_\(", ".masked_scatter_("), (r"\.cinv\(\)", ".reciprocal()"),
    ], "it has another name today"),
    rule(
        "mask-arithmetic", EDIT, PYTHON, r"\b1\s*-\s*(\([^()]*[<>=]=?[^()]*\)|[\w.]+\.(?:eq|ne|lt|le|gt|ge)\([^()]*\))",
        "comparisons give booleans today, which have no `-`", r"~\1",
    ),
    rule("torch-six", MODE, PYTHON, r"\btorch\._six\b|\bfrom torch import _six\b", "it is gone", None, "torch_six"),
    rule(
        "method-out", MODE, PYTHON, rf"(?<!torch)(?<!np)(?<!numpy)\.(?:mul|add|sub|div)\((?={ARGUMENTS}\bout\s*=)",
        "methods take no out= today", None, "method_out",
    ),
    rule(
        "align-corners", MODE, PYTHON, rf"\b(?:grid_sample|affine_grid)\((?!{ARGUMENTS}\balign_corners)",
        "aligned the corners before 1.3; add align_corners=True", None, "align_corners",
    ),
    rule(
        "align-corners", CHECK, PYTHON_TEXT,
        rf"\b(?:upsample|interpolate|Upsample)\((?={ARGUMENTS}linear)(?!{ARGUMENTS}\balign_corners)",
        "aligned the corners before 0.4; add align_corners=True",
    ),
    rule(
        "dropout", CHECK, PYTHON, rf"\bF\.dropout\w*\((?!{ARGUMENTS}\btraining)",
        "dropped nothing before 1.0 unless it was told training=True; add training=",
    ),
    rule(
        "arange", MODE, PYTHON,
        rf"\btorch\.arange\((?!{ARGUMENTS}(?:dtype|out\s*=|\.\d|\)\.(?:long|float|int|double|type|cuda|to)\())",
        "gave floats for integers; add dtype=torch.float", None, "arange",
    ),
    rule(
        "keepdim", MODE, PYTHON, r"\.(?:sum|mean|norm|max|min|std|var|prod)\(-?\d+\)(?:\[0\])?\.expand_as\(",
        "kept the dimension in 0.1; add keepdim=True", None, "keepdim",
    ),
    rule(
        "tensor-index", MODE, PYTHON, r"\.index\(\(", "if this is a tensor: index became x[...]", None, "tensor_index"
    ),
    rule(
        "all-dtypes", MODE, PYTHON, r"\bget_all_dtypes\b", "torch.testing.get_all_dtypes is gone", None, "all_dtypes"
    ),
    rule(
        "integer-gradient", MODE, PYTHON, rf"\bParameter\(\s*{INTEGERS}(?!{ARGUMENTS}\brequires_grad\s*=\s*False)",
        "integers cannot require grad today; add requires_grad=False", None, "integer_requires_grad",
    ),
    *[
        rule(
            "integer-gradient", MODE, PYTHON, pattern, "integers cannot require grad today", None,
            "integer_requires_grad",
        )
        for pattern in (
            rf"\bVariable\(\s*{INTEGERS}(?={ARGUMENTS}\brequires_grad\s*=\s*True)",
            rf"\b{INTEGERS}\([^()]*\)\.requires_grad_\(\)",
        )
    ],
    rule(
        "torch-load", CHECK, PYTHON, rf"\btorch\.load\((?!{ARGUMENTS}\bweights_only)",
        "loads tensors only today; for a pickled model add weights_only=False",
    ),
    rule("volatile", WORKS, PYTHON, r"\bvolatile\s*=\s*True", "volatile makes no graph, as it did"),
    rule("retain_variables", WORKS, PYTHON, r"\bretain_variables\s*=", "still means retain_graph"),
    rule("creator", WORKS, PYTHON, r"\.(?:creator|previous_functions)\b", "is there again"),
]  # fmt: skip
