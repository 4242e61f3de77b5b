# my_lib/lltm.py: the LLTM cell: one step, and a sequence of steps, whose arrays have seq_len as their first size.
from .arrays import read, read_if_given, sizes, variant, written, written_if_wanted
from .library import variants
from .workspace import call

FORWARD, FORWARD_SIZE = variants("lltm_forward"), variants("lltm_forward_workspace_size")
BACKWARD, BACKWARD_SIZE = variants("lltm_backward"), variants("lltm_backward_workspace_size")
SEQUENCE_FORWARD = variants("lltm_sequence_forward")
SEQUENCE_FORWARD_SIZE = variants("lltm_sequence_forward_workspace_size")
SEQUENCE_BACKWARD = variants("lltm_sequence_backward")
SEQUENCE_BACKWARD_SIZE = variants("lltm_sequence_backward_workspace_size")


class _Shapes:
    """The shapes that follow from those of ``input`` and ``old_h``; ``dimensions``: of the former."""

    def __init__(self, input, old_h, *dimensions):
        *steps, batch, input_size = sizes("input", input, *dimensions)
        state_size = sizes("old_h", old_h, "batch", "state_size")[1]
        self.sizes = (*steps, batch, input_size, state_size)
        self.input = (*steps, batch, input_size)
        self.state, self.states = (batch, state_size), (*steps, batch, state_size)
        self.gates = (*steps, batch, 3 * state_size)
        self.weights, self.bias = (3 * state_size, state_size + input_size), (3 * state_size,)


def lltm_forward(input, weights, bias, old_h, old_cell, new_h=None, new_cell=None, gates=None, workspace=None):
    """One step. Returns (new_h, new_cell, gates); gates, which backward needs, may be False.

    input: (batch, input_size); weights: (3 * state_size, state_size + input_size), whose columns act on [old_h, input];
    bias: (3 * state_size,); old_h, old_cell, new_h, new_cell: (batch, state_size); gates: (batch, 3 * state_size).
    """
    dtype, function = variant(FORWARD, "input", input)
    shapes = _Shapes(input, old_h, "batch", "input_size")
    arrays, given = (input, weights, bias, old_h, old_cell), (new_h, new_cell, gates)
    return _forward(function, FORWARD_SIZE, shapes, dtype, arrays, ("new_h", "new_cell"), given, workspace)


def lltm_sequence_forward(input, weights, bias, old_h, old_cell, h=None, cell=None, gates=None, workspace=None):
    """As many steps as ``input``, (seq_len, batch, input_size), has. Returns (h, cell, gates), the state after each
    step, of shape (seq_len, batch, state_size), and (seq_len, batch, 3 * state_size). The rest is as in lltm_forward.
    """
    dtype, function = variant(SEQUENCE_FORWARD, "input", input)
    shapes = _Shapes(input, old_h, "seq_len", "batch", "input_size")
    arrays, given = (input, weights, bias, old_h, old_cell), (h, cell, gates)
    return _forward(function, SEQUENCE_FORWARD_SIZE, shapes, dtype, arrays, ("h", "cell"), given, workspace)


def _forward(function, size_of, shapes, dtype, arrays, names, given, workspace):
    input, weights, bias, old_h, old_cell = arrays
    inputs = [
        read("input", input, shapes.input, dtype),
        read("weights", weights, shapes.weights, dtype),
        read("bias", bias, shapes.bias, dtype),
        read("old_h", old_h, shapes.state, dtype),
        read("old_cell", old_cell, shapes.state, dtype),
    ]
    h, address_of_h = written(names[0], given[0], shapes.states, dtype)
    cell, address_of_cell = written(names[1], given[1], shapes.states, dtype)
    gates, address_of_gates = written_if_wanted("gates", given[2], shapes.gates, dtype)
    outputs = [address_of_h, address_of_cell, address_of_gates]
    call(function, size_of[dtype], inputs, shapes.sizes, outputs, workspace)
    return h, cell, gates


def lltm_backward(
    grad_h, grad_cell, new_cell, gates, input, old_h, weights,
    d_input=None, d_weights=None, d_bias=None, d_old_h=None, d_old_cell=None, workspace=None,
):  # fmt: skip
    """The gradients of lltm_forward. Returns (d_input, d_weights, d_bias, d_old_h, d_old_cell), of the shapes of what
    they belong to; None for one that is False.

    grad_h, grad_cell: of new_h and new_cell; new_cell and gates are what forward gave, the others what it read.
    """
    dtype, function = variant(BACKWARD, "grad_h", grad_h)
    shapes = _Shapes(input, old_h, "batch", "input_size")
    inputs = [
        read("grad_h", grad_h, shapes.state, dtype),
        read("grad_cell", grad_cell, shapes.state, dtype),
        read("new_cell", new_cell, shapes.state, dtype),
        read("gates", gates, shapes.gates, dtype),
        read("input", input, shapes.input, dtype),
        read("old_h", old_h, shapes.state, dtype),
        read("weights", weights, shapes.weights, dtype),
    ]
    given = (d_input, d_weights, d_bias, d_old_h, d_old_cell)
    return _backward(function, BACKWARD_SIZE, shapes, dtype, inputs, given, workspace)


def lltm_sequence_backward(
    grad_h, grad_last_h, grad_last_cell, cell, gates, input, h, old_h, old_cell, weights,
    d_input=None, d_weights=None, d_bias=None, d_old_h=None, d_old_cell=None, workspace=None,
):  # fmt: skip
    """The gradients of lltm_sequence_forward. Returns (d_input, d_weights, d_bias, d_old_h, d_old_cell), of the shapes
    of what they belong to; None for one that is False.

    grad_h: of every h; grad_last_h, grad_last_cell: (batch, state_size), further ones of the last state, or None for
    zeros; h, cell and gates are what forward gave, the others what it read.
    """
    dtype, function = variant(SEQUENCE_BACKWARD, "grad_h", grad_h)
    shapes = _Shapes(input, old_h, "seq_len", "batch", "input_size")
    inputs = [
        read("grad_h", grad_h, shapes.states, dtype),
        read_if_given("grad_last_h", grad_last_h, shapes.state, dtype),
        read_if_given("grad_last_cell", grad_last_cell, shapes.state, dtype),
        read("cell", cell, shapes.states, dtype),
        read("gates", gates, shapes.gates, dtype),
        read("input", input, shapes.input, dtype),
        read("h", h, shapes.states, dtype),
        read("old_h", old_h, shapes.state, dtype),
        read("old_cell", old_cell, shapes.state, dtype),
        read("weights", weights, shapes.weights, dtype),
    ]
    given = (d_input, d_weights, d_bias, d_old_h, d_old_cell)
    return _backward(function, SEQUENCE_BACKWARD_SIZE, shapes, dtype, inputs, given, workspace)


def _backward(function, size_of, shapes, dtype, inputs, given, workspace):
    names = ("d_input", "d_weights", "d_bias", "d_old_h", "d_old_cell")
    expected = (shapes.input, shapes.weights, shapes.bias, shapes.state, shapes.state)
    gradients = [written_if_wanted(*each, dtype) for each in zip(names, given, expected)]
    call(function, size_of[dtype], inputs, shapes.sizes, [address for _, address in gradients], workspace)
    return tuple(array for array, _ in gradients)
