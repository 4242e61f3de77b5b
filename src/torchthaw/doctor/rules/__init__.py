"""torchthaw/doctor/rules: what to look for in a legacy project, one row each."""

from . import aten, build_modules, c, create_extension as extension, cuda, interfaces, python, pytorch, scripts
from .rule import C_TEXT, CHECK, CYTHON, EDIT, MODE, PYTHON, PYTHON_TEXT, SHELL, WORKS, C, TreeRule

__all__ = [
    "C", "CHECK", "CYTHON", "C_TEXT", "EDIT", "MODE", "PATTERNS", "PYTHON", "PYTHON_TEXT", "RULES", "SHELL",
    "TREE_RULES", "WORKS",
]  # fmt: skip

RULES = [
    *python.RULES, *pytorch.RULES, *extension.RULES, *build_modules.RULES, *aten.RULES, *scripts.RULES, *c.RULES,
    *cuda.RULES, *interfaces.RULES,
]  # fmt: skip
TREE_RULES = [rule for rule in RULES if isinstance(rule, TreeRule)]
PATTERNS = [rule for rule in RULES if not isinstance(rule, TreeRule)]
