"""tests/support/abi_exports.py: the prototypes that the C libraries have exported since each version, kept in
tests/abi/.

    python tests/support/abi_exports.py       adds what the headers declare and the files do not have yet

Each line of tests/abi/lib<name>.txt is a declaration in C, below the version that brought it. Nothing is removed or
changed: programs were built with it.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from torchthaw.base import toolchain
from torchthaw.extension import cuda

ROOT = Path(__file__).resolve().parents[2]
INCLUDES = ROOT / "c_api" / "include"
HEAD = """/* tests/abi/lib{name}.txt: what lib{name} exports; support/abi_exports.py adds to it, nothing leaves it. */
"""


def headers(name):
    """The public headers of a library, as a program includes them."""
    folder = {"th": "TH", "thc": "THC"}.get(name)
    if folder is None:
        return [f"{name}.h"]
    found = sorted(path.name for path in (INCLUDES / folder).glob("*.h") if "Generate" not in path.name)
    return [f"{folder}/{folder}.h", *(f"{folder}/{each}" for each in found if each != f"{folder}.h")]


LIBRARIES = "my_lib", "my_lib_cuda", "th", "thc"


def version():
    """The libraries' version, such as "1.0", which my_lib.h states."""
    text = (INCLUDES / "my_lib.h").read_text()
    return ".".join(re.search(rf"MY_LIB_VERSION_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR"))


def declared(name):
    """{exported name: its declaration} as gcc reads the headers. libthc's need CUDA's: FileNotFoundError without."""
    includes = [INCLUDES, *([cuda.toolkit().include] if name == "thc" else [])]
    with tempfile.TemporaryDirectory() as folder:
        source, listed = Path(folder, "all.c"), Path(folder, "listed")
        source.write_text("".join(f"#include <{header}>\n" for header in headers(name)))
        command = [*toolchain.c_compiler(), *(f"-I{each}" for each in includes), "-fsyntax-only"]
        subprocess.run([*command, "-aux-info", listed, source], check=True)
        rows = re.findall(r"/\* (.*?):\d+:NC \*/ extern (.*);", listed.read_text())
    own = {Path(INCLUDES, header).parent for header in headers(name)}
    own |= {folder / "generic" for folder in own}
    functions = [text for path, text in rows if Path(path).parent in own and Path(path).name != other(name)]
    data = [f"extern {text}" for header in headers(name) for text in data_of(INCLUDES / header)]
    return {name_of(text): tidy(text) + ";" for text in [*functions, *data]}


def other(name):
    """The header that lies beside the library's own and is another's."""
    return {"my_lib_cuda": "my_lib.h"}.get(name)


def data_of(header):
    """The declarations of exported variables in a header, such as ``const double THLogZero``."""
    return re.findall(r"^TH_EXTERNC ([\w ]+ \w+);", header.read_text(), re.M)


def name_of(declaration):
    """The name that a line of a list declares."""
    function = re.search(r"(\w+) ?\(", declaration)
    return function[1] if function else declaration.rstrip(";").split()[-1]


def tidy(text):
    """gcc's spelling of a declaration without the spaces that nobody would write."""
    text = re.sub(r"(\w) \((?!\*)", r"\1(", text)
    return re.sub(r" (?=[,)])", "", text)


def path_of(name):
    return ROOT / "tests" / "abi" / f"lib{name}.txt"


def listed(name):
    """The lines of a library's list."""
    if not path_of(name).exists():
        return []
    return [line for line in path_of(name).read_text().splitlines() if line.endswith(";")]


def main():
    for name in LIBRARIES:
        try:
            found = declared(name)
        except FileNotFoundError as error:
            print(f"lib{name}: {error}", file=sys.stderr)
            continue
        known = {name_of(line) for line in listed(name)}
        new = [found[each] for each in sorted(set(found) - known)]
        print(f"lib{name}: {len(known)} known, {len(new)} new")
        if new:
            text = path_of(name).read_text() if known else HEAD.format(name=name)
            heading = f"/* {version()} */\n"
            path_of(name).write_text(text + heading * (heading not in text) + "\n".join(new) + "\n")


if __name__ == "__main__":
    main()
