"""benchmarks/run.py: runs each benchmark in a process of its own, bound to its cores."""

import importlib
import multiprocessing
import os
import sys
import traceback
from concurrent.futures import ProcessPoolExecutor

from . import machine, report
from .harness import Outcome

TWO_THREADS = {"lltm_threads"}


def run(benchmark, effort):
    """The outcome of one benchmark, measured in this process, which must be fresh: it binds threads to cores."""
    if benchmark in TWO_THREADS:
        cores = machine.idle_cores(2)
        if cores is None:
            return Outcome(notes=[
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
        outcome = importlib.import_module(f".{benchmark}", __package__).measure(effort)
    outcome.others = share[0]
    return outcome


def run_all(benchmarks, effort):
    """({benchmark: Outcome}, [benchmarks that failed]); each in a process of its own."""
    outcomes, failed = {}, []
    spawn = multiprocessing.get_context("spawn")
    for number, benchmark in enumerate(benchmarks, 1):
        print(f"[{number}/{len(benchmarks)}] {benchmark} …", file=sys.stderr, flush=True)
        with ProcessPoolExecutor(1, mp_context=spawn) as pool:
            try:
                outcomes[benchmark] = pool.submit(run, benchmark, effort).result()
            except Exception:
                traceback.print_exc()
                failed.append(benchmark)
                continue
        print(report.outcome_table(benchmark, outcomes[benchmark]), flush=True)
    return outcomes, failed
