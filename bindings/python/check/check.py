# bindings/python/check/check.py: the test program of the binding: version, vectors, marks, threads, time.
import os
import sys
import threading
import timeit
from pathlib import Path

import my_lib
import numpy
from my_lib._my_lib import ffi, lib

MARK = 1234.5
THREADS, ROUNDS = 8, 20
NAN = numpy.float32(numpy.nan)
# The arguments of each function, in order: an input by its name, an output behind a colon.
LLTM_GRADIENTS = " :d_input :d_weights :d_bias :d_old_h :d_old_cell"
ARGUMENTS = {
    "my_lib_add_forward": "input1 input2 :output",
    "my_lib_add_backward": "grad_output :grad_input1 :grad_input2",
    "my_lib_linear_forward": "input weight bias :output",
    "my_lib_linear_backward": "grad_output input weight :grad_input :grad_weight :grad_bias",
    "lltm_forward": "input weights bias old_h old_cell :new_h :new_cell :gates",
    "lltm_backward": "grad_h grad_cell new_cell gates input old_h weights" + LLTM_GRADIENTS,
    "lltm_sequence_forward": "input weights bias old_h old_cell :h :cell :gates",
    "lltm_sequence_backward": (
        "grad_h grad_last_h grad_last_cell cell gates input h old_h old_cell weights" + LLTM_GRADIENTS
    ),
}


def named(function):
    """The C name of a function of the vectors."""
    return function if function.startswith("lltm") else f"my_lib_{function}"


def expect(what, got, expected):
    if got != expected:
        raise AssertionError(f"{what}: expected {expected!r}, got {got!r}")


def sizes_beside(function, arrays):
    """The size of a backward that only arrays say which may be absent: then it is an argument."""
    if not function.endswith("backward") or "add" in function:
        return {}
    last = {name: array.shape[-1] for name, array in arrays.items() if array is not None}
    if function == "my_lib_linear_backward":
        found = [last[name] for name in ("input", "weight", "grad_input", "grad_weight") if name in last]
        return {"in_features": found[0] if found else 1}
    found = [last[name] for name in ("input", "d_input") if name in last]
    found += [last[name] - last["grad_h"] for name in ("weights", "d_weights") if name in last]
    return {"input_size": found[0] if found else 1}


def text_of(string):
    return ffi.string(string).decode()


def error_of(function, *arguments, keywords=None):
    """What a call raises, with the arguments under these names if there are any."""
    try:
        function(**dict(zip(keywords, arguments))) if keywords else function(*arguments)
    except (RuntimeError, TypeError, ValueError) as error:
        return error
    raise AssertionError(f"{function.__name__}: expected an error")


# ---- vectors


def shape_of(words):
    ndim, *shape = map(int, words)
    return None if ndim < 0 else tuple(shape)


def entries(folder):
    """(words of the first line, sizes, inputs, outputs, text) of each case and error of the index."""
    for block in (folder / "index.txt").read_text().split("end\n"):
        head, sizes, inputs, outputs, text = [], {}, {}, {}, ""
        for line in block.splitlines():
            kind, *words = line.split(" ")
            if kind == "size":
                sizes[words[0]] = int(words[1])
            elif kind in ("in", "out"):
                (inputs if kind == "in" else outputs)[words[0]] = shape_of(words[1:])
            elif kind == "text":
                text = line.removeprefix("text ")
            else:
                head = [kind, *words]
        if head:
            yield head, sizes, inputs, outputs, text


def replay(folder, head, inputs, outputs):
    """Calls a case's function with outputs that are given, and again, where there is every output, for new ones."""
    _, name, function, file, rtol, atol = head
    numbers = numpy.fromfile(folder / file, "<f4")
    arrays, position = {}, 0
    for each, shape in [*inputs.items(), *outputs.items()]:
        count = 0 if shape is None else int(numpy.prod(shape))
        arrays[each] = None if shape is None else numbers[position : position + count].reshape(shape)
        position += count
    expect(f"{name}: numbers", position, len(numbers))
    words = ARGUMENTS[named(function)].split()
    call = getattr(my_lib, named(function))
    given = {word: arrays.get(word) for word in words if word[0] != ":"}
    written = [word[1:] for word in words if word[0] == ":"]
    made = {each: None if outputs.get(each) is None else numpy.full(outputs[each], NAN) for each in written}
    given.update(sizes_beside(named(function), {**given, **made}))
    expect(f"{name}: result", call(**given, **made), 1)
    results = [made]
    if all(each is not None for each in made.values()):
        fresh = call(**given)
        results.append(dict(zip(written, fresh if isinstance(fresh, tuple) else [fresh])))
    for found in results:
        for each, result in found.items():
            if result is None:
                continue
            expect(f"{name}: {each}: shape", result.shape, outputs[each])
            fits = numpy.abs(result - arrays[each]) <= float(atol) + float(rtol) * numpy.abs(arrays[each])
            expect(f"{name}: {each}: number of wrong values", int(numpy.size(fits) - numpy.sum(fits)), 0)


def zeros(shape):
    return numpy.zeros(shape, numpy.float32)


