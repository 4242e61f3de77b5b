"""tests/export/test_table.py: the table of a header: values and messages are those of PyTorch's operators."""

import ctypes
import json
import re
import subprocess
import sys

import pytest
import torch

import torchthaw
from _ext.my_lib import _my_lib
from support import ROOT, table_host
from support.messages import names
from support.table_host import Host, Refused
from torchthaw.export import operators
from torchthaw.library import shapes

HERE = ROOT / "tests" / "export"
MY_LIB = ROOT / "c_api" / "include" / "my_lib.h"
FUNCTIONS = {
    each["name"]: each
    for each in json.loads(_my_lib.description)["functions"]
    if each["forms"] or each["operator"] != each["name"]
}
NUMBERS = {"batch": 3, "in_features": 5, "out_features": 4, "channels": 2, "height": 4, "width": 5, "input_size": 5,
           "state_size": 4, "seq_len": 2, "constant": 1.7, "eps": 1e-5}  # fmt: skip


def run(*command):
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, env=table_host.environment())
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}"
    return done.stdout


def build(folder, stem, *sources_and_flags):
    library = folder / f"lib{stem}_table.so"
    run(*table_host.compiler("-shared", "-fPIC"), folder / f"{stem}_table.c", *sources_and_flags, "-o", library)
    return Host(library, stem)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("table")
    table_host.export(MY_LIB, folder)
    return folder


@pytest.fixture(scope="module")
def my_lib(folder):
    return build(folder, "my_lib", *table_host.my_lib())


@pytest.fixture(scope="module")
def kinds(tmp_path_factory):
    """(table, module for Python) of kinds.h."""
    folder = tmp_path_factory.mktemp("kinds")
    table_host.export(HERE / "kinds.h", folder)
    c11 = ["-std=c11", f"-I{HERE}"]  # kinds.c has a variable of a thread
    host = build(folder, "kinds", HERE / "kinds.c", *c11, "-Wl,--no-undefined")
    module = torchthaw.load("kinds", [HERE / "kinds.c"], headers=[HERE / "kinds.h"])
    return host, module


# Values


def given(function):
    """The arguments of an operator that its caller gives, by name: random arrays of the shapes that its header says."""
    numbers = {**NUMBERS, "shape": (3, 5), "shape1": (3, 5), "shape2": (3, 5)}
    found = {}
    for each in function["parameters"]:
        if each["kind"] == "array" and not (each["written"] and not each["inout"]):
            size = shapes.expected(each["shapes"][0], numbers)
            found[each["name"]] = torch.randn(size, dtype=torch.float64).to(getattr(torch, each["dtype"]))
        elif each["kind"] in ("float", "integer") and not each.get("source"):
            found[each["name"]] = numbers[each["name"]]
    return found


def operator_of(function):
    return getattr(torch.ops.my_lib, function["operator"])


@pytest.mark.slow
@pytest.mark.parametrize("name", FUNCTIONS)
def test_each_function_gives_the_bits_of_pytorch_s_operator(my_lib, name):
    torch.manual_seed(0)
    function = FUNCTIONS[name]
    arguments = given(function)
    with torch.no_grad():
        expected = operator_of(function)(*arguments.values())
    expected = expected if isinstance(expected, tuple) else (expected,)
    found = my_lib.call(function["operator"], **arguments)
    assert len(found) == len(expected)
    for output, reference in zip(found.values(), expected):
        assert output.dtype == reference.dtype and torch.equal(output, reference)


@pytest.mark.slow
def test_every_operator_and_function_of_my_lib_is_in_the_table(my_lib):
    variants = [op.variants[i].name.decode() for op in my_lib.operators.values() for i in range(op.variant_count)]
    assert sorted(variants) == sorted(FUNCTIONS) and (len(my_lib.operators), len(variants)) == (16, 44)
    assert [*my_lib.operators] == sorted(my_lib.operators)
    assert my_lib.table.find(b"lltm_forward").contents.name == b"lltm_forward" and not my_lib.table.find(b"lltm")


