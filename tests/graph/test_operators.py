# tests/graph/test_operators.py: torch.ops.my_lib: schemas, values, what is refused.
import json

import pytest
import torch
from torch.autograd import forward_ad

import functions
from _ext import my_lib
from support.graphs import ARGUMENTS, lltm, lltm_arguments
from support.messages import names
from torchthaw.bridge import private_names

ops = torch.ops.my_lib


def outputs(operator, arguments):
    """New tensors for all that the operator writes."""
    results = operator.default(*arguments)
    return [torch.empty_like(each) for each in (results if isinstance(results, tuple) else (results,))]


def test_schemas():
    assert str(ops.lltm_forward.default._schema) == (
        "my_lib::lltm_forward(Tensor input, Tensor weights, Tensor bias, Tensor old_h, Tensor old_cell) -> "
        "(Tensor, Tensor, Tensor)"
    )
    assert str(ops.my_lib_add_forward.out._schema) == (
        "my_lib::my_lib_add_forward.out(Tensor input1, Tensor input2, Tensor(a!) output) -> ()"
    )
    # input and weight, which may be NULL, determine nothing
    assert str(ops.my_lib_linear_backward.default._schema) == (
        "my_lib::my_lib_linear_backward(Tensor grad_output, Tensor? input, Tensor? weight, SymInt in_features) "
        "-> (Tensor, Tensor, Tensor)"
    )
    assert not hasattr(ops, "lltm_forward_f64") and not hasattr(ops, "my_lib_version")


def test_the_table_has_every_operator():
    described = json.loads(my_lib._my_lib.description)["functions"]
    has_array = [any(each["kind"] == "array" for each in function["parameters"]) for function in described]
    assert set(ARGUMENTS) == {each["operator"] for each, has in zip(described, has_array) if has}


@pytest.mark.parametrize("overload", ["default", "out"])
@pytest.mark.parametrize("name", ARGUMENTS)
def test_opcheck(name, overload):
    operator, arguments = getattr(ops, name), ARGUMENTS[name]()
    if overload == "out":
        arguments = (*arguments, *outputs(operator, arguments))
    found = torch.library.opcheck(getattr(operator, overload), arguments)
    assert len(found) == 4 and set(found.values()) == {"SUCCESS"}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_values(dtype):
    arguments = lltm_arguments(dtype=dtype)
    want = functions.lltm.lltm(*arguments)
    got = ops.lltm_forward(*arguments)
    assert torch.equal(got[0], want[0]) and torch.equal(got[1], want[1]) and got[0].dtype is dtype
    transposed = [each.t().contiguous().t() if each.dim() == 2 else each for each in arguments]
    assert torch.equal(ops.lltm_forward(*transposed)[0], want[0])
    images = torch.randn(2, 3, 4, 5, dtype=dtype)
    assert torch.equal(ops.my_lib_batch_norm2d_forward(images, 1e-3)[0], functions.batch_norm2d.batch_norm2d(images))


def test_outputs_with_any_strides_and_bits():
    a, b = torch.randn(3, 4), torch.randn(3, 4)
    output = torch.zeros(4, 3).t()
    assert ops.my_lib_add_forward.out(a, b, output) is None
    assert torch.equal(output, a + b)
    negative = torch.zeros(3, 4, dtype=torch.complex64).conj().imag
    assert negative.is_neg()
    ops.my_lib_add_forward.out(torch.complex(b, b).conj().imag, -a, negative)
    assert torch.equal(negative, -b - a)
    before = output._version
    ops.my_lib_add_forward.out(a, a, output)
    assert output._version > before


@pytest.mark.parametrize("device", ["cpu", "meta"])
def test_wrong_arguments(device):
    arguments = [each.to(device) for each in lltm_arguments()]
    for index, value, message in [
        (1, torch.randn(11, 7), names("weights", "(12, 7)", "(11, 7)")),
        (1, torch.randn(12, 7).double(), names("weights", "torch.float32", "torch.float64")),
        (
            0,
            torch.ones(2, 3).long(),
            names("input", "torch.float32", "torch.bfloat16", "torch.float16", "torch.float64", "torch.int64"),
        ),
    ]:
        wrong = list(arguments)
        wrong[index] = value.to(device)
        with pytest.raises(ValueError, match=message):
            ops.lltm_forward(*wrong)


def test_meta():
    results = ops.lltm_forward(*(each.to("meta") for each in lltm_arguments(dtype=torch.float64)))
    assert [tuple(each.shape) for each in results] == [(2, 4), (2, 4), (2, 12)]
    assert all(each.is_meta and each.dtype is torch.float64 for each in results)


OF_LLTM = "functions.lltm", "torch.ops.my_lib.lltm"
OF_CUBE = "functions.cube", "torch.ops.my_lib.cube"


