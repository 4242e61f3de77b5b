"""tests/export/test_onnxruntime.py: a header's operators in ONNX Runtime, in two of its versions, beside no PyTorch.

`make hosts` installs the packages; where they are missing, the tests are skipped.
"""

import ctypes
import json
import re
import subprocess
import sys

import numpy
import pytest
import torch
from test_table import FUNCTIONS, HERE, MY_LIB, given, operator_of

from support import ROOT, table_host
from support.messages import names

HOSTS = ROOT / "build" / "hosts"
VERSIONS = {"newest": HOSTS / "onnxruntime", "lowest": HOSTS / "onnxruntime-lowest"}
KINDS = ["-std=c11", f"-I{HERE}", "-Wl,--no-undefined"]
HALVES = ("float16", "bfloat16")
pytestmark = pytest.mark.skipif(
    not (VERSIONS["newest"] / "onnxscript").is_dir(), reason="make hosts installs the packages of ONNX Runtime"
)


def run(*command, path=(), **options):
    environment = table_host.of_a_host(*path) if path else table_host.environment()
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    options = {"cwd": ROOT, **options}
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, env=environment, **options)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}"
    return done.stdout


def build(header, folder, *flags):
    """The library for sessions."""
    command = [sys.executable, "-m", "torchthaw", "export", "onnxruntime", header, "-o", folder]
    run(*command)
    library = folder / f"lib{header.stem}_onnx.so"
    sources = [folder / f"{header.stem}_{part}.c" for part in ("onnxruntime", "table")]
    run(
        *table_host.compiler("-shared", "-fPIC", "-fvisibility=hidden"),
        *sources,
        *flags,
        "-o",
        library,
    )
    return library


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("onnxruntime")


@pytest.fixture(scope="module")
def library(folder):
    return build(MY_LIB, folder, *table_host.my_lib())


@pytest.fixture(scope="module")
def counted(tmp_path_factory):
    """The library of kinds.h, which counts what it executes."""
    folder = tmp_path_factory.mktemp("counted")
    return build(HERE / "kinds.h", folder, "--coverage", HERE / "kinds.c", *KINDS)


