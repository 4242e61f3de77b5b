"""wheel_checks.py: what a portable wheel promises, read from the file itself, beside what auditwheel says of the versions
of symbols. Each check returns complaints, [] if none."""

import json
import re
import zipfile
from pathlib import Path

from support import ROOT, elf
from support.elf import readelf

# Each library of the wheel, and what it may need at run time. libgomp and libstdc++ are not among these: OpenMP is looked
# for by the libraries themselves, and an older system has an older libstdc++.
C_LIBRARY = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1"}
NEEDED = {
    "lib/libmy_lib.so.1": C_LIBRARY,
    "lib/libth.so.1": C_LIBRARY | {"libgcc_s.so.1"},
    "lib/libcuda_on_cpu.so.1": C_LIBRARY | {"libgcc_s.so.1"},
    "lib/libthc.so.1": C_LIBRARY | {"libgcc_s.so.1", "libth.so.1"},
    "lib/cuda_on_cpu/libthc.so.1": C_LIBRARY | {"libgcc_s.so.1", "libth.so.1", "libcuda_on_cpu.so.1"},
    "bridge/_bridge.abi3.so": C_LIBRARY | {"libgcc_s.so.1"},
}
LOADERS = {"ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}  # functions of thread-local variables
# Functions whose names have no version, from Python, which is in the process, and from our libraries. A function that the
# old glibc lacks would be another one.
UNVERSIONED = {
    "bridge/_bridge.abi3.so": re.compile(r"_?Py\w+"),
    "lib/libthc.so.1": re.compile(r"_?TH\w+|thaw_\w+"),
    "lib/cuda_on_cpu/libthc.so.1": re.compile(
        r"_?TH\w+|thaw_\w+|cuda\w+|_ZN11cuda_on_cpu\w+|(thread|block)Idx|(block|grid)Dim"
    ),
}
LICENCES = {"LICENSE", "licenses/README.md", "licenses/gcc-runtime-library-exception.txt"}
CUDA = {"lib/libthc.so.1"}
SBOM = "sboms/torchthaw.cdx.json"
FIELDS = "Summary Keywords License-Expression Requires-Python Description-Content-Type".split()


def libraries(folder):
    """{name in the package: path} of the shared libraries in an unpacked wheel; names for the linker are text files."""
    package = Path(folder) / "torchthaw"
    found = (path for path in package.rglob("*.so*") if path.read_bytes()[:4] == b"\x7fELF")
    return {path.relative_to(package).as_posix(): path for path in found}


def needed(name, path):
    """Libraries that it would load and should not, and paths that it would search."""
    dynamic = readelf("--dynamic", path)
    found = set(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)) - LOADERS
    bad = [f"{name}: needs {each}" for each in sorted(found - NEEDED.get(name, set()))]
    return bad + [f"{name}: has a {word}" for word in re.findall(r"\((RPATH|RUNPATH)\)", dynamic)]


def unversioned(name, path):
    """Functions that are looked for when the library is loaded, and that no library promises."""
    found = set()
    for line in readelf("--dyn-syms", path).splitlines():
        columns = line.split()
        if len(columns) >= 8 and columns[4:7:2] == ["GLOBAL", "UND"] and "@" not in columns[7]:
            found.add(columns[7])
    allowed = UNVERSIONED.get(name, re.compile("$"))
    return [f"{name}: {each} has no version" for each in sorted(found) if not allowed.fullmatch(each)]


def paths(name, path):
    """The folder of the sources, which is another one in the next build."""
    return [f"{name}: has the path {ROOT}"] * (str(ROOT).encode() in path.read_bytes())


def of_libraries(folder):
    """Complaints about all libraries of an unpacked wheel."""
    found = libraries(folder)
    bad = [f"{name}: not expected" for name in sorted(found.keys() - NEEDED.keys())]
    bad += [f"{name}: missing" for name in sorted(NEEDED.keys() - CUDA - found.keys())]
    for name, path in sorted(found.items()):
        bad += needed(name, path) + unversioned(name, path) + paths(name, path)
        bad += [f"{name}: {each}" for each in elf.unprotected(path)]
    return bad


def of_metadata(wheel):
    """Complaints about METADATA, licence files and whether the name tells of CUDA libraries."""
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        text = archive.read(metadata).decode()
    info = metadata.removesuffix("METADATA")
    fields = text.partition("\n\n")[0]
    bad = [f"METADATA: {field} is missing" for field in FIELDS if f"\n{field}: " not in fields]
    bad += [f"METADATA: {each} is missing" for each in ("Classifier", "Requires-Dist") if f"\n{each}: " not in fields]
    bad += [f"{each} is missing" for each in sorted(LICENCES) if f"{info}licenses/{each}" not in names]
    has_cuda = any(f"torchthaw/{each}" in names for each in CUDA)
    if has_cuda != ("+cu" in Path(wheel).name):
        bad.append(f"{Path(wheel).name}: {'has' if has_cuda else 'has no'} CUDA libraries, which its name does not say")
    return bad


def sbom(folder):
    """The bill of materials of an unpacked wheel, and its path."""
    (path,) = Path(folder).glob(f"*.dist-info/{SBOM}")
    return json.loads(path.read_text()), path


def of_sbom(folder):
    """Complaints about the bill of materials: what is linked in, and the packages that METADATA requires."""
    bill, path = sbom(folder)
    metadata = (path.parents[1] / "METADATA").read_text().partition("\n\n")[0]
    requires = {
        name: "optional" if "extra ==" in rest else "required"
        for name, rest in re.findall(r"^Requires-Dist: ([\w-]+)(.*)", metadata, re.MULTILINE)
    }
    linked = {"libstdc++"} | ({"cudart"} if CUDA & libraries(folder).keys() else set())
    found = {each["bom-ref"]: each for each in bill["components"]}
    version = re.search(r"^Version: (.*)$", metadata, re.MULTILINE)[1]
    bad = [f"{SBOM}: {name} is missing" for name in sorted(linked - found.keys())]
    bad += [f"{SBOM}: {name} has no version" for name in sorted(linked & found.keys()) if "version" not in found[name]]
    bad += [
        f"{SBOM}: {name} is neither linked nor required" for name in sorted(found.keys() - linked - requires.keys())
    ]
    bad += [
        f"{SBOM}: expected {name} as {scope}, got {found.get(name, {}).get('scope')}"
        for name, scope in sorted(requires.items())
        if scope == "required" and found.get(name, {}).get("scope") != scope
    ]
    if bill["metadata"]["component"]["version"] != version:
        bad.append(f"{SBOM}: expected version {version}, got {bill['metadata']['component']['version']}")
    return bad


def complaints(wheel, folder):
    """All of them, about the file ``wheel`` that is unpacked in ``folder``."""
    return of_metadata(wheel) + of_libraries(folder) + of_sbom(folder)
