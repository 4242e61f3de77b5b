"""torchthaw/base/child.py: runs a program under limits, and ends it with all that it started.

run() is for programs that work on what others wrote; answer() for tools that are asked a question.
"""

import contextlib
import functools
import os
import re
import resource
import selectors
import shlex
import shutil
import signal
import subprocess
import sys
import time
from typing import NamedTuple

from .errors import BuildError

MEGABYTE = 1 << 20
# A shell sets the limits of its own process, which the program then becomes: no code of Python runs after a fork.
LIMITED = 'ulimit -S -t "$1" && { [ "$2" = unlimited ] || ulimit -S -v "$2"; } || exit 125; shift 2; exec "$@"'
# What compilers and Python print when the limit of memory refuses them some; their exit status says nothing of it.
NO_MEMORY = re.compile(rb"out of memory|memory exhausted|[Cc]annot allocate memory|\bbad_alloc\b|\bMemoryError\b")
# What gcc and clang print of a part of theirs that a signal has ended.
PART_ENDED = re.compile(rb"(.{1,80}) signal terminated program|failed due to signal|terminated with signal")
PAUSE = 0.02  # seconds between two looks at a program that prints nothing, where the kernel does not tell that it ended
# In LD_PRELOAD: it takes 15 TB of addresses when a program starts.
SANITIZER = re.compile(r"lib(?:clang_rt\.)?[a-z]?san\b")
ENDED = "ended"  # what a selector says of the file that tells it


class Result(NamedTuple):
    """How a program ended.

    status: its exit status, or the number of a signal, negative. out, err: what it printed, in bytes.
    ended_by: "" where it ended by itself, also with an error; else what ended it, such as "more than 30 s",
        "more than 512 MB of memory", "more than 16 MB of output" or "the signal SIGSEGV".
    """

    status: int
    out: bytes
    err: bytes
    ended_by: str


def python(*words):
    """The command of this Python with ``words``: it imports nothing from the current folder or PYTHONPATH."""
    return [_executable(), "-I", *words]


@functools.cache
def _executable():
    return os.path.abspath(sys.executable)


