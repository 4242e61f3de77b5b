"""torchthaw/base/printing.py: names and texts of others in what is printed: no character of them acts on the terminal."""

import re
import shlex
import sys

# Control characters but the tab, what Unicode takes for an end of a line, what changes the direction of a text, and
# halves of characters, which stand for bytes of names that are no text.
ACTING = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
SHORT = {"\n": "\\n", "\r": "\\r"}


def one_line(text):
    """``text`` as one line, with ``\\n`` and ``\\x1b`` in place of characters that do more than stand there."""
    return ACTING.sub(_escaped, str(text))


def message(text):
    """The same for a text that has lines of its own, such as a compiler's."""
    return "\n".join(map(one_line, str(text).split("\n")))


def shell_word(text):
    """``text`` as a word that a shell reads and that one_line leaves as it is."""
    text = str(text)
    if not ACTING.search(text):
        return shlex.quote(text)
    data = text.encode("utf-8", "surrogateescape")
    return (
        "$'"
        + "".join(chr(each) if 32 <= each < 127 and each not in b"'\\" else f"\\x{each:02x}" for each in data)
        + "'"
    )


def diff_name(name):
    """The name of a file, in bytes, as git writes and reads it in a diff: in quotes where it has such a character."""
    data = name.encode("utf-8", "surrogateescape")
    if not ACTING.search(name.encode(errors="replace").decode()) and not re.search(r'[\t"\\]', name):
        return data
    return b'"' + re.sub(rb'[\x00-\x1f\x7f-\xff"\\]', lambda match: b"\\%03o" % match[0][0], data) + b'"'


def show(text, file=None):
    """Prints a text whose lines one_line has made, in whatever encoding the terminal has."""
    file = file or sys.stdout
    encoding = getattr(file, "encoding", None) or "utf-8"
    print(text.encode(encoding, "backslashreplace").decode(encoding), file=file)


def complain(text):
    """Prints an error of torchthaw."""
    show(f"torchthaw: {message(text)}", sys.stderr)


def _escaped(match):
    character, code = match[0], ord(match[0])
    return SHORT.get(character) or (f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}")
