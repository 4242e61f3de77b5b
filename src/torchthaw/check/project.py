"""torchthaw/check/project.py: copies of the project that is checked, and what its wheels contain."""

import fnmatch
import hashlib
import os
import shutil
import zipfile
from pathlib import Path

from ..base import child

# What builds leave, where git does not say what is ignored.
LEFT = "build", "dist", "*.egg-info", "__pycache__", ".venv", "venv", ".tox", ".nox", ".pytest_cache", ".mypy_cache"


def copy(source, to):
    """Copies a project, without what git ignores; where it is no clone, without what builds leave."""
    ignored = _ignored(source)

    def left_out(folder, names):
        paths = {name: os.path.relpath(os.path.join(folder, name), source) for name in names}
        return [name for name, path in paths.items() if _is_special(folder, name) or _is_left(name, path, ignored)]

    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(source, to, symlinks=True, ignore=left_out)


def _ignored(source):
    """The paths that git ignores in a clone; None where it is none, or there is no git."""
    words = ["git", "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"]
    try:
        done = child.run(words, seconds=600, output=256 * child.MEGABYTE, cwd=source)
    except FileNotFoundError:
        return None
    return None if done.status else {name.rstrip("/") for name in os.fsdecode(done.out).split("\0") if name}


def _is_left(name, path, ignored):
    return any(fnmatch.fnmatch(name, pattern) for pattern in LEFT) if ignored is None else path in ignored


def _is_special(folder, name):
    """Whether it is a pipe, a socket or a device."""
    path = Path(folder, name)
    return not (path.is_symlink() or path.is_file() or path.is_dir())


def digest(folder):
    """Of the names, modes and contents of all files, but those of git."""
    found = hashlib.sha256()
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != ".git")
        for name in sorted(name for name in names if name != ".git"):
            path = os.path.join(parent, name)
            is_link = os.path.islink(path)
            mode = os.lstat(path).st_mode & 0o111
            content = os.fsencode(os.readlink(path)) if is_link else Path(path).read_bytes()
            named = os.fsencode(os.path.relpath(path, folder))
            found.update(b"%s\0%d %o %d\0%s" % (named, is_link, mode, len(content), content))
    return found.hexdigest()


def modules(wheel):
    """The names of the modules and packages at the top of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        files = [name for name in archive.namelist() if name.endswith((".py", ".so")) and ".data/" not in name]
    tops = [name.split("/")[0] for name in files if ".dist-info/" not in name]
    return sorted({name for top in tops if (name := top.split(".")[0]).isidentifier()})
