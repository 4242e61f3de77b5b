# my_lib/add.py: the sum of two arrays of the same shape.
from .arrays import c_shape, read, variant, written, written_if_wanted
from .library import check, variants

FORWARD, BACKWARD = variants("my_lib_add_forward"), variants("my_lib_add_backward")


def add_forward(input1, input2, output=None):
    """output = input1 + input2, of any shape; ``output`` may be one of the inputs. Returns it."""
    dtype, function = variant(FORWARD, "input1", input1)
    shape, shape2 = input1.shape, getattr(input2, "shape", None)  # C compares them
    address1, address2 = read("input1", input1, shape, dtype), read("input2", input2, shape2, dtype)
    output, address = written("output", output, shape, dtype)
    sizes1, _keeps1 = c_shape(shape)
    sizes2, _keeps2 = c_shape(shape2)
    check(function(address1, sizes1, len(shape), address2, sizes2, len(shape2), address))
    return output


def add_backward(grad_output, grad_input1=None, grad_input2=None):
    """grad_input1 = grad_output, grad_input2 = grad_output; both may be grad_output. Returns (grad_input1, grad_input2),
    None for one that is False.
    """
    dtype, function = variant(BACKWARD, "grad_output", grad_output)
    shape = grad_output.shape
    sizes, _keeps = c_shape(shape)
    grad_input1, address1 = written_if_wanted("grad_input1", grad_input1, shape, dtype)
    grad_input2, address2 = written_if_wanted("grad_input2", grad_input2, shape, dtype)
    check(function(read("grad_output", grad_output, shape, dtype), sizes, len(shape), address1, address2))
    return grad_input1, grad_input2
