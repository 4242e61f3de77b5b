"""tests/support/abi_snapshot.py: extensions as each version of the bridge had them made, kept as text in
tests/abi/<version>/.

    python tests/support/abi_snapshot.py            writes tests/abi/<version>/ for the version in bridge.h
    python tests/support/abi_snapshot.py --replace  the same where no release had this version yet and its folder exists

A snapshot holds the headers that an extension was compiled with and, for each of tests/abi/sources/, its sources and
the files that create_extension wrote. tests/abi/test_abi.py compiles all snapshots and loads them with today's bridge.
"""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SRC = ROOT / "src"
FOLDER = ROOT / "tests" / "abi"
SOURCES = FOLDER / "sources"
BRIDGE = SRC / "torchthaw" / "bridge"
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))

from torchthaw.base import config, toolchain  # noqa: E402
from torchthaw.extension.create import LIMITED_API, create_extension  # noqa: E402

EXTENSIONS = "pointers", "structs", "annotated"


def version_of(header):
    """(major, minor) of a bridge.h."""
    text = header.read_text()
    return tuple(int(re.search(rf"BRIDGE_{part} (\d+)", text)[1]) for part in ("MAJOR", "MINOR"))


def snapshots():
    """The folders of all versions, the oldest first."""
    return sorted((path.parent for path in FOLDER.glob("*/bridge.h")), key=lambda path: version_of(path / "bridge.h"))


def extensions(snapshot):
    """The names of those that a snapshot has."""
    return [name for name in EXTENSIONS if (snapshot / name).is_dir()]


def write(folder):
    """Writes what an extension is compiled with today, and the extensions themselves."""
    folder.mkdir(parents=True)
    for name in ("bridge.h", "regions.h"):
        shutil.copy(BRIDGE / name, folder)
    for name in EXTENSIONS:
        shutil.copytree(SOURCES / name, folder / name)
    (folder / "torchthaw").mkdir()
    shutil.copy(config.includes() / "annotate.h", folder / "torchthaw")
    write_new(folder / "pointers")
    write_new(folder / "annotated")
    write_structs(folder / "structs")
    for path in headers_of_th(folder / "structs"):
        target = folder / path.relative_to(config.my_lib_includes())
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)


def write_new(folder):
    name = folder.name
    extension = create_extension(name, f"{name}.h", [f"{name}.c"], relative_to=folder / "build.py")
    extension.write_c(folder / f"_{name}.c")
    extension.write_init(folder)
    without_machine(folder / f"_{name}.c", folder)


def write_structs(folder):
    """With a state of its own: create_extension of the old kind makes its package at once, in another folder."""
    from cffi import recompiler

    from torchthaw.legacy.ffi import create as extension

    with tempfile.TemporaryDirectory() as project:
        shutil.copytree(folder, project, dirs_exist_ok=True)
        ffi = extension.create_extension(
            "structs", "structs.h", ["structs.c"], False, relative_to=os.path.join(project, "build.py")
        )
        name, source, suffix, _ = ffi._assigned_source
        recompiler.make_c_source(ffi, name, source, str(folder / f"{name}{suffix}"))
        shutil.copy(Path(project, "structs", "__init__.py"), folder)
        without_machine(folder / "_structs.c", Path(project))


def without_machine(path, folder):
    """Includes of our headers and the extension's own lose the folders of this machine."""
    text = path.read_text().replace(f'"{BRIDGE}/', '"').replace(f'"{folder}/', '"')
    if re.search(r'"/|' + re.escape(str(ROOT)), text):
        raise ValueError(f"{path}: expected no paths of this machine")
    path.write_text(text)


def headers_of_th(folder):
    """The headers of TH that an extension includes."""
    command = [*toolchain.c_compiler(), "-M", f"-I{config.my_lib_includes()}", folder / "structs.c"]
    words = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return [Path(word) for word in words if Path(word).is_relative_to(config.my_lib_includes())]


def build(snapshot, name, folder, headers=None):
    """Builds the package ``name`` of a snapshot in ``folder``; headers: another folder to take bridge.h from."""
    package = shutil.copytree(snapshot / name, folder / name)
    with_th = [config.library("th")] if name == "structs" else []
    sources = sorted([*package.glob("*.c"), *package.glob("*.cpp")])
    flags = [
        "-O1", "-w", "-fPIC", "-fexceptions", "-fopenmp", f"-D{'='.join(LIMITED_API)}", "-iquote",
        headers or snapshot, f"-I{snapshot}", f"-I{sysconfig.get_path('include')}",
    ]  # fmt: skip
    objects = []
    for source in sources:
        compiler = toolchain.c_compiler() if source.suffix == ".c" else toolchain.cxx_compiler()
        objects.append(source.with_suffix(".o"))
        subprocess.run([*compiler, *flags, "-c", source, "-o", objects[-1]], check=True)
    target = package / f"_{name}.so"
    subprocess.run([*toolchain.cxx_compiler(), "-shared", *objects, *with_th, "-fopenmp", "-o", target], check=True)
    return package


def main():
    folder = FOLDER / ".".join(map(str, version_of(BRIDGE / "bridge.h")))
    if folder.exists() and sys.argv[1:] != ["--replace"]:
        sys.exit(f"{folder} exists: raise THAW_BRIDGE_MINOR, or pass --replace where no release had this version")
    shutil.rmtree(folder, ignore_errors=True)
    write(folder)
    print(f"wrote {folder}")


if __name__ == "__main__":
    main()
