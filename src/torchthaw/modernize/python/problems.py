"""torchthaw/modernize/python/problems.py: why an instance Function stays as it is."""

import ast

KEPT = {"__repr__", "__str__", "__del__"}  # methods of instances that nothing calls any more


def is_static(function):
    """Whether a method is a static or a class method."""
    names = {each.id for each in function.decorator_list if isinstance(each, ast.Name)}
    return bool(names & {"staticmethod", "classmethod"})


def first_parameter(function):
    """The name that a method has for its instance; None where it takes no plain argument."""
    plain = [*function.args.posonlyargs, *function.args.args]
    return plain[0].arg if plain else None


def problem_of(definition):
    """Why an instance Function cannot be made a static one; None where it can, or is one."""
    if not definition.is_instance_style:
        return None
    _, init = definition.method("__init__")
    if len(definition.node.bases) > 1:
        return "it has a second base"
    if init and init.args.kwonlyargs and any(each.star == "*" for each in definition.constants):
        return "its __init__ takes any number of arguments, and some by keyword alone"
    if any(each.name.startswith("**") for each in definition.tensors):
        return "its forward takes keywords"
    if init and any(isinstance(node, (ast.Return, ast.Yield)) for node in ast.walk(init)):
        return "its __init__ returns early"
    decorated = [name for name, node in definition.own.items() if node.decorator_list and not is_static(node)]
    if any(name not in ("forward", "backward") for name in decorated):
        return f"its method {decorated[0]} has a decorator"
    if {"__call__", "__new__", "__getattr__"} & definition.own.keys():
        return "it defines how instances are made or called"
    return (_problem_of_inits(definition) if definition.has_set_up else None) or _problem_of_names(definition)


def _problem_of_inits(definition):
    """Why a Function of a family that has_set_up cannot be changed; None where it can."""
    for what in ("__init__", "forward"):
        owner, node = definition.method(what)
        defaults = [*node.args.defaults, *filter(None, node.args.kw_defaults)] if owner else []
        if owner and owner.file is not definition.file and not all(isinstance(each, ast.Constant) for each in defaults):
            return f"{what} of its base {owner.name}, in another file, has a default that is no literal"
    for name, node in definition.own.items():
        for each in ast.walk(node):
            given = each.args[0] if isinstance(each, ast.Call) and each.args else None
            if given is not None and _is_super(definition, each):
                named = definition.tree.source(given)
                if named != definition.name:
                    return f"its {name} calls super({named}, ...) in place of super({definition.name}, ...)"
    return None


def _is_super(definition, node):
    return isinstance(node, ast.Call) and definition.tree.dotted(node.func) == "super"


def _problem_of_names(definition):
    forward, init = definition.method("forward")[1], definition.method("__init__")
    if init[1] and not definition.has_set_up:
        names = {node.id for node in ast.walk(init[1])
                 if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}  # fmt: skip
        both = sorted(names & {each.name.lstrip("*") for each in definition.tensors})
        if both:
            return f"__init__ has a variable named as forward's argument {both[0]}"
        if "forward" in definition.own and init[0].file is not definition.file:
            return f"its __init__ is that of {init[0].name} in another file"
    if forward and (is_static(forward) or not first_parameter(forward)):
        return "forward is static in some classes of its family, and a method in others"
    if forward and (forward.args.posonlyargs or forward.args.kwonlyargs):
        return "its forward has arguments that are positional or keywords only"
    above, overridden = definition.base, set()
    while above:
        overridden |= (above.own.keys() | above.own_attributes) & (definition.own.keys() | definition.own_attributes)
        above = above.base
    overridden -= {"forward", "backward", "__init__", "__module__"} | KEPT
    if overridden:
        return f"it overrides {sorted(overridden)[0]} of its base"
    return _problem_of_methods(definition)


def _problem_of_methods(definition):
    for node in ast.walk(definition.own.get("backward", ast.Pass())) if definition.most_constants else ():
        if isinstance(node, ast.Attribute) and node.attr == "backward" and definition.base:
            parent = definition.tree.parents[definition.tree.parents[node]]
            index = getattr(getattr(parent, "slice", None), "value", None)
            if not (isinstance(parent, ast.Return) or isinstance(index, int) and index >= 0):
                return "its backward computes with what that of its base returns"
    for name, node in definition.own.items():
        if any(_is_super(definition, each) and not isinstance(definition.tree.parents[each], ast.Attribute)
               for each in ast.walk(node)):  # fmt: skip
            return f"its {name} uses super() otherwise than for a method"
        own = first_parameter(node)
        called = {id(each.func) for each in ast.walk(node) if isinstance(each, ast.Call)}
        for each in ast.walk(node):
            if isinstance(each, ast.Name) and each.id == "ctx" and own != "ctx":
                return "one of its methods has a variable named ctx"
            is_own = isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name) and each.value.id == own
            if is_own and id(each) not in called and definition.method(each.attr)[0]:
                return f"its method {each.attr} is passed on without a call"
    return None
