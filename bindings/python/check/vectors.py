# bindings/python/check/vectors.py: what the test programs in Python have in common: NumPy's, ONNX Runtime's and JAX's.
import ctypes
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

import numpy

MARK = 1234.5
THREADS, ROUNDS = 8, 20
# The arguments of each C function, in order: an input by its name, an output behind a colon.
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
READ = {function: [word for word in words.split() if word[0] != ":"] for function, words in ARGUMENTS.items()}
WRITTEN = {function: [word[1:] for word in words.split() if word[0] == ":"] for function, words in ARGUMENTS.items()}


def expect(what, got, expected):
    if got != expected:
        raise AssertionError(f"{what}: expected {expected!r}, got {got!r}")


def zeros(*shape):
    return numpy.zeros(shape, numpy.float32)


def ones(*shape):
    return numpy.ones(shape, numpy.float32)


@dataclass
class Entry:
    """A case or an error of the index. function: C's name; inputs, outputs: {name: shape, or None where it is absent}."""

    kind: str
    name: str
    function: str
    more: list  # of a case: file, rtol, atol; of an error: code and its name
    sizes: dict
    inputs: dict
    outputs: dict
    text: str

    def arrays(self, folder):
        """{name: array or None} of the inputs, and of the outputs that are expected."""
        numbers, position, found = numpy.fromfile(folder / self.more[0], "<f4"), 0, {}
        for each, shape in [*self.inputs.items(), *self.outputs.items()]:
            count = 0 if shape is None else int(numpy.prod(shape))
            found[each] = None if shape is None else numbers[position : position + count].reshape(shape)
            position += count
        expect(f"{self.name}: numbers", position, len(numbers))
        return (
            {word: found.get(word) for word in READ[self.function]},
            {word: found.get(word) for word in WRITTEN[self.function]},
        )

    def number(self):
        """{name: value} of the size that is given where all of its arrays may be absent."""
        if self.function != "my_lib_linear_backward":
            return {}
        shapes = self.inputs | self.outputs
        found = [shapes[each] for each in ("input", "weight", "grad_input", "grad_weight") if shapes.get(each)]
        return {"in_features": found[0][-1] if found else 1}

    def compare(self, found, expected):
        """Raises AssertionError unless each array that is expected was found."""
        rtol, atol = map(float, self.more[1:])
        for name, right in expected.items():
            if right is None:
                continue
            result = numpy.asarray(found[name])
            expect(f"{self.name}: {name}: shape", result.shape, right.shape)
            fits = numpy.abs(result - right) <= atol + rtol * numpy.abs(right)
            expect(f"{self.name}: {name}: number of wrong values", int(numpy.size(fits) - numpy.sum(fits)), 0)


def entries(folder):
    """The Entries of the index."""
    for block in (folder / "index.txt").read_text().split("end\n"):
        head, sizes, inputs, outputs, text = [], {}, {}, {}, ""
        for line in block.splitlines():
            kind, *words = line.split(" ")
            if kind == "size":
                sizes[words[0]] = int(words[1])
            elif kind in ("in", "out"):
                ndim, *shape = map(int, words[1:])
                (inputs if kind == "in" else outputs)[words[0]] = None if ndim < 0 else tuple(shape)
            elif kind == "text":
                text = line.removeprefix("text ")
            else:
                head = [kind, *words]
        if head:
            kind, name, function, *more = head
            function = function if function.startswith("lltm") else f"my_lib_{function}"
            yield Entry(kind, name, function, more, sizes, inputs, outputs, text)


def vectors(replay, provoke, *own_checks):
    """The command `vectors`. replay(Entry, folder); provoke(Entry): the text of the error, or None: the host makes none."""

    def command(folder):
        cases = errors = 0
        for entry in entries(Path(folder)):
            if entry.kind == "case":
                replay(entry, Path(folder))
                cases += 1
            elif (text := provoke(entry)) is not None:
                expect(entry.name, text, entry.text)
                errors += 1
        for check in own_checks:
            check()
        print(f"vectors {cases}\nerrors {errors}")

    return command


# The forwards of the command `marks`, with their arrays.
STATE = [ones(12, 9), ones(12), ones(3, 4), ones(3, 4)]
MARKED = {
    "my_lib_add_forward": [ones(2, 3), ones(2, 3), ones(2, 3)],
    "my_lib_linear_forward": [ones(3, 5), ones(7, 5), ones(7), ones(3, 7)],
    "lltm_forward": [ones(3, 5), *STATE, ones(3, 4), ones(3, 4), ones(3, 12)],
    "lltm_sequence_forward": [ones(2, 3, 5), *STATE, ones(2, 3, 4), ones(2, 3, 4), ones(2, 3, 12)],
}


def marks(call):
    """The command `marks`. call(function, arrays): what the program sees of these arrays when C has run."""

    def command():
        checked = 0
        for function, arrays in MARKED.items():
            for index, array in enumerate(call(function, [array.copy() for array in arrays])):
                expect(f"{function}: array {index}", float(numpy.asarray(array).flat[0]), MARK)
                checked += 1
        print(f"marks {checked}")

    return command


def large(linear, seed):
    """A large call, and whether it is right."""
    random = numpy.random.default_rng(seed)
    input, weight = (random.standard_normal((256, 256), numpy.float32) for _ in range(2))
    output = numpy.asarray(linear(input, weight))
    expect(f"thread {seed}: linear", bool(numpy.allclose(output, input @ weight.T, 1e-3, 1e-3)), True)


def threads(linear, add, refused, *at_the_end):
    """The command `threads`. refused(a, b): the text of what add raises for arrays of two shapes."""

    def thread(number, calls, failures):
        try:
            for round in range(ROUNDS):
                large(linear, number)
                sum = add(numpy.full(25, number, "f4"), numpy.full(25, round, "f4"))
                expect(f"thread {number}: add", numpy.asarray(sum).tolist(), [number + round] * 25)
                text = refused(zeros(number + 1), zeros(number + 100))
                expect("message", text, f"input2: expected shape ({number + 1},), got ({number + 100},)")
                calls.append(3)
        except BaseException as error:
            failures.append(error)

    def command():
        calls, failures = [], []
        started = [threading.Thread(target=thread, args=(number, calls, failures)) for number in range(THREADS)]
        for each in started:
            each.start()
        for each in started:
            each.join()
        if failures:
            raise failures[0]
        for check in at_the_end:
            check()
        print(f"threads {sum(calls)}")

    return command


def host(library, replay, call, linear, add, refused, **times):
    """The program of a host of graphs, which says neither sizes nor a workspace. library: the path of the host's own."""

    def version():
        function = ctypes.CDLL(str(library)).my_lib_version
        function.restype = ctypes.c_char_p
        print(f"version {function().decode()}")

    def provoke(entry):
        is_of_shapes = entry.name == "add_forward-shapes"
        return refused(*(zeros(*shape) for shape in entry.inputs.values())) if is_of_shapes else None

    main(
        version=version, vectors=vectors(replay, provoke), marks=marks(call), threads=threads(linear, add, refused),
        **times,
    )  # fmt: skip


def main(**commands):
    commands[sys.argv[1]](*sys.argv[2:])
