"""portable_pybind11.py: runs pybind11's own tests with their sources built as portable extensions.

    make portable-pybind11                    all files of tests/ that concern what is served
    make portable-pybind11 only="test_enum test_stl"

The sources are those of COMMIT, unmodified, from the git repository that TORCHTHAW_PROJECTS names a folder of, else from
GitHub. tests/projects/portable/pybind11.txt lists files that are not built and tests that do not pass, each with the
reason. A test that fails and is not listed is an error, and so is one that is listed and passes.
"""

import argparse
import os
import subprocess
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

import compat
import torch

import projects
from torchthaw.base.errors import BuildError
from torchthaw.portable import build

REPOSITORY = "pybind/pybind11"
COMMIT = "97bf890db679505a14dfe547a5e77bb2bd05dc90"  # v3.1.0
LISTED = projects.RECORDS / "portable" / "pybind11.txt"
FOLDER = projects.FOLDER / "portable" / "pybind11"
MAIN = "pybind11_tests"
# Further extensions that the tests import.
OTHERS = ("pybind11_cross_module_tests", "cross_module_gil_utils", "cross_module_interleaved_error_already_set")
LIMIT = 900  # seconds for the tests of a file


def listed():
    """({file: why it is not built}, {(file, test): why it does not pass})"""
    files, tests = {}, {}
    for line in LISTED.read_text("utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        name, reason = line.split(maxsplit=1)
        file, _, test = name.partition("::")
        (tests.__setitem__((file, test), reason) if test else files.__setitem__(file, reason))
    return files, tests


def built(name, sources, tests):
    """The folder of an extension, made of sources in the folder of tests."""
    place = FOLDER / name
    place.mkdir(exist_ok=True)
    options = build.options([tests / source for source in sources], [tests], extra_compile_args=["-O0", "-w"])
    made = build.Portable(name, place, **options)
    made.make(keep_intermediates=True)
    return made.target.parent


def outcomes(file, tests, variables):
    """{test function: whether all of its cases pass} of a file; {} where the process crashes."""
    report = FOLDER / f"{file}.xml"
    report.unlink(missing_ok=True)
    words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}", f"{file}.py"]
    log = FOLDER / f"{file}.log"
    compat.remove(log)
    compat.run([sys.executable, *words], log, LIMIT, cwd=tests, env=variables)
    found = {}
    if report.exists():
        for case in xml.parse(report).iter("testcase"):
            name = case.get("name").partition("[")[0]
            is_right = not any(case.find(kind) is not None for kind in ("failure", "error"))
            found[name] = found.get(name, True) and is_right
    return found


def names_of(file, tests, variables):
    """The test functions of a file, without running them."""
    words = ["-m", "pytest", "-q", "--collect-only", "-p", "no:cacheprovider", f"{file}.py"]
    done = subprocess.run([sys.executable, *words], cwd=tests, env=variables, capture_output=True, text=True)
    lines = (line.split("::") for line in done.stdout.splitlines() if line.startswith(f"{file}.py::"))
    return {line[-1].partition("[")[0] for line in lines}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="FILE", help="files of tests, without .py; by default all")
    chosen = parser.parse_args()
    compat.set_signals()
    copy, bad, total = FOLDER / "pybind11", [], [0, 0, 0]
    unserved, expected = listed()
    try:
        if not (copy / "tests").exists():
            FOLDER.mkdir(parents=True, exist_ok=True)
            projects.checkout(REPOSITORY, COMMIT, os.environ.get("TORCHTHAW_PROJECTS"), copy, FOLDER / "clone.log")
        tests = copy / "tests"
        files = [path.stem for path in sorted(tests.glob("test_*.py")) if path.stem not in unserved]
        sources = [f"{file}.cpp" for file in files if (tests / f"{file}.cpp").exists()]
        folders = [
            built(MAIN, [f"{MAIN}.cpp", *sources], tests),
            *(built(name, [f"{name}.cpp"], tests) for name in OTHERS),
        ]
    except (projects.ProjectError, BuildError) as error:
        sys.exit(f"make portable-pybind11: {error}")
    libraries = os.fspath(Path(torch.__file__).parent / "lib")
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join(map(os.fspath, folders)), "LD_LIBRARY_PATH": libraries}
    for file in chosen.names or files:
        found = outcomes(file, tests, variables)
        crashed = {name: False for name in names_of(file, tests, variables)} if not found else {}
        found = found or crashed
        passed = sum(found.values())
        total = [total[0] + len(found), total[1] + passed, total[2] + len(found) - passed]
        print(f"{file}: {len(found)} tests, {passed} passed, {len(found) - passed} failed", flush=True)
        for name, is_right in sorted(found.items()):
            if is_right == ((file, name) in expected):
                bad.append(
                    f"{file}::{name} {'passes, and is listed' if is_right else 'fails'}; see {FOLDER / file}.log"
                )
    print(f"total: {total[0]} tests, {total[1]} passed ({total[1] / max(total[0], 1):.1%}), {total[2]} failed")
    print(f"not served: {len(unserved)} files", *(f"  {name}: {why}" for name, why in unserved.items()), sep="\n")
    sys.exit("\n".join(["make portable-pybind11:", *bad]) if bad else 0)


if __name__ == "__main__":
    main()
