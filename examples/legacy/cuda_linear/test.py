"""test.py: values and gradients against double on the CPU, streams, errors, and the memory after errors."""

import gc
import time

import torch
import torch.nn.functional as F
from _ext import linear_cuda
from functions.linear import LeakyLinearFunction
from modules.linear import LeakyLinear

SLOPE = 0.25


def same(a, b):
    return a.size() == b.size() and (a.detach().cpu().double() - b.detach()).abs().max().item() < 1e-4


def on_gpu(*tensors):
    return [tensor.detach().float().cuda().requires_grad_() for tensor in tensors]


def reference(input, weight, bias, grad):
    """The output and the three gradients, in double."""
    leaves = [tensor.detach().double().requires_grad_() for tensor in (input, weight, bias)]
    output = F.leaky_relu(F.linear(*leaves), SLOPE)
    output.backward(grad.double())
    return [output] + [leaf.grad for leaf in leaves]


def problem(n, inputs, outputs):
    return torch.randn(n, inputs), torch.randn(outputs, inputs), torch.randn(outputs), torch.randn(n, outputs)


def test_values_and_gradients():
    for sizes in ((1, 1, 1), (5, 3, 4), (300, 7, 5)):
        input, weight, bias, grad = problem(*sizes)
        leaves = on_gpu(input, weight, bias)
        output = LeakyLinearFunction.apply(leaves[0], leaves[1], leaves[2], SLOPE)
        output.backward(grad.cuda())
        results = [output] + [leaf.grad for leaf in leaves]
        for result, expected in zip(results, reference(input, weight, bias, grad)):
            assert same(result, expected), sizes


def test_layouts():
    input, weight, bias, grad = problem(6, 4, 8)
    expected = reference(input, weight, bias, grad)
    turned = input.t().contiguous().cuda().t()
    strided = torch.stack([bias, bias], 1).cuda()[:, 1]
    assert not turned.is_contiguous() and not strided.is_contiguous()
    output = torch.cuda.FloatTensor(2, 2).fill_(7)  # of another size than the result
    linear_cuda.linear_cuda_forward(turned, weight.cuda(), strided, output, SLOPE)
    assert same(output, expected[0])
    grads = [turned.new() for _ in range(3)]
    turned_grad = grad.t().contiguous().cuda().t()
    linear_cuda.linear_cuda_backward(turned, weight.cuda(), output, turned_grad, grads[0], grads[1], grads[2], SLOPE)
    for result, wanted in zip(grads, expected[1:]):
        assert same(result, wanted)


def test_module():
    layer = LeakyLinear(4, 3, SLOPE)
    input, grad = torch.randn(5, 4), torch.ones(5, 3)
    expected = reference(input, layer.weight, layer.bias, grad)
    layer.cuda()
    output = layer(input.cuda())
    output.sum().backward()
    assert same(output, expected[0])
    assert same(layer.weight.grad, expected[2])
    assert same(layer.bias.grad, expected[3])


def test_stream():
    """The input is written late on the same stream: work on another one would come before."""
    input, weight, bias, grad = problem(20, 3, 4)
    expected = reference(input, weight, bias, grad)
    leaves = on_gpu(torch.zeros(20, 3), weight, bias)
    late, grad = input.cuda(), grad.cuda()
    stream = torch.cuda.Stream()
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(20000000)
        leaves[0].data.copy_(late)
        output = LeakyLinearFunction.apply(leaves[0], leaves[1], leaves[2], SLOPE)
        output.backward(grad)
    torch.cuda.synchronize()
    for result, wanted in zip([output] + [leaf.grad for leaf in leaves], expected):
        assert same(result, wanted)


def fails(message, function, *arguments):
    try:
        function(*arguments)
    except torch.FatalError as error:
        assert message in str(error), str(error)
    else:
        raise AssertionError("no error: " + message)


def wrong_calls():
    """Both errors come when a part of the work has been started. The second one comes with memory in use."""
    input, weight, bias, grad = [tensor.cuda() for tensor in problem(40, 6, 5)]
    fails("expected 5 values, got 4", linear_cuda.linear_cuda_forward, input, weight, bias[:4], input.new(), SLOPE)

    input.requires_grad_()
    output = LeakyLinearFunction.apply(input, weight, bias, SLOPE)
    grad[3, 2] = float("inf")
    grad[4, 1] = float("nan")
    fails("2 values of the gradient are not finite", output.backward, grad)
    assert input.grad is None


def test_errors():
    fails("invalid argument 1: expected a matrix", linear_cuda.linear_cuda_forward,
          torch.ones(3).cuda(), torch.ones(2, 3).cuda(), torch.ones(2).cuda(), torch.cuda.FloatTensor(), SLOPE)
    wrong_calls()
    test_values_and_gradients()


def allocated():
    gc.collect()
    torch.cuda.synchronize()
    return torch.cuda.memory_allocated()


def comes_back_to(before):
    """Whether no more memory is held than before, soon: the thread that ran a backward frees its part when it may."""
    for _ in range(100):
        if allocated() <= before:
            return True
        time.sleep(0.1)
    return False


def test_memory_after_errors():
    wrong_calls()
    time.sleep(0.5)
    before = allocated()
    for _ in range(3):
        wrong_calls()
    test_values_and_gradients()
    assert comes_back_to(before), (allocated(), before)


if __name__ == "__main__":
    torch.manual_seed(0)
    for name, test in sorted(globals().items()):
        if name.startswith("test_"):
            test()
            print(name)
    print("ok")
