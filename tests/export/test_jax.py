"""tests/export/test_jax.py: a header's operators in JAX, in two of its versions, beside no PyTorch.

`make hosts` installs the packages; where they are missing, the tests are skipped. jax_programs.py has what runs in JAX.
"""

import json
import re
import subprocess
import sys

import numpy
import pytest
import torch
from test_table import FUNCTIONS, HERE, MY_LIB, given, operator_of, plain

from _ext.my_lib import _my_lib
from support import ROOT, table_host
from support.messages import names

HOSTS = ROOT / "build" / "hosts"
VERSIONS = {"newest": HOSTS / "jax", "lowest": HOSTS / "jax-lowest"}
PAIRS = ROOT / "tests" / "derivatives" / "pairs.h"
DESCRIBED = {each["name"]: each for each in json.loads(_my_lib.description)["pairs"]}
HALVES = (torch.float16, torch.bfloat16)
pytestmark = pytest.mark.skipif(
    not (VERSIONS["newest"] / "jaxlib").is_dir(), reason="make hosts installs the packages of JAX"
)


def run(*command, path=None):
    environment = table_host.of_a_host(path) if path else table_host.environment()
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, env=environment, cwd=ROOT)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}"
    return done.stdout


def build(folder, header, *sources_and_flags):
    """A folder with the module and its library, for all versions: it is compiled with the newest one's header."""
    run(sys.executable, "-m", "torchthaw", "export", "jax", header, "-o", folder)
    sources = [folder / f"{header.stem}_{part}.c" for part in ("jax", "table")]
    command = [each.replace("c99", "c11") for each in table_host.compiler("-shared", "-fPIC", "-Wl,--no-undefined")]
    run(*command, "-isystem", VERSIONS["newest"] / "jaxlib" / "include", f"-I{header.parent}", *sources,
        *sources_and_flags, "-o", folder / f"lib{header.stem}_jax.so")  # fmt: skip
    return folder


@pytest.fixture(scope="module")
def my_lib(tmp_path_factory):
    return build(tmp_path_factory.mktemp("jax"), MY_LIB, *table_host.my_lib())


@pytest.fixture(scope="module")
def kinds(tmp_path_factory):
    return build(tmp_path_factory.mktemp("kinds"), HERE / "kinds.h", HERE / "kinds.c")


@pytest.fixture(scope="module")
def pairs(tmp_path_factory):
    return build(tmp_path_factory.mktemp("pairs"), PAIRS, PAIRS.with_suffix(".c"))


@pytest.fixture(params=VERSIONS)
def version(request):
    if not (VERSIONS[request.param] / "jaxlib").is_dir():
        pytest.skip(f"this Python has no such version of JAX: {request.param}")
    return VERSIONS[request.param]


def program(version, folder, stem, *arguments):
    """What a function of jax_programs.py prints."""
    return run(sys.executable, "-S", HERE / "jax_programs.py", folder, stem, *arguments, path=version)


# Values and gradients


def compute(version, folder, cases, files):
    """{case: its arrays} as JAX gives them; files: {case: {name: tensor}}."""
    (folder / "cases.json").write_text(json.dumps(cases))
    for name, tensors in files.items():
        numpy.savez(folder / f"{name}.npz", **{key: stored(x) for key, x in tensors.items()})
    program(version, folder, "my_lib", "compute", folder / "cases.json")
    return {name: dict(numpy.load(folder / f"{name}.out.npz")) for name in cases}


def stored(x):
    return (x.float() if x.dtype in HALVES else x).detach().numpy()


def case(function, arguments, needs=()):
    """A case of jax_programs.py, and the arrays of its file."""
    words = [str(x.dtype).removeprefix("torch.") if isinstance(x, torch.Tensor) else x for x in arguments]
    tensors = {str(i): x for i, x in enumerate(arguments) if isinstance(x, torch.Tensor)}
    return {"function": function, "arguments": words, "needs": [*needs]}, tensors


def assert_same(found, expected, what):
    """Bit for bit."""
    assert len(found) == len(expected), what
    for one, other in zip(found, expected):
        assert torch.equal(torch.from_numpy(one), torch.from_numpy(stored(other))), what


@pytest.mark.slow
def test_each_function_gives_the_bits_of_pytorch_s_operator(version, my_lib):
    torch.manual_seed(0)
    arguments = {name: [*given(function).values()] for name, function in FUNCTIONS.items()}
    made = {name: case(function["operator"], arguments[name]) for name, function in FUNCTIONS.items()}
    found = compute(version, my_lib, *({name: each[i] for name, each in made.items()} for i in (0, 1)))
    assert len(found) == 44
    for name, function in FUNCTIONS.items():
        with torch.no_grad():
            expected = operator_of(function)(*arguments[name])
        assert_same([*found[name].values()], expected if isinstance(expected, tuple) else [expected], name)


