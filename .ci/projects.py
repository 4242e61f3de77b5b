"""projects.py: builds real projects with PyTorch alone, then under `python -m torchthaw run`, and writes the table.

    make projects                             all of tests/projects/, beside the PyTorch of .venv
    make projects only="nnfc DCNv2"           some of them
    make projects torch=2.15.0 publish=1      in an environment of this PyTorch, as make compat makes them; into the table
    make projects environment=/path/python    in the environment of that Python
    make projects applied=1                   after `doctor --apply`; publish=1 writes the second table
    make projects cuda=cpu                    kernels run on the CPU; publish=1 writes the third table
    make projects edits=1                     only `doctor --apply`, whose edits must be those that were read; fourth table

A project is one record, tests/projects/NAME.toml; docs/reference/projects.md explains its keys. TORCHTHAW_PROJECTS names a
folder of git repositories, OWNER+NAME/repo, OWNER+NAME, OWNER/NAME or NAME, each also with .git behind it; what is not
there is cloned from GitHub. A project is built in a clone of its own, in build/projects/NAME/WAY/, with an environment on
top of PyTorch's, so that its steps may install what they like; logs are beside it. CUDA code is built where nvcc and a
PyTorch with CUDA are found. --publish writes docs/reference/projects.md. The exit status is 1 where a project stops
under `run` and its record names no fault, comes less far after `doctor --apply` than the first table says, or has edits
that nobody has read, as doctor_edits.py compares them.
"""

import argparse
import dataclasses
import datetime
import json
import os
import subprocess
import sys
import venv
from pathlib import Path

import compat
import cuda_samples
import doctor_edits
import page
import projects_table
import tomlkit

from torchthaw.extension import cuda

ROOT = Path(__file__).resolve().parents[1]
RECORDS = ROOT / "tests" / "projects"
FOLDER = ROOT / "build" / "projects"
PAGE = ROOT / "docs" / "reference" / "projects.md"
README = ROOT / "README.md"
GITHUB = "https://github.com"
ARCHITECTURE = "8.0"
LIMIT = 900  # seconds for a step
DOCTOR_NEEDS = ["cffi", "fissix"]
PACKAGES = ["cffi", "fissix", "ninja", "numpy", "pytest", "scipy-openblas32", "setuptools", "wheel"]
RUN = ["-m", "torchthaw", "run"]
WAYS = {"plain": [], "run": RUN, "cpu": RUN}  # what stands between python and a step's words; cpu: CUDA code runs there
APPLIED = {"ffi": "run", "cpp": "plain"}  # how an edited project is built: the doctor cures C++ for PyTorch alone
# Words after `python`, lines of a shell, Python, the record below RECORDS that has the same Python.
FORMS = {"command", "script", "code", "code_of"}
# Where a step is run: any, where CUDA code is built, where kernels run, anywhere and with CUDA tensors where kernels run.
CUDA = (False, True, "runs", "also")
ABOUT = """
import importlib.util, json, os, runpy, sys
torch = importlib.util.find_spec("torch").submodule_search_locations[0]
version = runpy.run_path(os.path.join(torch, "version.py"))
folders = [path for path in sys.path if path.endswith("-packages")]
print(json.dumps({"torch": version["__version__"], "cuda": version["cuda"], "folders": folders}))
"""
# A module of the plain way's environment. `run` itself makes PyTorch say that there is a card for a build that wants
# CUDA code; PyTorch alone must say it too, or its first error would be that there is none.
CARD = """
import importlib.abc, importlib.machinery, os, sys


class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name != "torch.cuda":
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        original = spec.loader.exec_module

        def exec_module(module):
            original(module)
            module.is_available = lambda: True

        spec.loader.exec_module = exec_module
        return spec


if os.environ.get("TORCHTHAW_BUILD_CUDA"):
    sys.meta_path.insert(0, Finder())
"""


class ProjectError(Exception):
    """A project could not be tried; the message says why."""