@pytest.mark.slow
def test_arrays_may_be_absent_and_outputs_may_be_given(my_lib):
    arguments = given(FUNCTIONS["my_lib_linear_forward"])
    output = torch.full((3, 4), 7.0)
    found = my_lib.call("my_lib_linear_forward", **{**arguments, "bias": None}, output=output)
    assert found["output"] is output
    assert torch.equal(output, torch.ops.my_lib.my_lib_linear_forward(arguments["input"], arguments["weight"], None))
    found = my_lib.call("lltm_forward", **given(FUNCTIONS["lltm_forward"]), gates=None)
    assert [*found] == ["new_h", "new_cell"]


@pytest.mark.slow
def test_one_check_serves_many_calls(my_lib):
    x, y = torch.randn(3), torch.randn(3)
    call = my_lib.begin("my_lib_mul_constant_forward", input=x, constant=2.0)
    my_lib.shapes(call)
    output = my_lib.allocate(call)["output"]
    for each in (x, y):
        call.arguments[0].data = each.data_ptr()
        assert my_lib.table.call(ctypes.byref(call)) == 1 and torch.equal(output, each * 2)


@pytest.mark.slow
def test_an_output_may_be_the_array_that_the_header_says(my_lib):
    x = torch.randn(4)
    expected = x * 3
    assert torch.equal(my_lib.call("my_lib_mul_constant_forward", input=x, constant=3.0, output=x)["output"], expected)


# Kinds of parameters that my_lib.h has none of


def test_kinds_of_parameters(kinds):
    host, module = kinds
    x = torch.arange(6.0).reshape(2, 3)
    found = host.call("kinds_scale", x=x.clone(), by=0.5, keep=False)
    assert torch.equal(found["x"], x / 2) and found["y"].shape == (4, 2) and (found["y"] == 0.5).all()
    assert torch.equal(host.call("kinds_scale", x=x.clone(), by=0.5, keep=True)["x"], x)
    assert host.call("kinds_scale", x=torch.ones(3, 0), by=0.5, keep=False)["y"].shape == (0, 2)
    found = host.call("kinds_broadcast", x=torch.ones(4, 1, 3), y=torch.ones(2, 1))
    assert found["z"].shape == (4, 2, 3) and found["count"].shape == () and found["count"] == 24
    for first, second, expected in (
        ((0, 3), (1, 1), (0, 3)),
        ((2, 1), (1, 0), (2, 0)),
        ((2,), (2, 2), (2, 2)),
        ((), (1, 2), (1, 2)),
    ):
        x, y = torch.ones(first), torch.ones(second)
        assert host.call("kinds_broadcast", x=x, y=y)["z"].shape == expected
        assert host.call("kinds_broadcast", x=y, y=x)["z"].shape == expected
    found = host.call("kinds_fill", x=torch.ones(5), sizes=(2, 2), ndim=2, fails=0)
    assert torch.equal(found["y"], torch.full((2, 2), 5.0))
    assert host.call("kinds_fill", x=torch.ones(5), sizes=(), ndim=0, fails=0)["y"].shape == ()
    assert torch.equal(host.call("kinds_empty", x=torch.ones(2))["y"], torch.full((2,), 2.0))
    assert torch.equal(host.call("kinds_i64", x=torch.tensor([1, -2]))["y"], torch.tensor([-1, 2]))
    assert torch.equal(host.call("kinds_i64", x=torch.tensor([True]))["y"], torch.tensor([False]))


