"""tests/portable/build/test_portable_jit.py: load and load_inline of torchthaw.portable: what is built, and when again."""

import ctypes
import inspect
from pathlib import Path

import pytest
import torch.utils.cpp_extension

from support.messages import names
from torchthaw import portable
from torchthaw.base.errors import BuildError
from torchthaw.extension import ninja
from torchthaw.portable import jit

SOURCE = """
#include <torch/extension.h>
#include "two.h"
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("answer", []() { return portable::runtime() + TWO; }); }
"""


@pytest.fixture
def source(small):
    """A source in the current folder, with a header beside it."""
    Path("two.h").write_text("#define TWO 2L\n")
    Path("answer.cpp").write_text(SOURCE)
    return Path("answer.cpp")


@pytest.fixture
def builds(monkeypatch):
    """The folders in which ninja ran."""
    ran, run = [], ninja.run
    monkeypatch.setattr(
        ninja, "run", lambda folder, *args, **kwargs: (ran.append(folder.name), run(folder, *args, **kwargs))
    )
    return ran


def forget():
    """Another process would know nothing of this one's modules."""
    jit._loaded.clear()


def test_a_module(source):
    module = portable.load("answers", source)
    assert module.answer() == 42 and module.__name__ == "answers"
    assert Path(module.__file__).name == "answers.so"


@pytest.mark.slow
def test_a_second_load_builds_nothing(source, builds):
    module = portable.load("answers", str(source))
    assert builds == ["answers.build", "work", "answers.build"]  # objects, the runtime, the link
    assert portable.load("answers", [source]) is module
    forget()
    assert portable.load("answers", source).answer() == 42 and len(builds) == 3


@pytest.mark.slow
@pytest.mark.parametrize("change", ["header", "flag", "torchthaw's header"])
def test_another_content_is_another_module(source, builds, small, change):
    module = portable.load("answers", source)
    flags = []
    if change == "header":
        Path("two.h").write_text("#define TWO 3L\n")
    elif change == "flag":
        flags = ["-UTWO", "-DANSWER=1"]
    else:
        header = small / "include" / "torch" / "extension.h"
        header.write_text(header.read_text() + "#define ANSWER 1\n")
    again = portable.load("answers", source, extra_cflags=flags)
    assert again is not module and again.__name__ == "answers_v1" and module.answer() == 42
    assert again.answer() == (43 if change == "header" else 42) and builds[-1] == "answers_v1.build"


@pytest.mark.slow
def test_a_build_directory(source, monkeypatch, tmp_path):
    module = portable.load("answers", source, build_directory="here/below", keep_intermediates=False)
    assert Path(module.__file__) == Path.cwd() / "here" / "below" / "answers.so"
    assert not [*Path("here").rglob("*.o")]
    monkeypatch.setenv("TORCH_EXTENSIONS_DIR", str(tmp_path / "all"))
    assert Path(portable.load("answers", source).__file__).is_relative_to(tmp_path / "all")


@pytest.mark.slow
def test_a_library_of_operators(small):
    """Its constructor runs when it is loaded."""
    path = portable.load_inline(
        "constructed", '#include <cstdlib>\nstatic int made = setenv("CONSTRUCTED", "1", 1);', is_python_module=False
    )
    getenv = ctypes.CDLL(None).getenv
    getenv.restype = ctypes.c_char_p
    assert getenv(b"CONSTRUCTED") == b"1" and path in torch.ops.loaded_libraries


@pytest.mark.slow
def test_functions_of_texts(small):
    texts = ["long one() { return 1; }", "long two() { return portable::runtime() - 38; }"]
    module = portable.load_inline("texts", texts, functions=["one", "two"])
    assert (module.one(), module.two(), module.one.__doc__) == (1, 2, "one")
    doc = 'A "quoted" \\ text,\nof two lines: ü??'
    assert portable.load_inline("texts", texts, functions={"one": doc}).one.__doc__ == doc
    assert texts[0].startswith("long")  # PyTorch's puts a line into the caller's list


@pytest.mark.slow
def test_flags_of_pytorch_are_left_out(source):
    folder = Path(torch.__file__).parent
    module = portable.load(
        "answers", source, extra_cflags=[f"-I{folder}/include", "-std=c++14"],
        extra_ldflags=[f"-L{folder}/lib", "-ltorch_python", f"-Wl,-rpath,{folder}/lib"],
    )  # fmt: skip
    text = (Path(module.__file__).parent / "answers.build" / "build.ninja").read_text()
    assert str(folder) not in text and "-std=c++17" in text and text.count("-ltorch_python") == 1  # that of the stubs


@pytest.mark.slow
def test_flags_are_words_of_a_shell(source):
    """PyTorch's load joins them to one line, so that projects have several in a text, and blanks around them."""
    Path("own folder").mkdir()
    Path("two.h").rename("own folder/two.h")
    module = portable.load(
        "answers", source, extra_cflags=["-g0\n\n", "-O0 -Wall"], extra_include_paths=["  own folder\n"]
    )
    assert module.answer() == 42


