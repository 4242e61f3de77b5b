# tests/legacy/doctor/test_doctor_apply.py: `python -m torchthaw doctor PATH --apply` and `--diff`: what they write, and
# what never.
import fcntl
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from support import ROOT, SRC
from support.doctor_project import applied, findings, is_balanced, places, project  # noqa: F401
from support.messages import names
from torchthaw.cli import main
from torchthaw.doctor import apply, python_files
from torchthaw.doctor.examine import Examination
from torchthaw.doctor.findings import Edit
from torchthaw.doctor.reading import textfile
from torchthaw.doctor.rules import EDIT
from torchthaw.doctor.rules.rule import Found, TreeRule

LEGACY = ROOT / "examples" / "legacy"

PRINTS = b"print x\nfor i in xrange(3): pass\n"
PRINTED = b"print(x)\nfor i in range(3): pass\n"

# Bytes before and after.
BYTES = {
    "CRLF": (PRINTS.replace(b"\n", b"\r\n"), PRINTED.replace(b"\n", b"\r\n")),
    "CR alone": (PRINTS.replace(b"\n", b"\r"), PRINTED.replace(b"\n", b"\r")),
    "mixed line endings": (b"y = 1\r\nprint x\nz = 2\r\n", b"y = 1\r\nprint(x)\nz = 2\r\n"),
    "mixed line endings and a new line": (
        b"import os\r\ny = 1\nn = reduce(f, x)\r\n",
        b"from functools import reduce\r\nimport os\r\ny = 1\nn = reduce(f, x)\r\n",
    ),
    "no newline at the end": (b"y = 1\nprint x", b"y = 1\nprint(x)"),
    "a byte order mark": (b"\xef\xbb\xbfprint x\n", b"\xef\xbb\xbfprint(x)\n"),
    "UTF-8": ("s = 'é'; print s\n".encode(), "s = 'é'; print(s)\n".encode()),
    "columns after UTF-8": ("s = u'é€😀'; n = d.has_key(s)\n".encode(), "s = u'é€😀'; n = s in d\n".encode()),
    "latin-1, declared": (
        b"# -*- coding: latin-1 -*-\ns = '\xe9'; print s\n", b"# -*- coding: latin-1 -*-\ns = '\xe9'; print(s)\n",
    ),
    "gbk, declared": (
        "# coding: gbk\ns = '中文'; print s\n".encode("gbk"), "# coding: gbk\ns = '中文'; print(s)\n".encode("gbk"),
    ),
    "latin-1 in a comment": (
        b"#!/usr/bin/python\n# caf\xe9\nprint x\n",
        b"#!/usr/bin/python\n# -*- coding: latin-1 -*-\n# caf\xe9\nprint(x)\n",
    ),
    "latin-1 in a string": (b"s = 'caf\xe9'\nprint s\n", None),
    "no such encoding": (b"# coding: klingon\nprint x\n", None),
    "no Python": (b"{% if x %}\nprint x\n", None),
    "nothing to edit": (b"print(x)\r\n", None),
}  # fmt: skip


@pytest.mark.parametrize("name", BYTES)
def test_bytes_of_python(project, name):
    before, after = BYTES[name]
    folder = project({"a.py": before})
    assert applied(folder) == ({} if after is None else {"a.py": after})


C_BEFORE = "void f(THFloatTensor *t) {{\r\n  /* {} */ n = THFloatTensor_nDimensionLegacyAll(t);\n}}\r\n"


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_bytes_of_c(project, encoding):
    before = C_BEFORE.format("é").encode(encoding)
    assert applied(project({"a.c": before})) == {"a.c": before.replace(b"LegacyAll", b"")}


def run(folder, *arguments):
    command = [sys.executable, "-m", "torchthaw", "doctor", ".", *arguments]
    return subprocess.run(command, cwd=folder, env={**os.environ, "PYTHONPATH": str(SRC)}, capture_output=True)


@pytest.mark.slow
def test_diff_then_apply(project):
    files = {"a.py": PRINTS.replace(b"\n", b"\r\n"), "b/c.py": "x = xrange(3)", "d.c": "n = THFooTensor_x(t);\n"}
    folder = project(files)
    shown = run(folder, "--diff")
    assert (shown.returncode, shown.stderr) == (1, b"")
    assert b"--- a/a.py\n+++ b/a.py\n" in shown.stdout and b"-print x\r\n" in shown.stdout
    assert b"-x = xrange(3)\n\\ No newline at end of file\n+x = range(3)\n" in shown.stdout
    assert (folder / "a.py").read_bytes() == files["a.py"]  # shown only
    written = run(folder, "--apply", "--diff")
    assert written.stdout.startswith(shown.stdout)
    assert b"a.py: 2 lines changed\nb/c.py: 1 line changed\n" in written.stdout
    assert b"unknown-symbol (edit): THFooTensor_x" in written.stdout and written.returncode == 1
    assert (folder / "a.py").read_bytes() == PRINTED.replace(b"\n", b"\r\n")
    assert (folder / "b/c.py").read_text() == "x = range(3)"
    again = run(folder, "--apply", "--diff")
    assert b"changed" not in again.stdout and b"---" not in again.stdout


