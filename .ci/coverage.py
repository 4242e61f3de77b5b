"""coverage.py: which lines and branches of the product the tests run; make coverage calls it.

    python .ci/coverage.py [--publish] [--short]

A copy of the tracked files, build/coverage/tree, is built with gcov's counters and tested whole (--short: without the
tests with the mark `slow`): the C tests, then those of Python, under the package coverage in every process, then the short
form of make harden parts=allocations. Tests that look at the libraries themselves fail there, for they find gcov in
them, and those that link the archive without gcov. It prints a table of parts, and each file of which less than 90 % of
lines ran, with the reason that uncovered.txt has for it; --publish writes both into docs/internals/coverage.md. The exit
status is 1 where the tests ended early, or a reason is missing.
"""

import argparse
import datetime
import json
import os
import sys
from pathlib import Path

import nets
import page
from copies import Copy

ROOT = Path(__file__).resolve().parent.parent
TREE = Copy(ROOT / "build" / "coverage" / "tree")
RESULTS = TREE.folder / "build" / "coverage"  # ignored by git, so that no test takes them for files of the repository
PAGE = ROOT / "docs" / "internals" / "coverage.md"
REASONS = ROOT / ".ci" / "uncovered.txt"
LEAST = 90  # percent of lines
UNKNOWN = "**no reason yet**"
JOBS = str(os.cpu_count())
WORKERS = str(int(JOBS) + 1)  # tests wait for the programs that they start
# Inlined early, a line would count for no file.
COUNT = "--coverage -fprofile-update=atomic -fno-early-inlining"
COUNTERS = {"CFLAGS": COUNT, "CXXFLAGS": COUNT}
# Name in the table -> how the paths of its files begin. Files are those of nets.py; one of no part is in one of OTHERS.
PARTS = {
    "libmy_lib": ("c_api/my_lib/", "c_api/base/"),
    "libth": ("c_api/th/",),
    "libthc": ("c_api/thc/",),
    "the bridge": ("src/torchthaw/bridge/", "src/torchthaw/legacy/ffi/structs/"),
    "CUDA on the CPU": ("src/torchthaw/cuda_on_cpu/",),
    "Python: extension": ("src/torchthaw/extension/",),
    "Python: legacy, doctor, modernize": ("src/torchthaw/legacy/", "src/torchthaw/doctor/", "src/torchthaw/modernize/"),
    "Python: the rest of torchthaw": ("src/torchthaw/",),
    "Python: functions, modules, tensors": ("functions/", "modules/", "tensors/"),
}
OTHERS = {False: "other C and C++", True: "Python: others"}
SETTINGS = """[run]
branch = true
parallel = true
patch = _exit, execv, fork, subprocess
relative_files = true
source = {folders}
"""


def copy_tree():
    """The tracked files, as they are now, in TREE; what was built there stays."""
    TREE.update()
    RESULTS.mkdir(parents=True, exist_ok=True)
    python = {name.split("/")[0] for name in nets.files("coverage") if name.endswith(".py") and "/" in name}
    (RESULTS / "settings").write_text(SETTINGS.format(folders=", ".join(sorted(python))))


def run(*command, check=True, **environment):
    """Runs a command in TREE, with that tree's Python."""
    data = {"COVERAGE_FILE": str(RESULTS / "data"), "COVERAGE_RCFILE": str(RESULTS / "settings")}
    return TREE.run(*command, check=check, environment={**data, **environment})


def build_and_test(short):
    """Leaves the counters of gcov and the files of coverage in TREE; whether the tests ran to their end."""
    run(TREE.python, "ffi_build.py", **COUNTERS)
    run("cmake", "--build", "build", "--parallel", JOBS, **COUNTERS)
    for path in [*TREE.folder.rglob("*.gcda"), *RESULTS.glob("data*")]:
        path.unlink()
    # CUDA code is not counted, and with gcov's counters its kernels take a quarter of an hour on the CPU.
    run("ctest", "--test-dir", "build", "--parallel", JOBS, "-E", "^cuda_on_cpu_", check=False)
    pytest = [TREE.python, "-m", "coverage", "run", "-m", "pytest", "tests", "-q"]
    pytest += ["--ignore", "tests/sanitize"]
    pytest += ["--dist", "loadfile", "--numprocesses", WORKERS, "--max-worker-restart", "0", "--timeout", "1200"]
    pytest += ["-m", "not slow"] if short else []
    ended = run(*pytest, check=False).returncode in (0, 1)
    # The branches that only a failed allocation takes.
    run(TREE.python, "tests/support/allocations.py", "--short", check=False, GCOV_PREFIX="/", GCOV_PREFIX_STRIP="0")
    return ended


