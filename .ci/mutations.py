"""mutations.py: changes one place of the code at a time, and sees whether a test fails; make mutations calls it.

    python .ci/mutations.py [--count N] [--publish]

The places are operators, numbers and conditions of the kernels, the checks and the bridge. Of each part, those are tried
whose digests of file, line and change are the smallest: the choice is always the same, and an edit elsewhere does not
change it. Each is tried in a copy of the checkout below build/mutations/, one for each core. It is built there, and the
tests run that tests/README.md names for its folder, the slow ones last. A change does not count if it does not compile,
if it gives the same library, if it changes only kernels for instruction sets that this processor lacks, or if
equivalent.txt lists it, which is written by hand. Results are kept in build/mutations/results.json: the next run tries
again what no test had noticed, and goes on. The exit status is 1 where more than MOST percent were not noticed.
"""

import argparse
import datetime
import hashlib
import json
import os
import queue
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path

import page
from copies import Copy

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "mutations"
RESULTS = BUILD / "results.json"
PAGE = ROOT / "docs" / "internals" / "mutations.md"
EQUIVALENT = ROOT / ".ci" / "equivalent.txt"
TESTS = ROOT / "tests" / "README.md"
MOST = 5  # percent that may stay unnoticed
# A changed size must not fill the machine, and a changed condition may never end: bytes of addresses and seconds of
# processor time for each process, seconds for all.
LIMITS = ("prlimit", f"--as={20 << 30}", "--cpu=200", "timeout", "--kill-after=10", "900")
NOTICED, UNNOTICED, SAME, INVALID = "noticed", "not noticed", "same library", "does not compile"
ELSEWHERE = "for another processor"
FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)|^\s*\d+ - (\S+) \(", re.MULTILINE)

# What is changed into what. clang-format puts spaces around operators, and none into the brackets of templates.
CHANGES = [
    (re.compile(old), new)
    for old, new in (
        (" < ", " <= "), (" <= ", " < "), (" > ", " >= "), (" >= ", " > "), (" == ", " != "), (" != ", " == "),
        (" && ", " || "), (r" \|\| ", " && "), (r"!(?=[\w(])", ""), (r"\btrue\b", "false"), (r"\bfalse\b", "true"),
        (r" \+ ", " - "), (" - ", " + "), (r" \* ", " + "), (" / ", " * "), (" % ", " / "), (r" \+= ", " -= "),
        (" -= ", " += "), (r" \*= ", " += "), (" << ", " >> "), (" >> ", " << "), (" & ", " | "), (r" \| ", " & "),
        (r"\bmin\(", "max("), (r"\bmax\(", "min("), (r"(?<![\w.'])\d+(?![\w.'])", lambda found: str(int(found[0]) + 1)),
    )
]  # fmt: skip
CONDITION = re.compile(r"\b(?:if|while) \((?!constexpr)")
UNSEEN = re.compile(
    r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])'|^ *#(?:[^\n]*\\\n)*[^\n]*|\b(?:static_)?assert\(.*?\);",
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True)
class Part:
    """Files of one kind, and how many changes are tried in them."""

    name: str
    files: re.Pattern
    count: int


PARTS = (
    Part("kernels", re.compile(r"c_api/my_lib/(?!runtime/(?!convert|elements|simd|vector)).*\.(cpp|h)"), 40),
    Part("checks", re.compile(r"c_api/(my_lib/runtime|base)/.*\.(cpp|h)|src/torchthaw/bridge/(check|annotated|regions|numbers|errors)\.(cpp|h)"), 25),
    Part("bridge", re.compile(r"src/torchthaw/(bridge|legacy/structs)/.*\.(cpp|h)"), 35),
)  # fmt: skip


@dataclass(frozen=True)
class Suite:
    """What is built and run for the code that stands in ``folder``."""

    folder: str  # as tests/README.md names it, whose row has the tests of Python
    library: str  # of build/, by whose bytes a change that changes nothing is known
    objects: str  # of build/, by whose bytes a change that this processor cannot run is known
    targets: tuple
    labels: str  # of the C tests


SUITES = (
    Suite(
        "c_api/my_lib/",
        "lib/libmy_lib.so",
        "c_api/[bm]*/CMakeFiles/**/*.o",
        ("my_lib", "my_lib_static"),
        "^(my_lib|base)$",
    ),
    Suite("src/torchthaw/bridge/", "lib/_bridge.abi3.so", "src/**/*.o", ("bridge",), ""),
)


@dataclass(frozen=True)
class Change:
    path: str
    line: int  # from 1
    before: str  # the line
    after: str
    digest: str

    @property
    def name(self):
        return f"{self.path}: {self.before.strip()} -> {self.after.strip()}"

    @property
    def suite(self):
        return SUITES[not self.path.startswith("c_api/")]


