"""torchthaw/legacy/run/pretend_cuda.py: torch.cuda.is_available() for build scripts under TORCHTHAW_BUILD_CUDA=1."""

import sys

from ..requested import is_run

NAME = "torch.cuda"
# Code with one of these names is a build script; so is code with the name ``setup`` of one of these packages.
BUILDERS = {"create_extension", "BuildExtension", "FFIExtension"}
PACKAGES = {"setuptools", "distutils"}


def wanted():
    """Whether build scripts shall build for GPUs, with or without one."""
    from ...base import config  # not needed by "import torchthaw"

    return config.switch("TORCHTHAW_BUILD_CUDA")


def install(module):
    """Makes ``is_available`` of the module torch.cuda true for build scripts. Idempotent."""
    answer = module.is_available
    if getattr(answer, "of_torchthaw", False):
        return

    from functools import wraps

    @wraps(answer)
    def is_available():
        return answer() or wanted() and _builds(sys._getframe(1))

    is_available.of_torchthaw = True
    module.is_available = is_available


def _builds(frame):
    """Whether the code of a frame, or a caller of it, is a build script. PyTorch itself never is."""
    if frame.f_globals.get("__name__", "").partition(".")[0] == "torch":
        return False
    if _is_one_liner(frame):
        return True
    while frame is not None:
        if _names_a_builder(frame.f_code):
            return True
        frame = frame.f_back
    return False


def _is_one_liner(frame):
    """Whether the frame is a ``python -c …`` of a script that `run` started: it runs for that script."""
    return frame.f_globals is vars(sys.modules["__main__"]) and sys.argv[:1] in (["-c"], ["-"]) and is_run()


def _names_a_builder(code):
    """Whether code, or a function that it defines, uses one of the BUILDERS' names, or calls ``setup``."""
    names = set(code.co_names)
    if names & BUILDERS or "setup" in names and PACKAGES & {name.partition(".")[0] for name in names}:
        return True
    return any(_names_a_builder(each) for each in code.co_consts if isinstance(each, type(code)))
