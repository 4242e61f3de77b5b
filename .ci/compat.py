"""compat.py: tests one wheel of torchthaw beside several versions of PyTorch, on several Pythons.

    make compat                          the default versions; newest is what the package index gives today
    make compat torch="2.4.1 newest" python="3.12" publish=1
    make compat-short                    the version in .ci/requirements/newest-torch.txt, on the Python of .venv

A cell of the table is one PyTorch on one Python. Each gets an environment of its own, which is removed at its end, and
a copy of the repository without torchthaw/, so that the tests can import nothing but the wheel. Logs and a JSON file
for each cell are in build/compat/. --publish writes the cells that were run into docs/compatibility.md. TORCH_INDEX
names another package index for PyTorch. The exit status is 1 where a test failed or a cell could not be run.
"""

import argparse
import datetime
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))
import compat_table  # noqa: E402
import wheel_builder  # noqa: E402

FOLDER = ROOT / "build" / "compat"
PINS = ROOT / ".ci" / "requirements"
TORCH = "2.4.1 2.7.1 2.10.0 2.13.0 newest"
PYTHON = "3.10 3.12 3.13"

# What each part of a cell runs, in a process of its own. Names are globs in tests/.
PARTS = {
    "contract": ["contract"],
    "legacy": [
        "test_deviations.py", "test_examples_legacy.py", "test_loading.py", "test_patches.py", "test_run.py",
        "test_semantics.py", "test_stale_binaries.py",
    ],
    "bridge": ["test_bridge.py", "test_bridge_faults_*.py", "test_bridge_lifetime.py", "test_bridge_window.py"],
    "operators": [
        "guide", "test_add.py", "test_batch_norm2d.py", "test_conv2d.py", "test_cube.py",
        "test_fused_conv_batch_norm2d.py", "test_linear.py", "test_lltm*.py", "test_modules.py",
        "test_mul_constant.py", "test_raw_pointers.py", "test_scale_add.py", "test_tensors_*.py", "test_threads.py",
        "test_workspace.py",
    ],
}  # fmt: skip
# Of these files nothing is run.
LEFT_OUT = {"contract/test_section_3.py": "needs the stand-in for CUDA, which CMake builds in a checkout alone"}
TOOLS = ["pytest", "pytest-timeout", "hypothesis", "numpy", "setuptools"]
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
from torchthaw import config

torchthaw.create_extension(
    "_ext.my_lib", headers=[config.my_lib_includes() / "my_lib.h"], libraries=["my_lib"],
    library_dirs=[config.libdir()], runtime_library_dirs=[str(config.libdir())], relative_to="ffi_build.py",
).build()
"""

DEGRADED = """
from torchthaw.legacy import patches
count = 0
for name, *_ in patches.listing():
    try:
        patches.install(name)
    except AttributeError:
        count += 1
