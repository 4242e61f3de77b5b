"""compat.py: tests one wheel of torchthaw beside several versions of PyTorch, on several Pythons.

    make compat                          each PyTorch of PYTHON below, on one Python
    make compat torch="2.4.1 newest" python="3.10 3.12" publish=1
    make compat-short                    the version in .ci/requirements/newest-torch.txt, on the Python of .venv

newest is what the package index gives today. A cell of the table is one PyTorch on one Python. Each gets an environment
of its own, which is removed at its end, and a copy of the repository without torchthaw/, so that the tests can import
nothing but the wheel. Logs and a JSON file for each cell are in build/compat/. --publish writes the cells that were run
into docs/reference/compatibility.md. TORCH_INDEX names another package index for PyTorch. The exit status is 1 where a
test failed or a cell could not be run.
"""

import argparse
import contextlib
import datetime
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))
import compat_table  # noqa: E402
from tqdm import tqdm  # noqa: E402

from support import wheel_builder  # noqa: E402
from torchthaw.check import environments  # noqa: E402

FOLDER = ROOT / "build" / "compat"
PINS = ROOT / ".ci" / "requirements"
# Where python= is not given: five cells have each PyTorch once, and every Python. All fifteen take three times as long.
PYTHON = {"2.4.1": "3.10", "2.7.1": "3.12", "2.10.0": "3.12", "2.13.0": "3.13", "newest": "3.12"}

# What each part of a cell runs, in a process of its own, all at once: most of the time goes into processes that they
# start. Names are globs in tests/. What depends on neither PyTorch nor Python is left to make test.
PARTS = {
    "create_extension": [
        f"legacy/create_extension/test_{name}.py" for name in (
            "options", "products", "search_paths", "wrappers", "arguments_and_results", "errors_in_c", "real_projects",
            "field_project",
        )
    ],
    "legacy": [
        "legacy/headers/test_[!c]*.py", "legacy/functions", "legacy/variables",
        "legacy/semantics/test_pytorch_under_patches.py", "legacy/semantics/test_silent_changes.py",
    ],
    "samples": ["legacy/create_extension/test_examples_legacy.py"],
    "patches": [
        "legacy/create_extension/test_run.py", "legacy/semantics/test_patches.py", "legacy/semantics/test_semantics.py",
        "packaging/test_deviations.py",
    ],
    "bridge": [
        "bridge/test_bridge.py", "bridge/test_bridge_faults_*.py", "bridge/test_bridge_identity.py",
        "bridge/test_bridge_lifetime.py", "bridge/test_bridge_extent.py", "bridge/test_bridge_checks.py",
        "bridge/test_bridge_modes.py", "bridge/test_bridge_kernels.py", "bridge/test_bridge_arrays.py",
        "bridge/test_bridge_cffi_pointers.py", "bridge/test_bridge_dlpack.py", "bridge/test_bridge_outputs.py",
    ],
    "graph": ["graph"],
    "derivatives": ["derivatives"],
    "cpp_extension": ["legacy/headers/test_cpp_extension*.py"],
    "operators": [
        "operators", "guide/test_autograd_*.py", "guide/test_tensors_*.py", "guide/test_torch_function_*.py",
    ],
}  # fmt: skip
# setuptools: what pip needs of it for wheels came with 70.1; Python 3.11 brings an older one.
TOOLS = ["pytest", "pytest-timeout", "hypothesis", "ml_dtypes", "numpy", "scikit-learn", "setuptools>=70.1"]
SLOW_PARTS = ("samples",)  # of which the short form runs the slow tests as well
LIMIT = 3600  # seconds for each part

# At the root of the copy, so that it rules every pytest there.
CONFTEST = """
import sys
from pathlib import Path

import pytest
import torchthaw

def pytest_configure(config):
    found = Path(torchthaw.__file__).resolve()
    if not found.is_relative_to(Path(sys.prefix).resolve()):
        pytest.exit(f"torchthaw: expected the one installed in {sys.prefix}, got {found}", returncode=3)
"""

