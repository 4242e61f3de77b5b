"""torchthaw/doctor/python2.py: the edits that make Python 2 syntax Python 3."""

import functools
import logging
import re

from ..base import extras
from .reading.source import PYTHON_TOKENS, blank
from .reading.textfile import opcodes
from .reading.tree import TooDeep, parse

MOST = 100_000  # characters, of which the parser of Python 2 reads as many in some 5 s
SYNTAX = ("except", "exec", "funcattrs", "ne", "numliterals", "raise", "repr", "throw", "tuple_params")
# What is replaced one by one, in a list in a time that grows with its length.
EXPRESSIONS, MOST_EXPRESSIONS = re.compile(r"`[^`]*`|<>|\b\d+[lL]\b|\b0[0-7]+\b"), 3000


def parse_error(text):
    """Why Python 3 cannot parse ``text``, as a SyntaxError; None where it can. TooDeep where that is not known."""
    try:
        parse(text)
    except SyntaxError as error:
        return error
    return None


def is_there():
    """Whether what translates Python 2 is installed."""
    try:
        require("legacy")
    except ImportError:
        return False
    return True


def require(extra):
    """Raises ImportError, which names ``extra``, without what translates Python 2."""
    extras.require("fissix", extra)


@functools.cache
def _tools():
    """The tools that translate, which take a tenth of a second to make: as Python 3 first, where print(a, b) is no tuple."""
    from fissix import refactor

    logging.getLogger("RefactoringTool").setLevel(logging.ERROR)
    return [
        refactor.RefactoringTool([f"fissix.fixes.fix_{name}" for name in fixers], {"print_function": print_function})
        for print_function, fixers in ((True, SYNTAX), (False, (*SYNTAX, "print")))
    ]


def translate(text):
    """``text`` in Python 3 syntax, line by line as far as possible; None where it is not Python 2 either."""
    if len(text) > MOST:
        raise TooDeep(f"it is no Python 3, and has more than the {MOST:,} characters that are read as Python 2")
    if len(EXPRESSIONS.findall(blank(text, PYTHON_TOKENS, ("comment", "string")))) > MOST_EXPRESSIONS:
        raise TooDeep(f"it has more than {MOST_EXPRESSIONS:,} expressions of Python 2 alone, such as `x`")
    return _translated(text) if is_there() else None


@functools.lru_cache(1000)  # modernize reads each file of a project several times
def _translated(text):
    from fissix.pgen2.parse import ParseError
    from fissix.pgen2.tokenize import TokenError

    for tool in _tools():
        try:
            translated = str(tool.refactor_string(text if text.endswith("\n") else text + "\n", "source"))
        except (ParseError, TokenError, IndentationError, KeyError):
            continue  # KeyError: a character that is no token, such as a fraction's
        except RecursionError:
            raise TooDeep("it is nested too deep") from None
        return translated if text.endswith("\n") else translated.removesuffix("\n")
    return None


def without_tabs(text):
    """``text`` with its lines indented by spaces as Python 2 counted tabs, to multiples of 8."""
    # Lines inside of strings stay: there the blanked text has no line start of its own.
    strings = blank(text, PYTHON_TOKENS, ("comment",))
    inside = [match.span() for match in PYTHON_TOKENS.finditer(strings) if match.lastgroup == "string"]

    def spaces(match):
        if any(start < match.start() < end for start, end in inside):
            return match[0]
        return match[0].expandtabs(8)

    return re.sub(r"^[ \t]+", spaces, text, flags=re.MULTILINE)


def changes(before, after):
    """[(first, last, new first, new last)]: lines[first:last] of ``before``, from 0, became these of ``after``."""
    for what, *lines in opcodes(before.split("\n"), after.split("\n")):
        if what != "equal":
            yield tuple(lines)
