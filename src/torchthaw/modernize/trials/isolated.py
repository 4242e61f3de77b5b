"""torchthaw/modernize/trials/isolated.py: a call in a process of its own, which may crash or never end."""

import contextlib
import importlib
import json
import os
import resource
import signal
import tempfile
import time
from typing import NamedTuple

import torch

# Limits are seconds of processor time, so that what a machine does beside decides nothing; what waits without any is
# ended after as many times the limit on the clock.
PATIENCE = 5
# What the first gradient imports, half a second of it: forks share what this process has.
with contextlib.suppress(ImportError):
    importlib.import_module("torch.fx.experimental.symbolic_shapes")


class Answer(NamedTuple):
    """What a call gave; or why it gave nothing, in ``error``."""

    value: object = None
    error: str = ""


def isolated(call, seconds):
    """The Answer of ``call()`` in a fork of this process, which knows the project's modules already.

    The value may be made of tensors, numbers, texts, lists and dicts. What the call prints is lost. This process must
    not have used threads of OpenMP, autograd or CUDA. seconds: of processor time.
    """
    with tempfile.TemporaryDirectory(prefix="torchthaw-") as folder:
        path = os.path.join(folder, "value")
        child = os.fork()
        if child == 0:
            _run(call, seconds, path)
        _, status = os.waitpid(child, 0)
        if os.path.exists(path):
            return Answer(*torch.load(path, weights_only=True))
    return Answer(error=_end(status, seconds))


def each(call, items, seconds, seconds_in_all):
    """Yields (item, Answer of ``call(item)``), one after the other; values are what JSON can hold.

    Many items share a fork, as each costs time: after a crash the next fork goes on, and so it does after a value that
    is true. An earlier item may have spoilt the memory: what counts is what ``isolated`` says. No item is tried after
    ``seconds_in_all`` of processor time, but the first.
    """
    items, start, end = list(items), 0, _used() + seconds_in_all
    while start < len(items) and (start == 0 or _used() < end):
        with tempfile.TemporaryFile() as answers:
            child = os.fork()
            if child == 0:
                _run_each(call, items[start:], seconds, end - _used(), answers)
            _, status = os.waitpid(child, 0)
            answers.seek(0)
            lines = answers.read().splitlines()
        for line in lines:
            yield items[start], Answer(*json.loads(line))
            start += 1
        if status and start < len(items):
            yield items[start], Answer(error=_end(status, seconds))
            start += 1


def _used():
    """The processor time of the forks that ended."""
    return sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])


def _run_each(call, items, seconds, seconds_in_all, answers):
    try:
        _prepare()
        for item in items:
            _limit(seconds)
            value, error = _answer(lambda: call(item))
            answers.write(json.dumps([value, error]).encode() + b"\n")
            answers.flush()
            if value or time.process_time() > seconds_in_all:
                break
        os._exit(0)
    finally:
        os._exit(1)


def _run(call, seconds, path):
    try:
        _prepare()
        _limit(seconds)
        torch.save(_answer(call), f"{path}.part")
        os.replace(f"{path}.part", path)
    finally:
        os._exit(1)


def _limit(seconds):
    """Ends this process ``seconds`` from now."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.alarm(PATIENCE * seconds)


def _prepare():
    for number in (signal.SIGPROF, signal.SIGALRM):
        signal.signal(number, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    silence = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(silence, descriptor)


def _answer(call):
    try:
        return call(), ""
    except Exception as error:
        text = str(error).strip()
        return None, f"{type(error).__name__}: {text.splitlines()[0]}" if text else type(error).__name__


def _end(status, seconds):
    """How a process ended that gave no value."""
    if not os.WIFSIGNALED(status):
        return f"ended the process with status {os.WEXITSTATUS(status)}"
    number = os.WTERMSIG(status)
    if number in (signal.SIGPROF, signal.SIGALRM):
        return f"no result within {seconds} s"
    return f"crashed ({signal.Signals(number).name})"
