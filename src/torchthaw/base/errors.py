"""torchthaw/base/errors.py: BuildError, which everything that builds raises."""

try:
    from cffi import VerificationError
except ImportError:  # while torchthaw itself is built, which compiles its CUDA code with this package
    VerificationError = Exception


class BuildError(RuntimeError, VerificationError):
    """A compiler or the linker failed: the message has its own words. To callers of cffi, it is cffi's error."""
