# bindings/python/check/check.py: the test program of the binding: version, vectors, marks, threads, time.
import os
import timeit

import my_lib
import numpy
import vectors
from my_lib._my_lib import ffi, lib
from vectors import READ, WRITTEN, expect, zeros

NAN = numpy.float32(numpy.nan)


def text_of(string):
    return ffi.string(string).decode()


def error_of(function, *arguments, keywords=None):
    """What a call raises, with the arguments under these names if there are any."""
    try:
        function(**dict(zip(keywords, arguments))) if keywords else function(*arguments)
    except (RuntimeError, TypeError, ValueError) as error:
        return error
    raise AssertionError(f"{function.__name__}: expected an error")


def add_refuses(*arrays):
    return str(error_of(my_lib.my_lib_add_forward, *arrays, keywords=("input1", "input2")))


def replay(entry, folder):
    """Calls a case's function with outputs that are given, and again, where there is every output, for new ones."""
    call = getattr(my_lib, entry.function)
    given, expected = entry.arrays(folder)
    given.update(entry.number())
    made = {each: None if x is None else numpy.full(x.shape, NAN) for each, x in expected.items()}
    expect(f"{entry.name}: result", call(**given, **made), 1)
    entry.compare(made, expected)
    if all(each is not None for each in made.values()):
        fresh = call(**given)
        entry.compare(dict(zip(made, fresh if isinstance(fresh, tuple) else [fresh])), expected)


def provoke(entry):
    """The text of an entry's error. What the package would refuse before C does is asked of C by cffi."""
    if entry.name == "add_forward-shapes":
        return add_refuses(*(zeros(*shape) for shape in entry.inputs.values()))
    address = ffi.new("float[64]")
    read, written = ([address] * len(words[entry.function]) for words in (READ, WRITTEN))
    arguments = [*read, *entry.sizes.values(), *written, ffi.NULL, 0]
    expect(f"{entry.name}: result", getattr(lib, entry.function)(*arguments), 0)
    code = lib.my_lib_last_error_code()
    expect(f"{entry.name}: code", [str(code), text_of(lib.my_lib_error_name(code))], entry.more)
    return text_of(lib.my_lib_last_error_message())


def own_checks():
    """What the package refuses, and other element types."""
    x, weight = zeros(3, 5), zeros(7, 5)
    read_only = zeros(3, 7)
    read_only.flags.writeable = False
    names = "input", "weight", "bias", "output"
    for words, arguments in [
        (("weight", "(7, 5)", "(7, 4)"), (x, zeros(7, 4), None, zeros(3, 7))),
        (("bias", "(7,)", "(5,)"), (x, weight, zeros(5))),
        (("output", "(3, 7)", "(7, 3)"), (x, weight, None, zeros(7, 3))),
        (("input",), ([[1.0]], weight, None)),
        (("weight", "float32", "float64"), (x, weight.astype("f8"), None)),
        (("weight", "contiguous", "strides"), (x, zeros(5, 7).T, None)),
        (("output", "read-only"), (x, weight, None, read_only)),
    ]:  # fmt: skip
        error = str(error_of(my_lib.my_lib_linear_forward, *arguments, keywords=names))
        expect(f"words of {error!r}", [word for word in words if word not in error], [])
    expect("an input that is the output", my_lib.my_lib_add_forward(input1=x, input2=x, output=x), 1)
    for dtype, name, tolerance in (("f8", "f64", 1e-12), ("f2", "f16", 1e-2)):
        given = numpy.linspace(-1, 1, 15).reshape(3, 5).astype(dtype)
        other = numpy.linspace(-2, 1, 35).reshape(7, 5).astype(dtype)
        output = getattr(my_lib, f"my_lib_linear_forward_{name}")(input=given, weight=other, bias=None)
        expect("dtype", output.dtype, given.dtype)
        expect(f"{dtype}: close", bool(numpy.allclose(output, given @ other.T, tolerance, tolerance)), True)
        expect(f"{dtype}: functions", bool((my_lib.functions.linear(given, other) == output).all()), True)


def call(function, arrays):
    getattr(my_lib, function)(**dict(zip(READ[function] + WRITTEN[function], arrays)))
    return arrays


def linear(input, weight):
    return my_lib.my_lib_linear_forward(input=input, weight=weight, bias=None)


def add(one, other):
    return my_lib.my_lib_add_forward(input1=one, input2=other)


def forks():
    child = os.fork()
    if child == 0:
        try:
            vectors.large(linear, 0)
            os._exit(0)
        finally:
            os._exit(1)
    expect("status of the child", os.waitpid(child, 0)[1], 0)


def time():
    one, two, output = (numpy.ones(25, numpy.float32) for _ in range(3))
    number = 100
    names = {"add": my_lib.my_lib_add_forward, "one": one, "two": two, "output": output}
    seconds = timeit.repeat(
        "add(input1=one, input2=two, output=output)", globals=names, number=number, repeat=500
    )  # fmt: skip
    print(f"time {min(seconds) / number * 1e9:.1f}")


def version():
    found = text_of(lib.my_lib_version())
    print(f"version {found}")
    expect("build_info", found in text_of(lib.my_lib_build_info()), True)


if __name__ == "__main__":
    vectors.main(
        version=version, vectors=vectors.vectors(replay, provoke, own_checks), marks=vectors.marks(call),
        threads=vectors.threads(linear, add, add_refuses, forks), time=time,
    )  # fmt: skip
