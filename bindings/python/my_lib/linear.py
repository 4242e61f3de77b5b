# my_lib/linear.py: the affine map of rows.
from .arrays import read, read_if_given, sizes, variant, written, written_if_wanted
from .library import variants
from .workspace import call

FORWARD, BACKWARD = variants("my_lib_linear_forward"), variants("my_lib_linear_backward")
FORWARD_SIZE = variants("my_lib_linear_forward_workspace_size")
BACKWARD_SIZE = variants("my_lib_linear_backward_workspace_size")


def linear_forward(input, weight, bias=None, output=None, workspace=None):
    """output = input weight^T + bias. Returns output.

    input: (batch, in_features); weight: (out_features, in_features); bias: (out_features,), or None for zeros;
    output: (batch, out_features).
    """
    dtype, function = variant(FORWARD, "input", input)
    batch, in_features = sizes("input", input, "batch", "in_features")
    out_features, _ = sizes("weight", weight, "out_features", "in_features")
    arrays = [
        read("input", input, (batch, in_features), dtype),
        read("weight", weight, (out_features, in_features), dtype),
        read_if_given("bias", bias, (out_features,), dtype),
    ]
    output, address = written("output", output, (batch, out_features), dtype)
    call(function, FORWARD_SIZE[dtype], arrays, (batch, in_features, out_features), [address], workspace)
    return output


def linear_backward(
    grad_output, input=None, weight=None, grad_input=None, grad_weight=None, grad_bias=None, workspace=None
):
    """The gradients of linear_forward. Returns (grad_input, grad_weight, grad_bias), None for one that is False.

    grad_output: (batch, out_features); input and weight as in linear_forward. Where grad_weight is False, input may be
    None; where grad_input is, weight.
    """
    dtype, function = variant(BACKWARD, "grad_output", grad_output)
    batch, out_features = sizes("grad_output", grad_output, "batch", "out_features")
    for name, array, gradient, wanted in (
        ("input", input, "grad_weight", grad_weight),
        ("weight", weight, "grad_input", grad_input),
    ):
        if array is None and wanted is not False:
            raise TypeError(f"{name}: expected a NumPy array, as {gradient} is not False, got None")
    in_features = 0
    if input is not None:
        in_features = sizes("input", input, "batch", "in_features")[1]
    elif weight is not None:
        in_features = sizes("weight", weight, "out_features", "in_features")[1]
    shapes = (batch, in_features), (out_features, in_features), (out_features,)
    arrays = [
        read("grad_output", grad_output, (batch, out_features), dtype),
        read_if_given("input", input, shapes[0], dtype),
        read_if_given("weight", weight, shapes[1], dtype),
    ]
    names, given = ("grad_input", "grad_weight", "grad_bias"), (grad_input, grad_weight, grad_bias)
    gradients = [written_if_wanted(*each, dtype) for each in zip(names, given, shapes)]
    outputs = [address for _, address in gradients]
    call(function, BACKWARD_SIZE[dtype], arrays, (batch, in_features, out_features), outputs, workspace)
    return tuple(array for array, _ in gradients)
