"""bindings/generate.py: writes the declarations that are generated from my_lib.h, as every language.json names them.

    python bindings/generate.py          writes those that differ
    python bindings/generate.py --check  names those that differ, and returns 1 if there are any

A row ``"generated": {"src/Native.cs": "csharp --name TorchThaw.Native"}`` is a file beside language.json, and the
arguments of ``python -m torchthaw bindings``.
"""

import argparse
import json
import shlex
import sys
from pathlib import Path

BINDINGS = Path(__file__).resolve().parent
HEADER = BINDINGS.parent / "c_api" / "include" / "my_lib.h"


def files():
    """(path, arguments) of every generated file."""
    for row in sorted(BINDINGS.glob("*/language.json")):
        for name, arguments in json.loads(row.read_text()).get("generated", {}).items():
            yield row.parent / name, arguments


def text(arguments):
    """What the file must be."""
    from torchthaw.bindings import command

    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    language, *options = shlex.split(arguments)
    return command.declarations(parser.parse_args([language, str(HEADER), *options]))


def differs(path, arguments):
    return not path.exists() or path.read_text() != text(arguments)


def main():
    parser = argparse.ArgumentParser(description="Writes the generated declarations of every language.")
    parser.add_argument("--check", action="store_true", help="only name the files that differ")
    only_check = parser.parse_args().check
    different = [(path, arguments) for path, arguments in files() if differs(path, arguments)]
    for path, arguments in different:
        print(path.relative_to(BINDINGS.parent))
        if not only_check:
            path.write_text(text(arguments))
    return int(only_check and bool(different))


if __name__ == "__main__":
    sys.path.insert(0, str(BINDINGS.parent))
    sys.exit(main())
