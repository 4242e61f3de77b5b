"""torchthaw/legacy/doctor/rules/build_modules.py: modules that build scripts import and that are gone: pkg_resources of
setuptools, numpy.distutils.
"""

import ast
import re

from .rule import EDIT, WORKS, Found, TreeRule

BUILDS = re.compile(r"\b(?:setuptools|distutils|cpp_extension|create_extension)\b")
# {module: (who dropped it, what `run` gives build scripts of it, what to use instead)}
GONE = {
    "pkg_resources": (
        "setuptools 82", re.compile(r""),
        "packaging.version.parse, importlib.metadata.version or importlib.resources.files",
    ),
    "numpy.distutils": (
        "NumPy for Python 3.12", re.compile(r"\b(?:system_info|get_info|misc_util)\b"),
        "setuptools, numpy.get_include(), and the names of libraries and folders in place of get_info",
    ),
}  # fmt: skip


def gone_modules(tree, project):
    """Imports of these modules that nothing guards; in build scripts `run` has a stand-in."""
    for node in tree.all(ast.Import, ast.ImportFrom):
        names = [alias.name for alias in node.names]
        if isinstance(node, ast.ImportFrom):
            names = [] if node.level else [f"{node.module}.{name}" for name in names]
        for module, (by, served, instead) in GONE.items():
            mine = [name for name in names if f"{name}.".startswith(f"{module}.")]
            if not mine or module in project.modules or tree.is_guarded(node, "import"):
                continue
            stands_in = BUILDS.search(tree.code) and all(served.search(name) or name == module for name in mine)
            message = f"{by} has no {module}; use {instead}"
            message += "; in build scripts `run` stands in for it" if stands_in else ""
            yield Found(node, effect=WORKS if stands_in else EDIT, message=message)


RULES = [
    TreeRule("build-module", EDIT, "the module is gone", gone_modules),
    TreeRule("build-module", WORKS, "the module is gone", gone_modules),
]
