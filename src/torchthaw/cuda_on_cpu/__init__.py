"""torchthaw/cuda_on_cpu: CUDA extensions on the CPU, for tests: a toolkit, a runtime, and PyTorch's CUDA device.

``python -m torchthaw run`` uses it if the environment variable TORCHTHAW_CUDA is ``cpu``; nothing else does.
"""

import os

from ..base import config
from . import build_device, sanitizer, toolkit_folder

CHECK, LIBRARIES = "TORCHTHAW_CUDA_CHECK", "LD_LIBRARY_PATH"
LINE = "torchthaw: CUDA code is compiled for the CPU and runs there, slowly, for tests (TORCHTHAW_CUDA=cpu)"


def environment():
    """The environment variables of `run`: where builds find the toolkit, and programs its libraries; for a check, how.

    The only device is 0: no value that hides or lists real ones counts, since PyTorch's own functions read it.

    Raises FileNotFoundError for a check where AddressSanitizer is missing, RuntimeError for a PyTorch that cannot have
    the device.
    """
    build_device.installed()
    toolkit = toolkit_folder.home()
    folders = [os.fspath(toolkit / "lib64"), *os.environ.get(LIBRARIES, "").split(os.pathsep)]
    found = dict.fromkeys(("CUDA_HOME", "CUDA_PATH"), os.fspath(toolkit))
    found["CUDA_VISIBLE_DEVICES"] = "0"
    found[LIBRARIES] = os.pathsep.join(dict.fromkeys(filter(None, folders)))
    if config.switch(CHECK):
        sanitizer.libraries()
        found[sanitizer.OPTIONS] = sanitizer.options()
    return found


def include_dirs():
    """Folders of headers, as text: PyTorch's for CUDA, which one for CPUs lacks or has for a library that it lacks; and
    those of other libraries that the headers of one for GPUs name.
    """
    torch = build_device.installed() if config.cuda_is_cpu() else None
    return [os.fspath(folder) for folder in build_device.include_dirs(torch)] if torch else []


def library_for(path):
    """The library of the runtime for a file of a toolkit, such as ``/usr/local/cuda/lib64/libcudart_static.a``; else path."""
    ours = toolkit_folder.home() / "lib64" / os.path.basename(path) if config.cuda_is_cpu() else None
    return ours if ours and ours.exists() else path


def start():
    """Makes PyTorch of this process have the device as soon as it is imported, if CUDA is the CPU here."""
    if config.cuda_is_cpu():
        from . import in_process

        if config.switch(CHECK):
            sanitizer.start()
        in_process.start()
