"""benchmarks/peers/thc_call.py: builds (once) an old project's extension whose only work is a launch."""

import functools
import importlib
import sys
from pathlib import Path

import torchthaw  # noqa: F401, which makes torch.utils.ffi

HERE = Path(__file__).resolve().parent
BUILD = HERE.parents[1] / "build" / "benchmarks" / "thc_call"


@functools.cache
def load():
    """The module; needs nvcc."""
    from torchthaw.legacy.ffi.create import create_extension

    BUILD.mkdir(parents=True, exist_ok=True)
    create_extension(
        "benchmarks_thc_call", [str(HERE / "thc_call.h")],
        [str(HERE / "thc_call.c"), str(HERE / "thc_call_kernel.cu")],
        with_cuda=True, verbose=False, relative_to=str(BUILD / "build.py"),
    ).build()  # fmt: skip
    if str(BUILD) not in sys.path:
        sys.path.insert(0, str(BUILD))
    importlib.invalidate_caches()
    return importlib.import_module("benchmarks_thc_call")
