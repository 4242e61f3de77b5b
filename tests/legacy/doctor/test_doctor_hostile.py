# tests/legacy/doctor/test_doctor_hostile.py: trees that are made to stop what reads them: links, devices, limits, names.
import ast
import contextlib
import io
import os
import sys
import threading

import pytest

from support import SRC
from support.doctor_project import findings, places, project  # noqa: F401
from torchthaw.base import child, printing, reading
from torchthaw.cli import main
from torchthaw.doctor import python2
from torchthaw.doctor.examine import Examination
from torchthaw.doctor.reading import textfile
from torchthaw.legacy.run import command_enable

LEGACY = SRC / "torchthaw" / "legacy"
BUILD = (
    "from torch.utils.ffi import create_extension\ncreate_extension('_ext.a', headers={}, sources=['a.c']).build()\n"
)
SECONDS = 60  # for what takes two or three on a quiet machine


def torchthaw(*words, cwd=None, seconds=SECONDS, memory=2 << 30, **more):
    """The child.Result of a command of torchthaw; a test fails where a limit ended it."""
    environment = {**os.environ, "PYTHONPATH": str(SRC), **more}
    command = [sys.executable, "-m", "torchthaw", *map(str, words)]
    done = child.run(command, seconds=seconds, memory=memory, cwd=cwd, env=environment)
    assert not done.ended_by, (done.ended_by, done.err)
    return done


# ---- One reader -----------------------------------------------------------------------------------------------------

READS = {"open", "read_text", "read_bytes", "fdopen", "copyfile", "copy", "copy2", "copytree", "load", "fromfile"}
# What these functions read is no file of the project: results that torchthaw wrote, and the copy that it builds.
OWN = {
    ("modernize/recording.py", "_recorded"), ("modernize/recording.py", "_printed"), ("modernize/recorder.py", "record"),
    ("modernize/recorder.py", "main"), ("modernize/trials/projects.py", "_copy"), ("modernize/trials/projects.py", "ask"),
    ("modernize/trials/isolated.py", None), ("modernize/trials/child.py", None), ("modernize/generated_tests.py", None),
    ("doctor/textfile.py", "write"), ("doctor/textfile.py", "remove_left_over"),
}  # fmt: skip


def readers(path):
    """(name of the function, line) of each call in a Python file that opens a file."""
    tree = ast.parse(path.read_text())
    owners = {}
    for node in ast.walk(tree):
        for inner in ast.walk(node) if isinstance(node, ast.FunctionDef) else ():
            owners[inner] = node.name
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", None) or getattr(node.func, "attr", None)
            root = ast.unparse(getattr(node.func, "value", node.func))
            if name in READS and root not in ("reading", "json", "self", "tomllib"):
                yield owners.get(node), node.lineno


def test_every_file_of_a_project_is_read_by_one_reader():
    """The reader is base/reading.py, which neither waits nor leaves the project."""
    around = []
    for folder in ("doctor", "modernize"):
        for path in sorted((LEGACY / folder).rglob("*.py")):
            name = path.relative_to(LEGACY).as_posix()
            around += [f"{name}:{line} {owner}" for owner, line in readers(path)
                       if (name, owner) not in OWN and (name, None) not in OWN]  # fmt: skip
    assert not around


def test_a_read_around_it_is_found(tmp_path):
    path = tmp_path / "a.py"
    path.write_text("def f(path):\n    with open(path) as file:\n        return file.read() + path.read_text()\n")
    assert list(readers(path)) == [("f", 2), ("f", 3)]


# ---- Links, devices and file systems --------------------------------------------------------------------------------


def reasons(folder):
    """{path: why it is passed over}"""
    examination = Examination(folder)
    return {report.path: finding.message for report in examination.reports for finding in report.findings
            if finding.rule == "unreadable"}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    "target", ["/proc/kmsg", "/proc/self/maps", "/dev/zero", "/dev/tty", "/sys/kernel/notes", "/etc/passwd"]
)
@pytest.mark.parametrize(
    "name", ["k.py", "k.c", "k.h", "CMakeLists.txt", "setup.cfg", "pyproject.toml", "k.so", "k.pyx"]
)
def test_no_link_that_leaves_the_project_is_followed(project, name, target):
    folder = project({"a.py": "x = xrange(3)\n"})
    (folder / name).symlink_to(target)
    done = torchthaw("doctor", folder)
    assert done.status == 1 and b"a.py:1: python2-name" in done.out
    assert name.endswith(("toml", "cfg")) or name in reasons(folder)


def test_a_link_within_the_project_is_followed(project):
    folder = project({"lib/a.py": "x = xrange(3)\n"})
    (folder / "b.py").symlink_to("lib/a.py")
    assert {"b.py:1 edit python2-name", "lib/a.py:1 edit python2-name"} <= places(folder)


