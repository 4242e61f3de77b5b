"""torchthaw/legacy/doctor/rules/rule.py: what one row of the doctor's tables says."""

import re
from typing import NamedTuple

# What a finding asks of the reader.
EDIT = "edit"  # the source must change
MODE = "mode"  # runs unchanged with an item of the legacy semantics, or after the edit
CHECK = "check"  # runs, and may compute something else: look at it
WORKS = "works"  # runs; said because it is what one would worry about

# Kinds of files; a rule of PYTHON_TEXT or SHELL sees strings, the others neither strings nor comments.
PYTHON, PYTHON_TEXT, C, SHELL = "python", "python text", "c", "shell"


# Arguments of a call, up to anywhere inside of it.
ARGUMENTS = r"(?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*?"


class Rule(NamedTuple):
    name: str
    effect: str
    kind: str
    pattern: re.Pattern
    message: str
    edit: str | None = None  # replacement for the match, as in re.sub
    item: str | None = None  # of the legacy semantics
    given: re.Pattern | None = None  # the rule holds for files in which this is found
    unless: re.Pattern | None = None  # and this is not

    def holds_for(self, code):
        return not (self.given and not self.given.search(code)) and not (self.unless and self.unless.search(code))


def rule(name, effect, kind, pattern, message, edit=None, item=None, given=None, unless=None):
    given, unless = (condition and re.compile(condition, re.MULTILINE) for condition in (given, unless))
    return Rule(name, effect, kind, re.compile(pattern, re.MULTILINE), message, edit, item, given, unless)


def renamed(name, kind, pairs, message):
    """An EDIT rule for each pair (pattern, replacement)."""
    return [rule(name, EDIT, kind, pattern, message, edit) for pattern, edit in pairs]
