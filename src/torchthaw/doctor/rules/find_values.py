"""torchthaw/doctor/rules/find_values.py: finds tensors that PyTorch treats in another way today."""

import ast
import re

from .. import kinds
from ..findings import Edit
from .find_names import replaced
from .losses import is_number
from .rule import EDIT, Found, is_constant, keyword

INDICES = re.compile(r"\w*(?:indices|indexes|inds|ids)|(?:max|min|top\w*|best|sort\w*|arg\w*|pred\w*)_?idx")
COMPARISONS = {"eq", "ne", "gt", "lt", "ge", "le"}

# Reductions over a dimension, and which argument of the method that is.
REDUCTIONS = {
    **dict.fromkeys(("sum", "mean", "prod", "std", "var", "max", "min", "median", "mode"), 0), "norm": 1, "kthvalue": 1,
}  # fmt: skip
CASTS = {"long", "int", "short", "byte", "float", "double", "half", "type", "type_as", "to", "cuda"}
GIVE_PAIRS = {"max", "min", "median", "mode", "kthvalue"}
NO_TENSORS = {"eps", "epsilon"}
KEEP_SHAPE = set("sqrt pow exp log abs neg clamp add sub mul div float double data cpu cuda clone detach".split())


def whole_division(tree, project):
    """Tensors of integers divided by something: truncated once, fractions or an error today."""
    kind = kinds.of(tree)

    def is_whole(node):
        named = INDICES.fullmatch((tree.dotted(node) or "").rpartition(".")[2])
        return kind(node) == "whole" or bool(named) and not any(map(kind, (node, *kind.values(node))))

    for node in tree.all(ast.BinOp):
        if isinstance(node.op, ast.Div) and (is_whole(node.left) or kind(node.right) == "whole"):
            if "tensor" not in (kind(node.left), kind(node.right)) and kind(node.left) != "str":
                position = tree.code.index("/", tree.end(node.left))
                yield Found(position, (Edit(position, position + 1, "//"),))
    for node in tree.all(ast.AugAssign):
        if isinstance(node.op, ast.Div) and is_whole(node.target):
            position = tree.code.index("/=", tree.end(node.target))
            message = "`/=` of a tensor of integers raises today"
            yield Found(position, (Edit(position, position + 2, "//="),), message=message)
    for node in tree.all(ast.Call):
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("div", "div_") and node.args:
            of_torch = tree.origin(node.func) == "torch.div"
            if kind(node.args[0] if of_torch else node.func.value) == "whole" and not keyword(node, "rounding_mode"):
                message = "integers divided by integers give fractions today, and div_ of them raises"
                yield Found(tree.end(node.func) - 1, message=message)


# What gives the integers up to a number, and what gives a list, a tuple or a string.
RANGES = {"range", "xrange", "six.moves.range", "six.moves.xrange", "builtins.range", "past.builtins.xrange"}
SEQUENCES = {"list", "tuple", "sorted", "str", *RANGES}
GIVE_LISTS = {"split", "rsplit", "splitlines", "readlines"}
NEEDED = "Python 3 has no fractions here: `/` of integers gave an integer in Python 2"


def quotient(tree, project):
    """Python's own integers divided: a whole number in Python 2. Certain where Python 3 takes no fraction."""
    if any(
        "division" in {alias.name for alias in node.names}
        for node in tree.all(ast.ImportFrom)
        if node.module == "__future__"
    ):
        return
    kind, numbers = kinds.of(tree), _numbers_of_items(tree)
    for node in tree.all(ast.BinOp):
        if not isinstance(node.op, ast.Div):
            continue
        certain = node in numbers
        if certain or kind(node.left) == kind(node.right) == "int":
            parent = tree.parents[node]
            if isinstance(parent, ast.Call) and tree.dotted(parent.func) in ("int", "float"):
                continue
            position = tree.code.index("/", tree.end(node.left))
            edits = (Edit(position, position + 1, "//"),)
            yield Found(position, edits, effect=EDIT, message=NEEDED) if certain else Found(position, edits)


def _numbers_of_items(tree):
    """The terms of each number for range, and of each index or bound of a list, a tuple or a string."""
    numbers = [each for node in tree.all(ast.Call) if tree.origin(node.func) in RANGES for each in node.args]
    for node in tree.all(ast.Subscript):
        if _is_sequence(tree, node.value):
            index = node.slice
            numbers += [index.lower, index.upper, index.step] if isinstance(index, ast.Slice) else [index]
    found = set()
    for number in numbers:
        left, terms = [number], []
        while left:
            node = left.pop()
            is_sum = isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub, ast.Mult, ast.Div))
            left += [node.left, node.right] if is_sum else []
            terms.append(node)
        if all(kinds.of(tree)(each) in ("int", None) for each in terms if not isinstance(each, ast.BinOp)):
            found.update(terms)
    return found


