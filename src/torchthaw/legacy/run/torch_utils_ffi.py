"""torchthaw/legacy/run/torch_utils_ffi.py: the module torch.utils.ffi."""

try:
    import cffi as _cffi
except ImportError:
    raise ImportError("torch.utils.ffi requires the cffi package") from None

if _cffi.__version_info__ < (1, 4):
    raise ImportError(f"torch.utils.ffi requires cffi version >= 1.4, but got {_cffi.__version__}")

from torchthaw.legacy.ffi.create import _setup_wrapper, create_extension  # noqa: E402, F401
from torchthaw.legacy.loading import prepare, wrap_function as _wrap_function  # noqa: E402

__all__ = ["create_extension", "_wrap_function"]

prepare()
