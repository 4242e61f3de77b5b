"""torchthaw/modernize/expressions.py: the values of expressions of a build file, as far as they can be known."""

import ast
import os
import re

FUNCTIONS = {
    "os.path.join": os.path.join, "os.path.dirname": os.path.dirname, "os.path.basename": os.path.basename,
    "os.path.abspath": os.path.abspath, "os.path.realpath": os.path.realpath, "os.path.normpath": os.path.normpath,
    "os.path.splitext": os.path.splitext, "platform.system": lambda: "Linux",
    "list": list, "tuple": tuple, "sorted": sorted, "str": str, "dict": dict, "set": set, "len": len, "bool": bool,
}  # fmt: skip
METHODS = {
    str: {"format", "join", "replace", "strip", "split", "startswith", "endswith", "lower"},
    dict: {"get", "keys", "values", "items"},
}  # fmt: skip
OPERATORS = {
    ast.Eq: lambda a, b: a == b, ast.NotEq: lambda a, b: a != b, ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b, ast.Is: lambda a, b: a is b, ast.IsNot: lambda a, b: a is not b,
    ast.Add: lambda a, b: a + b, ast.Mod: lambda a, b: a % b, ast.Mult: lambda a, b: a * b,
}  # fmt: skip
MOST = 10_000  # elements and characters of one value, in all: a build file has fewer, and 1 is "a" * 10 ** 9 as well
BITS = 256  # of an integer
# In a format: a width of thousands, or one that is computed.
WIDE = re.compile(r"%(?:\([^)]*\))?[-+ #0.\d]*(?:\d{4}|\*)|\{[^{}]*:[^{}]*(?:\d{4}|\{)")
CONSTANTS = {"sys.platform": "linux", "os.name": "posix", "os.sep": "/", "True": True, "False": False, "None": None}


class Unknown(Exception):
    """An expression whose value is not known; its text is the expression."""


def is_large(value):
    """Whether a value has more than MOST parts, those in it counted, or is an integer of more than BITS."""
    count, waiting = 0, [value]
    while waiting and count <= MOST:
        value = waiting.pop()
        if isinstance(value, int) and value.bit_length() > BITS:
            return True
        count += len(value) if isinstance(value, (str, bytes)) else 1
        if isinstance(value, dict):
            waiting += [*value.keys(), *value.values()]
        elif isinstance(value, (list, tuple, set)):
            waiting += value
    return count > MOST


def may_be_large(operation, *given):
    """Whether ``operation`` may make far more of what it is given than that holds already."""
    if operation == "*":
        sizes = [len(each) if hasattr(each, "__len__") else abs(int(each)) for each in given]
        return sizes[0] * sizes[1] > MOST and any(hasattr(each, "__len__") for each in given)
    if operation == "replace":
        return given[0].count(given[1]) * len(given[2]) > MOST
    if operation == "join":
        return len(given[0]) * len(given[1]) > MOST
    return operation in ("%", "format") and isinstance(given[0], (str, bytes)) and bool(WIDE.search(str(given[0])))


class Values:
    """values: {name: value} of what is known. functions: what may be called, by dotted name. tree: the file's Tree."""

    def __init__(self, tree, values, functions):
        self.tree, self.values, self.functions = tree, values, {**FUNCTIONS, **functions}

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
            value = method(node)
        except (TypeError, ValueError, KeyError, IndexError, AttributeError, ArithmeticError, MemoryError):
            raise Unknown(self.tree.source(node)) from None
        if is_large(value):
            raise Unknown(f"a value of more than {MOST} parts or {BITS} bits")
        return value

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
        sign = {ast.Mult: "*", ast.Mod: "%"}.get(type(operator))
        if may_be_large(sign, left, right):
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
        for self.values[name] in list(self.value(node.generators[0].iter)):  # noqa: B020
            if all(self.value(test) for test in node.generators[0].ifs):
                found.append(self.value(node.elt))
        self.values = before
        return found

    value_GeneratorExp = value_ListComp

    def value_Call(self, node):
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
        given = [self.value(each) for each in node.args]
        owner = getattr(function, "__self__", None)
        if isinstance(owner, str) and may_be_large(function.__name__, owner, *given):
            raise Unknown(self.tree.source(node))
        result = function(*given, **keywords)
        return sorted(result) if origin == "glob.glob" else result
