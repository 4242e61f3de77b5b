"""torchthaw/base/private_folders.py: folders for this user alone, also where others may write beside them."""

import contextlib
import errno
import os
import stat


def make(folder, root):
    """Makes ``folder``, which is ``root`` or below it, and what is missing on the way, with mode 0700.

    root: a folder that was chosen. It may be a link, and one where others write too if they cannot rename what is ours,
        as /tmp is; it must belong to this user or to root, and so must the link.
    Those below it must be folders, no links, and belong to this user or to root. One that others may enter is closed to
    them; it is refused where they could write, and it holds what belongs to them or what everybody can write to.

    Raises PermissionError or NotADirectoryError that says which folder is not so, and why.
    """
    for path in reversed([folder, *folder.parents]):
        if not os.path.lexists(path):
            with contextlib.suppress(FileExistsError):
                path.mkdir(0o700)
        if path == root:
            _check_root(root, root != folder)
        elif root in path.parents:
            _close(path)


def refuse_shared(folder):
    """Raises PermissionError for a folder that everybody can write to."""
    if os.stat(folder).st_mode & stat.S_IWOTH:
        raise _refusal(folder, "other users can write to it")


def _check_root(root, may_be_sticky):
    status = os.lstat(root)
    if stat.S_ISLNK(status.st_mode):
        _check_owner(root, status)
        status = os.stat(root)
    if not stat.S_ISDIR(status.st_mode):
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
    _check_owner(root, status)
    if not (may_be_sticky and status.st_mode & stat.S_ISVTX):
        refuse_shared(root)


def _close(folder):
    if os.path.islink(folder):
        raise _refusal(folder, "it is a symbolic link")
    file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        status = os.fstat(file)
        mode = stat.S_IMODE(status.st_mode)
        _check_owner(folder, status)
        if status.st_uid == os.geteuid() and mode & 0o077:
            os.fchmod(file, 0o700)
            try:
                if mode & 0o022:
                    _check_content(folder)
            except BaseException:
                os.fchmod(file, mode)  # the next process must see it as it was
                raise
        elif mode & 0o022:
            raise _refusal(folder, "other users can write to it")
    finally:
        os.close(file)


def _check_content(folder):
    for path in folder.rglob("*"):
        status = os.lstat(path)
        _check_owner(path, status)
        if status.st_mode & stat.S_IWOTH and not stat.S_ISLNK(status.st_mode):
            raise _refusal(path, "other users can write to it; remove it")


def _check_owner(path, status):
    if status.st_uid not in (os.geteuid(), 0):
        raise _refusal(path, f"it belongs to user {status.st_uid}, and this is user {os.geteuid()}")


def _refusal(path, why):
    return PermissionError(errno.EACCES, f"{os.fspath(path)}: {why}")
