"""torchthaw/doctor/rules/build_modules.py: modules that build scripts import and that are gone: pkg_resources of
setuptools, numpy.distutils.
"""

import ast
import re

from ..findings import Edit
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
            edits = _of_metadata(tree, node) if module == "pkg_resources" else ()
            yield Found(node, edits, bool(edits), WORKS if stands_in else EDIT, message)


def _of_metadata(tree, node):
    """The edits that take versions of packages from importlib.metadata; none where an import is for anything else."""
    edits, known = [], {alias.asname or alias.name: alias.name for alias in node.names}
    if isinstance(node, ast.ImportFrom):
        edits.append(Edit(tree.start(node), tree.end(node), "import importlib.metadata"))
    else:
        known = {name: module for name, module in known.items() if module == "pkg_resources"}
        edits += [Edit(tree.start(each), tree.end(each), "importlib.metadata") for each in node.names
                  if each.name == "pkg_resources"]  # fmt: skip
    for used in (each for each in tree.all(ast.Name) if each.id in known):
        name, parent = known[used.id], tree.parents[used]
        if name == "pkg_resources" and isinstance(parent, ast.Attribute):
            used, name, parent = parent, parent.attr, tree.parents[parent]
        start, end = tree.start(used), tree.end(used)
        if name == "DistributionNotFound":
            edits.append(Edit(start, end, "importlib.metadata.PackageNotFoundError"))
            continue
        version = tree.parents.get(parent)
        is_version = isinstance(version, ast.Attribute) and version.attr == "version"
        if name != "get_distribution" or not is_version or not (_is_of_name(parent) and parent.func is used):
            return ()
        edits += [Edit(start, end, "importlib.metadata.version"), Edit(tree.end(parent), tree.end(version), "")]
    return tuple(edits) if len(edits) > 1 else ()


def _is_of_name(call):
    """Whether a call has one argument that names a package, which is no requirement such as ``torch>=1``."""
    if not isinstance(call, ast.Call) or len(call.args) != 1 or call.keywords:
        return False
    (name,) = call.args
    value = name.value if isinstance(name, ast.Constant) else "name"
    return isinstance(name, (ast.Constant, ast.Name)) and bool(re.fullmatch(r"[\w.-]+", str(value)))


RULES = [
    TreeRule("build-module", EDIT, "the module is gone", gone_modules),
    TreeRule("build-module", WORKS, "the module is gone", gone_modules),
]