@pytest.mark.parametrize("given, parts", [
    ({"is_standalone": True}, ["is_standalone", "False", "True"]), ({"sources": []}, ["sources", "none"]),
    ({"name": "a-b"}, ["name", "'a-b'"]),
])  # fmt: skip
def test_wrong_values(source, given, parts):
    with pytest.raises(ValueError, match=names(*parts)):
        portable.load(**{"name": "answers", "sources": source, **given})


def test_other_wrong_arguments(source):
    with pytest.raises(TypeError, match=names("extra_cflags", "list", "'-O3'")):
        portable.load("answers", source, extra_cflags="-O3")
    with pytest.raises(FileNotFoundError, match="missing.cpp"):
        portable.load("answers", "missing.cpp")
    with pytest.raises(TypeError, match=names("extra_cuda_cflags", "list", "'-O3'")):
        portable.load("answers", source, extra_cuda_cflags="-O3")
    with pytest.raises(ValueError, match=names("functions", "3")):
        portable.load_inline("answers", "", functions=3)


@pytest.mark.slow
def test_a_fault_of_the_source_is_the_compiler_s_words(small):
    with pytest.raises(BuildError, match="mine") as raised:
        portable.load_inline("wrong", "long f() { return mine; }")
    assert not hasattr(raised.value, "names") and isinstance(raised.value, RuntimeError)
    assert str(raised.value).count("\n") > 2  # lines stay lines


@pytest.mark.parametrize("name", ["load", "load_inline"])
def test_the_signatures_are_pytorch_s(name):
    """Without SYCL's, which PyTorch put between the others."""
    theirs = inspect.signature(getattr(torch.utils.cpp_extension, name)).parameters
    theirs = {each: value.default for each, value in theirs.items() if "sycl" not in each}
    assert {
        each: value.default for each, value in inspect.signature(getattr(portable, name)).parameters.items()
    } == theirs
    assert [*inspect.signature(getattr(portable, name)).parameters] == [*theirs]


@pytest.mark.slow
def test_the_real_headers():
    source = "at::Tensor add(at::Tensor a, at::Tensor b) { return a + b; }"
    module = portable.load_inline("adds", source, functions={"add": "a plus b"})
    assert module.add(torch.ones(2), torch.ones(2)).tolist() == [2, 2] and "a plus b" in module.add.__doc__


@pytest.mark.slow
def test_std_has_functions_of_complex_numbers():
    source = """
    at::Tensor mixed(at::Tensor x) {
        auto out = at::empty_like(x);
        AT_DISPATCH_COMPLEX_TYPES(x.scalar_type(), "mixed", [&] {
            const auto from = x.accessor<scalar_t, 1>();
            auto to = out.accessor<scalar_t, 1>();
            for (int64_t i = 0; i < x.size(0); ++i) {
                const auto z = from[i];
                to[i] = std::conj(z) * std::exp(z) + std::pow(z, z) + std::abs(z) * std::arg(z) + std::norm(std::atanh(z));
            }
        });
        return out;
    }
    """
    mixed = portable.load_inline("mixed", source, functions=["mixed"]).mixed
    for dtype in (torch.complex64, torch.complex128):
        z = torch.tensor([1 + 2j, -0.5 + 0.25j, 3j, 0.5], dtype=dtype)
        expected = z.conj() * z.exp() + z.pow(z) + z.abs() * z.angle() + z.atanh().abs() ** 2
        torch.testing.assert_close(mixed(z), expected)


ERRORS = """
int64_t raise_(int64_t kind) {
    if (kind == 1) throw torch::TypeError("a type");
    if (kind == 2) throw torch::AttributeError("an attribute");
    if (kind == 3) throw python_error();
    PyErr_SetString(PyExc_KeyError, "a key");
    if (kind == 4) throw python_error();
    python_error error;
    error.persist();
    if (PyErr_Occurred()) return -1;
    if (kind == 5) throw error;
    error.restore();
    error.restore();
    if (kind == 6) throw error;
    python_error kept = error;
    kept.persist();
    return PyErr_Occurred() ? -2 : kind;
}
"""


@pytest.mark.slow
def test_errors_of_torch_csrc_exceptions():
    module = portable.load_inline("portable_errors", ERRORS, functions="raise_")

    def told(kind):
        with pytest.raises(Exception) as raised:
            module.raise_(kind)
        return type(raised.value), str(raised.value)

    assert told(1) == (TypeError, "a type") and told(2) == (AttributeError, "an attribute")
    kind, text = told(3)
    assert kind is SystemError and "python_error" in text and "pending" in text
    assert told(4) == told(5) == told(6) == (KeyError, "'a key'")
    assert module.raise_(7) == 7
