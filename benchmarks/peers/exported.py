"""benchmarks/peers/exported.py: builds what `export` writes of my_lib.h for a host."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def build(host, *flags):
    """The folder with the library. host: ``onnxruntime`` or ``jax``."""
    folder, header, library = ROOT / "build" / "benchmarks" / host, ROOT / "c_api/include/my_lib.h", ROOT / "build/lib"
    subprocess.run(
        [sys.executable, "-m", "torchthaw", "export", host, str(header), "-o", str(folder)],
        check=True, cwd=ROOT, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    sources = [str(folder / f"my_lib_{part}.c") for part in (host, "table")]
    subprocess.run(
        ["cc", "-std=c11", "-O2", "-shared", "-fPIC", *sources, f"-I{header.parent}", *flags, f"-L{library}", "-lmy_lib",
         f"-Wl,-rpath,{library}", "-o", str(folder / f"libmy_lib_{host}.so")], check=True,
    )  # fmt: skip
    return folder
