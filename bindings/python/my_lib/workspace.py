# my_lib/workspace.py: Workspace: the scratch memory of calls.
import numpy

from .arrays import address_of
from .library import check, last_error

SIZE_MAX = 2**64 - 1


class Workspace:
    """Memory that calls use for what is in between, and that grows as they need. For one thread at a time.

    A call without one allocates what it needs.
    """

    def __init__(self):
        self._memory = numpy.empty(0, numpy.uint8)

    @property
    def nbytes(self):
        return self._memory.nbytes

    def reserve(self, nbytes):
        """An array of at least so many bytes."""
        if self._memory.nbytes < nbytes:
            self._memory = numpy.empty(nbytes, numpy.uint8)
        return self._memory


def memory(workspace, nbytes):
    """The array to use in a call: of a Workspace, or of its own for None; ``nbytes``: as a _workspace_size says."""
    if nbytes == SIZE_MAX:
        raise last_error()
    if workspace is None:
        return numpy.empty(nbytes, numpy.uint8)
    if not isinstance(workspace, Workspace):
        raise TypeError(f"workspace: expected a Workspace or None, got {type(workspace).__name__}")
    return workspace.reserve(nbytes)


def call(function, size_of, inputs, sizes, outputs, workspace):
    """Calls a function whose parameters are addresses of inputs, sizes, addresses of outputs, and a workspace."""
    scratch = memory(workspace, size_of(*sizes))
    check(function(*inputs, *sizes, *outputs, address_of(scratch), scratch.nbytes))