@dataclasses.dataclass
class Project:
    """One record."""

    name: str
    repository: str
    commit: str
    licence: str  # an SPDX name, or what the repository says
    kind: str  # ffi or cpp
    steps: list
    cuda: str = "none"  # none, part or only
    needs: list = dataclasses.field(default_factory=list)  # packages for pip
    beside: dict = dataclasses.field(default_factory=dict)  # path from the clone: OWNER/NAME@COMMIT of another one
    folder: str = "."
    environment: dict = dataclasses.field(default_factory=dict)
    doctor: bool = False  # before the steps under run: its Python is edited
    short: bool = False
    note: str = ""
    fault: str = ""
    fault_on_cpu: str = ""
    edits: dict = dataclasses.field(default_factory=dict)  # those that were read: lines, files, false, digest

    def has_kernels(self):
        """Whether a step shows what kernels compute."""
        return any(step.get("cuda") in ("runs", "also") for step in self.steps)


@dataclasses.dataclass
class Environment:
    """A Python with PyTorch, and what both ways get from it."""

    python: Path
    torch: str
    folders: list
    variables: dict
    cuda: bool
    headers: str = ""  # a folder of those that the toolkit lacks, for PyTorch alone; `run` finds them itself


@dataclasses.dataclass
class Outcome:
    """What came of one way: what was shown, and the message of the step that failed."""

    shown: list
    failed: str = ""
    message: str = ""
    replaced: list = dataclasses.field(default_factory=list)
    built: dict = dataclasses.field(default_factory=dict)  # extension -> "CUDA" or "CPU"
    edits: doctor_edits.Edits | None = None  # those of the doctor


def records(folder):
    """{name: Project} of all files there."""
    return {path.stem: record(path) for path in sorted(folder.glob("*.toml"), key=lambda path: path.stem.lower())}


def record(path):
    fields = tomlkit.parse(path.read_text()).unwrap()
    try:
        project = Project(path.stem, **fields)
    except TypeError as error:
        raise ProjectError(f"{path.name}: {error}") from None
    for step in project.steps:
        unknown = step.keys() - {"shows", *FORMS, "folder", "limit", "cuda"}
        if unknown or step.get("shows") not in projects_table.SHOWS or len(step.keys() & FORMS) != 1:
            raise ProjectError(f"{path.name}: steps: expected shows and one of {sorted(FORMS)}, got {sorted(step)}")
        if step.get("cuda", False) not in CUDA:
            raise ProjectError(f"{path.name}: steps: cuda: expected one of {CUDA[1:]}, got {step['cuda']!r}")
        if "code_of" in step:
            step["code"] = tomlkit.parse((RECORDS / step["code_of"]).read_text()).unwrap()["code"]
    return project


def source(repository, folder):
    """The git repository to clone from: one in the folder, else GitHub's."""
    owner, name = repository.split("/")
    if folder:
        for place in (f"{owner}+{name}/repo", f"{owner}+{name}", f"{owner}/{name}", name):
            for path in (Path(folder) / place, Path(folder) / f"{place}.git"):
                if (path / "HEAD").exists() or (path / ".git").exists():
                    return path
    return f"{GITHUB}/{repository}.git"


def checkout(repository, commit, folder, into, log):
    """The commit's files in a clone. Files that a partial mirror lacks are left out."""
    git = ["git", "-C", into]
    for command in (
        ["git", "clone", "--quiet", "--no-checkout", source(repository, folder), into],
        [*git, "update-ref", "--no-deref", "HEAD", commit],
        [*git, "read-tree", "HEAD"],
    ):
        if compat.run(command, log, LIMIT, env={**os.environ, "GIT_TERMINAL_PROMPT": "0"}):
            raise ProjectError(f"{repository} at {commit} could not be cloned, see {log}")
    compat.run([*git, "checkout-index", "--all", "--force", "--quiet"], log)