def _is_sequence(tree, node):
    """Whether an expression is a list, a tuple or a string for sure."""
    if isinstance(node, (ast.List, ast.ListComp, ast.Tuple)) or kinds.of(tree)(node) in ("str", "sizes"):
        return True
    if isinstance(node, ast.Call):
        return tree.origin(node.func) in SEQUENCES or getattr(node.func, "attr", "") in GIVE_LISTS
    values = kinds.of(tree).values(node)
    return bool(values) and all(
        isinstance(each, (ast.List, ast.ListComp, ast.Tuple, ast.Call)) and _is_sequence(tree, each) for each in values
    )


def _of_data(tree, node):
    """(the x of ``x.data``, whether it is NumPy's), also of ``x.data.cpu()`` and ``x.detach().numpy()``; None for what is
    no such thing."""
    seen = set()
    while True:
        if isinstance(node, ast.Attribute) and node.attr == "data":
            seen.add("data")
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not (node.args or node.keywords):
            if node.func.attr not in ("cpu", "numpy", "detach"):
                break
            seen.add(node.func.attr)
            node = node.func.value
        else:
            break
    return (node, "numpy" in seen) if "data" in seen or {"detach", "numpy"} <= seen else None


def _named_data(tree, node):
    """The same for a name that is ``x.data`` of one x wherever it is assigned."""
    values = kinds.of(tree).values(node) if isinstance(node, ast.Name) else []
    return _of_data(tree, values[0]) if len(values) == 1 and isinstance(values[0], ast.AST) else None


def data_index(is_certain):
    """``loss.data[0]``; ``is_certain``: of what has no dimension, else of what may have none."""

    def find(tree, project):
        for node in tree.all(ast.Subscript):
            found = _of_data(tree, node.value) or _named_data(tree, node.value)
            parent = tree.parents[node]
            if found is None or not isinstance(node.ctx, ast.Load) or not is_constant(node.slice, 0):
                continue
            if isinstance(parent, ast.Attribute) or isinstance(parent, ast.Subscript) and parent.value is node:
                continue  # a row
            if isinstance(parent, ast.Call) and parent.func is node:
                continue
            owner, numpy = found
            certain = is_number(tree, owner, project)
            maybe = (
                isinstance(owner, (ast.Name, ast.Attribute, ast.Call)) and tree.dotted(owner) != "self" and not numpy
            )
            if isinstance(node.value, ast.Name):
                maybe, start = False, tree.end(node.value)
            else:
                start = tree.code.index(".", tree.end(owner))  # after the parentheses around it
            if certain if is_certain else maybe and not certain:
                yield Found(start, (Edit(start, tree.end(node), ".item()"),))

    return find


def integer_gradient(tree, project):
    kind = kinds.of(tree)
    for node in tree.all(ast.Call):
        origin = tree.origin(node.func) or ""
        asked = keyword(node, "requires_grad")
        if isinstance(node.func, ast.Attribute) and node.func.attr == "requires_grad_":
            off = [*node.args, *([asked] if asked else [])]
            if kind(node.func.value) == "whole" and not (off and is_constant(off[0], False)):
                yield Found(tree.end(node.func) - 1)
        elif origin.rpartition(".")[2] == "Parameter" and node.args and kind(node.args[0]) == "whole":
            if not is_constant(asked, False):
                yield Found(node, message="integers cannot require grad today; add requires_grad=False")
        elif is_constant(asked, True) and kind(node) == "whole":
            yield Found(node)
    for node in tree.all(ast.Assign):
        target = node.targets[0]
        if isinstance(target, ast.Attribute) and target.attr == "requires_grad" and is_constant(node.value, True):
            if kind(target.value) == "whole":
                yield Found(node)


def integer_range(tree, project):
    """``torch.arange`` of integers whose values are used as what they are, neither converted nor an index."""
    for node in tree.all(ast.Call):
        if tree.origin(node.func) != "torch.arange" or keyword(node, "dtype") or keyword(node, "out"):
            continue
        arguments = [*node.args, *(each.value for each in node.keywords)]
        if not any(kinds.of(tree)(each) == "float" for each in arguments) and not _is_converted(tree, node):
            yield Found(node)