print(count)
"""


class CellError(Exception):
    """A cell could not be run; the message says why."""


def run(command, log, limit=None, **options):
    """The exit status, or what the limit in seconds was; what the command prints is appended to the file ``log``."""
    with open(log, "a") as output:
        print("$", *command, file=output, flush=True)
        process = subprocess.Popen(
            [*map(str, command)], stdout=output, stderr=subprocess.STDOUT, start_new_session=True, **options
        )
        try:
            return process.wait(limit)
        except BaseException as error:
            os.killpg(process.pid, signal.SIGKILL)  # its children as well
            process.wait()
            if isinstance(error, subprocess.TimeoutExpired):
                return f"the limit of {limit} s"
            raise


def checked(command, log, **options):
    if run(command, log, **options):
        raise CellError(f"{' '.join(map(str, command[:4]))} … failed, see {log}")


def copy_repository(folder):
    """The files that git tracks, and new ones it does not ignore, without torchthaw/."""
    names = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True,
        text=True, check=True,
    ).stdout.split("\0")  # fmt: skip
    for name in names:
        source = ROOT / name
        if name and not name.startswith("torchthaw/") and (source.exists() or source.is_symlink()):
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
    text = Path(log).read_text()
    return bool(re.search(r"No matching distribution found for torch\b", text)) and "(from versions: none)" not in text


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


def install(base, prefix, version, wheel, pinned, log):
    """Makes the environment; False where PyTorch has no wheel."""
    python = prefix / "bin" / "python"
    constraints = ["constraints", "demo", "test"] if pinned else ["test"]
    held = [word for name in constraints for word in ("-c", PINS / f"{name}.txt")]
    checked([base, "-m", "venv", prefix], log)
    get = pip(python, "install", "--no-compile", "-q")
    torch = ["--only-binary", ":all:", *index(), f"torch=={version}"]
    if run([*get, *(held if pinned else []), *torch], log):
        if no_wheel(log):
            return False
        raise CellError(f"torch=={version} could not be installed, see {log}")
    checked([*get, *held, wheel, *TOOLS], log)
    return True


def outcomes(report):
    """{passed, failed, skipped, failures} of a JUnit file."""
    counts, failures = {"passed": 0, "failed": 0, "skipped": 0}, []
    for case in xml.etree.ElementTree.parse(report).iter("testcase"):
        bad = [each for each in case if each.tag in ("failure", "error")]
        kind = "failed" if bad else "skipped" if case.find("skipped") is not None else "passed"
        counts[kind] += 1
        failures += [f"{case.get('classname')}::{case.get('name')}: {each.get('message')}" for each in bad[:1]]
    return {**counts, "failures": failures}


def run_part(part, python, copy, environment, log):
    """The outcomes of one part; a process that dies or writes no report counts as one failure more."""
    report = log.with_suffix(".xml")
    report.unlink(missing_ok=True)
    paths = sorted(path for name in PARTS[part] for path in (copy / "tests").glob(name))
    left_out = [f"--ignore={copy / 'tests' / name}" for name in LEFT_OUT]
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}", *left_out, *paths]
    status = run(command, log, LIMIT, cwd=copy, env=environment)
    found = outcomes(report) if report.exists() else {"passed": 0, "failed": 0, "skipped": 0, "failures": []}
    if status not in (0, 1):
        found["failed"] += 1
        found["failures"].append(f"{part}: pytest ended with {status}")
    return found


def degraded(python, copy, environment):
    """How many patches this PyTorch does not take."""
    done = subprocess.run([python, "-c", DEGRADED], env=environment, cwd=copy, capture_output=True, text=True)
    if done.returncode:
        raise CellError(f"the patches could not be counted: {done.stderr}")
    return int(done.stdout)


def cell(version, python_version, base, wheel, pinned=False):
    """What came of one cell, as a row of the table; its logs are build/compat/VERSION-PYTHON*.log."""
    name = f"{version}-{python_version}"
    begun = elapsed()
    row = {"torch": version, "python": python_version, "date": datetime.date.today().isoformat()}
    log, prefix, copy = FOLDER / f"{name}.log", FOLDER / f"{name}.env", FOLDER / f"{name}.copy"
    remove(prefix, copy, log)
    try:
        if not install(base, prefix, version, wheel, pinned, log):
            return {**row, "passed": compat_table.NO_WHEEL}
        copy_repository(copy)
        python, variables = prefix / "bin" / "python", environment_of(prefix, copy)
        checked([python, "-c", EXTENSION], log, cwd=copy, env=variables)
        installed = elapsed()
        with ThreadPoolExecutor(max_workers=os.cpu_count()) as workers:
            parts = list(workers.map(
                lambda part: run_part(part, python, copy, variables, FOLDER / f"{name}-{part}.log"), PARTS
            ))  # fmt: skip
        counted = {key: sum(part[key] for part in parts) for key in ("passed", "failed", "skipped")}
        failures = [each for part in parts for each in part["failures"]]
        row |= {**counted, "degraded": degraded(python, copy, variables), "failures": failures}
        row["seconds, of processors"] = {
            "install": [after - before for before, after in zip(begun, installed)],
            "test": [after - before for before, after in zip(installed, elapsed())],
        }
        (FOLDER / f"{name}.json").write_text(json.dumps(row, indent=1))
        return row
    finally:
        remove(prefix, copy)


def elapsed():
    """Seconds by the clock, and of processors by the processes that ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return round(time.monotonic()), round(used.ru_utime + used.ru_stime)


def remove(*paths):
    for path in paths:
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--torch", default=TORCH, help=f"versions, or newest; default: {TORCH}")
    parser.add_argument("--python", default=PYTHON, help=f"versions of Python; default: {PYTHON}")
    parser.add_argument("--publish", action="store_true", help="write the table into docs/compatibility.md")
    parser.add_argument("--short", action="store_true", help="the recorded PyTorch, on this Python")
    return parser.parse_args()


def main():
    chosen = options()
    if chosen.short:
        pythons = {"{}.{}".format(*sys.version_info): sys.executable}
    else:
        pythons = {version: wheel_builder.interpreter(version) for version in chosen.python.split()}
        missing = [version for version, path in pythons.items() if path is None]
        if missing:
            print(f"no Python {', '.join(missing)} on this machine: left out")
        pythons = {version: path for version, path in pythons.items() if path}
    if not pythons:
        sys.exit("make compat: none of the Pythons was found")
    FOLDER.mkdir(parents=True, exist_ok=True)
    remove(FOLDER / "wheel")
    wheel = wheel_builder.build(FOLDER / "wheel", wheel_builder.QUICK if chosen.short else wheel_builder.RELEASE)
    rows, errors = [], []
    try:
        versions = [recorded()] if chosen.short else chosen.torch.split()
        versions = [newest(pythons.values()) if version == "newest" else version for version in versions]
    except CellError as error:
        sys.exit(f"make compat: {error}")
    for version in dict.fromkeys(versions):
        for python_version, base in pythons.items():
            try:
                rows.append(cell(version, python_version, base, wheel, chosen.short))
                print(compat_table.render(rows[-1:]), flush=True)
            except CellError as error:
                errors.append(f"PyTorch {version}, Python {python_version}: {error}")
    print(compat_table.render(rows))
    for row in rows:
        for failure in row.get("failures", []):
            print(f"PyTorch {row['torch']}, Python {row['python']}: {failure}")
    if chosen.publish:
        compat_table.publish(ROOT / "docs" / "compatibility.md", rows)
    print(*errors, sep="\n")
    sys.exit(bool(errors or any(row.get("failed") for row in rows)))


if __name__ == "__main__":
    main()
