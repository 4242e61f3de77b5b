"""torchthaw/legacy/modernize/literal.py: what a build file gives create_extension and setup, found without running it.

Statements are followed one by one with the values that can be known: literals, sums and joins of them, paths, and
``torch.cuda.is_available()``, which the caller chooses. Everything else is unknown, and NeedsRun once it matters.
"""

import ast
import copy
import glob
import os

from ..doctor.tree import Tree

WANTED = ("create_extension", "setup")
FUNCTIONS = {
    "os.path.join": os.path.join, "os.path.dirname": os.path.dirname, "os.path.basename": os.path.basename,
    "os.path.abspath": os.path.abspath, "os.path.realpath": os.path.realpath, "os.path.normpath": os.path.normpath,
    "os.path.splitext": os.path.splitext, "platform.system": lambda: "Linux", "glob.glob": glob.glob,
    "list": list, "tuple": tuple, "sorted": sorted, "str": str, "dict": dict, "set": set, "len": len, "bool": bool,
}  # fmt: skip
METHODS = {
    str: {"format", "join", "replace", "strip", "split", "startswith", "endswith", "lower"},
    dict: {"get", "keys", "values", "items"},
}  # fmt: skip
CHANGES = {list: {"append", "extend", "insert"}, dict: {"update", "setdefault"}, set: {"add", "update"}}
OPERATORS = {
    ast.Eq: lambda a, b: a == b, ast.NotEq: lambda a, b: a != b, ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b, ast.Is: lambda a, b: a is b, ast.IsNot: lambda a, b: a is not b,
    ast.Add: lambda a, b: a + b, ast.Mod: lambda a, b: a % b, ast.Mult: lambda a, b: a * b,
}  # fmt: skip
CONSTANTS = {"sys.platform": "linux", "os.name": "posix", "os.sep": "/", "True": True, "False": False, "None": None}


class NeedsRun(Exception):
    """What decides the arguments of a call and cannot be known without running the file. path: set by who knows it."""

    def __init__(self, line, what):
        super().__init__(what)
        self.line, self.path = line, ""


class Stopped(Exception):
    """The file ends here, by ``raise`` or ``sys.exit()``."""


class Unknown(Exception):
    """An expression whose value is not known; its text is the expression."""


class Call(dict):
    """The arguments of one call by name, those given by position under their number; ``line`` is where it stands."""

    def __init__(self, line, arguments):
        super().__init__(arguments)
        self.line = line


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


