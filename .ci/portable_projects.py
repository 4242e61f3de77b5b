"""portable_projects.py: builds real projects once, as portable extensions, and runs that one wheel on several PyTorchs.

    make portable-projects                                  all of tests/projects/portable/, on VERSIONS
    make portable-projects only=detectron2 torch="2.4.1 2.15.0" publish=1

A record has the repository, its commit, the folder of its setup.py, and code that raises where a value is wrong. The wheel
is built beside the PyTorch of this Python. Code runs in environments of other PyTorchs, as make projects makes them: with
operators by their C++ names, and by Python. --publish writes a table into docs/reference/projects.md.
"""

import argparse
import dataclasses
import datetime
import os
import sys
from pathlib import Path

import compat
import compat_table
import page
import tomlkit

import projects

RECORDS = projects.RECORDS / "portable"
VERSIONS = ("2.4.1", "2.7.1", "2.10.0", "2.13.0", "2.15.0")
WAYS = {"by C++'s names": {}, "by Python": {"TORCHTHAW_NO_MANGLED_NAMES": "1"}}
HEAD = ["project", "compared", "wheel", "right on PyTorch", "commit", "built beside", "date"]


@dataclasses.dataclass
class Record:
    """A project: where it is, and what its values are compared with."""

    name: str
    repository: str
    commit: str
    licence: str
    compares: str
    code: str
    folder: str = "."
    builds_with: list = dataclasses.field(default_factory=list)  # packages that its build imports
    beside: dict = dataclasses.field(default_factory=dict)  # path from the clone: OWNER/NAME@COMMIT of another one
    beside_its_sources: bool = False  # the code imports modules of the repository
    needs: list = dataclasses.field(default_factory=list)  # packages that its Python imports, besides NumPy
    environment: dict = dataclasses.field(default_factory=dict)
    oldest: str = "2.4"  # PyTorch that the project's own Python needs

    def runs_on(self, version):
        return compat_table.numbers(version) >= compat_table.numbers(self.oldest)


def records():
    """{name: Record}"""
    paths = sorted(RECORDS.glob("*.toml"))
    return {path.stem: Record(path.stem, **tomlkit.parse(path.read_text("utf-8")).unwrap()) for path in paths}


def wheel_of(record, place):
    """The one wheel that the project's sources become."""
    copy, log = place / record.repository.split("/")[1], place / "build.log"
    compat.remove(copy, log, place / "wheels")
    place.mkdir(parents=True, exist_ok=True)
    mirrors = os.environ.get("TORCHTHAW_PROJECTS")
    projects.checkout(record.repository, record.commit, mirrors, copy, log)
    for path, other in record.beside.items():
        compat.remove(copy / path)
        projects.checkout(*other.split("@"), mirrors, copy / path, log)
    tools = place / "tools"
    compat.remove(tools)
    pip = compat.pip(sys.executable, "install", "-q", "--target", tools, *record.builds_with)
    if record.builds_with and compat.run(pip, log):
        raise projects.ProjectError(f"{record.name}: {' '.join(record.builds_with)} could not be installed, see {log}")
    words = [
        "run",
        "--portable",
        "pip",
        "wheel",
        "--no-build-isolation",
        "--no-deps",
        "-v",
        "-w",
        place / "wheels",
        ".",
    ]
    path = os.pathsep.join([os.fspath(projects.ROOT / "src"), os.fspath(tools)])
    own = {"PYTHONPATH": path, "CUDA_VISIBLE_DEVICES": ""}
    variables = {**os.environ, **record.environment, **own}
    status = compat.run([sys.executable, "-m", "torchthaw", *words], log, 3600, cwd=copy / record.folder, env=variables)
    found = [*place.glob("wheels/*.whl")]
    if status or len(found) != 1 or "-cp310-abi3-" not in found[0].name:
        raise projects.ProjectError(f"{record.name}: expected one wheel for cp310-abi3, got {found}, see {log}")
    return found[0], copy


def is_right(record, wheel, copy, python, version):
    """Whether the record's code ends without an error beside this PyTorch, each way; says where it does not."""
    site = wheel.parent.parent / f"site-{version}"
    log = wheel.parent.parent / f"{version}.log"
    compat.remove(site, log)
    if compat.run(compat.pip(python, "install", "-q", "--no-deps", "--target", site, wheel, *record.needs), log):
        raise projects.ProjectError(
            f"{record.name}: {wheel.name} could not be installed beside PyTorch {version}, see {log}"
        )
    variables = compat.environment_of(Path(python).parent.parent, projects.FOLDER)
    for way, chosen in WAYS.items():
        environment = {**variables, **chosen, "PYTHONPATH": os.fspath(site)}
        folder = copy if record.beside_its_sources else site
        if compat.run([python, "-c", record.code], log, 600, cwd=folder, env=environment):
            print(f"{record.name}: wrong on PyTorch {version}, operators {way}, see {log}", flush=True)
            return False
    return True


def row_of(record, versions):
    """The cells of the table; versions: {version: its Python}."""
    wheel, copy = wheel_of(record, projects.FOLDER / "portable" / record.name)
    tried = {version: python for version, python in versions.items() if record.runs_on(version)}
    right = [version for version, python in tried.items() if is_right(record, wheel, copy, python, version)]
    print(f"{record.name}: {wheel.name}: right on {', '.join(right) or 'none'}", flush=True)
    beside = projects.described(sys.executable).torch
    name = f"[{record.name}](https://github.com/{record.repository})"
    size = f"{wheel.stat().st_size / 1024:.0f} kB"
    today = datetime.date.today().isoformat()
    cells = [name, record.compares, size, ", ".join(right), record.commit[:8], beside, today]
    return cells, len(right) == len(tried)


def publish(rows):
    """Writes rows into the table; those of other projects stay."""
    old = {cells[0]: cells for cells in page.cells(page.part(projects.PAGE, "portable"))}
    lines = {**old, **{cells[0]: cells for cells in rows}}
    page.write(projects.PAGE, "portable", page.table([HEAD, *(lines[name] for name in sorted(lines, key=str.lower))]))


def main():
    known = records()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(known))
    parser.add_argument("--torch", nargs="*", default=VERSIONS, help="versions of PyTorch")
    parser.add_argument("--publish", action="store_true")
    chosen = parser.parse_args()
    if unknown := {*chosen.names} - known.keys():
        parser.error(f"NAME: expected some of {', '.join(known)}, got {', '.join(sorted(unknown))}")
    compat.set_signals()
    projects.FOLDER.mkdir(parents=True, exist_ok=True)
    bad, rows = [], []
    try:
        own = projects.described(sys.executable).torch.partition("+")[0]
        versions = {each: sys.executable if each == own else projects.made(each) for each in chosen.torch}
        for name in chosen.names or known:
            try:
                cells, passed = row_of(known[name], versions)
            except projects.ProjectError as error:
                bad.append(str(error))
                continue
            rows.append(cells)
            bad += [] if passed else [f"{name}: right on {cells[3] or 'none'} only"]
    except (projects.ProjectError, compat.CellError) as error:
        bad.append(str(error))
    if chosen.publish and rows:
        publish(rows)
    sys.exit("\n".join(["make portable-projects:", *bad]) if bad else 0)


if __name__ == "__main__":
    main()
