"""tests/support/operator_table.py: every operator with small arguments, for tests that hold for all of them."""

from typing import NamedTuple

import pytest
import torch
from torch import Tensor

import functions
from support import references


class Operator(NamedTuple):
    """function(*tensors, *constants).

    batches: the tensors that one call can take with a batch of their own. in_c: whether my_lib.h has it.
    """

    function: object
    function_class: type
    reference: object
    shapes: list
    constants: tuple = ()
    batches: tuple = ()
    in_c: bool = True

    def tensors(self, dtype=torch.float64, requires_grad=False):
        return [torch.randn(shape, dtype=dtype, requires_grad=requires_grad) for shape in self.shapes]

    def call(self, *tensors):
        """The results, always a tuple."""
        return as_tuple(self.function(*tensors, *self.constants))

    def expect(self, *tensors):
        return as_tuple(self.reference(*tensors, *self.constants))


CELL = [(12, 7), (12,), (2, 4), (2, 4)]
OPERATORS = {
    "add": Operator(functions.add.add, functions.MyAddFunction, references.add, [(3, 2), (3, 2)], batches=(0, 1)),
    "scale_add": Operator(
        functions.scale_add.scale_add, functions.ScaleAddFunction, references.scale_add, [(3, 2), (3, 2)], batches=(0, 1)
    ),
    "mul_constant": Operator(
        functions.mul_constant.mul_constant, functions.MulConstantFunction, references.mul_constant, [(3, 2)], (2.5,), (0,)
    ),
    "cube": Operator(functions.cube.cube, functions.CubeFunction, references.cube, [(3, 2)], batches=(0,)),
    "linear": Operator(
        functions.linear.linear, functions.LinearFunction, references.linear, [(3, 4), (2, 4), (2,)], batches=(0,)
    ),
    "linear without bias": Operator(
        functions.linear.linear, functions.LinearFunction, references.linear, [(2, 3, 4), (2, 4)], batches=(0,)
    ),
    "conv2d": Operator(
        functions.conv2d.conv2d, functions.Conv2DFunction, references.conv2d, [(2, 2, 4, 3), (2, 2, 2, 2)], in_c=False
    ),
    "batch_norm2d": Operator(
        functions.batch_norm2d.batch_norm2d, functions.BatchNorm2DFunction, references.batch_norm2d,
        [(2, 2, 2, 3)], (1e-2,), (0,),
    ),
    "fused_conv_batch_norm2d": Operator(
        functions.fused_conv_batch_norm2d.fused_conv_batch_norm2d, functions.FusedConvBatchNorm2DFunction,
        references.fused_conv_batch_norm2d, [(2, 2, 4, 3), (2, 2, 2, 2)], (1e-2,), in_c=False,
    ),
    "lltm": Operator(
        functions.lltm.lltm, functions.LLTMFunction, references.lltm, [(2, 3), *CELL], batches=(0, 3, 4)
    ),
    "lltm_sequence": Operator(
        functions.lltm_sequence.lltm_sequence, functions.LLTMSequenceFunction, references.lltm_sequence,
        [(3, 2, 3), *CELL], batches=(0, 3, 4),
    ),
}  # fmt: skip

every_operator = pytest.mark.parametrize("operator", OPERATORS.values(), ids=OPERATORS.keys())


def as_tuple(results):
    return (results,) if isinstance(results, Tensor) else tuple(results)
