"""torchthaw/export/command.py: `python -m torchthaw export`: C sources with which another host calls a header's operators."""

import shlex
from pathlib import Path

# Host -> (the module that has its files(operators, command), what it writes).
HOSTS = {
    "table": ("table", "checks and calls of every operator in plain C99, for any host"),
    "onnxruntime": ("onnxruntime", "the table, a library for a session, schemas and what torch.onnx.export needs"),
    "jax": ("jax", "the table, handlers for XLA, and a Python module of functions with jit, grad and vmap"),
}


def add_export(subcommands, help):
    """Adds the subcommand."""
    parser = subcommands.add_parser(
        "export", help=help,
        description="Writes sources with which HOST calls the operators of HEADER, a C header with words of "
        "torchthaw/annotate.h. " + " ".join(f"{name}: {what}." for name, (_, what) in HOSTS.items()),
    )  # fmt: skip
    parser.add_argument("host", metavar="HOST", choices=HOSTS, help=f"one of {', '.join(HOSTS)}")
    parser.add_argument("header", type=Path, metavar="HEADER", help="a C header")
    parser.add_argument("-o", "--output", type=Path, default=Path("."), metavar="FOLDER", help="write there")
    parser.add_argument("-I", dest="include", action="append", default=[], metavar="FOLDER", help="of other headers")
    parser.add_argument("-D", dest="define", action="append", default=[], metavar="NAME[=VALUE]", help="a macro")
    parser.set_defaults(run=run)


def run(options):
    """Writes the files, and prints the name of each."""
    import importlib

    from . import operators  # it imports cffi

    defined = [f"-D{each}" for each in options.define]
    host = importlib.import_module(f".{HOSTS[options.host][0]}", __package__)
    command = shlex.join(["python", "-m", "torchthaw", "export", options.host, options.header.name, *defined])
    try:
        files = host.files(operators.read(options.header, options.include, defined), command)
    except ValueError as error:
        raise RuntimeError(error) from None
    options.output.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (options.output / name).write_text(text, "utf-8", "surrogateescape")
        print(options.output / name)
    return 0
