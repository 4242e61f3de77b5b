"""torchthaw/modernize/remarks.py: what was done to a project, and what a person must look at."""

from typing import NamedTuple


class Remark(NamedTuple):
    """One thing about one line (from 1; 0: the whole file) of the old project.

    path: relative to the old project, with ``/``. rule: short, with hyphens, such as ``"instance-function"``.
    kind: ``"done"``, ``"look"`` (a person must look at it) or ``"hint"``.
    """

    path: str
    line: int
    rule: str
    message: str
    kind: str


class FunctionClass(NamedTuple):
    """One autograd Function of the project, as it is after the change.

    module: dotted, in the new package. constants: the names of the arguments that ``__init__`` took, now the last ones of
    ``forward``, where ``*args`` is one tuple and ``**kwargs`` one dict; tensors: the names of ``forward``'s others,
    without ``ctx``.
    calls: names of C functions that its methods call, where they can be read.
    """

    module: str
    name: str
    tensors: tuple
    constants: tuple
    calls: tuple
    path: str
    line: int
