"""torchthaw/legacy/run/last_line.py: a line below a traceback of a script whose reason the traceback does not say."""

import re
import sys
from functools import wraps

from ...base.printing import one_line, shell_word

UNDEFINED = re.compile(r"(/.*): undefined symbol: ")
MISMATCH = re.compile(r"detected CUDA version \((\d+\.\d+)\) mismatches .*PyTorch \((\d+\.\d+)\)", re.DOTALL)
# What has an nvcc of CUDA 13 and later: pip's packages. Those of CUDA 12 have none.
PACKAGES = "nvidia-cuda-nvcc", "nvidia-cuda-crt", "nvidia-nvvm", "nvidia-cuda-runtime", "nvidia-cuda-cccl"
LOCAL = re.compile(r"invalid literal for int\(\) with base 10: '\d+\+\w+'")


def replace():
    """Has sys.excepthook print it."""
    if getattr(sys.excepthook, "of_torchthaw", False):
        return
    show = sys.excepthook

    @wraps(show)
    def excepthook(kind, error, traceback):
        show(kind, error, traceback)
        line = found(error)
        if line:
            print(f"torchthaw: {one_line(line)}", file=sys.stderr)

    excepthook.of_torchthaw = True
    sys.excepthook = excepthook


def found(error):
    """The line, or ""."""
    version = getattr(sys.modules.get("torch"), "__version__", "")
    if isinstance(error, ValueError) and LOCAL.search(str(error)) and "+" in version:
        return f"torch.__version__ is {version}: a part of it is no number; compare torch.torch_version.TorchVersion, or two parts"
    mismatch = _mismatch(error) if isinstance(error, RuntimeError) else None
    if mismatch:
        return _other_cuda(*mismatch)
    undefined = UNDEFINED.match(str(error)) if isinstance(error, ImportError | OSError) else None
    if undefined:
        return f"python -m torchthaw doctor --so {shell_word(undefined[1])} says which PyTorch has its names"
    return ""


def _mismatch(error):
    """(the CUDA of nvcc, that of PyTorch) that BuildExtension refused. PyTorch 2.7 puts them into its text, 2.10 does not."""
    if len(error.args) == 3 and "detected CUDA version" in str(error.args[0]):
        return error.args[1:]
    found = MISMATCH.search(str(error))
    return found.groups() if found else None


def _other_cuda(had, wanted):
    """What brings a toolkit of the CUDA that PyTorch wants."""
    major, _, minor = wanted.partition(".")
    if int(major) >= 13:
        packages = " ".join(f"'{name}=={wanted}.*'" for name in PACKAGES)
        how = f"pip install {packages} brings one, which run takes"
    else:
        how = f"install one beside it (NVIDIA's Debian package cuda-toolkit-{major}-{minor}, conda's cuda-toolkit={wanted}); run "
        how += "takes it from PATH or /usr/local, or name it in CUDA_HOME"
    return f"nvcc is of CUDA {had}, and PyTorch needs an nvcc of {wanted}: {how}"
