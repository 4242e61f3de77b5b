"""mutations.py: changes one place of the code at a time, and sees whether a test fails; make mutations calls it.

    python .ci/mutations.py [--count N] [--part NAME] [--seed N] [--publish]

The places are operators, numbers and conditions of every file of C, C++ and CUDA that exceptions.txt does not leave out:
mutants.py finds them, mutation_parts.py has the parts. Python is not changed: a net for it needs another tool, and its
tests find most faults of names and types when they run. Each run draws other places. ``--seed`` draws the same again:
the places of a part are those with the smallest digests of seed, file, line and change. Each is tried in a copy of the
checkout below build/mutations/, one for each core. It is built there, and the tests run that tests/README.md names for
its folder, the slow ones last. A change does not count if it does not compile, if it gives the same library, if it
changes only kernels for instruction sets that this processor lacks, or if equivalent.txt lists it, which is written by
hand. Results of every seed are kept in build/mutations/results.json: a run tries again what no test had noticed, and goes
on. The exit status is 1 where more than MOST percent were not noticed.
"""

import argparse
import datetime
import functools
import hashlib
import json
import os
import queue
import random
import re
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict
from pathlib import Path

import nets
import page
from copies import Copy
from mutants import changes_of
from mutation_parts import COUNTS, place_of

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "mutations"
RESULTS = BUILD / "results.json"
PAGE = ROOT / "docs" / "internals" / "mutations.md"
EQUIVALENT = ROOT / ".ci" / "equivalent.txt"
TESTS = ROOT / "tests" / "README.md"
SLOW_PROGRAMS = ROOT / "tests" / "slow_programs.txt"
MOST = 5  # percent that may stay unnoticed
# A changed size must not fill the machine, and a changed condition may never end: bytes of addresses and seconds of
# processor time for each process, seconds for all.
MEMORY = ("prlimit", f"--as={20 << 30}")
TIME = ("prlimit", "--cpu=200", "timeout", "--kill-after=10")
NOTICED, UNNOTICED, SAME, INVALID = "noticed", "not noticed", "same library", "does not compile"
ELSEWHERE = "for another processor"
FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)|^\s*\d+ - (\S+) \(", re.MULTILINE)
FAILED_BUILD = re.compile(r"^FAILED: (?:\[code=\d+\] )?(\S+)", re.MULTILINE)


@functools.cache
def changes_of_parts():
    """{part: its changes}"""
    found = {part: [] for part in COUNTS}
    for path in nets.files("mutations"):
        found[place_of(path)[0]] += changes_of(path, (ROOT / path).read_text())
    return found


def chosen(seed):
    """{part: its changes, those that the seed draws first before the others}"""

    def drawn(change):
        return hashlib.sha256(f"{seed}\n{change.digest}".encode()).digest()

    return {part: sorted(changes, key=drawn) for part, changes in changes_of_parts().items()}


def named_tests(folder):
    """The files and folders of tests/ with tests of Python in the row of tests/README.md that has ``folder``, as ordered there."""
    row = next(row for row in page.cells(TESTS.read_text()) if f"`{folder}`" in row[0])
    names = re.findall(r"`([^`]+)`", row[1])
    found = [str(path.relative_to(ROOT)) for name in names for path in sorted((ROOT / "tests").glob(name.rstrip("/")))]
    return [name for name in dict.fromkeys(found) if name.endswith(".py") or [*(ROOT / name).rglob("test_*.py")]]


class Lane:
    """A copy of the checkout in which one change at a time is tried."""

    tested, lock = set(), threading.Lock()  # suites whose tests one of the lanes ran without a change

    def __init__(self, number):
        self.copy = Copy(BUILD / str(number))
        self.same, self.lacking, self.is_prepared = {}, [], False

    def prepare(self):
        """Builds the code as it is. What an ended run changed is put back."""
        self.copy.update()
        build = self.copy.folder / "build"
        if not (build / "CMakeCache.txt").exists():
            # Without nvcc, which takes long, and compiles nothing that is tested here.
            self.copy.run("cmake", "--preset", "python", "-G", "Ninja", "-DTORCHTHAW_CUDA=OFF",
                          f"-DPython_EXECUTABLE={self.copy.python}", stdout=subprocess.DEVNULL)  # fmt: skip
        self.copy.run(self.copy.python, "ffi_build.py", stdout=subprocess.DEVNULL)
        if not (build / "hosts").exists():
            (build / "hosts").symlink_to(ROOT / "build" / "hosts")
        ask = "import sys; sys.path.append('tests'); from support.instruction_sets import lacking; print(*lacking())"
        self.lacking = self.copy.run(self.copy.python, "-c", ask, stdout=subprocess.PIPE, text=True).stdout.split()
        self.is_prepared = True

    def prepare_suite(self, suite):
        """Builds what a suite needs; one lane then runs its tests, which must pass."""
        if problem := suite.needs and self.make(suite.needs) or self.build(suite):
            raise SystemExit(f"{suite.folder}: {self.copy.folder} could not be built: {problem}")
        self.same[suite] = self.built(suite)
        with self.lock:
            is_first = suite not in self.tested
            self.tested.add(suite)
        if is_first and (failed := self.failing(suite)):
            raise SystemExit(f"{suite.folder}: expected tests that pass without a change, got {failed}, which failed")

    def built(self, suite):
        """(digest of the libraries, that of the objects in them that this processor can run); None where there are none"""
        build = self.copy.folder / "build"
        passes = [f"/{library}_{name}.dir/" for name in self.lacking for library in ("my_lib", "th")]
        libraries, objects = ([path for pattern in patterns for path in build.glob(pattern)]
                              for patterns in (suite.same, suite.objects))  # fmt: skip
        objects = [path for path in objects if not any(each in str(path) for each in passes)]
        return tuple(hashlib.sha256(b"".join(path.read_bytes() for path in sorted(paths))).digest() if paths else None
                     for paths in (libraries, objects))  # fmt: skip

    def programs(self, suite, are_slow):
        """The targets of the tests in C, those of slow_programs.txt or the others."""
        if not suite.programs:
            return []
        listed = self.copy.run("ninja", "-C", "build", "-t", "targets", "all", stdout=subprocess.PIPE, text=True).stdout
        slow = SLOW_PROGRAMS.read_text().split()
        names = {found[1] for found in re.finditer(rf"^({suite.programs}\w+): phony", listed, re.MULTILINE)}
        return sorted(name for name in names if (name in slow) == are_slow)

    def build(self, suite):
        """Builds the targets of a suite; what could not be built, or None."""
        if suite.targets and (problem := self.make(suite.targets)):
            return problem
        if suite.compiled:
            script = [self.copy.python, ".ci/compiled_by_tests.py", suite.compiled]
            if self.copy.run(*script, check=False, capture_output=True).returncode:
                return suite.compiled
        return None

    def make(self, targets):
        done = self.copy.run(
            "cmake", "--build", "build", "--target", *targets, check=False, capture_output=True, text=True
        )
        if not done.returncode:
            return None
        found = FAILED_BUILD.search(done.stdout)
        return found[1] if found else f"exit status {done.returncode} of cmake --build"

    def failing(self, suite):
        """The first test of the suite that fails, or does not compile; None if all pass. Slow programs come last."""
        limits = [*(MEMORY if suite.limited else ()), *TIME, str(suite.seconds)]
        slow = f"^({'|'.join(SLOW_PROGRAMS.read_text().split())})([.]|$)"
        ctest = ["ctest", "--test-dir", "build", "-R", f"^{suite.programs}", "--stop-on-failure"]
        pytest = [self.copy.python, "-m", "pytest", "-q", "-x", f"--timeout={suite.seconds // 6}"]
        pytest += [*named_tests(suite.folder), "--ignore", "tests/sanitize"]  # which builds the bridge once more

        def in_c(are_slow):
            programs = self.programs(suite, are_slow)
            without = [] if are_slow else ["-E", slow]
            return programs and (self.make(programs) or self.failed([*limits, *ctest, *without]))

        def in_python(are_slow):
            return self.failed([*limits, *pytest, "-m", "slow" if are_slow else "not slow"])

        return in_c(False) or in_python(False) or in_python(True) or in_c(True) or None

    def failed(self, command):
        """The test that failed first in a command, or None."""
        done = self.copy.run(
            *command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
        )
        if done.returncode in (0, 5):  # 5: no test is slow
            return None
        found = FAILED.search(done.stdout)
        return (found[1] or found[2]) if found else f"exit status {done.returncode} of the tests"

    def attempt(self, change):
        """(what became of a change, the test that noticed it)"""
        _, suite = place_of(change.path)
        if not self.is_prepared:
            self.prepare()
        if suite not in self.same:
            self.prepare_suite(suite)
        file = self.copy.folder / change.path
        text = file.read_text()
        lines = text.split("\n")
        lines[change.line - 1] = change.after
        file.write_text("\n".join(lines))
        try:
            if self.build(suite):
                return INVALID, ""
            (library, objects), same = self.built(suite), self.same[suite]
            if library and library == same[0] or objects and objects == same[1]:
                return (SAME if library == same[0] else ELSEWHERE), ""
            test = self.failing(suite)
            return (NOTICED, test) if test else (UNNOTICED, "")
        finally:
            file.write_text(text)


def equivalent():
    """{name of a change: why no test can notice it}"""
    lines = [line for line in EQUIVALENT.read_text().splitlines() if line and not line.startswith("#")]
    return {name: reason.strip() for name, reason in zip(lines[::2], lines[1::2], strict=True)}


class Run:
    """What is known of each change, and which to try next."""

    def __init__(self, seed, counts):
        self.counts = counts
        self.changes = chosen(seed)
        self.by_hand = equivalent()
        self.results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}

    def counted(self, part):
        """The changes of a part that count: the first ones but those that are known not to."""
        found = []
        for change in self.changes[part]:
            known = self.results.get(change.digest)
            if len(found) == self.counts[part]:
                break
            if change.name in self.by_hand or known and known["result"] in (SAME, INVALID, ELSEWHERE):
                continue
            found.append(change)
        return found

    def save(self, change, result, test):
        self.results[change.digest] = {**asdict(change), "result": result, "test": test}
        RESULTS.write_text(json.dumps(self.results, indent=1))
        print(
            f"{result}: {change.path}:{change.line}: {change.before.strip()} -> {change.after.strip()}  {test}",
            flush=True,
        )

    def result(self, change):
        return self.results.get(change.digest, {}).get("result", "")

    def tried(self, lanes):
        """Tries what is not known, until every change that counts is."""
        free, tried = queue.SimpleQueue(), set()
        for lane in lanes:
            free.put(lane)

        def one(change):
            lane = free.get()
            try:
                return change, *lane.attempt(change)
            finally:
                free.put(lane)

        with ThreadPoolExecutor(len(lanes)) as pool:
            while True:
                new = [change for part in self.counts for change in self.counted(part)
                       if self.result(change) != NOTICED and change.digest not in tried]  # fmt: skip
                if not new:
                    return
                tried |= {change.digest for change in new}
                begun = [
                    pool.submit(one, change) for change in sorted(new, key=lambda change: (change.path, change.line))
                ]
                try:
                    for done in as_completed(begun):
                        self.save(*done.result())
                except BaseException:
                    pool.shutdown(cancel_futures=True)
                    raise


