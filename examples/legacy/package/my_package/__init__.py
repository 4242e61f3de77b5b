"""my_package: the sum of two tensors, by C code."""

from .functions.add import MyStaticAddFunction
from .modules.add import MyAddModule

add = MyStaticAddFunction.apply
