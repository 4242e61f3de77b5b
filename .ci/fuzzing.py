"""fuzzing.py: tries inputs that coverage chooses on what reads foreign bytes: the targets of tests/fuzz/.

    python .ci/fuzzing.py (--seconds N | --total N) [target ...]

Each target starts from its seeds, tests/fuzz/seeds/NAME/, from what was found before, tests/fuzz/found/NAME/, and from
what earlier runs kept below build/fuzz/corpus/. It stops at its first finding, whose input is left in
build/fuzz/findings/. --seconds: for each target; --total: seconds for all, shared out among them and the cores.
"""

import argparse
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FUZZ = ROOT / "tests" / "fuzz"
BUILD = ROOT / "build" / "fuzz"
EXECUTIONS = re.compile(r"^stat::number_of_executed_units:\s*(\d+)", re.M)
WRITTEN = re.compile(r"^artifact_prefix=.*; Test unit written to (\S+)", re.M)
# One thread for each target: what a call finds depends on its input alone.
ENVIRONMENT = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "UBSAN_OPTIONS": "print_stacktrace=1"}


@dataclass(frozen=True)
class LibFuzzer:
    """tests/fuzz/NAME.cpp, a program of the CMake preset ``fuzz``."""

    name: str
    reads: str
    longest: int  # bytes of an input

    def can_run(self):
        return True

    def command(self, seconds):
        folders = [BUILD / "corpus" / self.name, FUZZ / "seeds" / self.name, FUZZ / "found" / self.name]
        folders[0].mkdir(parents=True, exist_ok=True)
        return [
            str(BUILD / "bin" / f"fuzz_{self.name}"), f"-max_total_time={seconds}", f"-max_len={self.longest}",
            "-print_final_stats=1", "-verbosity=0", "-len_control=0", "-timeout=30", "-rss_limit_mb=3000",
            f"-artifact_prefix={BUILD}/findings/{self.name}-",
            *(str(folder) for folder in folders if folder.is_dir()),
        ]  # fmt: skip

    def report(self, output):
        return "".join(f"{int(count):,} cases of {self.name}\n" for count in EXECUTIONS.findall(output))


@dataclass(frozen=True)
class Script:
    """tests/fuzz/NAME.py, which takes --seconds and --seeds and prints "N cases"."""

    name: str
    reads: str

    def can_run(self):
        return importlib.util.find_spec("atheris") is not None

    def command(self, seconds):
        script, seeds = FUZZ / f"{self.name}.py", FUZZ / "seeds" / self.name
        return [sys.executable, str(script), "--seconds", str(seconds), "--seeds", str(seeds)]

    def report(self, output):
        return output


@dataclass(frozen=True)
class Trees(Script):
    """tests/fuzz/NAME.py, which chooses by itself, and takes --seconds alone."""

    def can_run(self):
        return True

    def command(self, seconds):
        return [sys.executable, str(FUZZ / f"{self.name}.py"), "--seconds", str(seconds)]


TARGETS = (
    LibFuzzer("th_calls", "calls of every libth function: which, shapes, strides, aliases, numbers", 400),
    LibFuzzer("th_files", "files of libth on disk, in memory and through pipes, and what is done with them", 600),
    LibFuzzer("th_generator", "states of the random generator, and what is drawn after them", 300),
    LibFuzzer("my_lib_sizes", "shapes, sizes and NULLs given to the operators of libmy_lib", 100),
    Script("header_reader", "C headers with the words of annotate.h"),
    Script("nvcc_arguments", "arguments of torchthaw nvcc, and calls of nvcc in scripts"),
    Script("doctor_reader", "files of projects, as the doctor reads them"),
    Script("modernize_reader", "files of projects, as modernize reads them"),
    Trees("trees", "trees of files: links, devices, names, sizes"),
    Trees("cuda_text", "CUDA C++ for CUDA on the CPU, cut and joined by chance"),
    Trees("cuda_calls", "calls of CUDA's runtime on the CPU in any order, against a model of a card's errors"),
)


def build(names):
    """Compiles the programs of these targets."""
    jobs = str(os.cpu_count())
    subprocess.run(["cmake", "--preset", "fuzz", "-G", "Ninja", "--log-level=WARNING"], cwd=ROOT, check=True)
    command = ["cmake", "--build", "--preset", "fuzz", "--parallel", jobs, "--target", *(f"fuzz_{n}" for n in names)]
    subprocess.run(command, cwd=ROOT, check=True)


def run(target, seconds):
    """Whether the target found nothing; says how many inputs it tried."""
    environment = {**os.environ, **ENVIRONMENT}
    done = subprocess.run(target.command(seconds), cwd=ROOT, env=environment, text=True, errors="replace",
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # fmt: skip
    report = target.report(done.stdout)
    if done.returncode:
        report = f"{done.stdout}\nfuzzing: {target.name} ended with exit status {done.returncode}.\n"
        for found in WRITTEN.findall(done.stdout):
            report += f"Add its input as a case: cp {found} {FUZZ.relative_to(ROOT)}/found/{target.name}/\n"
    elif not re.search(r"^[1-9][\d,]* cases", report, re.M):
        report = f"{done.stdout}\nfuzzing: {target.name}: expected a line that says how many cases it tried, got none\n"
        done.returncode = 1
    sys.stdout.write(report)
    sys.stdout.flush()
    return not done.returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    time = parser.add_mutually_exclusive_group(required=True)
    time.add_argument("--seconds", type=int, help="how long each target runs")
    time.add_argument("--total", type=int, help="how long all of them take")
    parser.add_argument("targets", nargs="*", metavar="target", help=", ".join(target.name for target in TARGETS))
    options = parser.parse_args()
    known = {target.name: target for target in TARGETS}
    if unknown := [name for name in options.targets if name not in known]:
        parser.error(f"target: expected some of {', '.join(known)}, got {', '.join(unknown)}")
    targets = [known[name] for name in options.targets or known]
    if lacking := [target.name for target in targets if not target.can_run()]:
        print(f"fuzzing: not run without atheris, which has no wheel for this Python: {' '.join(lacking)}", flush=True)
        targets = [target for target in targets if target.can_run()]
        if not targets:
            return 1
    jobs = min(os.cpu_count() or 1, len(targets))
    seconds = options.seconds or options.total * jobs // len(targets)
    if programs := [target.name for target in targets if isinstance(target, LibFuzzer)]:
        build(programs)
    shutil.rmtree(BUILD / "findings", ignore_errors=True)
    (BUILD / "findings").mkdir(parents=True)
    with ThreadPoolExecutor(jobs) as pool:
        return not all(list(pool.map(lambda target: run(target, seconds), targets)))


if __name__ == "__main__":
    sys.exit(main())
