"""torchthaw/modernize/python/callees.py: what a called expression is: functions of C and of the project."""

import ast
from typing import NamedTuple

from .project import LIBRARIES, defined

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class C(NamedTuple):
    """A function of an extension. name: "" where it is not known which."""

    name: str


class Python(NamedTuple):
    """A function of the project. is_bound: whether its first argument is the object that it is called on."""

    file: object
    node: ast.FunctionDef
    is_bound: bool


def callees(project, file, node, seen=()):
    """[C or Python] that an expression, which is called, may be; none of a library.

    A method is looked for by its name alone, in all classes of the project.
    """
    tree = file.tree
    if isinstance(node, ast.Call) and tree.dotted(node.func) == "getattr" and len(node.args) > 1:
        return _of_getattr(project, file, *node.args[:2])
    if not isinstance(node, (ast.Name, ast.Attribute)) or id(node) in seen:
        return []
    dotted = tree.dotted(node)
    name = project.extension_function(file, dotted) if dotted else None
    if name is not None:
        return [C(name.rpartition(".")[2])]
    found = project.find(file, dotted) if dotted else None
    definition = found and defined(found[0].tree).get(found[1])
    if isinstance(definition, ast.FunctionDef):
        return [Python(found[0], definition, False)]
    if dotted and (tree.origin(node) or "").partition(".")[0] in LIBRARIES:
        return []
    values = local_values(tree, node) if isinstance(node, ast.Name) else _kept(tree).get(node.attr, [])
    made = [each for value in values for each in callees(project, file, value, (*seen, id(node)))]
    methods = [] if isinstance(node, ast.Name) else _methods_of(project, node.attr)
    return list(dict.fromkeys([*made, *methods]))


def _of_getattr(project, file, owner, name):
    dotted = file.tree.dotted(owner)
    if isinstance(name, ast.Constant):
        of_extension = project.extension_function(file, f"{dotted}.{name.value}") if dotted else None
        return _methods_of(project, name.value) if of_extension is None else [C(of_extension.rpartition(".")[2])]
    return [C("")] if dotted and project.extension_function(file, dotted) is not None else []


def values(tree, name):
    """What a function assigns to a local variable; None for each value that is not an expression of its own."""
    scope = scope_of(tree, name)
    found = [None for each in ast.walk(scope) if isinstance(each, ast.arg) and each.arg == name.id]
    for each in ast.walk(scope):
        if isinstance(each, ast.Name) and each.id == name.id and not isinstance(each.ctx, ast.Load):
            found.append(_assigned(tree, each))
    return found


def _assigned(tree, target):
    parent = tree.parents[target]
    if isinstance(parent, ast.Tuple):
        statement = tree.parents[parent]
        given = statement.value if isinstance(statement, ast.Assign) else None
        if isinstance(given, ast.Tuple) and len(given.elts) == len(parent.elts):
            return given.elts[parent.elts.index(target)]
    return parent.value if isinstance(parent, (ast.Assign, ast.NamedExpr)) else None


def local_values(tree, name):
    """The expressions that a name may be, by its function or else by the module."""
    found = values(tree, name)
    if not found and scope_of(tree, name) is not tree.root:
        stored = [each for each in tree.all(ast.Name) if each.id == name.id and isinstance(each.ctx, ast.Store)]
        found = [_assigned(tree, each) for each in stored if scope_of(tree, each) is tree.root]
    return [each for each in found if each is not None]


def scope_of(tree, node):
    return next((each for each in tree.ancestors(node) if isinstance(each, FUNCTIONS)), tree.root)


def _kept(tree):
    """{attribute: the expressions that a file assigns to it, of any object}, made once."""
    if not hasattr(tree, "_kept_values"):
        tree._kept_values = {}
        for node in tree.all(ast.Attribute):
            value = _assigned(tree, node) if isinstance(node.ctx, ast.Store) else None
            if value is not None:
                tree._kept_values.setdefault(node.attr, []).append(value)
    return tree._kept_values


def _methods_of(project, name):
    return [Python(file, node, not _is_static(node)) for file in project.files.values() if not file.stays
            for node in _methods(file.tree).get(name, ())]  # fmt: skip


def _methods(tree):
    """{name: the methods of a file's classes}, made once."""
    if not hasattr(tree, "_methods_by_name"):
        tree._methods_by_name = {}
        for node in tree.all(ast.FunctionDef):
            if isinstance(tree.parents[node], ast.ClassDef):
                tree._methods_by_name.setdefault(node.name, []).append(node)
    return tree._methods_by_name


def _is_static(function):
    return any(getattr(each, "id", None) == "staticmethod" for each in function.decorator_list)


def parameters(callee, call):
    """{position or keyword of a call's argument: the name that it has in a Python function}."""
    arguments = callee.node.args
    names = [each.arg for each in [*arguments.posonlyargs, *arguments.args]][int(callee.is_bound) :]
    given = dict(zip(range(len(call.args)), names))
    return given | {each.arg: each.arg for each in call.keywords}