def _is_converted(tree, node):
    """Whether the values of ``node`` are converted to another type, or are an index: floats never were one."""
    while True:
        inner, node = node, tree.parents[node]
        if isinstance(node, ast.Subscript) and node.slice is inner:
            return True
        if isinstance(node, ast.Attribute):
            call = tree.parents[node]
            is_called = isinstance(call, ast.Call) and call.func is node
            if is_called and node.attr in CASTS:
                return True
            passes, node = node.attr in kinds.SAME, call if is_called else node
        elif isinstance(node, ast.Call):
            passes = tree.origin(node.func) in kinds.WRAPPERS and node.args[:1] == [inner]
        else:
            passes = isinstance(node, (ast.BinOp, ast.Tuple, ast.Subscript))
        if not passes:
            return False


# Functions that aligned corners, and the place of the argument that says whether.
GRIDS = {"grid_sample": 4, "affine_grid": 2}


def unaligned_grid(tree, project):
    """Calls of PyTorch's functions on grids that do not say whether corners are aligned."""
    for node, name in _calls_of_torch(tree, project, GRIDS):
        values = [value for value in kinds.of(tree).values(node.func) if isinstance(value, ast.AST)]
        if len(node.args) <= GRIDS[name] and not any("align_corners" in tree.source(value) for value in values):
            yield Found(node)


def unaligned_upsampling(tree, project):
    """The same of linear upsampling, in projects for PyTorch before 0.4."""
    for node, _ in _calls_of_torch(tree, project, ("upsample", "Upsample")):
        words = [each.value for each in ast.walk(node) if isinstance(each, ast.Constant)]
        if any("linear" in word for word in words if isinstance(word, str)) and not project.is_for_04:
            yield Found(node)