@pytest.mark.slow
def test_functions_give_the_bits_and_gradients_of_pytorch(version, my_lib):
    """Of float32, float64 and 16 bits, for which C has a function or not; with and without a bias."""
    torch.manual_seed(1)
    cases, files, expected = {}, {}, {}
    for pair in DESCRIBED.values():
        for dtype in (torch.float32, torch.float64, *HALVES):
            arguments = [x.to(dtype) if isinstance(x, torch.Tensor) else x
                         for x in given(FUNCTIONS[pair["forward"]]).values()]  # fmt: skip
            for some in [arguments, [*arguments[:-1], None]] if pair["name"] == "linear" else [arguments]:
                needs = [i for i, x in enumerate(some) if isinstance(x, torch.Tensor)]
                leaves = [x.clone().requires_grad_() if i in needs else x for i, x in enumerate(some)]
                results = getattr(torch.ops.my_lib, pair["operator"])(*leaves)
                results = results if isinstance(results, tuple) else (results,)
                grads = [torch.randn(x.shape, dtype=torch.float64).to(dtype) for x in results]
                made = torch.autograd.grad(results, [leaves[i] for i in needs], grads)
                name = f"{pair['name']} {dtype} {len(needs)}"
                cases[name], files[name] = case(pair["name"], some, needs)
                files[name] |= {f"g{i}": x for i, x in enumerate(grads)}
                expected[name] = [*results, *made]
    found = compute(version, my_lib, cases, files)
    for name, tensors in expected.items():
        assert_same([*found[name].values()], tensors, name)


@pytest.mark.slow
def test_gradients_are_those_of_finite_differences(version, my_lib):
    program(version, my_lib, "my_lib", "finite_differences")


# Transformations


@pytest.mark.slow
@pytest.mark.parametrize("what", ["batches", "programs"])  # jax.export of the lowest version needs further packages
def test_transformations_of_the_newest_version(my_lib, what):
    program(VERSIONS["newest"], my_lib, "my_lib", what)


@pytest.mark.slow
@pytest.mark.parametrize("what", ["calls", "unused_results", "formulas", "scan", "without_x64"])
def test_transformations(version, my_lib, what):
    program(version, my_lib, "my_lib", what)


@pytest.mark.slow
def test_outputs_that_are_named(version, my_lib):
    few, unknown, none = json.loads(program(version, my_lib, "my_lib", "chosen_outputs"))
    for kind, message in (few, unknown, none):
        assert kind == "ValueError" and re.search(names("outputs", "new_h, new_cell", "gates"), message)
    assert unknown[1].endswith("got new_h, new_cell, h") and none[1].endswith("got none")


@pytest.mark.slow
def test_kinds_of_parameters(version, kinds):
    found = json.loads(program(version, kinds, "kinds", "kinds"))
    assert found["fits"][0] == "ValueError" and re.search(names("fails", "int32_t", 2**31), found["fits"][1])
    assert found["64 bits"][0] == "ValueError" and re.search(names("sizes", "int64_t", 2**63), found["64 bits"][1])
    assert found["sizes"][0] == "TypeError" and re.search(names("sizes", "integers", "2.5"), found["sizes"][1])
    assert re.search(names("INVALID_ARGUMENT", "fails", "expected", 0, 1), found["fails"][1])
    assert found["x64"][0] == "ValueError" and re.search(names("count", "jax_enable_x64", "int64"), found["x64"][1])


@pytest.mark.slow
def test_pairs_of_every_kind(version, pairs):
    """A second derivative, a result of integers, an input without a gradient, a size that grows."""
    kind, text = json.loads(program(version, pairs, "pairs", "pairs"))["mask"]
    assert kind == "RuntimeError" and re.search(names("masked", "mask", "gradient"), text)


@pytest.mark.slow
def test_complex_gradients_are_those_of_jax(version, tmp_path):
    program(version, build(tmp_path, HERE / "turn.h", HERE / "turn.c"), "turn", "turn")


@pytest.mark.slow
def test_every_type_of_integers(version, tmp_path):
    """Each value is the largest of its type, less one: no other type has it."""
    header, dtypes = table_host.integers(tmp_path)
    folder = build(tmp_path / "built", header, header.with_suffix(".c"))
    program(version, folder, "types", "integers", json.dumps(dtypes))


# Wrong input


