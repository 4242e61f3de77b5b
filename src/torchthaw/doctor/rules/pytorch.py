"""torchthaw/doctor/rules/pytorch.py: what PyTorch took away or changed."""

from . import find_names, find_values as find
from .rule import ARGUMENTS, CHECK, EDIT, MODE, PYTHON, WORKS, TreeRule, rule

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
    TreeRule(
        "data-index", EDIT,
        "a loss has no dimension today, and no index; or set TORCHTHAW_LEGACY_SEMANTICS=scalar_index",
        find.data_index(is_certain=True), "scalar_index",
    ),
    TreeRule(
        "data-index-maybe", MODE, "if this is a single number, such as a loss, it has no index today",
        find.data_index(is_certain=False), "scalar_index",
    ),
    TreeRule(
        "integer-division", MODE, "integers divided by integers give fractions today", find.whole_division,
        "integer_division",
    ),
    rule(
        "empty-tensor", CHECK, PYTHON, r"\b((?:el)?if|while|and|or|not)\s+([\w.]+)\.size\(\)(?=\s*(?::|\)|and\b|or\b))",
        "the size of an empty tensor was () and false; it is (0,) today", r"\1 \2.numel()",
    ),
    rule(
        "empty-tensor", CHECK, PYTHON, r"(?<![\w.])([\w.]+)\.dim\(\)\s*(==|!=|>)\s*0\b",
        "an empty tensor had no dimension, and has one today", r"\1.numel() \2 0",
    ),
    TreeRule("type-comparison", EDIT, "type(x) is torch.Tensor for every tensor today", find.type_comparison),
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
    TreeRule(
        "removed-module", EDIT, "it is gone; torchfile.load reads Torch7's files",
        find_names.gone({"torch.utils.serialization": ["load_lua"]}),
    ),
    TreeRule(
        "removed-method", EDIT, "it has another name today",
        find_names.methods({"masked_copy_": "masked_scatter_", "cinv": "reciprocal"}),
    ),
    TreeRule(
        "mask-arithmetic", EDIT, "comparisons give booleans today, which have no `-`",
        find.mask_arithmetic(is_certain=True),
    ),
    TreeRule(
        "mask-arithmetic", CHECK, "comparisons of tensors give booleans today, which have no `-`",
        find.mask_arithmetic(is_certain=False),
    ),
    rule("torch-six", MODE, PYTHON, r"\btorch\._six\b|\bfrom torch import _six\b", "it is gone", None, "torch_six"),
    rule(
        "method-out", MODE, PYTHON, rf"(?<!torch)(?<!np)(?<!numpy)\.(?:mul|add|sub|div)\((?={ARGUMENTS}\bout\s*=)",
        "methods take no out= today", None, "method_out",
    ),
    TreeRule(
        "align-corners", MODE, "aligned the corners before 1.3; add align_corners=True", find.unaligned_grid,
        "align_corners",
    ),
    TreeRule(
        "align-corners", CHECK, "aligned the corners before 0.4; add align_corners=True", find.unaligned_upsampling,
    ),
    rule(
        "dropout", CHECK, PYTHON, rf"\bF\.dropout\w*\((?!{ARGUMENTS}\btraining)",
        "dropped nothing before 1.0 unless it was told training=True; add training=",
    ),
    TreeRule(
        "arange", MODE, "gave floats for integers; add dtype=torch.float", find.integer_range, "arange",
    ),
    TreeRule("keepdim", MODE, "kept the dimension in 0.1; add keepdim=True", find.kept_dimension, "keepdim"),
    rule(
        "tensor-index", MODE, PYTHON, r"\.index\(\(", "if this is a tensor: index became x[...]", None, "tensor_index"
    ),
    rule(
        "all-dtypes", MODE, PYTHON, r"\bget_all_dtypes\b", "torch.testing.get_all_dtypes is gone", None, "all_dtypes"
    ),
    TreeRule(
        "integer-gradient", MODE, "integers cannot require grad today", find.integer_gradient, "integer_requires_grad"
    ),
    rule(
        "torch-load", CHECK, PYTHON, rf"\btorch\.load\((?!{ARGUMENTS}\bweights_only)",
        "loads tensors only today; for a pickled model add weights_only=False",
    ),
    rule("volatile", WORKS, PYTHON, r"\bvolatile\s*=\s*True", "volatile makes no graph, as it did"),
    rule("retain_variables", WORKS, PYTHON, r"\bretain_variables\s*=", "still means retain_graph"),
    rule("creator", WORKS, PYTHON, r"\.(?:creator|previous_functions)\b", "is there again"),
]  # fmt: skip
