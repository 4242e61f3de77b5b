"""bindings/generate.py: writes what bindings take from my_lib.h: declarations, which git ignores, and the version.

    python bindings/generate.py            for every language
    python bindings/generate.py rust zig   for these

It writes the files that differ, and prints their names. It needs the package cffi and a C compiler.

A row ``"generated": {"src/Native.cs": "csharp --name TorchThaw.Native"}`` of a language.json is a file beside it, and
the arguments of ``python -m torchthaw bindings``. A row ``"manifests": ["pom.xml"]`` has files with the version of the
library in their text, which ``{version}`` may stand for in their name too.
"""

import argparse
import json
import re
import shlex
import sys
from pathlib import Path

BINDINGS = Path(__file__).resolve().parent
sys.path.insert(0, str(BINDINGS.parent / "src"))
HEADER = BINDINGS.parent / "c_api" / "include" / "my_lib.h"
OWN_VERSION = re.compile(r"^\W*(?:gem\.)?version\W+(\d+\.\d+\.\d+)", re.IGNORECASE | re.MULTILINE)


def rows():
    """{language: its language.json}"""
    return {path.parent.name: json.loads(path.read_text()) for path in sorted(BINDINGS.glob("*/language.json"))}


def files(folder, row):
    """(path, arguments) of every generated file of a language."""
    return [(folder / name, arguments) for name, arguments in row.get("generated", {}).items()]


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


def manifests(folder, row):
    """(path, the path that it must have) of every manifest of a language."""
    for name in row.get("manifests", ()):
        (path,) = folder.glob(name.replace("{version}", "*"))
        yield path, folder / name.replace("{version}", version())


def with_version(path):
    """What the manifest must be: its first version, the package's own, is everywhere replaced by the library's."""
    old = OWN_VERSION.search(path.read_text())[1]
    return re.sub(rf"(?<![\d.]){re.escape(old)}(?![\d.])", version(), path.read_text())


def write(wanted):
    """Writes those of (path now, path, text) that differ, and returns their paths."""
    from torchthaw.base import writing

    written = []
    for now, path, content in wanted:
        if now != path or not path.exists() or path.read_text() != content:
            path.parent.mkdir(parents=True, exist_ok=True)  # git keeps no folder of ignored files alone
            writing.write(path, content)
            if now != path:
                now.unlink()
            written.append(path)
    return written


def write_declarations(folder, row):
    return write((path, path, text(arguments)) for path, arguments in files(folder, row))


def write_versions(folder, row):
    return write((path, target, with_version(path)) for path, target in manifests(folder, row))


def main():
    known = rows()
    parser = argparse.ArgumentParser(description="Writes what bindings take from my_lib.h: declarations, the version.")
    parser.add_argument("languages", nargs="*", metavar="LANGUAGE", help=f"all, or some of: {', '.join(known)}")
    languages = parser.parse_args().languages
    if unknown := sorted({*languages} - {*known}):
        parser.error(f"expected some of {', '.join(known)}, got {', '.join(unknown)}")
    for language in languages or known:
        folder, row = BINDINGS / language, known[language]
        for path in [*write_declarations(folder, row), *write_versions(folder, row)]:
            print(path.relative_to(BINDINGS.parent))


if __name__ == "__main__":
    main()
