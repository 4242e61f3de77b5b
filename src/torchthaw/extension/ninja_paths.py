"""torchthaw/extension/ninja_paths.py: paths in a ninja file."""

import re

# Of | alone ninja knows no escaped form; the value of a variable may hold it.
DEFINED = "pipe = |"
PIPE = "${pipe}"


def escape(path):
    """A path in a file with DEFINED. Raises ValueError for one that no ninja file can have."""
    path = str(path)
    if re.search(r"[\n\r\0]", path):
        raise ValueError(f"expected a path without an end of a line, which ninja cannot have, got {path!r}")
    return re.sub(r"[$ :]", r"$\g<0>", path).replace("|", PIPE)


def unescape(text):
    """The path that ``escape`` made ``text`` of."""
    return re.sub(r"\$(.)", r"\1", text.replace(PIPE, "|"))
