"""torchthaw/modernize/recorder.py: run as a program, it runs build files and writes down what they ask for.

``python recorder.py SECONDS BUILD_FILE CUDA RESULT [BUILD_FILE CUDA RESULT]...``. create_extension and setup build
nothing here; CUDA, 0 or 1, is what ``torch.cuda.is_available()`` says; compilers and make are not started. RESULT gets one
JSON object, ``{"late": true}`` where the file runs for more than SECONDS. Each file runs in its folder, in a fork of its
own; none is run after one that gave no result.
"""

import json
import os
import re
import runpy
import shlex
import subprocess
import sys
import time
import traceback
import types

COMPILERS = {"nvcc", "gcc", "g++", "cc", "c++", "clang", "clang++", "make", "cmake", "sh", "bash", "ninja"}
CREATE_EXTENSION = ("name", "headers", "sources", "verbose", "with_cuda", "package", "relative_to")


class Recorder:
    def __init__(self, file):
        self.file = os.path.realpath(file)
        self.found = {"create_extension": [], "setup": [], "commands": [], "error": None}

    def create_extension(self, *given, **keywords):
        arguments = {**dict(zip(CREATE_EXTENSION, given)), **keywords}
        arguments["relative_to"] = os.path.join(os.path.abspath(os.path.dirname(arguments.get("relative_to", "."))), "")
        call = {"line": self.line(), "cwd": os.getcwd(), "arguments": arguments, "built": False}
        self.found["create_extension"].append(call)
        return Anything(arguments.get("name"), call)

    def setup(self, **keywords):
        self.found["setup"].append({"line": self.line(), "cwd": os.getcwd(), "arguments": keywords})
        return Anything()

    def line(self):
        """The line of the build file that is being run; 0 where another file calls."""
        frame = sys._getframe(1)
        while frame is not None:
            if os.path.realpath(frame.f_code.co_filename) == self.file:
                return frame.f_lineno
            frame = frame.f_back
        return 0

    def started(self, words):
        """Whether a command is one of those that are written down in place of being run."""
        text = words if isinstance(words, str) else shlex.join(map(str, words))
        parts = [part.split()[0] for part in re.split(r"[;&|\n]+", text) if part.split()]
        if (
            any(os.path.basename(part) in COMPILERS or part.endswith(".sh") for part in parts)
            or " nvcc " in f" {text} "
        ):
            self.found["commands"].append(text)
            return True
        return False


class Anything:
    """Stands for the cffi.FFI of an extension and its distutils extension: every method does nothing."""

    def __init__(self, name=None, call=None):
        self.name, self._call = name, call

    def build(self, *given, **keywords):
        if self._call is not None:
            self._call["built"] = True
        return Anything(self.name)

    def __getattr__(self, name):
        return lambda *given, **keywords: Anything(self.name)


def patch_commands(recorder):
    run, popen, system = subprocess.run, subprocess.Popen, os.system

    def run_recorded(words, *given, **keywords):
        if recorder.started(words):
            return subprocess.CompletedProcess(words, 0, "", "")
        return run(words, *given, **keywords)

    class Popen(popen):
        def __init__(self, words, *given, **keywords):
            if recorder.started(words):
                words, keywords["shell"] = [sys.executable, "-c", ""], False
            super().__init__(words, *given, **keywords)

    subprocess.run, subprocess.Popen = run_recorded, Popen
    os.system = lambda words: 0 if recorder.started(words) else system(words)


def main(seconds, *jobs):
    here = os.path.dirname(os.path.realpath(__file__))
    sys.path[:] = [folder for folder in sys.path if os.path.realpath(folder) != here]  # its modules are no one's
    import setuptools  # noqa: F401  these take longer than most build files
    import torch  # noqa: F401

    for file, has_cuda, result in zip(jobs[::3], jobs[1::3], jobs[2::3]):
        child = os.fork()
        if child == 0:
            return record(file, has_cuda == "1", result)  # and ends as any program
        status = wait(child, float(seconds))
        if status is None:
            with open(result, "w", encoding="utf-8", errors="surrogateescape") as out:
                json.dump({"late": True}, out)
        if status is None or not os.path.exists(result):
            break
    os._exit(status or 0)  # PyTorch is not taken down, which takes half a second


def wait(child, seconds):
    """The exit status of a process; None where it has not ended after so many seconds, and it runs on."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code
        time.sleep(0.02)
    return None


def record(file, has_cuda, result):
    """Runs a build file as a program of its own."""
    import distutils.core

    import setuptools
    import torch

    recorder = Recorder(file)
    os.chdir(os.path.dirname(file))
    ffi = types.ModuleType("torch.utils.ffi")
    ffi.create_extension = recorder.create_extension
    ffi._wrap_function = lambda function, ffi: function
    sys.modules["torch.utils.ffi"] = torch.utils.ffi = ffi
    torch.cuda.is_available = lambda: has_cuda
    torch.cuda.device_count = lambda: int(has_cuda)
    setuptools.setup = distutils.core.setup = recorder.setup
    patch_commands(recorder)
    sys.argv = [os.path.basename(file)]
    sys.path.insert(0, os.getcwd())
    try:
        runpy.run_path(file, run_name="__main__")
    except SystemExit:
        pass
    except BaseException:
        recorder.found["error"] = traceback.format_exc().strip().splitlines()[-1]
    with open(result, "w", encoding="utf-8", errors="surrogateescape") as out:
        json.dump(recorder.found, out, default=plain)


def plain(value):
    """What stands in JSON for a value that it does not know."""
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    return os.fspath(value) if isinstance(value, os.PathLike) else {"unknown": repr(value)}


if __name__ == "__main__":
    main(*sys.argv[1:])
