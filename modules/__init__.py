"""modules/__init__.py: the operators as torch.nn modules, one file for each file in functions/."""

from .add import MyAddModule
from .batch_norm2d import BatchNorm2D
from .conv2d import Conv2D
from .cube import Cube
from .fused_conv_batch_norm2d import FusedConvBatchNorm2D
from .linear import Linear
from .lltm import LLTM
from .lltm_sequence import LLTMLayer
from .mul_constant import MulConstant
from .scale_add import ScaleAdd

__all__ = [
    "BatchNorm2D",
    "Conv2D",
    "Cube",
    "FusedConvBatchNorm2D",
    "LLTM",
    "LLTMLayer",
    "Linear",
    "MulConstant",
    "MyAddModule",
    "ScaleAdd",
]
