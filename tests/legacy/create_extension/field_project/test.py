# tests/legacy/create_extension/field_project/test.py: the project's own tests, as plain functions; prints the name of
# each that holds.
import os
import sys
import traceback
import warnings

import cffi
import lib
import torch
from torch.autograd import Function, Variable


class Scale(Function):
    def forward(self, input, weight):
        self.metadata = "the user's own"
        self.save_for_backward(input, weight)
        output = input.new()
        lib.scale(input, weight, output)
        return output

    def backward(self, grad_output):
        input, weight = self.saved_tensors
        grad_input = grad_output.new()
        lib.raw_double(grad_output, grad_input)
        self.seen = grad_output
        return grad_input, None


class Holder(torch.nn.Module):
    """Keeps its Function and its weight, and passes the weight to C inside forward."""

    def __init__(self):
        super(Holder, self).__init__()
        self.weight = torch.nn.Parameter(torch.FloatTensor([2]))
        module = self

        class Inside(Function):
            def forward(self, input):
                output = input.new()
                lib.scale(input, module.weight, output)
                lib.scale(module.weight, module.weight, module.weight)
                return output

            def backward(self, grad_output):
                return grad_output

        self.function = Inside()

    def forward(self, input):
        return self.function(input)


def fails(message, function, *arguments):
    try:
        function(*arguments)
    except torch.FatalError as error:
        assert isinstance(error, RuntimeError) and message in str(error), str(error)
        return
    raise AssertionError("no error")


def check_runtime_of_cpp_and_openmp():
    x = torch.FloatTensor([3, 1, 2])
    assert lib.sort_values(x) == 2 and x.tolist() == [1, 2, 3]


def check_foreign_compilers_find_the_headers():
    assert lib.made_total(torch.ones(5)) == 5


def check_th_h_brings_libc():
    assert lib._ffi.string(lib.format(2.5)) == b"2.0 4 8 2147483647"


check_real_is_free = check_th_h_brings_libc  # the source defines `real`


def check_function_of_another_type():
    assert lib.long_is_contiguous(torch.ones(2, 3)) == 1 and lib.long_is_contiguous(torch.ones(2, 3).t()) == 0


def check_errors_cost_no_recursion_budget():
    for _ in range(3 * sys.getrecursionlimit()):
        fails("seven dimensions", lib.fail, torch.ones(1))

    def deep(n):
        return n and deep(n - 1)

    assert deep(sys.getrecursionlimit() - 200) == 0


def check_attributes_of_ctx_and_self_are_free():
    function = Scale()
    function.metadata = "set before"
    y = function(Variable(torch.ones(2), requires_grad=True), Variable(torch.ones(1)))
    assert function.metadata == "the user's own" and y.data.tolist() == [1, 1]

    class Static(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.metadata = ctx.next_functions = ctx.saved_variables = 7
            return x * 2

        @staticmethod
        def backward(ctx, grad_output):
            assert ctx.metadata == 7
            return grad_output * 2

    Static.apply(torch.ones(1, requires_grad=True)).sum().backward()


def check_wrapper_as_a_destructor():
    before = lib.released()
    block = lib._ffi.gc(lib.acquire(), lib.release)
    del block
    assert lib.released() == before + 1
    check_wrapper_as_a_destructor.kept = lib._ffi.gc(lib.acquire(), lib.release)  # until the interpreter ends


def check_cdata_of_another_ffi():
    other = cffi.FFI()
    slot = other.new("void *[1]")
    assert lib.is_null(other.NULL) == 1 and lib.is_null(slot) == 0
    assert lib._ffi.cast("uintptr_t", lib.at_place(slot)) == 0


def check_parameter_that_requires_grad_inside_forward():
    module = Holder()
    assert module(Variable(torch.ones(3), requires_grad=True)).data.tolist() == [2, 2, 2]
    assert module.weight.data.tolist() == [4] and module.weight.requires_grad


def check_no_deprecation_warning_for_instances():
    with warnings.catch_warnings():
        warnings.simplefilter("error")

        class WithInit(Function):
            def __init__(self, factor):
                super(WithInit, self).__init__()
                self.factor = factor

        assert WithInit(3).factor == 3 and Scale() is not None


def check_relative_extra_objects_and_include_dirs():
    assert lib.place() == 14 and lib.from_library() == 24


def check_resize_through_data_reaches_the_owner():
    output = Variable(torch.FloatTensor())
    lib.resize4(output.data)
    assert output.size() == (4,) and output.data.tolist() == [3, 3, 3, 3]
    other = Variable(torch.FloatTensor())
    other.data.resize_(4)
    assert other.size() == (4,)


def check_gradients_are_contiguous():
    function = Scale()
    x = Variable(torch.ones(4, 5), requires_grad=True)
    function(x, Variable(torch.ones(1))).sum().backward()
    assert function.seen.is_contiguous() and x.grad.data.tolist() == [[2] * 5] * 4


def check_leaf_reshaped_to_the_same_size():
    parameter = torch.nn.Parameter(torch.arange(6.0))
    lib.column(parameter)
    assert parameter.size() == (6, 1) and parameter.is_leaf and parameter.requires_grad
    try:
        lib.grow(parameter, 1000)
    except RuntimeError as error:
        assert "require grad" in str(error), str(error)
    else:
        raise AssertionError("it grew")
    assert parameter.size() == (6, 1)


def check_growth_is_zero_filled():
    for _ in range(20):
        x = torch.FloatTensor(3).fill_(7)
        lib.grow(x, 5000)
        assert x[:3].tolist() == [7, 7, 7] and not x[3:].any()
        del x
        torch.FloatTensor(5000).fill_(9)  # what the next growth may find in memory


def check_inline_means_inline():
    assert lib.inlined(18) == 19


def check_more_of_cdef():
    assert lib.wide_length("wide") == 4 and lib.reduction_number(5) == 5 and lib.MEAN == 5
    pointer = lib.acquire()
    assert lib.is_null(pointer) == 0
    lib.release(pointer)
    assert lib.const_elements(torch.ones(2, 3)) == 6


def check_library_without_a_soname():
    assert lib.from_library() == 24


check_aten_h_is_there = check_runtime_of_cpp_and_openmp  # its source includes ATen/ATen.h


def check_exceptions_of_the_project():
    fails("a runtime error of the project", lib.throw_it, 0)
    fails("an index of the project", lib.throw_it, 1)
    fails("a C++ exception that is no std::exception", lib.throw_it, 2)


def check_th_calls_in_openmp_loops():
    matrix, output = torch.arange(4000.0).view(400, 10), torch.FloatTensor()
    for _ in range(20):
        lib.sum_rows(matrix, output)
        assert torch.equal(output, matrix.sum(1))
    fails("out of range", lib.rows_past_the_end, matrix)
    lib.sum_rows(matrix, output)
    assert torch.equal(output, matrix.sum(1))


if __name__ == "__main__":
    os.environ["SAY_RELEASED"] = "1"
    for name, function in sorted(globals().items()):
        if name.startswith("check_"):
            try:
                function()
                print(name, flush=True)
            except Exception:
                traceback.print_exc()
