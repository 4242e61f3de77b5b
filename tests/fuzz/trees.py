"""tests/fuzz/trees.py: trees of files that nobody would make by hand, for what reads the projects of others.

    python tests/fuzz/trees.py --seconds N
    python tests/fuzz/trees.py SEED …

Links, pipes, devices, odd names, depths, sizes and encodings, chosen by a seed. ``doctor``, ``modernize --check``, ``run``
of what is no regular file, and ``enable`` end by themselves, within limits of time, memory and output for all that they
start. They say nothing that acts on a terminal, report no fault of their own, and leave the tree as it was. The seed of
a tree that breaks one of these is printed; the second form tries it again.
"""

import contextlib
import os
import random
import socket
import stat
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests" / "fuzz"), str(ROOT)]

import by_seed  # noqa: E402
import doctor_reader  # noqa: E402

from torchthaw.base import child, printing  # noqa: E402

LIMITS = {"seconds": 60, "memory": 2 << 30, "output": 64 << 20}
NAMES = [
    "a", "b.py", "setup.py", "build.py", "k.c", "k.h", "n.cpp", "g.cu", "g.cuh", "x.pyx", "m.sh", "Makefile", "CMakeLists.txt", "l.so",
    "o.o", "l.a", "setup.cfg", "pyproject.toml", "README.md", "MANIFEST.in", "__init__.py", ".py", ".c", ".so", "...", "..py", "-", "-x.py",
    " ", "a b.py", "\x1b[31m.py", "a\nb.py", "\u202e.c", "a\udcff.py", "é.py", "a|b.c", "a'\"$x.py", "*.py", "con.py", "x" * 250 + ".py",
    ".torchthaw-abcdefgh", ".git", "__pycache__", "node_modules", "build", "dist", "tests", "test_a.py", "src", "_ext", "\x7f.h", "~", "#.c",
]  # fmt: skip
TARGETS = [
    "/proc/kmsg",
    "/dev/zero",
    "/dev/tty",
    "/dev/stdin",
    "/proc/self/mem",
    "/",
    ".",
    "..",
    "nowhere",
    "b.py",
    "/etc/passwd",
    "../a",
    "/proc/self/fd/0",
]
ENCODINGS = ["utf-8", "utf-8-sig", "latin-1", "utf-16", "utf-32", "utf-7"]
BUILD = (
    "from torch.utils.ffi import create_extension\n"
    "ffi = create_extension('_ext.a', headers=[{}], sources=[{}], relative_to=__file__)\nffi.build()\n"
)
PROGRAM = "import sys\n{}\nfrom torchthaw.cli import main\nsys.exit(main(sys.argv[1:]))"
ENABLE = (
    "import sys, pathlib\n{}\nfrom torchthaw.legacy.run import command_enable\n"
    "command_enable.pth_file = lambda: pathlib.Path(sys.argv[1])\n"
    "try:\n    command_enable.enable()\n    command_enable.disable()\nexcept OSError as error:\n    print(repr(str(error)))\n"
)


class Broken(AssertionError):
    """A property does not hold."""


# ---- A tree ---------------------------------------------------------------------------------------------------------


def make(root, choice):
    """Fills a folder; returns the paths of all that is in it."""
    made = []
    folders = [root]
    for _ in range(choice.randint(0, 25)):
        path = os.path.join(choice.choice(folders), choice.choice(NAMES))
        with contextlib.suppress(OSError):  # a name that is taken, or too long
            KINDS[choice.choices(list(KINDS), WEIGHTS)[0]](path, choice, folders)
            made.append(path)
    if choice.random() < 0.7:
        names = [choice.choice([*NAMES, *TARGETS]) for _ in range(3)]
        with contextlib.suppress(OSError):
            text = BUILD.format(repr(names[0]), ", ".join(map(repr, names[1:])))
            with open(os.path.join(root, "build.py"), "xb") as file:
                file.write(text.encode("utf-8", "backslashreplace"))
    for path in made:
        if choice.random() < 0.03 and not os.path.islink(path):
            with contextlib.suppress(OSError):
                os.chmod(path, choice.choice((0, 0o400, 0o4755)))
    return made