@pytest.fixture(scope="module")
def kinds(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kinds")
    return build(HERE / "kinds.h", folder, HERE / "kinds.c", *KINDS)


@pytest.fixture(params=VERSIONS)
def version(request):
    if not (VERSIONS[request.param] / "onnxruntime").is_dir():
        pytest.skip(f"this Python has no such version of ONNX Runtime: {request.param}")
    return VERSIONS[request.param]


# Cases, as models.py takes them


def case(function, arguments, sizes=None, without=(), domain="my_lib", **more):
    """The case of a C function with these arguments. sizes: {array: its shape in the model}; without: absent outputs."""
    parameters = {each["name"]: each for each in function["parameters"]}
    arrays = {name: each for name, each in parameters.items() if each["kind"] == "array"}
    read = [name for name, each in arrays.items() if not each["written"] or each["inout"]]
    outputs = [name for name, each in arrays.items() if each["written"]]
    while read and arguments.get(read[-1]) is None:
        read.pop()
    inputs = [
        [name, arrays[name]["dtype"], (sizes or {}).get(name, [*arguments[name].shape])]
        if arguments.get(name) is not None else ["", "", []] for name in read
    ]  # fmt: skip
    while outputs[-1] in without:
        outputs.pop()
    names = [f"{name}_out" if name in read else name for name in outputs]
    return {
        "domain": domain, "operator": function["operator"], "inputs": inputs,
        "outputs": ["" if name in without else name for name in names],
        "attributes": {name: value for name, value in arguments.items() if name not in arrays},
        "dtypes": [arrays[name]["dtype"] for name in outputs], **more,
    }  # fmt: skip


def serve(version, library, folder, cases, feeds):
    """(report, {case: outputs}) of the cases; feeds: their arrays."""
    folder.mkdir(exist_ok=True)
    (folder / "cases.json").write_text(json.dumps(cases))
    for name, arrays in feeds.items():
        found = {word: plain(x) for word, x in arrays.items() if isinstance(x, torch.Tensor)}
        numpy.savez(folder / f"{name}.npz", **found)
    make = HERE / "models.py"
    run(sys.executable, "-S", make, "make", folder / "cases.json", folder, path=[VERSIONS["newest"]])
    run(sys.executable, "-S", make, "serve", library, folder / "cases.json", folder, path=[version])
    outputs = {name: dict(numpy.load(folder / f"{name}.out.npz")) for name in cases
               if (folder / f"{name}.out.npz").exists()}  # fmt: skip
    return json.loads((folder / "report.json").read_text()), outputs


def plain(x):
    return (x.float() if str(x.dtype).removeprefix("torch.") in HALVES else x).numpy()


# Values


@pytest.mark.slow
def test_each_function_gives_the_bits_of_pytorch_s_operator(version, library, tmp_path):
    torch.manual_seed(0)
    arguments = {name: given(function) for name, function in FUNCTIONS.items()}
    cases = {name: case(function, arguments[name]) for name, function in FUNCTIONS.items()}
    report, outputs = serve(version, library, tmp_path, cases, arguments)
    assert len(outputs) == 44, [row for row in report.values() if "error" in row]
    for name, function in FUNCTIONS.items():
        with torch.no_grad():
            expected = operator_of(function)(*arguments[name].values())
        expected = expected if isinstance(expected, tuple) else (expected,)
        found = [*outputs[name].values()]
        assert len(found) == len(expected)
        for output, reference in zip(found, expected):
            assert torch.equal(torch.from_numpy(output), torch.from_numpy(plain(reference))), name


@pytest.mark.slow
def test_optional_arrays_and_symbolic_sizes(version, library, tmp_path):
    """Also of an absent input before one that is there, and of a node behind an output of which no shape is known."""
    x = torch.randn(3, 5)
    linear, lltm, backward = (
        FUNCTIONS[name] for name in ("my_lib_linear_forward", "lltm_forward", "my_lib_linear_backward")
    )
    state = given(lltm)
    symbols = {"input": ["batch", 5], "old_h": ["batch", 4], "old_cell": ["batch", 4]}
    feeds = {
        "bias": {"input": x, "weight": torch.randn(4, 5), "bias": None},
        "gates": state, "no_gates": state, "behind": state,
        "no_input": {"grad_output": torch.randn(3, 4), "input": None, "weight": torch.randn(4, 5), "in_features": 5},
    }  # fmt: skip
    cases = {
        "bias": case(linear, feeds["bias"], {"input": ["batch", 5]}),
        "gates": case(lltm, state, symbols), "no_gates": case(lltm, state, symbols, without=["gates"]),
        "behind": case(lltm, state, symbols, then=[["Mul", ["gates", "gates"], "square"]]),
        "no_input": case(backward, feeds["no_input"], without=["grad_weight", "grad_bias"]),
    }  # fmt: skip
    report, outputs = serve(version, library, tmp_path, cases, feeds)
    assert not [row for row in report.values() if "error" in row]
    ops = torch.ops.my_lib
    expected = ops.my_lib_linear_forward(x, feeds["bias"]["weight"], None)
    assert torch.equal(torch.from_numpy(outputs["bias"]["output"]), expected)
    assert report["bias"]["shapes"] == {"output": ["batch", 4]}
    step = ops.lltm_forward(*state.values())
    assert [*outputs["no_gates"]] == ["new_h", "new_cell"]
    assert report["no_gates"]["shapes"] == {"new_h": ["batch", 4], "new_cell": ["batch", 4]}
    assert torch.equal(torch.from_numpy(outputs["behind"]["square"]), step[2] * step[2])
    (found,) = outputs["no_input"].values()
    weight, grad = feeds["no_input"]["weight"], feeds["no_input"]["grad_output"]
    ops.my_lib_linear_backward.out(grad, None, weight, 5, expected := torch.empty(3, 5), None, None)
    assert torch.equal(torch.from_numpy(found), expected)


@pytest.mark.slow
def test_kinds_of_parameters(version, kinds, tmp_path):
    functions = {each.name: each.as_json() for each in described(HERE / "kinds.h")}
    x = torch.arange(6.0).reshape(2, 3)
    feeds = {
        "kinds_scale": {"x": x, "by": 0.5, "keep": 0},
        "kinds_broadcast": {"x": torch.ones(4, 1, 3), "y": torch.ones(2, 1)},
        "kinds_fill": {"x": torch.ones(5), "sizes": [2, 2], "ndim": 2, "fails": 0},
        "kinds_i64": {"x": torch.tensor([1, -2])}, "kinds_bool": {"x": torch.tensor([True])},
    }  # fmt: skip
    sizes = {"kinds_broadcast": {"x": ["n", 1, 3], "y": [2, 1]}, "kinds_scale": {"x": ["rows", 3]}}
    cases = {name: case(functions[name], feed, sizes.get(name), domain="kinds") for name, feed in feeds.items()}
    report, outputs = serve(version, kinds, tmp_path, cases, feeds)
    assert outputs["kinds_scale"]["x_out"].tolist() == (x / 2).tolist()
    assert outputs["kinds_scale"]["y"].shape == (4, 2) and (outputs["kinds_scale"]["y"] == 0.5).all()
    assert report["kinds_scale"]["shapes"]["x_out"] == ["rows", 3]
    assert report["kinds_scale"]["shapes"]["y"] == [-1, 2]
    assert report["kinds_broadcast"]["shapes"]["z"] == ["n", 2, 3] and outputs["kinds_broadcast"]["count"] == 24
    assert report["kinds_fill"]["shapes"]["y"] == [2, 2] and (outputs["kinds_fill"]["y"] == 5).all()
    assert outputs["kinds_i64"]["y"].tolist() == [-1, 2] and outputs["kinds_bool"]["y"].tolist() == [False]


@pytest.mark.slow
def test_a_size_without_elements_is_known_beside_a_symbol(version, kinds, tmp_path):
    """n may be 1: it is no name for the size of the result, which is 0."""
    functions = {each.name: each.as_json() for each in described(HERE / "kinds.h")}
    empty, one = torch.ones(0, 3), torch.ones(1, 3)
    feeds = {"right": {"x": one, "y": empty}, "left": {"x": empty, "y": one}}
    sizes = {"right": {"x": ["n", 3]}, "left": {"y": ["n", 3]}}
    cases = {
        name: case(functions["kinds_broadcast"], feed, sizes[name], domain="kinds") for name, feed in feeds.items()
    }
    report, outputs = serve(version, kinds, tmp_path, cases, feeds)
    assert {name: each["z"].shape for name, each in outputs.items()} == {"right": (0, 3), "left": (0, 3)}, report
    assert {name: report[name]["shapes"]["z"] for name in cases} == {"right": [0, 3], "left": [0, 3]}


@pytest.mark.slow
def test_every_type_of_integers(version, tmp_path):
    """Each value is the largest of its type, less one: no other type has it."""
    header, dtypes = table_host.integers(tmp_path)
    library = build(header, tmp_path, header.with_suffix(".c"), "-std=c11", f"-I{tmp_path}", "-Wl,--no-undefined")
    feeds = {name: {"x": torch.from_numpy(numpy.array([1, most], name))} for name, most in dtypes.items()}
    functions = {each.name: each.as_json() for each in described(header)}
    cases = {name: case(functions[f"types_{name}"], feeds[name], domain="types") for name in dtypes}
    report, outputs = serve(version, library, tmp_path, cases, feeds)
    found = {name: (str(each["y"].dtype), each["y"].tolist()) for name, each in outputs.items()}
    assert found == {name: (name, [2, most + 1]) for name, most in dtypes.items()}, report


def described(header):
    from torchthaw.header import reading

    return reading.read(header).module.functions


# Wrong input


@pytest.mark.slow
def test_what_does_not_fit_is_refused_in_words(version, library, tmp_path):
    add, lltm = FUNCTIONS["my_lib_add_forward"], FUNCTIONS["lltm_forward"]
    norm = FUNCTIONS["my_lib_batch_norm2d_forward"]
    state = {**given(lltm), "bias": torch.ones(3)}
    double = {"input1": torch.ones(2), "input2": torch.ones(2, dtype=torch.float64)}
    feeds = {
        "symbols": {"input1": torch.ones(5, 5), "input2": torch.ones(5, 4)}, "size": state, "dtypes": double,
        "c": {"input": torch.ones(1, 2, 1, 1), "eps": 1e-5}, "attribute": {"input": torch.ones(2, 2, 2, 2)},
    }  # fmt: skip
    unknown = {"input1": ["a", "b"], "input2": ["c", "d"]}
    cases = {
        "symbols": case(add, feeds["symbols"], unknown), "size": case(lltm, state), "dtypes": case(add, double),
        "c": case(norm, feeds["c"]), "attribute": case(norm, feeds["attribute"]),
    }  # fmt: skip
    cases["dtypes"]["inputs"][1][1] = "float64"
    report, outputs = serve(version, library, tmp_path, cases, feeds)
    assert not outputs
    errors = {name: report[name]["error"] for name in cases}
    for name in ("symbols", "size", "c"):
        with pytest.raises(ValueError) as error:
            getattr(torch.ops.my_lib, cases[name]["operator"])(*feeds[name].values())
        assert errors[name].endswith(str(error.value)) and errors[name].startswith("InvalidArgument")
    assert "my_lib_add_forward" in errors["dtypes"]  # the session's own words
    assert "eps" in errors["attribute"]


def test_a_runtime_that_is_too_old_is_refused(library):
    """By a stand-in for one, whose table has CreateStatus at its place."""
    message = []
    create = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p)(lambda code, text: message.append(text))
    table = (ctypes.c_void_p * 3)(ctypes.cast(create, ctypes.c_void_p))
    get_api = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_uint32)(lambda v: ctypes.addressof(table) if v == 1 else None)
    get_version = ctypes.CFUNCTYPE(ctypes.c_void_p)(lambda: ctypes.addressof(text))
    text = ctypes.create_string_buffer(b"1.9.0")
    base = (ctypes.c_void_p * 2)(ctypes.cast(get_api, ctypes.c_void_p), ctypes.cast(get_version, ctypes.c_void_p))
    ctypes.CDLL(str(library)).RegisterCustomOps(None, ctypes.byref(base))
    assert message == [b"my_lib: expected ONNX Runtime 1.17 or a later one, got 1.9.0"]


