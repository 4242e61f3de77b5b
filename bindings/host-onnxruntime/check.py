# bindings/host-onnxruntime/check.py: the test program of ONNX Runtime: version, vectors, marks, threads, time, own.
# A model is one node of my_lib's domain, or a chain of them.
import functools
import os
import re
import timeit

import numpy
import onnx
import onnxruntime
import vectors
from onnx import helper
from vectors import READ, WRITTEN

FLOAT = onnx.TensorProto.FLOAT
OPSETS = [helper.make_opsetid("", 18), helper.make_opsetid("my_lib", 1)]
LIBRARY = os.environ["LIBRARY"]
options = onnxruntime.SessionOptions()
options.log_severity_level = 4  # what fails is an exception as well
options.intra_op_num_threads = 1
options.register_custom_ops_library(LIBRARY)


def session(nodes, inputs, outputs):
    described = [[helper.make_tensor_value_info(name, FLOAT, None) for name in names] for names in (inputs, outputs)]
    model = helper.make_model(helper.make_graph(nodes, "graph", *described), opset_imports=OPSETS, ir_version=8)
    return onnxruntime.InferenceSession(model.SerializeToString(), options)


@functools.cache
def of_function(function, read, written, numbers):
    """The session of one node. read, written: its arrays, "" for one that is absent; numbers: its attributes."""
    node = helper.make_node(function, read, written, domain="my_lib", **dict(numbers))
    return session([node], [*filter(None, read)], [*filter(None, written)])


def call(function, given, wanted, numbers=()):
    """{name: array} of the outputs ``wanted``. given: {name: array or None}."""
    read = [name if given[name] is not None else "" for name in READ[function]]
    written = [name if name in wanted else "" for name in WRITTEN[function]]
    for names in read, written:
        while names and not names[-1]:
            names.pop()
    made = of_function(function, tuple(read), tuple(written), tuple(numbers)).run(
        None, {name: x for name, x in given.items() if x is not None}
    )
    return dict(zip(filter(None, written), made))


def replay(entry, folder):
    given, expected = entry.arrays(folder)
    wanted = [name for name, x in expected.items() if x is not None]
    entry.compare(call(entry.function, given, wanted, entry.number().items()), expected)


def add_refuses(*arrays):
    try:
        add(*arrays)
    except onnxruntime.capi.onnxruntime_pybind11_state.InvalidArgument as error:
        return re.search(r"input2: .*", str(error))[0]
    raise AssertionError("expected InvalidArgument, got none")


def mark(function, arrays):
    given = dict(zip(READ[function], arrays))
    return [*arrays[: len(given)], *call(function, given, WRITTEN[function]).values()]


def linear(input, weight):
    given = {"input": input, "weight": weight, "bias": None}
    return call("my_lib_linear_forward", given, ["output"])["output"]


def add(one, other):
    return call("my_lib_add_forward", {"input1": one, "input2": other}, ["output"])["output"]


def node_time(operator, domain):
    """The least time of a node that adds 25 numbers, in a chain: what a long chain takes more than a short one."""
    sessions = {}
    for count in (1, 201):
        names = ["x", *(f"y{i}" for i in range(count))]
        nodes = [helper.make_node(operator, [names[i], "one"], [names[i + 1]], domain=domain) for i in range(count)]
        sessions[count] = session(nodes, ["x", "one"], names[-1:])
    given = {"x": numpy.ones(25, numpy.float32), "one": numpy.ones(25, numpy.float32)}
    least = dict.fromkeys(sessions, float("inf"))
    for _ in range(500):
        for count, each in sessions.items():
            least[count] = min(least[count], timeit.timeit(lambda: each.run(None, given), number=1))
    return (least[201] - least[1]) / 200 * 1e9


def time():
    print(f"time {node_time('my_lib_add_forward', 'my_lib'):.1f}")


def own():
    print(f"own {node_time('Add', ''):.1f}")


if __name__ == "__main__":
    vectors.host(LIBRARY, replay, mark, linear, add, add_refuses, time=time, own=own)
