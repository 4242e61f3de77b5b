"""torchthaw/legacy/doctor/python2.py: the edits that make Python 2 syntax Python 3."""

import ast
import difflib
import logging
import warnings

SYNTAX = ("except", "exec", "funcattrs", "ne", "numliterals", "raise", "repr", "throw", "tuple_params")


def parse_error(text):
    """Why Python 3 cannot parse ``text``, as a SyntaxError; None where it can."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except SyntaxError as error:
        return error
    except ValueError as error:  # null bytes
        return SyntaxError(str(error))
    return None


def translate(text):
    """``text`` in Python 3 syntax, line by line as far as possible; None where it is not Python 2 either."""
    from fissix import refactor
    from fissix.pgen2.parse import ParseError
    from fissix.pgen2.tokenize import TokenError

    logging.getLogger("RefactoringTool").setLevel(logging.ERROR)
    # As Python 3 first: print(a, b) is no tuple there.
    for print_function, fixers in ((True, SYNTAX), (False, (*SYNTAX, "print"))):
        names = [f"fissix.fixes.fix_{name}" for name in fixers]
        tool = refactor.RefactoringTool(names, {"print_function": print_function})
        try:
            return str(tool.refactor_string(text if text.endswith("\n") else text + "\n", "source"))
        except (ParseError, TokenError, IndentationError):
            continue
    return None


def changes(before, after):
    """[(first, last, new lines)]: lines[first:last] of ``before``, counted from 0, become these."""
    old, new = before.splitlines(), after.splitlines()
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for what, first, last, new_first, new_last in matcher.get_opcodes():
        if what == "equal":
            continue
        if last - first == new_last - new_first:  # one finding for each line
            for offset in range(last - first):
                yield first + offset, first + offset + 1, new[new_first + offset]
        else:
            yield first, last, "\n".join(new[new_first:new_last])
