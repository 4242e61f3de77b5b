"""tests/support/io_faults.py: makes each call that changes a file, or starts a program, fail in turn, or ends the process there.

    python tests/support/io_faults.py [--short] [--seed N] [work ...]

For each piece of work, and for n = 1, 2 ... until it passes untouched, the n-th such call of its process fails with one of
ENOSPC, EIO, EMFILE and EINTR, or the process is killed there. Then: an error names a file or a program, or the work was
done all the same; every file of the user's is the old one or the new one; and the work that is done again succeeds.
The short form tries a sample, chosen by the seed, which is printed.
"""

import argparse
import errno
import hashlib
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ERRORS = (errno.ENOSPC, errno.EIO, errno.EMFILE, errno.EINTR, 0)  # 0: killed
SECONDS = 300
SAMPLE = 6  # cases of each work in the short form

ONE = {"one.h": "int one(void);\n", "one.c": "int one(void) { return 1; }\n"}
LOAD = """
import torchthaw
module = torchthaw.load("one", ["one.c"], headers=["one.h"])
print("one is", module.one())
"""
CREATE = """
import runpy, sys
import torchthaw
torchthaw.create_extension("made", "one.h", ["one.c"], "build.py").build()
sys.path.insert(0, ".")
import made
print("one is", made.one())
"""
ENABLE = """
import pathlib
from torchthaw.legacy.run import command_enable
command_enable.pth_file = lambda: pathlib.Path("site", command_enable.PTH).absolute()
pathlib.Path("site").mkdir(exist_ok=True)
print("status", command_enable.enable())
"""
CUDA_HOME = """
import pathlib
from torchthaw.cuda_on_cpu import toolkit_folder
made = toolkit_folder.home()
wanted = toolkit_folder.content(toolkit_folder.runtime())
missing = [name for part in wanted for name in part if not (made / name).exists()]
print("home lacks", missing)
"""
OLD = {
    "setup.py": "from distutils.core import setup\nprint 'old'\n",
    "model.py": "def loss(x):\n    return x.data[0]\n\nfor i in xrange(3):\n    print i\n",
    "src/add.h": "int add(THFloatTensor *x);\n",
    "src/add.c": "#include <TH/TH.h>\nint add(THFloatTensor *x) { return 1; }\n",
    "build.py": (
        "from torch.utils.ffi import create_extension\n"
        "ffi = create_extension('_ext.add', headers=['src/add.h'], sources=['src/add.c'], relative_to=__file__)\n"
        "if __name__ == '__main__':\n    ffi.build()\n"
    ),
}


@dataclass
class Work:
    """files: of the project, the current folder. words: what runs there. done: what its output has after it.

    outputs: folders that are there as a whole or not at all. changes: whether it may change files of the project.
    is_command: one of the command line, which shows no traceback.
    """

    files: dict
    words: list
    done: str
    outputs: tuple = ()
    changes: bool = False
    is_command: bool = False
    statuses: tuple = (0,)


def command(*words):
    return [sys.executable, "-m", "torchthaw", *words]


WORKS = {
    "load": Work(ONE, [sys.executable, "-c", LOAD], "one is 1\n"),
    "create_extension": Work(ONE, [sys.executable, "-c", CREATE], "one is 1\n"),
    "enable": Work({}, [sys.executable, "-c", ENABLE], "status 0\n"),
    "cuda_home": Work({}, [sys.executable, "-c", CUDA_HOME], "home lacks []\n"),
    "run": Work({"script.py": "print('ran')\n"}, command("run", "script.py"), "ran\n", is_command=True),
    "doctor --apply": Work(
        OLD, command("doctor", "--apply", "."), "5 files: 0 edits", changes=True, is_command=True, statuses=(0, 1)
    ),
    "modernize": Work(
        OLD,
        command("modernize", ".", "--output", "../new", "--no-compare"),
        "MODERNIZED.md there lists",
        ("new",),
        is_command=True,
        statuses=(0, 1),
    ),
}


def preload():
    """The library that makes calls fail."""
    folder = ROOT / "build" / "io_faults"
    folder.mkdir(parents=True, exist_ok=True)
    made, source = folder / "failing_io.so", ROOT / "tests" / "support" / "failing_io.c"
    if not made.exists() or made.stat().st_mtime < source.stat().st_mtime:
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", source, "-o", made, "-ldl"], check=True)
    return made


