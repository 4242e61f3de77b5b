"""page.py: tables in Markdown, and the parts of a page that a script writes, between two comments."""

import re

WIDEST = 240  # characters of a line that is padded
BORDER = re.compile(r"(?<!\\)\|")


def table(rows):
    """Rows of texts, the first of which is the head; padded to columns where the lines stay short."""
    rows = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows)]
    if sum(width + 3 for width in widths) > WIDEST:
        widths = [0] * len(widths)
    head, *rows = rows
    lines = [head, ["-" * max(width, 3) for width in widths], *rows]
    return "\n".join("| " + " | ".join(map(str.ljust, line, widths)) + " |" for line in lines)


def cells(text):
    """The rows of a table, without its head."""
    lines = [BORDER.split(line)[1:-1] for line in text.splitlines() if line[:1] == "|"]
    return [[cell.strip().replace("\\|", "|") for cell in line] for line in lines[2:]]


def _around(text, name):
    """What stands before the part ``name``, in it, and behind it."""
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->"
    before, inner = text.split(begin)
    inner, behind = inner.split(end)
    return before + begin, inner, end + behind


def part(path, name):
    return _around(path.read_text(), name)[1]


def write(path, name, text):
    before, _, behind = _around(path.read_text(), name)
    path.write_text(f"{before}{text}\n{behind}")
