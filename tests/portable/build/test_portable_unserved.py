"""tests/portable/build/test_portable_unserved.py: names that the headers lack, from what compilers print."""

import pytest

from support.messages import names
from torchthaw.portable import unserved

# Messages of gcc 12 and clang 14, in English, each with what is found in it.
GCC = {
    "error: ‘foo’ is not a member of ‘at’": "at::foo",
    "error: ‘zork’ is not a member of ‘at::Tensor’; did you mean ‘fork’?": "at::Tensor::zork",
    "error: ‘array_t’ is not a member of ‘py’": "py::array_t",
    "error: ‘Gone’ has not been declared in ‘at’": "at::Gone",
    "error: ‘torch::nn’ has not been declared": "torch::nn",
    "error: ‘c10’ has not been declared": "c10",
    "error: ‘const class at::Tensor’ has no member named ‘bar’": "at::Tensor::bar",
    "error: ‘struct pybind11::v1::module_’ has no member named ‘defs’; did you mean ‘def’?": "pybind11::v1::module_::defs",
    "error: ‘AT_DISPATCH_STRANGE’ was not declared in this scope": "AT_DISPATCH_STRANGE",
    "error: ‘THCState’ was not declared in this scope": "THCState",
    "error: ‘THCudaTensor’ does not name a type": "THCudaTensor",
    "error: ‘Opt’ in namespace ‘c10’ does not name a type": "c10::Opt",
    "error: ‘max’ is not a member of ‘std’": "std::max",
    "fatal error: ATen/native/Nope.h: No such file or directory": "ATen/native/Nope.h",
    # Where there is no UTF-8.
    "error: 'foo' is not a member of 'at'": "at::foo",
}
CLANG = {
    "error: no type named 'foo' in namespace 'at'": "at::foo",
    "error: no member named 'nn' in namespace 'torch'": "torch::nn",
    "error: no member named 'bar' in 'at::Tensor'; did you mean 'baz'?": "at::Tensor::bar",
    "error: use of undeclared identifier 'AT_DISPATCH_STRANGE'": "AT_DISPATCH_STRANGE",
    "error: use of undeclared identifier 'c10'": "c10",
    "error: unknown type name 'THCState'": "THCState",
    "fatal error: 'ATen/native/Nope.h' file not found": "ATen/native/Nope.h",
}
NVCC = {
    'namespace "at" has no member "foo"': "at::foo",
    'namespace "at::cuda" has no member "bar"': "at::cuda::bar",
    'class "at::Tensor" has no member "zork"': "at::Tensor::zork",
    'identifier "THCudaCheck" is undefined': "THCudaCheck",
    'name followed by "::" must be a class or namespace name: "torch"': "torch",
    'cannot open source file "ATen/cuda/Nope.h"': "ATen/cuda/Nope.h",
}
OTHERS_ARGUMENTS = {
    "error: no matching function for call to ‘at::Tensor::sum(int) const’": "at::Tensor::sum",
    "error: too many arguments to function ‘at::Tensor at::relu(const Tensor&)’": "at::relu",
}
OF_THE_PROJECT = [
    "error: ‘mine’ was not declared in this scope", "error: ‘struct Mine’ has no member named ‘x’",
    "fatal error: mine.h: No such file or directory", "fatal error: 'cublas_v2.h' file not found",
    "error: use of undeclared identifier 'mine'", "error: expected ‘;’ before ‘}’ token",
    "error: ‘x’ is not a member of ‘mine’", 'error: identifier "mine" is undefined', "warning: ‘foo’ is not a member of ‘at’",
]  # fmt: skip


@pytest.mark.parametrize("text, name", [*GCC.items(), *CLANG.items()])
def test_a_name(text, name):
    assert unserved.found(f"src/a.cpp:12:7: {text}\n   12 |   code\n") == [unserved.Found(name, "src/a.cpp", 12)]


@pytest.mark.parametrize("text, name", NVCC.items())
@pytest.mark.parametrize("kind", ["error", "error #20014-D", "catastrophic error"])
def test_a_name_of_nvcc(kind, text, name):
    assert unserved.found(f"src/a.cu(12): {kind}: {text}\n    code\n") == [unserved.Found(name, "src/a.cu", 12)]


@pytest.mark.parametrize("text, name", OTHERS_ARGUMENTS.items())
def test_other_arguments(text, name):
    assert unserved.found(f"a.cpp:1:2: {text}") == [unserved.Found(name, "a.cpp", 1, True)]


@pytest.mark.parametrize("text", OF_THE_PROJECT)
def test_what_is_the_project_s_own(text):
    assert unserved.found(f"a.cpp:12:7: {text}\n") == []


def test_each_name_once_in_the_order_of_the_errors():
    output = "".join(
        f"a.cpp:{line}:1: error: ‘{name}’ is not a member of ‘at’\n" for line, name in ((3, "b"), (4, "a"), (9, "b"))
    )
    assert [str(each) for each in unserved.found(output)] == ["at::b (a.cpp:3)", "at::a (a.cpp:4)"]


def test_the_message():
    found = [unserved.Found("at::new", "a.cpp", 3), unserved.Found("at::sum", "a.cpp", 4, True)]
    text = unserved.message(found, "the compiler's words", {"at::new": "; since 2.12"})
    first, second, how, words = text.splitlines()
    assert first.startswith("a.cpp:3: at::new is not served") and "2.12" in first
    assert second.startswith("a.cpp:4: at::sum with these arguments ") and "since" not in second
    assert "python -m torchthaw run" in how and "--portable=auto" in how and words == "the compiler's words"


@pytest.mark.slow
def test_the_messages_of_this_compiler(small):
    """A source of a few errors, compiled here."""
    from torchthaw import portable

    source = "long f(at::Tensor x) { at::foo(); x.bar(); return AT_STRANGE(x) + mine; }"
    with pytest.raises(unserved.NotServed, match=names("at::foo", "main.cpp:2", "not served")) as raised:
        portable.load_inline("wrong", source, functions=["f"])
    assert [each.name for each in raised.value.names] == ["at::foo", "at::Tensor::bar", "AT_STRANGE"]
