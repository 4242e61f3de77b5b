"""torchthaw/modernize/imports.py: which parts of a project need each other, by the imports of their files."""

import ast
import re

from ..doctor.reading.tree import TooDeep, Tree
from .recording import python3

# A script: it is run, not imported.
MAIN = re.compile(r"^if\s+__name__\s*==\s*['\"]__main__['\"]", re.MULTILINE)
# In the package that create_extension writes: PyTorch's, and ours.
WRAPPER = re.compile(r"\b_wrap_function\b|\bmade by torch\.utils\.ffi\.create_extension\b")
ARGUMENTS = re.compile(r"\bargparse\b|\bsys\.argv\b|\boptparse\b|\bclick\b")


class Module:
    """What layout asks about one Python file.

    imports: the dotted names that it imports, relative ones with their dots. is_script, takes_arguments: whether it has
    ``if __name__ == "__main__"``, and reads the command line. has_names: whether it defines a class or function.
    only_defines: whether it does nothing else when it is imported.
    """

    def __init__(self, text):
        text = python3(text) or ""
        self.is_script, self.takes_arguments = bool(MAIN.search(text)), bool(ARGUMENTS.search(text))
        self.imports, self.has_names, self.only_defines = set(), False, False
        try:
            tree = Tree(text)
        except (SyntaxError, TooDeep):
            return
        self.imports = {name for names in tree.imports.values() for name in names}
        self.imports |= {f"{'.' * node.level}{node.module or ''}" for node in tree.all(ast.ImportFrom)}
        self.imports |= {alias.name for node in tree.all(ast.Import) for alias in node.names}
        self.has_names = any(isinstance(node, (ast.ClassDef, ast.FunctionDef)) for node in tree.root.body)
        self.only_defines = self.has_names and all(map(_is_definition, tree.root.body))

    def needs(self, name):
        """Whether it imports the module or package ``name``, or what is in it; not by a relative import."""
        return any(each == name or each.startswith(f"{name}.") for each in self.imports)

    def needs_below(self, part):
        """Whether a relative or absolute import has ``part``, such as ``_ext``, among its names."""
        return any(part in each.split(".") for each in self.imports)


def old_name_of(path):
    """``functions.add`` of ``functions/add.py``; ``functions`` of ``functions/__init__.py``."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _is_definition(node):
    """Whether a statement defines or imports something; a docstring does nothing either."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    return not isinstance(node, (ast.For, ast.While, ast.With, ast.AugAssign, ast.Delete, ast.Assert, ast.Raise))


def closure(units, seeds, libraries):
    """The units that must be together: ``seeds``, all that these import, and the ``libraries`` that import one of them.

    units: {name: [Module]}. What imports them and is no library is a script.
    """
    found, waiting = set(), list(seeds)
    while waiting:
        unit = waiting.pop()
        if unit not in found:
            found.add(unit)
            waiting += [other for other in units if any(module.needs(other) for module in units[unit])]
            waiting += [other for other in libraries if any(module.needs(unit) for module in units[other])]
    return found
