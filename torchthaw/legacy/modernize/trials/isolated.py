"""torchthaw/legacy/modernize/trials/isolated.py: a call in a process of its own, which may crash or never end."""

import json
import os
import resource
import signal
import tempfile
import time
from typing import NamedTuple

import torch


class Answer(NamedTuple):
    """What a call gave; or why it gave nothing, in ``error``."""

    value: object = None
    error: str = ""


def isolated(call, seconds):
    """The Answer of ``call()`` in a fork of this process, which knows the project's modules already.

    The value may be made of tensors, numbers, texts, lists and dicts. What the call prints is lost. This process must
    not have used threads of OpenMP, autograd or CUDA.
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


def each(call, items, seconds, end):
    """Yields (item, Answer of ``call(item)``), one after the other; values are what JSON can hold.

    Many items share a fork, as each costs time: after a crash the next fork goes on, and so it does after a value that
    is true. An earlier item may have spoilt the memory: what counts is what ``isolated`` says. No item is tried after
    ``end``, as time.monotonic() has it.
    """
    items, start = list(items), 0
    while start < len(items) and time.monotonic() < end:
        with tempfile.TemporaryFile() as answers:
            child = os.fork()
            if child == 0:
                _run_each(call, items[start:], seconds, end, answers)
            _, status = os.waitpid(child, 0)
            answers.seek(0)
            lines = answers.read().splitlines()
        for line in lines:
            yield items[start], Answer(*json.loads(line))
            start += 1
        if status and start < len(items):
            yield items[start], Answer(error=_end(status, seconds))
            start += 1


def _run_each(call, items, seconds, end, answers):
    try:
        _prepare()
        for item in items:
            signal.alarm(seconds)
            value, error = _answer(lambda: call(item))
            answers.write(json.dumps([value, error]).encode() + b"\n")
            answers.flush()
            if value or time.monotonic() > end:
                break
        os._exit(0)
    finally:
        os._exit(1)


def _run(call, seconds, path):
    try:
        _prepare()
        signal.alarm(seconds)
        torch.save(_answer(call), f"{path}.part")
        os.replace(f"{path}.part", path)
    finally:
        os._exit(1)


def _prepare():
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
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
    return f"no result within {seconds} s" if number == signal.SIGALRM else f"crashed ({signal.Signals(number).name})"
