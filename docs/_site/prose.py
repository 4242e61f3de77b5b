"""docs/_site/prose.py: the plain text of a C comment or a Python docstring as reST. Needs no Sphinx."""

import re
import textwrap

NAMES = r"[\w\[\], -]*\w\]? +=(?!=) "
FORMULA = re.compile(rf"{NAMES}.*|\[.*\] = .*")
SENTENCE = re.compile(rf"({NAMES}[^.:;]*)\.(?: (.*))?")  # a formula, then sentences
ENGLISH = re.compile(r"= the |, [a-z]+ [a-z]+ ")
ROW = re.compile(r"(\w+(?: \w+)?) {2,}(\S.*)")
ROW_OF_DOCSTRING = re.compile(r"(?P<names>\*{0,2}\w+(?:, \*{0,2}\w+)*): (?P<text>\S.*)")
CODE = re.compile(r"`([^`\n]+)`")
SPECIAL = re.compile(r"[\\*_|`<]")


def without_stars(comment):
    """The text of a comment ``/* … */``, given without its delimiters, without the stars that begin its lines."""
    first, *rest = comment.split("\n")
    lines = [re.sub(r"^\s*\*? ?", "", line, count=1) if "*" in line[:4] else line.strip() for line in rest]
    return "\n".join([first.strip(), *(line.rstrip() for line in lines)]).strip("\n").rstrip()


def rest(text, known):
    """A C comment as reST: paragraphs; indented lines and formulas as they are; rows ``Word      text …`` as a list.

    known: {name: role in the domain of C}, which become links.
    """
    parts = []
    for paragraph in re.split(r"\n[ \t]*\n", text.strip("\n")):
        lines = paragraph.splitlines()
        if len(lines) > 1 and ROW.fullmatch(lines[0]) and not FORMULA.fullmatch(lines[0]):
            parts.append(_rows(lines, known))
        elif paragraph.strip():
            parts += _mixed(lines, known)
    return "\n\n".join(parts)


def _mixed(lines, known):
    """Runs of lines: formulas and indented ones are literal, the others paragraphs."""
    sentence = SENTENCE.fullmatch(lines[0])
    if sentence and not ENGLISH.search(sentence[1]):
        lines = [sentence[1], *filter(None, [sentence[2]]), *lines[1:]]
    runs = []
    for line in lines:
        literal = line.startswith("  ") or bool(FORMULA.fullmatch(line)) and not re.search(r"\. [A-Z]|[:.,;]$", line)
        if runs and runs[-1][0] == literal:
            runs[-1][1].append(line)
        else:
            runs.append((literal, [line]))
    return [_literal(run) if literal else inline(" ".join(map(str.strip, run)), known) for literal, run in runs]


def _literal(lines):
    body = textwrap.indent(textwrap.dedent("\n".join(lines)), "   ")
    return f".. code-block:: text\n\n{body}"


def _rows(lines, known):
    """``Word      text``, which goes on in indented lines, as a list of definitions."""
    found = []
    for line in lines:
        row = ROW.fullmatch(line)
        if row and not line.startswith(" "):
            found.append((row[1], [row[2]]))
        elif re.match(r"\S+ ", line) and not line.startswith(" "):
            found.append((line.split(" ", 1)[0], [line.split(" ", 1)[1].strip()]))
        else:
            found[-1][1].append(line.strip())
    return "\n".join(f"{inline(word, known)}\n   {inline(' '.join(text), known)}\n" for word, text in found).rstrip()


def inline(text, known):
    """One paragraph: what stands between backticks is code, and names of ``known`` are links; all else is text."""
    parts = CODE.split(text)
    for index, part in enumerate(parts):
        if index % 2:
            parts[index] = _linked(part, known) or f"``{part}``"
        else:
            parts[index] = _plain(part, known)
    return "".join(parts)


def _linked(name, known, is_call=False):
    """A link to a name, or None; ``is_call``: parentheses of its own follow."""
    plain = name.removesuffix("()")
    if plain not in known:
        return None
    return f":c:{known[plain]}:`{plain} <{plain}>`" if is_call else f":c:{known[plain]}:`{plain}`"


def _plain(text, known):
    """Text whose words that are ``known`` become links, and with reST's own signs escaped."""
    found = []
    words = re.split(r"([A-Za-z_]\w*(?:\(\))?)", text)
    for word, after in zip(words, [*words[1:], ""]):
        link = _linked(word, known, after.startswith("("))
        # reST knows a role only beside spaces and punctuation.
        found.append(f"\\ {link}\\ " if link else SPECIAL.sub(r"\\\g<0>", word))
    return "".join(found)


def docstring(lines):
    """A docstring's lines with rows ``name, other: text``, which go on in indented lines, as a list of definitions."""
    found, in_rows = [], False
    for line in lines:
        row = ROW_OF_DOCSTRING.fullmatch(line)
        if row and (in_rows or not found or not found[-1].strip()):
            found += [re.sub(r"[\w*]+", r"``\g<0>``", row["names"]), f"    {row['text']}"]
            in_rows = True
            continue
        if in_rows and line.strip() and not line.startswith(" "):
            found.append("")
        in_rows = in_rows and (line.startswith(" ") or not line.strip())
        found.append(line)
    return found
