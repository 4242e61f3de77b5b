"""bindings/generate.py: writes what bindings take from my_lib.h, as every language.json names it: declarations, the version.

    python bindings/generate.py          writes those that differ
    python bindings/generate.py --check  names those that differ, and returns 1 if there are any

A row ``"generated": {"src/Native.cs": "csharp --name TorchThaw.Native"}`` is a file beside language.json, and the
arguments of ``python -m torchthaw bindings``. A row ``"manifests": ["pom.xml"]`` has files with the version of the
library in their text, which ``{version}`` may stand for in their name too.
"""

import argparse
import json
import re
import shlex
import sys
from pathlib import Path

BINDINGS = Path(__file__).resolve().parent
HEADER = BINDINGS.parent / "c_api" / "include" / "my_lib.h"
OWN_VERSION = re.compile(r"^\W*(?:gem\.)?version\W+(\d+\.\d+\.\d+)", re.IGNORECASE | re.MULTILINE)


def rows():
    """(folder, language.json) of every language."""
    for path in sorted(BINDINGS.glob("*/language.json")):
        yield path.parent, json.loads(path.read_text())


def files():
    """(path, arguments) of every generated file."""
    for folder, row in rows():
        for name, arguments in row.get("generated", {}).items():
            yield folder / name, arguments


def text(arguments):
    """What the file must be."""
    from torchthaw.declarations import command

    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    language, *options = shlex.split(arguments)
    return command.declarations(parser.parse_args([language, str(HEADER), *options]))


def version():
    """That of the library, such as "1.0.0"."""
    return ".".join(re.findall(r"#define MY_LIB_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", HEADER.read_text()))


def manifests():
    """(path, the path that it must have) of every manifest."""
    for folder, row in rows():
        for name in row.get("manifests", ()):
            (path,) = folder.glob(name.replace("{version}", "*"))
            yield path, folder / name.replace("{version}", version())


def with_version(path):
    """What the manifest must be: its first version, the package's own, is everywhere replaced by the library's."""
    old = OWN_VERSION.search(path.read_text())[1]
    return re.sub(rf"(?<![\d.]){re.escape(old)}(?![\d.])", version(), path.read_text())


def wanted():
    """(path now, path, text) of all that is written here."""
    yield from ((path, path, text(arguments)) for path, arguments in files())
    yield from ((path, target, with_version(path)) for path, target in manifests())


def main():
    parser = argparse.ArgumentParser(description="Writes what bindings take from my_lib.h: declarations, the version.")
    parser.add_argument("--check", action="store_true", help="only name the files that differ")
    only_check = parser.parse_args().check
    different = [row for row in wanted() if row[0] != row[1] or not row[0].exists() or row[0].read_text() != row[2]]
    for now, path, content in different:
        print(path.relative_to(BINDINGS.parent))
        if not only_check:
            path.write_text(content)
            if now != path:
                now.unlink()
    return int(only_check and bool(different))


if __name__ == "__main__":
    sys.path.insert(0, str(BINDINGS.parent))
    sys.exit(main())
