"""page.py: tables in Markdown, and the parts of a page that a script writes, between two comments."""


def table(rows):
    """Rows of texts, the first of which is the head."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    head, *rows = rows
    lines = [head, ["-" * width for width in widths], *rows]
    return "\n".join("| " + " | ".join(map(str.ljust, line, widths)) + " |" for line in lines)


def cells(text):
    """The rows of a table, without its head."""
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:1] == "|"]
    return lines[2:]


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
