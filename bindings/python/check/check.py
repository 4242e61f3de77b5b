# bindings/python/check/check.py: the test program of the binding: version, vectors, marks, threads, time.
import os
import sys
import threading
import timeit
from pathlib import Path

import my_lib
import numpy
from my_lib.library import check, library

MARK = 1234.5
THREADS, ROUNDS = 8, 20
NAN = numpy.float32(numpy.nan)
# The arguments of each function, in order: an input by its name, an output behind a colon.
LLTM_GRADIENTS = " :d_input :d_weights :d_bias :d_old_h :d_old_cell"
ARGUMENTS = {
    "add_forward": "input1 input2 :output",
    "add_backward": "grad_output :grad_input1 :grad_input2",
    "linear_forward": "input weight bias :output",
    "linear_backward": "grad_output input weight :grad_input :grad_weight :grad_bias",
    "lltm_forward": "input weights bias old_h old_cell :new_h :new_cell :gates",
    "lltm_backward": "grad_h grad_cell new_cell gates input old_h weights" + LLTM_GRADIENTS,
    "lltm_sequence_forward": "input weights bias old_h old_cell :h :cell :gates",
    "lltm_sequence_backward": (
        "grad_h grad_last_h grad_last_cell cell gates input h old_h old_cell weights" + LLTM_GRADIENTS
    ),
}


def expect(what, got, expected):
    if got != expected:
        raise AssertionError(f"{what}: expected {expected!r}, got {got!r}")


def error_of(function, *arguments):
    """What a call raises."""
    try:
        function(*arguments)
    except (my_lib.MyLibError, TypeError, ValueError) as error:
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


def replay(folder, head, inputs, outputs, workspace):
    """Calls a case's function with outputs that are given, and again for new ones, and compares."""
    _, name, function, file, rtol, atol = head
    numbers = numpy.fromfile(folder / file, "<f4")
    arrays, position = {}, 0
    for each, shape in [*inputs.items(), *outputs.items()]:
        count = 0 if shape is None else int(numpy.prod(shape))
        arrays[each] = None if shape is None else numbers[position : position + count].reshape(shape)
        position += count
    expect(f"{name}: numbers", position, len(numbers))
    words = ARGUMENTS[function].split()
    for makes in (lambda shape: numpy.full(shape, NAN), lambda shape: None):
        made = {each: False if shape is None else makes(shape) for each, shape in outputs.items()}
        arguments = [made.get(word[1:], False) if word[0] == ":" else arrays[word] for word in words]
        keywords = {} if function.startswith("add") else {"workspace": workspace}
        results = getattr(my_lib, function)(*arguments, **keywords)
        results = results if isinstance(results, tuple) else (results,)
        for word, result in zip([word[1:] for word in words if word[0] == ":"], results):
            if outputs.get(word) is None:
                expect(f"{name}: {word}", result, None)
                continue
            expect(f"{name}: {word}: shape", result.shape, outputs[word])
            if made[word] is not None:
                expect(f"{name}: {word}: the array that was given", result is made[word], True)
            fits = numpy.abs(result - arrays[word]) <= float(atol) + float(rtol) * numpy.abs(arrays[word])
            expect(f"{name}: {word}: number of wrong values", int(numpy.size(fits) - numpy.sum(fits)), 0)


def zeros(shape):
    return numpy.zeros(shape, numpy.float32)


def provoke(head, sizes, inputs):
    """The error of an entry. What the layer would refuse before C does goes by the raw declarations."""
    name = head[1]
    if name == "add_forward-shapes":
        return error_of(my_lib.add_forward, *map(zeros, inputs.values()))
    numbers = zeros(64)
    address = numbers.ctypes.data
    counts = {"linear_forward": (3, 1), "lltm_forward": (5, 3)}[head[2]]
    function = getattr(library, {"linear_forward": "my_lib_linear_forward"}.get(head[2], head[2]))
    arguments = [address] * counts[0] + [*sizes.values()] + [address] * counts[1] + [None, 0]
    return error_of(lambda: check(function(*arguments)))


def vectors(folder):
    cases = errors = 0
    workspace = my_lib.Workspace()
    for head, sizes, inputs, outputs, text in entries(Path(folder)):
        if head[0] == "case":
            replay(Path(folder), head, inputs, outputs, workspace)
            cases += 1
        else:
            error = provoke(head, sizes, inputs)
            got = (error.code, error.name, error.message, str(error))
            expect(head[1], got, (int(head[3]), head[4], text, text))
            errors += 1
    own_checks()
    print(f"vectors {cases}\nerrors {errors}")


