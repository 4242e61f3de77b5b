"""benchmarks/__main__.py: `python -m benchmarks [benchmark …] [--quick]` measures and reports."""

import argparse
import os
import sys
import tempfile
from pathlib import Path

from . import BENCHMARKS, figures, machine, report
from .harness import QUICK, Effort
from .run import run_all

ROOT = Path(__file__).resolve().parents[1]


def main():
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Time this repository's operators against their peers; about fifteen minutes.",
    )
    parser.add_argument("benchmarks", nargs="*", metavar="benchmark", help=", ".join(BENCHMARKS))
    parser.add_argument("--quick", action="store_true", help="a minute: few rounds and no torch.compile")
    parser.add_argument(
        "--output", type=Path, default=ROOT / "build" / "benchmarks",
        help="folder for results.json and its pictures (default: build/benchmarks)",
    )  # fmt: skip
    parser.add_argument(
        "--publish", action="store_true",
        help="keep this run: files to benchmarks/results, tables into the documents",
    )  # fmt: skip
    options = parser.parse_args()
    unknown = set(options.benchmarks) - set(BENCHMARKS)
    if unknown:
        parser.error(f"unknown benchmark {', '.join(sorted(unknown))}; choose from {', '.join(BENCHMARKS)}")
    if options.publish:
        if options.quick or options.benchmarks:
            parser.error("--publish: expected a whole run, got a quick one or some benchmarks only")
        options.output = report.RESULTS

    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])  # ninja
    os.chdir(ROOT)  # functions, modules and _ext are imported from the checkout
    effort = QUICK if options.quick else Effort()
    with tempfile.TemporaryDirectory() as cache:  # so that compile times are those of a first run
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = cache
        outcomes, failed = run_all(options.benchmarks or BENCHMARKS, effort)

    found = report.results(outcomes, machine.describe(), quick=options.quick)
    print(report.goal_table(found))
    options.output.mkdir(parents=True, exist_ok=True)
    report.save(found, options.output / "results.json")
    pictures = figures.draw(found, options.output)
    print(f"\nwritten: {', '.join(['results.json', *pictures])} in {os.path.relpath(options.output)}")
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")
    if options.publish:
        report.publish(found, ROOT)


if __name__ == "__main__":
    main()