def test_a_link_that_is_named_itself_is_followed(project):
    folder = project({"lib/a.py": "x = xrange(3)\n"})
    (folder / "named").mkdir()
    (folder / "named" / "b.py").symlink_to("../lib/a.py")
    assert places(folder / "named" / "b.py") == {"b.py:1 edit python2-name"}


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/proc/kmsg", "/dev/zero", "/proc/self/pagemap"])
def test_a_file_without_an_end_that_is_named_itself(path):
    if os.path.exists(path):
        assert torchthaw("doctor", path).status in (0, 2)


def test_a_folder_of_another_file_system_is_left_out(project, monkeypatch):
    """As where /proc is mounted in the project; only root can do that, so that the numbers of devices are changed."""
    folder = project({"a.py": "x = xrange(3)\n", "proc/k.py": "x = xrange(3)\n"})
    stat, mount = os.stat, reading._mount

    def other(path, **more):
        found = stat(path, **more)
        return os.stat_result([*found[:2], found.st_dev + ("proc/" in str(path)), *found[3:]])

    monkeypatch.setattr(reading, "_mount", lambda path: "other" if "proc/" in str(path) else mount(path))
    monkeypatch.setattr(reading.os, "stat", other)
    assert places(folder) == {"a.py:1 edit python2-name", "proc/k.py:0 check unreadable"}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["k.py", "k.c", "README", "data.bin"])
@pytest.mark.parametrize("target", ["/proc/kmsg", "/dev/zero", None])
def test_modernize_waits_for_no_file(project, name, target):
    folder = project({"p/build.py": BUILD.format("['a.h']"), "p/a.h": "", "p/a.c": ""})
    if target:
        (folder / "p" / name).symlink_to(target)
    else:
        os.mkfifo(folder / "p" / name)
    done = torchthaw("modernize", folder / "p", "--check")
    assert done.status == 1 and f"{name}: left-out".encode() in done.out


@pytest.mark.slow
@pytest.mark.parametrize("name", ["script", "script.py", "script.sh"])
@pytest.mark.parametrize("target", ["/proc/kmsg", "/dev/zero", None])
def test_run_waits_for_no_script(tmp_path, target, name):
    script = tmp_path / name
    if target:
        script.symlink_to(target)
    else:
        os.mkfifo(script)
    done = torchthaw("run", script)
    assert done.status == 1 and done.err.startswith(b"torchthaw: run: ") and done.err.count(b"\n") == 1


