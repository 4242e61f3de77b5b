"""tests/build/test_writing.py: a file is written as a whole, by one function; an error names it."""

import ast
import errno
import os
import stat

import pytest

from support import SRC
from torchthaw.base import writing

# Where a file is written otherwise: (module, why).
OTHERWISE = {
    "base/writing.py": "the function itself",
    "check/steps.py": "a log, which grows while a command runs",
    "cuda_on_cpu/nvcc.py": "a compiler's output, which nvcc writes in place",
    "doctor/reading/textfile.py": "keeps owner, mode and attributes",
    "modernize/recorder.py": "runs in a child, whose folder is temporary",
    "selftest/checks.py": "into a temporary folder",
}


@pytest.mark.parametrize("content", ["text\u00e9", b"\xff", "name \udcff"])
def test_the_content_is_there_and_nothing_else(tmp_path, content):
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(0o751)
    writing.write(path, content)
    assert path.read_bytes() == (content if isinstance(content, bytes) else content.encode("utf-8", "surrogateescape"))
    assert stat.S_IMODE(path.stat().st_mode) == 0o751 and [*tmp_path.iterdir()] == [path]


def test_a_long_name_and_a_link(tmp_path):
    path = tmp_path / ("n" * 255)
    writing.write(path, "text")
    (tmp_path / "link").symlink_to(path)
    writing.write(tmp_path / "link", "more")
    assert path.read_text() == "more" and (tmp_path / "link").is_symlink()


def test_what_is_no_file_gets_the_content(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    reader = os.open(tmp_path / "fifo", os.O_RDONLY | os.O_NONBLOCK)
    writing.write(tmp_path / "fifo", "text")
    assert os.read(reader, 10) == b"text" and stat.S_ISFIFO(os.stat(tmp_path / "fifo").st_mode)
    os.close(reader)


@pytest.mark.parametrize("failing", ["write_bytes", "replace"])
def test_an_error_names_the_file_and_leaves_the_old_one(tmp_path, monkeypatch, failing):
    path = tmp_path / "file"
    path.write_text("old")

    def fail(*arguments):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(writing.Path if failing == "write_bytes" else os, failing, fail)
    with pytest.raises(OSError, match=str(path)):
        writing.write(path, "new")
    monkeypatch.undo()
    assert path.read_text() == "old" and [*tmp_path.iterdir()] == [path]


@pytest.mark.slow
def test_no_other_code_writes_files():
    """A new module that does gets an OSError without a file's name, and a file in part."""

    def writes(node):
        if not isinstance(node, ast.Call):
            return False
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        modes = [each.value for each in node.args if isinstance(each, ast.Constant) and isinstance(each.value, str)]
        return name in ("write_text", "write_bytes") or name in ("open", "fdopen") and any(
            mode[:1] in ("w", "a", "x") and len(mode) < 4 for mode in modes
        )  # fmt: skip

    package = SRC / "torchthaw"
    found = {
        path.relative_to(package).as_posix() for path in package.rglob("*.py")
        if any(map(writes, ast.walk(ast.parse(path.read_text("utf-8")))))
    }  # fmt: skip
    assert found == {*OTHERWISE}
