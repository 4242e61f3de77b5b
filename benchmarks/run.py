"""benchmarks/run.py: asks each question in a process of its own, bound to its cores."""

import importlib
import multiprocessing
import os
import sys
import traceback
from concurrent.futures import ProcessPoolExecutor

from . import machine, report
from .harness import Answer

TWO_THREADS = {"lltm_threads"}


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
    answer.others = share[0]
    return answer


def ask_all(questions, effort):
    """({question: Answer}, [questions that failed]); each in a process of its own."""
    answers, failed = {}, []
    spawn = multiprocessing.get_context("spawn")
    for number, question in enumerate(questions, 1):
        print(f"[{number}/{len(questions)}] {question} …", file=sys.stderr, flush=True)
        with ProcessPoolExecutor(1, mp_context=spawn) as pool:
            try:
                answers[question] = pool.submit(ask, question, effort).result()
            except Exception:
                traceback.print_exc()
                failed.append(question)
                continue
        print(report.answer_table(question, answers[question]), flush=True)
    return answers, failed
