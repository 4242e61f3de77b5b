"""torchthaw/modernize/literal.py: what a build file gives create_extension and setup, found without running it.

Statements are followed one by one with the values that can be known: literals, sums and joins of them, paths, and
``torch.cuda.is_available()``, which the caller chooses. Everything else is unknown, and NeedsRun once it matters.
"""

import ast
import copy
import glob
import os

from ..doctor.reading.tree import Tree
from .expressions import Unknown, Values, is_large

WANTED = ("create_extension", "setup")
CHANGES = {list: {"append", "extend", "insert"}, dict: {"update", "setdefault"}, set: {"add", "update"}}


class NeedsRun(Exception):
    """What decides the arguments of a call and cannot be known without running the file. path: set by who knows it."""

    def __init__(self, line, what):
        super().__init__(what)
        self.line, self.path = line, ""


class Stopped(Exception):
    """The file ends here, by ``raise`` or ``sys.exit()``."""


class Call(dict):
    """The arguments of one call by name, those given by position under their number; ``line`` is where it stands.

    is_built: whether ``build()`` of its result is called, as far as that is known.
    """

    def __init__(self, line, arguments):
        super().__init__(arguments)
        self.line, self.is_built = line, False


def calls(text, path, has_cuda):
    """{"create_extension": [Call], "setup": [Call]} of a build file; NeedsRun, SyntaxError.

    path: of the file, for ``__file__``. A keyword of ``setup`` that is not known is left out of its Call.
    """
    reader = Reader(Tree(text), path, has_cuda)
    try:
        reader.run(reader.tree.root.body)
    except Stopped:
        pass
    return reader.calls


def functions_in(folder):
    """What a file that is run in ``folder`` gets from the functions that depend on it."""

    def find(pattern):
        place = os.path.normpath(os.path.join(folder, pattern))
        if not place.startswith(os.path.join(os.path.dirname(folder), "")):
            raise ValueError(pattern)  # it may be the whole machine
        return glob.glob(pattern, root_dir=folder)

    return {
        "os.getcwd": lambda: folder, "glob.glob": find,
        "os.path.abspath": lambda path: os.path.normpath(os.path.join(folder, path)),
        "os.path.realpath": lambda path: os.path.realpath(os.path.join(folder, path)),
    }  # fmt: skip