@pytest.mark.slow
def test_what_does_not_fit_is_refused_in_words(version, my_lib):
    found = json.loads(program(version, my_lib, "my_lib", "messages"))
    a, state = torch.ones(5, 5, dtype=torch.float64), given(FUNCTIONS["lltm_forward_f64"])
    state["bias"] = torch.ones(3, dtype=torch.float64)
    wrong = {
        "other shape": ("add", a, a[:, :4].contiguous()), "other size": ("lltm", *state.values()),
        "other dtype": ("add", a, a.float()), "other half": ("add", a.half(), a.bfloat16()),
        "no variant": ("my_lib_add_forward", a.int(), a.int()),
        "refused by C": ("batch_norm2d", torch.ones(3, 2, 4, 5), -1.0),
    }  # fmt: skip
    for what, (name, *arguments) in wrong.items():
        with pytest.raises(ValueError) as error:
            getattr(torch.ops.my_lib, name)(*arguments)
        is_run = what == "refused by C"
        kinds = ("JaxRuntimeError", "XlaRuntimeError") if is_run else ("ValueError",)
        assert found[what][0] in kinds and found[what][1].endswith(plain(error.value)), what
    expected = {
        "None": ("ValueError", "input2", "array", "None"), "no array": ("TypeError", "input2", "array", "1.0"),
        "traced number": ("TypeError", "constant", "number known while tracing"),
        "no number": ("TypeError", "constant", "number", "[1.0]"),
        "no derivative": ("RuntimeError", "my_lib_add_forward", "input1", "gradient"),
        "second derivative": ("RuntimeError", "my_lib_cube_backward", "grad_output", "gradient", "@cube.formula"),
        "forward mode": ("TypeError", "forward-mode", "custom_vjp"),  # JAX's own
    }  # fmt: skip
    for what, (kind, *words) in expected.items():
        assert found[what][0] == kind and re.search(names(*words), found[what][1]), what
    assert re.search(names("INVALID_ARGUMENT", "input1", "array", "None"), found["no arrays"][1])
    assert re.search(names("expected", "Python module"), found["few arrays"][1])


@pytest.mark.slow
def test_a_missing_package_or_library_is_named(my_lib, tmp_path):
    for folder, path, expected in ((my_lib, tmp_path, "No module named 'jax'"),
                                   (tmp_path, VERSIONS["newest"], "libmy_lib_jax.so")):  # fmt: skip
        (tmp_path / "my_lib_jax.py").write_text((my_lib / "my_lib_jax.py").read_text())
        code = f"import sys; sys.path.insert(0, {str(folder)!r}); import my_lib_jax"
        done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True,
                              env={"PYTHONPATH": str(path)}, cwd=tmp_path)  # fmt: skip
        assert done.returncode == 1 and expected in done.stderr


# The generated files


@pytest.mark.slow
def test_what_the_module_has(my_lib):
    """A function for each pair, by the name that `functions` of an extension has, and one for each operator of C."""
    text = (my_lib / "my_lib_jax.py").read_text()
    functions = re.findall(r"^def ([a-z]\w*)\((.*)\):\n    \"\"\"(.*)", text, re.M)
    operators = {each["operator"] for each in FUNCTIONS.values()}
    assert [name for name, _, _ in functions] == [*DESCRIBED, *sorted(operators)]
    assert ("linear", "input, weight, bias=None") in [each[:2] for each in functions]
    assert all(doc for _, _, doc in functions)


def test_names_that_python_has(tmp_path):
    (tmp_path / "words.h").write_text(
        "#include <torchthaw/annotate.h>\n"
        '/* Of """words""" and \\N. */\n'
        "void jax(const float *lambda THAW_SHAPE(n), int64_t n, float *y THAW_SHAPE(n));\n"
    )
    run(sys.executable, "-m", "torchthaw", "export", "jax", tmp_path / "words.h", "-o", tmp_path)
    text = (tmp_path / "words_jax.py").read_text()
    compile(text, "words_jax.py", "exec")
    assert "def jax_(lambda_):" in text and 'return _run("jax", lambda_)' in text


@pytest.mark.slow
def test_a_table_s_structs_are_as_in_c(my_lib):
    """ctypes' declarations in the module against the generated header."""
    module, header = (my_lib / "my_lib_jax.py").read_text(), (my_lib / "my_lib_table.h").read_text()
    for name, struct in (("_Argument", "thaw_table_argument"), ("_Call", "thaw_table_call"), ("_Table", "thaw_table")):
        fields = re.findall(r'\("(\w+)", ', module.partition(f"class {name}(")[2].partition("\n\n")[0])
        body = re.search(rf"typedef struct {struct} {{(.*?)\n}}", header, re.S)[1]
        declared = re.findall(r"(\w+)(?:\[\w+\])?;|\(\*(\w+)\)", re.sub(r"/\*.*?\*/", "", body))
        assert fields == [one or other for one, other in declared]
    assert re.findall(r'DTYPE\(\w+, "(\w+)"', header) == eval(re.search(r"_DTYPES = (\[.*?\])", module, re.S)[1])[1:]
