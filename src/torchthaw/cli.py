"""torchthaw/cli.py: the command line, `python -m torchthaw`."""

import argparse
import os
import sys

from . import __version__, config
from .bindings.command import add_bindings
from .legacy.doctor import add_doctor
from .legacy.environment import add_disable, add_enable
from .legacy.modernize import add_modernize
from .legacy.nvcc import add_nvcc
from .legacy.running import add_run

# One row per option of `config`: what it prints, and where that comes from.
PATHS = {
    "includes": ("the folder of TH/ and THC/, for old projects", config.includes),
    "my-lib-includes": ("the folder of my_lib.h", config.my_lib_includes),
    "libdir": ("the folder of the shared libraries", config.libdir),
    "libmy-lib": ("libmy_lib, to link or to load", lambda: config.library("my_lib")),
    "libmy-lib-cuda": ("the same for GPUs", lambda: config.library("my_lib_cuda")),
    "libth": ("libth, to link or to load", lambda: config.library("th")),
    "libthc": ("libthc, the same for GPUs", lambda: config.library("thc")),
    "cmakedir": ("the folder for find_package(torchthaw)", config.cmakedir),
}


def add_config(subcommands):
    parser = subcommands.add_parser(
        "config", help="print where headers and libraries are, one line each",
        description="Prints where headers and libraries of this torchthaw are, one line for each option, in the order "
        "given. A library that is not there is an error that says what builds it.",
    )  # fmt: skip
    for name, (what, _) in PATHS.items():
        parser.add_argument(f"--{name}", dest="names", action="append_const", const=name, help=what)
    parser.set_defaults(run=run_config, parser=parser)


def run_config(options):
    if not options.names:
        options.parser.error("expected one or more of " + ", ".join(f"--{name}" for name in PATHS))
    for name in options.names:
        print(PATHS[name][1]())


# Each entry adds one subcommand, whose `run` default takes the parsed options.
SUBCOMMANDS = [add_config, add_run, add_enable, add_disable, add_doctor, add_modernize, add_nvcc, add_bindings]


def main(arguments=None):
    """Runs the command line; returns its exit status."""
    parser = argparse.ArgumentParser(
        prog="torchthaw" if os.path.basename(sys.argv[0]) == "torchthaw" else "python -m torchthaw",
        description="C extensions for PyTorch from plain C headers; old projects of torch.utils.ffi.",
    )
    parser.add_argument("--version", action="version", version=f"torchthaw {__version__}")
    subcommands = parser.add_subparsers(metavar="COMMAND")
    for add in SUBCOMMANDS:
        add(subcommands)
    options = parser.parse_args(arguments)
    if "run" not in options:
        parser.print_help(sys.stderr)
        return 2
    try:
        return options.run(options)
    except (OSError, RuntimeError) as error:
        print(f"torchthaw: {error}", file=sys.stderr)
        return 1