class Reader:
    """Follows the statements of a Tree. values: {name: value} of what is known; calls: as calls() gives them."""

    def __init__(self, tree, path, has_cuda):
        self.tree = tree
        self.values = {"__file__": os.fspath(path), "__name__": "__main__"}
        self.functions = {
            **FUNCTIONS, "torch.cuda.is_available": lambda: has_cuda, "os.getcwd": lambda: os.path.dirname(path),
        }  # fmt: skip
        self.calls = {name: [] for name in WANTED}

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

    def run_If(self, statement):
        try:
            holds = self.value(statement.test)
        except Unknown as error:
            self.refuse_calls(statement, f"below an if on {error}")
            self.forget(statement)
        else:
            self.run(statement.body if holds else statement.orelse)

    def run_Assign(self, statement):
        value = self.value_or_none(statement.value)
        for target in statement.targets:
            self.bind(target, value)

    def run_AugAssign(self, statement):
        if isinstance(statement.target, ast.Name) and isinstance(statement.op, ast.Add):
            both = ast.BinOp(copy.copy(statement.target), statement.op, statement.value)
            both.left.ctx = ast.Load()
            self.bind(statement.target, self.value_or_none(ast.copy_location(both, statement)))
        else:
            self.forget(statement)

    def run_Expr(self, statement):
        call = statement.value
        if isinstance(call, ast.Call) and not self.change(call):
            origin = self.tree.origin(call.func)
            if origin == "os.chdir":
                raise NeedsRun(statement.lineno, "it changes the current folder")
            if origin in ("sys.exit", "exit", "quit"):
                raise Stopped
            if self.value_or_none(call) is None:
                self.forget_arguments(call)

    def change(self, call):
        """Whether this is ``name.append(…)`` or the like, which is then done."""
        target = call.func.value if isinstance(call.func, ast.Attribute) else None
        if not isinstance(target, ast.Name) or call.func.attr not in CHANGES.get(type(self.values.get(target.id)), ()):
            return False
        try:
            getattr(self.values[target.id], call.func.attr)(*(self.value(each) for each in call.args))
        except (Unknown, TypeError, ValueError):
            self.values.pop(target.id)
        return True

    def forget(self, statement):
        """After a statement that is not followed nothing is known of the names in it."""
        self.refuse_calls(statement, "in a statement that is not followed")
        for node in ast.walk(statement):
            if isinstance(node, ast.Name):
                self.values.pop(node.id, None)

    def forget_arguments(self, call):
        """A function that is not known may change the lists that it gets, but not what it only reads the name of."""
        name = self.tree.origin(call.func) or ""
        if name != "print" and name.rpartition(".")[2] not in WANTED:
            for node in [*call.args, *(keyword.value for keyword in call.keywords)]:
                if isinstance(node, ast.Name) and isinstance(self.values.get(node.id), (list, dict, set)):
                    self.values.pop(node.id)

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

    # Expressions

    def value_or_none(self, node):
        """The value; None where it is not known, as for an assignment of None."""
        try:
            return self.value(node)
        except Unknown:
            return None

    def value(self, node):
        """The value of an expression; Unknown."""
        method = getattr(self, f"value_{type(node).__name__}", None)
        if method is None:
            raise Unknown(self.tree.source(node))
        try:
            return method(node)
        except (TypeError, ValueError, KeyError, IndexError, AttributeError):
            raise Unknown(self.tree.source(node)) from None

    def value_Constant(self, node):
        return node.value

    def value_List(self, node):
        return [self.value(each) for each in node.elts]

    def value_Tuple(self, node):
        return tuple(self.value(each) for each in node.elts)

    def value_Set(self, node):
        return {self.value(each) for each in node.elts}

    def value_Dict(self, node):
        return {self.value(key): self.value(value) for key, value in zip(node.keys, node.values)}

    def value_JoinedStr(self, node):
        return "".join(self.value(each) for each in node.values)

    def value_FormattedValue(self, node):
        if node.format_spec or node.conversion != -1:
            raise Unknown(self.tree.source(node))
        return str(self.value(node.value))

    def value_Name(self, node):
        if node.id in self.values:
            return self.values[node.id]
        raise Unknown(node.id)

    def value_Attribute(self, node):
        origin = self.tree.origin(node)
        if origin in CONSTANTS:
            return CONSTANTS[origin]
        raise Unknown(self.tree.source(node))

    def value_Subscript(self, node):
        index = node.slice
        if isinstance(index, ast.Slice):
            parts = (index.lower, index.upper, index.step)
            return self.value(node.value)[slice(*(part and self.value(part) for part in parts))]
        return self.value(node.value)[self.value(index)]

    def value_BinOp(self, node):
        return self.operate(node.op, self.value(node.left), self.value(node.right), node)

    def value_Compare(self, node):
        left, holds = self.value(node.left), True
        for operator, right in zip(node.ops, map(self.value, node.comparators)):
            holds, left = holds and self.operate(operator, left, right, node), right
        return holds

    def operate(self, operator, left, right, node):
        if type(operator) not in OPERATORS:
            raise Unknown(self.tree.source(node))
        return OPERATORS[type(operator)](left, right)

    def value_BoolOp(self, node):
        result = None
        for each in node.values:
            result = self.value(each)
            if bool(result) == isinstance(node.op, ast.Or):
                break
        return result

    def value_UnaryOp(self, node):
        if isinstance(node.op, ast.Not):
            return not self.value(node.operand)
        if isinstance(node.op, ast.USub):
            return -self.value(node.operand)
        raise Unknown(self.tree.source(node))

    def value_IfExp(self, node):
        return self.value(node.body if self.value(node.test) else node.orelse)

    def value_ListComp(self, node):
        if len(node.generators) != 1 or not isinstance(node.generators[0].target, ast.Name):
            raise Unknown(self.tree.source(node))
        name, before, found = node.generators[0].target.id, dict(self.values), []
        for self.values[name] in list(self.value(node.generators[0].iter)):
            if all(self.value(test) for test in node.generators[0].ifs):
                found.append(self.value(node.elt))
        self.values = before
        return found

    value_GeneratorExp = value_ListComp

    def value_Call(self, node):
        if self.wanted(node):
            return self.record(node)
        origin = self.tree.origin(node.func)
        function = self.functions.get(origin)
        if function is None and isinstance(node.func, ast.Attribute):
            owner = self.value(node.func.value)
            if node.func.attr not in METHODS.get(type(owner), ()):
                raise Unknown(self.tree.source(node))
            function = getattr(owner, node.func.attr)
        if function is None:
            raise Unknown(self.tree.source(node))
        keywords = {keyword.arg: self.value(keyword.value) for keyword in node.keywords}
        result = function(*(self.value(each) for each in node.args), **keywords)
        return sorted(result) if origin == "glob.glob" else result

    # The calls that are looked for

    def wanted(self, node):
        """"create_extension" or "setup" where a call is one of these; else None."""
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
