"""torchthaw/doctor/cxx/aten_headers.py: which headers of torchthaw_aten have a name."""

import functools
import posixpath
import re

from ...base import config, reading
from ..reading.source import C_TOKENS, blank

OWN = 1 << 20  # bytes, more than any header of torchthaw has
INCLUDE = re.compile(r"#\s*include\s*[<\"]([^>\"\n]+)")


@functools.cache
def serving(word):
    """The headers of torchthaw that have ``word`` as a name, with those that they include, by path."""
    return [name for name in _served() if re.search(rf"\b{word}\b", _served()[name])]


@functools.cache
def _served():
    """{header of torchthaw for C++ extensions, such as ``THC/THC.h``: its code and that of those it includes}."""
    folder = config.my_lib_includes() / "torchthaw_aten"
    own = {}
    for path in sorted(folder.glob("TH*/*")):
        own[path.relative_to(folder).as_posix()] = blank(
            reading.read_bytes(path, OWN).decode(), C_TOKENS, ("comment", "string")
        )

    def whole(name, seen):
        seen.add(name)
        beside = [
            posixpath.normpath(posixpath.join(posixpath.dirname(name), each)) for each in INCLUDE.findall(own[name])
        ]
        return own[name] + "".join(whole(each, seen) for each in beside if each in own and each not in seen)

    return {name: whole(name, set()) for name in own}
