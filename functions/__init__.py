"""functions/__init__.py: the operators as autograd Functions; each file has the plain function too."""

from . import _flops  # noqa: F401
from .add import MyAddFunction
from .batch_norm2d import BatchNorm2DFunction
from .conv2d import Conv2DFunction
from .cube import CubeFunction
from .fused_conv_batch_norm2d import FusedConvBatchNorm2DFunction
from .linear import LinearFunction
from .lltm import LLTMFunction
from .lltm_sequence import LLTMSequenceFunction
from .mul_constant import MulConstantFunction
from .scale_add import ScaleAddFunction

__all__ = [
    "MyAddFunction",
    "BatchNorm2DFunction",
    "Conv2DFunction",
    "CubeFunction",
    "FusedConvBatchNorm2DFunction",
    "LinearFunction",
    "LLTMFunction",
    "LLTMSequenceFunction",
    "MulConstantFunction",
    "ScaleAddFunction",
]