# _ext/my_lib of the copy, from the library in the wheel.
EXTENSION = """
import torchthaw
from torchthaw.base import config

torchthaw.create_extension(
    "_ext.my_lib", headers=[config.my_lib_includes() / "my_lib.h"], libraries=["my_lib"],
    library_dirs=[config.libdir()], runtime_library_dirs=[str(config.libdir())], ops="my_lib",
    relative_to="ffi_build.py",
).build()
"""


class CellError(Exception):
    """A cell could not be run; the message says why."""


RUNNING = set()


def run(command, log, limit=None, **options):
    """The exit status, or words where the limit in seconds was reached; the file ``log`` gets what is printed."""
    with open(log, "a") as output:
        print("$", *command, file=output, flush=True)
        process = subprocess.Popen(
            [*map(str, command)], stdout=output, stderr=subprocess.STDOUT, start_new_session=True, **options
        )
        RUNNING.add(process)
        try:
            return process.wait(limit)
        except subprocess.TimeoutExpired:
            return f"the limit of {limit} s"
        finally:
            stop(process)


def stop(*processes):
    """Ends them, with the children that they left."""
    for process in processes:
        RUNNING.discard(process)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def checked(command, log, **options):
    if run(command, log, **options):
        raise CellError(f"{' '.join(map(str, command[:4]))} … failed, see {log}")


def copy_repository(folder):
    """The files that git tracks, and new ones it does not ignore, without src/."""
    names = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True,
        text=True, check=True,
    ).stdout.split("\0")  # fmt: skip
    for name in names:
        source = ROOT / name
        if name and not name.startswith("src/") and (source.exists() or source.is_symlink()):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, folder / name, follow_symlinks=False)
    (folder / "conftest.py").write_text(CONFTEST)
    return folder


def environment_of(prefix, copy):
    """The variables of a cell: none that name another Python, another torchthaw or a GPU."""
    kept = {name: value for name, value in os.environ.items() if not re.match("PYTHON|TORCHTHAW_|VIRTUAL_ENV", name)}
    path = os.pathsep.join([str(prefix / "bin"), os.environ["PATH"]])
    cache = str(copy / "build" / "cache")
    return {**kept, "PATH": path, "CUDA_VISIBLE_DEVICES": "", "CI": "1", "TORCHTHAW_CACHE": cache}


def pip(python, *words):
    return [python, "-m", "pip", "--disable-pip-version-check", *words]


def no_wheel(log):
    """Whether pip said that the index has PyTorch, but not this version for this Python."""
    return environments.lacks_wheel(Path(log).read_text())


def index():
    return ["--index-url", os.environ["TORCH_INDEX"]] if os.environ.get("TORCH_INDEX") else []


def newest(pythons):
    """The newest PyTorch that the index has for any of these Pythons."""
    found = set()
    for python in pythons:
        asked = pip(python, "install", "--dry-run", "--no-deps", "--ignore-installed", "--only-binary", ":all:", "-q",
                    "--report", "-", *index(), "torch")  # fmt: skip
        answer = subprocess.run(asked, capture_output=True, text=True)
        if answer.returncode == 0:
            report = json.loads(answer.stdout)
            found.add(report["install"][0]["metadata"]["version"].partition("+")[0])
    if not found:
        raise CellError(f"newest: the package index names no torch: {answer.stderr.strip()}")
    return max(found, key=compat_table.numbers)


def recorded():
    """The version in newest-torch.txt."""
    (version,) = re.findall(r"^torch==(\S+)$", (PINS / "newest-torch.txt").read_text(), re.MULTILINE)
    return version


def install(base, prefix, version, packages, pinned, log, environment):
    """Makes the environment, with this PyTorch first and then ``packages``; False where PyTorch has no wheel."""
    python = prefix / "bin" / "python"
    constraints = ["constraints", "demo", "test"] if pinned else ["test"]
    held = [word for name in constraints for word in ("-c", PINS / f"{name}.txt")]
    checked([base, "-m", "venv", prefix], log, env=environment)
    get = pip(python, "install", "--no-compile", "-q")
    torch = ["--only-binary", ":all:", *index(), f"torch=={version}"]
    if run([*get, *(held if pinned else []), *torch], log, env=environment):
        if no_wheel(log):
            return False
        raise CellError(f"torch=={version} could not be installed, see {log}")
    checked([*get, *held, *packages], log, env=environment)
    return True


