"""tests/portable/test_portable_boxed.py: kernels that PyTorch's dispatcher calls by its C functions, and those that it cannot."""

import json
import subprocess
import sys

import pytest

from support import SRC, table_host
from torchthaw import portable

pytestmark = pytest.mark.slow
SOURCE = """
#include <torch/library.h>
#include <torch/extension.h>
using Tensor = at::Tensor;
std::tuple<Tensor, int64_t, double, bool, std::optional<Tensor>, std::optional<int64_t>, std::optional<double>> all(
    const Tensor &x, int64_t i, double f, bool b, const std::optional<Tensor> &y, std::optional<int64_t> j, std::optional<double> g,
    std::optional<bool> c) {
    return {y ? x + *y : x, i, f, b != c.value_or(b), y, j, g};
}
Tensor &add_(Tensor &x, double f) { return x.add_(f); }
void fill(Tensor x, double f) { x.fill_(f); }
Tensor fails(const Tensor &x, int64_t kind) {
    TORCH_CHECK(kind != 0, "a check");
    TORCH_CHECK_INDEX(kind != 1, "an index");
    TORCH_CHECK_NOT_IMPLEMENTED(kind != 2, "not implemented");
    if (kind == 3) throw std::invalid_argument("an argument");
    if (kind == 4) throw 7;
    if (kind == 5) x.view({-1, 99});
    py::gil_scoped_acquire gil;
    return py::module_::import("torch").attr("ones")(py::int_(2), py::arg("no_such") = 3).cast<Tensor>();
}
Tensor twice(const Tensor &x) { return x * 2; }
class Above : public torch::autograd::Function<Above> {
  public:
    static Tensor forward(torch::autograd::AutogradContext *, Tensor x) { return x.clone(); }
    static torch::autograd::variable_list backward(torch::autograd::AutogradContext *, torch::autograd::variable_list grads) {
        static auto op = c10::Dispatcher::singleton().findSchemaOrThrow("portable_boxed::fails", "").typed<Tensor(const Tensor &, int64_t)>();
        return {op.call(grads[0], 1)};
    }
};
Tensor above(const Tensor &x) { return Above::apply(x); }

TORCH_LIBRARY_IMPL(portable_boxed, CPU, m) { m.impl("later", &twice); }
TORCH_LIBRARY(portable_boxed, m) {
    m.def("all(Tensor x, SymInt i, float f, bool b, Tensor? y=None, int? j=None, float? g=None, bool? c=None)"
          " -> (Tensor, int, float, bool, Tensor?, int?, float?)");
    m.def("add_(Tensor(a!) x, float f) -> Tensor(a!)");
    m.def("fill(Tensor(a!) x, float f) -> ()", &fill);
    m.def("fails(Tensor x, int kind) -> Tensor", &fails);
    m.def("above(Tensor x) -> Tensor", &above);
    m.def("later(Tensor x) -> Tensor");
    m.def("wrong_argument(Tensor x, int n) -> Tensor", [](const Tensor &x, const Tensor &) { return x; });
    m.def("wrong_count(Tensor x) -> Tensor", [](const Tensor &x, const Tensor &) { return x; });
    m.def("wrong_result(Tensor x) -> Tensor", [](const Tensor &) { return int64_t(3); });
    m.def("no_result(Tensor x) -> Tensor", [](const Tensor &) {});
}
TORCH_LIBRARY_IMPL(portable_boxed, CPU, m) {
    m.impl("all", &all);
    m.impl("add_", &add_);
}
TORCH_LIBRARY_FRAGMENT(portable_boxed, m) {
    for (int i = 0; i < 300; ++i) m.def("plus" + std::to_string(i) + "(Tensor x) -> Tensor", [i](const Tensor &x) { return x + i; });
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {}
"""
CALLS = """
import importlib.util, json, resource, sys, torch
spec = importlib.util.spec_from_file_location("portable_boxed", sys.argv[1])
spec.loader.exec_module(importlib.util.module_from_spec(spec))
ops, x, y = torch.ops.portable_boxed, torch.arange(3.0), torch.ones(3)

def told(call):
    try:
        return str(call())
    except Exception as error:
        return [type(error).__name__, str(error).splitlines()[0]]

def work(n):
    for _ in range(n):
        ops.all(big, 1, 2.5, True, big, 3, 4.5, False)
        ops.add_(big, 0.5)
        told(lambda: ops.fails(big, 1))

found = {
    "all": told(lambda: ops.all(x, -(1 << 40), 2.5, True, y, 3, -4.5, False)),
    "defaults": told(lambda: ops.all(x, 1, 2, False)),
    "some": told(lambda: ops.all(x, 1, 2.0, False, c=True, g=0.0)),
    "in place": told(lambda: (ops.add_(x, 1.5) is x, ops.fill(y, 3.0), x, y)),
    **{f"fails {kind}": told(lambda: ops.fails(x, kind)) for kind in range(7)},
    "above": told(lambda: ops.above(x.clone().requires_grad_()).sum().backward()),
    "later": told(lambda: ops.later(x)),
    **{name: told(lambda: getattr(ops, name)(*arguments)) for name, *arguments in (
        ("wrong_argument", x, 1), ("wrong_count", x), ("wrong_result", x), ("no_result", x))},
    "many": told(lambda: [int(getattr(ops, f"plus{i}")(torch.zeros(1))) for i in range(300)] == [*range(300)]),
}
big = torch.zeros(2000)
work(200)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
work(6000)  # 48 MB where a result stays
found["grows"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before > 20_000
dump = {name: torch._C._dispatch_dump(f"portable_boxed::{name}") for name in ("all", "fails", "later", "wrong_argument", "plus0", "plus299")}
found["by C"] = [name for name, text in dump.items() if "torchthaw.portable" in text]
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def run():
    path = portable.load_inline("portable_boxed", SOURCE, extra_cflags=["-O0"], is_python_module=False)

    def run(**variables):
        environment = {**table_host.of_a_host(SRC), **variables}
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", CALLS, path], capture_output=True, text=True, env=environment
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


@pytest.fixture(scope="module")
def found(run):
    return run()


@pytest.mark.parametrize(
    "variables", [{"TORCHTHAW_PORTABLE_WITHOUT": "add_kernel"}, {"TORCHTHAW_NO_MANGLED_NAMES": "1"}]
)
def test_python_gives_the_same(run, found, variables):
    by_python = run(**variables)
    assert by_python.pop("by C") == []
    assert by_python == {name: value for name, value in found.items() if name != "by C"}


def test_each_type_that_a_cell_has(found):
    assert found["all"] == "(tensor([1., 2., 3.]), -1099511627776, 2.5, True, tensor([1., 1., 1.]), 3, -4.5)"
    assert found["defaults"] == "(tensor([0., 1., 2.]), 1, 2.0, False, None, None, None)"
    assert found["some"] == "(tensor([0., 1., 2.]), 1, 2.0, True, None, None, 0.0)"
    assert found["in place"] == "(True, None, tensor([1.5000, 2.5000, 3.5000]), tensor([3., 3., 3.]))"


def test_errors_keep_their_type(found):
    kinds = [
        "RuntimeError",
        "IndexError",
        "NotImplementedError",
        "ValueError",
        "RuntimeError",
        "RuntimeError",
        "TypeError",
    ]
    assert [found[f"fails {kind}"][0] for kind in range(7)] == kinds
    words = ["a check", "an index", "not implemented", "an argument", "unknown", "shape", "no_such"]
    assert all(word in found[f"fails {kind}"][1] for kind, word in enumerate(words))
    assert found["above"] == ["IndexError", "an index"]


def test_what_does_not_fit_is_left_to_python(found):
    assert found["later"] == "tensor([3., 5., 7.])" and found["many"] == "True"
    for name in ("wrong_argument", "wrong_count"):
        assert found[name][0] == "TypeError" and f"portable_boxed::{name}" in found[name][1]
    assert found["wrong_result"][0] == "RuntimeError" and found["no_result"] == "None"
    assert found["by C"] == ["all", "fails", "plus0"]


def test_nothing_is_left_behind(found):
    assert not found["grows"]
