# tests/graph/test_recording.py: make_fx, torch.export and fake tensors, which see operators and no C.
import io

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch._subclasses.functional_tensor import dispatch_functionalize
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils.flop_counter import FlopCounterMode

import functions
from _ext import my_lib
from support.graphs import add, captured, lltm, lltm_arguments
from support.messages import names

ops = torch.ops.my_lib


@pytest.mark.parametrize("mode", ["real", "fake", "symbolic"])
def test_make_fx(mode):
    a, b = torch.randn(3, 4), torch.randn(3, 4)
    graph = make_fx(add, tracing_mode=mode)(a, b)
    assert ops.my_lib_add_forward.out in [node.target for node in graph.graph.nodes]
    c, d = (torch.randn(5, 4), torch.randn(5, 4)) if mode == "symbolic" else (b, b)
    torch.testing.assert_close(graph(c, d), 2 * (c + d))


def test_functionalized():
    a, b = torch.randn(3, 4), torch.randn(3, 4)
    graph = make_fx(dispatch_functionalize(add), tracing_mode="symbolic")(a, b)
    assert "auto_functionalized" in graph.code
    torch.testing.assert_close(graph(b, b), 4 * b)


class Calls(torch.nn.Module):
    """The trampoline of add, then the operator of LLTM with parameters that require grad, as weights do."""

    def __init__(self):
        super().__init__()
        self.weights, self.bias = map(torch.nn.Parameter, lltm_arguments()[1:3])

    def forward(self, input, old_h, old_cell):
        from _ext import my_lib  # noqa: F811

        state = torch.empty_like(old_h), torch.empty_like(old_cell)
        total = add(input, input)
        my_lib.lltm_forward(
            input=total,
            weights=self.weights,
            bias=self.bias,
            old_h=old_h,
            old_cell=old_cell,
            new_h=state[0],
            new_cell=state[1],
            gates=None,
            workspace=None,
            workspace_size=0,
        )
        return state


@pytest.mark.parametrize("strict", [pytest.param(True, marks=captured), False])
def test_export(strict):
    module = Calls()
    input, _, _, old_h, old_cell = lltm_arguments()
    batch = torch.export.Dim("batch")
    program = torch.export.export(
        module, (input, old_h, old_cell), strict=strict,
        dynamic_shapes={"input": {0: batch}, "old_h": {0: batch}, "old_cell": {0: batch}},
    )  # fmt: skip
    file = io.BytesIO()
    torch.export.save(program, file)
    file.seek(0)
    loaded = torch.export.load(file).module()
    input, _, _, old_h, old_cell = lltm_arguments(5)
    want = lltm(4 * input, module.weights.detach(), module.bias.detach(), old_h, old_cell)
    for got, expected in zip(loaded(input, old_h, old_cell), want):
        torch.testing.assert_close(got, expected)


def test_fake_tensors():
    with FakeTensorMode():
        x, output = torch.empty(2, 3), torch.empty(2, 3)
        assert add(x, x).shape == (2, 3)
        assert my_lib.my_lib_add_forward(input1=x, input2=x, output=output) == 1
        with pytest.raises(ValueError, match=names("input2", "(2, 3)", "(2, 4)")):
            add(x, torch.empty(2, 4))
        with pytest.raises(ValueError, match=names("input", "batch", "in_features", "(2,)")):
            ops.my_lib_linear_forward(x[:, 0], x, None)
        with pytest.raises(ValueError, match=names("shape1", "(2, 3)", "input1", "(3, 2)")):
            my_lib.my_lib_add_forward(x, (3, 2), 2, x, x.shape, 2, output)
        with pytest.raises(TypeError, match=names("output", "tensor", "PyTorch", "records", "list")):
            my_lib.my_lib_add_forward(x, x.shape, 2, x, x.shape, 2, [1.0])
        with pytest.raises(TypeError, match=names("my_lib_add_forward", "output", "none")):
            my_lib.my_lib_add_forward(x, x.shape, 2, x)


# operator -> (a call, its floating-point operations), with 2 * 12 * 7 in each of 2 rows, and of 6 steps
FLOPS = {
    "linear": (lambda: functions.linear.linear(torch.randn(30, 3), torch.randn(4, 3)), 2 * 30 * 4 * 3),
    "linear_backward": (lambda: gradients(functions.linear.linear, [torch.randn(30, 3), torch.randn(4, 3)]),
                        3 * 2 * 30 * 4 * 3),
    "lltm": (lambda: functions.lltm.lltm(*lltm_arguments()), 2 * 2 * 12 * 7),
    "lltm_backward": (lambda: gradients(functions.lltm.lltm, lltm_arguments()), 3 * 2 * 2 * 12 * 7),
    "lltm_sequence": (
        lambda: functions.lltm_sequence.lltm_sequence(torch.randn(6, 2, 3), *lltm_arguments()[1:]), 6 * 2 * 2 * 12 * 7
    ),
    "linear as an operator": (lambda: ops.linear(torch.randn(30, 3), torch.randn(4, 3)), 2 * 30 * 4 * 3),
    "lltm as an operator": (lambda: ops.lltm(*lltm_arguments()), 2 * 2 * 12 * 7),
    "lltm_sequence as an operator": (
        lambda: ops.lltm_sequence(torch.randn(6, 2, 3), *lltm_arguments()[1:]), 6 * 2 * 2 * 12 * 7
    ),
    "fused_conv_batch_norm2d as an operator": (
        lambda: functions.fused_conv_batch_norm2d.fused.operator(*images(), 1e-3), 2 * 2 * 5 * 3 * 2 * 8
    ),
    "lltm_sequence_backward": (
        lambda: gradients(functions.lltm_sequence.lltm_sequence, [torch.randn(6, 2, 3), *lltm_arguments()[1:]]),
        3 * 6 * 2 * 2 * 12 * 7
    ),
}  # fmt: skip


def gradients(function, arguments):
    result = function(*(each.requires_grad_() for each in arguments))
    (result if torch.is_tensor(result) else result[0]).sum().backward()


def images():
    """Those of conv2d: 2 results of 5 channels and 3 by 2 elements, each of 8 products."""
    return torch.randn(2, 2, 4, 3), torch.randn(5, 2, 2, 2)


@pytest.mark.parametrize("name", FLOPS)
@pytest.mark.skipif(torch.__version__.startswith("2.4."), reason="PyTorch 2.4 looks for formulas elsewhere")
def test_flops(name):
    call, count = FLOPS[name]
    is_backward = name.endswith("_backward")
    for mode in [torch.enable_grad] if is_backward else [torch.enable_grad, torch.no_grad, torch.inference_mode]:
        with mode(), FlopCounterMode(display=False) as counter:
            call()
        assert counter.get_total_flops() == count
