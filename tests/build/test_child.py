"""tests/build/test_child.py: the one way in which torchthaw runs another program under limits."""

import ast
import os
import re
import subprocess
import sys
import time

import pytest

from support import SRC
from support.messages import names
from torchthaw.base import child
from torchthaw.base.errors import BuildError

SECONDS = 20  # more than any of these programs needs
PACKAGE = SRC / "torchthaw"
STARTS = {
    "execv",
    "execve",
    "execvp",
    "execvpe",
    "fork",
    "popen",
    "posix_spawn",
    "posix_spawnp",
    "spawnv",
    "system",
}  # of os
# Files of torchthaw that start programs in another way than base/child.py, and why they do.
OTHERS = {
    "base/child.py": "it is the way",
    "cuda_on_cpu/nvcc.py": "a compiler: what it starts has its input, its output, and the limits of its caller",
    "cuda_on_cpu/sanitizer.py": "this process becomes one with AddressSanitizer",
    "extension/ninja.py": "the user's build: it may take hours and all memory, and shows its lines",
    "legacy/cpp/cxx.py": "a compiler, which this process becomes",
    "legacy/cpp/nvcc.py": "a compiler, which this process becomes",
    "legacy/run/command_run.py": "the user's program, which this process becomes",
    "modernize/recorder.py": "it writes down what the user's build would start",
    "modernize/trials/isolated.py": "it forks a process that has PyTorch",
    "selftest/checks.py": "each check is a program that base/child.py has started",
}


def says(text, *parts):
    return re.search(names(*parts), text)


def shell(text, **more):
    return child.run(["sh", "-c", text], **{"seconds": SECONDS, **more})


def is_gone(pid):
    """Whether no process has this number, or only one that has ended."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def wait_for(condition):
    end = time.monotonic() + SECONDS
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return condition()


def starts_programs(path):
    """Whether a file of Python names subprocess, or a function of os that starts a program or becomes one."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import) and any(each.name == "subprocess" for each in node.names):
            return True
        if isinstance(node, ast.ImportFrom) and node.module == "subprocess":
            return True
        if isinstance(node, ast.Attribute) and node.attr in STARTS and getattr(node.value, "id", "") == "os":
            return True
    return False


@pytest.mark.skipif(not PACKAGE.is_dir(), reason="an installed torchthaw is tested, without its sources here")
def test_whatever_starts_a_program_does_it_here():
    assert {str(path.relative_to(PACKAGE)) for path in PACKAGE.rglob("*.py") if starts_programs(path)} == OTHERS.keys()


def test_status_and_output_of_a_program():
    done = shell("echo out; echo err >&2; exit 3")
    assert (done.status, done.out, done.err, done.ended_by) == (3, b"out\n", b"err\n", "")


def test_input_is_passed_on():
    data = os.urandom(300_000)
    assert child.run(["cat"], seconds=SECONDS, input=data).out == data


def test_a_program_that_does_not_read_its_input_ends():
    assert shell("exit 0", input=b"x" * 300_000).status == 0


def test_without_input_standard_input_is_empty():
    assert shell("cat").out == b""


def test_a_program_of_unknown_name_is_named():
    with pytest.raises(FileNotFoundError, match=names("no-such-program")):
        child.run(["no-such-program"], seconds=SECONDS)


def test_a_program_that_waits_is_ended():
    begin = time.monotonic()
    assert says(shell("sleep 60", seconds=0.3).ended_by, "0.3 s")
    assert time.monotonic() - begin < SECONDS


@pytest.mark.slow
def test_a_program_that_computes_is_ended_in_a_session_of_its_own_too():
    """By the limit of the processor, which holds where no group of processes reaches."""
    text = "import os\nif os.fork() == 0:\n os.setsid()\n print(os.getpid(), flush=True)\n"
    done = child.run(child.python("-c", text + " while True: pass\nos.wait()"), seconds=1)
    assert says(done.ended_by, "1 s") and wait_for(lambda: is_gone(int(done.out)))


@pytest.mark.slow
def test_memory_is_limited():
    text = "b'x' * (1 << 30)"
    done = child.run(child.python("-c", text), seconds=SECONDS, memory=256 * child.MEGABYTE)
    assert says(done.ended_by, "256 MB", "memory") and done.status


