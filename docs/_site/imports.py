"""docs/_site/imports.py: the imports between the layers of src/torchthaw, as a graph. Needs no Sphinx.

    python docs/_site/imports.py    writes docs/diagrams/imports.dot; diagrams.py draws it

tests/packaging/test_layers.py holds that the graph has no arrow upwards, and that the file is of today.
"""

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "torchthaw"
FILE = ROOT / "docs" / "diagrams" / "imports.dot"
# From the top; those of a row do not import each other.
ROWS = [
    ["cli", "activate", "check", "selftest"],
    ["modernize"],
    ["doctor"],
    ["legacy"],
    ["cuda_on_cpu", "portable"],
    ["extension", "declarations", "export"],
    ["library"],
    ["header", "bridge"],
    ["base"],
]  # fmt: skip
LAYERS = [layer for row in ROWS for layer in row]


def layers_of(text, package):
    """The layers that the text of a module imports; package: the names of its folders, below torchthaw."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom):
            above = ["torchthaw", *package][: len(package) + 2 - node.level] if node.level else []
            name = ".".join([*above, *(node.module or "").split(".")])
            names = [name] if name.rstrip(".") != "torchthaw" else [f"torchthaw.{each.name}" for each in node.names]
        elif isinstance(node, ast.Import):
            names = [each.name for each in node.names]
        else:
            continue
        found |= {each.split(".")[1] for each in names if each.startswith("torchthaw.")}
    return found & {*LAYERS}


def files(layer):
    """The modules of a layer: a folder, or a file beside the folders."""
    return sorted((PACKAGE / layer).rglob("*.py")) or [PACKAGE / f"{layer}.py"]


def edges():
    """{layer: those that its modules import}"""
    found = {}
    for layer in LAYERS:
        texts = [(path.read_text(), path.relative_to(PACKAGE).parts[:-1]) for path in files(layer)]
        found[layer] = {name for text, package in texts for name in layers_of(text, package)} - {layer}
    return found


def reached(layer, without, graph):
    """The layers below one, but for its own arrow to ``without``."""
    below, new = set(), graph[layer] - {without}
    while new:
        below |= new
        new = {further for each in new for further in graph[each]} - below
    return below


def dot():
    """The source of the picture. An arrow is left out where a longer way along other arrows leads there."""
    graph = edges()
    lines = [
        "// Made by docs/_site/imports.py.",
        "digraph imports {",
        "    ranksep=0.3",
        "    node [shape=box style=rounded]",
    ]
    for row in ROWS:
        lines.append(f"    {{ rank=same; {'; '.join(row)} }}")
    for layer in LAYERS:
        below = sorted(graph[layer], key=LAYERS.index)
        lines += [f"    {layer} -> {each}" for each in below if each not in reached(layer, each, graph)]
    return "\n".join([*lines, "}"]) + "\n"


if __name__ == "__main__":
    FILE.write_text(dot())
