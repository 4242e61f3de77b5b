"""torchthaw/modernize/python/inits.py: families of Functions in which a class below has its own __init__.

There ``__init__`` becomes a static method ``set_up`` of the same arguments, which that of a class below calls, and
forward begins with it. A forward that classes with other arguments use becomes ``compute``, without the constants.
"""

import libcst as cst

from .editing import statement
from .methods import as_helper, base_of_call, is_base_init, with_constants

BLANK = [cst.EmptyLine(indent=False)]


def as_set_up(definition, method):
    """The method that ``__init__`` becomes."""
    changed = as_helper(definition, method.with_changes(body=_own_part(definition, method.body)))
    return changed.with_changes(name=cst.Name(definition.set_up_name))


def _own_part(definition, block):
    """A body without the calls of PyTorch's ``__init__``."""
    lines = block.body if isinstance(block, cst.IndentedBlock) else [cst.SimpleStatementLine(block.body)]
    kept = []
    for each in lines:
        called = each.body[0].value.func if is_base_init(each) else None
        base = called and base_of_call(definition, called)
        if called is None or base and base.method("__init__")[0]:
            kept.append(each)
    return cst.IndentedBlock(kept or [statement("pass\n")])


def as_forwards(definition, method):
    """The methods that forward becomes: itself, and what classes below use of it. method: None where it has none."""
    if method is None:
        base = definition.tree.source(definition.node.bases[0])
        made = with_constants(definition, _calling(definition, base), _set_up(definition))
        return [made.with_changes(leading_lines=BLANK)]
    changed = as_helper(definition, method)
    if not definition.is_split:
        return [with_constants(definition, changed, _set_up(definition))]
    first = with_constants(definition, _calling(definition, definition.name), _set_up(definition))
    inner = changed.with_changes(name=cst.Name(definition.compute_name), leading_lines=BLANK)
    return [first.with_changes(leading_lines=changed.leading_lines), inner]


def _calling(definition, owner):
    """A forward that hands its inputs on to ``compute``."""
    taken = [each.name + (f"={each.default}" if each.default is not None else "") for each in definition.tensors]
    given = ", ".join(["ctx", *(each.name for each in definition.tensors)])
    head = f"@staticmethod\ndef forward({', '.join(['ctx', *taken])}):\n"
    return statement(f"{head}    return {owner}.{definition.compute_name}({given})\n")


def _set_up(definition):
    """The statements that give ctx what ``__init__`` gave the instance."""
    init = definition.method("__init__")[1]
    if init is None:
        return []
    alone = {each.arg for each in init.args.kwonlyargs}
    given = ["ctx"]
    for old, new in definition.taken:
        given.append(f"{old}={new.name}" if old in alone else f"{new.star}{new.name}")
    return [statement(f"{definition.name}.{definition.set_up_name}({', '.join(given)})\n")]