def overlay(prefix, environment, way):
    """An environment that has the packages of another one, and takes what a project installs."""
    venv.create(prefix, symlinks=True)
    python = prefix / "bin" / "python"
    (packages,) = prefix.glob("lib/python*/site-packages")
    lines = [f"import site; site.addsitedir({path!r})" for path in environment.folders]
    if way == "plain":
        (packages / "card.py").write_text(CARD)
        lines.append("import card")
    (packages / "below.pth").write_text("\n".join(lines) + "\n")
    return python


def described(python):
    """The Environment of this Python; CUDA where nvcc is found and PyTorch is for CUDA."""
    done = subprocess.run([python, "-c", ABOUT], capture_output=True, text=True)
    if done.returncode:
        raise ProjectError(f"{python}: expected a Python with PyTorch, got {done.stderr.strip().splitlines()[-1:]}")
    about = json.loads(done.stdout)
    variables = compat.environment_of(Path(python).parent.parent, FOLDER)
    try:
        toolkit = about["cuda"] and cuda.toolkit()
    except FileNotFoundError:
        toolkit = None
    if toolkit:
        variables |= {
            "CUDA_HOME": os.fspath(toolkit.root),
            "TORCH_CUDA_ARCH_LIST": os.environ.get("TORCH_CUDA_ARCH_LIST", ARCHITECTURE),
        }  # fmt: skip
    headers = cuda_samples.missing_headers(python, variables) if toolkit else ""
    return Environment(Path(python), about["torch"], about["folders"], variables, bool(toolkit), headers)


def made(version):
    """The Python of an environment with this PyTorch; it stays in build/projects/ for the next run."""
    prefix, log = FOLDER / f"torch-{version}", FOLDER / f"torch-{version}.log"
    stamp = prefix / "whole"
    if not stamp.exists():
        compat.remove(prefix, log)
        if not compat.install(sys.executable, prefix, version, PACKAGES, False, log, None):
            raise ProjectError(f"PyTorch {version} has no wheel for this Python")
        stamp.touch()
    return prefix / "bin" / "python"


def attempt(project, way, environment, folder, applied=False):
    """The Outcome of one way; the log of step N is build/projects/NAME/WAY-N.log, that of the clone WAY-0.log.

    applied: the doctor edits it first; WAY is "applied" in the names.
    """
    place, name = FOLDER / project.name, "applied" if applied else way
    prefix = place / f"{name}-environment"
    compat.remove(prefix)
    copy, start = clone_of(project, name, folder)
    for path, other in project.beside.items():
        compat.remove(copy / path)
        checkout(*other.split("@"), folder, copy / path, start)
    python = overlay(prefix, environment, way)
    variables = {
        **environment.variables, "PATH": os.pathsep.join([os.fspath(python.parent), environment.variables["PATH"]]),
        "TORCHTHAW_CACHE": os.fspath(prefix / "cache"), "TORCH_EXTENSIONS_DIR": os.fspath(prefix / "extensions"),
        "PYTHONPATH": os.pathsep.join([os.fspath(ROOT / "src")] * (way != "plain") + [os.fspath(RECORDS)]),
        **(on_cpu() if way == "cpu" else {}),
        **({"CPATH": environment.headers} if way == "plain" and environment.headers else {}), **project.environment,
    }  # fmt: skip
    edited = applied or project.doctor and way != "plain"
    needs = [*project.needs, *(DOCTOR_NEEDS if edited else [])]
    if needs and compat.run(compat.pip(python, "install", "-q", *needs), start, LIMIT, env=variables):
        raise ProjectError(f"{project.name}: {' '.join(needs)} could not be installed, see {start}")
    outcome = Outcome([], edits=edited_by_doctor(project, python, copy, variables) if edited else None)
    for number, step in enumerate(project.steps, 1):
        if not taken(step, way, environment):
            continue
        log = place / f"{name}-{number}.log"
        # Nothing but the build is to believe in a card.
        own = (
            {**variables, "TORCHTHAW_BUILD_CUDA": "1"} if environment.cuda and step["shows"] == "builds" else variables
        )
        status = compat.run(
            words(step, way, python, log.with_suffix(".sh")), log, step.get("limit", LIMIT),
            cwd=copy / step.get("folder", project.folder), env=own,
        )  # fmt: skip
        text = log.read_text(errors="replace")
        outcome.replaced += [line for line in projects_table.told(text) if line not in outcome.replaced]
        if status:
            outcome.failed = step["shows"]
            outcome.message = projects_table.message(text) if isinstance(status, int) else status
            outcome.shown = [shown for shown in outcome.shown if shown != step["shows"]]
            break
        outcome.shown += [step["shows"]] if step["shows"] not in outcome.shown else []
    outcome.built = built(copy, prefix / "extensions", *prefix.glob("lib/python*/site-packages"))
    return outcome