def test_memory_that_a_part_of_a_program_needs_is_found_without_a_word_of_it():
    """A compiler's driver ends with status 1, whatever its part ended with. In a process of its own: one that is itself larger
    than the limit, as this one is, cannot tell; one that a large process has started can."""
    held = bytearray(300 * child.MEGABYTE)
    part = "x = []\ntry:\n while True: x.append(b'x' * (1 << 24))\nexcept MemoryError: pass\nraise SystemExit(1)"
    script = (
        "from torchthaw.base import child\n"
        f"done = child.run(['sh', '-c', '\"$PYTHON\" -I -c \"$PART\"; exit 1'], seconds={SECONDS}, memory=256 << 20)\n"
        "print(done.ended_by)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(SRC), "PYTHON": sys.executable, "PART": part})  # fmt: skip
    assert says(done.stdout, "256 MB", "memory") and held, done.stderr


def test_memory_of_this_process_is_not_that_of_the_program():
    held = bytearray(300 * child.MEGABYTE)
    assert shell("exit 1", memory=256 * child.MEGABYTE).ended_by == "" and held


def test_an_error_of_a_small_program_is_no_lack_of_memory():
    assert shell("exit 1", memory=256 * child.MEGABYTE).ended_by == ""


def test_output_is_limited():
    done = shell("yes", output=100_000)
    assert says(done.ended_by, "output") and len(done.out) < 100_000 + (1 << 17)


def test_output_of_errors_is_limited_too():
    assert says(shell("yes >&2", output=100_000).ended_by, "output")


def test_an_answer_is_text():
    said = child.answer(["sh", "-c", "cat; echo err >&2; exit 3"], input="ä", check=False)
    assert said == (3, "ä", "err\n")


@pytest.mark.parametrize("script, limits, reason", [
    ("echo wrong >&2; exit 3", {}, ("status", "3", "wrong")), ("kill -SEGV $$", {}, ("SIGSEGV",)),
    ("sleep 60", {"seconds": 0.1}, ("0.1 s",)), ("yes", {"output": 1 << 20}, ("1 MB", "output")),
])  # fmt: skip
def test_a_tool_that_does_not_answer_is_an_error_that_names_it(script, limits, reason):
    with pytest.raises(BuildError, match=names(script, *reason)):
        child.answer(["sh", "-c", script], **limits)


def test_a_kernel_that_does_not_tell_of_an_end_is_asked(monkeypatch):
    def refuse(pid):
        raise OSError("no such call")

    monkeypatch.setattr(os, "pidfd_open", refuse, raising=False)
    assert shell("sleep 0.05; echo out").out == b"out\n"
    assert says(shell("sleep 60", seconds=0.1).ended_by, "0.1 s")


@pytest.mark.parametrize("signal", ["SEGV", "KILL", "TERM"])
def test_a_signal_is_named(signal):
    done = shell(f"kill -{signal} $$")
    assert done.status < 0 and says(done.ended_by, f"SIG{signal}")


def test_what_a_program_leaves_behind_is_ended():
    done = shell("sleep 60 & echo $!")
    assert wait_for(lambda: is_gone(int(done.out)))


@pytest.mark.slow
def test_what_holds_the_pipes_in_another_session_is_not_waited_for():
    text = "import os, time\nif os.fork() == 0:\n os.setsid()\n time.sleep(3)\nprint(1)"
    begin = time.monotonic()
    assert child.run(child.python("-c", text), seconds=SECONDS).out == b"1\n"
    assert time.monotonic() - begin < 3


def test_an_exception_ends_the_program(tmp_path):
    def fail(line):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        shell(f"echo $$ > {tmp_path}/pid; echo line; sleep 60", on_line=fail)
    assert is_gone(int((tmp_path / "pid").read_text()))


def test_lines_come_whole_and_in_order():
    lines = []
    shell("printf a; sleep 0.1; echo b; printf '\\377c\\nd'", on_line=lines.append)
    assert lines == ["ab", "\ufffdc", "d"]


@pytest.mark.parametrize(
    "preloaded, limit", [("/nowhere/libother.so", b"262144\n"), ("/nowhere/libasan.so.8", b"unlimited\n")]
)
def test_where_a_sanitizer_is_preloaded_memory_has_no_limit(preloaded, limit):
    done = shell("ulimit -v", memory=256 * child.MEGABYTE, env={**os.environ, "LD_PRELOAD": preloaded})
    assert done.out == limit


def test_no_limit_is_above_one_that_holds_already():
    text = "import resource\nresource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))\n"
    text += (
        "from torchthaw.base import child\nprint(child.run(['sh', '-c', 'ulimit -v'], seconds=5, memory=1 << 40).out)"
    )
    folder = os.path.dirname(os.path.dirname(os.path.dirname(child.__file__)))
    text = f"import sys\nsys.path.insert(0, {folder!r})\n{text}"
    assert child.run(child.python("-c", text), seconds=SECONDS).out == b"b'1048576\\n'\n"


def test_no_file_of_the_current_folder_is_imported(tmp_path):
    for name in ("os", "shutil", "io", "json", "subprocess"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('a file of the project')\n")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = child.run(child.python("-c", "import json, subprocess"), seconds=SECONDS, cwd=tmp_path, env=environment)
    assert (done.status, done.err) == (0, b"")
