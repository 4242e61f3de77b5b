"""doctor_edits.py: what `doctor --apply` changes in the clone of a project, compared with what a person has read.

The record of a project, tests/projects/NAME.toml, has `edits`: how many lines of how many files change, how many of these
lines are false, and the digest of the changed files. An edit is false where the project needs none there, or another.
"""

import hashlib
import json
import subprocess
from typing import NamedTuple


class EditsError(Exception):
    """The edits of a project are not those that were read; the message says where they are."""


class Edits(NamedTuple):
    """What the doctor changed: how many lines, which files, and a digest of the files' paths and new contents."""

    lines: int
    files: list
    digest: str

    def told(self):
        """In words, as the table has them."""
        if not self.files:
            return "none"
        files = len(self.files)
        return f"{self.lines} line{'s' * (self.lines != 1)} in {files} file{'s' * (files != 1)}"

    def record(self):
        """The line of a record, for edits none of which is false."""
        return f'edits = {{lines = {self.lines}, files = {len(self.files)}, false = 0, digest = "{self.digest}"}}'


def make(python, clone, variables, limit):
    """Lets the doctor of this Python edit a clone; the Edits."""
    done = subprocess.run(
        [python, "-m", "torchthaw", "doctor", clone, "--apply", "--json"], capture_output=True, text=True, timeout=limit,
        env=variables,
    )  # fmt: skip
    if done.returncode not in (0, 1):
        raise EditsError(f"{clone.name}: the doctor failed: {done.stderr.strip()}")
    changed = json.loads(done.stdout)["changed"]
    digest, files = hashlib.sha256(), sorted(changed)
    for name in files:
        digest.update(
            name.encode("utf-8", "surrogateescape") + b"\0" + hashlib.sha256((clone / name).read_bytes()).digest()
        )
    return Edits(sum(changed.values()), files, digest.hexdigest() if changed else "")


def compare(name, edits, known, clone, log):
    """Raises EditsError where ``edits`` are others than the record's ``known``; the difference is in ``log`` then."""
    if known.get("digest", "") == edits.digest:
        return
    with open(log, "w") as file:
        subprocess.run(["git", "-C", clone, "diff", "--no-color", "--", *edits.files], stdout=file, check=True)
    was = f"{known['lines']} lines in {known['files']} files" if known else "none"
    raise EditsError(
        f"{name}: expected the edits that were read ({was}), got {edits.told()}; read {log}, then write into the record:\n"
        f"{edits.record()}"
    )
