"""lock.py: writes .ci/requirements/locked/ anew: each pinned package, and what it brings, with the hashes of its files.

    python .ci/lock.py            after a change of a version in .ci/requirements/ or bindings/*/language.json

pip then takes a file only if it is one of those that were published when the version was pinned. PyTorch is not among
them, nor what it alone brings: its files differ from index to index. uv finds versions and hashes, for every system and
every Python from 3.10 on, and writes nothing else here.
"""

import json
import re
import subprocess
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PINS = ROOT / ".ci" / "requirements"
LOCKED = PINS / "locked"
UV = "uv==0.13.9"
LANGUAGES = "languages"

# What is installed on top of what. An environment has each package once, so a file leaves out what is below it.
BELOW = {
    "demo": (), "test": ("demo",), "bench": ("demo",), "harden": ("demo", "test"),
    "coverage": ("demo", "test"), "docs": (), "lint": (), "wheel": (), "cuda": (), LANGUAGES: (), "onnxruntime": (),
    "onnxruntime-lowest": (), "jax": (), "jax-lowest": (),
}  # fmt: skip
HEAD = "# Made by .ci/lock.py from {}; do not edit.\n"


def source(name):
    """(where the pins of that name stand, the pins)"""
    if name != LANGUAGES:
        return f"{name}.txt", (PINS / f"{name}.txt").read_text()
    rows = [json.loads(path.read_text()) for path in sorted((ROOT / "bindings").glob("*/language.json"))]
    return "bindings/*/language.json", "\n".join(sorted({pin for row in rows for pin in row.get("pip", ())})) + "\n"


def entries(text):
    """The requirements of a locked file, each a line with its hashes."""
    return re.findall(r"^\w.*\n", text, re.M)


def package(requirement):
    """The name of a requirement as locked files write it."""
    return re.match(r"[\w.-]+", requirement)[0].replace("_", "-").lower()


def locked(name, pins):
    """The entries of a locked file for these pins."""
    wanted = set(map(package, pins))
    return [entry for entry in entries((LOCKED / f"{name}.txt").read_text()) if package(entry) in wanted]


def compile_pins(uv, pins):
    """The text of a locked file for pins."""
    made = subprocess.run(
        [uv, "pip", "compile", "--quiet", "--universal", "--generate-hashes", "--no-annotate", "--no-header",
         "--python-version", "3.10", "--constraints", PINS / "constraints.txt", "-"],
        input=pins, stdout=subprocess.PIPE, text=True, check=True,
    ).stdout  # fmt: skip
    return made.replace(" \\\n    ", " ")


def main():
    LOCKED.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        subprocess.run([f"{folder}/bin/python", "-m", "pip", "install", "-qq", UV], check=True)
        made = {}
        for name, below in BELOW.items():
            where, pins = source(name)
            pins += "".join(source(each)[1] for each in below)
            made[name] = entries(compile_pins(f"{folder}/bin/uv", pins))
            there = {entry for each in below for entry in made[each]}
            kept = [entry for entry in made[name] if entry not in there]
            (LOCKED / f"{name}.txt").write_text(HEAD.format(where) + "".join(kept))
            print(f".ci/requirements/locked/{name}.txt: {len(kept)} packages")


if __name__ == "__main__":
    main()
