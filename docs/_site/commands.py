"""docs/_site/commands.py: the help of each command of ``python -m torchthaw`` as Markdown. Needs no Sphinx."""

import argparse
import os

from torchthaw import cli

WIDTH = "80"  # columns of the help, whatever terminal runs make docs


def parsers():
    """{name: its argparse parser}, in the order of the help."""
    made = cli.parser()
    made.prog = "python -m torchthaw"
    (subcommands,) = (each for each in made._actions if isinstance(each, argparse._SubParsersAction))
    return dict(subcommands.choices)


def page():
    """A section for each command."""
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = WIDTH
    try:
        sections = {name: each.format_help().rstrip() for name, each in parsers().items()}
        return "\n\n".join(f"### `{name}`\n\n```text\n{text}\n```" for name, text in sections.items())
    finally:
        os.environ.pop("COLUMNS")
        if before is not None:
            os.environ["COLUMNS"] = before
