"""torchthaw/declarations/lines.py: templates whose lines may hold several lines, or a list that is broken if too long."""

import re
import textwrap

BEGIN, SEPARATE, END = "\1", "\2", "\3"  # around and within a list that may be broken


def breakable(items, separator):
    """The items as a field of a line that may be broken behind a separator, which ends with a blank."""
    return BEGIN + f"{separator[:-1]}{SEPARATE}".join(items) + END


def fill(template, fields, width, breaks):
    """The template's text. A line of one field is as many lines as the field has, or none, and no empty one besides."""
    lines, skips = [], False
    for line in template.strip("\n").split("\n"):
        alone = re.fullmatch(r"( *)\{(\w+)\}", line)
        if alone and not fields[alone[2]]:
            skips = not (lines and not lines[-1])
            if not skips:
                lines.pop()
            continue
        if skips and not line:
            skips = False
            continue
        skips = False
        if alone and BEGIN not in fields[alone[2]]:
            lines += textwrap.indent(fields[alone[2]], alone[1]).split("\n")
        else:
            lines += _broken(line.format(**fields), width, breaks)
    return "\n".join(lines)


def _broken(line, width, breaks):
    """The lines of one, whose list is broken where it is too long."""
    found = re.fullmatch(rf"(.*){BEGIN}(.*){END}(.*)", line, re.DOTALL)
    if not found:
        return [line]
    head, items, tail = found[1], found[2].split(SEPARATE), found[3]
    whole = head + " ".join(items) + tail
    if len(whole) <= width:
        return [whole]
    return breaks(width, re.match(" *", head)[0], head, items, tail)


def each_on_a_line(width, base, head, items, tail):
    """As rustfmt, zig fmt and Black break a list."""
    if items == [""]:
        return [head + tail]
    return [head, *(f"{base}    {item}" for item in [*items[:-1], f"{items[-1]},"]), base + tail]


def filled(end="", more="        "):
    """Lines as full as they can be; ``end``: what a line ends with that is continued; ``more``: their indentation."""

    def breaks(width, base, head, items, tail):
        lines, line = [], head
        last = items[-1] + tail
        fits = len(base + more + last + end) <= width
        for item in [*items[:-1], *([last] if fits else last.split(" ", 1))]:
            between = "" if line.endswith(("(", "[", " ")) else " "
            if len(line + between + item + end) > width:
                lines.append(line.rstrip() + end)
                line, between = base + more, ""
            line += between + item
        return [*lines, line]

    return breaks