def provoke(head, sizes, inputs):
    """The text of an entry's error. What the package would refuse before C does is asked of C by cffi."""
    name, function = head[1], named(head[2])
    if name == "add_forward-shapes":
        return str(error_of(my_lib.my_lib_add_forward, *map(zeros, inputs.values()), keywords=("input1", "input2")))
    counts = {"my_lib_linear_forward": (3, 1), "lltm_forward": (5, 3)}[function]
    address = ffi.new("float[64]")
    arguments = [address] * counts[0] + [*sizes.values()] + [address] * counts[1] + [ffi.NULL, 0]
    expect(f"{name}: result", getattr(lib, function)(*arguments), 0)
    code = lib.my_lib_last_error_code()
    expect(f"{name}: code", (code, text_of(lib.my_lib_error_name(code))), (int(head[3]), head[4]))
    return text_of(lib.my_lib_last_error_message())


def vectors(folder):
    cases = errors = 0
    for head, sizes, inputs, outputs, text in entries(Path(folder)):
        if head[0] == "case":
            replay(Path(folder), head, inputs, outputs)
            cases += 1
        else:
            expect(head[1], provoke(head, sizes, inputs), text)
            errors += 1
    own_checks()
    print(f"vectors {cases}\nerrors {errors}")


def own_checks():
    """What the package refuses, and other element types."""
    x, weight = zeros((3, 5)), zeros((7, 5))
    read_only = zeros((3, 7))
    read_only.flags.writeable = False
    names = "input", "weight", "bias", "output"
    for words, arguments in [
        (("weight", "(7, 5)", "(7, 4)"), (x, zeros((7, 4)), None, zeros((3, 7)))),
        (("bias", "(7,)", "(5,)"), (x, weight, zeros(5))),
        (("output", "(3, 7)", "(7, 3)"), (x, weight, None, zeros((7, 3)))),
        (("input",), ([[1.0]], weight, None)),
        (("weight", "float32", "float64"), (x, weight.astype("f8"), None)),
        (("weight", "contiguous", "strides"), (x, zeros((5, 7)).T, None)),
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


# ---- marks


def marks():
    """Every array shows what the stand-in wrote into it."""

    def ones(*shape):
        return numpy.ones(shape, numpy.float32)

    calls = [
        (my_lib.my_lib_add_forward, [ones(2, 3), ones(2, 3), ones(2, 3)]),
        (my_lib.my_lib_linear_forward, [ones(3, 5), ones(7, 5), ones(7), ones(3, 7)]),
        (my_lib.lltm_forward,
         [ones(3, 5), ones(12, 9), ones(12), ones(3, 4), ones(3, 4), ones(3, 4), ones(3, 4), ones(3, 12)]),
        (my_lib.lltm_sequence_forward,
         [ones(2, 3, 5), ones(12, 9), ones(12), ones(3, 4), ones(3, 4), ones(2, 3, 4), ones(2, 3, 4), ones(2, 3, 12)]),
    ]  # fmt: skip
    checked = 0
    for function, arrays in calls:
        names = [word.lstrip(":") for word in ARGUMENTS[function.__name__].split()]
        function(**dict(zip(names, arrays)))
        for index, array in enumerate(arrays):
            expect(f"{function.__name__}: array {index}", float(array.flat[0]), MARK)
            checked += 1
    print(f"marks {checked}")


# ---- threads


def large(seed):
    """A large call, and whether it is right."""
    random = numpy.random.default_rng(seed)
    input, weight = (random.standard_normal((256, 256), numpy.float32) for _ in range(2))
    output = my_lib.my_lib_linear_forward(input=input, weight=weight, bias=None)
    expect(f"thread {seed}: linear", bool(numpy.allclose(output, input @ weight.T, 1e-3, 1e-3)), True)


def thread(number, calls, failures):
    try:
        for round in range(ROUNDS):
            large(number)
            sum = my_lib.my_lib_add_forward(input1=numpy.full(25, number, "f4"), input2=numpy.full(25, round, "f4"))
            expect(f"thread {number}: add", sum.tolist(), [number + round] * 25)
            two = zeros(number + 1), zeros(number + 100)
            error = error_of(my_lib.my_lib_add_forward, *two, keywords=("input1", "input2"))
            expect("message", str(error), f"input2: expected shape ({number + 1},), got ({number + 100},)")
            calls.append(3)
    except BaseException as error:
        failures.append(error)


def threads():
    calls, failures = [], []
    started = [threading.Thread(target=thread, args=(number, calls, failures)) for number in range(THREADS)]
    for each in started:
        each.start()
    for each in started:
        each.join()
    if failures:
        raise failures[0]
    child = os.fork()
    if child == 0:
        try:
            large(0)
            os._exit(0)
        finally:
            os._exit(1)
    expect("status of the child", os.waitpid(child, 0)[1], 0)
    print(f"threads {sum(calls)}")


# ---- time


def time():
    one, two, output = (numpy.ones(25, numpy.float32) for _ in range(3))
    number = 100
    call = "add(input1=one, input2=two, output=output)"
    names = {"add": my_lib.my_lib_add_forward, "one": one, "two": two, "output": output}
    seconds = timeit.repeat(call, globals=names, number=number, repeat=500)
    print(f"time {min(seconds) / number * 1e9:.1f}")


def version():
    found = text_of(lib.my_lib_version())
    print(f"version {found}")
    expect("build_info", found in text_of(lib.my_lib_build_info()), True)


if __name__ == "__main__":
    functions = {each.__name__: each for each in (version, vectors, marks, threads, time)}
    functions[sys.argv[1]](*sys.argv[2:])
