"""torchthaw/modernize/python/apply.py: the syntax of a call of apply, and of what stands for an instance."""

import libcst as cst

from .editing import expression, in_parentheses, joined


def constants_of(definition, call):
    """The arguments of ``F(...)`` in the order of ``__init__``'s parameters, as those of apply."""
    arguments = [each for each in call.args if each.keyword is None and each.star != "**"]
    named = {each.keyword.value: each for each in call.args if each.keyword is not None}
    plain = [each for each in definition.constants if not each.star]
    if len(plain) == len(definition.constants) and any(each.star for each in arguments):
        return arguments
    before = {new: old for old, new in definition.renamed.items()}
    found, gap = arguments[: len(plain)], []
    for each in definition.constants[len(found) :]:
        old = before.get(each.name, each.name)
        if each.star == "*":
            value = _tuple(arguments[len(plain) :])
        elif each.star == "**":
            value = _dict(named, [argument for argument in call.args if argument.star == "**"])
        else:
            given = named.pop(old, None)
            value = given and given.with_changes(keyword=None, equal=cst.MaybeSentinel.DEFAULT)
        if value is not None:
            found, gap = [*found, *gap, value], []
        elif each.default is not None:
            gap.append(cst.Arg(expression(each.default)))
    return [*found, *gap] if definition.takes_any else found


def _tuple(arguments):
    """What ``*args`` was in ``__init__``, as one argument; None where it was empty."""
    elements = [(cst.StarredElement if each.star else cst.Element)(each.value) for each in arguments]
    if len(elements) == 1:
        elements = [elements[0].with_changes(comma=cst.Comma())]
    return cst.Arg(cst.Tuple(elements)) if elements else None


def _dict(named, starred):
    """What ``**kwargs`` was in ``__init__``, as one argument; None where it was empty."""
    elements = [cst.DictElement(cst.SimpleString(f'"{name}"'), each.value) for name, each in named.items()]
    elements += [cst.StarredDictElement(each.value) for each in starred]
    return cst.Arg(cst.Dict(elements)) if elements else None


def inputs_of(definition, call, has_constants):
    """The arguments of a call of the instance, with the defaults of those before the constants."""
    arguments = list(call.args)
    if has_constants and not definition.takes_any and not any(each.star for each in arguments):
        arguments += [cst.Arg(expression(each.default)) for each in definition.tensors[len(arguments) :]]
    return arguments


def call_of(function, arguments, call):
    """``function.apply(arguments)`` with the layout of ``call``."""
    called = cst.Attribute(expression(function), cst.Name("apply"))
    return call.with_changes(func=called, args=arguments, lpar=call.lpar, rpar=call.rpar)


def changed(site, call):
    """What becomes of a call that is a Site."""
    definition = site.definition
    if site.what == "direct":
        constants = constants_of(definition, call.func)
        return call_of(site.function, joined(inputs_of(definition, call, bool(constants)), constants), call)
    if site.what == "kept":
        arguments = joined(inputs_of(definition, call, True), [cst.Arg(call.func, star="*")])
        return call_of(site.function, arguments, call)
    constants = constants_of(definition, call)
    if not constants:
        return cst.Attribute(expression(site.function), cst.Name("apply"), lpar=call.lpar, rpar=call.rpar)
    kept = _tuple(constants).value
    if site.what == "tuple":
        return kept
    parameters = ", ".join(
        each.name + (f"={each.default}" if each.default is not None else "") for each in definition.tensors
    )
    star = "" if definition.takes_any else "*, "
    names = ", ".join(each.name for each in definition.tensors)
    made = expression(f"lambda {parameters}, {star}constants=(): {site.function}.apply({names}, *constants)")
    last = made.params.kwonly_params[-1].with_changes(default=kept)
    return in_parentheses(made.with_changes(params=made.params.with_changes(kwonly_params=[last])))
