"""torchthaw/doctor/rules/rule.py: what one row of the doctor's tables says."""

import ast
import re
from typing import NamedTuple

# What a finding asks of the reader.
EDIT = "edit"  # the source must change
MODE = "mode"  # runs unchanged with an item of the legacy semantics, or after the edit
CHECK = "check"  # runs, and may compute something else: look at it
WORKS = "works"  # runs; said because it is what one would worry about

# Kinds of files; a rule of PYTHON_TEXT, C_TEXT or SHELL sees strings, the others neither strings nor comments.
PYTHON, PYTHON_TEXT, C, C_TEXT, SHELL, CYTHON = "python", "python text", "c", "c text", "shell", "cython"


# Arguments of a call, up to anywhere inside of it.
ARGUMENTS = r"(?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*?"


class Rule(NamedTuple):
    """A pattern in the code of one kind of file.

    edit: replacement for the match, as in re.sub. ``--apply`` makes it where effect is EDIT or WORKS and it is ``sure``;
        otherwise it is a suggestion.
    item: of the legacy semantics.
    given, unless: the rule holds for files in which the one is found, and the other is not.
    inside: the rule does not hold below an #if whose condition this matches.
    of: the group ``of`` of the match must be a variable that the file declares with a type that this matches.
    files: the suffixes of the files it is for; none: all of its kind.
    legacy: it is about files that torch.utils.ffi builds, not those of torch.utils.cpp_extension.
    """

    name: str
    effect: str
    kind: str
    pattern: re.Pattern
    message: str
    edit: str | None = None
    item: str | None = None
    given: re.Pattern | None = None
    unless: re.Pattern | None = None
    inside: re.Pattern | None = None
    of: str | None = None
    files: tuple = ()
    legacy: bool = False
    sure: bool = True

    @property
    def is_certain(self):
        return self.effect in (EDIT, WORKS) and self.sure

    def holds_for(self, code):
        return not (self.given and not self.given.search(code)) and not (self.unless and self.unless.search(code))


def rule(name, effect, kind, pattern, message, edit=None, item=None, given=None, unless=None, inside=None, **more):
    conditions = (condition and re.compile(condition, re.MULTILINE) for condition in (given, unless, inside))
    return Rule(name, effect, kind, re.compile(pattern, re.MULTILINE), message, edit, item, *conditions, **more)


class TreeRule(NamedTuple):
    """A search in the syntax tree of a Python file.

    find: called with (tree, project), gives Found objects.
    """

    name: str
    effect: str
    message: str
    find: object
    item: str | None = None


class Found(NamedTuple):
    """A place where a TreeRule holds, and how it differs from what the rule says, where it does.

    node: of the syntax tree, or a position in the text.
    edits: of the text; made by ``--apply`` where the effect is EDIT and they are ``sure``.
    """

    node: object
    edits: tuple = ()
    sure: bool = True
    effect: str | None = None
    message: str | None = None


def keyword(call, name):
    """The value of an argument by keyword; None without it."""
    return next((each.value for each in call.keywords if each.arg == name), None)


def is_constant(node, value):
    return isinstance(node, ast.Constant) and node.value is value