def test_enable_waits_for_no_pipe(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(command_enable, "pth_file", lambda: tmp_path / "a.pth")
    os.mkfifo(tmp_path / "a.pth")
    reader = threading.Thread(target=command_enable.enable, daemon=True)
    reader.start()
    reader.join(SECONDS)
    assert (tmp_path / "a.pth").read_text().startswith("import os")


# ---- Headers that the C preprocessor reads --------------------------------------------------------------------------

DOUBLING = "#define A0 int f(int), \n" + "".join(f"#define A{n + 1} A{n} A{n}\n" for n in range(33)) + "A33\n"
HEADERS = {
    "a device": '#include "/dev/zero"\n', "a file that waits": '#include "pipe.h"\n', "macros": DOUBLING,
    "itself": '#include "a.h"\n#include "a.h"\n', "long": "int f(THFloatTensor *x);\n" * 20_000,
    "nested": f"enum {{ A = {'(' * 30_000}1{')' * 30_000} }};\n",
    "declarations": '#include "other.h"\n' + "".join(f"int f{n}(THFloatTensor *x);\n" for n in range(1500)) + "int 3;\n",
}  # fmt: skip
KNOWN = {"declarations": "header", "nested": None, "itself": None}


@pytest.mark.slow
@pytest.mark.parametrize("name", HEADERS)
def test_a_header_that_stops_the_preprocessor_is_named(project, name):
    folder = project({"build.py": BUILD.format("['a.h']"), "a.h": HEADERS[name], "a.c": "", "other.h": ""})
    os.mkfifo(folder / "pipe.h")
    done = torchthaw("doctor", folder, memory=1 << 30)
    assert done.status == (1 if name in ("declarations", "nested") else 0), done.out
    rule = KNOWN.get(name, "unreadable")
    assert rule is None or any(finding.rule == rule for finding in findings(folder, "a.h"))


@pytest.mark.slow
def test_many_headers_that_stop_the_preprocessor_cost_one(project):
    headers = [f"h{n}.h" for n in range(20)]
    folder = project(
        {"build.py": BUILD.format(headers), "a.c": "", **dict.fromkeys(headers, HEADERS["a file that waits"])}
    )
    os.mkfifo(folder / "pipe.h")
    assert sum(finding.rule == "unreadable" for finding in findings(folder)) == 20 + 1


@pytest.mark.slow
@pytest.mark.parametrize("name", ["/dev/zero", "/proc/kmsg", "/dev/zero.h", "../../../../../../../../dev/zero"])
def test_headers_and_sources_outside_of_the_project_are_not_read(project, name):
    folder = project({"build.py": BUILD.format(repr([name, "a.h"])), "a.c": "", "a.h": "#pragma once\nint f();\n"})
    assert torchthaw("doctor", folder).status in (0, 1)


@pytest.mark.slow
def test_a_preprocessor_that_is_killed_is_no_header_that_works(project, tmp_path, monkeypatch):
    """As the kernel does where memory is short: cc1 is ended, and gcc says so with its own status."""
    compiler = tmp_path / "bin" / "cc"
    compiler.parent.mkdir()
    compiler.write_text("#!/bin/sh\necho 'cc: fatal error: Killed signal terminated program cc1' >&2\nexit 1\n")
    compiler.chmod(0o755)
    folder = project({"p/build.py": BUILD.format("['a.h']"), "p/a.h": "#if 1\nint f();\n#endif\n", "p/a.c": ""}) / "p"
    monkeypatch.setenv("CC", str(compiler))
    assert "a.h:0 check unreadable" in places(folder)
    compiler.write_text("#!/bin/sh\nkill -9 $$\n")
    assert "a.h:0 check unreadable" in places(folder)


# ---- Names ----------------------------------------------------------------------------------------------------------

ODD = [".py", ".c", ".h", ".cu", ".cuh", ".pyx", ".so", ".so.1", ".sh", ".o", "...", "..py", "..c", ". ", "-", "-.py", "py", "c", " .py",
       "a.py.", "setup.py.", "\u202ea.py", "a\udcff.py", "a'b\".py", "$(touch x).py", "~.py", "*.py", "__init__.py", ".py.py"]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", ODD)
def test_odd_names(project, name):
    """Each as a file of the project, as one that the build file names, as a folder, and as PATH."""
    folder = project({"p/build.py": BUILD.format(repr(["a.h", name])).replace("'a.c'", f"'a.c', {name!r}"),
                      "p/a.h": "", "p/a.c": "", "p/m/__init__.py": ""}) / "p"  # fmt: skip
    with open(os.path.join(folder, name), "w"), open(os.path.join(folder, "m", name), "w"):
        pass
    torchthaw_in_this_process("doctor", folder)
    torchthaw_in_this_process("doctor", folder / name)
    torchthaw_in_this_process("modernize", folder, "--check")
    os.remove(os.path.join(folder, name))
    os.mkdir(os.path.join(folder, name))
    with open(os.path.join(folder, name, "b.py"), "w"):
        pass
    torchthaw_in_this_process("doctor", folder)
    torchthaw_in_this_process("modernize", folder, "--check")


def torchthaw_in_this_process(*words):
    with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO(), "utf-8")) as out:
        assert main(list(map(str, words))) in ((0, 1) if words[0] == "doctor" else (0, 1, 2))
    out.seek(0)
    printed = out.read()
    assert "a fault of torchthaw" not in printed
    return printed


ACTING = [
    "\x1b[31mred",
    "a\nb.py: 1 to edit\nc",
    "a\rb",
    "\x07",
    "\x7f",
    "\x9b31m",
    "\u202egnp",
    "\u2066",
    "\u2028",
    "\u061c",
    "a\tb",
]


@pytest.mark.slow
@pytest.mark.parametrize("name", ACTING)
def test_no_name_acts_on_the_terminal(project, name):
    """In any line of a report, a summary, an error, a diff's names, or MODERNIZED.md."""
    folder = project({f"{name}/build.py": BUILD.format("['none.h']") + "print 1\n", f"{name}/a.c": f"int f(); // {name}\n",
                      f"{name}/{name}.py": "print 1\n", f"{name}/{name}/b.py": "x = (\n", f"{name}/{name}.so": ""}) / name  # fmt: skip
    (folder / f"{name}-link.py").symlink_to(f"/none/{name}")
    text = torchthaw_in_this_process("doctor", folder)
    diff = torchthaw_in_this_process("doctor", folder, "--diff")
    text += torchthaw_in_this_process("modernize", folder, "--check")
    modernized = torchthaw_in_this_process("modernize", folder, "--check", "--diff")
    names = [line for line in (diff + modernized).split("\n") if line.startswith(("--- ", "+++ ", "diff ", "rename "))]
    assert names
    written = folder.parent / "out"
    torchthaw_in_this_process("modernize", folder, "--output", written, "--no-compare")
    page = (written / "MODERNIZED.md").read_text()
    for line in [*text.split("\n"), *names, *page.split("\n")]:
        assert line == printing.one_line(line), line
    assert not [line for line in text.split("\n") if line.startswith("b.py: 1")]


