"""tests/support/elf.py: what an ELF file says about its own protection; .ci/wheel_checks.py asks for it too."""

import re
import subprocess


def readelf(*words):
    return subprocess.run(["readelf", "--wide", *map(str, words)], capture_output=True, text=True, check=True).stdout


def unprotected(path):
    """Complaints about a shared object or program: how its memory could be written or run that need not be; [] if none.

    RELRO and BIND_NOW together leave no address of a function that could be overwritten once it is loaded.
    """
    segments = dict(re.findall(r"^ +(\w+) +(?:0x\w+ +){5}([RWE ]{3})", readelf("--segments", path), re.MULTILINE))
    dynamic = readelf("--dynamic", path)
    return [
        *(["has no RELRO"] if "GNU_RELRO" not in segments else []),
        *(["has no BIND_NOW"] if not re.search(r"\(FLAGS(?:_1)?\).*\b(?:BIND_)?NOW\b", dynamic) else []),
        *(["has an executable stack"] if "E" in segments.get("GNU_STACK", "E") else []),
        *(["has text relocations"] if "TEXTREL" in dynamic else []),
    ]


def undefined(path):
    """The names that the dynamic loader has to find, without their versions."""
    rows = (line.split() for line in readelf("--dyn-syms", path).splitlines())
    return {row[7].partition("@")[0] for row in rows if len(row) >= 8 and row[6] == "UND"}
