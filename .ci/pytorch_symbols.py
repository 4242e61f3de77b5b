"""pytorch_symbols.py: which PyTorch has which names of C++: writes the table that ``doctor --so`` reads.

    python .ci/pytorch_symbols.py [VERSION …]

A version is added to the table, or read again; without one, all that the table has are read again. The names are those
that the libraries of PyPI's wheels for x86_64 export. Of a wheel of 500 to 900 MB, the libraries' parts alone are read,
some 300 MB; nothing is kept. Needs nm.
"""

import io
import json
import sys
import tempfile
import urllib.parse
import urllib.request
import zipfile
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))
from torchthaw.doctor.shared_objects import pytorch_table  # noqa: E402
from torchthaw.doctor.shared_objects.needs import defined, numbers  # noqa: E402

INDEX = "https://pypi.org/simple/torch/"
BLOCK = 1 << 22
LIBRARIES = (
    "c10", "torch", "torch_cpu", "torch_python", "c10_cuda", "torch_cuda", "torch_cuda_cpp", "torch_cuda_cu",
    "torch_cuda_linalg",
)  # fmt: skip


class Remote(io.RawIOBase):
    """A file of a server that sends parts of files."""

    def __init__(self, address):
        self.address, self.at = address, 0
        with urllib.request.urlopen(urllib.request.Request(address, method="HEAD"), timeout=60) as answer:
            self.size = int(answer.headers["Content-Length"])

    def readable(self):
        return True

    def seekable(self):
        return True

    def seek(self, offset, whence=io.SEEK_SET):
        self.at = offset + (0, self.at, self.size)[whence]
        return self.at

    def tell(self):
        return self.at

    def readinto(self, buffer):
        end = min(self.at + len(buffer), self.size)
        if end <= self.at:
            return 0
        part = {"Range": f"bytes={self.at}-{end - 1}"}
        with urllib.request.urlopen(urllib.request.Request(self.address, headers=part), timeout=300) as answer:
            if answer.status != 206:
                raise OSError(f"{self.address}: expected the status 206 of a part, got {answer.status}")
            data = answer.read()
        buffer[: len(data)] = data
        self.at += len(data)
        return len(data)


def wheels():
    """{version: the address of a wheel for x86_64}, of the newest build and the oldest Python that has one."""
    asked = urllib.request.Request(INDEX, headers={"Accept": "application/vnd.pypi.simple.v1+json"})
    with urllib.request.urlopen(asked, timeout=60) as answer:
        files = json.load(answer)["files"]
    found = {}
    for file in sorted(files, key=lambda file: file["filename"], reverse=True):
        name = file["filename"]
        if name.endswith("x86_64.whl") and "linux" in name and "cp31" in name:
            found[name.split("-")[1]] = urllib.parse.urljoin(INDEX, file["url"])
    return found


def names(wheel):
    """The names of PyTorch that the libraries of a wheel export."""
    found = set()
    with zipfile.ZipFile(io.BufferedReader(Remote(wheel), BLOCK)) as archive, tempfile.TemporaryDirectory() as folder:
        inside = set(archive.namelist())
        for library in (f"torch/lib/lib{name}.so" for name in LIBRARIES):
            if library in inside:
                path = archive.extract(library, folder)
                found |= defined(path)
                Path(path).unlink()
    return {name for name in found if pytorch_table.is_listed(name)}


def main():
    table = pytorch_table.read() if pytorch_table.FILE.exists() else pytorch_table.Table((), {})
    asked = sys.argv[1:] or table.versions
    versions = sorted({*table.versions, *asked}, key=numbers)
    addresses, masks = wheels(), defaultdict(int)
    for number, version in enumerate(versions):
        for key in map(pytorch_table.key, names(addresses[version])) if version in asked else table.of(version):
            masks[key] |= 1 << number
        print(version, sum(mask >> number & 1 for mask in masks.values()), flush=True)
    pytorch_table.FILE.write_bytes(pytorch_table.packed(versions, masks))
    print(f"{len(masks)} names, {pytorch_table.FILE.stat().st_size} bytes")


if __name__ == "__main__":
    main()
