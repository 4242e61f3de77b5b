"""torchthaw/check/environments.py: environments with one PyTorch each, by uv where it is there, else by venv and pip."""

import json
import os
import re
import shutil
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from ..base import child, writing
from . import steps

DAY = 86400  # seconds for which the newest PyTorch is the newest
# For builds: build reads what a project's build needs.
TOOLS = ["build", "setuptools", "wheel", "ninja"]
NO_WHEEL = re.compile(
    r"No matching distribution found for torch\b|no version of torch\b|torch\S* has no wheels with a matching"
)
UNREACHABLE = re.compile(r"\(from versions: none\)|WARNING: Retrying")
FACTS = """
import importlib.metadata, json, platform
print(json.dumps({"torch": importlib.metadata.version("torch"), "python": platform.python_version()}))
"""


class NoWheelError(Exception):
    """PyTorch has no wheel of this version for this Python."""


@dataclass(frozen=True)
class Environment:
    """One PyTorch on one Python in the folder ``folder``.

    torch: a version, or newest. python: a version, or the path of one. index: of PyTorch, or None. packages: further ones.
    """

    folder: Path
    torch: str
    python: str
    index: "str | None"
    packages: "tuple[str, ...]"

    @property
    def executable(self):
        return self.folder / "bin" / "python"

    @property
    def stamp(self):
        """The file that says what a whole environment is made of."""
        return self.folder / "torchthaw-check.json"

    @property
    def facts(self):
        """{torch, python, ...}: the versions that are there; {} unless it is whole and what was asked for."""
        try:
            facts = json.loads(self.stamp.read_text("utf-8"))
            age = time.time() - self.stamp.stat().st_mtime
        except (OSError, ValueError):
            return {}
        asked = facts.get("asked") == self._asked()
        return facts if asked and self.executable.exists() and (self.torch != "newest" or age < DAY) else {}

    def _asked(self):
        return [self.torch, self.python, self.index, *self.packages]

    def variables(self, **more):
        """The environment of processes there: pip and uv keep its PyTorch."""
        kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
        path = os.pathsep.join([os.fspath(self.folder / "bin"), kept.get("PATH", os.defpath)])
        held = self.folder / "constraints.txt"
        own = {"PATH": path, "VIRTUAL_ENV": os.fspath(self.folder), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
        if held.exists():  # pip splits its variable at spaces, which an address has none of
            own |= {"PIP_CONSTRAINT": held.as_uri(), "UV_CONSTRAINT": os.fspath(held)}
        return {**kept, **own, **more}

    def make(self, log, seconds):
        """Makes it anew. Raises steps.StepError; NoWheelError."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.parent.mkdir(parents=True, exist_ok=True)

        def run(*words):
            return steps.run(words, log, seconds=seconds, cwd=self.folder.parent, env=self.variables())

        if uv := shutil.which("uv"):
            run(uv, "venv", "--seed", "--python", self.python, self.folder)
        else:
            run(interpreter(self.python), "-m", "venv", self.folder)
        torch = "torch" if self.torch == "newest" else f"torch=={self.torch}"
        index = ["--index-url", self.index] if self.index else []
        before = log.stat().st_size
        try:
            self.install(run, [*index, torch])
        except steps.StepError:
            if lacks_wheel(log.read_bytes()[before:].decode(errors="replace")):
                raise NoWheelError(f"PyTorch has no wheel of {self.torch} for Python {self.python}") from None
            raise
        facts = json.loads(run(self.executable, "-c", FACTS)[-1])
        writing.write(self.folder / "constraints.txt", f"torch=={facts['torch']}\n")
        self.install(run, [*TOOLS, *self.packages])
        writing.write(self.stamp, json.dumps({**facts, "asked": self._asked()}))

    def install(self, run, words):
        """By uv; by pip where there is none, or where it fails: pip may have another configuration."""
        if uv := shutil.which("uv"):
            try:
                return run(uv, "pip", "install", "--python", self.executable, *words)
            except steps.StepError:
                pass
        return run(self.executable, "-m", "pip", "install", *words)


def lacks_wheel(said):
    """Whether pip or uv said that the index has PyTorch, but not this version for this Python."""
    return bool(NO_WHEEL.search(said)) and not UNREACHABLE.search(said)


def interpreter(python):
    """The path of a Python: of this version, the one that runs this where it has it, else one on PATH."""
    if os.sep in python:
        return python
    if python == "{}.{}".format(*sys.version_info[:2]):
        return sys.executable
    found = shutil.which(f"python{python}")
    if found and child.run([found, "-c", ""], seconds=30).status == 0:
        return found
    raise steps.StepError(
        f"--python: expected a Python {python} on PATH, found none; uv, where it is installed, gets one"
    )
