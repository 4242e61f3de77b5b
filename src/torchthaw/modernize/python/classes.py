"""torchthaw/modernize/python/classes.py: the autograd Functions of a project, and what their methods use."""

import ast
from functools import cached_property
from typing import NamedTuple

from .problems import KEPT, first_parameter, is_static, problem_of
from .project import defined

BASES = {
    "torch.autograd.Function", "torch.autograd.function.Function", "torch.autograd.function.InplaceFunction",
    "torch.autograd.function.NestedIOFunction",
}  # fmt: skip


SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


class Parameter(NamedTuple):
    """default: the text of it; None where there is none.

    star: of a constant, "*" for what ``__init__`` took in any number, which is one tuple now, "**" for its keywords,
    which are one dict.
    """

    name: str
    default: str | None
    star: str = ""


class Definition:
    """A class below torch.autograd.Function.

    base: the Definition that it inherits from; None for PyTorch's own. problem: why it stays as it is, or None.
    scope: the node of the function that it is defined in; None for one of the module.
    """

    def __init__(self, project, file, node, base, scope=None):
        self.project, self.file, self.node, self.base, self.scope = project, file, node, base, scope
        self.name, self.tree, self.problem, self.children = node.name, file.tree, None, []
        self.own = {each.name: each for each in node.body if isinstance(each, ast.FunctionDef)}
        self.own_attributes = {
            target.id for each in node.body if isinstance(each, (ast.Assign, ast.AnnAssign))
            for target in getattr(each, "targets", None) or [each.target] if isinstance(target, ast.Name)
        }  # fmt: skip
        if base:
            base.children.append(self)

    @property
    def line(self):
        return self.node.lineno

    def method(self, name):
        """(the Definition that has it, its node); (None, None) where only PyTorch has one."""
        if name in self.own:
            return self, self.own[name]
        return self.base.method(name) if self.base else (None, None)

    @property
    def class_attributes(self):
        return self.own_attributes | (self.base.class_attributes if self.base else set())

    def is_helper(self, name):
        """Whether ``name`` is a method of the project's own that becomes a static one with ctx before its arguments."""
        owner, node = self.method(name)
        return bool(owner) and name not in KEPT and not is_static(node)

    @cached_property
    def is_instance_style(self):
        """Whether ``forward`` is a method of instances, here or in a class of the family."""
        return any("forward" in each.own and not is_static(each.own["forward"]) for each in self.family)

    @cached_property
    def tensors(self):
        """The Parameters of forward without its first; the last begins with ``*`` where it takes any number."""
        owner, forward = self.method("forward")
        return parameters(owner.tree, forward) if owner else []

    @property
    def takes_any(self):
        return bool(self.tensors) and self.tensors[-1].name.startswith("*")

    @cached_property
    def constants(self):
        """The Parameters of ``__init__``, by the names that they have in forward."""
        return [new for _, new in self.taken]

    @property
    def most_constants(self):
        """Their number in that class of the family that has most: backward gives None for each."""
        return max(len(each.constants) for each in self.family)

    @cached_property
    def renamed(self):
        """{name of a parameter of ``__init__``: its name in forward}, where forward has another one of this name."""
        return {old: new.name for old, new in self.taken if old != new.name}

    @cached_property
    def taken(self):
        """[(name of a parameter of ``__init__``, its Parameter in forward)] of those that it uses."""
        if not self.is_instance_style:
            return []
        owner, init = self.method("__init__")
        taken = {each.name.lstrip("*") for each in self.tensors}
        found = []
        for each in parameters(owner.tree, init) if owner else []:
            name = each.name.lstrip("*")
            star = each.name.removesuffix(name)
            if not star or self.has_set_up and owner.base or _is_used(init, name):
                new = f"{name}_" if name in taken else name
                found.append((name, Parameter(new, "()" if star else each.default, star)))
        return found

    @cached_property
    def assigned(self):
        """The names of the attributes that methods of the family assign on the instance."""
        return set().union(*(_assigned(node) for each in self.family for node in each.own.values()))

    @cached_property
    def state(self):
        """The attributes of ``__init__`` that forward reads, then assigns: they lasted from call to call."""
        _, forward = self.method("forward")
        if forward is None:
            return ()
        inits = [each.own["__init__"] for each in self.lineage if "__init__" in each.own]
        given = set().union(*map(_assigned, inits))
        own, first = first_parameter(forward), {}
        for node in ast.walk(forward):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == own:
                is_read = isinstance(node.ctx, ast.Load)
                line = first.setdefault(node.attr, {}).get(is_read, node.lineno)
                first[node.attr][is_read] = min(line, node.lineno)
        return tuple(
            name for name, lines in first.items()
            if name in given and {True, False} <= lines.keys() and lines[True] <= lines[False]
            or name in given and _is_added_to(forward, own, name)
        )  # fmt: skip

    @property
    def has_set_up(self):
        """Whether ``__init__`` becomes a method of its own, in each class of the family: see inits.py."""
        return any(
            each.base and "__init__" in each.own
            and (each.base.method("__init__")[0] or each.base.method("forward")[0])
            for each in self.family
        )  # fmt: skip

    @property
    def is_split(self):
        """Whether classes below use the forward of this one, and have other constants or more to do."""
        below = list(self.children)
        for each in below:
            below += each.children
        return any(
            "forward" not in each.own
            and "__init__" in each.own
            and each.method("forward")[0] is self
            or any(getattr(node, "attr", None) == "forward" for node in ast.walk(each.own.get("forward", ast.Pass())))
            for each in below
        )

    @property
    def is_forward_split(self):
        """Whether that is so of the forward that a method means by ``self.forward`` or ``super().forward``."""
        return any(each.is_split for each in self.lineage)

    @property
    def set_up_name(self):
        return self._free("set_up")

    @property
    def compute_name(self):
        return self._free("compute")

    def _free(self, name):
        taken = set().union(*(each.own.keys() | each.own_attributes for each in self.family))
        return name if name not in taken else self._free(f"{name}_")

    @property
    def lineage(self):
        """This class and those above it."""
        return [self, *(self.base.lineage if self.base else [])]

    @property
    def family(self):
        """This class, those above it and those below them."""
        found = [self.lineage[-1]]
        for each in found:
            found += each.children
        return found

    @property
    def leaves_forward_to_base(self):
        """Whether its forward calls that of its base, and reads nothing of the instance itself."""
        forward = self.own.get("forward")
        if forward is None or self.base is None:
            return False
        own, nodes = first_parameter(forward), list(ast.walk(forward))
        reads = {node.attr for node in nodes if isinstance(node, ast.Attribute)
                 and isinstance(node.value, ast.Name) and node.value.id == own}  # fmt: skip
        calls = [node.func for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
        return not reads & self.assigned and any(
            each.attr == "forward" and not (isinstance(each.value, ast.Name) and each.value.id == own) for each in calls
        )

    @cached_property
    def touches_c(self):
        """Whether its methods use an extension, themselves or through functions of the project."""
        return any(uses(self.project, each.file, each.node)[1] for each in self.family)

    @cached_property
    def calls(self):
        """The names of the C functions that its methods use, in order, where they can be read."""
        found = dict.fromkeys(uses(self.project, self.file, self.node)[0])
        return tuple(found | (dict.fromkeys(self.base.calls) if self.base else {}))


def parameters(tree, function):
    """[Parameter] of a method without its first, any number as ``*name`` and keywords as ``**name``."""
    arguments = function.args
    plain = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(plain) - len(arguments.defaults)) + arguments.defaults
    found = [Parameter(each.arg, default and tree.source(default)) for each, default in zip(plain, defaults)][1:]
    found += [
        Parameter(each.arg, default and tree.source(default))
        for each, default in zip(arguments.kwonlyargs, arguments.kw_defaults)
    ]
    found += [Parameter(f"*{arguments.vararg.arg}", None)] if arguments.vararg else []
    return found + ([Parameter(f"**{arguments.kwarg.arg}", None)] if arguments.kwarg else [])


