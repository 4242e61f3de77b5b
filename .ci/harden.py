"""harden.py: looks for races, for what a failed allocation breaks, and for input that breaks a reader.

    python .ci/harden.py [--short] [--publish] [part ...]

Every part is a list of commands. Each must exit with 0 and print how many cases it tried, as pytest, ctest or a line
"N cases" does. The report is a table of parts, cases and times; --publish writes it into docs/internals/hardening.md,
where parts that were not run keep their rows. A part that takes longer than its limit is ended, and the others run.
"""

import argparse
import datetime
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import page

ROOT = Path(__file__).resolve().parent.parent
PYTEST = (sys.executable, "-m", "pytest", "-q")
REPORT = ROOT / "docs" / "internals" / "hardening.md"
COUNTS = (
    re.compile(r"^([\d,]+) cases\b", re.M),
    re.compile(r"\b(\d+) passed"),
    re.compile(r"% tests passed.* out of (\d+)"),
)


@dataclass(frozen=True)
class Tool:
    """Something that make does not install: Debian's packages that have it, and where it is looked for.

    flag: what a compiler must be able to link with, where its runtimes are packages of their own.
    """

    packages: str
    places: tuple  # commands, and patterns of absolute paths
    flag: str = ""

    def is_there(self):
        found = [place for place in self.places if (glob.glob(place) if place.startswith("/") else shutil.which(place))]
        return bool(found) and (not self.flag or any(map(self.links, found)))

    def links(self, compiler):
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder, "empty.cpp")
            source.write_text(
                'extern "C" int LLVMFuzzerTestOneInput(const unsigned char *, unsigned long) { return 0; }\n'
            )
            words = [compiler, self.flag, str(source), "-o", str(source.with_suffix(""))]
            return subprocess.run(words, capture_output=True).returncode == 0


@dataclass(frozen=True)
class Part:
    """What is looked for, and the commands that do it; ``short`` is what continuous integration runs of them.

    limit: minutes that the commands may take together.
    """

    name: str
    looks_for: str
    needs: tuple
    commands: tuple
    short: tuple
    limit: int


# What Debian packages bring, by the first command or file that is there.
CLANG = Tool(
    "clang libclang-rt-dev",
    ("clang++", *(f"clang++-{number}" for number in range(30, 13, -1))),
    "-fsanitize=fuzzer,address",
)
ARCHER = Tool("libomp-dev", ("/usr/lib/llvm-*/lib/libarcher.so", "/usr/lib64/libarcher.so"))

JOBS = str(os.cpu_count())
OWN_BUILD = (sys.executable, "ffi_build.py")
THREADS = (
    ("cmake", "--preset", "threads", "-G", "Ninja", "--log-level=WARNING"),
    (
        "cmake", "--build", "--preset", "threads", "--parallel", JOBS,
        "--target", "threads_my_lib", "threads_th", "planted_races",
    ),
    ("ctest", "--preset", "threads", "--output-on-failure", "--label-regex", "threads"),
)  # fmt: skip
ALLOCATIONS = (sys.executable, "tests/support/allocations.py")
TH_ALLOCATIONS = "build/bin/th_test_allocation"
TH_BUILD = ("cmake", "--build", "build", "--parallel", JOBS, "--target", "th_test_allocation")
FUZZING = (sys.executable, ".ci/fuzzing.py")
FILES = (sys.executable, "tests/support/io_faults.py")
SWITCHES = (sys.executable, "tests/support/switches.py")
BRIDGE = (sys.executable, "tests/fuzz/bridge_calls.py")
PORTABLE = (sys.executable, "tests/fuzz/portable_calls.py")
READERS = "th_files", "header_reader", "nvcc_arguments", "doctor_reader", "modernize_reader", "trees"