def run(command, *, seconds, memory=None, output=16 * MEGABYTE, cwd=None, env=None, input=b"", on_line=None):
    """The Result of a program, which has a process group of its own. Nothing of that group is left when this returns.

    seconds: of the clock for the whole, and of the processor for each process of it.
    memory: bytes of address space for each process; None sets no limit, and none is set where a sanitizer is preloaded.
    output: bytes that it may print in all.
    input: what its standard input holds. on_line: called with each line that it prints, as text.
    Raises FileNotFoundError where the program is not there, and what on_line raises.
    """
    words = _limited([os.fspath(word) for word in command], seconds, memory, cwd, env)
    begin = time.monotonic()
    process = subprocess.Popen(
        words, cwd=cwd, env=env, stdin=subprocess.PIPE if input else subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    try:
        printed, ended_by = _talk(process, input, begin + seconds, output, on_line)
    finally:
        usage = _end(process)
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe:
                with contextlib.suppress(OSError):
                    pipe.close()
    out, err = (bytes(part) for part in printed)
    named = {"time": f"more than {seconds:g} s", "output": f"more than {_size(output)} of output"}
    ended_by = named.get(ended_by, "") or _reason(process.returncode, err, usage, seconds, memory)
    return Result(process.returncode, out, err, ended_by)


class Answer(NamedTuple):
    """What a tool said: its exit status, and what it printed, as text."""

    status: int
    out: str
    err: str


def answer(command, *, check=True, seconds=120, output=256 * MEGABYTE, cwd=None, env=None, input=""):
    """The Answer of a tool that is asked something, such as ``nm``, or a compiler for its folders.

    Memory has no limit: drivers of GPUs and sanitizers take more addresses than there is memory.
    check: whether an exit status other than 0 is a BuildError too. Raises BuildError, which names the command, where a
    limit of run() or a signal ended it; FileNotFoundError where it is not there.
    """
    data = input.encode("utf-8", "surrogateescape")
    done = run(command, seconds=seconds, output=output, cwd=cwd, env=env, input=data)
    out, err = (text.decode("utf-8", "surrogateescape") for text in (done.out, done.err))
    if done.ended_by or check and done.status:
        reason = f"was ended by {done.ended_by}" if done.ended_by else f"failed with exit status {done.status}"
        raise BuildError(f"{shlex.join(map(os.fspath, command))}: it {reason}\n{err or out}".rstrip())
    return Answer(done.status, out, err)


def _size(count):
    return f"{count / MEGABYTE:g} MB"


def _limited(command, seconds, memory, cwd, env):
    """The words that run ``command`` with the limits of a process; no limit is above one that holds already."""
    env = os.environ if env is None else env
    if SANITIZER.search(env.get("LD_PRELOAD", "")):
        memory = None
    path = env.get("PATH", os.defpath)
    name = os.path.join(cwd or "", command[0]) if os.sep in command[0] else command[0]
    if shutil.which(name, path=path) is None:
        raise FileNotFoundError(f"expected a program that is there, got {command[0]!r}")
    processor = min(int(seconds) + 1, *_known(resource.RLIMIT_CPU, int(seconds) + 1))
    space = None if memory is None else min([memory, *_known(resource.RLIMIT_AS)]) // 1024
    return ["/bin/sh", "-c", LIMITED, "sh", str(processor), "unlimited" if space is None else str(space), *command]


def _known(which, *more):
    """The limits of this process that are set, and ``more``."""
    return [limit for limit in resource.getrlimit(which) if limit != resource.RLIM_INFINITY] + list(more)


def _talk(process, data, end, output, on_line):
    """([out, err], "time", "output" or ""): passes ``data`` on and reads what is printed, until the program ends."""
    printed, lines = [bytearray(), bytearray()], [Lines(on_line), Lines(on_line)]
    with selectors.DefaultSelector() as selector, _told(process) as told:
        if told is not None:
            selector.register(told, selectors.EVENT_READ, ENDED)
        for number, pipe in enumerate((process.stdout, process.stderr)):
            os.set_blocking(pipe.fileno(), False)
            selector.register(pipe, selectors.EVENT_READ, number)
        if process.stdin:
            os.set_blocking(process.stdin.fileno(), False)
            selector.register(process.stdin, selectors.EVENT_WRITE)
        is_over, data = False, memoryview(data)
        while True:
            wait = PAUSE if told is None else max(0, end - time.monotonic())
            ready = selector.select(0 if is_over else wait)
            for key, _ in ready:
                if key.data is ENDED:
                    selector.unregister(told)
                elif key.fileobj is process.stdin:
                    data = _written(process.stdin, data)
                    if not data:
                        selector.unregister(process.stdin)
                        process.stdin.close()  # the program sees the end
                elif chunk := os.read(key.fd, 1 << 16):
                    printed[key.data] += chunk
                    lines[key.data].add(chunk)
                else:
                    selector.unregister(key.fileobj)
            if sum(map(len, printed)) > output:
                return printed, "output"
            # What the program started may hold the pipes: once it has ended, what is in them is the rest.
            if is_over and not any(key.data in (0, 1) for key, _ in ready):
                break
            is_over = is_over or _is_over(process)
            if not is_over and time.monotonic() >= end:
                return printed, "time"
    for each in lines:
        each.end()
    return printed, ""


@contextlib.contextmanager
def _told(process):
    """A file that can be read once the program has ended; None where the kernel has none."""
    try:
        told = os.pidfd_open(process.pid)
    except (AttributeError, OSError):
        yield None
        return
    try:
        yield told
    finally:
        os.close(told)


class Lines:
    """Passes lines of text on, each once it is whole."""

    def __init__(self, on_line):
        self.on_line, self.rest = on_line, b""

    def add(self, data):
        if self.on_line:
            *whole, self.rest = (self.rest + data).split(b"\n")
            for line in whole:
                self.on_line(line.decode(errors="replace"))

    def end(self):
        if self.rest:
            self.on_line(self.rest.decode(errors="replace"))


def _written(pipe, data):
    """What of ``data`` is left after one write; nothing where nobody reads it."""
    try:
        return data[os.write(pipe.fileno(), data[: 1 << 16]) :]
    except BlockingIOError:
        return data
    except BrokenPipeError:
        return data[:0]


def _is_over(process):
    """Whether the program has ended; it stays a zombie, whose number nobody else gets."""
    return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _end(process):
    """Ends what is left of the program's group; returns the resources that it used."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage


def _reason(status, err, usage, seconds, memory):
    """What ended a program that failed, or a part of it; "" where it ended by itself."""
    if status == 0:
        return ""
    # ru_maxrss, in KiB, is that of the largest process, this one at the time of its fork among them. One that asks for
    # twice as much at once is refused at half.
    if memory is not None and (NO_MEMORY.search(err) or usage.ru_maxrss > max(0.4 * memory / 1024, _largest_size())):
        return f"more than {_size(memory)} of memory"
    if status == -signal.SIGXCPU or usage.ru_utime + usage.ru_stime >= seconds:
        return f"more than {seconds:g} s"
    if status < 0:
        return f"the signal {_name(-status)}"
    part = PART_ENDED.search(err)
    return f"a signal: {os.fsdecode(part[0]).strip()}" if part else ""


def _largest_size():
    """The largest size that this process had, in KiB. Its own ru_maxrss is also that of the process that started it."""
    with contextlib.suppress(OSError), open("/proc/self/status", encoding="ascii", errors="replace") as lines:
        for line in lines:
            if line.startswith("VmHWM:"):
                return int(line.split()[1])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _name(number):
    with contextlib.suppress(ValueError):
        return signal.Signals(number).name
    return str(number)