def part_of(path):
    return next((part for part in PARTS if part.files.fullmatch(path)), None)


def changes_of(path, text):
    """Every single change of a file, in no order."""
    seen = UNSEEN.sub(lambda found: re.sub(r"[^\n]", "\0", found[0]), text)
    places = [(found.start(), found.end(), found.expand(new) if isinstance(new, str) else new(found))
              for old, new in CHANGES for found in old.finditer(seen)]  # fmt: skip
    for found in CONDITION.finditer(seen):
        end = closing(seen, found.end())
        if "\n" not in seen[found.end() : end] and ";" not in seen[found.end() : end]:
            places.append((found.end(), end, f"!({text[found.end() : end]})"))
    lines, times = text.splitlines(), {}
    for begin, end, new in sorted(places):
        number = text.count("\n", 0, begin)
        start = text.rfind("\n", 0, begin) + 1
        before = lines[number]
        after = before[: begin - start] + new + before[end - start :]
        times[before, after] = times.get((before, after), 0) + 1
        key = "\n".join([path, before, after, str(times[before, after])])
        yield Change(path, number + 1, before, after, hashlib.sha256(key.encode()).hexdigest())


def closing(text, begin):
    """Where the bracket closes that was opened before ``begin``."""
    depth = 1
    for at in range(begin, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if depth == 0:
            return at
    return len(text)


def chosen():
    """{part: its changes, those with the smallest digests first}."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    found = {part: [] for part in PARTS}
    for path in listed:
        if part := part_of(path):
            found[part] += changes_of(path, (ROOT / path).read_text())
    return {part: sorted(changes, key=lambda change: change.digest) for part, changes in found.items()}


def named_tests(folder):
    """The files and folders of tests/ with tests of Python in the row of tests/README.md that has ``folder``."""
    row = next(row for row in page.cells(TESTS.read_text()) if f"`{folder}`" in row[0])
    names = re.findall(r"`([^`]+)`", row[1])
    found = {str(path.relative_to(ROOT)) for name in names for path in (ROOT / "tests").glob(name.rstrip("/"))}
    return sorted(name for name in found if name.endswith(".py") or [*(ROOT / name).rglob("test_*.py")])


class Lane:
    """A copy of the checkout in which one change at a time is tried."""

    def __init__(self, number):
        self.copy = Copy(BUILD / str(number))
        self.same, self.lacking = {}, []

    def prepare(self):
        """Builds the code as it is, and runs its tests, which must pass. What an ended run changed is put back."""
        self.copy.update(["src", "functions", "modules", "tensors"])
        self.copy.run(self.copy.python, "ffi_build.py", stdout=subprocess.DEVNULL)
        self.copy.run("cmake", "--build", "build", "--target", "legacy", stdout=subprocess.DEVNULL)
        ask = "import sys; sys.path.append('tests'); from support.instruction_sets import lacking; print(*lacking())"
        self.lacking = self.copy.run(self.copy.python, "-c", ask, stdout=subprocess.PIPE, text=True).stdout.split()
        for suite in SUITES:
            if not self.build(suite):
                sys.exit(f"{suite.folder}: {self.copy.folder} could not be built")
            self.same[suite] = self.built(suite)
            failed = self.failing(suite)
            if failed:
                sys.exit(f"{suite.folder}: expected tests that pass without a change, got {failed}, which failed")

    def built(self, suite):
        """(digest of the library, that of the objects in it that this processor can run)"""
        build = self.copy.folder / "build"
        passes = [f"/my_lib_{name}.dir/" for name in self.lacking]
        objects = [path for path in build.glob(suite.objects) if not any(each in str(path) for each in passes)]
        return tuple(hashlib.sha256(b"".join(path.read_bytes() for path in sorted(paths))).digest()
                     for paths in ([build / suite.library], objects))  # fmt: skip

    def targets(self, suite):
        if not suite.labels:
            return suite.targets
        listed = self.copy.run(
            "cmake", "--build", "build", "--target", "help", stdout=subprocess.PIPE, text=True
        ).stdout
        return [*suite.targets, *sorted(set(re.findall(r"^(test_\w+): phony", listed, re.MULTILINE)))]

    def build(self, suite):
        words = ["cmake", "--build", "build", "--target", *self.targets(suite)]
        return self.copy.run(*words, check=False, capture_output=True).returncode == 0

    def failing(self, suite):
        """The first test of the suite that fails, or None."""
        pytest = [self.copy.python, "-m", "pytest", "-q", "-x", "--timeout=120", *named_tests(suite.folder)]
        pytest += ["--ignore", "tests/sanitize"]  # which builds the bridge once more
        commands = [[*pytest, "-m", "not slow"], [*pytest, "-m", "slow"]]
        if suite.labels:
            ctest = ["ctest", "--test-dir", "build", "-L", suite.labels, "--stop-on-failure", "--timeout", "60"]
            commands.insert(0, ctest)
        for command in commands:
            done = self.copy.run(*LIMITS, *command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                 text=True, errors="replace")  # fmt: skip
            if done.returncode not in (0, 5):  # 5: no test is slow
                found = FAILED.search(done.stdout)
                return (found[1] or found[2]) if found else f"exit status {done.returncode} of {command[0]}"
        return None

    def attempt(self, change):
        """(what became of a change, the test that noticed it)"""
        file = self.copy.folder / change.path
        text = file.read_text()
        lines = text.split("\n")
        lines[change.line - 1] = change.after
        file.write_text("\n".join(lines))
        try:
            if not self.build(change.suite):
                return INVALID, ""
            (library, objects), same = self.built(change.suite), self.same[change.suite]
            if library == same[0] or objects == same[1]:
                return (SAME if library == same[0] else ELSEWHERE), ""
            test = self.failing(change.suite)
            return (NOTICED, test) if test else (UNNOTICED, "")
        finally:
            file.write_text(text)


def equivalent():
    """{name of a change: why no test can notice it}"""
    lines = [line for line in EQUIVALENT.read_text().splitlines() if line and not line.startswith("#")]
    return {name: reason.strip() for name, reason in zip(lines[::2], lines[1::2], strict=True)}


class Run:
    """What is known of each change, and which to try next."""

    def __init__(self, scale):
        self.counts = {part: max(1, round(part.count * scale)) for part in PARTS}
        self.changes = chosen()
        self.by_hand = equivalent()
        self.results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}

    def counted(self, part):
        """The changes of a part that count, and the first of those that nothing is known of, or None."""
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
            list(pool.map(Lane.prepare, lanes))
            while True:
                new = [change for part in PARTS for change in self.counted(part)
                       if self.result(change) != NOTICED and change.digest not in tried]  # fmt: skip
                if not new:
                    return
                tried |= {change.digest for change in new}
                begun = [
                    pool.submit(one, change) for change in sorted(new, key=lambda change: (change.path, change.line))
                ]
                for done in as_completed(begun):
                    self.save(*done.result())


def report(run):
    """(the table of parts, that of what no test noticed, that of the list by hand)"""
    parts = [["part", "places", "tried", "noticed", "not noticed"]]
    missed = [["part", "file", "line", "changed into"]]
    for part in PARTS:
        counted = run.counted(part)
        left = [change for change in counted if run.result(change) != NOTICED]
        parts.append(
            [part.name, f"{len(run.changes[part]):,}", *map(str, (len(counted), len(counted) - len(left), len(left)))]
        )
        missed += [
            [part.name, f"`{each.path}`", f"`{each.before.strip()}`", f"`{each.after.strip()}`"] for each in left
        ]
    names = {change.name: change for changes in run.changes.values() for change in changes}
    by_hand = [["file", "line", "changed into", "why it is the same"]]
    for name, reason in run.by_hand.items():
        each = names[name]
        by_hand.append([f"`{each.path}`", f"`{each.before.strip()}`", f"`{each.after.strip()}`", reason])
    return parts, missed, by_hand


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100, help="of changes, shared out among the parts")
    parser.add_argument("--publish", action="store_true", help="write the tables into docs/internals/mutations.md")
    options = parser.parse_args()
    BUILD.mkdir(parents=True, exist_ok=True)
    run = Run(options.count / sum(part.count for part in PARTS))
    lanes = [Lane(number) for number in range(os.cpu_count())]
    run.tried(lanes)
    parts, missed, by_hand = map(page.table, report(run))
    tried, noticed = (sum(int(row[column]) for row in report(run)[0][1:]) for column in (2, 3))
    share = 100 * (tried - noticed) / tried
    print(f"{parts}\n\n{missed}\n\n{share:.0f} % of {tried} were not noticed")
    if options.publish:
        lacking = f" This processor lacks {', '.join(lanes[0].lacking)}." if lanes[0].lacking else ""
        page.write(PAGE, "mutations", f"{parts}\n\n{datetime.date.today()}: {share:.0f} % were not noticed.{lacking}")
        page.write(PAGE, "not noticed", missed)
        page.write(PAGE, "equivalent", by_hand)
    sys.exit(f"expected at most {MOST} %, got {share:.1f} %" if share > MOST else None)


if __name__ == "__main__":
    main()