@pytest.mark.slow
def test_a_host_says_the_number_of_threads_of_a_call(kinds, my_lib):
    host, _ = kinds
    call = host.begin("kinds_threads", x=torch.ones(2), fails=0)
    host.shapes(call)
    y = host.allocate(call)["y"]
    for num_threads, expected in ((3, 3), (0, 5)):  # which is what the library has by itself, again
        call.num_threads = num_threads
        assert host.table.call(ctypes.byref(call)) == 1 and y.tolist() == [expected] * 2
    call.num_threads, call.arguments[3].integer = 2, 1
    assert host.table.call(ctypes.byref(call)) == 0 and host.library.kinds_limit(5) == 5  # after a failure, too

    library = ctypes.CDLL(str(table_host.config.library("my_lib")))
    call = my_lib.begin("my_lib_mul_constant_forward", input=torch.ones(2), constant=2.0)
    call.num_threads = 1
    my_lib.shapes(call)
    my_lib.allocate(call)
    assert my_lib.table.call(ctypes.byref(call)) == 1 and library.my_lib_limit_threads(0) == 0


def test_what_is_left_out_has_a_reason():
    found = operators.read(HERE / "kinds.h")
    reasons = dict(found.left_out)
    assert [*reasons] == ["kinds_callback", "kinds_sum"]
    assert re.search(names("parameter"), reasons["kinds_callback"]) and re.search(names("result"), reasons["kinds_sum"])
    assert "kinds_callback" not in [each.name for each in found.operators]


# Wrong input: the text is that of PyTorch's users, and nothing is written

A, B, D = torch.ones(5, 5), torch.ones(5, 4), torch.ones(5, 5, dtype=torch.float64)


def refused(host, name, **values):
    """The table's message; outputs that were given stay as they are."""
    tensors = [each for each in values.values() if isinstance(each, torch.Tensor)]
    before = [each.clone() for each in tensors]
    with pytest.raises(Refused) as error:
        host.call(name, **values)
    assert all(torch.equal(each, kept) for each, kept in zip(tensors, before))
    return str(error.value)


def plain(error):
    """PyTorch's message without what only a user of tensors can do."""
    return re.sub(r"; pass .*", "", str(error).replace("torch.", ""))


LSTM = {"input": torch.ones(3, 5), "weights": torch.ones(12, 9), "bias": torch.ones(12), "old_h": torch.ones(3, 4),
        "old_cell": torch.ones(3, 4)}  # fmt: skip
