"""torchthaw/doctor/rules/interfaces.py: what Python, NumPy and PyTorch's own modules take no more."""

import ast
import sys

from ...legacy.cpp import numpy_names
from .build_modules import BUILDS
from .rule import CHECK, EDIT, PYTHON, WORKS, C, Found, TreeRule, rule

LOST = "since Python 3.13 locals() in a function has no name that exec made; give exec a dict, and read that"

VERSION = r"\btorch\.__version__\.split\([^()]*\)"


def lost_locals(tree, project):
    """``locals()['x']`` of what exec defined in a function; `run` sees to it in build scripts."""
    is_served = bool(BUILDS.search(tree.code))
    effect = WORKS if is_served else EDIT if sys.version_info >= (3, 13) else CHECK
    message = LOST + "; in build scripts `run` sees to it" * is_served
    for function in tree.all(ast.FunctionDef, ast.AsyncFunctionDef):
        calls = [node for node in ast.walk(function) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
        executed = [node for node in calls if node.func.id == "exec" and len(node.args) == 1]
        for node in (node for node in calls if executed and node.func.id == "locals" and node in tree.parents):
            if isinstance(tree.parents[node], (ast.Subscript, ast.Attribute)):
                yield Found(node, effect=effect, message=message)


def cuda_paths(tree, project):
    """``include_paths(cuda=True)``"""
    for node in tree.all(ast.Call):
        name = (tree.dotted(node.func) or "").rpartition(".")[2]
        if name in ("include_paths", "library_paths") and "cpp_extension" in tree.code:
            if any(each.arg == "cuda" for each in node.keywords):
                yield Found(node)


RULES = [
    TreeRule(
        "exec-locals", EDIT, LOST, lost_locals,
    ),
    TreeRule(
        "build-argument", WORKS,
        'since PyTorch 2.6 there is no argument cuda, which `run` takes; without it write device_type="cuda", or nothing',
        cuda_paths,
    ),
    rule(
        "torch-version", CHECK, PYTHON,
        rf"\bint\(\s*{VERSION}\[(?:2|-1)\]|\bmap\(\s*int\s*,\s*{VERSION}\s*\)"
        rf"|\bint\(\s*\w+\s*\)\s+for\s+\w+\s+in\s+{VERSION}(?!\s*\[)",
        "the last part may be 0+cu130, which is no number; compare torch.torch_version.TorchVersion, or two parts",
    ),
    rule(
        "numpy-c-api", CHECK, C, numpy_names.GONE,
        f"NumPy 2 has this no more; use {numpy_names.INSTEAD}; under `run` the names of flags and types compile",
        given=numpy_names.INCLUDED,
    ),
]  # fmt: skip
