"""glibc_stubs.py: stand-ins for the libraries of an older glibc, for a linker: names and versions, no code.

zig carries the list of every glibc's symbols and makes such libraries for its own linker. gcc's linker takes them too.
Beside them goes libc.so, a linker script as glibc itself installs one, with cmake/glibc_shim.c in place of the functions
that code compiled with newer headers needs.
"""

import os
import shutil
import subprocess
from pathlib import Path

SHIM = Path(__file__).resolve().parents[1] / "cmake" / "glibc_shim.c"
# Which of zig's files stand for what the linker is asked for: -lm and so on; libc.so names the rest.
LINK_NAMES = {
    "libm.so": "libm.so.6",
    "libdl.so": "libdl.so.2",
    "libpthread.so": "libpthread.so.0",
    "librt.so": "librt.so.1",
}
# libpthread and libdl are a part of libc since 2.34, and their functions are called without naming these libraries.
SCRIPT = "GROUP ( libc.so.6 libglibc_shim.a AS_NEEDED ( libpthread.so.0 libdl.so.2 librt.so.1 {loader} ) )\n"


def make(folder, python, machine, glibc, compiler, loader):
    """Fills ``folder``, once for each text of glibc_shim.c; returns it.

    python: one that has the package ziglang. machine: as in zig's names of targets. glibc: a version such as "2.28".
    compiler: gcc for that machine. loader: the name of its ld.so. RuntimeError where zig or gcc fails.
    """
    folder = Path(folder).resolve()
    made_from = folder / SHIM.name
    if made_from.exists() and made_from.read_text() == SHIM.read_text():
        return folder
    made = folder.with_name(f"{folder.name}.new")
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir(parents=True)
    cache = made / "cache"  # of its own: the stand-ins must be found in it
    (made / "empty.c").write_text("int main(void) { return 0; }\n")
    run([python, "-m", "ziglang", "cc", "-target", f"{machine}-linux-gnu.{glibc}", "empty.c", "-o", "empty"], made,
        {"ZIG_GLOBAL_CACHE_DIR": str(cache), "ZIG_LOCAL_CACHE_DIR": str(cache)})  # fmt: skip
    (libc,) = cache.glob("o/*/libc.so.6")
    for library in libc.parent.glob("lib*.so.*"):
        shutil.copy(library, made / (loader if library.name.startswith("libld.so") else library.name))
    for name, target in LINK_NAMES.items():
        (made / name).symlink_to(target)
    shutil.copy(SHIM, made)
    run(
        [compiler, "-O2", "-fPIC", "-Wall", "-Wextra", "-Werror", "-fno-builtin", "-c", SHIM.name, "-o", "shim.o"], made
    )
    run(["ar", "rcsD", "libglibc_shim.a", "shim.o"], made)
    shutil.rmtree(cache)
    (made / "libc.so").write_text(SCRIPT.format(loader=loader))
    shutil.rmtree(folder, ignore_errors=True)
    made.rename(folder)
    return folder


def run(command, folder, variables=None):
    done = subprocess.run(
        [*map(str, command)], cwd=folder, env={**os.environ, **(variables or {})}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}\n{done.stdout}")