PARTS = (
    Part(
        "threads",
        "data races, with ThreadSanitizer",
        needs=(ARCHER,),
        commands=(
            *THREADS,
            OWN_BUILD,
            (*PYTEST, "tests/harden/threads/sanitized_bridge.py"),
        ),
        short=THREADS,
        limit=90,
    ),
    Part(
        "allocations",
        "the n-th allocation of a call that fails: libth, the bridge, load",
        needs=(),
        commands=(OWN_BUILD, TH_BUILD, (TH_ALLOCATIONS, "12", "any"), ALLOCATIONS),
        short=(OWN_BUILD, TH_BUILD, (TH_ALLOCATIONS,), (*ALLOCATIONS, "--short")),
        limit=90,
    ),
    Part(
        "files",
        "the n-th call that changes a file or starts a program fails, or ends the process",
        needs=(),
        commands=(OWN_BUILD, FILES),
        short=(OWN_BUILD, (*FILES, "--short")),
        limit=240,
    ),
    Part(
        "switches",
        "tests of what has several ways, under each combination of the variables that choose one",
        needs=(),
        commands=(OWN_BUILD, SWITCHES),
        short=(OWN_BUILD, (*SWITCHES, "--short")),
        limit=240,
    ),
    Part(
        "bridge",
        "random headers, called with random objects, against ctypes and NumPy",
        needs=(),
        commands=(OWN_BUILD, (*BRIDGE, "--calls", "100000")),
        short=(OWN_BUILD, (*BRIDGE, "--calls", "4000")),
        limit=120,
    ),
    Part(
        "portable",
        "random calls of a portable extension, against PyTorch's own build of its source",
        needs=(),
        commands=((*PORTABLE, "--calls", "50000"),),
        short=((*PORTABLE, "--calls", "4000"),),
        limit=60,
    ),
    Part(
        "fuzzing",
        "input that breaks what reads it, chosen by coverage",
        needs=(CLANG,),
        commands=((*FUZZING, "--total", "3600"),),
        short=((*FUZZING, "--seconds", "60", "th_calls", *READERS),),
        limit=120,
    ),
)


def missing(*parts):
    """Debian's packages that these parts need, or all, and whose tools are not there."""
    return [tool.packages for part in parts or PARTS for tool in part.needs if not tool.is_there()]


def cases(output):
    """How many cases a command says that it tried."""
    return sum(int(number.replace(",", "")) for count in COUNTS for number in count.findall(output))


def run(command, seconds):
    """(what is wrong, or ""; cases) of a command, whose output is shown while it comes."""
    lines, late = [], threading.Event()
    try:
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                   errors="replace", start_new_session=True)  # fmt: skip
    except OSError as error:
        return str(error), 0

    def end():
        late.set()
        os.killpg(process.pid, signal.SIGKILL)  # what it started holds the pipe, too

    timer = threading.Timer(seconds, end)
    timer.start()
    try:
        with process:
            for line in process.stdout:
                sys.stdout.write(line)
                lines.append(line)
    finally:
        timer.cancel()
    wrong = "ended by the limit" if late.is_set() else f"exit status {process.returncode}" * bool(process.returncode)
    return wrong, cases("".join(lines))


def try_part(part, short):
    """(a row of the report, whether the part held). The short form may leave out a part whose tools are missing."""
    begin, tried = time.monotonic(), 0
    if lacks := missing(part):
        return [part.name, part.looks_for, "0", f"not run: apt-get install {' '.join(lacks)}"], short
    for command in part.short if short else part.commands:
        print(f"harden: {part.name}: {' '.join(command)}", flush=True)
        wrong, count = run(command, begin + 60 * part.limit - time.monotonic())
        tried += count
        if wrong:
            return [part.name, part.looks_for, f"{tried:,}", f"{wrong}: {' '.join(command)}"], False
    if not tried:
        return [part.name, part.looks_for, "0", "no command said how many cases it tried"], False
    return [part.name, part.looks_for, f"{tried:,}", f"{(time.monotonic() - begin) / 60:.1f} min"], True


def table(rows):
    return page.table([["part", "looks for", "cases", "time", "run"], *rows])


def publish(rows):
    """Writes rows into the report; those of other parts stay."""
    by_name = {row[0]: row for row in [*page.cells(page.part(REPORT, "hardening")), *rows]}
    page.write(REPORT, "hardening", table([by_name[part.name] for part in PARTS if part.name in by_name]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="what continuous integration runs")
    parser.add_argument("--publish", action="store_true", help="write the report into docs/internals/hardening.md")
    parser.add_argument("parts", nargs="*", metavar="part", help=", ".join(part.name for part in PARTS))
    options = parser.parse_args()
    known = {part.name: part for part in PARTS}
    if unknown := [name for name in options.parts if name not in known]:
        parser.error(f"part: expected some of {', '.join(known)}, got {', '.join(unknown)}")
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    rows, held = zip(*(try_part(known[name], options.short) for name in options.parts or known))
    form = "short" if options.short else "whole"
    rows = [[*row, f"{datetime.date.today()}, {form}, {os.cpu_count()} cores"] for row in rows]
    print(table(rows))
    if options.publish:
        publish(rows)
    return not all(held)


if __name__ == "__main__":
    sys.exit(main())
