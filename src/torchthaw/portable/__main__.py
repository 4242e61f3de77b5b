"""python -m torchthaw.portable NAME --folder FOLDER [-I FOLDER …] SOURCE …: what another build system than setuptools needs.

Writes the headers of the operators that the sources call into FOLDER, which stays; an unchanged file is not touched.
Prints a line for each word of the compiler, of nvcc and of the linker: `compile WORD`, `nvcc WORD`, `link WORD`. --words
compile, nvcc or link prints those of one as a shell has them, for a Makefile.
"""

import argparse
import shlex
from pathlib import Path

from ..base import printing
from . import build, flags, operators, runtime_library


def main():
    parser = argparse.ArgumentParser(
        prog="python -m torchthaw.portable", description="Words for compilers and linkers."
    )
    parser.add_argument("name", help="the extension's full name")
    parser.add_argument("--folder", type=Path, required=True, help="where headers for these sources are written")
    parser.add_argument("-I", dest="include_dirs", action="append", default=[], type=Path, help="a folder of headers")
    parser.add_argument("--words", choices=("compile", "nvcc", "link"), help="prints the words of one in a line")
    parser.add_argument("sources", nargs="+", type=Path)
    options = parser.parse_args()
    folder = options.folder.absolute()
    found = build.include_paths()
    operators.write(folder, options.sources, [*map(Path, found), *filter(None, options.include_dirs)])
    words = {
        "compile": lambda: [*flags.cxx(), *_common(options.name, [folder, *found])],
        "nvcc": lambda: _nvcc(options.name, [folder, *found]),
        "link": _link,
    }
    if options.words:
        printing.show(shlex.join(words[options.words]()))
        return
    for kind, listed in words.items():
        for word in listed():
            printing.show(f"{kind} {word}")


def _link():
    runtime_library.runtime([])
    return runtime_library.link_flags([])


def _common(name, folders):
    macro = f"-DTORCH_EXTENSION_NAME={name.rpartition('.')[2]}"
    return [*flags.common(), macro, *(f"-I{folder}" for folder in folders)]


def _nvcc(name, folders):
    """Those of nvcc, an option and its value as one word: CMake leaves out words that come twice."""
    words = iter(flags.of_nvcc(_common(name, folders)))
    return [f"{word}={next(words)}" if word == "-Xcompiler" else word for word in words]


if __name__ == "__main__":
    main()