@pytest.mark.slow
@pytest.mark.parametrize("attribute", [
    {"type": "float32", "shape": [], "values": [2.5]}, {"type": "float64", "shape": [0], "values": []},
    {"type": "float64", "shape": [2], "values": [1.0, 2.0]}, {"type": "int64", "shape": [1], "values": [3]},
    {"type": "float64", "shape": [1] * 65, "values": [1.0]},
], ids=lambda each: f"{each['type']}-{len(each['values'])}-{len(each['shape'])}")  # fmt: skip
def test_an_attribute_of_a_hand_written_model_is_one_float64(version, kinds, tmp_path, attribute):
    functions = {each.name: each.as_json() for each in described(HERE / "kinds.h")}
    feed = {"x": torch.ones(2, 3), "by": 0.5, "keep": 0}
    cases = {"wrong": case(functions["kinds_scale"], feed, domain="kinds")}
    cases["wrong"]["attributes"]["by"] = attribute
    report, outputs = serve(version, kinds, tmp_path, cases, {"wrong": feed})
    assert not outputs and re.search(names("by", "expected", "float64"), report["wrong"]["error"])


@pytest.mark.slow
def test_any_shape_of_one_element_is_a_number(version, kinds, tmp_path):
    functions = {each.name: each.as_json() for each in described(HERE / "kinds.h")}
    feed = {"x": torch.ones(2, 3), "by": 0.5, "keep": 0}
    cases = {"one": case(functions["kinds_scale"], feed, domain="kinds")}
    cases["one"]["attributes"]["by"] = {"type": "float64", "shape": [1, 1], "values": [0.5]}
    report, outputs = serve(version, kinds, tmp_path, cases, {"one": feed})
    assert (outputs["one"]["y"] == 0.5).all(), report


