"""torchthaw/legacy/doctor/source.py: source text with comments and strings blanked, so that rules match code only."""

import re

PYTHON_TOKENS = re.compile(
    r"""(?P<comment>\#[^\n]*)|(?P<string>[bBrRuU]{0,2}(?:'''(?:\\.|[^\\])*?'''|\"\"\"(?:\\.|[^\\])*?\"\"\"
        |'(?:\\.|[^\\'\n])*'|"(?:\\.|[^\\"\n])*"))""",
    re.DOTALL | re.VERBOSE,
)
C_TOKENS = re.compile(
    r"""(?P<comment>//(?:\\\n|[^\n])*|/\*.*?\*/)|(?P<include>\#\s*include\s*(?:<[^>\n]*>|"[^"\n]*"))
        |(?P<string>"(?:\\.|[^\\"\n])*"|'(?:\\.|[^\\'\n])*')""",
    re.DOTALL | re.VERBOSE,
)
SHELL_TOKENS = re.compile(r"(?P<comment>(?:^|(?<=\s))\#[^\n]*)", re.MULTILINE)


def blank(text, tokens, groups):
    """``text`` with the tokens of these groups as spaces; positions and lines stay."""
    return tokens.sub(
        lambda match: re.sub(r"[^\n]", " ", match[0]) if match.lastgroup in groups else match[0], text
    )