def _calls_of_torch(tree, project, names):
    """(call, name) of calls by these names without align_corners, unless the project defines a function of the name."""
    for node in tree.all(ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else tree.dotted(node.func)
        origin = tree.origin(node.func) or ""
        own = (name in project.functions or name in tree.bound) and not origin.startswith("torch.")
        if (name in names or origin.rpartition(".")[2] in names) and not own and not keyword(node, "align_corners"):
            yield node, name if name in names else origin.rpartition(".")[2]


class Reduced:
    """Looks for tensors that lost a dimension by a reduction, which 0.1 kept."""

    def __init__(self, tree):
        self.tree = tree

    def dimension(self, node, depth=4):
        """The argument that names the dimension; None where ``node`` is no such tensor."""
        if depth == 0:
            return None
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and node.slice.value in (0, 1):
            call = self.reduction(node.value)
            return call and call[1] if call and call[0] in GIVE_PAIRS else None
        if isinstance(node, ast.Attribute) and node.attr in KEEP_SHAPE:
            return self.dimension(node.value, depth - 1)
        if isinstance(node, ast.Call):
            call = self.reduction(node)
            if call:
                return call[1] if call[0] not in GIVE_PAIRS else None
            if isinstance(node.func, ast.Attribute) and node.func.attr in KEEP_SHAPE:
                of_torch = self.tree.origin(node.func.value) == "torch" and node.args
                return self.dimension(node.args[0] if of_torch else node.func.value, depth - 1)
        if isinstance(node, ast.BinOp):
            for side, other in ((node.left, node.right), (node.right, node.left)):
                named = (self.tree.dotted(other) or "").rpartition(".")[2].lower()
                if kinds.of(self.tree)(other) in ("int", "float") or named in NO_TENSORS:
                    return self.dimension(side, depth - 1)
        values = kinds.of(self.tree).values(node) if isinstance(node, (ast.Name, ast.Attribute)) else []
        return self.of_value(values[0], depth - 1) if len(values) == 1 else None

    def of_value(self, value, depth):
        if isinstance(value, kinds.Part):
            call = self.reduction(value.node)
            return call[1] if call and call[0] in GIVE_PAIRS else None
        return self.dimension(value, depth) if isinstance(value, ast.AST) else None

    def used(self, call):
        """The argument that names the dimension which a call expects of a tensor that lost it; None otherwise."""
        name = call.func.attr if isinstance(call.func, ast.Attribute) else None
        of_torch = name and self.tree.origin(call.func.value) == "torch"
        given = call.args[1:] if of_torch else call.args
        if name not in ("expand_as", "expand", "squeeze", "repeat") or not given:
            return None
        dimension = self.dimension(call.args[0] if of_torch else call.func.value)
        if dimension is None or is_constant(dimension, 0):
            return None  # without the first dimension it expands to the same
        if name == "squeeze" and ast.dump(given[0]) != ast.dump(dimension):
            return None
        return None if name == "repeat" and not (len(given) > 1 and is_constant(given[0], 1)) else dimension

    def reduction(self, node):
        """(name, the argument that names the dimension) of a call without keepdim; None where it is none."""
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or keyword(node, "keepdim"):
            return None
        name, root = node.func.attr, self.tree.origin(node.func.value)
        if name not in REDUCTIONS or root in ("numpy", "tensorflow"):
            return None
        place = REDUCTIONS[name] + (root == "torch")
        if len(node.args) > place + 1:
            return None  # keepdim by its place
        dimension = node.args[place] if len(node.args) > place else keyword(node, "dim")
        if dimension is None or name in ("max", "min") and kinds.of(self.tree)(dimension) != "int":
            return None
        return name, dimension


def kept_dimension(tree, project):
    """Reductions whose result is used as if it still had the dimension."""
    reduced = Reduced(tree)
    for node in tree.all(ast.Call):
        if reduced.used(node) is not None:
            yield Found(tree.end(node.func) - 1)
    for node in tree.all(ast.Subscript):
        inner = node.value
        is_single = isinstance(node.slice, ast.Constant) and isinstance(inner, ast.Subscript)
        if is_single and isinstance(inner.slice, ast.Constant) and isinstance(inner.value, ast.Subscript):
            dimension = reduced.dimension(inner.value)
            if is_constant(dimension, 1) or is_constant(dimension, -1):
                yield Found(tree.end(node) - 1)


def mask_arithmetic(is_certain):
    """``1 - mask``; ``is_certain``: of tensors, else of comparisons of anything."""

    def find(tree, project):
        kind = kinds.of(tree)
        for node in tree.all(ast.BinOp):
            if not isinstance(node.op, ast.Sub) or not is_constant(node.left, 1):
                continue
            mask = node.right
            method = (
                isinstance(mask, ast.Call) and isinstance(mask.func, ast.Attribute) and mask.func.attr in COMPARISONS
            )
            certain = method and len(mask.args) == 1 and not mask.keywords or kind(mask) == "mask"
            if certain if is_certain else isinstance(mask, ast.Compare) and not certain:
                end = tree.code.index("-", tree.end(node.left)) + 1
                power = isinstance(tree.parents[node], ast.BinOp) and isinstance(tree.parents[node].op, ast.Pow)
                after = re.match(r"\s*", tree.code[end:]).end()
                yield Found(node, (Edit(tree.start(node), end + after, "~"),), sure=not power)

    return find


def type_comparison(tree, project):
    """``type(x) == torch.FloatTensor``; code of PyTorch 1.0 asks so which PyTorch it has."""
    if project.age.torch and project.age.torch.version >= (1, 0):
        return
    for node in tree.all(ast.Compare):
        left, right = node.left, node.comparators[0]
        if len(node.ops) != 1 or not isinstance(node.ops[0], (ast.Eq, ast.Is, ast.NotEq, ast.IsNot)):
            continue
        is_type = isinstance(left, ast.Call) and tree.dotted(left.func) == "type" and len(left.args) == 1
        name = tree.origin(right) or ""
        if is_type and (
            kinds.WHOLE_TYPES.fullmatch(name) or kinds.FLOAT_TYPES.fullmatch(name) and name != "torch.Tensor"
        ):
            new = f"isinstance({tree.source(left.args[0])}, {tree.source(right)})"
            if isinstance(node.ops[0], (ast.NotEq, ast.IsNot)):
                new = f"not {new}"
                if isinstance(tree.parents[node], (ast.Compare, ast.BinOp, ast.UnaryOp)):
                    new = f"({new})"
            yield Found(node, replaced(tree, node, new))


def calls_of_c(tree, project):
    """Calls of an extension's functions with another number of arguments than their prototypes have."""
    counts = project.parameter_counts
    for node in tree.all(ast.Call) if counts else ():
        if not isinstance(node.func, ast.Attribute) or node.func.attr not in counts or node.keywords:
            continue
        origin = f".{tree.origin(node.func.value)}."
        starred = any(isinstance(argument, ast.Starred) for argument in node.args)
        expected = counts[node.func.attr]
        named = any(f".{name}." in origin for name in ("_ext", *project.extension_names))
        if named and not starred and len(node.args) != expected:
            message = f"{node.func.attr} takes {expected} arguments, and gets {len(node.args)}"
            yield Found(node, message=message)