def test_errors_do_not_act_on_the_terminal(tmp_path, capsys):
    for words in (["doctor", "no\x1b[31m"], ["modernize", "no\x1b[31m"], ["run", "no\x1b[31m"]):
        assert main([*words[:1], str(tmp_path / words[1])]) in (1, 2)
        assert "\x1b" not in capsys.readouterr().err


def test_commands_in_a_report_can_be_given_to_a_shell():
    for word in ["a\nb", "\x1b[31m", "'", "a b", "\udcff", "é\n"]:
        shown = printing.shell_word(word)
        assert printing.one_line(shown) == shown
        done = child.run(["bash", "-c", f"printf %s {shown}"], seconds=SECONDS)
        assert os.fsdecode(done.out) == word


# ---- Sizes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a.py", "a.c", "a.h", "a.cu", "Makefile", "a.sh", "a.pyx"])
def test_a_file_that_is_too_long_is_listed(project, name):
    folder = project({"b.py": "x = xrange(3)\n", name: "\n" * (textfile.MOST + 1)})
    assert f"{name}:0 check unreadable" in places(folder) and "b.py:1 edit python2-name" in places(folder)
    (folder / name).write_text("\n" * textfile.MOST)
    assert f"{name}:0 check unreadable" not in places(folder)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a.py", "a.c", "a.so", "a.a", "setup.cfg", "README.md", "data.bin"])
def test_a_huge_file_costs_nothing(project, name):
    folder = project({"p/build.py": BUILD.format("['a.h']"), "p/a.h": "", "p/a.c": ""}) / "p"
    with open(folder / name, "wb") as file:
        file.truncate(1 << 40)
    assert torchthaw("doctor", folder, memory=1 << 30).status in (0, 1)
    done = torchthaw("modernize", folder, "--check", memory=1 << 30)
    assert done.status in (1, 2) and b"bytes" in done.out + done.err


def test_python_2_that_is_too_long_is_listed(project):
    folder = project({"a.py": "print 1\n" * (python2.MOST // 8 + 1), "b.py": "print 1\n"})
    assert {"a.py:0 check unreadable", "b.py:1 edit python2-syntax"} <= places(folder)


# Each of the length that is read. The processor needs 2 to 7 s for the slowest, on a quiet machine.
LONG = {
    "list.py": "x = [\n" + "1,\n" * 90_000 + "]\n", "line.py": "x = [" + "1, " * 90_000 + "]\n", "zeros.py": "\0" * 290_000,
    "names.py": "x = [" + "xrange, " * 36_000 + "]\n", "quotes.py": "'" * 290_000, "prints.py": "print x\n" * 12_000,
    "backticks.py": "`x`, " * 19_000, "strings.py": "f'{x}'\n" * 40_000, "halves.py": "x = y.data[0] / 2\n" * 16_000,
    "line.c": "int x[] = {" + "1, " * 90_000 + "};\n", "zeros.c": "\0" * 290_000, "comments.c": "/*" * 140_000,
    "functions.c": "int f(THFloatTensor *x);\n" * 11_000, "calls.c": "THCudaMalloc(" * 20_000, "ifs.cu": "#if A\n" * 45_000,
    "braces.cu": "{" * 290_000, "checks.cpp": "AT_CHECK(x.type().is_cuda(), x);\n" * 8_000, "word.cpp": "a" * 290_000,
    "blanks.cpp": " " * 290_000, "angles.cpp": "x<" * 140_000, "words.sh": "python " * 40_000, "lines.pyx": "cdef int x\n" * 25_000,
    "Makefile": "a: b\n\tnvcc -arch=sm_20 x.cu\n" * 10_000,
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", LONG)
def test_a_file_that_is_just_read_takes_little_time_and_memory(project, name):
    of_torch = f"from torch.utils.cpp_extension import CppExtension\nCppExtension('a', [{name!r}])\n"
    folder = project({name: LONG[name], **({"setup.py": of_torch} if name.endswith(("cpp", "cu")) else {})})
    program = "import sys, time\nfrom torchthaw.cli import main\nmain(sys.argv[1:])\nprint(time.process_time(), file=sys.stderr)\n"
    done = child.run([sys.executable, "-c", program, "doctor", folder], seconds=200, memory=1 << 30, output=1 << 30,
                     env={**os.environ, "PYTHONPATH": str(SRC)})  # fmt: skip
    assert not done.ended_by and float(done.err) < 20, (done.ended_by, done.err[-300:])
