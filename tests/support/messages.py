"""tests/support/messages.py: what a test may ask of a message, whose text is not promised (docs/internals/abi.md)."""

import re


def names(*parts):
    """The pattern of a message, or of a line of output, that has each part as a word of its own, in any order.

    Parts are what the caller needs: names, what was expected and what came.
    """
    assert parts and all(str(part) for part in parts), "a pattern without parts fits any message"
    return "(?m)^" + "".join(f"(?=.*{_word(str(part))})" for part in parts)


def _word(part):
    before = r"(?<![\w-])(?<!\d\.)" if re.match(r"[\w-]", part) else ""
    after = r"(?!\.?\w)" if re.search(r"\w$", part) else ""
    return before + re.escape(part) + after
