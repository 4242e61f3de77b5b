"""torchthaw/doctor/reading/build_calls.py: what build files give create_extension, read without running them."""

import ast
from typing import NamedTuple

ARGUMENTS = ("name", "headers", "sources")
LISTS = ("headers", "sources", "extra_objects")
MOST = 64  # branches and their combinations


class BuildCall(NamedTuple):
    """One call of create_extension.

    node: the call. lists: {argument: the lists of file names that it may be, each a tuple of (name, node)}.
    """

    node: ast.Call
    lists: dict


def build_calls(tree):
    """The calls of create_extension in a Tree, with their file lists in each branch of the ``if`` above them."""
    found = {}
    _run(tree.root.body, {}, found, tree)
    return [BuildCall(node, lists) for node, lists in found.items()]


def _run(body, environment, found, tree):
    """Follows statements; returns the environments after them: [{name: tuple of (file name, node)}]."""
    environments = environment if isinstance(environment, list) else [environment]
    for statement in body:
        for each in environments:
            for node in ast.walk(statement) if not hasattr(statement, "body") else _heads(statement):
                if isinstance(node, ast.Call) and (tree.dotted(node.func) or "").split(".")[-1] == "create_extension":
                    _call(node, each, found)
        environments = _after(statement, environments, found, tree)
        unique = {tuple(sorted((name, files) for name, files in each.items())): each for each in environments}
        environments = list(unique.values())[:MOST]
    return environments


def _heads(statement):
    """The expressions of a compound statement, without the statements in it."""
    for child in ast.iter_child_nodes(statement):
        if isinstance(child, ast.expr):
            yield from ast.walk(child)


def _after(statement, environments, found, tree):
    if isinstance(statement, ast.If):
        branches = [statement.body, statement.orelse]
        return [after for body in branches for after in _run(body, [dict(each) for each in environments], found, tree)]
    if isinstance(statement, ast.Try):
        after = _run(statement.body, [dict(each) for each in environments], found, tree)
        for handler in statement.handlers:
            after += _run(handler.body, [dict(each) for each in environments], found, tree)
        return _run(statement.orelse + statement.finalbody, after, found, tree)
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        _run(statement.body, [dict(each) for each in environments], found, tree)
        return environments
    if hasattr(statement, "body"):  # for, while, with
        return _run(statement.body, environments, found, tree)
    for each in environments:
        _assign(statement, each)
    return environments


def _assign(statement, environment):
    value = getattr(statement, "value", None)
    if isinstance(statement, ast.Assign):
        for target in statement.targets:
            if isinstance(target, ast.Name):
                environment[target.id] = files_of(value, environment)
    elif isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
        name = statement.target.id
        environment[name] = _sum(environment.get(name), files_of(value, environment))
    elif (
        isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and isinstance(value.func.value, ast.Name)
    ):
        name = value.func.value.id
        if value.func.attr in ("append", "extend") and len(value.args) == 1:
            environment[name] = _sum(environment.get(name), files_of(value.args[0], environment))


def _sum(*lists):
    return None if None in lists else sum(lists, ())


def files_of(node, environment):
    """The file names that an expression holds, each with its node; None where that is not known."""
    if isinstance(node, ast.Constant):
        return ((node.value, node),) if isinstance(node.value, str) else ()
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return _sum((), *(files_of(each, environment) for each in node.elts))
    if isinstance(node, ast.Name):
        return environment.get(node.id)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = files_of(node.left, environment), files_of(node.right, environment)
        if not any(isinstance(side, ast.Constant) for side in (node.left, node.right)):
            return _sum(left, right)
        return _path([left, right], "")
    if isinstance(node, (ast.ListComp, ast.GeneratorExp)) and len(node.generators) == 1:
        # [os.path.join(here, name) for name in names]: each name once
        of_each = node.generators[0]
        named = ast.unparse(of_each.target)
        if not of_each.ifs and named in {each.id for each in ast.walk(node.elt) if isinstance(each, ast.Name)}:
            return files_of(of_each.iter, environment)
        return None
    if isinstance(node, ast.Call):
        name = ast.unparse(node.func).rpartition(".")[2]
        if name == "join" and node.args:
            return _path([files_of(each, environment) for each in node.args], "/")
        if name in ("list", "sorted", "tuple", "str", "abspath", "realpath") and len(node.args) == 1:
            return files_of(node.args[0], environment)
    return None


def _path(parts, between):
    """The one file name of these parts; a folder in front that is not known is that of the build file."""
    known = parts[1:] if parts[0] is None else parts
    if not known or not all(part and len(part) == 1 for part in known):
        return None
    name = between.join(part[0][0] for part in known)
    return ((name.lstrip("/") if parts[0] is None else name, known[-1][0][1]),)


def _call(node, environment, found):
    given = dict(zip(ARGUMENTS, node.args)) | {keyword.arg: keyword.value for keyword in node.keywords}
    lists = found.setdefault(node, {name: [] for name in LISTS})
    for name in LISTS:
        files = files_of(given[name], environment) if name in given else ()
        if files not in lists[name]:
            lists[name].append(files)
