"""torchthaw/modernize/python/calls.py: where instances of Functions are made and called, and what becomes of it.

``F(a)(x)`` becomes ``F.apply(x, a)``. An instance that is kept is one of three things:

- ``F.apply`` itself where F takes no constants: all else stays as it is.
- its constants, ``self.f = (a,)``, where each use of the attribute is a call in the same class, or of the variable one
  in the same function: ``F.apply(x, *self.f)``.
  Modules that hold a tuple can still be pickled, which those that hold a lambda cannot.
- otherwise a lambda with the constants as a default, which are evaluated where the instance was made.
"""

import ast
from typing import NamedTuple

from .classes import Definition

RULE = "function-call"


class Site(NamedTuple):
    """A call in the text. what: "direct", "tuple", "lambda", "kept" (a call of what is kept as a tuple).

    function: the text that names the class there.
    """

    what: str
    definition: Definition
    function: str


def find_sites(project, definitions, file):
    """{(start, end) of a call: Site} of a file; what cannot be decided is remarked."""
    tree, sites = file.tree, {}
    for node in tree.all(ast.Call):
        definition = definition_of(project, definitions, file, node.func)
        if definition is None or not definition.is_instance_style or definition.problem:
            continue
        why = _undecided(tree, definitions, definition, node)
        if why:
            file.remark(node.lineno, RULE, f"{definition.name}: {why}", "look")
            continue
        parent, name = tree.parents[node], tree.source(node.func)
        if isinstance(parent, ast.Call) and parent.func is node:
            why = _wrong_inputs(definition, parent, bool(node.args or node.keywords))
            if why:
                file.remark(node.lineno, RULE, f"{definition.name}: {why}", "look")
            else:
                sites[_span(tree, parent)] = Site("direct", definition, name)
            continue
        _keep(project, file, sites, node, Site("lambda", definition, name))
    _look_at_classes(project, definitions, file)
    return sites


def _look_at_classes(project, definitions, file):
    """Remarks classes that are handed on as they are: whoever calls them expects an instance."""
    for node in file.tree.all(ast.Name, ast.Attribute):
        parent = file.tree.parents[node]
        is_handed_on = isinstance(node.ctx, ast.Load) and not isinstance(parent, (ast.Attribute, ast.ClassDef))
        if not is_handed_on or isinstance(parent, ast.Call) and parent.func is node:
            continue
        if isinstance(parent, ast.Call) and file.tree.dotted(parent.func) in ("super", "isinstance", "issubclass"):
            continue
        definition = definition_of(project, definitions, file, node)
        if definition and definition.is_instance_style and not definition.problem:
            message = (
                f"{definition.name} is handed on; what calls it must use {definition.name}.apply(inputs, constants)"
            )
            file.remark(node.lineno, RULE, message, "look")


def definition_of(project, definitions, file, node):
    """The Definition of the Function that an expression names; None for anything else."""
    dotted = file.tree.dotted(node)
    if dotted is None:
        return None
    inner = [each for each in definitions.values() if each.scope and each.name == dotted and each.file is file]
    if inner:
        around = list(file.tree.ancestors(node))
        inner = [each for each in inner if each.scope in around]
        if inner:
            return min(inner, key=lambda each: around.index(each.scope))
    found = project.find(file, dotted)
    return definitions.get((found[0].path, found[1])) if found else None


def _span(tree, node):
    return tree.start(node), tree.end(node)


def _undecided(tree, definitions, definition, node):
    """Why the making of an instance cannot be changed; None where it can."""
    parent = tree.parents[node]
    if isinstance(parent, ast.Attribute):
        return f"its method {parent.attr} is called without autograd; call the class's own {parent.attr} with a ctx"
    function = _function_of(tree, node)
    if isinstance(function, ast.FunctionDef) and function.name == "__init__":
        owner = _class_of(tree, function)
        if owner is not None and any(each.node is owner for each in definitions.values()):
            return "it is made in the __init__ of another Function, whose statements are in its forward now"
    names = [each.name for each in definition.constants if not each.star]
    stars = {each.star for each in definition.constants}
    starred = [index for index, each in enumerate(node.args) if isinstance(each, ast.Starred)]
    if starred and "*" in stars and starred[0] < len(names):
        return f"a starred argument may be {names[starred[0]]} or one of any number"
    if starred and stars <= {""}:
        return "some arguments are starred and some are named" if node.keywords else None
    if starred and "*" not in stars:
        return "some arguments are starred, and keywords stand behind them"
    before = {new: old for old, new in definition.renamed.items()}
    given = names[: len(node.args)]
    for keyword in node.keywords:
        found = next((name for name in names if before.get(name, name) == keyword.arg), None)
        if keyword.arg is None and ("**" not in stars or len(node.args) < len(names)):
            return "the arguments come as **keywords; apply takes them by place alone"
        if found in given or found is None and "**" not in stars:
            return f"__init__ has no argument {keyword.arg}"
        given += [found] if found else []
    if len(node.args) > len(names) and "*" not in stars:
        return f"__init__ takes {len(names)} arguments, and gets {len(node.args)}"
    last = max((names.index(name) for name in given), default=-1)
    if stars & {"*", "**"} and (len(node.args) > len(names) or len(node.keywords) > len(given) - len(node.args)):
        last = len(names)  # what has a star is given, so all before it must be
    for index, each in enumerate(definition.constants):
        needed = index < last or definition.takes_any
        if each.name not in given and each.default is None:
            return f"argument {each.name} is missing"
        if each.name not in given and needed and not _is_literal(each.default):
            return f"argument {each.name} must be given, since those behind it are, and its default is no literal"
    return None


