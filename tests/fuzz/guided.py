"""tests/fuzz/guided.py: runs a reader of text on inputs that its own coverage chooses; what all Python targets share.

    python tests/fuzz/TARGET.py --seconds N --seeds DIR
    python tests/fuzz/TARGET.py FILE …

The first form tries new inputs, made of the seeds and of what was found before, and ends with the first one that breaks
a property: it is written into build/fuzz/findings/. The second form tries these files.

A target is a module with two properties: ``check(data)`` for any bytes, and ``generated``, a test of hypothesis for
what is valid. ``WORDS`` are put into the bytes. atheris says what is covered; both properties raise where they break.
"""

import argparse
import contextlib
import importlib
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT)]

FINDINGS = ROOT / "build" / "fuzz" / "findings"
CORPUS = ROOT / "build" / "fuzz" / "corpus"
SECONDS = 10  # of the processor, for one input; a reader takes milliseconds
MEMORY = 2000  # MB
LONGEST = 20_000  # bytes: enough to tell a search that is quadratic from one that is linear
PARTS = ("check", "generated")


class Broken(AssertionError):
    """A property does not hold."""


def saved(name):
    """The committed inputs of a target: its seeds, and what was found."""
    folders = [ROOT / "tests" / "fuzz" / kind / name for kind in ("seeds", "found")]
    return sorted(path for folder in folders for path in folder.glob("*"))


# ---- What a reader must not do --------------------------------------------------------------------------------------

_watched = None  # the folder of the files that are read, while a reader is at work
_reported = []


def _audit(event, arguments):
    if _watched is None:
        return
    if event == "open" and isinstance(arguments[0], (str, bytes)):
        path, mode = os.fsdecode(arguments[0]), arguments[1] or ""
        flags = arguments[2] if isinstance(arguments[2], int) else 0
        written = set(mode) & set("wax+") or flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        if written and path.startswith(_watched):
            _reported.append(f"{path} was opened for writing")
    elif event in ("os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.chmod", "os.symlink"):
        if str(arguments[0]).startswith(_watched):
            _reported.append(f"{event} of {arguments[0]}")
    elif event == "subprocess.Popen" and "-E" in arguments[1]:
        pass  # the C preprocessor, which reads headers that are more than declarations
    elif event in ("os.system", "os.exec", "os.posix_spawn", "os.fork", "os.spawn", "subprocess.Popen", "os.startfile"):
        _reported.append(f"{event}: {arguments[0]} was started")
    elif event == "exec":
        name = getattr(arguments[0], "co_filename", "")
        if name.startswith(_watched) or name in ("source", "<unknown>"):
            _reported.append(f"code of {name} was executed")


@contextlib.contextmanager
def only_reads(folder):
    """Raises Broken after the block where it wrote below ``folder``, started a program other than the C preprocessor, or
    ran code of a file there."""
    global _watched
    if not hasattr(only_reads, "is_hooked"):
        sys.addaudithook(_audit)  # there is no way to remove one
        only_reads.is_hooked = True
    _reported.clear()
    _watched = os.fspath(folder)
    try:
        yield
    finally:
        _watched = None
    if _reported:
        raise Broken(f"expected that files are only read; {_reported[0]}")


@contextlib.contextmanager
def limited():
    """Raises Broken in a block that takes more than SECONDS of the processor; regular expressions stop as well."""

    def stop(signum, frame):
        raise Broken(f"expected an end within {SECONDS} s, got none")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def replay(target, path):
    """Tries a saved input."""
    with limited():
        target.check(path.read_bytes())


# ---- Files in one input ---------------------------------------------------------------------------------------------

FILE = re.compile(rb"^=== ([\w./-]{1,60})\n", re.MULTILINE)


def files(data, name):
    """{path: bytes} of an input: each file stands below a line ``=== path``; what has no such line is ``name``."""
    parts = FILE.split(data)
    found = {name: parts[0]} if parts[0] or len(parts) == 1 else {}
    for path, content in zip(parts[1::2], parts[2::2]):
        path = os.path.normpath("/" + path.decode()).lstrip("/")
        is_both = any(each.startswith(f"{path}/") or path.startswith(f"{each}/") for each in found)  # file and folder
        if path and not is_both:
            found[path] = content
    return found


