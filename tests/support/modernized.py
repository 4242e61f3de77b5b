# tests/support/modernized.py: a small old project, and what modernize makes of it, both written by hand.
from typing import NamedTuple

from support.legacy_project import files
from torchthaw.modernize.remarks import FunctionClass
from torchthaw.modernize.result import Result

HEADER = """
int toy_Float_scale(THFloatTensor *input, THFloatTensor *output, double factor);
int toy_Double_scale(THDoubleTensor *input, THDoubleTensor *output, double factor);
int toy_square(THFloatTensor *input, THFloatTensor *output);
int toy_slope(THFloatTensor *input, THFloatTensor *grad_output, THFloatTensor *grad_input);
int toy_raw_double(THFloatTensor *input, THFloatTensor *output);
int toy_take(THFloatTensor *input, THLongTensor *places, THFloatTensor *output);
int toy_unset(THFloatTensor *input, THFloatTensor *output);
int toy_leave(THFloatTensor *input, THFloatTensor *output);
int toy_crash(THFloatTensor *input, THFloatTensor *output);
int toy_fill(THFloatTensor *output, float value);
"""
SOURCE = """
#include <TH/TH.h>

#define SCALE(Real, real)                                                                                 \\
  int toy_##Real##_scale(TH##Real##Tensor *input, TH##Real##Tensor *output, double factor) {              \\
    TH##Real##Tensor_resizeAs(output, input);                                                             \\
    TH##Real##Tensor_mul(output, input, (real)factor);                                                    \\
    return 1;                                                                                             \\
  }
SCALE(Float, float)
SCALE(Double, double)

int toy_square(THFloatTensor *input, THFloatTensor *output) {
  THFloatTensor_resizeAs(output, input);
  THFloatTensor_cmul(output, input, input);
  return 1;
}
int toy_slope(THFloatTensor *input, THFloatTensor *grad_output, THFloatTensor *grad_input) {
  THFloatTensor_resizeAs(grad_input, input);
  THFloatTensor_cmul(grad_input, input, grad_output);
  THFloatTensor_mul(grad_input, grad_input, 2);
  return 1;
}
/* Reads the memory of input without a look at its strides. */
int toy_raw_double(THFloatTensor *input, THFloatTensor *output) {
  THFloatTensor_resizeAs(output, input);
  for (ptrdiff_t i = 0; i < THFloatTensor_nElement(input); ++i)
    THFloatTensor_data(output)[i] = 2 * THFloatTensor_data(input)[i];
  return 1;
}
int toy_take(THFloatTensor *input, THLongTensor *places, THFloatTensor *output) {
  ptrdiff_t count = THFloatTensor_nElement(input);
  THFloatTensor_resize1d(output, THLongTensor_nElement(places));
  for (ptrdiff_t i = 0; i < THLongTensor_nElement(places); ++i) {
    THArgCheck(THLongTensor_data(places)[i] < count && THLongTensor_data(places)[i] >= 7, 2, "place out of range");
    THFloatTensor_data(output)[i] = THFloatTensor_data(input)[THLongTensor_data(places)[i]];
  }
  return 1;
}
/* Computes with memory that nobody has set. */
int toy_unset(THFloatTensor *input, THFloatTensor *output) {
  volatile float *unset = malloc(33 << 20); /* always new pages of the system, which are zero: glibc keeps less */
  THFloatTensor_resizeAs(output, input);
  THFloatTensor_fill(output, unset[1000]);
  free((void *)unset);
  return 1;
}
int toy_leave(THFloatTensor *input, THFloatTensor *output) { exit(3); }
int toy_crash(THFloatTensor *input, THFloatTensor *output) { return *(volatile int *)8; }
int toy_fill(THFloatTensor *output, float value) {
  THFloatTensor_fill(output, value);
  return 7;
}
"""
BUILD = """
from torch.utils.ffi import create_extension

ffi = create_extension("_ext.toy", headers=["src/toy.h"], sources=["src/toy.c"], relative_to=__file__)
if __name__ == "__main__":
    ffi.build()
"""
SETUP = """
import torchthaw
from setuptools import setup

setup(
    name="toy", version="1.0", packages=["toy", "toy.functions"],
    ext_modules=[torchthaw.FFIExtension("toy._ext.toy", headers=["src/toy.h"], sources=["src/toy.c"], th=True)],
    cmdclass={"build_ext": torchthaw.BuildExtension},
)
"""


class Case(NamedTuple):
    """One Function before and after; constants and tensors as FunctionClass has them."""

    old: str
    new: str
    tensors: tuple = ("input",)
    constants: tuple = ()