def clone_of(project, way, folder):
    """(a new clone of a project in build/projects/NAME/WAY/, its log)"""
    place = FOLDER / project.name
    copy, log = place / way / project.repository.split("/")[1], place / f"{way}-0.log"
    compat.remove(place / way, *place.glob(f"{way}-*.*"))
    copy.parent.mkdir(parents=True)
    checkout(project.repository, project.commit, folder, copy, log)
    return copy, log


def built(*folders):
    """{extension: "CUDA" or "CPU"} of the shared objects there; of several with one name, CUDA counts."""
    found = {}
    for path in (path for folder in folders for path in sorted(folder.rglob("*.so")) if path.is_file()):
        name = path.name.partition(".")[0]
        found[name] = "CUDA" if found.get(name) == "CUDA" or cuda.embedded(path) else "CPU"
    return found


def on_cpu():
    """Variables for kernels on the CPU: one cache for all projects, since PyTorch's CUDA device is built once."""
    return {"TORCHTHAW_CUDA": "cpu", "TORCHTHAW_CACHE": os.fspath(FOLDER / "cuda-on-cpu"), "CFLAGS": "-g0 -O1"}


def taken(step, way, environment):
    """Whether a way takes a step. Where kernels run, values are theirs alone."""
    where = step.get("cuda")
    if way == "cpu":
        return step["shows"] != "values right" or where in ("runs", "also")
    return where != "runs" and (where is not True or environment.cuda)


def edited_by_doctor(project, python, copy, variables):
    """Lets the doctor edit the clone; its Edits, which must be those of the record."""
    made = doctor_edits.make(python, copy, {**variables, "PYTHONPATH": os.fspath(ROOT / "src")}, LIMIT)
    doctor_edits.compare(project.name, made, project.edits, copy, FOLDER / project.name / "edits.diff")
    return made


def edits_of(project, environment, folder):
    """The row of the fourth table: what a person has read. Nothing is built."""
    copy, _ = clone_of(project, "edits", folder)
    made = edited_by_doctor(project, environment.python, copy, dict(os.environ))
    print(f"{project.name}: doctor --apply: {made.told()}, as they were read", flush=True)
    return projects_table.edits_row(project, made)


def words(step, way, python, file):
    """The command of a step; the lines of a script go into ``file``."""
    if "code" in step:
        return [python, *WAYS[way], "-c", step["code"]]
    if "script" in step:
        file.write_text(f"set -e\n{step['script']}")
        return [*([python, *WAYS[way]] if WAYS[way] else ["bash"]), file]
    command = step["command"].split()
    if not WAYS[way] and command[0].endswith((".sh", ".bash")):
        return ["bash", *command]
    return [python, *WAYS[way], *command]


