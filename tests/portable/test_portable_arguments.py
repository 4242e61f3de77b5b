"""tests/portable/test_portable_arguments.py: arguments, errors and warnings beside those that record.py compares."""

import warnings

import pytest
import torch

from torchthaw import portable

pytestmark = pytest.mark.slow
SOURCE = """
#include <torch/library.h>
std::vector<int64_t> sizes(at::IntArrayRef sizes) { return sizes.vec(); }
at::Device device(at::Device device) { return device; }
at::ScalarType dtype(at::ScalarType type) { return type; }
at::Tensor sum_over(at::Tensor x, int64_t dim) { return x.sum({dim}, false, at::kDouble); }
at::Tensor nonzero(at::Tensor x) { return at::nonzero(x); }
at::Tensor item(at::Tensor x, at::Tensor i) { return x.index({i}); }
at::Tensor made() { return at::empty({0}); }
int64_t warned(int64_t n) {
    TORCH_WARN("n is ", n);
    TORCH_CHECK_TYPE(n, "n is 0");
    return n;
}
std::string kinds(const at::Tensor &x, std::optional<at::ScalarType> type, at::Layout layout, std::optional<at::MemoryFormat> format) {
    return c10::str(int(type.value_or(x.scalar_type())), " ", int(layout), " ", format ? int(*format) : -1);
}
TORCH_LIBRARY(portable_arguments, m) {
    m.def("kinds(Tensor x, ScalarType? type, Layout layout, MemoryFormat? format=None) -> str", &kinds);
}
"""
FUNCTIONS = ["device", "sizes", "dtype", "sum_over", "nonzero", "item", "made", "warned"]


@pytest.fixture(scope="module")
def module():
    return portable.load_inline("portable_arguments", SOURCE, functions=FUNCTIONS, extra_cflags=["-O0"])


def test_sizes_are_a_list_or_a_tuple_of_numbers(module):
    assert module.sizes([2, 3]) == module.sizes((2, torch.tensor(3))) == module.sizes(torch.Size([2, 3])) == [2, 3]
    for wrong in (3, range(3), bytearray(b"ab"), ["a"], [2.0], None):
        with pytest.raises(TypeError):
            module.sizes(wrong)
    with pytest.raises(RuntimeError):
        module.sizes([torch.zeros(2)])


def test_a_text_is_no_device(module):
    assert module.device(torch.device("cuda:1")) == torch.device("cuda:1")
    for wrong in ("cpu", "\ud800", 0):
        with pytest.raises(TypeError):
            module.device(wrong)


class Shown(torch.Tensor):
    pass


def test_an_operator_by_python_gives_a_plain_tensor(module):
    """at::index has a list of PyTorch's own, so that Python calls it; __torch_function__ would make a subclass of the result."""
    x = torch.arange(3.0)
    assert type(module.item(x, torch.tensor([2]).as_subclass(Shown))) is torch.Tensor
    assert type(module.item(x.as_subclass(Shown), torch.tensor([2]))) is torch.Tensor


def test_a_number_is_no_dtype(module):
    assert module.dtype(torch.int32) is torch.int32
    for wrong in (3, False):
        with pytest.raises(TypeError):
            module.dtype(wrong)


def test_errors_of_python_inside_an_operator_keep_their_type(module):
    """PyTorch computes sizes of meta tensors in Python, whose errors come out of C++ as pybind11's."""
    with pytest.raises(IndexError, match="Dimension out of range"):
        module.sum_over(torch.empty(2, 3, device="meta"), 6)
    with pytest.raises(NotImplementedError, match="nonzero"):
        module.nonzero(torch.empty(2, device="meta"))


def test_an_index_without_dimensions(module):
    x = torch.arange(3.0)
    assert module.item(x, torch.tensor(2)).item() == 2
    for dtype in (torch.uint8, torch.bool):
        assert module.item(x, torch.tensor(1, dtype=dtype)).tolist() == [[0, 1, 2]]
        assert module.item(x, torch.tensor(0, dtype=dtype)).shape == (0, 3)


def test_kernels_get_element_types_layouts_and_memory_formats(module):
    kinds = torch.ops.portable_arguments.kinds
    assert kinds(torch.zeros(1), None, torch.strided) == "6 0 -1"
    assert kinds(torch.zeros(1), torch.float64, torch.sparse_coo, torch.channels_last) == "7 1 2"


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16])
def test_the_default_dtype_of_python_is_that_of_new_tensors(module, dtype):
    before = torch.get_default_dtype()
    assert module.made().dtype is before
    try:
        torch.set_default_dtype(dtype)
        assert module.made().dtype is dtype
    finally:
        torch.set_default_dtype(before)


def test_a_warning_of_cpp_is_one_of_python(module):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        assert module.warned(3) == 3
        with pytest.raises(TypeError, match="n is 0"):
            module.warned(0)
    assert [(each.category, str(each.message)) for each in seen] == [(UserWarning, "n is 3"), (UserWarning, "n is 0")]


def test_a_warning_that_is_an_error_ends_the_call(module):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="n is 3"):
            module.warned(3)
