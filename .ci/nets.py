"""nets.py: the files of a net, such as lint's: all that git lists in its languages, less those of exceptions.txt.

python .ci/nets.py NET             prints the files
python .ci/nets.py NET --left-out  prints what is left out, and why
"""

import fnmatch
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXCEPTIONS = ROOT / ".ci" / "exceptions.txt"
PYTHON, SHELL = (".py",), (".sh",)
C = (".c", ".cc", ".cpp", ".cu")
HEADERS = (".h", ".cuh", ".hpp")
NETS = {
    "checks": PYTHON, "format": PYTHON, "types": PYTHON, "shell": SHELL, "tidy": C, "sanitize": C,
    "coverage": (*PYTHON, *C, *HEADERS), "mutations": (*C, *HEADERS),
}  # fmt: skip
# Scripts without a suffix are known by their first line.
INTERPRETERS = {"python": PYTHON, "sh": SHELL, "bash": SHELL}


@dataclass(frozen=True)
class Row:
    """An exception: files that match ``pattern`` are in none of ``nets``."""

    nets: tuple
    pattern: str
    reason: str


def rows():
    """Those of exceptions.txt. ValueError names a line that is none."""
    found = []
    for number, line in enumerate(EXCEPTIONS.read_text("utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        words = line.split(None, 2)
        nets = words[0].split(",")
        if len(words) < 3 or not {*nets} <= {*NETS}:
            raise ValueError(f"{EXCEPTIONS.name}:{number}: expected nets, a pattern and a reason, got {line!r}")
        found.append(Row(tuple(nets), words[1], words[2].strip()))
    return found


def tracked(root=ROOT):
    """What git lists and is there: no links, no folders of other repositories."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, check=True).stdout
    names = listed.decode("utf-8", "surrogateescape").split("\0")[:-1]
    return [name for name in names if (root / name).is_file() and not (root / name).is_symlink()]


def is_of(suffixes, name, root=ROOT):
    """Whether a file is in one of the languages."""
    if Path(name).suffix:
        return name.endswith(suffixes)
    with open(root / name, "rb") as file:
        first = file.readline(200).decode("utf-8", "replace")
    interpreter = first[2:].split()[-1].rpartition("/")[2] if first.startswith("#!") and first[2:].split() else ""
    return INTERPRETERS.get(interpreter.rstrip("0123456789."), ()) == suffixes


def split(net, root=ROOT):
    """(files, [(Row, the files that it leaves out)]) of a net."""
    files, left = [], {row: [] for row in rows() if net in row.nets}
    for name in tracked(root):
        if not is_of(NETS[net], name, root):
            continue
        row = next((row for row in left if fnmatch.fnmatch(name, row.pattern)), None)
        (files if row is None else left[row]).append(name)
    if useless := [row.pattern for row, names in left.items() if not names]:
        raise ValueError(f"{EXCEPTIONS.name}: {net}: expected files of the net for {', '.join(useless)}, got none")
    return files, [*left.items()]


def files(net, *begins):
    """The files of a net; begins: how their paths may begin."""
    found, _ = split(net)
    return [name for name in found if not begins or name.startswith(begins)]


def left_out(net):
    """What a net leaves out, a line for each reason."""
    return [f"{net}: left out: {row.pattern} ({len(names)} files): {row.reason}" for row, names in split(net)[1]]


def main():
    net, *more = sys.argv[1:] or [""]
    if net not in NETS or more not in ([], ["--left-out"]):
        sys.exit(f"net: expected one of {', '.join(NETS)}, then --left-out or nothing, got {' '.join(sys.argv[1:])!r}")
    print(*(left_out(net) if more else files(net)), sep="\n")


if __name__ == "__main__":
    main()
