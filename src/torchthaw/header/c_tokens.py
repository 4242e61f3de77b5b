"""torchthaw/header/c_tokens.py: the comments, includes and literals of C source text, for searches of its code."""

import re

C_TOKENS = re.compile(
    r"""(?P<comment>//(?:\\\n|[^\n])*|/\*.*?\*/)|(?P<include>\#\s*include\s*(?:<[^>\n]*>|"[^"\n]*"))
        |(?P<string>"(?:\\.|[^\\"\n])*"|'(?:\\.|[^\\'\n])*')""",
    re.DOTALL | re.VERBOSE,
)


def blank(text, tokens, groups):
    """``text`` with the tokens of these groups as spaces; positions and lines stay."""
    return tokens.sub(lambda match: re.sub(r"[^\n]", " ", match[0]) if match.lastgroup in groups else match[0], text)
