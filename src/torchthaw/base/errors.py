"""torchthaw/base/errors.py: BuildError, which everything that builds raises."""

from cffi import VerificationError


class BuildError(RuntimeError, VerificationError):
    """A compiler or the linker failed: the message has its own words. To callers of cffi, it is cffi's error."""
