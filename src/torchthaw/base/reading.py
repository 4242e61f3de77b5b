"""torchthaw/base/reading.py: reads the files of a folder that somebody else made; no read waits, or is without limit."""

import os
import stat
import sys
from contextlib import contextmanager

KINDS = {stat.S_IFIFO: "a FIFO", stat.S_IFSOCK: "a socket", stat.S_IFDIR: "a folder"}
PIECE = 1 << 20  # bytes of one read


class Unreadable(Exception):
    """Why a file is passed over."""


def read_bytes(path, most, root=None):
    """What the file holds. Unreadable where that is not known without waiting, or is more than ``most`` bytes.

    root: the folder that the file is of. A symbolic link that leads out of it is not followed, and a file of another
        file system is not read: those of /proc are "regular", and some of them wait, or have no end.
    """
    with _opened(path, root, most) as file:
        data = _read(file, most + 1)
        if len(data) > most:  # of a file that grows, or that does not tell its size
            raise Unreadable(_too_long(f"more than {most:,}", most))
        return data


def first_bytes(path, count):
    """What a file begins with; Unreadable, also where it has more than its size says: another reader may wait for ever."""
    with _opened(path, None, sys.maxsize) as file:
        data = os.read(file, count)
        if data and os.fstat(file).st_size == 0:
            raise Unreadable("it has no size, as files of /proc")
        return data


def check(path, most, root=None):
    """Raises Unreadable where read_bytes would before it reads."""
    with _opened(path, root, most):
        pass


def contains(path, word, most, root=None):
    """Whether a file has these bytes, read piece by piece; Unreadable as in read_bytes."""
    with _opened(path, root, most) as file:
        kept, left = b"", most
        while left > 0 and (piece := _read(file, min(PIECE, left))):
            if word in kept + piece:
                return True
            kept, left = (kept + piece)[1 - len(word) :], left - len(piece)
        return False


def is_inside(path, root):
    """Whether ``path`` is in the folder ``root``, wherever links lead."""
    real, root = os.path.realpath(path), os.path.realpath(root)
    return os.path.commonpath([real, root]) == root


def _too_long(size, most):
    return f"it has {size} bytes; files of more than {most:,} bytes are not read"


@contextmanager
def _opened(path, root, most):
    """The descriptor of a regular file of at most ``most`` bytes."""
    try:
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode):
            raise Unreadable(f"expected a regular file, got {KINDS.get(stat.S_IFMT(status.st_mode), 'a device')}")
        if root is not None:
            _check_place(path, root, status)
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
        try:
            opened = os.fstat(file)
            if (opened.st_dev, opened.st_ino) != (status.st_dev, status.st_ino):
                raise Unreadable("another file has taken its place")
            if opened.st_size > most:
                raise Unreadable(_too_long(f"{opened.st_size:,}", most))
            yield file
        finally:
            os.close(file)
    except ValueError as error:  # a name that no file can have
        raise Unreadable(f"it cannot be read: {error}") from None
    except OSError as error:
        kind = "a symbolic link that leads nowhere" if os.path.islink(path) else "it cannot be read"
        raise Unreadable(f"{kind}: {error.strerror}") from None


def _check_place(path, root, status):
    if not is_inside(path, root):
        raise Unreadable(f"a symbolic link to {os.path.realpath(path)}, outside of the project")
    if status.st_dev != os.stat(root).st_dev and _mount(path) != _mount(root):
        raise Unreadable("it is on another file system than the project")


def _mount(path):
    """The number of the mount that ``path`` is in. Some file systems have several devices: overlayfs, btrfs."""
    file = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        with open(f"/proc/self/fdinfo/{file}", encoding="utf-8") as lines:
            return next((line.split()[1] for line in lines if line.startswith("mnt_id:")), path)
    except OSError:
        return path  # /proc is not there: no two are the same
    finally:
        os.close(file)


def _read(file, count):
    pieces = []
    while count > 0 and (piece := os.read(file, min(count, PIECE))):
        pieces.append(piece)
        count -= len(piece)
    return b"".join(pieces)
