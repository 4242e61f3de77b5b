"""torchthaw/modernize/python/marks.py: comments beside what a person must look at."""

import ast
import textwrap

WIDTH = 120
MARK = "# modernize: "


def write(file):
    """Puts the file's ``look`` remarks as comments above their statements."""
    wanted = {}
    for remark in file.remarks:
        if remark.kind == "look":
            line = _new_line(file, remark.line)
            wanted.setdefault(line, []).append(f"{remark.rule}: {remark.message}")
    lines, starts = file.text.split("\n"), _starts(file.tree)
    above = {}
    for line, messages in wanted.items():
        above.setdefault(starts.get(line, line) if line else _top(file.tree), []).extend(messages)
    text = []
    for number, line in enumerate(lines, 1):
        indent = line[: len(line) - len(line.lstrip())]
        for message in dict.fromkeys(above.get(number, ())):
            first, *others = textwrap.wrap(
                message, max(40, WIDTH - len(indent) - len(MARK)), break_long_words=False, break_on_hyphens=False
            )
            text += [f"{indent}{MARK}{first}", *(f"{indent}#   {other}" for other in others)]
        text.append(line)
    file.update("\n".join(text))


def _new_line(file, old):
    """The first line of the text that the line ``old`` of the old file became, or that the one after it became."""
    if not old:
        return 0
    if old in file.lines:
        return file.lines.index(old) + 1
    return next((number for number, line in enumerate(file.lines, 1) if line > old), len(file.lines))


def _starts(tree):
    """{line: the first line of the innermost statement that covers it}; of those with a body only their header."""
    found = {}
    for node in ast.walk(tree.root):  # outer statements first
        if isinstance(node, ast.stmt):
            first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
            first = found.get(first, first)  # one that stands on the line of its header
            body = getattr(node, "body", None)
            last = body[0].lineno - 1 if body else node.end_lineno
            found.update(dict.fromkeys(range(first, max(last, node.lineno) + 1), first))
    return found


def _top(tree):
    """The line of the first statement that is neither docstring nor __future__."""
    return tree.text.count("\n", 0, tree.first_statement()) + 1