def outcomes(report):
    """{passed, failed, skipped, failures} of a JUnit file."""
    counts, failures = {"passed": 0, "failed": 0, "skipped": 0}, []
    for case in xml.etree.ElementTree.parse(report).iter("testcase"):
        bad = [each.get("message", "") for each in case if each.tag in ("failure", "error")]
        kind = "failed" if bad else "skipped" if case.find("skipped") is not None else "passed"
        counts[kind] += 1
        failures += [f"{case.get('classname')}::{case.get('name')}: {words.partition(chr(10))[0]}" for words in bad[:1]]
    return {**counts, "failures": failures}


def run_part(part, python, copy, environment, log, short):
    """The outcomes of one part, without slow tests if ``short``; a process that dies counts as one failure more."""
    report = log.with_suffix(".xml")
    remove(report, log)
    paths = sorted(path for name in PARTS[part] for path in (copy / "tests").glob(name))
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}", *paths]
    if short and part not in SLOW_PARTS:
        command += ["-m", "not slow"]
    status = run(command, log, LIMIT, cwd=copy, env=environment)
    found = outcomes(report) if report.exists() else {"passed": 0, "failed": 0, "skipped": 0, "failures": []}
    if status not in (0, 1):
        found["failed"] += 1
        found["failures"].append(f"{part}: pytest ended with {status}")
    return found


def degraded(python, copy, environment):
    """How many patches this PyTorch does not take, those that are made on demand included."""
    doctor = [python, "-m", "torchthaw", "doctor", "--patches", "--json"]
    done = subprocess.run(doctor, env=environment, cwd=copy, capture_output=True, text=True)
    if done.returncode:
        raise CellError(f"the patches could not be counted: {done.stderr}")
    found = json.loads(done.stdout)
    return sum(patch["not_available"] is not None for kind in ("patches", "semantics") for patch in found[kind])


def cell(version, python_version, base, wheel, repository, short=False):
    """What came of one cell, as a row of the table; its logs are build/compat/VERSION-PYTHON*.log."""
    name = f"{version}-{python_version}"
    row = {"torch": version, "python": python_version, "date": datetime.date.today().isoformat()}
    log, prefix, copy = FOLDER / f"{name}.log", FOLDER / f"{name}.env", FOLDER / f"{name}.copy"
    python, variables = prefix / "bin" / "python", environment_of(prefix, copy)
    remove(prefix, copy, log)
    try:
        if not install(base, prefix, version, [f"{wheel}[legacy]", *TOOLS], short, log, variables):
            return {**row, "passed": compat_table.NO_WHEEL}
        shutil.copytree(repository, copy, symlinks=True)
        checked([python, "-c", EXTENSION], log, cwd=copy, env=variables)
        parts = run_parts(python, copy, variables, FOLDER / name, short)
        row |= {key: sum(part[key] for part in parts) for key in ("passed", "failed", "skipped")}
        row["degraded"] = degraded(python, copy, variables)
        row["failures"] = [each for part in parts for each in part["failures"]]
        (FOLDER / f"{name}.json").write_text(json.dumps(row, indent=1))
        return row
    finally:
        remove(prefix, copy)


def run_parts(python, copy, environment, logs, short):
    """The outcomes of all parts."""
    with ThreadPoolExecutor(len(PARTS)) as workers:
        try:
            return list(workers.map(
                lambda part: run_part(part, python, copy, environment, Path(f"{logs}-{part}.log"), short), PARTS
            ))  # fmt: skip
        except BaseException:  # an interrupt does not reach processes in sessions of their own
            stop(*RUNNING)
            raise


def remove(*paths):
    for path in paths:
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