@pytest.mark.skipif(not shutil.which("git"), reason="git applies the diff")
def test_the_diff_is_one_that_git_applies(project):
    folder = project({"a.py": PRINTS.replace(b"\n", b"\r\n"), "b/c.py": b"s = '\xc3\xa9'; print s", "d.py": "x = 1\n"})
    shown = run(folder, "--diff").stdout
    subprocess.run(["git", "apply", "-p1", "-"], cwd=folder, input=shown, check=True)
    assert (folder / "a.py").read_bytes() == PRINTED.replace(b"\n", b"\r\n")
    assert (folder / "b/c.py").read_bytes() == b"s = '\xc3\xa9'; print(s)"


def test_json_says_what_was_written(project, capsys):
    folder = project({"a.py": PRINTS, "b.py": "x = 1\n"})
    assert main(["doctor", str(folder), "--apply", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["changed"], answer["not_written"], answer["exit_status"]) == ({"a.py": 2}, {}, 0)
    with pytest.raises(SystemExit) as usage:
        main(["doctor", str(folder), "--json", "--diff"])
    assert usage.value.code == 2


def test_one_file(project):
    folder = project({"a.py": PRINTS, "b.py": PRINTS})
    assert main(["doctor", str(folder / "a.py"), "--apply"]) == 0
    assert (folder / "a.py").read_bytes() == PRINTED and (folder / "b.py").read_bytes() == PRINTS


def test_uncertain_edits_are_listed_only(project, capsys):
    text = "rows = best_ids / width\nx = client.send(async_=1)\nfrom StringIO import StringIO\n"
    folder = project({"a.py": text})
    assert main(["doctor", str(folder), "--apply"]) == 1
    out = capsys.readouterr().out
    assert "      - rows = best_ids / width\n      ? rows = best_ids // width\n" in out
    assert "      - from StringIO import StringIO\n      ? from io import StringIO\n" in out
    assert (folder / "a.py").read_text() == text


def test_nothing_outside_is_written(project, tmp_path, capsys):
    (tmp_path / "outside").mkdir()
    outside = tmp_path / "outside" / "secret.py"
    outside.write_bytes(PRINTS)
    folder = project({"project/a.py": PRINTS, "project/mine.py": "x = 1\n"}) / "project"
    (folder / "link.py").symlink_to(outside)
    (folder / "inside.py").symlink_to("a.py")
    (folder / "folder").symlink_to(tmp_path / "outside")
    os.link(outside, folder / "hard.py")
    assert main(["doctor", str(folder), "--apply"]) == 0
    printed = capsys.readouterr()
    assert re.search(names("a.py", 2), printed.out) and re.search(names("hard.py", 2, "1 other name"), printed.out)
    assert re.search(names("inside.py", "not written", "symbolic link"), printed.err)
    assert re.search(names("unreadable", "symbolic link", outside), printed.out)
    assert outside.read_bytes() == PRINTS
    assert (folder / "a.py").read_bytes() == (folder / "hard.py").read_bytes() == PRINTED
    assert (folder / "link.py").is_symlink() and (folder / "inside.py").is_symlink()
    assert main(["doctor", str(folder / "link.py"), "--apply"]) == 1
    assert outside.read_bytes() == PRINTS


def test_a_linked_project_is_written(project, tmp_path):
    folder = project({"project/a.py": PRINTS})
    (folder / "link").symlink_to("project")
    assert main(["doctor", str(folder / "link"), "--apply"]) == 0
    assert (folder / "project" / "a.py").read_bytes() == PRINTED


def test_mode_is_kept_and_nothing_is_left_behind(project):
    folder = project({"a.py": PRINTS})
    (folder / "a.py").chmod(0o750)
    applied(folder)
    assert (folder / "a.py").stat().st_mode & 0o777 == 0o750
    assert [path.name for path in folder.iterdir()] == ["a.py"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files to others")
def test_the_owner_is_kept(project):
    folder = project({"a.py": PRINTS})
    os.chown(folder / "a.py", 12345, 23456)
    (folder / "a.py").chmod(0o6751)
    applied(folder)
    status = (folder / "a.py").stat()
    assert (status.st_uid, status.st_gid, status.st_mode & 0o7777) == (12345, 23456, 0o6751)


def test_a_file_whose_owner_cannot_be_kept_is_not_written(project, monkeypatch):
    folder = project({"a.py": PRINTS})

    def fchown(file, user, group):
        raise PermissionError(1, "Operation not permitted")

    fstat = os.fstat
    monkeypatch.setattr(textfile.os, "fstat", lambda file: os.stat_result([*fstat(file)[:4], 54321, *fstat(file)[5:]]))
    monkeypatch.setattr(textfile.os, "fchown", fchown)
    changed, failed, *_ = apply.write(Examination(folder))
    assert not changed and re.search(names("user", os.getuid()), failed["a.py"])
    assert (folder / "a.py").read_bytes() == PRINTS and len(list(folder.iterdir())) == 1


def test_extended_attributes_are_kept(project):
    folder = project({"a.py": PRINTS})
    try:
        os.setxattr(folder / "a.py", "user.mine", b"1")
    except OSError:
        pytest.skip("this file system has none")
    applied(folder)
    assert os.getxattr(folder / "a.py", "user.mine") == b"1"


def test_what_a_killed_run_left_is_said_and_removed(project, monkeypatch, capsys):
    """Not what a process that still runs is about to rename, nor what only looks alike."""
    folder = project({"sub/a.py": PRINTS, ".torchthaw-mine": "", "b.py": PRINTS})
    text = "import os, signal\nfrom torchthaw.doctor import apply\nfrom torchthaw.doctor.examine import Examination\n"
    text += (
        f"os.replace = lambda *paths: os.kill(os.getpid(), signal.SIGKILL)\napply.write(Examination({str(folder)!r}))\n"
    )
    done = subprocess.run([sys.executable, "-c", text], env={**os.environ, "PYTHONPATH": str(SRC)})
    assert done.returncode == -signal.SIGKILL
    left = [path for path in folder.rglob(".torchthaw-*") if path.name != ".torchthaw-mine"]
    assert len(left) == 1
    held = folder / "sub" / ".torchthaw-abcdefgh"
    with open(held, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert main(["doctor", str(folder)]) == 1
        assert left[0].name in capsys.readouterr().out
        assert main(["doctor", str(folder), "--apply"]) == 0
        assert re.search(names("removed"), capsys.readouterr().out)
        assert not left[0].exists() and held.exists() and (folder / ".torchthaw-mine").exists()
    assert main(["doctor", str(folder), "--apply"]) == 0
    assert not held.exists()


def test_an_edit_that_breaks_a_file_is_never_written(project, monkeypatch):
    """Whatever a rule asks for: what does not parse afterwards stays as it is, and the edit is a suggestion."""
    bad = TreeRule("bad", EDIT, "", lambda tree, project: [Found(0, (Edit(0, 1, "("),))])
    monkeypatch.setattr(python_files, "TREE_RULES", [bad])
    folder = project({"a.py": "x = 1\n", "b.py": "print 1\n"})
    assert apply.write(Examination(folder))[:2] == ({}, {})
    assert [(each.rule, each.after, each.certain) for each in findings(folder, "a.py")] == [("bad", "( = 1", False)]


def test_a_failure_leaves_the_file_as_it_was(project, monkeypatch):
    folder = project({"a.py": PRINTS, "b.py": PRINTS})
    replace = os.replace

    def fail(source, target):
        if Path(target).name == "a.py":
            raise OSError(28, "No space left on device")
        replace(source, target)

    monkeypatch.setattr(os, "replace", fail)
    changed, failed, *_ = apply.write(Examination(folder))
    assert (changed, failed) == ({"b.py": 2}, {"a.py": "No space left on device"})
    assert (folder / "a.py").read_bytes() == PRINTS and len(list(folder.iterdir())) == 2


def test_a_file_that_changed_meanwhile_is_not_written(project):
    folder = project({"a.py": PRINTS})
    examination = Examination(folder)
    (folder / "a.py").write_text("print 'another'\n")
    assert apply.write(examination)[:2] == ({}, {"a.py": "it has changed since it was read"})
    assert (folder / "a.py").read_text() == "print 'another'\n" and len(list(folder.iterdir())) == 1


# Those of torch.utils.cpp_extension have optional edits: tests/legacy/doctor/test_doctor_aten.py.
SAMPLES = sorted(path.name for path in LEGACY.iterdir() if path.name != "cpp_extension")


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_need_no_edit_and_stay_as_they_are(name, tmp_path):
    folder = shutil.copytree(LEGACY / name, tmp_path / name)
    assert applied(folder) == {}
    assert not [place for place in places(folder) if " edit " in place]


@pytest.mark.slow
def test_samples_moved_to_python_2_are_moved_back(tmp_path):
    folder = shutil.copytree(LEGACY, tmp_path / "legacy", ignore=shutil.ignore_patterns("cpp_extension"))
    for path in folder.rglob("*.py"):
        path.write_text(path.read_text() + "\nfor i in xrange(3): print 'a', i\nx = x.cuda(async=True)\n")
    for path in folder.rglob("*.c"):
        path.write_text(path.read_text() + "\nint last(THFloatTensor *t) { return t->dim_; }\n")
    written = applied(folder)
    assert len(written) == len([*folder.rglob("*.py"), *folder.rglob("*.c")])
    assert all(b"print('a', i)" in data for name, data in written.items() if name.endswith(".py"))
    assert all(b"return t->nDimension; }" in data for name, data in written.items() if name.endswith(".c"))
    assert not [finding for finding in findings(folder) if finding.effect == "edit"]


def test_brackets():
    assert is_balanced('int f(int a[2]) { return ")"[0]; } /* ( */') and not is_balanced("f(]") and not is_balanced("{")