def _is_used(init, name):
    """Whether ``__init__`` uses a variable otherwise than by handing it on to that of a base."""
    handed = {
        id(inner) for each in ast.walk(init)
        if isinstance(each, ast.Expr) and isinstance(each.value, ast.Call)
        and isinstance(each.value.func, ast.Attribute) and each.value.func.attr == "__init__"
        for inner in ast.walk(each)
    }  # fmt: skip
    return any(isinstance(each, ast.Name) and each.id == name and id(each) not in handed for each in ast.walk(init))


def _assigned(function):
    own = first_parameter(function)
    return {
        node.attr for node in ast.walk(function)
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)
        and isinstance(node.value, ast.Name) and node.value.id == own
    }  # fmt: skip


def _is_added_to(function, own, name):
    """Whether ``function`` has ``self.name += ...``."""
    targets = (node.target for node in ast.walk(function) if isinstance(node, ast.AugAssign))
    return any(
        isinstance(each, ast.Attribute) and each.attr == name
        and isinstance(each.value, ast.Name) and each.value.id == own for each in targets
    )  # fmt: skip


def uses(project, file, node, seen=None):
    """(names of C functions, whether an extension is used at all) in ``node`` and in what it uses of the project."""
    seen = set() if seen is None else seen
    names, touched, inner = [], False, set()

    def place(each):
        return getattr(each, "lineno", 0), getattr(each, "col_offset", 0)

    for each in sorted(ast.walk(node), key=place):
        if each in inner or not isinstance(each, (ast.Name, ast.Attribute)):
            continue
        dotted = file.tree.dotted(each)
        if dotted is None:
            continue
        inner |= set(ast.walk(each))  # of a.b.c not also a.b
        function = project.extension_function(file, dotted)
        if function is not None:
            touched = True
            names += [function] if function else []
            continue
        found = project.find(file, dotted)
        definition = found and defined(found[0].tree)[found[1]]
        if isinstance(definition, ast.FunctionDef) and definition not in seen:
            seen.add(definition)
            more, also = uses(project, found[0], definition, seen)
            names, touched = names + more, touched or also
    return names, touched


