"""torchthaw/doctor/kinds.py: what the expressions of a Python file are, as far as the file tells.

``whole`` is a tensor of integers, ``tensor`` one of other numbers or of unknown ones, ``mask`` a comparison of tensors,
``pair`` values and indices, ``sizes`` a shape; ``int``, ``float``, ``str`` and ``dict`` are Python's own. Values are
what they were in Python 2 and PyTorch 0.4: an integer divided by one is an integer.
"""

import ast
import re
from functools import cached_property

WHOLE_TYPES = re.compile(r"torch\.(?:cuda\.)?(?:Long|Int|Short|Char|Byte)Tensor")
FLOAT_TYPES = re.compile(r"torch\.(?:cuda\.)?(?:Float|Double|Half|)Tensor")
WHOLE_DTYPES = {f"torch.{name}" for name in ("long", "int", "short", "int8", "int16", "int32", "int64", "uint8")}
MADE = {f"torch.{name}" for name in (
    "rand", "randn", "zeros", "ones", "empty", "full", "eye", "linspace", "tensor", "arange", "zeros_like", "ones_like",
)}  # fmt: skip
# A project's own function, perhaps of another file, by its name.
MAKES_WHOLE = re.compile(r"(?:^|[._])(?:to|as|make)_?(?:long|int)_?tensor$", re.IGNORECASE)
WRAPPERS = {"torch.autograd.Variable", "Variable", "torch.nn.Parameter", "torch.nn.parameter.Parameter", "Parameter"}

# Methods by what they give, whatever tensor they are called on.
METHODS = {
    **dict.fromkeys(("long", "int", "short", "byte", "char", "nonzero", "argmax", "argmin", "argsort"), "whole"),
    **dict.fromkeys(("float", "double", "half", "norm", "exp", "log", "sqrt", "sigmoid"), "tensor"),
    **dict.fromkeys(("dim", "ndimension", "nelement", "numel"), "int"),
    **dict.fromkeys(("eq", "ne", "gt", "lt", "ge", "le"), "mask"),
    **dict.fromkeys(("topk", "sort", "median", "mode", "kthvalue"), "pair"),
}
# Methods that give what they are called on.
SAME = set(
    "cuda cpu clone contiguous detach view view_as expand expand_as squeeze unsqueeze t transpose permute narrow "
    "select index_select gather masked_select repeat sum prod cumsum abs neg clamp add sub mul div fmod remainder data "
    "add_ sub_ mul_ fill_ zero_ pin_memory reshape flatten resize_ random_ clamp_ squeeze_ unsqueeze_ t_ to".split()
)


def of(tree):
    """The Kinds of a Tree, made once."""
    if not hasattr(tree, "_kinds"):
        tree._kinds = Kinds(tree)
    return tree._kinds


