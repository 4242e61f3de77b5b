# tensors/__init__.py: tensor-like types that plug into PyTorch through __torch_function__.
"""Three ways to plug a type into PyTorch through ``__torch_function__``.

* ``ScalarTensor``: no tensor inside, a table of functions with a rule of their own, the dense matrix for the rest.
* ``LoggingTensor``: a subclass of ``torch.Tensor`` that does what its parent does and logs it.
* ``MetadataTensor``: a wrapper around a tensor; every result carries what is known about its arguments.
"""

from .logging_tensor import LoggingTensor
from .metadata_tensor import MetadataTensor
from .scalar_tensor import ScalarTensor

__all__ = ["LoggingTensor", "MetadataTensor", "ScalarTensor"]
