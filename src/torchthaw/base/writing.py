"""torchthaw/base/writing.py: writes a file as a whole: whoever reads it finds the old content or the new one."""

import contextlib
import os
import shutil
from pathlib import Path

NAME = 255  # bytes of a file's name, at most


def write(path, content):
    """Puts ``content``, text or bytes, into a file in one step. OSError names the file, and leaves the old content there.

    Text becomes UTF-8, with the bytes of names that are no UTF-8 as they are. A link leads to the file that is written,
    and its mode stays. What is no file, such as /dev/stdout, gets the content as it comes.
    """
    path = Path(os.path.realpath(path))
    data = content if isinstance(content, bytes) else content.encode("utf-8", "surrogateescape")
    end = f".{os.getpid()}"
    temporary = path.with_name(os.fsdecode(os.fsencode(f".{path.name}")[: NAME - len(end)]) + end)
    with naming(path):
        if path.exists() and not path.is_file():
            path.write_bytes(data)
            return
        try:
            temporary.write_bytes(data)
            if path.exists():
                shutil.copymode(path, temporary)
            os.replace(temporary, path)
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
            raise


@contextlib.contextmanager
def naming(path):
    """An OSError of what is done here names ``path``: that of a write or of a close names no file by itself."""
    try:
        yield
    except OSError as error:
        if error.filename is None and error.errno is not None:
            error.filename = os.fspath(path)
        raise