# A static Function is the same in both.
SQUARE = """
class Square(Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        output = input.new()
        toy.toy_square(input, output)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        input, = ctx.saved_tensors
        grad_input = input.new()
        toy.toy_slope(input.data, grad_output.data.contiguous(), grad_input)
        return grad_input
"""
OLD_SCALE = """
class Scale(Function):
    def __init__(self, factor=2.0):
        super(Scale, self).__init__()
        self.factor = factor

    def forward(self, input):
        return scaled(input, self.factor)

    def backward(self, grad_output):
        return scaled(grad_output, self.factor)
"""
NEW_SCALE = """
class Scale(Function):
    @staticmethod
    def forward(ctx, input, factor=2.0):
        ctx.factor = factor
        return scaled(input, factor)

    @staticmethod
    def backward(ctx, grad_output):
        return scaled(grad_output, ctx.factor), None
"""
SCALED = """
def scaled(input, factor):
    output = input.new()
    scale = toy.toy_Double_scale if "Double" in input.type() else toy.toy_Float_scale
    scale(input, output, factor)
    return output
"""
# A Function that calls one C function, with a backward that calls one as well.
SIMPLE = """
class {name}(Function):
    @staticmethod
    def forward(ctx, input):
        output = input.new()
        toy.{forward}(input, output)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        grad_input = grad_output.new()
        toy.{backward}(grad_output{contiguous}, grad_input)
        return grad_input
"""


def simple(name, forward, backward, contiguous=".contiguous()"):
    return SIMPLE.format(name=name, forward=forward, backward=backward, contiguous=contiguous)


TAKE = """
class Take(Function):
    @staticmethod
    def forward(ctx, input, places):
        output = input.new()
        toy.toy_take(input, places, output)
        return output
"""
CASES = {
    "Square": Case(SQUARE, SQUARE),
    "Scale": Case(OLD_SCALE, NEW_SCALE, constants=("factor",)),
    "Wrong": Case(OLD_SCALE.replace("Scale", "Wrong"),
                  NEW_SCALE.replace("Scale", "Wrong").replace("scaled(input, factor)", "scaled(input, factor + 1)"),
                  constants=("factor",)),
    "Expanded": Case(simple("Expanded", "toy_raw_double", "toy_raw_double"),
                     simple("Expanded", "toy_raw_double", "toy_raw_double", contiguous="")),
    "Straight": Case(*[simple("Straight", "toy_square", "toy_raw_double")] * 2),
    "Unset": Case(*[simple("Unset", "toy_unset", "toy_raw_double")] * 2),
    "Leaves": Case(*[simple("Leaves", "toy_leave", "toy_raw_double")] * 2),
    "Crashes": Case(*[simple("Crashes", "toy_crash", "toy_raw_double")] * 2),
    "Take": Case(TAKE, TAKE, tensors=("input", "places")),
}  # fmt: skip
SCRIPT = """
import torch
from {package}functions.toys import Take
from {package}_ext import toy

assert Take.apply(torch.arange(12.0), torch.LongTensor([7, 9, 8])).tolist() == [7, 9, 8]
output = torch.zeros(3)
assert toy.toy_fill(output, 1.5) == 7
"""


def write(folder, names=tuple(CASES)):
    """Writes both projects below ``folder``, with the Functions ``names``; the Result."""
    old, new = folder / "old" / "toy", folder / "new" / "toy"
    head = "from torch.autograd import Function\n"
    old_code, new_code = ("".join(getattr(CASES[name], side) for name in names) for side in ("old", "new"))
    sources = {"src/toy.h": HEADER, "src/toy.c": SOURCE}
    files(old, {
        **sources, "build.py": BUILD, "functions/__init__.py": "",
        "functions/toys.py": head + "from _ext import toy\n" + SCALED + old_code,
        "test.py": SCRIPT.format(package=""),
    })  # fmt: skip
    files(new, {
        **sources, "setup.py": SETUP, "toy/__init__.py": "", "toy/functions/__init__.py": "",
        "toy/functions/toys.py": head + "from .._ext import toy\n" + SCALED + new_code,
        "tests/test.py": SCRIPT.format(package="toy."),
    })  # fmt: skip
    functions = [
        FunctionClass("toy.functions.toys", name, case.tensors, case.constants, (), "functions/toys.py", number)
        for number, (name, case) in enumerate(CASES.items(), 1) if name in names
    ]  # fmt: skip
    modules = {"functions": "toy.functions", "functions.toys": "toy.functions.toys", "_ext.toy": "toy._ext.toy"}
    return Result(old, new, "toy", ("toy._ext.toy",), ("_ext.toy",), ("build.py",), modules, functions, [])