def content(folder):
    """{name: digest} of the files below a folder."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*")) if path.is_file() and "__pycache__" not in path.parts
    }  # fmt: skip


class Case:
    """A fresh copy of a work's project, in which it runs."""

    def __init__(self, work, folder):
        self.work, self.folder, self.project = work, folder, folder / "project"
        self.project.mkdir(parents=True)
        for name, text in work.files.items():
            (self.project / name).parent.mkdir(parents=True, exist_ok=True)
            (self.project / name).write_text(text)
        self.log = folder.parent / f"{folder.name}.log"

    def run(self, nth=0, error=0):
        environment = {
            **os.environ, "TORCHTHAW_CACHE": str(self.folder / "cache"), "PYTHONPATH": str(ROOT / "src"),
            "PYTHONDONTWRITEBYTECODE": "1", "HOME": str(self.folder / "home"),
        }  # fmt: skip
        if nth:
            environment |= {
                "LD_PRELOAD": str(preload()), "THAW_IO_ROOT": str(self.folder), "THAW_IO_PROGRAM": "python",
                "THAW_IO_LOG": str(self.log), "THAW_IO_NTH": str(nth), "THAW_IO_ERROR": str(error),
            }  # fmt: skip
        (self.folder / "home").mkdir(exist_ok=True)
        return subprocess.run(
            self.work.words, cwd=self.project, env=environment, capture_output=True, text=True, errors="replace",
            timeout=SECONDS,
        )  # fmt: skip

    def failed_call(self):
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return next((line for line in lines if line.endswith(" failed")), None)

    def is_done(self, result):
        return result.returncode in self.work.statuses and self.work.done in result.stdout

    def state(self):
        return content(self.project)

    def outputs(self):
        return {name: content(self.folder / name) for name in self.work.outputs if (self.folder / name).exists()}


def wanted(work, folder):
    """(the files before, those after, the outputs) of work that nothing disturbs."""
    case = Case(work, folder)
    before = case.state()
    result = case.run()
    assert case.is_done(result), f"the work itself fails: {result.stdout}{result.stderr}"
    return before, case.state(), case.outputs()


def problems(work, case, result, expected, error):
    """What is wrong after a run in which a call failed."""
    before, after, outputs = expected
    killed = error == 0
    said = result.stderr + result.stdout
    if not case.is_done(result) and not killed:
        if work.is_command and "Traceback (most recent call last)" in said:
            yield "a traceback"
        # Of a file: its path; of a program: its name.
        if not re.search(r"[/'\"][\w.+-]*[\w.+-]+['\"]?|\b\w+\.\w+\b", said.strip().rpartition("\n")[2]):
            yield "an error that names nothing"
        if result.returncode < 0:
            yield f"ended by the signal {-result.returncode}"
    now = case.state()
    for name, digest in before.items():
        if now.get(name) not in {digest, after.get(name)}:
            yield f"{name} is neither the old nor the new one"
        if not work.changes and now.get(name) != digest:
            yield f"{name} was changed"
    for name, found in case.outputs().items():
        if found != outputs[name]:
            yield f"{name} is there in part: {sorted(set(outputs[name]) ^ set(found))[:4]}"
    if case.is_done(result):
        for name in work.outputs:
            shutil.rmtree(case.folder / name, ignore_errors=True)  # which the next run would refuse
    again = case.run()
    if not case.is_done(again):
        yield f"the next run fails: {(again.stderr + again.stdout).strip()[-600:]}"
    elif case.outputs() != outputs:
        yield "the next run gives other outputs"


def try_one(work, folder, expected, nth, error):
    """(the call that failed, or None where there are fewer; what is wrong)"""
    case = Case(work, folder)
    result = case.run(nth, error)
    call = case.failed_call()
    if call is None:
        return None, []
    found = [*problems(work, case, result, expected, error)]
    text = textwrap.indent((result.stderr + result.stdout).strip()[-800:], "    ") if found else ""
    return call, [f"{each}\n{text}" for each in found]


def try_work(name, work, folder, chosen):
    """(how many cases, [what is wrong]) of a work. chosen: a function from the number of calls to (nth, error)s."""
    expected = wanted(work, folder / "undisturbed")
    counted = Case(work, folder / "counted")
    counted.run(1 << 30)
    calls = len(counted.log.read_text().splitlines())
    tried, wrong = 0, []
    for nth, error in chosen(calls):
        place = folder / f"{nth}-{error}"
        call, found = try_one(work, place, expected, nth, error)
        tried += call is not None
        how = os.strerror(error) if error else "killed"
        wrong += [f"{name}: call {nth} of {calls}, {call}: {how}: {each}" for each in found]
        shutil.rmtree(place, ignore_errors=True)
    return tried, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="a sample")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("works", nargs="*", metavar="work", help=", ".join(WORKS))
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    chance, tried, wrong = random.Random(options.seed), 0, []

    def chosen(calls):
        every = [(nth, error) for nth in range(1, calls + 1) for error in ERRORS]
        return sorted(chance.sample(every, min(SAMPLE, len(every)))) if options.short else every

    with tempfile.TemporaryDirectory(prefix="torchthaw-io-") as folder:
        for name in options.works or WORKS:
            count, found = try_work(name, WORKS[name], Path(folder, re.sub(r"\W", "_", name)), chosen)
            print(f"{name}: {count} calls failed, {len(found)} problems", flush=True)
            for each in found:
                print(f"  {each}", flush=True)
            tried, wrong = tried + count, wrong + found
    print(f"{tried} cases")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
