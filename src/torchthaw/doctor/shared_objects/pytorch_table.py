"""torchthaw/doctor/shared_objects/pytorch_table.py: which PyTorch has which names of C++, from the wheels of PyPI.

``.ci/pytorch_symbols.py`` writes the table: 32 bits of a digest of each name, and a bit for each version that has it.
"""

import functools
import hashlib
import lzma
import re
from pathlib import Path
from typing import NamedTuple

from ...portable.symbols import OF_PYTORCH

FILE = Path(__file__).with_name("pytorch_symbols.xz")
MACHINE = "x86_64"  # that of the wheels
FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 0, "pb": 2}]
# Two thirds of all names, which headers of PyTorch hardly use.
PRIVATE = re.compile(r"_Z(?:N|NK)2at6native")


class Table(NamedTuple):
    """versions: such as ("1.13.1", "2.0.1"), the oldest first. masks: {key of a name: a bit for each that has it}."""

    versions: tuple[str, ...]
    masks: dict[int, int]

    def of(self, version: str) -> list[int]:
        """The keys of the names that a version has."""
        number = self.versions.index(version)
        return [key for key, mask in self.masks.items() if mask >> number & 1]

    def having(self, name: str) -> set[str]:
        """The versions that have a name."""
        mask = self.masks.get(key(name), 0)
        return {version for number, version in enumerate(self.versions) if mask >> number & 1}


def is_listed(name: str) -> bool:
    """Whether the table has a name if some PyTorch has it."""
    return OF_PYTORCH.match(name) is not None and not PRIVATE.match(name)


def key(name: str) -> int:
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=4).digest(), "little")


@functools.cache
def read() -> Table:
    return unpacked(FILE.read_bytes())


def unpacked(data: bytes) -> Table:
    head, _, body = lzma.decompress(data).partition(b"\n")
    half = len(body) // 2
    keys, masks = _numbers(body[:half]), _numbers(body[half:])
    whole, last = {}, 0
    for difference, mask in zip(keys, masks):
        last += difference
        whole[last] = mask
    return Table(tuple(head.decode().split()), whole)


def packed(versions: list[str], masks: dict[int, int]) -> bytes:
    """What ``unpacked`` reads: the versions in a line, then all differences of sorted keys, then all masks."""
    keys = sorted(masks)
    differences = [key - before for key, before in zip(keys, [0, *keys])]
    body = _planes(differences) + _planes([masks[key] for key in keys])
    return lzma.compress(" ".join(versions).encode() + b"\n" + body, filters=FILTERS)


def _planes(numbers):
    """The lowest bytes of all numbers, then the next: equal bytes come together."""
    data = b"".join(number.to_bytes(4, "little") for number in numbers)
    return b"".join(data[place::4] for place in range(4))


def _numbers(data):
    count = len(data) // 4
    planes = [data[place * count : (place + 1) * count] for place in range(4)]
    return [a | b << 8 | c << 16 | d << 24 for a, b, c, d in zip(*planes)]
