"""tests/support/switches.py: the tests of what has several ways, under every combination of the variables that choose one.

    python tests/support/switches.py [--short] [--seed N] [--jobs N] [VARIABLE ...]

Each variable, such as TORCHTHAW_NO_DLPACK, takes a faster way out of use; each test has the same result without it. The
short form tries one combination and some files, chosen by the seed, which is printed; variables name one combination.
"""

import argparse
import itertools
import os
import random
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SWITCHES = (
    "TORCHTHAW_NO_DLPACK", "TORCHTHAW_NO_MANGLED_NAMES", "TORCHTHAW_NO_NATIVE_KERNELS", "TORCHTHAW_NO_NUMPY_FIELDS",
)  # fmt: skip
FOLDERS = "tests/bridge", "tests/graph", "tests/derivatives", "tests/legacy/functions"
# Files about the ways themselves, and those that compare with kernels in C; and tests with another result, and why.
ABOUT_THE_WAYS = (
    "test_switches.py", "test_bridge_kernels.py", "test_bridge_kernels_failing.py",
    "test_bridge_kernels_without_tensors.py",
)  # fmt: skip
# Kernels in Python are not told whether there is a tangent, and refuse.
FORWARD_MODE = tuple(
    f"tests/derivatives/test_pairs_of_a_user.py::test_a_compiled_function_is_called_in_forward_mode_without_a_tangent[{pair}]"
    for pair in ("minus", "square")
)
OTHERWISE = {
    # An attribute of a class that is closed to all looks cannot be read; DLPack asks for none.
    "TORCHTHAW_NO_DLPACK": (
        "tests/bridge/test_bridge_misuse.py::test_each_object_works_or_is_refused_by_name[shaped]",
    ),
    "TORCHTHAW_NO_NATIVE_KERNELS": FORWARD_MODE,
    "TORCHTHAW_NO_MANGLED_NAMES": FORWARD_MODE,
}
FILES = 5  # of the short form


def files():
    found = [path for folder in FOLDERS for path in sorted((ROOT / folder).glob("test_*.py"))]
    return [path.relative_to(ROOT).as_posix() for path in found if path.name not in ABOUT_THE_WAYS]


def combinations():
    """Every set of switches that are on but the empty one, which `make test` has."""
    return [set for count in range(1, len(SWITCHES) + 1) for set in itertools.combinations(SWITCHES, count)]


def run(on, chosen, jobs):
    """(how many tests passed, whether all did)"""
    print(f"switches: {' '.join(on)}: {len(chosen)} files", flush=True)
    environment = {**os.environ, **dict.fromkeys(on, "1")}
    left_out = [f"--deselect={test}" for switch in on for test in OTHERWISE.get(switch, ())]
    words = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-m",
        "not slow",
        "--dist",
        "loadfile",
        "-n",
        str(jobs),
        *left_out,
        *chosen,
    ]
    done = subprocess.run(words, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        print("\n".join(line for line in done.stdout.splitlines() if re.match(r"(FAILED|ERROR|E  )", line)), flush=True)
        print(done.stdout[-3000:], flush=True)
    passed = re.search(r"(\d+) passed", done.stdout)
    return int(passed[1]) if passed else 0, done.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="one combination and some files")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("variables", nargs="*", metavar="VARIABLE", help=", ".join(SWITCHES))
    options = parser.parse_args()
    if unknown := {*options.variables} - {*SWITCHES}:
        parser.error(f"VARIABLE: expected some of {', '.join(SWITCHES)}, got {', '.join(unknown)}")
    print(f"seed {options.seed}", flush=True)
    chance, every, chosen = random.Random(options.seed), combinations(), files()
    if options.variables:
        every = [tuple(options.variables)]
    if options.short:
        every, chosen = [chance.choice(every)], sorted(chance.sample(chosen, FILES))
    results = [run(on, chosen, options.jobs) for on in every]
    print(f"{sum(passed for passed, _ in results)} cases")
    return not all(held for _, held in results)


if __name__ == "__main__":
    sys.exit(main())
