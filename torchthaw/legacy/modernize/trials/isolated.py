"""torchthaw/legacy/modernize/trials/isolated.py: a call in a process of its own, which may crash or never end."""

import os
import resource
import signal
import tempfile
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
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        late = number == signal.SIGALRM
        return Answer(error=f"no result within {seconds} s" if late else f"crashed ({signal.Signals(number).name})")
    return Answer(error=f"ended the process with status {os.WEXITSTATUS(status)}")


def _run(call, seconds, path):
    try:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(seconds)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        silence = os.open(os.devnull, os.O_RDWR)
        for descriptor in range(3):
            os.dup2(silence, descriptor)
        try:
            answer = call(), ""
        except Exception as error:
            text = str(error).strip()
            answer = None, f"{type(error).__name__}: {text.splitlines()[0]}" if text else type(error).__name__
        torch.save(answer, f"{path}.part")
        os.replace(f"{path}.part", path)
    finally:
        os._exit(1)
