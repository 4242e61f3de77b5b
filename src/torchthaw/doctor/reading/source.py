"""torchthaw/doctor/reading/source.py: source text with comments and strings blanked, so that rules match code only."""

import re

from ...header.c_tokens import C_TOKENS, blank

__all__ = ["C_TOKENS", "PYTHON_TOKENS", "SHELL_TOKENS", "blank", "conditions"]

PYTHON_TOKENS = re.compile(
    r"""(?P<comment>\#[^\n]*)|(?P<string>[bBrRuUfF]{0,2}(?:'''(?:\\.|[^\\])*?'''|\"\"\"(?:\\.|[^\\])*?\"\"\"
        |'(?:\\.|[^\\'\n])*'|"(?:\\.|[^\\"\n])*"))""",
    re.DOTALL | re.VERBOSE,
)
SHELL_TOKENS = re.compile(r"(?P<comment>(?:^|(?<=\s))\#[^\n]*)", re.MULTILINE)

DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|else|endif)\b((?:\\\n|[^\n])*)", re.MULTILINE)


def conditions(code):
    """[(start, end, conditions)] of the parts of C ``code`` between its #if, #elif, #else and #endif lines.

    conditions: the text of each directive that encloses the part, such as ``ifdef __cplusplus``; of ``#else`` those of
    its ``#if`` after ``else``.
    """
    parts, open_, position = [], [], 0
    for match in DIRECTIVE.finditer(code):
        parts.append((position, match.start(), tuple(open_)))
        position = match.end()
        word, test = match[1], f"{match[1]}{match[2]}"
        if word.startswith("if"):
            open_.append(test)
        elif open_ and word == "endif":
            open_.pop()
        elif open_:
            open_[-1] = f"else {open_[-1]}" if word == "else" else f"{test} else {open_[-1]}"
    return [*parts, (position, len(code), tuple(open_))]