def own_checks():
    """What only the layer can refuse, and other element types."""
    x, weight = zeros((3, 5)), zeros((7, 5))
    read_only = zeros((3, 7))
    read_only.flags.writeable = False
    not_written = "output: expected an array that can be written to, got a read-only one"
    mismatch, text = my_lib.MyLibError, "a NumPy array of float32"
    for kind, message, arguments in [
        (mismatch, "weight: expected shape (7, 5), got (7, 4)", (x, zeros((7, 4)))),
        (mismatch, "input: expected shape (batch, in_features), got (3,)", (zeros(3), weight)),
        (mismatch, "bias: expected shape (7,), got (5,)", (x, weight, zeros(5))),
        (mismatch, "output: expected shape (3, 7), got (7, 3)", (x, weight, None, zeros((7, 3)))),
        (TypeError, f"input: expected {text} or float64 or float16, got list", ([[1.0]], weight)),
        (TypeError, f"weight: expected {text}, got one of float64", (x, weight.astype("f8"))),
        (TypeError, f"input: expected {text} or float64 or float16, got one of >f4", (x.astype(">f4"), weight)),
        (TypeError, f"bias: expected {text}, got float32", (x, weight, numpy.float32(1))),
        (ValueError, "weight: expected a C-contiguous array, got strides (4, 28)", (x, zeros((5, 7)).T)),
        (ValueError, not_written, (x, weight, None, read_only)),
        (TypeError, "workspace: expected a Workspace or None, got int", (x, weight, None, None, 5)),
    ]:  # fmt: skip
        error = error_of(my_lib.linear_forward, *arguments)
        expect("error", (type(error), str(error)), (kind, message))
    error = error_of(my_lib.linear_backward, read_only)
    expect("error", str(error), "input: expected a NumPy array, as grad_weight is not False, got None")
    error = error_of(my_lib.set_num_threads, -1)
    expect("set_num_threads", error.name, "MY_LIB_ERROR_INVALID_VALUE")
    for dtype, tolerance in (("f8", 1e-12), ("f2", 1e-2)):
        given = numpy.linspace(-1, 1, 15).reshape(3, 5).astype(dtype)
        other = numpy.linspace(-2, 1, 35).reshape(7, 5).astype(dtype)
        output = my_lib.linear_forward(given, other)
        expect("dtype", output.dtype, given.dtype)
        expect(f"{dtype}: close", bool(numpy.allclose(output, given @ other.T, tolerance, tolerance)), True)


# ---- marks


def marks():
    """Every array shows what the stand-in wrote into it."""

    def ones(*shape):
        return numpy.ones(shape, numpy.float32)

    calls = [
        (my_lib.add_forward, [ones(2, 3), ones(2, 3), ones(2, 3)]),
        (my_lib.linear_forward, [ones(3, 5), ones(7, 5), ones(7), ones(3, 7)]),
        (my_lib.lltm_forward,
         [ones(3, 5), ones(12, 9), ones(12), ones(3, 4), ones(3, 4), ones(3, 4), ones(3, 4), ones(3, 12)]),
        (my_lib.lltm_sequence_forward,
         [ones(2, 3, 5), ones(12, 9), ones(12), ones(3, 4), ones(3, 4), ones(2, 3, 4), ones(2, 3, 4), ones(2, 3, 12)]),
    ]  # fmt: skip
    checked = 0
    for function, arrays in calls:
        function(*arrays)
        for index, array in enumerate(arrays):
            expect(f"{function.__name__}: array {index}", float(array.flat[0]), MARK)
            checked += 1
    print(f"marks {checked}")


# ---- threads


def large(seed, workspace):
    """A large call, and whether it is right."""
    random = numpy.random.default_rng(seed)
    input, weight = (random.standard_normal((256, 256), numpy.float32) for _ in range(2))
    output = my_lib.linear_forward(input, weight, workspace=workspace)
    expect(f"thread {seed}: linear", bool(numpy.allclose(output, input @ weight.T, 1e-3, 1e-3)), True)


def thread(number, calls, failures):
    try:
        workspace = my_lib.Workspace()
        for round in range(ROUNDS):
            large(number, workspace)
            sum = my_lib.add_forward(numpy.full(25, number, "f4"), numpy.full(25, round, "f4"))
            expect(f"thread {number}: add", sum.tolist(), [number + round] * 25)
            error = error_of(my_lib.add_forward, zeros(number + 1), zeros(number + 100))
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
            large(0, None)
            os._exit(0)
        finally:
            os._exit(1)
    expect("status of the child", os.waitpid(child, 0)[1], 0)
    print(f"threads {sum(calls)}")


# ---- time


def time():
    one, two, output = (numpy.ones(25, numpy.float32) for _ in range(3))
    number = 100
    seconds = timeit.repeat(lambda: my_lib.add_forward(one, two, output), number=number, repeat=500)
    print(f"time {min(seconds) / number * 1e9:.1f}")


def version():
    print(f"version {my_lib.version()}")
    expect("build_info", my_lib.version() in my_lib.build_info(), True)


if __name__ == "__main__":
    functions = {each.__name__: each for each in (version, vectors, marks, threads, time)}
    functions[sys.argv[1]](*sys.argv[2:])
