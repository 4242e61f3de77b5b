"""torchthaw/declarations/command.py: `python -m torchthaw bindings`: declarations of a C header for another language."""

import shlex
import sys
from pathlib import Path

from ..base import writing
from .languages import LANGUAGES


def add_bindings(subcommands, help):
    """Adds the subcommand."""
    parser = subcommands.add_parser(
        "bindings", help=help,
        description="Prints declarations of the functions and constants of HEADER in LANGUAGE, with a comment for each "
        "one that is left out and why. A C compiler reads the header.",
    )  # fmt: skip
    add_arguments(parser)
    parser.add_argument("--output", type=Path, metavar="FILE", help="write them there, not to the standard output")
    parser.set_defaults(run=run)


def add_arguments(parser):
    """The options that decide what is printed."""
    parser.add_argument("language", metavar="LANGUAGE", choices=LANGUAGES, help=f"one of {', '.join(LANGUAGES)}")
    parser.add_argument("header", type=Path, metavar="HEADER", help="a C header")
    parser.add_argument("--name", default="", help="of the module or class, such as org.example.MyLib")
    parser.add_argument("--library", default="", help="to open, where the declarations say that")
    parser.add_argument("-I", dest="include", action="append", default=[], metavar="FOLDER", help="of other headers")
    parser.add_argument("-D", dest="define", action="append", default=[], metavar="NAME[=VALUE]", help="a macro")


def run(options):
    """Prints or writes the declarations."""
    text = declarations(options)
    if options.output:
        writing.write(options.output, text)
    else:
        sys.stdout.write(text)
    return 0


def declarations(options):
    """Their text, as the options of add_arguments() say. Raises RuntimeError for a header that cannot be read, or
    a name that the language does not have."""
    from . import interface, render  # they import cffi

    defined = [f"-D{each}" for each in options.define]
    words = [options.language, options.header.name, *defined]
    for option, value in (("--name", options.name), ("--library", options.library)):
        words += [option, value] if value else []
    try:
        found = interface.read(options.header, options.include, defined)
        command = f"python -m torchthaw bindings {shlex.join(words)}"
        return render.text(LANGUAGES[options.language], found, command, options.name, options.library)
    except ValueError as error:
        raise RuntimeError(error) from None
