"""benchmarks/peers/onnx_lstm.py: an LSTM of ONNX Runtime with the weights of an ``nn.LSTM``, on one thread."""

import numpy as np
import onnxruntime
import torch
from onnx import TensorProto, helper, numpy_helper

OPSET = 22


def run(lstm, x):
    """(a function without arguments, the tensor of shape (steps, batch, state) that a call of it writes).

    ``lstm``: one layer in one direction. ``x``: float32, contiguous, of shape (steps, batch, input). Memory is bound: a call copies
    neither input nor output.
    """
    session = _session(lstm, x.shape)
    output = torch.empty(*x.shape[:2], lstm.hidden_size)
    binding = session.io_binding()
    binding.bind_input("x", "cpu", 0, np.float32, tuple(x.shape), x.data_ptr())
    # The operator's output has a dimension of directions.
    shape = (x.shape[0], 1, *output.shape[1:])
    binding.bind_output("y", "cpu", 0, np.float32, shape, output.data_ptr())
    return lambda: session.run_with_iobinding(binding), output


def _session(lstm, shape):
    """PyTorch's gates are input, forget, cell, output; ONNX's are input, output, forget, cell."""

    def rows(parameter):
        of_input, forget, cell, of_output = parameter.detach().chunk(4)
        return torch.cat([of_input, of_output, forget, cell])[None].numpy()

    bias = np.concatenate([rows(lstm.bias_ih_l0), rows(lstm.bias_hh_l0)], axis=1)
    constants = {"w": rows(lstm.weight_ih_l0), "r": rows(lstm.weight_hh_l0), "b": bias}
    output_shape = (shape[0], 1, shape[1], lstm.hidden_size)
    graph = helper.make_graph(
        [helper.make_node("LSTM", ["x", *constants], ["y"], hidden_size=lstm.hidden_size)], "lstm",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, output_shape)],
        [numpy_helper.from_array(np.ascontiguousarray(value), name) for name, value in constants.items()],
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=10)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