# What is declared of ONNX Runtime


@pytest.mark.slow
def test_a_domain_that_cannot_be_filled_is_released(library):
    """By a stand-in for a runtime, whose CustomOpDomain_Add fails; the next try begins anew."""
    calls, keep = [], []
    table = (ctypes.c_void_p * 512)()

    def entry(position, result, *parameters):
        def wrap(function):
            keep.append(ctypes.CFUNCTYPE(result, *parameters)(function))
            table[position] = ctypes.cast(keep[-1], ctypes.c_void_p)

        return wrap

    text = ctypes.create_string_buffer(b"1.20.0")

    @entry(26, ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_void_p))
    def create(name, domain):
        domain[0] = 0x1000 + len(calls)
        calls.append(("create", domain[0]))

    entry(27, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)(lambda domain, op: 0xBAD)
    entry(101, None, ctypes.c_void_p)(lambda domain: calls.append(("release", domain)))
    get_api = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_uint32)(lambda version: ctypes.addressof(table))
    get_version = ctypes.CFUNCTYPE(ctypes.c_void_p)(lambda: ctypes.addressof(text))
    base = (ctypes.c_void_p * 2)(ctypes.cast(get_api, ctypes.c_void_p), ctypes.cast(get_version, ctypes.c_void_p))
    loaded = ctypes.CDLL(str(library))
    loaded.RegisterCustomOps.restype = ctypes.c_void_p
    for _ in range(2):
        assert loaded.RegisterCustomOps(None, ctypes.byref(base)) == 0xBAD
    assert calls == [("create", 0x1000), ("release", 0x1000), ("create", 0x1002), ("release", 0x1002)]


