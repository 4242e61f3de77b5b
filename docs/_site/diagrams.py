"""docs/_site/diagrams.py: makes docs/diagrams/*.svg from the .dot files beside them, with Graphviz' `dot`.

    python docs/_site/diagrams.py

The SVG files are kept in the repository, so that neither the site nor a plain view of it needs Graphviz. Each names the
digest of what it was made from; a test compares it.
"""

import hashlib
import re
import subprocess
import sys
from pathlib import Path

DIAGRAMS = Path(__file__).resolve().parents[1] / "diagrams"
DEFAULTS = ["-Gbgcolor=transparent", "-Nfontname=sans-serif", "-Nfontsize=13", "-Efontname=sans-serif", "-Efontsize=11",
            "-Nmargin=0.18,0.1"]  # fmt: skip
# Graphviz' own colours give way to these; the site sets them from its theme.
STYLE = """<style>
svg.graph { --ink: #1f2328; --line: #59636e; --box: #f6f8fa; --start: #ddf4ff; --own: #fff1d6; --c: #dafbe1 }
@media (prefers-color-scheme: dark) {
svg.graph { --ink: #e6edf3; --line: #9198a1; --box: #21262d; --start: #12304f; --own: #4a3410; --c: #16391f }
}
svg.graph text { fill: var(--ink); font-family: system-ui, sans-serif }
svg.graph .node path, svg.graph .node polygon { fill: var(--box); stroke: var(--line) }
svg.graph .start path { fill: var(--start) } svg.graph .own path { fill: var(--own) }
svg.graph .c path { fill: var(--c) }
svg.graph .edge path { stroke: var(--line) } svg.graph .edge polygon { fill: var(--line); stroke: var(--line) }
</style>"""


def digest(source):
    """Names a source and the way it is drawn."""
    return hashlib.sha256("".join([source, *DEFAULTS, STYLE]).encode()).hexdigest()[:16]


def made_from(svg):
    """The digest that a file was made from, or ""."""
    found = re.search(r"<!-- made from ([0-9a-f]+) -->", svg)
    return found[1] if found else ""


def draw(source):
    """The SVG text of a graph."""
    command = ["dot", "-Tsvg", *DEFAULTS]
    printed = subprocess.run(command, input=source, capture_output=True, text=True, check=True).stdout
    svg = re.sub(r"<!--.*?-->\n?", "", printed[printed.index("<svg") :], flags=re.DOTALL)
    svg = re.sub(r"<title>.*?</title>\n?", "", svg).replace("<svg", '<svg class="graph"', 1)
    return svg.replace("\n<g ", f"\n<!-- made from {digest(source)} -->\n{STYLE}\n<g ", 1)


def main():
    for path in sorted(DIAGRAMS.glob("*.dot")):
        try:
            path.with_suffix(".svg").write_text(draw(path.read_text()))
        except (OSError, subprocess.CalledProcessError) as error:
            sys.exit(f"{path.name}: {getattr(error, 'stderr', None) or error}; dot is in the Debian package graphviz")


if __name__ == "__main__":
    main()
