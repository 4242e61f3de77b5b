"""torchthaw/base/cache.py: the one way to a folder of the cache: it is made and checked before anything in it is used."""

import contextlib
import errno
import fcntl
import hashlib
import os
import shutil
from pathlib import Path

from . import private_folders, writing

# The variables that choose folders for writing.
CHOICES = ("TORCH_EXTENSIONS_DIR", "TORCHTHAW_CACHE", "XDG_CACHE_HOME")


def root():
    """The cache: ``TORCHTHAW_CACHE``, else ``torchthaw`` in the user's cache folder. What is in it is not checked."""
    given = os.environ.get("TORCHTHAW_CACHE")
    if given:
        return Path(given).expanduser().absolute()
    user = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(user).expanduser() / "torchthaw"


def writable(folder, argument=None, root=None):
    """``folder``, created if it is missing. OSError names the argument or the variable that chose it.

    root: the cache that it is in; it is for this user alone then, as private_folders.make() makes it. One that an
    argument names stays as it is, and everybody's is refused.
    """
    try:
        if root:
            private_folders.make(folder, root)
        folder.mkdir(parents=True, exist_ok=True)
        if argument:
            private_folders.refuse_shared(folder)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        expected = f"expected a folder that can be written, got {os.fspath(folder)!r} ({error.strerror})"
        name = argument or _chosen_by(folder)
        if name is None and root:
            expected += "; TORCHTHAW_CACHE chooses another"
        raise type(error)(f"{name}: {expected}" if name else expected) from None
    return folder


def _chosen_by(folder):
    """The variable that names a folder above this one, or this one; None without any."""
    for variable in CHOICES:
        given = os.environ.get(variable)
        if given and folder.is_relative_to(Path(given).expanduser().absolute()):
            return variable
    return None


@contextlib.contextmanager
def locked(folder, root=None, ended=()):
    """Holds the exclusive right to write in ``folder``, among all processes. root: the cache that it is in, if it is.

    Child processes inherit it: when this process is killed, the next one waits for them to end. ended: exceptions after
    which no child runs. OSError names the variable that chooses the folder where it cannot be written.
    """
    file = os.open(writable(folder, root=root) / ".lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        os.set_inheritable(file, True)
        yield
        # All children have ended; what one of them left running, such as the server of a cache, must not hold the lock.
        fcntl.flock(file, fcntl.LOCK_UN)
    except ended:
        fcntl.flock(file, fcntl.LOCK_UN)
        raise
    finally:
        os.close(file)


def made_once(kind, key, fill):
    """The folder ``kind/key`` of the cache, which ``fill(folder)`` fills when it is asked for the first time.

    It appears as a whole: ``folder`` is a temporary one beside it. A folder that is there already is only checked, so a
    cache that this user cannot write serves what it has.
    """
    cache = root()
    made = cache / kind / key
    if os.path.lexists(made):
        private_folders.make(made, cache)
        return made
    with locked(made.parent, cache):
        if not os.path.lexists(made):
            temporary = made.with_name(f".{key}.new")  # one of a process that was killed is replaced
            shutil.rmtree(temporary, ignore_errors=True)
            temporary.mkdir(0o700)
            try:
                fill(temporary)
                os.rename(temporary, made)
            except BaseException:
                shutil.rmtree(temporary, ignore_errors=True)
                raise
    private_folders.make(made, cache)
    return made


def layout(kind, files, links):
    """A folder that looks as an installation does, for tools that expect one; made once, as a whole.

    files: {name: text}, those in ``bin`` are programs. links: {name: target}. Folders of other content have other paths.
    """
    content = repr((sorted(files.items()), sorted((name, os.fspath(target)) for name, target in links.items())))
    return made_once(kind, digest(content), lambda folder: write(folder, files, links))


def write(folder, files, links):
    """Makes the files and links of a layout() in ``folder``."""
    for name, text in files.items():
        path = _below(folder, name)
        writing.write(path, text)
        if Path(name).parent.name == "bin":
            path.chmod(0o755)
    for name, target in links.items():
        _below(folder, name).symlink_to(target)


def digest(content):
    """A name for what is made of ``content``: 16 hexadecimal digits."""
    return hashlib.sha256(content.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def _below(folder, name):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    return path
