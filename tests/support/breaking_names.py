"""tests/support/breaking_names.py: runs small projects in a process whose PyTorch lacks one private name, for each of
them.

``python breaking_names.py FOLDER`` prints one JSON object: {"NAME deleted" or "NAME replaced": {"warnings": those of
the import, "projects": {project: "" or how it failed}, "unavailable": patches, "missing": names}}. FOLDER has the
extensions that test_private_names.py built. Every case runs in a fork of one process that has imported PyTorch, but
nothing of torchthaw that asks it for a name.
"""

import importlib.util
import json
import os
import sys
import traceback
import warnings
from pathlib import Path

import torch
import torch.fx.experimental.symbolic_shapes  # with the next, .5 s: what trials and the shim import, once for all cases
import torch.utils.cpp_extension
from torch.autograd import Function, Variable

from torchthaw.bridge import private_names

FOLDER = Path(sys.argv[1])

# Names that cannot be taken from PyTorch: attributes of types in C, and what its public functions themselves use. They
# are taken from what torchthaw finds.
KEPT = {
    "view_base", "_input_metadata", "_raw_saved_tensors", "increment_version", "typed_storage", "context",
    "find_builtin", "boolean_dispatched", "mode_count_in_c", "mode_count",
    "requires_grad_in_c", "tangent_in_c", "transforms_active", "autocast_active", "dual_level",
    "is_batched_gradient", "direct_call", "dispatch_keys", "dispatch_mode", "body", "storage_body", "read_in_c", "bump_version_in_c", "resize_in_c",
}  # fmt: skip


def break_name(name, how):
    path = private_names.NAMES[name].path
    if name in KEPT:
        find = private_names.find
        other = private_names._ABSENT if how == "deleted" else object()
        private_names.find = lambda asked: other if asked == path else find(asked)
        if path.startswith("torch.autograd.Function."):  # what a name that C does not have would be: assignable
            for owner in (torch.autograd.function.BackwardCFunction, torch.autograd.function._SingleLevelFunction):
                setattr(owner, name, None)
        return
    module = path.rpartition(".")[0]
    while module not in sys.modules:
        module = module.rpartition(".")[0]
    owner = sys.modules[module]
    for part in path.removeprefix(module + ".").split(".")[:-1]:
        owner = getattr(owner, part)
    attribute = path.rpartition(".")[2]
    if how == "deleted":
        delattr(owner, attribute)
    else:
        setattr(owner, attribute, object())


def load(name):
    path = FOLDER / "_ext" / name / "__init__.py"
    spec = importlib.util.spec_from_file_location(name, path, submodule_search_locations=[str(path.parent)])
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def legacy_call():
    old, output = load("old"), torch.FloatTensor()
    assert old.twice(torch.FloatTensor([1, 2]), output) == 1 and output.tolist() == [2, 4]
    storage = old.storage_of(torch.FloatTensor([1, 2]))
    assert isinstance(storage, torch.TypedStorage) and old.sum(storage) == 3
    message = raised(TypeError, lambda: old.twice(torch.FloatTensor([1]).to_sparse(), output))
    assert "a sparse tensor" in message


def modern_call():
    new, x = load("new"), torch.ones(2, 2)
    before = x._version
    new.fill(x, 4, 3)
    assert x.tolist() == [[3, 3], [3, 3]] and x._version == before + 1
    leaf = torch.ones(2, 2, requires_grad=True)
    for tensor in (leaf, leaf[0], leaf.view(4)[1:2]):
        message = raised(RuntimeError, lambda: new.fill(tensor, 1, 3))
        assert "leaf that requires grad" in message and leaf.tolist() == [[1, 1], [1, 1]]
    new.fill((2 * leaf)[0], 2, 3)  # no leaf
    raised(TypeError, lambda: torch.vmap(lambda y: new.fill(y, 2, 3) or y)(torch.ones(2, 2)))
    raised(ValueError, lambda: new.fill(torch._efficientzerotensor(2), 2, 3))


def raised(error, function):
    try:
        function()
    except error as caught:
        return str(caught)
    raise AssertionError(f"{error.__name__} was not raised")


def old_function():
    class Times(Function):
        def __init__(self, factor):
            super().__init__()
            self.factor = factor

        def forward(self, x):
            self.save_for_backward(x)
            return x * self.factor

        def backward(self, gradient):
            (x,) = self.saved_tensors
            assert x.tolist() == [1, 1]
            return gradient * self.factor

    x = Variable(torch.ones(2), requires_grad=True)
    times = Times(3)
    y = times(x)
    assert y.creator is times and times.previous_functions[0][0] is x
    times.metadata = times._input_metadata = times._raw_saved_tensors = "own"
    assert times.metadata == times._input_metadata == "own"
    y.sum().backward(retain_variables=True)
    assert x.grad.tolist() == [3, 3]


def new_function():
    class Twice(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.metadata = ctx._input_metadata = ctx._raw_saved_tensors = "own"
            return 2 * x

        @staticmethod
        def backward(ctx, gradient):
            assert ctx.metadata == ctx._input_metadata == ctx._raw_saved_tensors == "own"
            return 2 * gradient

    x = torch.ones(2, requires_grad=True)
    Twice.apply(x).sum().backward()
    assert x.grad.tolist() == [2, 2]


def data():
    x = torch.ones(3)
    x.data.resize_(2)
    assert x.shape == (2,)


def volatile():
    x = Variable(torch.ones(2), volatile=True)
    assert (x + 1).volatile and (x + 1).data.tolist() == [2, 2]


def script():
    torchthaw.legacy.enable()  # noqa: F821, it is imported once PyTorch lacks the name
    layers = torch.nn.Sequential(torch.nn.Conv2d(1, 1, 1), torch.nn.MaxPool2d(2), torch.nn.Linear(2, 2))
    given = torch.ones(1, 1, 4, 4)
    assert torch.equal(torch.jit.script(layers)(given), layers(given))


PROJECTS = (legacy_call, modern_call, old_function, new_function, data, volatile, script)


def answer(name, how):
    break_name(name, how)
    result = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        import torchthaw.legacy

        torchthaw.legacy.install()

        globals()["torchthaw"] = torchthaw
    result["warnings"] = [str(each.message) for each in caught]
    warnings.simplefilter("ignore")
    result["projects"] = {project.__name__: failure(project) for project in PROJECTS}
    from torchthaw.legacy.run import patches

    result["unavailable"] = patches.unavailable()
    result["missing"] = private_names.missing()
    return result


def failure(project):
    try:
        project()
    except Exception:
        return traceback.format_exc()
    return ""


def in_a_fork(name, how):
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        try:
            text = json.dumps(answer(name, how))
        except BaseException:
            text = json.dumps({"import": traceback.format_exc()})
        with os.fdopen(write, "w") as file:
            file.write(text)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as file:
        text = file.read()
    os.waitpid(child, 0)
    return json.loads(text)


if __name__ == "__main__":
    json.dump(
        {f"{name} {how}": in_a_fork(name, how) for name in private_names.NAMES for how in ("deleted", "replaced")},
        sys.stdout,
    )