def report(run):
    """(the table of parts, that of what no test noticed, that of the list by hand)"""
    parts = [["part", "places", "tried", "noticed", "not noticed"]]
    missed = [["part", "file", "line", "changed into"]]
    for part in run.counts:
        counted = run.counted(part)
        left = [change for change in counted if run.result(change) != NOTICED]
        parts.append(
            [part, f"{len(run.changes[part]):,}", *map(str, (len(counted), len(counted) - len(left), len(left)))]
        )
        missed += [[part, f"`{each.path}`", f"`{each.before.strip()}`", f"`{each.after.strip()}`"] for each in left]
    names = {change.name: change for changes in run.changes.values() for change in changes}
    by_hand = [["file", "line", "changed into", "why it is the same"]]
    for name, reason in run.by_hand.items():
        each = names[name]
        by_hand.append([f"`{each.path}`", f"`{each.before.strip()}`", f"`{each.after.strip()}`", reason])
    return parts, missed, by_hand


def arguments(words=None):
    """The options; ``counts`` says how many changes of each part are tried."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--count", type=int, help=f"of changes, shared out among the parts; {sum(COUNTS.values())} if not given"
    )
    parser.add_argument("--part", choices=COUNTS, metavar="NAME", help=f"one of {', '.join(COUNTS)} alone")
    parser.add_argument("--seed", type=int, help="the number that a run printed, for the same choice; else a new one")
    parser.add_argument("--publish", action="store_true", help="write the tables into docs/internals/mutations.md")
    options = parser.parse_args(words)
    if options.publish and options.part:
        parser.error(
            "--publish: expected a run of every part, got --part; run the parts with one --seed, then all with it"
        )
    if options.seed is None:
        options.seed = random.SystemRandom().randrange(1_000_000)
    options.counts = {part: count for part, count in COUNTS.items() if options.part in (None, part)}
    if options.count is not None:
        scale = options.count / sum(options.counts.values())
        options.counts = {part: max(1, round(count * scale)) for part, count in options.counts.items()}
    return options


def main():
    options = arguments()
    said = f"seed: {options.seed}"
    print(said, flush=True)
    BUILD.mkdir(parents=True, exist_ok=True)
    run = Run(options.seed, options.counts)
    if "export" in options.counts:
        subprocess.run([ROOT / ".ci" / "hosts"], check=True)
    lanes = [Lane(number) for number in range(os.cpu_count())]
    run.tried(lanes)
    tables = report(run)
    parts, missed, by_hand = map(page.table, tables)
    tried, noticed = (sum(int(row[column]) for row in tables[0][1:]) for column in (2, 3))
    share = 100 * (tried - noticed) / tried
    print(f"{parts}\n\n{missed}\n\n{share:.0f} % of {tried} were not noticed")
    print(*nets.left_out("mutations"), said, sep="\n")
    if options.publish:
        lacking = f" This processor lacks {', '.join(lanes[0].lacking)}." if lanes[0].lacking else ""
        told = f"{datetime.date.today()}, seed {options.seed}: {share:.0f} % were not noticed.{lacking}"
        page.write(PAGE, "mutations", f"{parts}\n\n{told}")
        page.write(PAGE, "not noticed", missed)
        page.write(PAGE, "equivalent", by_hand)
    sys.exit(f"expected at most {MOST} %, got {share:.1f} %" if share > MOST else None)


if __name__ == "__main__":
    main()