WRONG = {
    "other shape": ("my_lib_add_forward", {"input1": A, "input2": B}),
    "other size": ("lltm_forward", {**LSTM, "bias": torch.ones(3)}),
    "dimensions": ("lltm_forward", {**LSTM, "input": torch.ones(3)}),
    "more dimensions": ("lltm_forward", {**LSTM, "weights": torch.ones(1, 12, 9)}),
    "a dimension behind": ("lltm_forward", {**LSTM, "weights": torch.ones(12, 9, 1)}),
    "other dtype": ("my_lib_add_forward", {"input1": A, "input2": D}),
    "no variant": ("my_lib_add_forward", {"input1": A.int(), "input2": A.int()}),
    "refused by C": ("my_lib_batch_norm2d_forward", {"input": torch.ones(1, 2, 1, 1), "eps": 1e-5}),
    "refused value": ("my_lib_batch_norm2d_forward", {"input": torch.ones(2, 2, 2, 2), "eps": -1.0}),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_argument_has_the_message_of_pytorch(my_lib, what):
    name, arguments = WRONG[what]
    with pytest.raises((ValueError, TypeError)) as error:
        getattr(torch.ops.my_lib, name)(*arguments.values())
    message = refused(my_lib, name, **arguments)
    assert message == plain(error.value) and ": expected " in message and ", got " in message


OUT = {
    "output's shape": {"input": A, "output": torch.ones(5, 4)},
    "output's dtype": {"input": A, "output": D},
    "overlap": {"input": A, "output": None},
}


@pytest.mark.slow
@pytest.mark.parametrize("what", OUT)
def test_a_wrong_output_has_the_message_of_pytorch(my_lib, what):
    memory = torch.arange(26.0)
    arguments = dict(OUT[what])
    if what == "overlap":
        arguments = {"input": memory[:25].view(5, 5), "output": memory[1:].view(5, 5)}
    with pytest.raises(ValueError) as error:
        torch.ops.my_lib.my_lib_mul_constant_forward.out(arguments["input"], 2.0, arguments["output"])
    assert refused(my_lib, "my_lib_mul_constant_forward", **arguments, constant=2.0) == plain(error.value)


@pytest.mark.slow
def test_overlapping_outputs_have_the_message_of_pytorch(my_lib):
    x, memory = torch.ones(4), torch.zeros(6)
    first, second = memory[:4], memory[2:]
    with pytest.raises(ValueError) as error:
        torch.ops.my_lib.my_lib_cube_forward.out(x, first, second)
    assert refused(my_lib, "my_lib_cube_forward", input=x, output=first, derivative=second) == plain(error.value)


KINDS = {
    "an integer that is too large": ("kinds_fill", {"x": torch.ones(300), "sizes": (2,), "ndim": 1, "fails": 0}),
    "another number of sizes": ("kinds_fill", {"x": torch.ones(3), "sizes": (2,), "ndim": 2, "fails": 0}),
    "a failure with a text": ("kinds_fill", {"x": torch.ones(3), "sizes": (2,), "ndim": 1, "fails": 1}),
    "a failure without a text": ("kinds_fill", {"x": torch.ones(3), "sizes": (2,), "ndim": 1, "fails": 2}),
    "a workspace of SIZE_MAX": ("kinds_empty", {"x": torch.ones(3)}),
    "a workspace of SIZE_MAX without a text": ("kinds_empty", {"x": torch.ones(4)}),
    "variants": ("kinds_i64", {"x": torch.ones(3)}),
}


@pytest.mark.parametrize("what", KINDS)
def test_kinds_of_wrong_input(kinds, what):
    host, module = kinds
    name, arguments = KINDS[what]
    with pytest.raises((ValueError, TypeError, OverflowError, RuntimeError)) as error:
        getattr(torch.ops.kinds, name)(*arguments.values())
    assert refused(host, name, **arguments) == plain(error.value)


NO_SHAPE = {
    "a negative size": ("kinds_fill", {"x": torch.ones(3), "sizes": (-2,), "ndim": 1, "fails": 0, "y": torch.ones(2)}),
    "no broadcasting": ("kinds_broadcast", {"x": torch.ones(3), "y": torch.ones(2), "z": torch.ones(3),
                                            "count": torch.ones((), dtype=torch.int64)}),
}  # fmt: skip


@pytest.mark.parametrize("what", NO_SHAPE)
def test_sizes_that_give_no_shape_have_the_message_of_pytorch(kinds, what):
    host, _ = kinds
    name, arguments = NO_SHAPE[what]
    declared = {"kinds_fill": ["x", "sizes", "ndim", "y", "fails"]}.get(name, [*arguments])
    with pytest.raises(ValueError) as error:
        getattr(torch.ops.kinds, name).out(*(arguments[each] for each in declared))
    assert refused(host, name, **arguments) == plain(error.value)


@pytest.mark.slow
def test_a_host_s_own_mistakes_are_refused(my_lib, kinds):
    host, _ = kinds
    absent = names("x", "expected", "array", "None")
    assert re.search(absent, refused(host, "kinds_empty", x=None))
    assert re.search(absent, refused(host, "kinds_scale", by=1.0, keep=False))  # which is read, too
    assert refused(host, "kinds_fill", x=torch.ones(1), sizes=(1,) * 65, ndim=65, fails=0).startswith(
        "sizes: expected a "
    )
    call = my_lib.begin("lltm_forward", **LSTM)
    assert my_lib.table.call(ctypes.byref(call)) == 0 and b"shapes()" in call.message  # out of order
    my_lib.shapes(call)
    assert my_lib.table.call(ctypes.byref(call)) == 0
    assert re.search(names("new_h", "expected", 48, "None"), call.message.decode())
    my_lib.allocate(call)
    size, call.workspace = call.workspace_size, None
    assert my_lib.table.call(ctypes.byref(call)) == 0
    assert re.search(names("workspace", "expected", size, "None"), call.message.decode())
    call.workspace = call.arguments[0].data  # the first input
    assert my_lib.table.call(ctypes.byref(call)) == 0
    assert re.search(names("workspace", "expected", "overlaps", "input"), call.message.decode())


# C programs, and the command


@pytest.mark.slow
@pytest.mark.parametrize(
    "flags", [(), ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g1")], ids=["plain", "sanitized"]
)
def test_a_program_in_c(folder, tmp_path, flags):
    program = tmp_path / "host"
    run(
        *table_host.compiler(f"-I{folder}", *flags),
        HERE / "host.c",
        folder / "my_lib_table.c",
        *table_host.my_lib(),
        "-o",
        program,
    )
    lines = run(program).splitlines()
    x = torch.arange(6.0).reshape(2, 3) / 7
    expected = torch.ops.my_lib.my_lib_linear_forward(x, x, None).flatten()
    assert [float.fromhex(word) for word in lines[0].split()] == expected.tolist()
    h, cell, _ = torch.ops.my_lib.lltm_forward(
        x, torch.arange(30.0).reshape(6, 5) / 31, torch.zeros(6), *[torch.ones(2, 2)] * 2
    )
    assert [float.fromhex(word) for word in lines[1].split()] == [*h.flatten().tolist(), *cell.flatten().tolist()]
    wrong = (x, torch.ones(2, 2), None), (x.long(), x, None)
    for line, arguments in zip(lines[2:], wrong):
        with pytest.raises(ValueError) as error:
            torch.ops.my_lib.my_lib_linear_forward(*arguments)
        assert line == plain(error.value)
    assert lines[4:] == ["nothing was written"]


@pytest.mark.slow
def test_the_library_links_nothing_but_the_library(my_lib, folder):
    needed = re.findall(r"NEEDED.*\[(.*)\]", run("readelf", "-d", folder / "libmy_lib_table.so"))
    assert sorted(needed) == ["libc.so.6", "libmy_lib.so.1"]


@pytest.mark.slow
def test_two_tables_are_in_one_program(folder, tmp_path):
    table_host.export(HERE / "kinds.h", tmp_path)
    (tmp_path / "both.cpp").write_text(
        '#include "my_lib_table.h"\n#include "kinds_table.h"\n'
        "int main() { return my_lib_table()->operator_count + kinds_table()->operator_count == 22 ? 0 : 1; }\n"
    )
    objects = []
    for source in (folder / "my_lib_table.c", tmp_path / "kinds_table.c", HERE / "kinds.c"):
        objects.append(tmp_path / f"{source.stem}.o")
        run(*table_host.compiler("-std=c11", f"-I{HERE}", "-c"), source, "-o", objects[-1])
    run("c++", "-Wall", "-Wextra", "-Werror", f"-I{folder}", f"-I{tmp_path}", tmp_path / "both.cpp", *objects,
        *table_host.my_lib(), "-o", tmp_path / "both")  # fmt: skip
    run(tmp_path / "both")


@pytest.mark.parametrize("header, expected", [
    ("int f(int x);\n", names("wrong.h", "expected", "torchthaw/annotate.h", "none")),
    ("#include <torchthaw/annotate.h>\nint f(float *x THAW_SHAPE(m));\n", names("f", "x", "integer", "m")),
    (None, names("wrong.h", "expected", "does not exist")),
])  # fmt: skip
def test_a_header_that_cannot_be_exported(tmp_path, header, expected):
    if header is not None:
        (tmp_path / "wrong.h").write_text(header)
    done = subprocess.run(
        [sys.executable, "-m", "torchthaw", "export", "table", tmp_path / "wrong.h", "-o", tmp_path / "out"],
        capture_output=True, text=True, env=table_host.environment(),
    )  # fmt: skip
    assert done.returncode == 1 and done.stderr.startswith("torchthaw: ") and re.search(expected, done.stderr)
    assert not (tmp_path / "out").exists()