def row_of(project, environment, folder):
    """The row of the table."""
    outcomes = {way: attempt(project, way, environment, folder) for way in ("plain", "run")}
    for way, outcome in outcomes.items():
        print(f"{project.name}: {way}: {projects_table.told_of(outcome)}", flush=True)
    if project.fault and not outcomes["run"].failed and (environment.cuda or project.cuda == "none"):
        print(f"{project.name}: its record names a fault ({project.fault}), and it works now", flush=True)
    return projects_table.row(project, environment, outcomes, datetime.date.today().isoformat())


def applied_row_of(project, environment, folder):
    """The row of the second table."""
    way = APPLIED[project.kind]
    outcome = attempt(project, way, environment, folder, applied=True)
    row = projects_table.applied_row(project, environment, way, outcome, PAGE, datetime.date.today().isoformat())
    print(f"{project.name}: doctor --apply: {outcome.edits.told()}: {row['cells']['after the edits']}", flush=True)
    return row


def kernels_row_of(project, environment, folder):
    """The row of the third table."""
    outcome = attempt(project, "cpu", environment, folder)
    print(f"{project.name}: CUDA on the CPU: {projects_table.told_of(outcome)}", flush=True)
    return projects_table.kernels_row(project, environment, outcome, datetime.date.today().isoformat())


ROWS = {"projects": row_of, "applied": applied_row_of, "kernels": kernels_row_of, "edits": edits_of}


def options(names):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="projects; by default all")
    parser.add_argument("--short", action="store_true", help="the three that take least, if TORCHTHAW_PROJECTS is set")
    parser.add_argument("--publish", action="store_true", help="write the rows into docs/reference/projects.md")
    table = parser.add_mutually_exclusive_group()
    table.add_argument("--applied", action="store_true", help="only after doctor --apply: the second table")
    table.add_argument(
        "--edits", action="store_true", help="only doctor --apply, whose edits were read: the fourth table"
    )
    table.add_argument("--cuda", choices=["cpu"], help="kernels run on the CPU: the third table")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--torch", type=compat.versions(r"\d+\.\d+\.\d+", "2.15.0"), help="a version to install")
    which.add_argument("--environment", type=Path, metavar="PYTHON", help="a Python that has PyTorch")
    chosen = parser.parse_args()
    unknown = [name for name in chosen.names if name not in names]
    if unknown:
        parser.error(f"NAME: expected some of {' '.join(names)}, got {' '.join(unknown)}")
    return chosen


def main():
    compat.set_signals()
    bad = []
    try:
        known = records(RECORDS)
        chosen, folder = options(known), os.environ.get("TORCHTHAW_PROJECTS")
        wanted = chosen.names or [name for name, project in known.items() if project.short or not chosen.short]
        if chosen.cuda:
            wanted = [name for name in wanted if known[name].has_kernels()]
        if chosen.short and not folder:
            print(f"make projects: TORCHTHAW_PROJECTS names no folder of git repositories; skipped: {' '.join(wanted)}")
            return
        FOLDER.mkdir(parents=True, exist_ok=True)
        python = made(chosen.torch[0]) if chosen.torch else chosen.environment or sys.executable
        environment = described(python)
        table = "applied" if chosen.applied else "kernels" if chosen.cuda else "edits" if chosen.edits else "projects"
        for name in wanted:
            project = known[name]
            if project.cuda == "only" and not environment.cuda and table not in ("kernels", "edits"):
                print(f"{name}: skipped: it is for GPUs alone; nvcc or a PyTorch with CUDA is missing", flush=True)
                continue
            try:
                row = ROWS[table](project, environment, folder)
            except (ProjectError, doctor_edits.EditsError) as error:
                bad.append(str(error))
                continue
            if row["stops"]:
                bad.append(f"{name}: {row['stops']}; logs: {FOLDER / name}")
            if chosen.publish:
                projects_table.publish(PAGE, table, row)
                page.write(README, "built", projects_table.headlines(PAGE))
    except (ProjectError, compat.CellError) as error:
        bad.append(str(error))
    sys.exit("\n".join(["make projects:", *bad]) if bad else 0)


if __name__ == "__main__":
    main()
