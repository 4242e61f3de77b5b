"""tests/export/exported.py: exports modules to ONNX and compares; in a process with PyTorch and the packages of a host.

python exported.py LIBRARY FOLDER
"""

import sys

import my_lib_onnx
import onnx
import onnxruntime
import torch
from torch import nn

from functions.linear import linear
from functions.mul_constant import mul_constant
from modules import LLTM, LLTMLayer

library, folder = sys.argv[1:]


class Step(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight, self.cell = nn.Parameter(torch.randn(8, 8)), LLTM(8, 8)

    def forward(self, x):
        y = linear(mul_constant(x, 0.1), self.weight, None)
        h, cell = self.cell(y, (x, x))
        return h + cell


class Last(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = LLTMLayer(8, 8, batch_first=True)

    def forward(self, x):
        _, (h, cell) = self.layer(x)
        return h * cell


torch.manual_seed(0)
seen = set()
for module, x in ((Step(), torch.randn(3, 8)), (Last(), torch.randn(3, 5, 8))):
    for records in (False, True):
        with torch.set_grad_enabled(records):
            program = torch.onnx.export(
                module.eval(), (x,), dynamo=True, dynamic_shapes=({0: "batch"},), verbose=False,
                custom_translation_table=my_lib_onnx.translations(),
            )  # fmt: skip
        path = f"{folder}/model.onnx"
        program.save(path)
        onnx.checker.check_model(onnx.load(path), full_check=True)
        options = onnxruntime.SessionOptions()
        options.register_custom_ops_library(library)
        session = onnxruntime.InferenceSession(path, options)
        for batch in (3, 7):
            x = torch.randn(batch, *x.shape[1:])
            (found,) = session.run(None, {session.get_inputs()[0].name: x.numpy()})
            torch.testing.assert_close(torch.from_numpy(found), module(x).detach(), rtol=1e-6, atol=1e-6)
        seen |= {node.op_type for node in program.model.graph if node.domain == "my_lib"}
assert len(seen) == 4, seen  # each of them, and LLTMLayer's own
print("passed")
