"""torchthaw/modernize/python/functions.py: Functions whose forward was a method, and their calls."""

import ast

import libcst as cst
import libcst.matchers as m
from libcst.metadata import PositionProvider

from . import apply, calls, gradients, inits, methods
from .classes import uses
from .editing import Change
from .problems import KEPT, first_parameter, is_static

RULE = "instance-function"
ONCE = ("torch.autograd.function", "once_differentiable")


class FunctionChange(Change):
    """The Functions of a file and the calls of any. definitions: [Definition] of the file."""

    def __init__(self, file, definitions, sites):
        super().__init__(file)
        self.definitions, self.sites = definitions, sites
        self.lines = {definition.line: definition for definition in definitions}

    def changed(self):
        return super().changed() if self.sites or self.definitions else self.file.text

    def leave_Call(self, original, updated):
        span = self.get_metadata(PositionProvider, original)
        key = tuple(self._line_starts[each.line - 1] + each.column for each in (span.start, span.end))
        site = self.sites.get(key)
        if site is None:
            return updated
        message = {
            "direct": "the class's apply takes the inputs and behind them what __init__ took",
            "kept": "apply takes the inputs and the kept constants",
            "tuple": "the constants are kept in place of the instance",
            "lambda": "apply is kept in place of an instance",
        }[site.what]
        if site.what == "direct" and not site.definition.constants:
            message = "called through the class's apply"
        self.done(original, calls.RULE, f"{site.definition.name}: {message}")
        made = apply.changed(site, updated)
        if isinstance(made, cst.Lambda) and isinstance(self.parent(original), (cst.Assign, cst.Arg, cst.Return)):
            return made.with_changes(lpar=[], rpar=[])
        return made

    def leave_ClassDef(self, original, updated):
        definition = self.lines.get(self.line(original.name))
        if definition is None:
            return updated
        if definition.problem:
            self.look(original.name, RULE, f"{definition.name} stays an instance Function: {definition.problem}")
            return updated
        if definition.is_instance_style:
            return self._as_static(definition, original, updated)
        return self._of_today(definition, original, updated)

    def _as_static(self, definition, original, updated):
        init, has_set_up = definition.method("__init__")[1], definition.has_set_up
        set_up = methods.set_up_of(definition, self._init_node(definition)) if init and not has_set_up else []
        set_up = [] if definition.leaves_forward_to_base else set_up
        body, blank = [], []
        for each in updated.body.body:
            name = each.name.value if isinstance(each, cst.FunctionDef) else None
            if name not in definition.own:
                body.append(each)
            elif name == "__init__" and has_set_up:
                body.append(inits.as_set_up(definition, each))
            elif name == "__init__":
                blank = [] if body else [line for line in each.leading_lines if line.comment]
            elif is_static(definition.own[name]) or name in KEPT:
                body.append(each)
            elif name == "forward" and has_set_up:
                body += inits.as_forwards(definition, each)
            elif name == "forward":
                body.append(methods.as_forward(definition, each, set_up))
            elif name == "backward":
                body.append(gradients.as_backward(definition, each, gradients.sequence_test(definition)))
                self.needed.add(ONCE)
            else:
                body.append(methods.as_helper(definition, each))
        if has_set_up and "__init__" in definition.own and "forward" not in definition.own and definition.tensors:
            body += inits.as_forwards(definition, None)
        body = body or [methods.statement("pass\n")]
        if isinstance(body[0], cst.FunctionDef):
            body[0] = body[0].with_changes(leading_lines=[*blank, *_without_blank(body[0].leading_lines)])
        words = {"*": " (as one tuple)", "**": " (as one dict)"}
        names = ", ".join(each.name + words.get(each.star, "") for each in definition.constants)
        taken = f"; {names}, which __init__ took, {'is' if names.count(',') == 0 else 'are'} behind the inputs of apply"
        self.done(original.name, RULE, f"{definition.name}: forward and backward are static{taken if names else ''}")
        for name in sorted(name for name in definition.assigned if methods.attribute_name(definition, name) != name):
            new = methods.attribute_name(definition, name)
            self.done(original.name, RULE, f"{definition.name}: {name} cannot be assigned on ctx; it is {new}")
        return updated.with_changes(body=updated.body.with_changes(body=body))

    def _init_node(self, definition):
        """LibCST's node of ``__init__``, which may be that of another class in this file."""
        owner, node = definition.method("__init__")
        found = m.findall(cst.parse_module(owner.tree.text), m.ClassDef(name=m.Name(owner.name)))
        lines = sorted(each.lineno for each in owner.tree.all(ast.ClassDef) if each.name == owner.name)
        body = found[lines.index(owner.line)].body.body
        inits = [each for each in body if m.matches(each, m.FunctionDef(name=m.Name("__init__")))]
        return inits[0]

    def _of_today(self, definition, original, updated):
        """A Function of the style of today: what became of its ctx, and the derivative of C code."""
        body = []
        for each in updated.body.body:
            name = each.name.value if isinstance(each, cst.FunctionDef) else None
            node = definition.own.get(name) if name in ("forward", "backward") else None
            own = node and first_parameter(node)
            if own:
                each = each.visit(methods.OfContext(definition, own))
            if own and name == "backward" and self._calls_c(definition, node):
                if not any(m.matches(d, m.Decorator(m.Name("once_differentiable"))) for d in each.decorators):
                    each = each.with_changes(decorators=[*each.decorators, gradients.ONCE])
                    self.needed.add(ONCE)
                    self.done(original.name, "once-differentiable",
                              f"{definition.name}: its backward calls C, which has no derivative")  # fmt: skip
            body.append(each)
        return updated.with_changes(body=updated.body.with_changes(body=body))

    @staticmethod
    def _calls_c(definition, node):
        return uses(definition.project, definition.file, node)[1]


def _without_blank(lines):
    lines = list(lines)
    while lines and not lines[0].comment:
        lines.pop(0)
    return lines
