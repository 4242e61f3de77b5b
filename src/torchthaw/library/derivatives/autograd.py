"""torchthaw/library/derivatives/autograd.py: what stands before an operator's kernels where autograd looks at it: little.

The kernels themselves refuse what autograd would lose: a Python function here takes longer than the rest of a call.
Inside transforms of torch.func the kernels do not see the tensors that the transform differentiates; there, such a
function is asked.
"""

import torch

from . import transforms


def register(operator, overload, name, library):
    """Decides what happens before the kernels of the overload called ``name``."""
    library.impl(name, torch.library.fallthrough_kernel, "Autograd")
    library.impl(name, transforms.kernel(operator, overload), transforms.KEY)
