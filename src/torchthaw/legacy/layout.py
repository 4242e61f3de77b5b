"""torchthaw/legacy/layout.py: folders in the cache that look as an installation does, for tools that expect one."""

import hashlib
import os
import shutil
import tempfile
from pathlib import Path

from ..base import config, private_folders


def folder(kind, files, links):
    """The path of a folder that holds ``files``, {name: text}, and ``links``, {name: target}; made once, as a whole.

    Files in ``bin`` are programs. Folders of other content have other paths. OSError names the variable of the cache,
    or the folder that another user can write to.
    """
    content = repr((sorted(files.items()), sorted((name, os.fspath(target)) for name, target in links.items())))
    key = hashlib.sha256(content.encode(errors="surrogateescape")).hexdigest()[:16]
    cache = config.cache()
    made = cache / kind / key
    if os.path.lexists(made):
        private_folders.make(made, cache)
        return made
    temporary = Path(tempfile.mkdtemp(prefix=f".{key}.", dir=config.writable(made.parent, root=cache)))
    try:
        for name, text in files.items():
            _below(temporary, name).write_text(text)
            if Path(name).parent.name == "bin":
                (temporary / name).chmod(0o755)
        for name, target in links.items():
            _below(temporary, name).symlink_to(target)
        os.rename(temporary, made)
    except OSError:
        shutil.rmtree(temporary, ignore_errors=True)
        if not made.exists():  # no other process made it meanwhile
            raise
    return made


def _below(folder, name):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    return path