def _file(path, choice, folders):
    kind = choice.random()
    with open(path, "xb") as file:
        if kind < 0.6:
            words = [
                choice.choice([*doctor_reader.WORDS, *TARGETS, "\n", '#include "', '"\n'])
                for _ in range(choice.randint(0, 60))
            ]
            file.write("".join(words).encode(choice.choice(ENCODINGS), "replace") * choice.choice((1, 1, 1, 10)))
        elif kind < 0.75:
            file.write(choice.randbytes(choice.randint(0, 3000)))
        elif kind < 0.9:
            file.write(
                choice.choice((b"\n", b"(", b"x = 1\n", b"\0", b"print 1\n", b"{", b" ", b"/*"))
                * choice.choice((1, 1000, 20_000))
            )
        else:
            file.truncate(choice.choice((299_999, 300_001, 1 << 28, 1 << 35)))


def _folder(path, choice, folders):
    os.mkdir(path)
    folders.append(path)


def _deep(path, choice, folders):
    os.makedirs(os.path.join(path, *[choice.choice("ab") * choice.choice((1, 100))] * choice.choice((5, 20))))


def _link(path, choice, folders):
    os.symlink(choice.choice([*TARGETS, choice.choice(NAMES), os.path.basename(path)]), path)


def _pipe(path, choice, folders):
    os.mkfifo(path)


def _socket(path, choice, folders):
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(path)


def _device(path, choice, folders):
    os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, choice.choice((3, 5, 8))))  # only root can


def _again(path, choice, folders):
    files = [each.path for each in os.scandir(folders[0]) if each.is_file(follow_symlinks=False)]
    os.link(choice.choice(files or [path]), path)


KINDS = {
    "file": _file,
    "folder": _folder,
    "deep": _deep,
    "link": _link,
    "pipe": _pipe,
    "socket": _socket,
    "device": _device,
    "again": _again,
}
WEIGHTS = [10, 3, 1, 4, 2, 1, 1, 1]


def seen(root):
    """What a tree is: what each of its names stands for."""
    found = {}
    for folder, names, files in os.walk(root):
        for name in [*names, *files]:
            path = os.path.join(folder, name)
            status = os.lstat(path)
            found[path] = status.st_mode, status.st_uid, status.st_size, status.st_mtime_ns, status.st_ino
    return found


# ---- What must hold -------------------------------------------------------------------------------------------------


def check(seed, plant="", **limits):
    """Tries the tree of one seed. plant: code that runs before torchthaw does, for a test of this file."""
    choice = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="torchthaw-trees-") as name:
        root = os.path.join(name, "tree")
        os.mkdir(root)
        made = make(root, choice)
        before = seen(root)
        # No file with code is run: links to what waits, pipes, folders and the like.
        others = [
            path for path in made if not os.path.isfile(path) or os.path.realpath(path).startswith(("/proc/", "/dev/"))
        ]
        commands = [
            ["doctor", root],
            ["doctor", root, "--json"],
            ["doctor", root, "--diff"],
            ["modernize", root, "--check"],
        ]
        named = [
            path
            for path in made
            if not os.path.isdir(path) or os.path.realpath(path).startswith(os.path.realpath(root))
        ]
        commands += [
            ["doctor", path] for path in choice.sample(named, min(1, len(named)))
        ]  # not a link to the machine's /
        commands += [["run", path] for path in choice.sample(others, min(2, len(others)))]
        for words in commands:
            done = child.run(
                [sys.executable, "-c", PROGRAM.format(plant), *words],
                **{**LIMITS, **limits},
                env=environment(),
                cwd=name,
            )
            examine(words, done)
            if seen(root) != before:
                raise Broken(f"expected a tree that is only read, got changes by {words}")
        if made:
            words = ["-c", ENABLE.format(plant), choice.choice(made)]
            examine(
                ["enable"], child.run([sys.executable, *words], **{**LIMITS, **limits}, env=environment(), cwd=name)
            )


def environment():
    return {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONIOENCODING": "utf-8"}


def examine(words, done):
    text = (done.out + done.err).decode("utf-8", "backslashreplace")
    if done.ended_by:
        raise Broken(f"expected an end within the limits, got {done.ended_by}, of {words}: {text[-2000:]}")
    if done.status not in (0, 1, 2) or "Traceback (most recent" in text or "a fault of torchthaw" in text:
        raise Broken(
            f"expected a report or an error in one line, got exit status {done.status} of {words}: {text[-4000:]}"
        )
    for line in text.split("\n") if "--diff" not in words else ():
        if line != printing.one_line(line):
            raise Broken(f"expected a line without characters that act, got {line!r} of {words}")


if __name__ == "__main__":
    sys.exit(by_seed.main("trees", __doc__, check, Broken))
