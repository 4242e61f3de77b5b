"""torchthaw/modernize/python/volatile.py: which code had no graph because its Variables were volatile."""

import ast

from ...doctor.rules.rule import is_constant, keyword

LOOPS = (ast.For, ast.While)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def variable_calls(file, names):
    """[node] of the calls ``Variable(...)`` in a file. names: what Variable is called in full."""
    return [node for node in file.tree.all(ast.Call) if file.tree.origin(node.func) in names]


def flag(node):
    """The argument ``volatile`` of a call of Variable; None where there is none."""
    return node.args[2] if len(node.args) > 2 else keyword(node, "volatile")


def without_graph(tree, calls):
    """{call: the function or loop that makes no graph} of those among ``calls`` that are volatile for sure.

    A function or the body of a loop makes no graph where all its Variables are volatile, none of them leaves it, and
    nothing goes backward in it.
    """
    found = {}
    volatile = [node for node in calls if flag(node) is not None and is_constant(flag(node), True)]
    for node in volatile:
        for scope in tree.ancestors(node):
            if isinstance(scope, (ast.Lambda, ast.ClassDef)):
                break
            if isinstance(scope, (*LOOPS, *FUNCTIONS)) and _is_clean(tree, scope, calls, volatile):
                found[node] = scope
            if isinstance(scope, FUNCTIONS):
                break
    return found


def _is_clean(tree, scope, calls, volatile):
    inside = {id(each) for each in ast.walk(scope)}
    if any(id(call) in inside and call not in volatile for call in calls):
        return False
    for each in ast.walk(scope):
        if (
            isinstance(each, ast.Call)
            and isinstance(each.func, ast.Attribute)
            and each.func.attr in ("backward", "step")
        ):
            return False
        if isinstance(each, (ast.Yield, ast.YieldFrom)):
            return False
    return not any(_leaves(tree, scope, call) for call in volatile if id(call) in inside)


def _leaves(tree, scope, call):
    """Whether a Variable is returned or kept on an object, where other code computes with it."""
    statement = tree.statement(call)
    if isinstance(statement, ast.Return):
        return statement.value is call or isinstance(statement.value, (ast.Tuple, ast.List))
    if not isinstance(statement, ast.Assign):
        return False
    names = {each.id for target in statement.targets for each in ast.walk(target) if isinstance(each, ast.Name)}
    if any(isinstance(each, ast.Attribute) for target in statement.targets for each in ast.walk(target)):
        return True
    function = scope if isinstance(scope, FUNCTIONS) else None
    returned = [each.value for each in ast.walk(function) if isinstance(each, ast.Return)] if function else []
    returned = [part for each in returned for part in (each.elts if isinstance(each, ast.Tuple) else [each])]
    return any(isinstance(each, ast.Name) and each.id in names for each in returned)