@pytest.mark.slow
def test_each_entry_that_is_declared_is_called(version, counted, tmp_path):
    """By the line of each call, as gcov counted it."""
    for path in counted.parent.glob("*.gcda"):
        path.unlink()
    functions = {each.name: each.as_json() for each in described(HERE / "kinds.h")}
    fill = {"x": torch.ones(5), "sizes": [2, 2], "ndim": 2, "fails": 0}
    feeds = {
        "kinds_scale": {"x": torch.ones(2, 3), "by": 0.5, "keep": 0}, "kinds_fill": fill,
        "fails": {**fill, "fails": 1},
    }  # fmt: skip
    cases = {name: case(functions["kinds_scale" if "scale" in name else "kinds_fill"], feed, domain="kinds")
             for name, feed in feeds.items()}  # fmt: skip
    serve(version, counted, tmp_path, cases, feeds)
    run("gcov", "-o", counted.parent, "libkinds_onnx.so-kinds_onnxruntime.gcda", cwd=counted.parent)
    called = set()
    for line in (counted.parent / "kinds_onnxruntime.c.gcov").read_text().splitlines():
        count, _, code = line.split(":", 2)
        if count.strip().rstrip("*").isdigit():
            called |= {*re.findall(r"ORT\([^,]*, (\w+)\)", code)}
    declared = set(re.findall(r"ENTRY\(\d+, (\w+),", (counted.parent / "kinds_onnxruntime.c").read_text()))
    fast = "GetTensorElementTypeAndShapeDataReference"  # from 1.24 on
    only_after_a_failure = "ReleaseCustomOpDomain"
    assert declared - called == {only_after_a_failure} | ({fast} if version != VERSIONS["newest"] else set())
    assert called <= declared and len(declared) == 31


# From PyTorch to a process without it

DIGITS = ROOT / "examples" / "digits"


@pytest.mark.slow
def test_the_classifier_of_the_demo_is_served_without_pytorch(library):
    """With any batch, and the predictions of PyTorch."""
    folder = library.parent
    packages = VERSIONS["newest"]  # behind those of PyTorch's environment
    run(sys.executable, "-m", "examples.digits.to_onnx", folder, "--epochs", "2", path=[ROOT / "src", ROOT, packages])
    printed = run(sys.executable, "-S", DIGITS / "serve.py", folder, path=[packages]).splitlines()
    assert printed[:3] == [f"batches of {batch}: 450 of 450 as in PyTorch" for batch in (1, 100, 450)]
    assert printed[3].endswith("PyTorch is not loaded")


@pytest.mark.slow
def test_modules_with_parameters_are_exported(library, tmp_path):
    """With and without torch.no_grad(), every operator of C, and an operator that returns an entry of an output."""
    packages = VERSIONS["newest"]
    path = [ROOT / "src", ROOT, packages, library.parent]
    assert run(sys.executable, HERE / "exported.py", library, tmp_path, path=path) == "passed\n"
