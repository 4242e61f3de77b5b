"""torchthaw/cli.py: the command line, `python -m torchthaw`."""

import argparse
import difflib
import importlib
import os
import sys

from .base import config, printing


def _portable_includes():
    from .portable import build  # needs a PyTorch

    return "\n".join(build.include_paths())


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
    "portable-includes": ("the folders of headers for one binary for every PyTorch, one a line", _portable_includes),
    "portable-cmakedir": (
        "the folder for find_package(torchthaw-portable)",
        lambda: config.PACKAGE / "portable" / "cmake",
    ),
}


def add_config(subcommands, help):
    parser = subcommands.add_parser(
        "config", help=help,
        description="Prints where headers and libraries of this torchthaw are, one line for each path, in the order "
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


# Command -> (the module that has it, imported where the command is used; what it does). The module's add_COMMAND adds the
# subcommand, whose default `run` takes the parsed options.
COMMANDS = {
    "config": ("cli", "print where headers and libraries are, one line each"),
    "run": (
        "legacy.run.command_run",
        "run a script of an old project, or pip: for torch.utils.ffi, C++ and CUDA extensions",
    ),
    "enable": ("legacy.run.command_enable", "make torch.utils.ffi importable in this environment for good"),
    "disable": ("legacy.run.command_enable", "undo enable"),
    "doctor": ("doctor", "say what an old project in Python, C, C++ or CUDA needs before it runs"),
    "modernize": ("modernize", "make a package of today of a legacy project, in another folder"),
    "check": ("check", "build and test a project beside several versions of PyTorch and Python"),
    "selftest": ("selftest", "check this installation, and print what a report of a fault needs"),
    "nvcc": ("legacy.cpp.nvcc", "nvcc for the scripts of old projects"),
    "bindings": ("declarations.command", "declare a C header's functions in another language"),
    "export": ("export.command", "call a C header's operators from another host than PyTorch"),
}


def parser(used=COMMANDS):
    """The parser of the command line. used: the commands whose own options it knows; of the others it lists the names."""
    made = argparse.ArgumentParser(
        prog="torchthaw" if os.path.basename(sys.argv[0]) == "torchthaw" else "python -m torchthaw",
        description="C extensions for PyTorch from plain C headers; old projects of torch.utils.ffi, and old C++ and CUDA "
        "extensions of torch.utils.cpp_extension.",
    )
    made.add_argument("--version", action="version", version=f"torchthaw {config.__version__}")
    subcommands = made.add_subparsers(metavar="COMMAND")
    for name, (module, help) in COMMANDS.items():
        if name in used:
            getattr(importlib.import_module(f".{module}", __package__), f"add_{name}")(subcommands, help)
            subcommands.choices[name].set_defaults(command=subcommands.choices[name])
        else:
            subcommands.add_parser(name, help=help)
    return made


def main(arguments=None):
    """Runs the command line; returns its exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    made = parser(arguments[:1])
    if arguments and not arguments[0].startswith("-") and arguments[0] not in COMMANDS:
        near = difflib.get_close_matches(arguments[0], COMMANDS, 1)
        meant = f"; did you mean {near[0]}?" if near else ""
        made.error(f"COMMAND: expected one of {', '.join(COMMANDS)}, got {arguments[0]!r}{meant}")
    options, unknown = made.parse_known_args(arguments)
    if unknown:
        (options.command if "command" in options else made).error(f"unrecognized arguments: {' '.join(unknown)}")
    if "run" not in options:
        made.print_help(sys.stderr)
        return 2
    try:
        status = options.run(options)
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # who reads the output, such as head, has enough; Python writes the rest when it ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (OSError, RuntimeError) as error:
        printing.complain(error)
        return 1
