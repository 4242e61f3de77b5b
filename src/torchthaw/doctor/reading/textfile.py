"""torchthaw/doctor/reading/textfile.py: files as text, with what it takes to write them back as they were."""

import codecs
import contextlib
import difflib
import fcntl
import io
import os
import re
import stat
import tempfile
import tokenize
from collections import Counter

from ...base import reading
from ...base.reading import Unreadable

__all__ = ["MOST", "TextFile", "Unreadable", "opcodes"]

MOST = 300_000  # bytes of a file that is read as text; docs/reference/command-line.md states it
MOST_PAIRS = 1_000_000  # of equal lines, for an exact comparison
LEFT_OVER = ".torchthaw-"  # what the names of files begin with that replace others
ENDING = re.compile(r"\r\n|\r|\n")


class TextFile:
    """The text of a file with its lines ended by ``\\n``, and its bytes, encoding and line endings.

    declared: whether the encoding is what Python 3 reads the file by; not so for bytes that are no UTF-8 in a file
    that declares nothing, which are taken for latin-1.
    """

    def __init__(self, path, is_python, root=None):
        self.path, self.root = path, root
        self.data = reading.read_bytes(path, MOST, root)
        self.encoding, self.declared = _encoding(self.data, is_python)
        self.mark = codecs.BOM_UTF8 if self.data.startswith(codecs.BOM_UTF8) else b""
        self._raw = self.data[len(self.mark) :].decode(self.encoding)
        self.text = ENDING.sub("\n", self._raw)

    def encoded(self, text):
        """``text`` as bytes for this file: its encoding, and each line's own ending. UnicodeEncodeError."""
        endings = ENDING.findall(self._raw)
        usual = max(set(endings), key=endings.count) if endings else "\n"
        old, new = self.text.split("\n"), text.split("\n")
        if len(set(endings)) < 2:
            return self.mark + usual.join(new).encode(self.encoding)
        of_line = [*endings, usual]
        kept = []
        for what, first, last, new_first, new_last in opcodes(old, new):
            same = what == "equal" or last - first == new_last - new_first
            kept += of_line[first:last] if same else [usual] * (new_last - new_first)
        lines = [line + ending for line, ending in zip(new, kept)]
        return self.mark + ("".join(lines[:-1]) + new[-1]).encode(self.encoding)

    def write(self, text):
        """Replaces the file in one step, by one of the same owner and mode; returns how many other names it had, which
        keep the old text. OSError; RuntimeError where it has changed since it was read.
        """
        data = self.encoded(text)
        descriptor, temporary = tempfile.mkstemp(prefix=LEFT_OVER, dir=os.path.dirname(self.path))
        try:
            with io.open(descriptor, "wb") as file:
                fcntl.flock(file, fcntl.LOCK_EX)  # held by nobody once this process is gone
                file.write(data)
                file.flush()
                status = os.stat(self.path)
                _take_over(self.path, status, file.fileno())
                os.fsync(file.fileno())
            if reading.read_bytes(self.path, MOST, self.root) != self.data:
                raise RuntimeError("it has changed since it was read")
            os.replace(temporary, self.path)
            return status.st_nlink - 1
        except BaseException:
            os.unlink(temporary)
            raise


def _take_over(path, status, file):
    """Gives an open file owner, group, mode and extended attributes of the one at ``path``. OSError."""
    made = os.fstat(file)
    if (made.st_uid, made.st_gid) != (status.st_uid, status.st_gid):
        try:
            os.fchown(file, status.st_uid, status.st_gid)
        except OSError as error:
            owner = f"it belongs to user {status.st_uid} and group {status.st_gid}, and the new file could not"
            raise OSError(error.errno, owner) from None
    os.fchmod(file, stat.S_IMODE(status.st_mode))
    with contextlib.suppress(OSError):  # a file system without them
        for name in os.listxattr(path):
            with contextlib.suppress(OSError):
                os.setxattr(file, name, os.getxattr(path, name))


def remove_left_over(path):
    """Removes what a process that was killed left where it would have replaced a file; whether that is gone."""
    try:
        file = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # not one that another process is about to rename
        if not stat.S_ISREG(os.fstat(file).st_mode):
            return False
        os.unlink(path)
        return True
    except OSError:
        return False
    finally:
        os.close(file)


def opcodes(old, new):
    """difflib's opcodes of two lists of lines."""
    counts = Counter(new)
    if sum(counts[line] for line in old) < MOST_PAIRS:
        return difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    if len(old) == len(new):  # thousands of equal lines, which difflib would compare for minutes
        return [
            ("equal" if pair[0] == pair[1] else "replace", n, n + 1, n, n + 1) for n, pair in enumerate(zip(old, new))
        ]
    return difflib.SequenceMatcher(None, old, new).get_opcodes()


def _encoding(data, is_python):
    """(name, whether it is the declared one). latin-1 reads any bytes and writes the same."""
    plain = data.removeprefix(codecs.BOM_UTF8)
    try:
        name = "utf-8"
        if is_python:
            name = tokenize.detect_encoding(io.BytesIO(data).readline)[0].removesuffix("-sig")
        if plain.decode(name).encode(name) == plain:
            return name, True
    except (SyntaxError, UnicodeError, LookupError):
        pass
    return "latin-1", False
