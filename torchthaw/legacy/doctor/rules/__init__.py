"""torchthaw/legacy/doctor/rules: what to look for in a legacy project, one row each."""

from . import c, cuda, extension, python, pytorch, scripts
from .rule import C, CHECK, EDIT, MODE, PYTHON, PYTHON_TEXT, SHELL, WORKS

__all__ = ["C", "CHECK", "EDIT", "MODE", "PYTHON", "PYTHON_TEXT", "RULES", "SHELL", "WORKS"]

RULES = [*python.RULES, *pytorch.RULES, *extension.RULES, *scripts.RULES, *c.RULES, *cuda.RULES]
