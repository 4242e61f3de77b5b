# tests/legacy/doctor/test_doctor_files.py: files that the doctor cannot read, what it never runs, and the command that
# it ends with.
import os
import shutil
import socket
import subprocess
import sys
import threading

import pytest

from support import ROOT, SRC
from support.doctor_project import applied, findings, places, project  # noqa: F401
from torchthaw.cli import main
from torchthaw.doctor.examine import Examination
from torchthaw.doctor.reading import commands

TERMS = " + ".join(["x"] * 20000)
BUILD = "from torch.utils.ffi import create_extension\nffi = create_extension('_ext.{}', {}, {})\nffi.build()\n"


def unreadable(folder):
    return {finding.message for finding in findings(folder) if finding.rule == "unreadable"}


def calls_for(folder, name, text):
    """How many Python functions are called to read one file."""
    (folder / name).write_text(text)
    count = 0

    def on_event(frame, event, argument):
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(on_event)
    try:
        Examination(folder / name)
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("text", ["(", "[{(", "f(", "(x", "f(async=1,", "`"], ids=str)
def test_open_brackets_cost_no_more_than_their_characters(tmp_path, text):
    """Python ends at 200 of them; the parser of Python 2 called 180 functions for each."""
    calls_for(tmp_path, "a.py", text)  # what is imported and cached once
    few, many = (calls_for(tmp_path, "a.py", text * (length // len(text))) for length in (10_000, 20_000))
    assert many < 3 * few and many < 20_000
    assert places(tmp_path) == {"a.py:0 check unreadable"}


@pytest.mark.parametrize(
    "text", ["x = " + "(" * 150 + "1" + ")" * 150, "x = 1  # " + "(" * 500, "x = '" + "(" * 500 + "'"]
)
def test_what_python_reads_is_not_nested_too_deep(project, text):
    assert places(project({"a.py": f"{text}\nprint(xrange(3))\n"})) == {"a.py:2 edit python2-name"}


def test_links_pipes_and_sockets_are_named_and_the_rest_is_read(project, capsys):
    folder = project({"a.py": "x = xrange(3)\n"})
    (folder / "dangling.py").symlink_to("nowhere.py")
    (folder / "loop.c").symlink_to("loop.c")
    os.mkfifo(folder / "pipe.py")
    os.mkfifo(folder / "lib.so")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "socket.c"))
    answers = []
    reader = threading.Thread(target=lambda: answers.append(places(folder)), daemon=True)
    reader.start()
    reader.join(60)
    assert answers, "it waits for the FIFO"
    assert answers[0] == {
        "a.py:1 edit python2-name",
        *(f"{name}:0 check unreadable" for name in ("dangling.py", "loop.c", "pipe.py", "lib.so", "socket.c")),
    }
    assert main(["doctor", str(folder)]) == 1
    out = capsys.readouterr().out
    assert "expected a regular file, got a FIFO" in out and "a symbolic link that leads nowhere" in out
    assert main(["doctor", str(folder / "pipe.py")]) == main(["doctor", str(folder / "dangling.py")]) == 0
    assert "nothing has to be edited in the files that could be read" in capsys.readouterr().out


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_what_may_not_be_read_is_named(project):
    folder = project({"a.py": "x = xrange(3)\n", "b/c.py": "", "d.c": ""})
    (folder / "b").chmod(0)
    (folder / "d.c").chmod(0)
    try:
        assert places(folder) == {"a.py:1 edit python2-name", "b:0 check unreadable", "d.c:0 check unreadable"}
    finally:
        (folder / "b").chmod(0o755)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("file, text, names", [
    ("long.py", f"x = ({TERMS})\n", True),
    ("huge.py", f"x = ({' + '.join(['x'] * 200000)})\n", True),  # Python 3.10's own parser crashes here
    ("deep.py", f"x = {'(' * 3000}x{')' * 3000}\n", True),
    ("python2.py", f"print 1\nx = {TERMS}\n", True),
    ("calls.py", f"x = x{'.f()' * 20000}\n", None),  # some versions of Python read it
    ("names.py", f"x = [{', '.join(['xrange'] * 20000)}]\n", False),
    ("long.c", f"int f(THFloatTensor *x) {{ return {TERMS}; }}\n", False),
    ("long.h", f"enum {{ N = {TERMS.replace('x', '1')} }};\n", True),  # not given to cffi
    ("open.cu", f"void f() {{ THCudaMalloc({'(' * 20000}; }}\n", False),
    ("make.sh", f"echo {TERMS}\n", False),
])  # fmt: skip
def test_long_expressions_neither_stop_nor_hang_it(project, file, text, names):
    folder = project({
        file: text, "other.py": "x = xrange(3)\n", "build.py": BUILD.format("a", ["long.h"], []),
        **({"long.h": ""} if file != "long.h" else {}),
    })  # fmt: skip
    found = places(folder)
    assert "other.py:1 edit python2-name" in found and "build.py:2 works create_extension" in found
    assert names is None or (f"{file}:0 check unreadable" in found) == names


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_thousands_of_equal_lines(project):
    folder = project({"a.py": "print x\n" * 3000, "b.py": "import os\n" + "print x\nn = reduce(f, x)\n" * 1500})
    assert len(findings(folder, "a.py")) == 3000
    assert set(applied(folder)) == {"a.py", "b.py"}


@pytest.mark.slow
def test_names_and_lines_that_are_no_text(project):
    folder = project({"a.py": "print 'é€'\n"})
    (folder / os.fsdecode(b"b\xff.py")).write_bytes(b"print 'caf\xe9'\n")
    for encoding in ("ascii", "utf-8"):
        environment = {**os.environ, "PYTHONPATH": str(SRC), "PYTHONIOENCODING": encoding}
        command = [sys.executable, "-m", "torchthaw", "doctor", str(folder)]
        result = subprocess.run(command, env=environment, capture_output=True)
        assert (result.returncode, result.stderr) == (1, b"") and b"b\\udcff.py: 2 to edit" in result.stdout


def test_names_of_a_single_file_may_come_from_those_beside_it(project):
    folder = project({
        "a.py": "r.has_key(x)\nsend(x, async=True)\n", "b.py": "class R:\n    def has_key(self, x): pass\n",
        "c.py": "def send(x, async): pass\n",
        "a.c": '#include "own/a.h"\nvoid f() { THFloatTensor_own(t); THTwice(t); }\n',
        "own/a.h": "void THFloatTensor_own(THFloatTensor *);\n", "b.h": "#define THTwice(x) x\n",
    })  # fmt: skip
    assert places(folder / "a.py") == {"a.py:1 check python2-name", "a.py:2 edit async-keyword"}
    assert places(folder / "a.c") == set()


def test_chains_of_operators_that_python_reads(project):
    folder = project({"a.py": "total = " + " + ".join(["x.long()"] * 900) + "\nhalf = total / 2\nprint(xrange(3))\n"})
    assert places(folder) == {"a.py:2 mode integer-division", "a.py:3 edit python2-name"}


MODULES = ("torch", "cffi", "fissix", "pycparser", "appdirs", "ast", "json", "difflib", "dataclasses", "tokenize",
           "shlex", "argparse", "tempfile", "sitecustomize", "setup", "build", "conftest")  # fmt: skip


@pytest.mark.slow
def test_nothing_of_the_project_is_run(project):
    """Modules of the project with the names of those that the doctor imports, in the folder where it is started."""
    trap = "open('ran', 'w').write(__name__)\nraise SystemExit('ran')\n"
    files = {f"{name}.py": trap for name in MODULES}
    files["build.py"] = trap + BUILD.format("a", ["a.h"], ["a.c"]) + "print 'Python 2'\n"
    files["a.h"] = '#include "b.h"\nint f(THFloatTensor *x);\n'
    folder = project({**files, "b.h": "", "a.c": "", "make.sh": "touch ran\n", "Makefile": "all:\n\ttouch ran\n"})
    environment = {**os.environ, "PYTHONPATH": str(SRC)}
    for more in ([], ["--diff"], ["--apply"], ["--json"]):
        command = [sys.executable, "-m", "torchthaw", "doctor", ".", *more]
        result = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
        assert "ran" not in os.listdir(folder), (folder / "ran").read_text()
        assert "Traceback" not in result.stderr and result.returncode in (0, 1), result.stderr
    assert b"print('Python 2')" in (folder / "build.py").read_bytes()


SETUP = "from setuptools import setup\nsetup(cffi_modules=['build.py:ffi'])\n"
NO_BUILD = BUILD.replace("ffi.build()\n", "")

# Files, and the command that builds them, started in their folder.
COMMANDS = {
    "one": ({"build.py": BUILD.format("a", [], [])}, "python -m torchthaw run build.py"),
    "in a folder": ({"lib/build.py": BUILD.format("a", [], [])}, "cd lib && python -m torchthaw run build.py"),
    "several": (
        {"build.py": BUILD.format("a", [], []), "a b/build.py": BUILD.format("b", [], []),
         "c/make.py": BUILD.format("c", [], [])},
        "python -m torchthaw run build.py && (cd 'a b' && python -m torchthaw run build.py) && "
        "(cd c && python -m torchthaw run make.py)",
    ),
    "cffi_modules": (
        {"build.py": NO_BUILD.format("a", [], []), "setup.py": SETUP},
        "python -m torchthaw run setup.py build_ext --inplace",
    ),
    "several of one setup.py": (
        {"setup.py": SETUP.replace("['build.py:ffi']", "['a/build.py:ffi', 'b/build.py:ffi']"),
         "a/build.py": BUILD.format("a", [], []), "b/build.py": BUILD.format("b", [], [])},
        "python -m torchthaw run setup.py build_ext --inplace",
    ),
    "a setup.py that imports it": (
        {"build.py": NO_BUILD.format("a", [], []), "setup.py": "import build\nbuild.ffi.build()\n"},
        "python -m torchthaw run setup.py build_ext --inplace",
    ),
    "load": (
        {"lib/ops.py": "from torch.utils.cpp_extension import load\nops = load('ops', ['a.cpp'])\n"},
        "python -m torchthaw run SCRIPT, which imports ops.py",
    ),
    "none": ({"a.py": "x = 1\n"}, ""),
}  # fmt: skip


@pytest.mark.parametrize("name", COMMANDS)
def test_command(project, name, monkeypatch, capsys):
    files, command = COMMANDS[name]
    folder = project(files)
    monkeypatch.chdir(folder)
    assert commands.build_command(Examination(".")) == command
    assert main(["doctor", "."]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == "nothing has to be edited" + (f": {command}" if command else "")


def test_last_line_while_there_are_edits(project, capsys):
    folder = project({"a.py": "print 1\n", "build.py": BUILD.format("a", [], [])})
    assert main(["doctor", str(folder)]) == 1
    *_, apply, last = capsys.readouterr().out.splitlines()
    assert apply == f"to make every edit: python -m torchthaw doctor {folder} --apply (--diff shows them first)"
    assert last == f"after the edits: cd {folder} && python -m torchthaw run build.py"
    project({"b.py": "x, lu = torch.gesv(b, a)\n"})
    assert main(["doctor", str(folder)]) == 1
    assert capsys.readouterr().out.splitlines()[-2].startswith("to make 1 of these edits, marked with +: ")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["script", "package"])
def test_the_last_line_builds_the_sample(name, tmp_path):
    """The command as printed, with this Python for ``python``."""
    folder = shutil.copytree(ROOT / "examples" / "legacy" / name, tmp_path / "a b")
    environment = {**os.environ, "PYTHONPATH": str(SRC)}
    result = subprocess.run(
        [sys.executable, "-m", "torchthaw", "doctor", str(folder)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    command = result.stdout.splitlines()[-1].partition(": ")[2]
    built = subprocess.run(
        ["bash", "-c", f'python() {{ "{sys.executable}" "$@"; }}; {command}'], cwd=tmp_path, env=environment,
        capture_output=True, text=True,
    )  # fmt: skip
    assert built.returncode == 0, built.stderr
    assert list(folder.rglob("_my_lib*.so"))
