"""torchthaw/check/cells.py: one cell of the table of a check: an environment, a build in it, and the tests."""

import json
import os
import re
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from ..base import cache, config, writing
from . import project, steps
from .environments import Environment, NoWheelError

PASSED, FAILED, NOT_RUN, NO_WHEEL = "passed", "failed", "not run", "no wheel"
REQUIREMENTS = "import build, sys; print(*build.ProjectBuilder(sys.argv[1]).build_system_requires, sep='\\n')"
# What torchthaw needs in an environment whose builds it runs.
OWN_PACKAGES = "cffi>=1.16,<3", "PyYAML>=6"
IMPORT = "import importlib, sys, torch\nfor name in sys.argv[1:]: importlib.import_module(name)"


@dataclass
class Row:
    """What came of a cell.

    torch, python: as asked for, and as found. environment: made, kept, failed, or "no wheel" of PyTorch. build, test:
    passed, failed or not run, and how many seconds. error: the first one. log: the file that has all.
    """

    torch: str
    python: str
    torch_found: str = ""
    python_found: str = ""
    environment: str = NOT_RUN
    build: str = NOT_RUN
    build_seconds: float = 0
    test: str = NOT_RUN
    test_seconds: float = 0
    error: str = ""
    log: str = ""

    @property
    def failed(self):
        return FAILED in (self.environment, self.build, self.test)


class Matrix:
    """The cells of one check of the project in the folder ``source``; options: those of the command line."""

    def __init__(self, source, options):
        self.source, self.options = source, options
        name = re.sub(r"[^\w.-]", "_", source.name)  # build tools split paths at spaces
        self.folder = cache.root() / "check" / f"{name}-{cache.digest(os.fspath(source))}"
        self.has_built = False  # whether this check has tried to build the wheel of --portable
        self.builder = None  # the first cell, which builds that wheel

    def cells(self):
        """[Environment], with the newest PyTorch first where its wheel is for all."""
        options = self.options
        packages = [*options.packages, *["pytest"] * ("pytest" in options.words[:3])]
        packages += OWN_PACKAGES if options.by_run or options.portable else ()
        found = [
            Environment(self.folder / _named(torch, python) / "environment", torch, python, options.index, tuple(packages))
            for torch in options.torch for python in options.python
        ]  # fmt: skip
        if options.portable:
            found.sort(key=lambda each: _order(each.torch), reverse=True)
            self.builder = f"{found[0].torch} {found[0].python}"
        return found

    def check(self, environment, say):
        """The Row of a cell. ``say`` is told what is done."""
        folder = environment.folder.parent
        with cache.locked(folder, cache.root(), ended=Exception):
            return _Cell(self, environment, folder, say).row()


def _named(torch, python):
    return f"torch-{torch}-python-{python.replace(os.sep, '_')}"


def _order(version):
    """What versions are sorted by: newest is the largest one."""
    return version == "newest", [int(part) for part in re.findall(r"\d+", version)]


