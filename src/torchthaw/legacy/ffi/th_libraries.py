"""torchthaw/legacy/ffi/th_libraries.py: opens libth and libthc, which extensions with TH types name without a folder."""

import ctypes
import os

from ...base import config
from ...bridge import private_names


def open_libraries():
    """Opens libth, and libthc where it is: their errors become exceptions, their memory and streams are PyTorch's.

    Raises FileNotFoundError without libth, ImportError without a PyTorch that works.
    """
    from ...bridge import _bridge, pytorch

    pytorch.require()
    _bridge.open_th(os.fspath(config.library("th")))
    try:
        path = config.library("thc")
    except FileNotFoundError:
        return
    if config.cuda_is_cpu():
        ctypes.CDLL(os.fspath(config.library("cuda_on_cpu")))  # which libthc needs
    _bridge.open_thc(os.fspath(path))
    # The first tensor on a GPU does the same; C that is called before it may ask.
    private_names.get("when_cuda_is_ready")(_bridge.cuda_is_ready)