def measured():
    """{file: (lines run, lines, branches run, branches)}; lines that no build has are in none."""
    run("gcovr", "--json", RESULTS / "c.json", "--gcov-ignore-parse-errors=all", "--gcov-ignore-errors=no_working_dir_found",
        "--exclude-throw-branches", "--filter", "c_api/", "--filter", "src/", "build")  # fmt: skip
    run(TREE.python, "-m", "coverage", "combine", "--append", "-q", check=False)
    run(TREE.python, "-m", "coverage", "json", "-i", "-q", "-o", RESULTS / "python.json")
    found = {}
    for each in json.loads((RESULTS / "c.json").read_text())["files"]:
        found[each["file"]] = of_c(each["lines"])
    for name, each in json.loads((RESULTS / "python.json").read_text())["files"].items():
        of = each["summary"]
        found[name] = of["covered_lines"], of["num_statements"], of["covered_branches"], of["num_branches"]
    counted = {*nets.files("coverage")}
    return {name: numbers for name, numbers in found.items() if numbers[1] and name in counted}


def of_c(lines):
    """The numbers of one file. A line of a template stands there once for each of its instances: one that ran will do."""
    ran, taken = {}, {}
    for line in lines:
        number = line["line_number"]
        ran[number] = ran.get(number, False) or line["count"] > 0
        for index, branch in enumerate(line["branches"]):
            taken[number, index] = taken.get((number, index), False) or branch["count"] > 0
    return sum(ran.values()), len(ran), sum(taken.values()), len(taken)


def part_of(name):
    """The part of a file."""
    for part, begins in PARTS.items():
        if name.startswith(begins) and name.endswith(".py") == part.startswith("Python"):
            return part
    return OTHERS[name.endswith(".py")]


def percent(some, of):
    return f"{100 * some / of:.1f} %" if of else "–"


def rows(found):
    """[part, files, lines, share of lines, share of branches] for the table."""
    for part in [*PARTS, *OTHERS.values()]:
        sums = [sum(column) for column in zip(*(numbers for name, numbers in found.items() if part_of(name) == part))]
        if sums:
            count = sum(part_of(name) == part for name in found)
            yield [part, str(count), f"{sums[1]:,}", percent(*sums[:2]), percent(*sums[2:])]


def reasons(text):
    """{file: why its tests run less} of uncovered.txt."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return dict(line.split(": ", 1) for line in lines)


def below(found, known):
    """[file, share of lines, reason] of the files below LEAST."""
    low = [name for name, each in sorted(found.items()) if 100 * each[0] < LEAST * each[1]]
    return [[f"`{name}`", percent(*found[name][:2]), known.get(name, UNKNOWN)] for name in low]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--publish", action="store_true", help="write the table into docs/internals/coverage.md")
    parser.add_argument("--short", action="store_true", help="without the slow tests")
    parser.add_argument("--report", action="store_true", help="of the run before: nothing is built or tested")
    options = parser.parse_args()
    form, wrong = "without the slow tests" if options.short else "all tests", []
    if not options.report:
        copy_tree()
        if not build_and_test(options.short):
            form += ", which ended early: more lines run than the tables say"
            wrong.append("the tests ended early")
    found = measured()
    low = below(found, reasons(REASONS.read_text()))
    wrong += [f"{name} {share}: no reason in {REASONS.name}" for name, share, reason in low if reason == UNKNOWN]
    sums = page.table([["part", "files", "lines", "run", "branches run"], *rows(found)])
    files = page.table([["file", "run", "reason"], *low])
    print(f"{sums}\n\n{files}")
    print(*nets.left_out("coverage"), sep="\n")
    if options.publish:
        page.write(PAGE, "coverage", f"{sums}\n\n{datetime.date.today()}, {form}.")
        page.write(PAGE, "files below 90 %", files)
    sys.exit("\n".join(wrong) or None)


if __name__ == "__main__":
    main()