def _look_at_inner(file, node):
    """Remarks an instance Function that is defined inside of a class, which stays."""
    forward = next((each for each in node.body if isinstance(each, ast.FunctionDef) and each.name == "forward"), None)
    is_function = any(file.origin(file.tree.dotted(base)) in BASES for base in node.bases)
    if is_function and forward and not is_static(forward):
        message = f"{node.name} stays an instance Function: it is defined inside of a class"
        file.remark(node.lineno, "instance-function", message, "look")


def _inner(project, file, found):
    """Adds the Functions that are defined inside of functions to ``found``, under (path, name, line)."""
    outer = set(defined(file.tree).values())
    for node in file.tree.all(ast.ClassDef):
        scope = next((each for each in file.tree.ancestors(node) if isinstance(each, SCOPES)), None)
        if node in outer:
            continue
        if not isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef)):
            _look_at_inner(file, node)
            continue
        for dotted in map(file.tree.dotted, node.bases):
            parent = project.find(file, dotted) if dotted else None
            parent = found.get((parent[0].path, parent[1])) if parent else None
            if parent or file.origin(dotted) in BASES:
                found[file.path, node.name, node.lineno] = Definition(project, file, node, parent, scope)
                break


def _problem_of_scope(definition):
    """Why a Function that is defined inside of a function stays; None where it can be changed."""
    if definition.scope is None:
        return None
    inside = [each for each in ast.walk(definition.scope) if isinstance(each, ast.ClassDef)]
    if [each.name for each in inside].count(definition.name) > 1:
        return "its function defines several classes of this name"
    bases = {definition.tree.dotted(base) for each in inside for base in each.bases}
    return "another class of its function inherits from it" if definition.name in bases else None


def find_definitions(project):
    """{(path, name): Definition} of all Functions of a project, bases before what is below them.

    Those that are defined inside of functions have their line as a third part of the key.
    """
    found = {}

    def look(file, name, above=()):
        key = file.path, name
        if key in found or key in above:
            return found.get(key)
        node = defined(file.tree).get(name)
        for base in node.bases if isinstance(node, ast.ClassDef) else ():
            dotted = file.tree.dotted(base)
            if file.origin(dotted) in BASES:
                found[key] = Definition(project, file, node, None)
            else:
                other = project.find(file, dotted)
                parent = other and look(*other, (*above, key))
                if parent:
                    found[key] = Definition(project, file, node, parent)
            if key in found:
                return found[key]
        return None

    for file in project.changeable:
        for name in defined(file.tree):
            look(file, name)
    for file in project.changeable:
        _inner(project, file, found)
    for definition in found.values():
        definition.problem = _problem_of_scope(definition) or problem_of(definition)
    for definition in found.values():
        troubled = next((each for each in definition.family if each.problem), None)
        if troubled and not definition.problem:
            definition.problem = f"{troubled.name}, of the same family, stays as it is"
    return found
