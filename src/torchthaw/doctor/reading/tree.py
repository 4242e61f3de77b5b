"""torchthaw/doctor/reading/tree.py: the syntax tree of a Python file, and what its names stand for."""

import ast
import re
import warnings
from functools import cached_property, lru_cache

from .source import PYTHON_TOKENS, blank

# What names mean in files that do not say it.
USUAL = {"np": "numpy", "F": "torch.nn.functional", "nn": "torch.nn", "transforms": "torchvision.transforms"}

TERMS = 5000  # of one expression; Python's own parser and this one go no deeper
NESTED = 200  # open brackets; Python's own parser takes no more, and that of Python 2 is slow to refuse them
PARTS = 50  # of a dotted name that may mean something; all names of a longer chain would take its length squared
OPERATOR = re.compile(r"[-+*/%|&^]|\b(?:and|or)\b")
BRACKET = re.compile(r"[(\[{]|[)\]}]")
BACKTICKS = re.compile(rf"(?:`\s*){{{NESTED}}}")
VERSION = re.compile(r"version|PY2|PY3|py2|py3")

CATCHES = {
    "import": {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"},
    "name": {"NameError", "AttributeError"},
}


@lru_cache(2)  # who asks whether a text can be parsed reads its tree next
def parse(text):
    """The ast.Module of ``text``, not to be changed; SyntaxError, also where its expressions are too long to read."""
    code = blank(text, PYTHON_TOKENS, ("comment", "string"))
    for part in re.split(r"[,;:=\[\]{}]", code):
        if len(part) > TERMS and len(OPERATOR.findall(part)) > TERMS:
            raise TooDeep(f"an expression of more than {TERMS} terms")
    if _depth(code) > NESTED or BACKTICKS.search(code):
        raise TooDeep("it is nested too deep")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about the text's own escapes and comparisons
        try:
            return ast.parse(text)
        except ValueError as error:  # null bytes
            raise SyntaxError(str(error)) from None
        except (RecursionError, MemoryError):
            raise TooDeep("it is nested too deep") from None


def _depth(code):
    """How many brackets are open at once."""
    depth = most = 0
    for bracket in BRACKET.findall(code):
        depth = depth + 1 if bracket in "([{" else max(depth - 1, 0)
        most = max(most, depth)
    return most


class TooDeep(Exception):
    """Why a text that may be Python is not read."""


class Tree:
    """The syntax tree of ``text``; SyntaxError, TooDeep. Positions are those of characters in the text.

    code: the text with comments and strings blanked; expressions of f-strings are code.
    """

    def __init__(self, text):
        self.text = text
        self.root = parse(text)
        self.code = blank(text, PYTHON_TOKENS, ("comment", "string"))
        self._lines = [0]
        for line in text.split("\n"):
            self._lines.append(self._lines[-1] + len(line) + 1)
        self.parents, self._nodes = {}, {}
        misplaced, code = set(), list(self.code)
        for node in ast.walk(self.root):
            for child in ast.iter_child_nodes(node):
                self.parents[child] = node
            if isinstance(node, ast.FormattedValue) and not self._show(node.value, code):
                misplaced.update(ast.walk(node.value))
            if node not in misplaced:
                self._nodes.setdefault(type(node), []).append(node)
        self.code = "".join(code)

    def _show(self, node, code):
        """Whether an expression of an f-string is where its position says, which not every Python gets right; if so its
        part of ``code`` is no longer blank."""
        try:
            start, end = self.start(node), self.end(node)
            (found,) = parse(f"({self.text[start:end]}\n)").body
        except (IndexError, SyntaxError, TooDeep, RecursionError, ValueError):
            return False
        opening = re.search(r"\{[\s(]*\Z", self.text[max(0, start - 100) : start])
        if not opening or "".join(code[start:end]).strip() or ast.dump(found.value) != ast.dump(node):
            return False
        code[start:end] = blank(self.text[start:end], PYTHON_TOKENS, ("comment", "string"))
        return True

    def all(self, *types):
        """Every node of these types, but for those in f-strings whose position is not known."""
        return [node for each in types for node in self._nodes.get(each, ())]

    def place(self, line, column):
        """The position of a line from 1 and its column in UTF-8 bytes, as nodes have them."""
        start = self._lines[line - 1]
        before = self.text[start : self._lines[line] - 1]
        return start + (column if before.isascii() else len(before.encode()[:column].decode(errors="ignore")))

    def start(self, node):
        return self.place(node.lineno, node.col_offset)

    def end(self, node):
        return self.place(node.end_lineno, node.end_col_offset)

    def source(self, node):
        return self.text[self.start(node) : self.end(node)]

    def ancestors(self, node):
        while node in self.parents:
            node = self.parents[node]
            yield node

    def statement(self, node):
        """The statement that ``node`` is a part of."""
        return (
            node
            if isinstance(node, ast.stmt)
            else next(each for each in self.ancestors(node) if isinstance(each, ast.stmt))
        )

    @cached_property
    def bound(self):
        """The names that this file binds anywhere: assignments, parameters, definitions, imports."""
        names = {node.id for node in self.all(ast.Name) if not isinstance(node.ctx, ast.Load)}
        names |= {node.arg for node in self.all(ast.arg)}
        names |= {node.name for node in self.all(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)}
        names |= {node.name for node in self.all(ast.ExceptHandler) if node.name}
        return names | set(self.imports)

    @cached_property
    def imports(self):
        """{name: the dotted names that imports bind it to}; relative ones begin with dots."""
        found = {}
        for node in self.all(ast.Import):
            for alias in node.names:
                name = alias.asname or alias.name.partition(".")[0]
                found.setdefault(name, set()).add(alias.name if alias.asname else name)
        for node in self.all(ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            for alias in node.names:
                dot = "" if module.endswith(".") else "."
                found.setdefault(alias.asname or alias.name, set()).add(f"{module}{dot}{alias.name}")
        return found

    @cached_property
    def stars(self):
        """The modules of ``from module import *``."""
        return {node.module or "" for node in self.all(ast.ImportFrom) if node.names[0].name == "*"}

    def dotted(self, node):
        """``a.b.c`` as written; None where the node is something else, or has more than PARTS."""
        parts = []
        while isinstance(node, ast.Attribute) and len(parts) < PARTS:
            parts.append(node.attr)
            node = node.value
        return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else None

    def origin(self, node):
        """``numpy.int`` for ``np.int``; None where the root is bound to something that is no import."""
        name = self.dotted(node)
        if name is None:
            return None
        root, dot, rest = name.partition(".")
        origins = self.imports.get(root)
        if origins is None:
            return None if root in self.bound else USUAL.get(root, root) + dot + rest
        return min(origins) + dot + rest if len(origins) == 1 else None

    def is_guarded(self, node, what):
        """Whether an error of ``node``, an "import" or a "name", is caught, or its branch is one for a version."""
        child = node
        for parent in self.ancestors(node):
            if isinstance(parent, ast.Try) and child not in parent.finalbody:
                if any(self._catches(handler, what) for handler in parent.handlers):
                    return True
            if isinstance(parent, (ast.If, ast.IfExp)) and child is not parent.test:
                if VERSION.search(self.source(parent.test)):
                    return True
            child = parent
        return False

    def _catches(self, handler, what):
        if handler.type is None:
            return what == "import"
        types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        return any(isinstance(each, ast.Name) and each.id in CATCHES[what] for each in types)

    def first_statement(self):
        """Where an import may be put: the position of the first statement that is neither docstring nor __future__."""
        for index, node in enumerate(self.root.body):
            is_docstring = index == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            if not is_docstring and not (isinstance(node, ast.ImportFrom) and node.module == "__future__"):
                decorators = getattr(node, "decorator_list", None)
                return (
                    self.place(decorators[0].lineno, decorators[0].col_offset - 1) if decorators else self.start(node)
                )
        return len(self.text)
