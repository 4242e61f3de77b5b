"""copies.py: a copy of the tracked files, with an environment of its own: what is built and changed there reaches no other."""

import os
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CHECKOUT = "torchthaw-checkout.pth"  # bootstrap writes it


@dataclass(frozen=True)
class Copy:
    """The tracked files of the checkout in ``folder``."""

    folder: Path

    @property
    def python(self):
        return self.folder / ".venv" / "bin" / "python"

    def update(self):
        """Makes the files those of the checkout, as they are now; what git ignores stays, such as what was built."""
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
        names = listed.decode().split("\0")[:-1]
        for name in names:
            source, to = ROOT / name, self.folder / name
            to.parent.mkdir(parents=True, exist_ok=True)
            if source.is_symlink():
                to.unlink(missing_ok=True)
                to.symlink_to(source.readlink())
            elif source.is_file() and not (to.is_file() and to.read_bytes() == source.read_bytes()):
                shutil.copy(source, to)  # with the time of now: what was built from another text is built again
        shutil.rmtree(self.folder / ".git", ignore_errors=True)  # tests ask git for the files
        self.run("git", "init", "--quiet")
        self.run("git", "add", "--force", *filter(lambda name: os.path.lexists(self.folder / name), names))
        others = self.run("git", "ls-files", "-z", "--others", "--exclude-standard", capture_output=True).stdout
        for name in others.decode().split("\0")[:-1]:  # gone from the checkout
            (self.folder / name).unlink()
        self._make_environment()

    def _make_environment(self):
        """.venv: links to the packages of this Python, but the one that names the checkout names the copy."""
        given, made = Path(sys.prefix), self.folder / ".venv"
        packages = Path(sysconfig.get_path("purelib")).relative_to(given)
        made.unlink() if made.is_symlink() else shutil.rmtree(made, ignore_errors=True)
        (made / packages).mkdir(parents=True)
        for path in [*given.iterdir(), *(given / packages).iterdir()]:
            link = made / path.relative_to(given)
            if not link.exists() and path.name not in ("lib64", CHECKOUT):
                link.symlink_to(path)
        (made / packages / CHECKOUT).write_text(f"{self.folder / 'src'}\n{self.folder}\n")

    def run(self, *command, check=True, environment=None, **options):
        """subprocess.run of a command there, with its Python; ``environment`` is added to that of this process."""
        path = os.pathsep.join([str(self.folder / "src"), str(self.folder)])
        programs = os.pathsep.join([str(self.python.parent), os.environ["PATH"]])
        given = {**os.environ, "PYTHONPATH": path, "PATH": programs, **(environment or {})}
        return subprocess.run([*map(str, command)], cwd=self.folder, env=given, check=check, **options)
