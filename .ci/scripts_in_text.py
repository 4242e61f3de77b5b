"""scripts_in_text.py: writes the scripts that stand in strings of Python files into files, for ruff to check; .ci/lint calls it.

    python .ci/scripts_in_text.py FOLDER FILE...

A script is a text of several lines that is Python and imports torchthaw. Tests start such texts as programs, so that a name
which a move has changed is not seen before they run. A module of torchthaw that is not there is an error at once.
"""

import ast
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src"


def scripts(path):
    """(line, text, tree) of each script in the strings of a file."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "\n" in node.value.strip():
            text = textwrap.dedent(node.value)
            try:
                tree = ast.parse(text)
            except (SyntaxError, ValueError):
                continue
            if any(name.partition(".")[0] == "torchthaw" for name, _ in imported(tree)):
                yield node.lineno, text, tree


def imported(tree):
    """(module, name) of each import by its full name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield from ((node.module, alias.name) for alias in node.names)


def is_there(module, name):
    """Whether torchthaw has a module, and a name in it: a module of its own, or a word of its text."""
    place = SOURCE.joinpath(*module.split("."))
    files = [file for file in (place.with_suffix(".py"), place / "__init__.py") if file.is_file()]
    inside = not name or name == "*" or (place / name).is_dir() or (place / f"{name}.py").is_file()
    return bool(files) and (inside or name in files[0].read_text("utf-8"))


def write(folder, path):
    """Writes the scripts of a file into ``folder``; returns what they import of torchthaw that is not there."""
    absent = []
    for line, text, tree in scripts(path):
        place = path.resolve()
        shown = place.relative_to(ROOT) if place.is_relative_to(ROOT) else path
        Path(folder, f"{str(shown).replace('/', '.')}-line-{line}.py").write_text(text, "utf-8")
        absent += [
            f"{shown}:{line}: no {name or 'module'} in {module}" for module, name in imported(tree)
            if module.partition(".")[0] == "torchthaw" and not is_there(module, name)
        ]  # fmt: skip
    return absent


if __name__ == "__main__":
    found = [message for path in sys.argv[2:] for message in write(sys.argv[1], Path(path))]
    sys.exit("\n".join(found) or None)
