"""torchthaw/legacy/modernize/expressions.py: the values of expressions of a build file, as far as they can be known."""

import ast
import glob
import os

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
OPERATORS = {
    ast.Eq: lambda a, b: a == b, ast.NotEq: lambda a, b: a != b, ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b, ast.Is: lambda a, b: a is b, ast.IsNot: lambda a, b: a is not b,
    ast.Add: lambda a, b: a + b, ast.Mod: lambda a, b: a % b, ast.Mult: lambda a, b: a * b,
}  # fmt: skip
CONSTANTS = {"sys.platform": "linux", "os.name": "posix", "os.sep": "/", "True": True, "False": False, "None": None}


class Unknown(Exception):
    """An expression whose value is not known; its text is the expression."""


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