class Kinds:
    def __init__(self, tree):
        self.tree = tree
        self._values = {}  # {(scope, dotted name): [node or kind]}
        self._known = {}
        for node in tree.all(ast.Assign):
            for target in node.targets:
                self._assign(target, node.value)
        for node in tree.all(ast.AnnAssign, ast.NamedExpr):
            if node.value is not None:
                self._assign(node.target, node.value)
        for node in tree.all(ast.AugAssign):
            self._assign(node.target, Updated(node.value))
        for node in tree.all(ast.For, ast.comprehension):
            self._loop(node.target, node.iter)
        for node in tree.all(ast.Call):
            if tree.dotted(node.func) == "self.register_buffer" and len(node.args) == 2:
                name = getattr(node.args[0], "value", None)
                self._values.setdefault((self._scope(node.func), f"self.{name}"), []).append(node.args[1])
        for node in tree.all(ast.arg):
            self._values.setdefault((self._scope(node), node.arg), []).append(None)

    def __call__(self, node):
        """The kind of an expression; None where it is not known."""
        if node not in self._known:
            self._known[node] = None  # while it is looked for: of a name that depends on itself nothing is known
            self._known[node] = self._of(node)
        return self._known[node]

    @cached_property
    def _differentiated(self):
        """{(scope, name)} of what ``name.backward()`` is called on without a gradient: numbers."""
        calls = [node for node in self.tree.all(ast.Call) if isinstance(node.func, ast.Attribute)
                 and node.func.attr == "backward" and not node.args
                 and not any(each.arg in ("gradient", None) for each in node.keywords)]  # fmt: skip
        return {(self._scope(each.func.value), self.tree.dotted(each.func.value)) for each in calls}

    def is_differentiated(self, node):
        name = self.tree.dotted(node)
        return name is not None and (self._scope(node), name) in self._differentiated

    def values(self, node):
        """The nodes and kinds that a name or ``self.name`` is assigned in this file; none where that is not known."""
        name = self.tree.dotted(node)
        for scope in [self._scope(node), *self.tree.ancestors(node)]:
            if name and (scope, name) in self._values:
                return self._values[scope, name]
        return []

    def _scope(self, node):
        functions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
        if isinstance(node, ast.Attribute):
            functions = ast.ClassDef
        return next((each for each in self.tree.ancestors(node) if isinstance(each, functions)), self.tree.root)

    def _assign(self, target, value):
        if isinstance(target, (ast.Tuple, ast.List)):
            if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts):
                for each, part in zip(target.elts, value.elts):
                    self._assign(each, part)
            else:
                for index, each in enumerate(target.elts):
                    self._assign(each, Part(value, index))
        elif self.tree.dotted(target):
            self._values.setdefault((self._scope(target), self.tree.dotted(target)), []).append(value)

    def _loop(self, target, iterated):
        called = self.tree.dotted(iterated.func) if isinstance(iterated, ast.Call) else None
        if called in ("range", "xrange"):
            self._assign(target, "int")
        elif called == "enumerate" and isinstance(target, ast.Tuple) and len(target.elts) == 2:
            self._assign(target.elts[0], "int")
            self._assign(target.elts[1], None)
        else:
            self._assign(target, None)

    def _of(self, node):
        if node is None or isinstance(node, str):
            return node
        method = getattr(self, f"_of_{type(node).__name__}", None)
        return method(node) if method else None

    def _agreed(self, nodes):
        kinds = {self(node) for node in nodes}
        return kinds.pop() if len(kinds) == 1 else None

    def _of_Part(self, part):
        kind = self(part.node)
        if kind == "sizes":
            return "int"
        return ("tensor", "whole")[part.index] if kind == "pair" and part.index < 2 else None

    def _of_Constant(self, node):
        return {bool: None}.get(type(node.value), type(node.value).__name__)

    def _of_Dict(self, node):
        return "dict"

    def _of_DictComp(self, node):
        return "dict"

    def _of_JoinedStr(self, node):
        return "str"

    def _of_UnaryOp(self, node):
        return None if isinstance(node.op, ast.Not) else self(node.operand)

    def _of_IfExp(self, node):
        return self._agreed([node.body, node.orelse])

    def _of_Name(self, node):
        name = self.tree.dotted(node)
        values = [value for value in self.values(node) if not self._says_nothing(value, name)]
        kind = self._agreed(value for value in values if not isinstance(value, Updated))
        if kind in ("int", "float"):
            added = {self(value.node) for value in values if isinstance(value, Updated)}
            return kind if added <= {"int", kind} else None
        return kind

    def _says_nothing(self, value, name):
        """Whether ``name`` is None by this value, or what it was: ``self.x = self.x.cuda()``."""
        while isinstance(value, (ast.Attribute, ast.Call)):
            method = value.func if isinstance(value, ast.Call) else value
            if not isinstance(method, ast.Attribute) or method.attr not in SAME:
                return False
            value = method.value
            if self.tree.dotted(value) == name:
                return True
        return isinstance(value, ast.Constant) and value.value is None

    def _of_Compare(self, node):
        sides = {self(node.left), *map(self, node.comparators)}
        return "mask" if sides & {"tensor", "whole"} else None

    def _of_BinOp(self, node):
        chain = [node]  # long sums are deep trees
        while isinstance(chain[-1].left, ast.BinOp):
            chain.append(chain[-1].left)
        for each in reversed(chain):
            self._known[each] = self._combined(self(each.left), self(each.right))
        return self._known[node]

    def _combined(self, left, right):
        if left == "str" or "mask" in (left, right):
            return left if left == "str" else None
        for kind in ("tensor", "whole"):
            if kind in (left, right):
                return kind
        if "float" in (left, right):
            return "float"
        return "int" if left == right == "int" else None

    def _of_Attribute(self, node):
        if node.attr in ("data", "grad", "T"):
            return self(node.value)
        if node.attr == "shape":
            return "sizes"
        return self._of_Name(node)

    def _of_Subscript(self, node):
        kind = self(node.value)
        index = node.slice.value if isinstance(node.slice, ast.Constant) else None
        if kind == "sizes":
            return "sizes" if isinstance(node.slice, ast.Slice) else "int"
        if kind == "pair":
            return {0: "tensor", 1: "whole"}.get(index)
        return kind if kind in ("whole", "tensor", "mask") else None

    def _of_Call(self, node):
        named, origin = self.tree.dotted(node.func), self.tree.origin(node.func)
        keywords = {keyword.arg: keyword.value for keyword in node.keywords}
        if named in ("int", "long", "len", "ord", "float", "dict", "str"):
            return {"long": "int", "len": "int", "ord": "int"}.get(named, named)
        if named in ("max", "min", "abs", "sum"):
            return self._agreed(node.args)
        if origin and WHOLE_TYPES.fullmatch(origin) or MAKES_WHOLE.search(named or ""):
            return "whole"
        if origin and FLOAT_TYPES.fullmatch(origin):
            return "tensor"
        if origin in WRAPPERS and node.args:
            return self(node.args[0])
        if origin == "torch.randperm" or self.tree.origin(keywords.get("dtype")) in WHOLE_DTYPES:
            return "whole"
        if origin in MADE:
            return None if origin in ("torch.tensor", "torch.full") or origin.endswith("_like") else "tensor"
        if origin in ("torch.max", "torch.min") and len(node.args) == 2 and self(node.args[1]) == "int":
            return "pair"
        if origin in ("torch.topk", "torch.sort"):
            return "pair"
        if origin and origin.split(".")[0] in ("math", "time", "random") and not origin.startswith("random.rand"):
            return "float"
        return self._of_method(node) if isinstance(node.func, ast.Attribute) else None

    def _of_method(self, node):
        name, receiver = node.func.attr, node.func.value
        if self.tree.origin(receiver) in ("torch", "numpy", "torch.nn.functional"):
            return None
        if name == "size":
            return "int" if node.args else "sizes"
        if name in ("max", "min"):
            return "pair" if node.args and self(node.args[0]) == "int" else self(receiver)
        if name == "type" and node.args:
            given = node.args[0]
            given = given.value if isinstance(given, ast.Constant) else self.tree.origin(given)
            return "whole" if WHOLE_TYPES.fullmatch(str(given)) else None
        if name in ("long", "int", "short", "byte", "char", "float", "double", "half") and node.args:
            return None
        if name == "to" and node.args and self.tree.origin(node.args[0]) in WHOLE_DTYPES:
            return "whole"
        if name in ("mean", "std", "var"):
            return "tensor" if self(receiver) in ("whole", "tensor") else None
        if name in METHODS:
            return METHODS[name]
        return self(receiver) if name in SAME and self(receiver) in ("whole", "tensor", "mask") else None


class Part:
    """One of the values that an expression is unpacked to."""

    def __init__(self, node, index):
        self.node, self.index = node, index


class Updated:
    """What ``+=`` and the like add to a name."""

    def __init__(self, node):
        self.node = node
