"""tests/portable/test_portable_classes.py: classes of torch::class_, and operators, beyond PyTorch's own build: pickle, fallbacks."""

import re
import subprocess
import sys

import pytest

from support import SRC, table_host
from support.messages import names
from torchthaw import portable

LOAD = """
import importlib.util, sys
import torch
{before}
spec = importlib.util.spec_from_file_location("{name}", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
{after}
"""
BAGS = "Bag, ops = torch.classes.portable_classes.Bag, torch.ops.portable_classes\n"


def load(path, after="", before="", name="classes"):
    text = LOAD.format(before=before, after=after, name=name)
    return subprocess.run(
        [sys.executable, "-c", text, path], capture_output=True, text=True, env=table_host.of_a_host(SRC)
    )


@pytest.mark.slow
def test_objects_are_pickled_by_their_class(binary):
    done = load(
        binary("classes"),
        f"{BAGS}import pickle\nassert pickle.loads(pickle.dumps(Bag(['a', 'b']))).joined('-') == 'a-b-'\n"
        "assert Bag.__module__ == 'torch.classes.portable_classes'",
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_whoever_asks_every_module_for_its_file_goes_on(binary):
    """As inspect.getmodule does; torch.classes.NAMESPACE itself raises RuntimeError."""
    done = load(binary("classes"), "for each in [*sys.modules.values()]:\n    getattr(each, '__file__', None)")
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_a_wrong_argument_of_an_operator_is_named(given):
    kind, text = given("classes")["merged, wrong"]
    assert kind == "TypeError" and re.search(
        names("portable_classes::merged", "b", "portable_classes.Bag", "int"), text
    )


@pytest.mark.slow
def test_an_operator_with_a_class_without_a_reader_of_schemas_takes_arguments_by_position(binary):
    done = load(
        binary("classes"),
        f"{BAGS}a = Bag(['a'])\nassert ops.merged(a, a, 2).size() == 3\n"
        "try:\n    ops.merged(a, b=a, times=1)\nexcept TypeError as error:\n    print(error)",
        "del torch._C.parse_schema",
    )
    assert done.returncode == 0, done.stderr
    assert re.search(names("portable_classes::merged", "b"), done.stdout)


@pytest.mark.slow
def test_a_guard_that_this_pytorch_lacks_is_an_error(binary):
    done = load(
        binary("library"),
        "try:\n    torch.ops.portable_test.below(torch.ones(1))\nexcept RuntimeError as error:\n    print(error)",
        "del torch._C._ExcludeDispatchKeyGuard", "library",
    )  # fmt: skip
    assert done.returncode == 0 and re.search(
        names("AutoDispatchBelowAutograd", "_ExcludeDispatchKeyGuard"), done.stdout
    )


@pytest.mark.slow
def test_nothing_is_left_behind(binary):
    done = load(
        binary("classes"), f"""{BAGS}
import gc, resource
def work(n):
    for _ in range(n):
        a = Bag(["a"] * 40)
        for each in ops.split(ops.merged(a, a, times=2)):
            each.add(a)
        a.put("b", 1) if a.size() < 4 else a.take()
work(50)
gc.collect()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
work(600)  # 100 MB where objects stay
assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000, "kB"
""",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


SOURCE = """
#include <torch/custom_class.h>
struct Empty : torch::CustomClassHolder {{}};
struct Other : torch::CustomClassHolder {{}};
void first(const c10::intrusive_ptr<Empty> &) {{}}
TORCH_LIBRARY(refused_{which}, m) {{
    m.class_<Empty>("Empty").def(torch::init<>());
    {line}
}}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {{}}
"""
REFUSED = {
    "class": ('m.class_<Other>("Empty");', ("torch.classes.refused_class", "Empty")),
    "kernel": ('m.def("first", &first); m.impl("first", &first);', ("refused_kernel::first", "one kernel")),
}


@pytest.mark.slow
@pytest.mark.parametrize("which", REFUSED)
def test_what_cannot_be_registered_ends_the_import(which, tmp_path):
    line, told = REFUSED[which]
    (tmp_path / "source.cpp").write_text("#include <torch/extension.h>\n" + SOURCE.format(which=which, line=line))
    path = portable.load(f"refused_{which}", [tmp_path / "source.cpp"], extra_cflags=["-O0"], is_python_module=False)
    done = load(path, name=f"refused_{which}")
    assert done.returncode == 1 and re.search(names(*told), done.stderr), done.stderr