class _Cell:
    """One cell while it is checked."""

    def __init__(self, matrix, environment, folder, say):
        self.matrix, self.environment, self.options = matrix, environment, matrix.options
        self.work, self.folder = folder / "project", folder
        self.log, self.result = folder / "log.txt", folder / "result.json"
        self.say = lambda text: say(f"torch {environment.torch}, Python {environment.python}: {text}")
        self.made, self.digest = Row(environment.torch, environment.python, log=os.fspath(self.log)), ""

    def row(self):
        """Checks it, unless there is a result of the same files and commands."""
        project.copy(self.matrix.source, self.work)
        self.digest = project.digest(self.work)  # before anything is built there
        if kept := self.kept():
            self.say(f"as before: {'failed' if kept.failed else 'passed'}")
            return kept
        writing.write(self.log, b"")
        made = self.made
        try:
            self.make_environment()
            self.timed("build", self.build)
            self.timed("test", self.test)
        except NoWheelError as error:
            made.environment, made.error = NO_WHEEL, str(error)
            self.say(made.error)
        except steps.StepError as error:
            made.error = str(error)
            self.say(f"failed: {made.error}")
        if made.build != NOT_RUN:  # what kept an environment from being made may have gone the next time
            writing.write(
                self.result, json.dumps({"of": self.facts(), "builder": self.matrix.builder, "row": asdict(made)})
            )
        return made

    def facts(self):
        """What a result depends on."""
        options = self.options
        asked = [options.words, options.build, options.by_run, options.portable]
        return [self.digest, *asked, self.environment.facts, config.__version__]

    def kept(self):
        """The Row of an earlier run; None without one of today's files, commands and environment."""
        if self.options.again or self.options.fresh or not self.environment.facts:
            return None
        try:
            kept = json.loads(self.result.read_text("utf-8"))
            row = Row(**{**kept["row"], "environment": "kept"})
            # Another PyTorch may build the wheel for all where that one could not.
            is_same = kept["of"] == self.facts() and (row.build != FAILED or kept["builder"] == self.matrix.builder)
            return row if is_same else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def timed(self, name, does):
        """Runs a step, and puts what came of it into the row."""
        begin, came = time.monotonic(), FAILED
        self.say({"build": "builds", "test": "tests"}[name])
        try:
            does()
            came = PASSED
        finally:
            vars(self.made).update({name: came, f"{name}_seconds": time.monotonic() - begin})

    def make_environment(self):
        environment, made = self.environment, self.made
        facts, made.environment = environment.facts, "kept"
        if not facts or self.options.fresh:
            self.say("makes an environment")
            made.environment = FAILED
            environment.make(self.log, self.options.seconds)
            facts, made.environment = environment.facts, "made"
        made.torch_found, made.python_found = facts["torch"], facts["python"]

    def execute(self, *words, **variables):
        """Runs a command in the environment, in the copy; the lines that it printed."""
        environment = self.environment.variables(**variables)
        return steps.run(words, self.log, seconds=self.options.seconds, cwd=self.work, env=environment)

    def build(self):
        """Builds the project and installs its wheel; or builds it by the command that was given."""
        if self.options.build:
            self.execute("/bin/sh", "-c", self.options.build)
            return
        if self.options.portable:
            with cache.locked(self.wheels, cache.root(), ended=Exception):
                self.make_wheel_for_all()
        else:
            self.make_wheel()
        wheel = self.wheel()
        pip = [self.environment.executable, "-m", "pip"]
        name = wheel.name.partition("-")[0]
        self.execute(*pip, "uninstall", "--yes", name)  # pip keeps one of the same version
        self.execute(*pip, "install", wheel)

    @property
    def wheels(self):
        """The folder of the wheel: one for all cells, by the project's content, or the cell's own."""
        made_of = cache.digest(f"{self.digest} {config.__version__}")
        return self.matrix.folder / "portable" / made_of if self.options.portable else self.folder / "wheels"

    def make_wheel_for_all(self):
        """Builds it, unless an earlier cell or check did; one that failed is not tried again beside another PyTorch."""
        is_wanted = self.options.again or self.options.fresh or not [*self.wheels.glob("*.whl")]
        if is_wanted and not self.matrix.has_built:
            self.matrix.has_built = True
            self.make_wheel()

    def make_wheel(self):
        """Builds the wheel with the environment's own PyTorch: an isolated build would get another one."""
        python, options = self.environment.executable, self.options
        for old in self.wheels.glob("*.whl"):
            old.unlink()
        required = [line.strip() for line in self.execute(python, "-c", REQUIREMENTS, self.work) if line.strip()]
        with_own = options.by_run or options.portable
        there = {"torch", "torchthaw"} if with_own else {"torch"}
        needed = [each for each in required if re.match(r"[\w.-]*", each)[0].lower() not in there]
        if needed:
            self.execute(python, "-m", "pip", "install", *needed)
        portable = ["--portable"] if options.portable else []
        run = ["-m", "torchthaw", "run", *portable] if with_own else ["-m"]
        own = {"PYTHONPATH": os.fspath(_only_torchthaw())} if with_own else {}
        words = ["wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", self.wheels, "."]
        self.execute(python, *run, "pip", *words, **own)

    def wheel(self):
        """The wheel that is installed here."""
        found = sorted(self.wheels.glob("*.whl"))
        if not found:
            raise steps.StepError("no wheel to install: its build failed, see the first row that built")
        return found[0]

    def test(self):
        """Runs the tests; without any, imports what the wheel brought."""
        if self.options.words:
            self.execute(*self.options.words)
        else:
            self.execute(self.environment.executable, "-I", "-c", IMPORT, *project.modules(self.wheel()))


def _only_torchthaw():
    """A folder that has this torchthaw, and nothing that is installed beside it."""
    return cache.layout("check_torchthaw", {}, {"torchthaw": Path(config.PACKAGE)})
