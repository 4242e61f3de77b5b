"""benchmarks/peers/in_onnxruntime.py: operators of my_lib and of ONNX Runtime in models, on one thread."""

import functools

import numpy
import onnxruntime
from onnx import TensorProto, helper

from . import exported

NODES = 2000


@functools.cache
def library():
    return str(exported.build("onnxruntime") / "libmy_lib_onnxruntime.so")


def session(nodes, inputs, outputs):
    def described(names):
        return [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in names]

    graph = helper.make_graph(nodes, "benchmark", described(inputs), described(outputs))
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("my_lib", 1)]
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.register_custom_ops_library(library())
    model = helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString()
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def chain(operator, domain):
    """A function without arguments that runs ``NODES`` nodes one after the other, each on 25 numbers."""
    names = ["x", *(f"y{i}" for i in range(NODES))]
    more = [] if operator == "Sin" else ["one"]
    nodes = [helper.make_node(operator, [x, *more], [y], domain=domain) for x, y in zip(names, names[1:])]
    made = session(nodes, ["x", *more], names[-1:])
    given = {name: numpy.ones(25, numpy.float32) for name in ["x", *more]}
    return lambda: made.run(None, given)


def node(operator, inputs, outputs):
    """A function without arguments that runs one node of my_lib from arrays to arrays, {name: array}."""
    made = session([helper.make_node(operator, [*inputs], [*outputs], domain="my_lib")], inputs, outputs)
    binding = made.io_binding()
    for name, x in inputs.items():
        binding.bind_input(name, "cpu", 0, numpy.float32, x.shape, x.ctypes.data)
    for name, x in outputs.items():
        binding.bind_output(name, "cpu", 0, numpy.float32, x.shape, x.ctypes.data)
    return lambda: made.run_with_iobinding(binding)