@contextlib.contextmanager
def project(contents):
    """A folder with these files."""
    with tempfile.TemporaryDirectory(prefix="torchthaw-fuzz-") as name:
        folder = Path(name).resolve() / "project"
        folder.mkdir()
        for path, content in contents.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
        yield folder


# ---- The program ----------------------------------------------------------------------------------------------------


def main(script):
    """The command line of the target in the file ``script``."""
    name = Path(script).stem
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, help="how long new inputs are tried")
    parser.add_argument("--seeds", type=Path, default=ROOT / "tests" / "fuzz" / "seeds" / name)
    parser.add_argument("files", nargs="*", type=Path, help="inputs that are tried instead")
    options = parser.parse_args()
    if options.files:
        target = importlib.import_module(name)
        for path in options.files:
            replay(target, path)
        print(f"{len(options.files)} cases")
        return 0
    if not options.seconds:
        parser.error("expected --seconds or files")
    tried = 0
    for part in PARTS:
        seconds = max(1, options.seconds // len(PARTS))
        status, count = _run(name, part, seconds, options.seeds)
        if status:
            print(f"{name}: {part}: ended with exit status {status}")
            return 1
        tried += count
    print(f"{tried:,} cases")
    return 0


def _run(name, part, seconds, seeds):
    """(exit status, how many inputs were tried) of one property, in a process that libFuzzer ends."""
    for folder in (FINDINGS, CORPUS / name / part):
        folder.mkdir(parents=True, exist_ok=True)
    words = CORPUS / name / "words"
    words.write_text("".join(f'"{_escaped(word)}"\n' for word in importlib.import_module(name).WORDS))
    corpus = [CORPUS / name / part]
    if part == "check":
        corpus += [folder for folder in (seeds, ROOT / "tests" / "fuzz" / "found" / name) if folder.is_dir()]
    command = [
        sys.executable, __file__, name, part, f"-max_total_time={seconds}", "-timeout=1200",
        f"-rss_limit_mb={MEMORY}", f"-max_len={LONGEST}", f"-artifact_prefix={FINDINGS}/{name}-{part}-",
        "-print_final_stats=1", "-verbosity=0", "-len_control=20", f"-dict={words}", *map(str, corpus),
    ]  # fmt: skip
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    output = done.stdout.decode(errors="replace")
    counts = re.findall(r"^stat::number_of_executed_units:\s*(\d+)", output, re.MULTILINE)
    if done.returncode or not counts:
        print(output)
    return done.returncode or not counts, int(counts[-1]) if counts else 0


def _guided(name, part, flags):
    """Gives libFuzzer one property of a target; does not return."""
    try:
        import atheris
    except ImportError:
        sys.exit("guided: expected atheris, which make harden installs for Python 3.11 and 3.12 on x86-64; found none")
    with atheris.instrument_imports(include=["torchthaw"]):
        target = importlib.import_module(name)
    more = {"custom_mutator": mutated} if part == "check" else {}
    test = target.check if part == "check" else _generated(target)

    def run(data):
        with limited():
            test(data)

    atheris.Setup([sys.argv[0], *flags], run, **more)
    atheris.Fuzz()


def _generated(target):
    from hypothesis import HealthCheck, settings

    test = settings(deadline=None, database=None, suppress_health_check=list(HealthCheck))(target.generated)
    return test.hypothesis.fuzz_one_input


def _escaped(word):
    return "".join(chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\x{byte:02x}" for byte in word.encode())


def mutated(data, longest, seed):
    """Bytes made of ``data``: by libFuzzer, or with a part repeated many times, which shows what is not linear."""
    import atheris

    choice = random.Random(seed)
    if data and choice.random() < 0.05:
        start = choice.randrange(len(data))
        end = min(len(data), start + choice.choice((1, 2, 5, 20, 100)))
        times = choice.choice((10, 100, 1000, 10_000))
        repeated = data[start:end] * min(times, max(1, (longest - len(data)) // (end - start)))
        return (data[:start] + repeated + data[end:])[:longest]
    return atheris.Mutate(data, longest)


if __name__ == "__main__":
    _guided(sys.argv[1], sys.argv[2], sys.argv[3:])