def _is_literal(text):
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return False
    return True


def _wrong_inputs(definition, call, has_constants):
    if call.keywords:
        return "inputs are named, which no version took"
    starred = any(isinstance(each, ast.Starred) for each in call.args)
    missing = definition.tensors[len(call.args) :] if has_constants and not definition.takes_any else []
    if starred and any(each.default for each in definition.tensors) and has_constants:
        return "its inputs are starred, and how many there are is not known; the constants stand behind all of them"
    if not starred and any(each.default is None or not _is_literal(each.default) for each in missing):
        return "it is called with fewer inputs than forward has"
    return None


def _keep(project, file, sites, node, site):
    """The Site of an instance that is kept, and those of its calls."""
    tree, definition = file.tree, site.definition
    target = _target(tree, node)
    name = tree.dotted(target) if target is not None else None
    uses = _uses(tree, target, name)
    read = [parent for use in uses if isinstance(parent := tree.parents[use], ast.Attribute)]
    if read:
        file.remark(read[0].lineno, RULE, f"{definition.name}: {name}.{read[0].attr} was an attribute of the "
                    "instance; ctx has it now, which only forward and backward see", "look")  # fmt: skip
    if definition.state:
        file.remark(node.lineno, "function-state", f"{definition.name} kept {', '.join(definition.state)} from call to "
                    "call; each call begins with the values of __init__ now", "look")  # fmt: skip
    what, calls = "lambda", []
    given = definition.takes_any or node.args or node.keywords
    if given and definition.constants and name and _is_local(project, tree, target):
        calls, scope = [tree.parents[use] for use in uses], _class_of if "." in name else _function_of
        made = [each for each in tree.all(type(target)) if tree.dotted(each) == name
                and not isinstance(each.ctx, ast.Load) and scope(tree, each) is scope(tree, target)]  # fmt: skip
        if all(isinstance(call, ast.Call) and call.func in uses for call in calls) and len(made) == 1:
            if not any(_wrong_inputs(definition, call, True) for call in calls):
                what = "tuple"
    if what == "tuple":
        for call in calls:
            sites[_span(tree, call)] = site._replace(what="kept")
    sites[_span(tree, node)] = site._replace(what=what)


def _target(tree, node):
    """What an instance is assigned to; None where it is used in another way."""
    parent = tree.parents[node]
    if isinstance(parent, ast.Assign) and len(parent.targets) == 1 and parent.value is node:
        return parent.targets[0] if isinstance(parent.targets[0], (ast.Name, ast.Attribute)) else None
    return None


def _class_of(tree, node):
    return next((each for each in tree.ancestors(node) if isinstance(each, ast.ClassDef)), None)


def _function_of(tree, node):
    functions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    return next((each for each in tree.ancestors(node) if isinstance(each, functions)), tree.root)


def _uses(tree, target, name):
    """The nodes that read what was assigned to ``target``: in its class for ``self.f``, else in its function."""
    if not name:
        return []
    scope = _class_of(tree, target) if isinstance(target, ast.Attribute) else _function_of(tree, target)
    return [node for node in ast.walk(scope or tree.root) if isinstance(node, type(target))
            and isinstance(node.ctx, ast.Load) and tree.dotted(node) == name]  # fmt: skip


def _is_local(project, tree, target):
    """Whether all uses are known: those of a function's variable, and of an attribute that no other object has."""
    if isinstance(target, ast.Name):
        function = _function_of(tree, target)
        names = {
            name for each in ast.walk(function) if isinstance(each, (ast.Global, ast.Nonlocal)) for name in each.names
        }
        return function is not tree.root and target.id not in names
    return tree.dotted(target).startswith("self.") and _only_here(project, tree, target)


def _only_here(project, tree, target):
    """Whether no other object is seen with an attribute of this name, but for classes that assign their own."""
    here = _class_of(tree, target)
    for file in project.changeable:
        for node in _read(file.tree).get(target.attr, ()):
            owner = _class_of(file.tree, node)
            if not isinstance(node.value, ast.Name) or node.value.id != "self" or owner is None:
                return False
            if owner is not here and not _assigns(owner, target.attr):
                return False
    return here is not None


def _read(tree):
    """{attribute: the nodes that read it}, made once."""
    if not hasattr(tree, "_read_attributes"):
        tree._read_attributes = {}
        for node in tree.all(ast.Attribute):
            if isinstance(node.ctx, ast.Load):
                tree._read_attributes.setdefault(node.attr, []).append(node)
    return tree._read_attributes


def _assigns(owner, name):
    """Whether a class has ``self.name = ...`` and so does not use that of a base."""
    return any(
        isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.ctx, ast.Store)
        for node in ast.walk(owner)
    )
