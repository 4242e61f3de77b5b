"""benchmarks/__main__.py: `python -m benchmarks [question …] [--quick]` measures and reports."""

import argparse
import importlib
import multiprocessing
import os
import sys
import tempfile
import traceback
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from . import QUESTIONS, figures, machine, report
from .harness import QUICK, Answer, Effort

TWO_THREADS = {"lltm_threads"}
ROOT = Path(__file__).resolve().parents[1]


def ask(question, effort):
    """Answer one question in this process, which must be fresh: it binds threads to cores."""
    if question in TWO_THREADS:
        cores = machine.idle_cores(2)
        if cores is None:
            return Answer(notes=[
                f"two-thread figures skipped: no two cores stayed {machine.IDLE_ENOUGH:.0%} idle"
            ])  # fmt: skip
        os.sched_setaffinity(0, cores)
        os.environ.update(OMP_PLACES="cores", OMP_PROC_BIND="true")  # read when PyTorch is imported
    else:
        machine.pin_one()

    import torch

    torch.set_num_threads(1)
    torch.manual_seed(0)
    with machine.others() as share:
        answer = importlib.import_module(f".{question}", __package__).measure(effort)
    answer.notes.append(f"other programs took {share[0]:.0%} of the cores' time meanwhile")
    return answer


def ask_all(questions, effort):
    """({question: Answer}, [questions that failed]); each in a process of its own."""
    answers, failed = {}, []
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn, max_tasks_per_child=1) as pool:
        for number, question in enumerate(questions, 1):
            print(f"[{number}/{len(questions)}] {question} …", file=sys.stderr, flush=True)
            try:
                answers[question] = pool.submit(ask, question, effort).result()
            except Exception:
                traceback.print_exc()
                failed.append(question)
                continue
            print(report.answer_table(question, answers[question]), flush=True)
    return answers, failed


def main():
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Time this repository's operators against their peers; under ten minutes.",
    )
    parser.add_argument("questions", nargs="*", metavar="question", help=", ".join(QUESTIONS))
    parser.add_argument(
        "--quick", action="store_true", help="a minute: few rounds and no torch.compile"
    )
    parser.add_argument(
        "--output", type=Path, default=ROOT / "build" / "benchmarks",
        help="folder for results.json and results.png (default: build/benchmarks)",
    )  # fmt: skip
    options = parser.parse_args()
    unknown = set(options.questions) - set(QUESTIONS)
    if unknown:
        parser.error(f"unknown question {', '.join(sorted(unknown))}; choose from {', '.join(QUESTIONS)}")

    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])  # ninja
    os.chdir(ROOT)  # functions, modules and _ext are imported from the checkout
    effort = QUICK if options.quick else Effort()
    with tempfile.TemporaryDirectory() as cache:  # so that compile times are those of a first run
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = cache
        answers, failed = ask_all(options.questions or QUESTIONS, effort)

    results = report.results(answers, machine.describe(), quick=options.quick)
    print(report.goal_table(results))
    options.output.mkdir(parents=True, exist_ok=True)
    report.save(results, options.output / "results.json")
    figures.draw(results, options.output / "results.png")
    print(f"\nwritten: results.json and results.png in {os.path.relpath(options.output)}")
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