def test_gradients_are_refused():
    arguments = list(lltm_arguments())
    arguments[1].requires_grad_()
    with pytest.raises(RuntimeError, match=names("lltm_forward", "weights", "grad", "derivative", *OF_LLTM)):
        ops.lltm_forward(*arguments)
    with pytest.raises(RuntimeError, match=names("lltm_forward", "weights", "grad", "derivative", *OF_LLTM)):
        ops.lltm_forward(*(each.to("meta").requires_grad_(each.requires_grad) for each in arguments))
    with pytest.raises(RuntimeError, match=names("my_lib_add_backward", "grad", "torch.autograd.Function")):
        ops.my_lib_add_backward(arguments[1])
    with torch.no_grad():
        assert not ops.lltm_forward(*arguments)[0].requires_grad
    a = torch.randn(3)
    with pytest.raises(RuntimeError, match="requires grad"):
        ops.my_lib_add_forward.out(a.clone().requires_grad_(), a, torch.empty(3))


def test_tangents_are_refused():
    a = torch.randn(3)
    with forward_ad.dual_level(), pytest.raises(RuntimeError, match=names("input", "tangent", *OF_CUBE)):
        ops.my_lib_cube_forward(forward_ad.make_dual(a, a))
    for transform in (torch.func.grad, torch.func.jacrev, torch.func.jacfwd):
        with pytest.raises(RuntimeError, match=names("input", "derivative", *OF_CUBE)):
            transform(lambda x: ops.my_lib_cube_forward(x)[0].sum())(a)
    with pytest.raises(RuntimeError, match=names("input", "derivative", *OF_CUBE)):
        torch.func.jvp(lambda x: ops.my_lib_cube_forward(x)[0], (a,), (a,))
    with pytest.raises(
        RuntimeError, match=names("transform", "torch.func", "vmap", "grad", "vjp", "jvp", "Functionalize")
    ):
        torch.func.functionalize(lambda x: ops.my_lib_cube_forward(x)[0])(a)


def test_constants_inside_grad():
    x = torch.randn(5, 3)

    def gradient(row):
        return torch.func.grad(lambda y: (y * ops.my_lib_mul_constant_forward(row, 2.0)).sum())(row)

    torch.testing.assert_close(torch.vmap(gradient)(x), 2 * x)


def test_without_private_names(monkeypatch):
    """What their rows in torchthaw/bridge/private_names.py say is missing then."""
    x = torch.randn(5, 3)
    for name in "current_transform", "unwrap_batched", "add_batch_dim":
        with monkeypatch.context() as changed:
            changed.setattr("torchthaw.library.derivatives.transforms.get", without(name))
            with pytest.raises(RuntimeError, match=f"expected no transform of torch.func.*it has no {name}"):
                torch.vmap(lambda row: ops.my_lib_cube_forward(row)[0])(x)
    monkeypatch.setattr("torchthaw.library.derivatives.transforms.get", without("unwrap_for_grad"))
    with pytest.raises(RuntimeError, match="expected no transform of torch.func.*it has no unwrap_for_grad"):
        torch.func.grad(lambda y: (y * ops.my_lib_cube_forward(x)[0]).sum())(x)
    check = private_names.NAMES["check_value"].stand_in()
    monkeypatch.setattr("torchthaw.library.fake.get", lambda name: check)
    test_wrong_arguments("meta")
    test_meta()


def without(missing):
    def get(name):
        if name == missing:
            raise private_names.Missing(f"it has no {name}")
        return private_names.get(name)

    return get


def test_vmap():
    x = torch.randn(5, 2, 3)
    cube = torch.vmap(torch.vmap(lambda row: ops.my_lib_cube_forward(row)[0], in_dims=1), in_dims=2)
    torch.testing.assert_close(cube(x), (x**3).permute(2, 1, 0))
    assert cube(x[:0]).shape == (3, 2, 0)
    _, *rest = lltm_arguments()
    new_h = torch.vmap(lambda input: ops.lltm_forward(input, *rest)[0])(x)
    # One call for the whole batch, whose products are cut into other blocks.
    torch.testing.assert_close(new_h, torch.stack([lltm(each, *rest)[0] for each in x]))
    of_none = torch.vmap(ops.lltm_forward, (1, *[None] * len(rest)))(x[:0].movedim(0, 1), *rest)
    assert [each.shape for each in of_none] == [(0, *each.shape) for each in lltm(x[0], *rest)]
    output = torch.empty(5, 3)
    torch.vmap(lambda a, b: ops.my_lib_add_forward.out(a, a, b) or b)(x[:, 0], output)
    torch.testing.assert_close(output, 2 * x[:, 0])
    with pytest.raises(ValueError, match=names("output", "tensor", "torch.vmap", "batches")):
        torch.vmap(lambda a: ops.my_lib_add_forward.out(a, a, output[0]) or a)(x[:, 0])