class Reader(Values):
    """Follows the statements of a Tree. values: {name: value} of what is known; calls: as calls() gives them."""

    def __init__(self, tree, path, has_cuda):
        functions = {"torch.cuda.is_available": lambda: has_cuda, **functions_in(os.path.dirname(path))}
        super().__init__(tree, {"__file__": os.fspath(path), "__name__": "__main__"}, functions)
        self.calls = {name: [] for name in WANTED}
        self.defined = {}  # function of this file -> the names in it
        self.made = {}  # name -> the Call of create_extension whose result it is

    # Statements

    def run(self, body):
        for statement in body:
            method = getattr(self, f"run_{type(statement).__name__}", self.forget)
            try:
                method(statement)
            except RecursionError:
                raise NeedsRun(statement.lineno, "it is nested too deep") from None

    def run_Import(self, statement):
        pass  # tree.origin() knows what the names stand for

    run_ImportFrom = run_Pass = run_ClassDef = run_Import

    def run_Raise(self, statement):
        raise Stopped

    def run_FunctionDef(self, statement):
        self.refuse_calls(statement, "of a function")
        self.mark_built(statement)
        self.defined[statement.name] = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}

    def run_If(self, statement):
        try:
            holds = self.value(statement.test)
        except Unknown as error:
            self.refuse_calls(statement, f"below an if on {error}")
            self.forget(statement)
        else:
            self.run(statement.body if holds else statement.orelse)

    def run_Assign(self, statement):
        before = len(self.calls["create_extension"])
        value = self.value_or_none(statement.value)
        for target in statement.targets:
            self.bind(target, value)
            if isinstance(target, ast.Name):
                self.made.pop(target.id, None)
                if len(self.calls["create_extension"]) > before and isinstance(statement.value, ast.Call):
                    self.made[target.id] = self.calls["create_extension"][-1]

    def mark_built(self, statement):
        """Takes every ``name.build()`` in a statement for called: an alias of a name may be."""
        for node in ast.walk(statement):
            if isinstance(node, ast.Attribute) and node.attr == "build":
                owner = node.value.id if isinstance(node.value, ast.Name) else None
                for call in [self.made[owner]] if owner in self.made else self.made.values():
                    call.is_built = True

    def run_AugAssign(self, statement):
        target = statement.target
        if isinstance(target, ast.Name) and target.id in self.values and isinstance(statement.op, ast.Add):
            try:
                self.values[target.id] += self.value(statement.value)  # of a list, for all its names
            except (Unknown, TypeError):
                self.forget_value(self.values[target.id])
            else:
                self.forget_large(self.values[target.id])
        else:
            self.forget(statement)

    def run_Expr(self, statement):
        call = statement.value
        if isinstance(call, ast.Call) and not self.change(call):
            origin = self.tree.origin(call.func)
            self.mark_built(statement)
            if origin == "os.chdir":
                raise NeedsRun(statement.lineno, "it changes the current folder")
            if origin in ("sys.exit", "exit", "quit"):
                raise Stopped
            self.value_or_none(call)

    def change(self, call):
        """Whether this is ``name.append(…)``, ``name["key"].append(…)`` or the like, which is then done."""
        target = call.func.value if isinstance(call.func, ast.Attribute) else None
        if not isinstance(target, (ast.Name, ast.Subscript)):
            return False
        owner = self.value_or_none(target)
        if call.func.attr not in CHANGES.get(type(owner), ()):
            return False
        try:
            getattr(owner, call.func.attr)(*(self.value(each) for each in call.args))
        except (Unknown, TypeError, ValueError):
            self.forget_value(owner)
        else:
            self.forget_large(owner)
        return True

    def forget_large(self, value):
        """Forgets what has grown too large to be followed, also by holding itself."""
        if is_large(value):
            self.forget_value(value)

    def forget(self, statement):
        """After a statement that is not followed nothing is known of the names in it."""
        self.refuse_calls(statement, "in a statement that is not followed")
        self.mark_built(statement)
        for node in ast.walk(statement):
            if isinstance(node, ast.Name):
                self.values.pop(node.id, None)

    def forget_changed(self, call):
        """After a call of what is not known: of its owner, its arguments and what a function of this file names."""
        name = self.tree.origin(call.func) or ""
        if name == "print" or name.rpartition(".")[2] in WANTED:
            return
        owner = [call.func.value] if isinstance(call.func, ast.Attribute) else []
        for node in [*owner, *call.args, *(keyword.value for keyword in call.keywords)]:
            for value in [self.values.get(name) for name in _names(node)]:
                if _changeable(value):
                    self.forget_value(value)
        for each in self.defined.get(self.tree.dotted(call.func), ()):
            self.values.pop(each, None)

    def forget_value(self, value):
        """Forgets every name of an object and, where it can change, of what holds it and of what it holds."""
        changed = _changeable(value)
        kept = [(name, each) for name, each in self.values.items() if each is not value]
        self.values = {name: each for name, each in kept if not changed & _changeable(each)}

    def refuse_calls(self, statement, where):
        for node in ast.walk(statement):
            if isinstance(node, ast.Call) and self.wanted(node) == "create_extension":
                raise NeedsRun(node.lineno, f"create_extension is called {where}")

    def bind(self, target, value):
        if isinstance(target, ast.Name):
            self.values.pop(target.id, None)
            if value is not None:
                self.values[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            known = isinstance(value, (list, tuple)) and len(value) == len(target.elts)
            for index, each in enumerate(target.elts):
                self.bind(each, value[index] if known else None)
        else:
            self.forget(ast.Expr(target, lineno=target.lineno))

    # The calls that are looked for

    def value_Call(self, node):
        if self.wanted(node):
            return self.record(node)
        try:
            return super().value_Call(node)
        except Unknown:
            self.forget_changed(node)
            raise

    def wanted(self, node):
        """What a call is of WANTED; else None."""
        name = (self.tree.dotted(node.func) or "").rpartition(".")[2]
        origin = self.tree.origin(node.func) or ""
        is_setup = origin in ("setuptools.setup", "distutils.core.setup")
        is_ours = name == "create_extension" or origin.rpartition(".")[2] == "create_extension"
        return "create_extension" if is_ours else "setup" if is_setup else None

    def record(self, node):
        arguments, which = {}, self.wanted(node)
        given = [*enumerate(node.args), *((keyword.arg, keyword.value) for keyword in node.keywords)]
        for name, value in given:
            try:
                if name is None:
                    arguments.update(self.value(value))
                else:
                    arguments[name] = copy.deepcopy(self.value(value))
            except Unknown as error:
                if which == "create_extension":
                    raise NeedsRun(value.lineno, str(error)) from None
        self.calls[which].append(Call(node.lineno, arguments))
        raise Unknown("the result of a call")


def _names(node):
    """The names of the objects that an expression is, is a part of, or has as parts."""
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, (ast.Subscript, ast.Attribute, ast.Starred)):
        yield from _names(node.value)
    elif isinstance(node, (ast.Tuple, ast.List, ast.Set, ast.Dict)):
        for each in node.values if isinstance(node, ast.Dict) else node.elts:
            yield from _names(each)


def _changeable(value):
    """The identities of the lists, dicts and sets that a value consists of."""
    found, waiting = set(), [value]
    while waiting:
        each = waiting.pop()
        if id(each) in found or not isinstance(each, (list, dict, set, tuple)):
            continue
        found |= set() if isinstance(each, tuple) else {id(each)}
        waiting += each.values() if isinstance(each, dict) else each
    return found
