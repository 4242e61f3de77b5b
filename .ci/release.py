"""release.py: runs what a release needs, part by part, and leaves dist/ with SHA256SUMS.

    make release                      from the first part on that has not passed at this commit
    make release part="wheel docs"    these parts, whether or not they have passed

A part that passed leaves a file in build/release/COMMIT, and is not run again for that commit. The tree must be
committed: what is tested is what is released. The exit status is 1 at the first part that fails.
"""

import argparse
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
# In this order: what is quick and finds most comes first.
PARTS = {
    "lint": ["make lint"],
    "test": ["make test all=1"],
    "sanitize": ["make sanitize"],
    "docs": ["make docs"],
    "languages": [".ci/toolchains", "make languages"],
    "compile-check": ["make compile-check"],
    "threads": [".ci/toolchains harden", "make harden parts=threads"],
    "allocations": ["make harden parts=allocations"],
    "fuzzing": [".ci/toolchains harden", "make harden parts=fuzzing"],
    "wheel": ["rm -rf dist", "make wheel", "make wheel only=x86_64-cuda quick=1"],
    "compat-2.4": ["make compat torch=2.4.1"],
    "compat-2.7": ["make compat torch=2.7.1"],
    "compat-2.10": ["make compat torch=2.10.0"],
    "compat-2.13": ["make compat torch=2.13.0"],
    "compat-newest": ["make compat torch=newest"],
    "projects": ["make projects"],
    "bench": ["make bench"],
}


class ReleaseError(Exception):
    """The message says what a release lacks."""


def git(*words):
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def check_tree():
    """ReleaseError unless all is committed, and CHANGELOG.md dates the version of the C library's header."""
    changed = git("status", "--porcelain")
    if changed:
        raise ReleaseError(f"expected a tree that is committed, got changes:\n{changed}")
    header = (ROOT / "c_api" / "include" / "my_lib.h").read_text()
    version = ".".join(re.findall(r"#define MY_LIB_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header))
    head = re.search(rf"^## {re.escape(version)} — (.*)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    if not head or not re.fullmatch(r"\d{4}-\d\d-\d\d", head[1]):
        raise ReleaseError(
            f"CHANGELOG.md: expected the section '## {version} — YEAR-MONTH-DAY', got '{head[0] if head else 'none'}'"
        )


def run(part):
    """Seconds that its commands took."""
    start = time.monotonic()
    for command in PARTS[part]:
        print(f"release: {part}: {command}", flush=True)
        done = subprocess.run(command, shell=True, cwd=ROOT)
        if done.returncode:
            raise ReleaseError(f"{part}: {command}: exit status {done.returncode}")
    return time.monotonic() - start


def write_sums():
    """dist/SHA256SUMS, as `sha256sum --check` reads it."""
    names = sorted(path.name for path in DIST.glob("*") if path.suffix in (".whl", ".gz"))
    if names:
        done = subprocess.run(["sha256sum", *names], cwd=DIST, stdout=subprocess.PIPE, text=True, check=True)
        (DIST / "SHA256SUMS").write_text(done.stdout)
        print(done.stdout, end="")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    chosen = parser.parse_args().parts
    unknown = [part for part in chosen if part not in PARTS]
    if unknown:
        raise ReleaseError(f"part: expected some of {', '.join(PARTS)}, got {', '.join(unknown)}")
    check_tree()
    stamps = ROOT / "build" / "release" / git("rev-parse", "HEAD")
    stamps.mkdir(parents=True, exist_ok=True)
    for part in chosen or [part for part in PARTS if not (stamps / part).exists()]:
        (stamps / part).write_text(f"{run(part):.0f} s\n")
    write_sums()
    lacking = [part for part in PARTS if not (stamps / part).exists()]
    told = f"not run at this commit: {', '.join(lacking)}" if lacking else "every part has passed at this commit"
    print(f"release: {told}")


if __name__ == "__main__":
    try:
        main()
    except ReleaseError as error:
        sys.exit(f"make release: {error}")