def versions(pattern, example):
    """A type of argument: words that match."""

    def parse(text):
        bad = [word for word in text.split() if not re.fullmatch(pattern, word)]
        if bad or not text.split():
            raise argparse.ArgumentTypeError(f"expected versions such as {example!r}, got {' '.join(bad)!r}")
        return list(dict.fromkeys(text.split()))

    return parse


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--torch", default=" ".join(PYTHON), type=versions(r"newest|\d+\.\d+\.\d+", "2.4.1 newest"))
    parser.add_argument("--python", type=versions(r"3\.\d+", "3.10 3.12"))
    parser.add_argument("--publish", action="store_true", help="write the rows into docs/reference/compatibility.md")
    parser.add_argument(
        "--short",
        action="store_true",
        help="the recorded PyTorch, on the first Python that it serves, without slow tests",
    )
    chosen = parser.parse_args()
    if chosen.short and chosen.publish:
        parser.error("--publish: expected all tests, got --short, which leaves out slow ones")
    return chosen


def interpreters(wanted):
    """{version: path} of those that this machine has."""
    found = {version: wheel_builder.interpreter(version) for version in wanted}
    missing = [version for version, path in found.items() if path is None]
    if missing:
        print(f"no Python {', '.join(missing)} on this machine: left out")
    if len(missing) == len(wanted):
        raise CellError("none of the Pythons was found")
    return {version: path for version, path in found.items() if path}


def cells_of(chosen):
    """[(PyTorch, Python, the file of that Python)] of what is chosen, without the Pythons that this machine lacks."""
    own = "{}.{}".format(*sys.version_info)
    if chosen.short:
        wanted = [(recorded(), python) for python in (own, *PYTHON.values())]
    else:
        wanted = [
            (torch, python) for torch in chosen.torch
            for python in chosen.python or [PYTHON.get(torch, PYTHON["newest"])]
        ]  # fmt: skip
    found = interpreters(dict.fromkeys(python for _, python in wanted))
    if chosen.short:
        found[own] = sys.executable
    exact = {torch: newest(found.values()) if torch == "newest" else torch for torch, _ in wanted}
    return list(dict.fromkeys((exact[torch], python, found[python]) for torch, python in wanted if python in found))


def rows_of(chosen):
    """The row of each cell, when it is done; a CellError for one that could not be run."""
    cells = cells_of(chosen)
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=FOLDER, prefix="wheel-") as folder:
        wheel = wheel_builder.build(folder, wheel_builder.QUICK if chosen.short else wheel_builder.RELEASE)
        repository = copy_repository(Path(folder) / "repository")  # the state that the wheel is of, whatever is edited
        for version, python, base in tqdm(cells, unit="cell", leave=False, disable=None):  # a bar on a terminal
            try:
                row = cell(version, python, base, wheel, repository, chosen.short)
            except CellError as error:
                row = CellError(f"PyTorch {version}, Python {python}: {error}")
            yield row
            if chosen.short and not (isinstance(row, dict) and row["passed"] == compat_table.NO_WHEEL):
                return
    if chosen.short:
        tried = ", ".join(python for _, python, _ in cells)
        yield CellError(f"PyTorch {cells[0][0]} has no wheel for Python {tried}")


def set_signals():
    """SIGTERM ends as an interrupt does, so that environments and processes do not stay behind.

    Shells start background jobs with SIGINT ignored, which processes hand on; tests expect it to interrupt.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    signal.signal(signal.SIGINT, signal.default_int_handler)


def main():
    set_signals()
    chosen, rows, bad = options(), [], []
    try:
        for row in rows_of(chosen):
            if isinstance(row, CellError):
                bad.append(str(row))
                continue
            rows.append(row)
            with tqdm.external_write_mode():
                print(compat_table.render([row]), flush=True)
            bad += [f"PyTorch {row['torch']}, Python {row['python']}: {each}" for each in row.get("failures", [])]
            if chosen.publish:
                compat_table.publish(ROOT / "docs" / "reference" / "compatibility.md", [row])
    except (CellError, RuntimeError) as error:
        bad.append(str(error))
    print(compat_table.render(rows))
    sys.exit("\n".join(["make compat:", *bad]) if bad else 0)


if __name__ == "__main__":
    main()
